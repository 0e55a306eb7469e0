// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/Needless.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace hsched::rt::record {

const char *nameOf(Needless Reason) {
  static constexpr const char *Names[] = {"evicted before", "moved twice", "returned at a wait", "not read",
                                          "home, not read by a task"};
  return Names[static_cast<size_t>(Reason)];
}

namespace {

// Limits: distinct rows of all sections, and entries of all lists of atoms.
constexpr uint64_t MostRows = 4'000'000, MostEntries = 20'000'000;

// The data of a record as atoms: sets of bytes in the same sections. All bytes of an atom have the same
// history.
class Atoms {
public:
  explicit Atoms(const Record &R) {
    for (const Task &T : R.Tasks)
      for (const Section &S : T.Sections)
        note(S);
    for (const Transfer &T : R.Transfers)
      for (const Section &S : T.Moved)
        note(S);
    for (const Eviction &E : R.Evictions)
      for (const Section &S : E.Dropped)
        note(S);
    for (const Wait &W : R.Waits)
      for (const Section &S : W.Sections)
        note(S);
    if (Rows <= MostRows)
      split();
  }

  bool known() const { return Rows <= MostRows && Entries <= MostEntries; }
  size_t size() const { return Bytes.size(); }
  uint64_t bytes(uint32_t Atom) const { return Bytes[Atom]; }
  const std::vector<uint32_t> &of(const Section &S) const { return Parts[Ids.at(key(S))]; }

private:
  using Key = std::tuple<uint32_t, uint64_t, uint64_t, uint64_t, uint64_t>;
  static Key key(const Section &S) { return {S.Datum, S.From, S.Bytes, S.Rows, S.Rows > 1 ? S.Stride : 0}; }

  void note(const Section &S) {
    if (Ids.try_emplace(key(S), static_cast<uint32_t>(Ids.size())).second)
      Rows += S.Rows;
  }

  // A sweep over each datum: between two row boundaries, the same sections are present.
  void split() {
    struct Edge {
      uint32_t Datum;
      uint64_t At;
      uint32_t Section;
      bool Begins;
      auto order() const { return std::tie(Datum, At); }
    };
    std::vector<Edge> Edges;
    Edges.reserve(2 * Rows);
    for (const auto &[K, Id] : Ids) {
      const auto &[Datum, From, Row, Count, Stride] = K;
      for (uint64_t I = 0; I < Count; ++I) {
        Edges.push_back({Datum, From + I * Stride, Id, true});
        Edges.push_back({Datum, From + I * Stride + Row, Id, false});
      }
    }
    std::ranges::sort(Edges, [](const Edge &A, const Edge &B) { return A.order() < B.order(); });
    Parts.resize(Ids.size());
    std::map<std::vector<uint32_t>, uint32_t> Known; // Atom by its sections.
    std::vector<uint32_t> Present;                   // Sorted.
    for (size_t I = 0; I < Edges.size() && Entries <= MostEntries; ++I) {
      const Edge &E = Edges[I];
      auto At = std::ranges::lower_bound(Present, E.Section);
      if (E.Begins)
        Present.insert(At, E.Section);
      else if (At != Present.end() && *At == E.Section)
        Present.erase(At);
      if (I + 1 == Edges.size() || Edges[I + 1].Datum != E.Datum || Edges[I + 1].At == E.At || Present.empty())
        continue;
      Entries += Present.size();
      auto [It, New] = Known.try_emplace(Present, static_cast<uint32_t>(Bytes.size()));
      if (New) {
        Bytes.push_back(0);
        for (uint32_t S : Present)
          Parts[S].push_back(It->second);
      }
      Bytes[It->second] += Edges[I + 1].At - E.At;
    }
  }

  std::map<Key, uint32_t> Ids;
  uint64_t Rows = 0, Entries = 0;
  std::vector<uint64_t> Bytes;              // By atom.
  std::vector<std::vector<uint32_t>> Parts; // By section: its atoms.
};

constexpr size_t None = SIZE_MAX;

// The state of an atom's copy in one memory.
struct Copy {
  // In the last two states, it would otherwise be valid.
  enum : uint8_t { Absent, Valid, Evicted, Returned } Is = Absent;
  bool Read = false;
  size_t By = None; // The transfer that made it; None: a task wrote it there.
};

class Follower {
public:
  Follower(const Record &R, const Atoms &Data, NeedlessMoves &Out)
      : R(R), Data(Data), Out(Out), Copies(Data.size() * nodes()) {
    for (size_t A = 0; A < Data.size(); ++A)
      Copies[A * nodes()].Is = Copy::Valid;
  }

