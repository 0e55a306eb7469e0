// The log of tasks: reading it for the observer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/TaskLogEntry.h"

#include "graph/TaskGraph.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace hsched::rt {

// "in, reduction": the modes of accesses, each once.
std::string modesOf(std::span<const Access> Sections) {
  static const char *const Names[] = {"", "in", "out", "inout", "concurrent", "commutative", "reduction"};
  std::string Text;
  for (unsigned Mode = HSCHED_IN; Mode <= HSCHED_REDUCTION; ++Mode)
    if (std::ranges::any_of(Sections, [&](const Access &A) { return A.mode == Mode; }))
      Text += (Text.empty() ? "" : ", ") + std::string(Names[Mode]);
  return Text;
}

class TaskLogReader final : private GraphListener {
public:
  TaskLogReader(const TaskLog &L, Observer &O) : L(L), O(O), Now(L.Time.now()), Rate(rate(L.now(), Now - L.Began)) {}

  void read(TaskLog::Part &P) {
    for (TaskLog::Chunk *C = P.First.load(std::memory_order_acquire); C; C = C->Next.load(std::memory_order_acquire)) {
      const char *At = C->begin(), *End = At + C->Used.load(std::memory_order_acquire);
      for (; At != End; At += entry(At).Bytes)
        take(At);
    }
  }

  void notifyObserver() {
    std::ranges::sort(Tasks, {}, [](const char *At) { return entry(At).Id; });
    for (const char *At : Tasks)
      reportSubmission(At);
    reportDependences();
    for (const char *At : Tasks)
      if (const LogRun *R = runOf(entry(At).Id))
        notifyRun(At, *R, *Runs[entry(At).Id]);
  }

private:
  static const LogEntry &entry(const char *At) { return *reinterpret_cast<const LogEntry *>(At); }
  static const LogTask &task(const char *At) { return *reinterpret_cast<const LogTask *>(At + sizeof(LogEntry)); }

  // Nanoseconds per step of the counter.
  double rate(TaskLog::Stamp Stamp, Duration Took) const {
    const auto Steps = static_cast<double>(Stamp - L.BeganStamp);
    return !L.Counter || Steps <= 0 ? 1 : static_cast<double>(Took.count()) / Steps;
  }
  TimePoint timeOf(TaskLog::Stamp S) const {
    return L.Began + Duration(static_cast<int64_t>(static_cast<double>(static_cast<int64_t>(S - L.BeganStamp)) * Rate));
  }

  void take(const char *At) {
    const LogEntry &E = entry(At);
    switch (E.What) {
    case LogEntry::Kind::Task:
      Tasks.push_back(At);
      break;
    case LogEntry::Kind::Run:
      break;
    case LogEntry::Kind::Dependence:
      Explicit.emplace_back(number(At), E.Id);
      break;
    case LogEntry::Kind::Wait:
      Waits.emplace_back(E.Id, number(At));
      break;
    }
    if (E.Flags & LogEntry::HasRun) {
      if (Runs.size() <= E.Id)
        Runs.resize(std::max<size_t>(E.Id + 1, 2 * Runs.size()));
      Runs[E.Id] = &E;
    }
  }
  static TaskId number(const char *At) {
    TaskId Id;
    std::memcpy(&Id, At + sizeof(LogEntry), sizeof(Id));
    return Id;
  }
  const LogRun *runOf(TaskId Id) const {
    const LogEntry *E = Id < Runs.size() ? Runs[Id] : nullptr;
    if (!E)
      return nullptr;
    const auto *At = reinterpret_cast<const char *>(E) + sizeof(LogEntry);
    return reinterpret_cast<const LogRun *>(E->What == LogEntry::Kind::Task ? At + sizeof(LogTask) : At);
  }

  struct Rest {
    const char *Label;
    double Cost;
  };
  // Decodes an entry; fills Sections.
  Rest restOf(const char *At) {
    const LogEntry &E = entry(At);
    const char *Pos = At + sizeof(LogEntry) + sizeof(LogTask) + (E.Flags & LogEntry::HasRun ? sizeof(LogRun) : 0);
    Sections.resize(E.NumSections);
    for (Access &A : Sections)
      if (E.Flags & LogEntry::FullSections) {
        std::memcpy(&A, Pos, sizeof(A));
        Pos += sizeof(A);
      } else {
        ItemSection S;
        std::memcpy(&S, Pos, sizeof(S));
        A = {reinterpret_cast<void *>(S.Begin), S.Bytes, 1, 0, S.Mode, HSCHED_NO_PARAM};
        Pos += sizeof(S);
      }
    Rest R{task(At).Task, NoCost};
    if (E.Flags & LogEntry::HasCost) {
      std::memcpy(&R.Cost, Pos, sizeof(R.Cost));
      Pos += sizeof(R.Cost);
    }
    if (E.Flags & LogEntry::HasLabel)
      R.Label = Pos;
    return R;
  }

  void reportSubmission(const char *At) {
    const Rest R = restOf(At);
    const LogTask &T = task(At);
    O.submitted({entry(At).Id, T.Parent, T.Task, R.Label, dataBytes(Sections), timeOf(T.At), R.Cost,
                 modesOf(Sections).c_str()});
  }

