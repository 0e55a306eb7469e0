// The watchdog's table, and its polling thread.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Watchdog.h"
#include "base/Log.h"
#include "base/Signals.h"

#include <algorithm>
#include <fstream>

#include <sys/syscall.h>
#include <unistd.h>

namespace hsched::rt {

int Watchdog::threadNumber() {
  static thread_local const int Own = static_cast<int>(syscall(SYS_gettid));
  return Own;
}

char Watchdog::stateOf(int Thread) {
  std::ifstream File("/proc/self/task/" + std::to_string(Thread) + "/stat");
  std::string Line;
  std::getline(File, Line);
  size_t Name = Line.rfind(')'); // A thread's name may contain any character.
  return Name == std::string::npos || Name + 2 >= Line.size() ? '\0' : Line[Name + 2];
}

Watchdog::Watchdog(const Platform &Machine, const Clock &Time, Duration AtMost, Probe Look, Lists Quick)
    : Machine(Machine), Time(Time), AtMost(AtMost), Look(std::move(Look)), Quick(std::move(Quick)) {
  MutexLock Guard(Lock);
  moved();
}

void Watchdog::start() {
  SignalsBlocked Blocked;
  try {
    Monitor = std::thread([this] {
      using namespace std::chrono_literals;
      Duration Between = std::clamp<Duration>(AtMost / 8, 10ms, 1s);
      while (!Stopping.load()) {
        P.park(Between);
        try {
          if (auto Due = look(Time.now()))
            log(Due->Level, "%s", Due->Text.c_str());
        } catch (const std::bad_alloc &) { // The next poll tries again.
        }
      }
    });
  } catch (const std::exception &E) {
    log(LogLevel::Warning, "there is no watchdog, because no thread can be made for it: %s", E.what());
  }
}

void Watchdog::stop() {
  Stopping.store(true);
  P.unpark();
  if (Monitor.joinable())
    Monitor.join();
}

void Watchdog::moved() {
  LastMove = Time.now();
  NextReport = AtMost;
}

Watchdog::Entry *Watchdog::find(TaskId Id) {
  auto It = Tasks.find(Id);
  return It == Tasks.end() ? nullptr : &It->second;
}

// --- tasks

void Watchdog::submitted(const TaskNode &T) {
  MutexLock Guard(Lock);
  if (Outstanding++ == 0)
    moved();
  Newest = std::max(Newest, T.Id);
  Entry &E = Tasks[T.Id];
  E.Now = State::Waiting;
  E.Label = T.Label;
  E.Type = T.Type;
  E.Parent = T.Parent->Id;
  E.Accesses.assign(T.accesses().begin(), T.accesses().end());
  E.InPlace = T.Runs == Turn::InPlace;
  E.Since = Time.now();
}

void Watchdog::bundle(TaskId Id, const TaskType &Type) {
  MutexLock Guard(Lock);
  if (Outstanding++ == 0)
    moved();
  Newest = std::max(Newest, Id);
  Entry &E = Tasks[Id];
  E.IsBundle = true;
  E.Label = Type.name();
  E.Type = &Type;
  E.Parent = 0;
  E.Since = Time.now();
}

void Watchdog::runsAsCall(const TaskNode &T, WorkerId W) {
  MutexLock Guard(Lock);
  if (Entry *E = find(T.Id)) {
    E->Now = State::Running;
    E->On = W;
  }
}

void Watchdog::declared(TaskId Id, const std::string &Name, const TaskType &Type) {
  MutexLock Guard(Lock);
  Entry &E = Tasks[Id];
  E.Now = State::Declared;
  E.Label = Name;
  E.Type = &Type;
  E.Parent = 0;
}

void Watchdog::forgotten(TaskId Id) {
  MutexLock Guard(Lock);
  Tasks.erase(Id);
}

void Watchdog::combination(const TaskNode &C, TaskId Id) {
  MutexLock Guard(Lock);
  Entry &E = Tasks[Id];
  E.Label = C.Label;
  E.Type = nullptr;
  E.Parent = C.Parent->Id;
  E.Accesses.assign(C.accesses().begin(), C.accesses().end());
}

void Watchdog::dependence(TaskId From, TaskId To) {
  MutexLock Guard(Lock);
  if (Tasks.count(From))
    if (Entry *E = find(To))
      E->Before.insert(From);
}

void Watchdog::enteredCommutative(const TaskNode &T, bool Got) {
  MutexLock Guard(Lock);
  if (Entry *E = find(T.Id)) {
    E->HasTurn = Got;
    E->Now = Got ? State::Ready : State::Deferred;
  }
}

void Watchdog::ready(const TaskNode &T) {
  MutexLock Guard(Lock);
  if (Entry *E = find(T.Id)) {
    E->Now = State::Ready;
    E->Since = Time.now();
  }
}

void Watchdog::launched(const TaskNode &T, WorkerId Device) {
  MutexLock Guard(Lock);
  moved();
  if (Entry *E = find(T.Id)) {
    E->Now = State::OnDevice;
    E->On = Device;
    E->Since = Time.now();
  }
}

void Watchdog::ended(const TaskNode &T) {
  MutexLock Guard(Lock);
  moved();
  if (Entry *E = find(T.Id)) {
    E->Now = State::Ended;
    const uint8_t Bits = T.Extras ? T.Extras->Detach.load() : 0;
    E->Detached = (Bits & IsDetached) && !(Bits & WorkIsOver);
  }
}

void Watchdog::detachedEnds(const TaskNode &T) {
  MutexLock Guard(Lock);
  moved();
  if (Entry *E = find(T.Id))
    E->Detached = false;
}

void Watchdog::complete(const TaskNode &T) {
  MutexLock Guard(Lock);
  moved();
  Outstanding -= Tasks.erase(T.Id) != 0 && !T.isCombination();
}

// --- threads

Watchdog::Thread &Watchdog::thisThread(WorkerId Seat) {
  Thread &T = Threads[threadNumber()];
  if (T.Name.empty())
    T.Name = threadNumber() == getpid() ? "the main thread" : "thread " + std::to_string(threadNumber());
  T.Seat = Seat;
  return T;
}

void Watchdog::bodyBegins(const TaskNode &T, WorkerId W, const BodyList *Own) {
  MutexLock Guard(Lock);
  moved();
  if (Entry *E = find(T.Id)) {
    E->Now = State::Running;
    E->On = W;
    E->Since = Time.now();
  }
  Frame F{true, T.Id};
  F.Since = Time.now();
  F.Quick = Own ? Own->depth() : 0;
  thisThread(W).Frames.push_back(std::move(F));
}

void Watchdog::waitBegins(Awaits What, TaskId By, std::span<const Access> Sections, TaskId Awaited, WorkerId Seat,
                          const BodyList *Own) {
  MutexLock Guard(Lock);
  Frame F{false, Awaited};
  F.Quick = Own ? Own->depth() : 0;
  F.What = What;
  F.By = By;
  F.Newest = Newest;
  F.Sections.assign(Sections.begin(), Sections.end());
  F.Since = Time.now();
  thisThread(Seat).Frames.push_back(std::move(F));
}

void Watchdog::endOfLast() {
  MutexLock Guard(Lock);
  auto It = Threads.find(threadNumber());
  It->second.Frames.pop_back();
  if (It->second.Frames.empty())
    Threads.erase(It);
}

} // namespace hsched::rt
