// Scopes in which a thread works for the engine, runs the program's code, or waits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_SCOPES_H
#define HSCHED_EXEC_SCOPES_H

#include "exec/Executor.h"

#include <optional>

namespace hsched::rt {

// The calling thread, which ran the program's code, works for E.
class Executor::Call {
public:
  Call(Executor &E, ThreadState &Me) : E(E) {
    if (E.Options.Hosted) {
      E.Callers.fetch_add(1);
      Scope.emplace(Me, &E);
    }
  }
  ~Call() {
    if (Scope) {
      Scope.reset();
      E.Callers.fetch_sub(1);
    }
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

private:
  Executor &E;
  std::optional<EngineScope> Scope;
};

// The calling thread, which worked for E, runs the program's code.
class Executor::Outside {
public:
  Outside(const Executor &E, ThreadState &Me) {
    if (E.Options.Hosted)
      Scope.emplace(Me, nullptr);
  }

private:
  std::optional<EngineScope> Scope;
};

// Counts one more child of Parent, whose body this thread runs, as outstanding. No call begins from here on, and a call
// outside any task becomes a task. Undone at the scope's end, unless committed.
class Executor::Enrolment {
public:
  Enrolment(Executor &E, ThreadState &Me, TaskNode &Parent) : E(E), Me(Me), Parent(Parent) { E.enrolTask(Me, Parent); }
  ~Enrolment() {
    if (!Committed) [[unlikely]]
      E.unenrol(Me, Parent);
  }
  Enrolment(const Enrolment &) = delete;
  Enrolment &operator=(const Enrolment &) = delete;
  void commit() { Committed = true; }

private:
  Executor &E;
  ThreadState &Me;
  TaskNode &Parent;
  bool Committed = false;
};

class Executor::WaitReport {
public:
  WaitReport(Executor &E, ThreadState &Me, Awaits What, std::span<const Access> Sections = {},
             const TaskNode *Awaited = nullptr)
      : E(E) {
    if (!E.HangMonitor)
      return;
    E.HangMonitor->waitBegins(What, E.numberOfCurrent(Me), Sections, Awaited ? Awaited->Id : 0, E.ownWorker(Me),
                              E.ownBodies(Me));
  }
  ~WaitReport() {
    if (E.HangMonitor)
      E.HangMonitor->endOfLast();
  }
  WaitReport(const WaitReport &) = delete;
  WaitReport &operator=(const WaitReport &) = delete;

private:
  Executor &E;
};

} // namespace hsched::rt
#endif