  void run() {
    // Order of simultaneous happenings: ends come first, and a task's data before the task.
    enum Order : uint8_t { Wrote, Returned, Dropped, Moved, Began };
    struct Step {
      Ns At;
      Order What;
      size_t Index;
    };
    std::vector<Step> Steps;
    for (size_t I = 0; I < R.Tasks.size(); ++I)
      if (R.Tasks[I].How == TaskOutcome::Done || R.Tasks[I].How == TaskOutcome::Failed) {
        Steps.push_back({R.Tasks[I].Begin, Began, I});
        Steps.push_back({R.Tasks[I].End, Wrote, I});
      }
    for (size_t I = 0; I < R.Transfers.size(); ++I)
      Steps.push_back({R.Transfers[I].Begin, Moved, I});
    for (size_t I = 0; I < R.Evictions.size(); ++I)
      Steps.push_back({R.Evictions[I].At, Dropped, I});
    for (size_t I = 0; I < R.Waits.size(); ++I)
      if (R.Waits[I].Flush)
        Steps.push_back({R.Waits[I].End, Returned, I});
    std::ranges::stable_sort(
        Steps, [](const Step &A, const Step &B) { return std::tie(A.At, A.What) < std::tie(B.At, B.What); });
    for (const Step &S : Steps)
      switch (S.What) {
      case Wrote:
        wrote(R.Tasks[S.Index]);
        break;
      case Returned:
        returned(R.Waits[S.Index]);
        break;
      case Dropped:
        dropped(R.Evictions[S.Index]);
        break;
      case Moved:
        moved(S.Index);
        break;
      case Began:
        began(R.Tasks[S.Index]);
        break;
      }
    // Data that came home are available to the program.
    for (size_t A = 0; A < Data.size(); ++A)
      for (size_t N = 1; N < nodes(); ++N)
        over(A, N);
  }

private:
  size_t nodes() const { return R.Workers.size() + 1; } // 0: host memory.
  size_t nodeOf(uint32_t Worker) const { return R.Workers[Worker].HasMemory ? Worker + 1 : 0; }
  Copy &copy(size_t Atom, size_t Node) { return Copies[Atom * nodes() + Node]; }
  void count(size_t Transfer, Needless Why, size_t Atom) {
    Out.Transfers[Transfer].Bytes[static_cast<size_t>(Why)] += Data.bytes(static_cast<uint32_t>(Atom));
  }

  // A copy has become useless. Counts its transfer as needless if it was never read.
  void over(size_t Atom, size_t Node) {
    Copy &C = copy(Atom, Node);
    if (C.By != None && !C.Read)
      count(C.By, Node ? Needless::Unread : Needless::HomeUnread, Atom);
    C.By = None;
  }

  void moved(size_t Index) {
    const Transfer &T = R.Transfers[Index];
    if (T.Kind == "within device")
      return;
    const size_t To = T.Kind == "to host" ? 0 : nodeOf(T.Worker);
    for (const Section &S : T.Moved)
      for (uint32_t A : Data.of(S)) {
        Copy &C = copy(A, To);
        if (To)
          copy(A, 0).Read = true; // The usual source of the copy.
        if (C.Is == Copy::Absent) {
          C = {Copy::Valid, false, Index};
          continue;
        }
        count(Index,
              C.Is == Copy::Evicted    ? Needless::Evicted
              : C.Is == Copy::Returned ? Needless::AfterWait
                                       : Needless::Again,
              A);
        C.Is = Copy::Valid; // It counts once, even if it is not read.
      }
  }

  void began(const Task &T) {
    for (const Section &S : T.Sections)
      if (S.Mode != "out")
        for (uint32_t A : Data.of(S))
          copy(A, nodeOf(T.Worker)).Read = true;
  }

  void wrote(const Task &T) {
    for (const Section &S : T.Sections) {
      if (S.Mode == "in")
        continue;
      for (uint32_t A : Data.of(S))
        for (size_t N = 0; N < nodes(); ++N) {
          over(A, N);
          copy(A, N) = {N == nodeOf(T.Worker) ? Copy::Valid : Copy::Absent, false, None};
        }
    }
  }

  void dropped(const Eviction &E) {
    const size_t Node = nodeOf(E.Worker);
    for (const Section &S : E.Dropped)
      for (uint32_t A : Data.of(S))
        if (Copy &C = copy(A, Node); C.Is == Copy::Valid) {
          over(A, Node);
          C.Is = Copy::Evicted;
        }
  }

  // The program may change data now, so copies on devices are invalid.
  void returned(const Wait &W) {
    auto one = [&](size_t A) {
      for (size_t N = 1; N < nodes(); ++N)
        if (Copy &C = copy(A, N); C.Is == Copy::Valid) {
          over(A, N);
          C.Is = Copy::Returned;
        }
    };
    if (W.Sections.empty())
      for (size_t A = 0; A < Data.size(); ++A)
        one(A);
    for (const Section &S : W.Sections)
      for (uint32_t A : Data.of(S))
        one(A);
  }

  const Record &R;
  const Atoms &Data;
  NeedlessMoves &Out;
  std::vector<Copy> Copies; // By atom, then by node.
};

} // namespace

NeedlessMoves needlessMoves(const Record &R) {
  NeedlessMoves Out;
  Out.Transfers.resize(R.Transfers.size());
  if (!R.Whole || std::ranges::none_of(R.Transfers, [](const Transfer &T) { return !T.Moved.empty(); }))
    return Out;
  const Atoms Data(R);
  if (!Data.known())
    return Out;
  Out.Known = true;
  Follower(R, Data, Out).run();
  return Out;
}

} // namespace hsched::rt::record
