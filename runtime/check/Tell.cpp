// Texts of findings, and checks before and after a body.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Judge.h"
#include "check/Report.h"

#include <algorithm>
#include <cstring>

namespace hsched::check {
namespace {

std::string hex(Address A) {
  char Text[32];
  snprintf(Text, sizeof Text, "0x%zx", static_cast<size_t>(A));
  return Text;
}

const void *keyOf(const TaskRecord *T) { return !T ? nullptr : T->Type ? static_cast<const void *>(T->Type) : T->Loop; }

long long elementsOf(Address From, Address To, size_t Each) {
  const auto Distance = static_cast<long long>(To - From);
  const auto Size = static_cast<long long>(Each);
  return Distance >= 0 ? Distance / Size : -((-Distance + Size - 1) / Size);
}

size_t elementBytes(const Clause &C, size_t Accessed) {
  const size_t Counted = countedBytes(C);
  return Counted ? Counted : Accessed;
}

// The subscripts behind the first: where A is in an array that begins at Base.
std::string inRow(const Clause &C, Address Base, Address A) {
  const size_t Row = countedBytes(C);
  if (C.Row.empty() || Row == 0 || Row == C.ElementBytes)
    return "";
  size_t Offset = static_cast<size_t>(A - Base - static_cast<Address>(elementsOf(Base, A, Row)) * Row), Rest = Row;
  std::string Text;
  for (const size_t Extent : C.Row) {
    Rest /= Extent;
    Text += "[" + std::to_string(Offset / Rest) + "]";
    Offset %= Rest;
  }
  return Text;
}

// "y[64]", or another description of the address.
std::string nameOf(const Running &R, unsigned Access, Address A, size_t Bytes) {
  if (Access < R.Clauses.size()) {
    const Clause &C = R.Clauses[Access];
    const auto Base = reinterpret_cast<Address>(R.Accesses[Access].base);
    std::string Name = elementName(C, elementsOf(Base, A, elementBytes(C, Bytes)));
    if (!Name.empty())
      return Name + inRow(C, Base, A);
  }
  const Object Of = objectAt(A);
  if (Of.Name.empty())
    return "memory";
  const size_t Offset = A - Of.Bytes.Low;
  return Offset == 0 && Of.Bytes.High - Of.Bytes.Low <= Bytes
             ? Of.Name
             : Of.Name + "[" + std::to_string(Offset / (Bytes ? Bytes : 1)) + "]";
}

std::string clauseText(const Running &R, unsigned Access) {
  return Access < R.Clauses.size() && !R.Clauses[Access].Role.empty() ? "'" + R.Clauses[Access].text() + "'"
                                                                      : "its section";
}

std::string here(const Running &R, Address Pc, Address A, size_t Bytes) {
  return (Pc ? lineOf(Pc) + ": " : "") + std::to_string(Bytes) + " bytes at " + hex(A) + ", version " + R.Version;
}

} // namespace

std::string describe(const TaskRecord &T) {
  if (!T.Type)
    return std::string("iterations of loop '") + T.Loop->name + "' (" + T.Loop->file + ":" +
           std::to_string(T.Loop->line) + ")";
  const hsched_task_desc *D = TheProgram->Description(T.Type);
  return std::string("task '") + TheProgram->Name(T.Type) + "'" +
         (D ? std::string(" (") + D->file + ":" + std::to_string(D->line) + ")" : "");
}

void reportInside(Running &R, Kind What, Segment &S, Address A, size_t Bytes, Address Pc) {
  const Place P{Pc, R.Record.Type, nullptr, What, S.Access};
  if (!isNew(P))
    return;
  const std::string Name = nameOf(R, S.Access, A, Bytes), Clause = clauseText(R, S.Access);
  std::string Sentence = describe(R.Record), Write;
  switch (What) {
  case WritesIn:
  case ChangesIn:
    Sentence += " writes " + Name + ", which " + Clause + " only reads";
    break;
  case ReadsOut:
    Sentence += " reads " + Name + " before it writes it, although " + Clause + " says that nothing is read first";
    break;
  default:
    Sentence += " does not write " + Name + ", although " + Clause + " says that all is overwritten";
    break;
  }
  if (S.Access < R.Clauses.size() && !R.Clauses[S.Access].Role.empty())
    Write = "inout(" + R.Clauses[S.Access].Section + ")";
  reportFinding(P, Sentence, here(R, Pc, A, Bytes), Write);
}

void reportRace(TaskRecord *Accessor, Address Pc, bool Writes, TaskRecord &Other, Address OtherPc, bool OtherWrites,
                Address A) {
  const Object Of = objectAt(A);
  const Place P{Of.Bytes.empty() ? A : Of.Bytes.Low, std::min(keyOf(Accessor), keyOf(&Other)),
                std::max(keyOf(Accessor), keyOf(&Other)), Race, 0};
  if (!isNew(P))
    return;
  const std::string What = Of.Name.empty() ? "memory at " + hex(A) : "'" + Of.Name + "' (" + hex(A) + ")";
  const std::string First = Accessor ? describe(*Accessor) : "code outside tasks", Second = describe(Other);
  const bool SameLoop = Accessor && Accessor->Loop && Accessor->Loop == Other.Loop;
  std::string Sentence =
      SameLoop ? "two " + First + " race for " + What : First + " and " + Second + " race for " + What;
  auto line = [](const std::string &Subject, bool Writes, Address Pc) {
    return Subject + (Writes ? " writes it" : " reads it") + (Pc ? " in " + lineOf(Pc) : " by a clause");
  };
  std::string More =
      line(SameLoop ? "one" : First, Writes, Pc) + "\n  " + line(SameLoop ? "the other" : Second, OtherWrites, OtherPc);
  std::string Write;
  if (!Accessor)
    Write = "#pragma hsched taskwait before " + lineOf(Pc);
  else if (Other.Parent == Accessor)
    Write = "#pragma hsched taskwait before " + lineOf(Pc) + ", in " + First;
  else if (!SameLoop && !Of.Name.empty())
    Write = std::string(Writes ? "inout(" : "in(") + Of.Name + ") in a clause of " + First;
  else if (SameLoop && !Of.Name.empty())
    Write = "reduction(op: " + Of.Name + ") where the iterations sum into it, or leave '#pragma hsched for' out";
  reportFinding(P, Sentence, More, Write);
}

namespace {
struct Words {
  std::string Sentence, Write;
};
} // namespace

// Text for an access of [Low, High) outside the sections. Access: the nearest one in the same object.
static Words outsideWords(const Running &R, unsigned Access, Address Low, Address High, bool Writes, size_t Bytes) {
  const bool Known = Access < R.Clauses.size();
  const Clause None, &C = Known ? R.Clauses[Access] : None;
  const size_t Each = elementBytes(C, Bytes);
  const std::string Name = nameOf(R, Access, Low, Each);
  Words W{describe(R.Record) + (Writes ? " writes " : " reads ") + Name, ""};
  const Object Of = objectAt(Low);
  if (!Known || C.Role.empty()) {
    W.Sentence += ", which no clause of it names";
    if (!Of.Name.empty())
      W.Write = (Writes ? "inout(" : "in(") + Of.Name + ")";
    return W;
  }
  const auto Base = reinterpret_cast<Address>(R.Accesses[Access].base);
  const long long From = elementsOf(Base, Low, Each), To = elementsOf(Base, High + Each - 1, Each);
  if (C.Row.empty() ? To - From > 1 : High - Low > C.ElementBytes)
    W.Sentence += " to " + elementName(C, To - 1) + (C.Row.empty() ? "" : inRow(C, Base, High - C.ElementBytes));
  W.Sentence += ", outside of " + clauseText(R, Access);
  const std::string Wide = widened(C, From, To, static_cast<long long>(R.Accesses[Access].bytes / Each));
  if (Of.Bytes.empty() && !objectAt(Base).Bytes.empty())
    W.Sentence += " and of the object that it is in";
  else if (!Wide.empty())
    W.Write = (C.Role == "in" && Writes ? "inout" : C.Role) + "(" + Wide + ")";
  else
    W.Write = "a section of " + C.Root + " that holds " + Name;
  return W;
}

void reportOutsides(Running &R, bool All) {
  // Memory that the arguments owned, or objects in clauses, is the task's.
  std::erase_if(R.Outsides, [&](const auto &Each) {
    return std::ranges::any_of(R.Freed, [&](const Extent &E) { return E.holds(Each.second.Low); });
  });
  for (auto &[Pc, X] : R.Outsides) {
    const bool Known = X.Access < R.Clauses.size();
    // Possibly another member of the object: a clause of another task decides.
    if (!All && !X.Writes && insideOf(Pc) != Pc)
      if (!(Known && Root.isNamed(X.Low)))
        continue;
    // A written range is reported once.
    if (!X.Writes && std::ranges::any_of(R.Outsides, [&](const auto &Other) {
          return Other.second.Writes && Other.second.Access == X.Access && Other.second.Low <= X.Low &&
                 Other.second.High >= X.High;
        }))
      continue;
    const Place P{Pc, R.Record.Type, nullptr, static_cast<unsigned>(X.Writes ? WritesOutside : ReadsOutside), X.Access};
    if (!isNew(P))
      continue;
    const size_t Bytes = std::min<size_t>(X.High - X.Low, 16);
    const Words W = outsideWords(R, X.Access, X.Low, X.High, X.Writes, Bytes);
    reportFinding(P, W.Sentence, here(R, Pc, X.Low, Bytes), W.Write);
  }
  R.Outsides.clear();
}

void reportKernel(Running &R, const KernelFinding &X, const std::string &Line) {
  if (X.Inside && X.Writes) // The copy is not needed any more.
    for (Running::Saved &Old : R.Before)
      Old.Foreign |= Old.Of->Access == X.Access && !Old.Of->MayWrite;
  const Place Here{X.Line, R.Record.Type, nullptr, X.Inside ? KernelInside : KernelOutside, X.Access * 2 + X.Writes};
  if (!isNew(Here))
    return;
  const std::string More = Line + ": " + std::to_string(X.Bytes) + " bytes, version " + R.Version;
  if (!X.Inside) {
    const Words W = outsideWords(R, X.Access, X.Low, X.High, X.Writes, X.Bytes);
    return reportFinding(Here, W.Sentence, More, W.Write);
  }
  const Clause C = X.Access < R.Clauses.size() ? R.Clauses[X.Access] : Clause();
  const std::string Name = nameOf(R, X.Access, X.Low, X.Bytes), Text = clauseText(R, X.Access);
  reportFinding(Here,
                describe(R.Record) + (X.Writes ? " writes " + Name + ", which " + Text + " only reads"
                                               : " reads " + Name + " before it writes it, although " + Text +
                                                     " says that nothing is read first"),
                More, C.Role.empty() ? "" : "inout(" + C.Section + ")");
}

// Reports a section that is longer than the variable or heap block in which it begins.
static void reportExcess(Running &R, const Segment &S, const Object &Of) {
  const Place P{0, R.Record.Type, nullptr, ExceedsObject, S.Access};
  if (!isNew(P))
    return;
  const Clause C = S.Access < R.Clauses.size() ? R.Clauses[S.Access] : Clause();
  const size_t Each = elementBytes(C, 1);
  reportFinding(P,
                describe(R.Record) + ": " + clauseText(R, S.Access) + " goes " +
                    std::to_string(S.High - Of.Bytes.High) + " bytes beyond " +
                    (Of.Name.empty() ? "the block of memory that it begins in" : "'" + Of.Name + "'"),
                std::to_string((Of.Bytes.High - S.Low) / Each) + (C.ElementBytes ? " elements" : " bytes") + " from " +
                    hex(S.Low) + " on are in it",
                "");
}

void prepare(Running &R) {
  Quiet Now;
  for (Segment &S : R.Where.all()) {
    if (S.MayRead && S.MayWrite)
      continue;
    const size_t Bytes = S.High - S.Low;
    Extent Valid{S.Low, S.High};
    if (const Object Of = objectAt(S.Low); !Of.Bytes.empty() && Of.Bytes.High < S.High)
      reportExcess(R, S, Of), Valid.High = Of.Bytes.High;
    R.Before.push_back({&S, Valid, {}, {}});
    Running::Saved &Old = R.Before.back();
    Old.Bytes.assign(reinterpret_cast<uint8_t *>(S.Low), reinterpret_cast<uint8_t *>(Valid.High));
    Old.Bytes.resize(Bytes);
    const bool Numbers = S.Access < R.Clauses.size() && R.Clauses[S.Access].ElementBytes != 0;
    if (S.MayWrite && Numbers) {
      Old.Filled = Valid;
      for (Address A = Valid.Low; A < Valid.High; ++A)
        *reinterpret_cast<uint8_t *>(A) = patternAt(A);
    }
  }
}

// Reports bytes that were probably not written: at least 4 successive bytes that still hold the pattern.
static void concludeOut(Running &R, Running::Saved &Old) {
  Segment &S = *Old.Of;
  Address Run = 0;
  auto untouched = [&](Address A) {
    return !*R.Where.written(S, A) && *reinterpret_cast<uint8_t *>(A) == patternAt(A);
  };
  // Bytes that changed without an observed instruction: code without instrumentation writes this section.
  for (Address A = Old.Filled.Low; A < Old.Filled.High && !Old.Foreign; ++A)
    Old.Foreign = !*R.Where.written(S, A) && *reinterpret_cast<uint8_t *>(A) != patternAt(A);
  Address First = 0;
  for (Address A = Old.Filled.Low; A <= Old.Filled.High; ++A) {
    if (A < Old.Filled.High && untouched(A)) {
      ++Run;
      continue;
    }
    if (Run >= 4 || (Run && Instrumented && !Old.Foreign)) {
      for (Address B = A - Run; B < A; ++B)
        *reinterpret_cast<uint8_t *>(B) = Old.Bytes[B - S.Low];
      First = First ? First : A - Run;
    }
    Run = 0;
  }
  if (First && !R.Record.Failed)
    reportInside(R, Misses, S, First, std::max<size_t>(R.Clauses[S.Access].ElementBytes, 1), 0);
}

void concludeKernel(Running &R) {
  for (Running::Saved &Old : R.Before) {
    Address Run = 0;
    for (Address A = Old.Filled.Low; A < Old.Filled.High && Run < 4; ++A)
      if (Run = *R.Where.written(*Old.Of, A) || *reinterpret_cast<uint8_t *>(A) != patternAt(A) ? 0 : Run + 1; Run == 4)
        reportInside(R, Misses, *Old.Of, A - 3, std::max<size_t>(R.Clauses[Old.Of->Access].ElementBytes, 1), 0);
  }
  R.Where.forgetWritten(); // The body has written nothing yet.
}

void conclude(Running &R) {
  Quiet Now;
  for (Running::Saved &Old : R.Before) {
    Segment &S = *Old.Of;
    if (S.MayWrite) {
      concludeOut(R, Old);
      continue;
    }
    if (Old.Foreign) // The instruction was already reported.
      continue;
    const auto *Data = reinterpret_cast<const uint8_t *>(S.Low);
    const auto *End = Data + (Old.Valid.High - S.Low);
    if (const uint8_t *New = std::mismatch(Data, End, Old.Bytes.begin()).first; New != End)
      reportInside(R, ChangesIn, S, S.Low + static_cast<size_t>(New - Data), 1, 0);
  }
}

} // namespace hsched::check
