// The watchdog's report: which task waits for what, and cycles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Log.h"
#include "exec/Watchdog.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

namespace hsched::rt {
namespace {

constexpr size_t MostTasks = 50, MostNamed = 6; // Limits of one report, and of one line.

std::string seconds(Duration D) {
  char Text[32];
  std::snprintf(Text, sizeof(Text), "%.1f s", std::chrono::duration<double>(D).count());
  return Text;
}

std::string counted(size_t N, const char *What) { return std::to_string(N) + " " + What + (N == 1 ? "" : "s"); }

bool overlap(const Access &A, const Access &B) {
  return beginOf(A) < endOf(B) && beginOf(B) < endOf(A); // For tiles, gaps between their rows count too.
}

std::string describe(const Access &A, const TaskType *Type) {
  char Text[64];
  std::snprintf(Text, sizeof(Text), "%zu bytes at 0x%" PRIxPTR, static_cast<size_t>(endOf(A) - beginOf(A)), beginOf(A));
  const hsched_task_desc *Desc = Type ? Type->Desc : nullptr;
  if (!Desc || !Desc->param_names || A.param >= Desc->n_params)
    return Text;
  return std::string("'") + Desc->param_names[A.param] + "', " + Text;
}

// "a, b and 3 more".
class Names {
public:
  void add(const std::string &Name) {
    if (++Count <= MostNamed)
      Text += (Count == 1 ? "" : ", ") + Name;
  }
  std::string text() const {
    return Count <= MostNamed ? Text : Text + " and " + std::to_string(Count - MostNamed) + " more";
  }
  size_t Count = 0;

private:
  std::string Text;
};

} // namespace

class Watchdog::Writer {
public:
  Writer(const Watchdog &W, const std::map<TaskId, Entry> &Tasks, const std::map<int, Thread> &Threads,
         std::vector<QuickBodies> Listed, TimePoint Now)
      : W(W), Tasks(Tasks), Threads(Threads), Now(Now) {
    for (QuickBodies &Q : Listed)
      Quick.emplace(Q.Thread, std::move(Q));
    for (const auto &[Id, E] : Tasks)
      Children[E.Parent].push_back(Id);
    for (const auto &[Number, T] : Threads)
      for (size_t I = 0; I < T.Frames.size(); ++I)
        if (T.Frames[I].IsBody)
          Bodies[T.Frames[I].Task] = {Number, I};
  }

