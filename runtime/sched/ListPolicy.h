// Base of policies that put each ready task on the list of one worker.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker takes from the front of its own list. The policy defines which lists others may steal from (Robbed). Worker
// 0 is the main thread's, which may not ask for work, so idle CPU workers steal from its list under every policy.
#ifndef HSCHED_SCHED_LISTPOLICY_H
#define HSCHED_SCHED_LISTPOLICY_H

#include "sched/EarliestFinish.h"
#include "sched/Policy.h"
#include "sched/ReadyList.h"
#include "sched/WorkerClasses.h"

#include <deque>

namespace hsched::rt {

class ListPolicy : public Policy {
public:
  enum class StealScope : uint8_t {
    MainOnly, // CPU workers steal from worker 0's list only.
    All       // Every worker steals from every list.
  };

  void start(PolicyHost &H) override;
  void push(Task &T, WorkerId From) override { add(T, choose(T, From, false)); }
  void pushActivated(Task &T, WorkerId From) override { add(T, choose(T, From, true)); }
  bool pop(WorkerId W, Assignment &Out) override;
  bool popMatching(WorkerId W, const std::function<bool(const Task &)> &Wanted, Assignment &Out) override;
  void busy(WorkerId W) override;
  void completed(const Task &T, const Version &V, WorkerId W, Duration Measured) override;

protected:
  explicit ListPolicy(StealScope R) : Lists(R) {}

  struct Choice {
    WorkerId List = 0;
    const Version *V = nullptr; // Null: the worker that takes it runs its own fastest known version.
    Duration Estimate{0};       // Estimated run time, for Loads.
    bool Front = false;
    const char *Why = nullptr; // A clause that lives as long as the program. Null: nothing is recorded.
    std::vector<Prediction> Among;
  };
  // Chooses the list for T, which is ready. From: see Policy::push. Any list if no worker can run T.
  virtual Choice choose(Task &T, WorkerId From, bool Activated) = 0;
  // The list of the worker where T is predicted to end first: see EarliestFinish.
  template <class Fn> Choice earliest(EarliestFinish &Among, const Task &T, Fn Finish) {
    Choice C;
    if (auto Found = Among.choose(*Host, T, C.Among, Finish)) {
      C.List = Found->Best.W;
      C.V = Found->Best.V;
      C.Estimate = Found->Best.Run;
      C.Why = Found->Why;
    }
    return C;
  }
  // The next task of W's own list, or null.
  virtual Task *takeOwn(ReadyList &Own, WorkerId W) { return Own.take(Classes.classOf(W), mayRun(W)); }
  // The first victim of W when its own list is empty; the others follow in order.
  virtual WorkerId firstVictim(WorkerId W) { return W + 1; }

  // True: W takes from the back of another worker's list.
  virtual bool stealsFromBack() const { return Lists == StealScope::All; }

  // The version of T for W: the fastest measured one, else the first usable one. Null: none.
  const Version *versionOn(const Task &T, WorkerId W) const;
  ReadyList::Test mayRun(WorkerId W) const;
  void add(Task &T, Choice C);
  // For a task that has left its list: chooses and adds, and retries while memory is exhausted.
  void addRetrying(Task &T, WorkerId From, bool Activated);
  unsigned numWorkers() const { return Classes.numWorkers(); }
  const Worker &worker(WorkerId W) const { return Host->platform().Workers[W]; }
  bool isCpu(WorkerId W) const { return worker(W).Kind == DeviceKind::Cpu; }
  // Deterministic for one seed and task.
  uint64_t randomFor(const Task &T) const;

  PolicyHost *Host = nullptr;
  WorkerClasses Classes;

private:
  bool take(WorkerId W, Assignment &Out);
  Task *stealTask(WorkerId W);
  bool maySteal(WorkerId W, WorkerId Victim) const {
    return W != Victim && (Lists == StealScope::All || (Victim == 0 && isCpu(W)));
  }
  ClassMask ableClasses(const Task &T) const;
  bool usableSomewhere(const Task &T) const;
  WorkerBits membersOf(ClassMask Able) const;
  void wakeOneOf(WorkerBits Among);
  // Does nothing if decisions are not recorded. Among: the predictions; empty: they are made here.
  void recordDecision(Task &T, const Version &V, WorkerId W, const char *Why, std::vector<Prediction> Among);
  void hand(Task &T, const Version &V, WorkerId W, Assignment &Out);

  const StealScope Lists;
  IdleWorkers Idle;
  std::deque<ReadyList> Each; // By worker. A task is counted in its worker's Load before it is added.
};

} // namespace hsched::rt
#endif