  void notifyRun(const char *At, const LogRun &Run, const LogEntry &Of) {
    const Rest R = restOf(At);
    O.ran({Of.Id,
           task(At).Task,
           Run.Version,
           R.Label,
           cpuRow(Of.Worker),
           Of.Worker,
           dataBytes(Sections),
           {timeOf(Run.Begin), timeOf(Run.End)},
           Of.How,
           R.Cost});
  }

  // Links each parent's children in a temporary domain.
  void reportDependences() {
    for (const char *At : Tasks)
      if (task(At).Task == TaskLog::Combination) {
        (void)restOf(At);
        Combinations[{task(At).Parent, beginOf(Sections[0])}].push_back(entry(At).Id);
      }
    std::ranges::stable_sort(Tasks, {}, [](const char *At) { return task(At).Parent; });
    std::ranges::sort(Waits);
    auto Wait = Waits.begin();
    for (auto First = Tasks.begin(); First != Tasks.end();) {
      const TaskId Parent = task(*First).Parent;
      const auto End = std::find_if(First, Tasks.end(), [&](const char *At) { return task(At).Parent != Parent; });
      DependenceDomain Domain;
      Linking = Parent;
      while (Wait != Waits.end() && Wait->first < Parent)
        ++Wait;
      for (bool One = End - First == 1; First != End; ++First) {
        bool Waited = false;
        for (; Wait != Waits.end() && Wait->first == Parent && Wait->second <= entry(*First).Id; ++Wait)
          Waited = true;
        if (Waited)
          Domain.sweep(true);
        if (!One && task(*First).Task != TaskLog::Combination)
          link(*First, Domain);
      }
      completeAll(Domain.closeAll());
    }
    std::ranges::sort(Tasks, {}, [](const char *At) { return entry(At).Id; });
    for (auto [From, To] : Explicit)
      dependence(From, To);
  }

  // Links the task as at run time and completes it at once as failed, because a domain keeps failed tasks until a wait.
  // No reduction is combined.
  void link(const char *At, DependenceDomain &Domain) {
    static constexpr hsched_reduction_op Any{};
    (void)restOf(At);
    TaskNode *T = createTask(nullptr, static_cast<unsigned>(Sections.size()));
    TaskNode *Closed = nullptr;
    try {
      std::ranges::copy(Sections, T->AccessList);
      T->Id = entry(At).Id;
      T->Label = "";
      for (unsigned I = 0; I < T->NumAccesses; ++I)
        if (T->AccessList[I].mode == HSCHED_REDUCTION && beginOf(T->AccessList[I]) != endOf(T->AccessList[I]))
          addReduction(*T, I, nullptr, Any);
      (void)Domain.submit(*T, this, &Closed);
    } catch (...) {
      release(*T);
      throw;
    }
    completeAll(Closed);
    T->NextReady = nullptr;
    completeAll(T);
  }
  // Dependent tasks are completed when they are linked; combinations are completed here.
  static void completeAll(TaskNode *List) {
    while (List) {
      TaskNode &T = *std::exchange(List, List->NextReady);
      for (TaskNode *Ready = complete(T, true); Ready;) {
        TaskNode &Next = *std::exchange(Ready, Ready->NextReady);
        if (Next.isCombination())
          Next.NextReady = std::exchange(List, &Next);
      }
      release(T);
    }
  }

  // The logged combination: they are opened and ended in one order.
  TaskId combination(const TaskNode &C) override {
    auto It = Combinations.find({Linking, beginOf(C.AccessList[0])});
    if (It == Combinations.end() || It->second.empty())
      return 0;
    TaskId Id = It->second.front();
    It->second.pop_front();
    return Id;
  }

  // Concurrent threads may number their tasks in one order and link them in another.
  void dependence(TaskId From, TaskId To) override {
    if (!From || !To)
      return;
    const LogRun *A = runOf(From), *B = runOf(To);
    if (A && B && B->End <= A->Begin)
      std::swap(From, To);
    O.dependence(From, To);
  }

  const TaskLog &L;
  Observer &O;
  const TimePoint Now;
  const double Rate;
  std::vector<const char *> Tasks;    // Entries.
  std::vector<const LogEntry *> Runs; // By number.
  std::vector<std::pair<TaskId, TaskId>> Explicit, Waits;
  TaskId Linking = 0; // The parent whose children are being linked.
  // By parent and address, in order of number.
  std::map<std::pair<TaskId, uintptr_t>, std::deque<TaskId>> Combinations;
  std::vector<Access> Sections; // Sections of the last decoded entry.
};

void TaskLog::notifyObserver(std::span<Part *const> Parts, Observer &O) {
  std::lock_guard Guard(NotifyLock); // A second caller waits for the first.
  if (std::exchange(Notified, true))
    return;
  TaskLogReader R(*this, O);
  for (Part *P : Parts)
    R.read(*P);
  R.read(Shared);
  R.notifyObserver();
}

} // namespace hsched::rt