  Report write(Duration Quiet) {
    std::string Circle = findCircle();
    size_t Computing = 0, Sleeping = 0, Devices = 0, Rest = 0, Detached = 0;
    for (const auto &[Id, E] : Tasks) {
      if (runs(Id))
        ++(asleep(Bodies[Id].first) ? Sleeping : Computing);
      else if (E.Now == State::OnDevice)
        ++Devices;
      else if (E.Now != State::Declared)
        Rest += E.Type != nullptr;
      Detached += E.Detached;
    }
    for (const auto &[Number, Q] : Quick)
      if (atQuick(Number))
        ++(asleep(Number) ? Sleeping : Computing);
    size_t Running = Computing + Sleeping + Devices;
    Report R{LogLevel::Warning, "watchdog: for " + seconds(Quiet) + " no task has begun or ended; "};
    if (!Circle.empty()) {
      R.Level = LogLevel::Error;
      R.Text += "this is a deadlock: " + Circle;
    } else if (Running) {
      R.Text += counted(Running, "task") + (Running == 1 ? " runs" : " run") + ", which may only be long";
      if (Sleeping && Sleeping == Running)
        R.Text += Running == 1 ? "; but its thread sleeps: it waits for something that hsched does not know of"
                               : "; but their threads sleep: they wait for something that hsched does not know of";
    } else if (Detached) {
      R.Text += "none runs: " + counted(Detached, "detached task") + (Detached == 1 ? " has" : " have") +
                " not been completed by the program";
    } else if (mainThreadIsWanted()) {
      R.Text += "none runs: what is ready is for worker '" + W.Machine.Workers[0].Name +
                "', which is a thread of the program's for as long as it waits, and none does";
    } else {
      R.Level = LogLevel::Error;
      R.Text += "none runs: this is a deadlock";
    }
    R.Text += "\n  not complete: " + counted(Running + Rest, "task");
    writeTasks(R.Text);
    writeThreads(R.Text);
    return R;
  }

private:
  std::string name(TaskId Id) const {
    if (Id == 0)
      return "the program";
    auto It = Tasks.find(Id);
    if (It == Tasks.end())
      return "task " + std::to_string(Id);
    const Entry &E = It->second;
    if (E.IsBundle)
      return "bundle " + std::to_string(Id) + " of short tasks, first '" + E.Label + "'";
    std::string Text = (E.Type ? "task " : "reduction ") + std::to_string(Id) + " '" + E.Label + "'";
    if (E.Type && E.Label != E.Type->name())
      Text += std::string(" (") + E.Type->name() + ")";
    return Text;
  }
  bool asleep(int Thread) const {
    char State = W.Look(Thread);
    return State == 'S' || State == 'D';
  }
  // True if its thread runs its body now.
  bool runs(TaskId Id) const {
    auto It = Bodies.find(Id);
    return It != Bodies.end() && It->second.second + 1 == Threads.at(It->second.first).Frames.size() &&
           !atQuick(It->second.first);
  }
  // True if a thread runs a body of its list now.
  bool atQuick(int Number) const {
    auto Listed = Quick.find(Number);
    auto Known = Threads.find(Number);
    return Listed != Quick.end() &&
           (Known == Threads.end() || Known->second.Frames.back().Quick < Listed->second.Names.size());
  }

  // --- what waits for what

  // The datum that makes To depend on From.
  std::string whyAfter(TaskId From, TaskId To) const {
    const Entry &Earlier = Tasks.at(From), &Later = Tasks.at(To);
    for (const Access &B : Later.Accesses)
      for (const Access &A : Earlier.Accesses)
        if (overlap(A, B) && (writes(A) || writes(B)))
          return describe(B, Later.Type);
    return "";
  }

  std::vector<Edge> awaitedBy(const Frame &F) const {
    std::vector<Edge> All;
    auto Siblings = Children.find(F.By);
    switch (F.What) {
    case Awaits::Everything:
    case Awaits::Children:
      if (Siblings != Children.end())
        for (TaskId Id : Siblings->second)
          All.push_back({Id, ""});
      break;
    case Awaits::Data:
      if (Siblings != Children.end())
        for (TaskId Id : Siblings->second)
          for (const Access &A : Tasks.at(Id).Accesses)
            if (Id <= F.Newest &&
                std::ranges::any_of(F.Sections, [&](const Access &Named) { return overlap(A, Named); })) {
              All.push_back({Id, describe(A, Tasks.at(Id).Type)});
              break;
            }
      break;
    case Awaits::Task:
      if (Tasks.count(F.Task))
        All.push_back({F.Task, ""});
      break;
    case Awaits::Room:
      break;
    }
    return All;
  }

