// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Judge.h"

#include <algorithm>
#include <cstring>

namespace hsched::check {

std::recursive_mutex RunLock;
std::atomic<bool> Instrumented{false}, AnyUnfinished{false};
constinit thread_local ThreadView View;
Domain Root;
Names *KnownNames = nullptr;
const rt::CheckedProgram *TheProgram = nullptr;
Address SeenInside[NumInside];

namespace {

// Accesses without a clause, in cells of 8 bytes: the last write and a read.
struct Cell {
  Touch Write, Read;
  uint8_t WriteBytes = 0, ReadBytes = 0;
};
// The same as ranges, for later tasks whose clauses name them.
struct Stretch {
  Extent Bytes;
  Touch By;
};
struct Touches {
  std::unordered_map<Address, Cell> Cells;
  std::vector<Stretch> List;
};
Touches &touches() {
  static auto *Made = new Touches;
  return *Made;
}
constexpr size_t MostStretches = 4096, MostFollowed = 1 << 20;

bool races(const Touch &Earlier, TaskRecord *Accessor) {
  if (!Earlier.Accessor || Earlier.Accessor == Accessor || Earlier.Accessor->Done)
    return false;
  return Accessor ? !ordered(*Earlier.Accessor, *Accessor) : Earlier.Accessor->Over;
}

void meet(TaskRecord *Accessor, Address A, size_t Bytes, bool Writes, Address Pc) {
  auto &Cells = touches().Cells;
  for (Address At = A; At < A + Bytes;) {
    const Address Base = At & ~Address(7), End = std::min(A + Bytes, Base + 8);
    const auto Mask = static_cast<uint8_t>(((1u << (End - At)) - 1) << (At - Base));
    auto Found = Cells.find(Base);
    if (Found != Cells.end()) {
      const Cell &C = Found->second;
      if ((C.WriteBytes & Mask) && races(C.Write, Accessor))
        return reportRace(Accessor, Pc, Writes, *C.Write.Accessor, C.Write.Pc, true, At);
      if (Writes && (C.ReadBytes & Mask) && races(C.Read, Accessor))
        return reportRace(Accessor, Pc, true, *C.Read.Accessor, C.Read.Pc, false, At);
    }
    if (Accessor) {
      Cell &C = Found != Cells.end() ? Found->second : Cells[Base];
      Touch &Last = Writes ? C.Write : C.Read;
      uint8_t &Set = Writes ? C.WriteBytes : C.ReadBytes;
      Set = static_cast<uint8_t>(Last.Accessor == Accessor ? Set | Mask : Mask);
      Last = {Accessor, Pc, Writes};
    }
    At = End;
  }
}

void note(TaskRecord &Accessor, Address A, size_t Bytes, bool Writes, Address Pc) {
  auto &List = touches().List;
  if (!List.empty()) {
    Stretch &Last = List.back();
    if (Last.By.Accessor == &Accessor && Last.By.Pc == Pc && A <= Last.Bytes.High && A + Bytes >= Last.Bytes.Low) {
      Last.Bytes.Low = std::min(Last.Bytes.Low, A);
      Last.Bytes.High = std::max(Last.Bytes.High, A + Bytes);
      return;
    }
  }
  if (List.size() < MostStretches)
    List.push_back({{A, A + Bytes}, {&Accessor, Pc, Writes}});
}

// Finished tasks with a clause for A that are unordered with R.
void meetNamed(Running &R, Address A, size_t Bytes, bool Writes, Address Pc) {
  bool Reads = false;
  for (Running *Around = R.Outer;; Around = Around->Outer) {
    Domain &D = Around ? Around->Children : Root;
    if (TaskRecord *Other = D.conflict(A, Bytes, Writes, &R.Record, Reads))
      return reportRace(&R.Record, Pc, Writes, *Other, 0, !Reads, A);
    if (!Around)
      return;
  }
}

bool isPrivate(const Running &R, Address A) {
  if (A < R.FrameTop && stackOfThread().holds(A))
    return true;
  if (R.Args.holds(A))
    return true;
  for (const Running *Around = &R; Around; Around = Around->Outer) {
    auto After = Around->Own.upper_bound(A);
    if (After != Around->Own.begin() && std::prev(After)->second > A)
      return Around == &R || !Around->Children.anyUnfinished();
  }
  return isThreadLocal(A);
}

// Finds the memory that pointers in the objects of R's clauses lead to, and pointers in that memory.
void follow(Running &R) {
  R.Followed = true;
  for (const bool Writes : {true, false}) {
    std::vector<Extent> Todo;
    for (size_t I = 0; I < R.Accesses.size() && I < R.Clauses.size(); ++I)
      if (R.Clauses[I].Owns && (R.Accesses[I].mode != HSCHED_IN) == Writes)
        forEachRow(R.Accesses[I], [&](Address Low, Address High) { Todo.push_back({Low, High}); });
    while (!Todo.empty() && R.OfObjects.size() < MostFollowed) {
      const Extent From = Todo.back();
      Todo.pop_back();
      for (Address At = (From.Low + 7) & ~Address(7); At + 8 <= From.High; At += 8) {
        Address To;
        std::memcpy(&To, reinterpret_cast<const void *>(At), sizeof To);
        const Extent Block = blockAt(To);
        if (!Block.empty() && R.OfObjects.emplace(Block.Low, Running::Block{Block.High, Writes}).second)
          Todo.push_back(Block);
      }
    }
  }
}

// True if A is in the own memory of an object that a clause of R names, and that it may access so.
bool ofObject(Running &R, Address A, bool Writes) {
  if (!R.Followed)
    follow(R);
  auto After = R.OfObjects.upper_bound(A);
  return After != R.OfObjects.begin() && std::prev(After)->second.High > A &&
         (!Writes || std::prev(After)->second.MayWrite);
}

// The section of R nearest to A in the same object; null: none.
Segment *nearest(Running &R, Address A, const Extent &Of) {
  Segment *After = R.Where.next(A), *Before = nullptr;
  for (Segment &S : R.Where.all()) {
    if (S.Low > A)
      break;
    Before = &S;
  }
  auto shares = [&](Segment *S) {
    if (!S)
      return false;
    if (!Of.empty())
      return Of.holds(S->Low);
    // No object is known: variables in other stack frames.
    return (S->Low > A ? S->Low - A : A - S->High) < 4096 && objectAt(S->Low).Bytes.empty();
  };
  Before = shares(Before) ? Before : nullptr;
  After = shares(After) ? After : nullptr;
  if (!Before || !After)
    return Before ? Before : After;
  return A - Before->High < After->Low - A ? Before : After;
}

void unnamed(Running &R, Address A, size_t Bytes, bool Writes, Address Pc) {
  if (isPrivate(R, A) || (!Writes && isConstant(A)) || View.Mutexes || isStream(A))
    return;
  if (ofObject(R, A, Writes)) // Clauses order the tasks that use it.
    return;
  if (!R.Record.Loop) {
    auto Existing = R.Outsides.find(Pc);
    if (Existing != R.Outsides.end() && Existing->second.Writes == Writes) {
      Existing->second.Low = std::min(Existing->second.Low, A);
      Existing->second.High = std::max(Existing->second.High, A + Bytes);
    } else {
      const Object Of = objectAt(A);
      Segment *Near = nearest(R, A, Of.Bytes);
      if (Near || Writes || Of.Bytes.empty())
        R.Outsides.insert_or_assign(
            Pc, Running::Outside{A, A + Bytes, Writes, Writes, Near ? Near->Access : HSCHED_NO_PARAM});
    }
    meetNamed(R, A, Bytes, Writes, Pc);
    note(R.Record, A, Bytes, Writes, Pc);
  }
  meet(&R.Record, A, Bytes, Writes, Pc);
}

Running::Saved *savedOf(Running &R, const Segment &S) {
  auto Found = std::ranges::find_if(R.Before, [&](const Running::Saved &B) { return B.Of == &S; });
  return Found == R.Before.end() ? nullptr : &*Found;
}

// True if code without instrumentation has written near A: reads are then not reported.
bool foreign(Running &R, Segment &S, Address A) {
  Running::Saved *Old = savedOf(R, S);
  if (!Old)
    return false;
  const Address Low = std::max(S.Low, A & ~Address(63)), High = std::min(S.High, (A | 63) + 1);
  for (Address At = Low; At < High && !Old->Foreign; ++At)
    Old->Foreign = !*R.Where.written(S, At) && *reinterpret_cast<uint8_t *>(At) != Old->Bytes[At - S.Low] &&
                   !Old->Filled.holds(At);
  for (Address At = Low; At < High && !Old->Foreign; ++At)
    Old->Foreign =
        Old->Filled.holds(At) && !*R.Where.written(S, At) && *reinterpret_cast<uint8_t *>(At) != patternAt(At);
  return Old->Foreign;
}

void inside(Running &R, Segment &S, Address A, size_t Bytes, bool Writes, Address Pc) {
  insideOf(Pc) = Pc;
  if (R.Children.anyUnfinished()) {
    bool Reads = false;
    if (TaskRecord *Child = R.Children.conflict(A, Bytes, Writes, nullptr, Reads))
      reportRace(&R.Record, Pc, Writes, *Child, 0, !Reads, A);
  }
  if (Writes && !S.MayWrite) {
    if (Running::Saved *Old = savedOf(R, S))
      Old->Foreign = true;
    return reportInside(R, WritesIn, S, A, Bytes, Pc);
  }
  if (!S.Overwritten)
    return;
  uint8_t *Written = R.Where.written(S, A);
  if (Writes)
    std::memset(Written, 1, Bytes);
  else if (std::memchr(Written, 0, Bytes) && !foreign(R, S, A))
    reportInside(R, ReadsOut, S, A, Bytes, Pc);
}

} // namespace

void judge(Running &R, Address A, size_t Bytes, bool Writes, Address Pc) {
  Quiet Now;
  while (Bytes) {
    Segment *S = R.Where.find(A), *Next = S ? nullptr : R.Where.next(A);
    const size_t Here = std::min(Bytes, S ? S->High - A : Next ? Next->Low - A : Bytes);
    if (S)
      inside(R, *S, A, Here, Writes, Pc);
    else
      unnamed(R, A, Here, Writes, Pc);
    A += Here;
    Bytes -= Here;
  }
}

void judgeOutside(Address A, size_t Bytes, bool Writes, Address Pc) {
  Quiet Now;
  // While another thread runs a task, the accessed bytes count for that task.
  std::unique_lock Guard(RunLock, std::try_to_lock);
  if (!Guard || View.Mutexes)
    return;
  bool Reads = false;
  if (TaskRecord *Other = Root.conflict(A, Bytes, Writes, nullptr, Reads))
    return reportRace(nullptr, Pc, Writes, *Other, 0, !Reads, A);
  if (!touches().Cells.empty())
    meet(nullptr, A, Bytes, Writes, Pc);
}

void checkUnnamed(Running &R) {
  for (const Stretch &X : touches().List) {
    if (!races(X.By, &R.Record))
      continue;
    Segment *S = R.Where.find(X.Bytes.Low);
    if (!S && (S = R.Where.next(X.Bytes.Low)) && S->Low >= X.Bytes.High)
      continue;
    // A stretch may have gaps; the cells are exact.
    for (; S && S->Low < X.Bytes.High; S = R.Where.next(S->High)) {
      if (!S->MayWrite && !X.By.Writes)
        continue;
      const Address Low = std::max(S->Low, X.Bytes.Low), High = std::min(S->High, X.Bytes.High);
      for (Address At = Low; At < High; At = (At | 7) + 1) {
        auto Found = touches().Cells.find(At & ~Address(7));
        if (Found == touches().Cells.end())
          continue;
        const Cell &C = Found->second;
        const auto Mask = static_cast<uint8_t>(0xff << (At & 7));
        const bool Hit = X.By.Writes ? C.Write.Accessor == X.By.Accessor && (C.WriteBytes & Mask)
                                     : C.Read.Accessor == X.By.Accessor && (C.ReadBytes & Mask);
        if (Hit)
          return reportRace(X.By.Accessor, X.By.Pc, X.By.Writes, R.Record, 0, S->MayWrite, At);
      }
    }
  }
}

void forgetTouches() {
  touches().Cells.clear();
  touches().List.clear();
}

void forgetTouches(Extent Freed) {
  auto &Cells = touches().Cells;
  if (Cells.empty() || Freed.empty())
    return;
  if ((Freed.High - Freed.Low) / 8 > Cells.size())
    std::erase_if(Cells, [&](const auto &C) { return Freed.holds(C.first); });
  else
    for (Address At = Freed.Low & ~Address(7); At < Freed.High; At += 8)
      Cells.erase(At);
}

} // namespace hsched::check