  // Everything that must happen before E can continue. A ready task only needs a worker.
  std::vector<Edge> edges(TaskId Id, const Entry &E) const {
    std::vector<Edge> All;
    if (auto Body = Bodies.find(Id); Body != Bodies.end()) {
      const std::vector<Frame> &Frames = Threads.at(Body->second.first).Frames;
      size_t At = Body->second.second + 1;
      if (At < Frames.size() && !Frames[At].IsBody)
        All = awaitedBy(Frames[At]);
      for (++At; At < Frames.size(); ++At)
        if (Frames[At].IsBody) {
          All.push_back({Frames[At].Task, "which its thread has taken up meanwhile"});
          break;
        }
      return All;
    }
    switch (E.Now) {
    case State::Waiting:
      for (TaskId Before : E.Before)
        if (Tasks.count(Before))
          All.push_back({Before, whyAfter(Before, Id)});
      break;
    case State::Deferred:
      for (TaskId Sibling : Children.at(E.Parent))
        if (const Entry &S = Tasks.at(Sibling); S.HasTurn)
          for (const Access &A : E.Accesses)
            if (A.mode == HSCHED_COMMUTATIVE && std::ranges::any_of(S.Accesses, [&](const Access &B) {
                  return B.mode == HSCHED_COMMUTATIVE && overlap(A, B);
                })) {
              All.push_back({Sibling, "whose turn it is with " + describe(A, E.Type)});
              break;
            }
      break;
    case State::Ended:
      if (auto Own = Children.find(Id); Own != Children.end())
        for (TaskId Child : Own->second)
          All.push_back({Child, "its child"});
      break;
    case State::Ready: // In place: the submitting thread runs it.
      if (E.InPlace)
        for (const auto &[Number, T] : Threads)
          for (size_t I = 0; I + 1 < T.Frames.size(); ++I)
            if (const Frame &F = T.Frames[I];
                !F.IsBody && F.What == Awaits::Task && F.Task == Id && T.Frames[I + 1].IsBody)
              All.push_back({T.Frames[I + 1].Task, "which the thread that is to run it has taken up meanwhile"});
      break;
    case State::Running:
    case State::OnDevice:
    case State::Declared:
      break;
    }
    return All;
  }

  // "task 1 'a' waits for task 2 'b' (why), which waits for task 1 'a'", or empty.
  std::string findCircle() const {
    struct Step {
      TaskId Id;
      std::vector<Edge> To;
      size_t Next = 0;
    };
    std::set<TaskId> Done, OnPath;
    std::vector<Step> Path;
    auto enter = [&](TaskId Id) {
      Path.push_back({Id, edges(Id, Tasks.at(Id))});
      OnPath.insert(Id);
    };
    for (const auto &[Id, E] : Tasks) {
      if (Done.count(Id))
        continue;
      enter(Id);
      while (!Path.empty()) {
        Step &S = Path.back();
        if (S.Next == S.To.size()) {
          Done.insert(S.Id);
          OnPath.erase(S.Id);
          Path.pop_back();
          continue;
        }
        TaskId To = S.To[S.Next++].To;
        if (OnPath.count(To))
          return circle(Path, To);
        if (!Done.count(To))
          enter(To);
      }
    }
    return "";
  }
  template <class Steps> std::string circle(const Steps &Path, TaskId From) const {
    auto First = std::ranges::find_if(Path, [From](const auto &S) { return S.Id == From; });
    std::string Text = name(From);
    for (auto It = First; It != Path.end(); ++It)
      Text += std::string(It == First ? "" : ",") + (It == First ? " waits for " : " which waits for ") +
              named(It->To[It->Next - 1]);
    return Text;
  }
  std::string named(const Edge &E) const { return name(E.To) + (E.Why.empty() ? "" : " (" + E.Why + ")"); }
  std::string listed(const std::vector<Edge> &All) const {
    Names Text;
    for (const Edge &E : All)
      Text.add(named(E));
    return Text.text();
  }

  // True if worker 0's seat is free and only it could run the ready tasks.
  bool mainThreadIsWanted() const {
    bool AnyReady = false;
    for (const auto &[Id, E] : Tasks)
      if (E.Now == State::Ready) {
        AnyReady |= mayRun(W.Machine.Workers[0], E);
        for (const Worker &Other : W.Machine.Workers)
          if (Other.Id != 0 && mayRun(Other, E))
            return false;
      }
    return AnyReady && Threads.empty();
  }
  static bool mayRun(const Worker &Where, const Entry &E) {
    for (unsigned I = 0, N = E.Type ? E.Type->numVersions() : 0; I < N; ++I)
      if (Platform::usable(Where, E.Type->Versions[I]))
        return true;
    return false;
  }

  // --- text

  std::string stateOf(TaskId Id, const Entry &E) const {
    std::vector<Edge> To = edges(Id, E);
    switch (E.Now) {
    case State::Waiting:
      if (E.IsBundle)
        return "waits for tasks before it, or for more short ones";
      return E.Type       ? "waits for " + counted(To.size(), "task") + ": " + listed(To)
             : To.empty() ? "open until something comes after it"
                          : "waits for its " + counted(To.size(), "member") + ": " + listed(To);
    case State::Deferred:
      return "waits for its turn: " + listed(To);
    case State::Ready: {
      if (E.InPlace)
        return "ready, to be run by the thread that submitted it" + (To.empty() ? "" : ": " + listed(To));
      Names Candidates;
      for (const Worker &Other : W.Machine.Workers)
        if (mayRun(Other, E))
          Candidates.add(Other.Name);
      return Candidates.Count ? "ready since " + seconds(Now - E.Since) + ", to be run by " + Candidates.text()
                              : "ready, but no worker may run it";
    }
    case State::Running: {
      std::string Where = "on " + W.Machine.Workers[E.On].Name + " for " + seconds(Now - E.Since);
      if (auto Body = Bodies.find(Id); Body != Bodies.end() && runs(Id))
        return "runs " + Where + (asleep(Body->second.first) ? "; its thread sleeps" : "");
      return "began " + Where + ", and waits" + (To.empty() ? "" : " for " + listed(To));
    }
    case State::OnDevice:
      return "on " + W.Machine.Workers[E.On].Name + " for " + seconds(Now - E.Since);
    case State::Ended:
      return std::string("its body has ended; ") +
             (E.Detached ? "detached, and hsched_detached_end has not been called for it" : "") +
             (E.Detached && !To.empty() ? "; " : "") + (E.Detached && To.empty() ? "" : "waits for " + listed(To));
    case State::Declared:
      return "declared, and not submitted";
    }
    return "";
  }

  // Running and ready tasks first, because the others depend on them.
  void writeTasks(std::string &Text) const {
    size_t Written = 0;
    for (State S : {State::Running, State::OnDevice, State::Ready, State::Deferred, State::Ended, State::Declared,
                    State::Waiting})
      for (const auto &[Id, E] : Tasks)
        if (E.Now == S && Written++ < MostTasks)
          Text += "\n    " + name(Id) + (E.Parent ? ", child of " + name(E.Parent) : "") + ": " + stateOf(Id, E);
    if (Written > MostTasks)
      Text += "\n    and " + std::to_string(Written - MostTasks) + " more";
  }

  std::string place(const Frame &F) const {
    std::string For = " for " + seconds(Now - F.Since);
    if (F.IsBody)
      return "runs " + name(F.Task) + For;
    switch (F.What) {
    case Awaits::Everything:
      return "in taskwait" + For + ", until all tasks of the program are complete";
    case Awaits::Children:
      return "in taskwait" + For + ", until the children are complete";
    case Awaits::Data: {
      std::string Data;
      for (const Access &A : F.Sections)
        Data += (Data.empty() ? "" : "; ") + describe(A, nullptr);
      auto Awaited = awaitedBy(F);
      return "in taskwait on (" + Data + ")" + For +
             (Awaited.empty() ? "" : ", until these are complete: " + listed(Awaited));
    }
    case Awaits::Room:
      return "submits" + For + ", and the window is full";
    case Awaits::Task:
      return "submits" + For + ", in place, " + name(F.Task);
    }
    return "";
  }

  void writeThreads(std::string &Text) const {
    Text += "\n  threads:";
    std::set<WorkerId> Busy;
    bool Waits = false; // A thread without a seat takes worker 0's if it is free.
    for (const auto &[Number, T] : Threads) {
      if (T.Seat != NoWorker)
        Busy.insert(T.Seat);
      else
        Waits = true;
      Text += "\n    " + T.Name + (T.Seat == NoWorker ? "" : ", " + W.Machine.Workers[T.Seat].Name) + ": ";
      size_t Named = 0; // Index into the thread's list.
      bool First = true;
      for (const Frame &F : T.Frames) {
        for (; Named < F.Quick; ++Named)
          nameQuick(Number, Named, Text, First);
        Text += (std::exchange(First, false) ? "" : "; there it ") + place(F);
      }
      for (; Quick.contains(Number) && Named < Quick.at(Number).Names.size(); ++Named)
        nameQuick(Number, Named, Text, First);
    }
    for (const auto &[Number, Q] : Quick) {
      if (Threads.contains(Number))
        continue;
      Busy.insert(Q.W);
      bool First = true;
      Text += "\n    thread " + std::to_string(Number) + ", " + W.Machine.Workers[Q.W].Name + ": ";
      for (size_t I = 0; I < Q.Names.size(); ++I)
        nameQuick(Number, I, Text, First);
    }
    for (const Worker &Other : W.Machine.Workers)
      if (!Other.Dev && !Busy.count(Other.Id))
        Text += "\n    " + Other.Name + (Other.Id || Waits ? ": idle" : ": works when the program waits");
  }

  void nameQuick(int Number, size_t I, std::string &Text, bool &First) const {
    auto Listed = Quick.find(Number);
    if (Listed == Quick.end() || I >= Listed->second.Names.size()) // The thread has moved on since the table was read.
      return;
    const bool Last = I + 1 == Listed->second.Names.size() && atQuick(Number);
    Text += (std::exchange(First, false) ? "" : "; there it ") + ("runs '" + Listed->second.Names[I]) +
            "', which is short as a rule" + (Last && asleep(Number) ? ", and sleeps" : "");
  }

  const Watchdog &W;
  const std::map<TaskId, Entry> &Tasks;
  const std::map<int, Thread> &Threads;
  const TimePoint Now;
  std::map<TaskId, std::vector<TaskId>> Children;
  std::map<TaskId, std::pair<int, size_t>> Bodies; // By task: thread, frame.
  std::map<int, QuickBodies> Quick;                // By thread.
};

std::vector<Watchdog::QuickBodies> Watchdog::quickBodies() const {
  std::vector<QuickBodies> All;
  if (Quick)
    Quick([&](const BodyList &L, WorkerId Of) {
      QuickBodies Q{L.Thread.load(std::memory_order_relaxed), Of, {}};
      for (uint32_t I = 0, N = std::min(L.depth(), BodyList::MostNamed + 1); I < N; ++I)
        if (const char *Name = L.name(I))
          Q.Names.emplace_back(Name);
      if (!Q.Names.empty())
        All.push_back(std::move(Q));
    });
  return All;
}

std::optional<Watchdog::Report> Watchdog::look(TimePoint Now) {
  {
    uint64_t Moves = 0;
    bool Any = false;
    if (Quick)
      Quick([&](const BodyList &L, WorkerId) {
        Moves += L.moves();
        Any = Any || L.depth() != 0;
      });
    MutexLock Guard(Lock);
    if (std::exchange(QuickMoves, Moves) != Moves)
      moved();
    if ((Outstanding == 0 && !Any) || Now - LastMove < NextReport)
      return std::nullopt;
    NextReport = 2 * (Now - LastMove);
  }
  return report(Now);
}

std::optional<Watchdog::Report> Watchdog::report(TimePoint Now) const {
  std::vector<QuickBodies> Listed = quickBodies();
  MutexLock Guard(Lock);
  if (Outstanding == 0 && Listed.empty())
    return std::nullopt;
  return Writer(*this, Tasks, Threads, std::move(Listed), Now).write(Now - LastMove);
}

} // namespace hsched::rt
