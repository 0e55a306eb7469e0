// The choice of a worker and a version for a task, in policy adaptive: planning and exploration.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_ADAPTIVECHOOSER_H
#define HSCHED_SCHED_ADAPTIVECHOOSER_H

#include "sched/AdaptiveBase.h"
#include "sched/AlikeDevices.h"
#include "sched/DelayedTasks.h"
#include "sched/Mixing.h"

#include <vector>

namespace hsched::rt {

// Any thread.
class AdaptiveChooser : public AdaptiveBase {
protected:
  struct Choice : WorkLists::Plan {
    const char *Why = "it is predicted to end first there";
    bool Tries = false;      // The pair has never been measured.
    bool WakeOthers = false; // It may suit an idle CPU worker.
    // Without a version: the time of the task, which should be planned a little later. Run is that on a device.
    Ns MayWait = 0;
  };
  // The choice for T, counted as work of its worker. Early: the device that would take T before it is ready; T is then
  // not queued, and the choice counts only if it is that device. Throws std::bad_alloc without effect.
  // MayWait: the program has just submitted T. If what it submits next may change the choice, there is none:
  // Choice::MayWait.
  Choice choose(Task &T, WorkerId Early = NoWorker, bool MayWait = false);
  // The choice of device From, which has data of T, if T is too short to leave it; otherwise without a version. Queued:
  // T will be in its list.
  Choice staying(Task &T, WorkerId From, bool Queued);

  // Looks for pairs without a time whether runs of about this size tell it by now. Once in a while: a pair may stay
  // without one.
  void lookAround(Group &G, const Task &T, bool Now = false);

  // The reliable fraction of the devices' predicted work: predictions ignore waiting times.
  static constexpr double Certain = 0.5;

  AlikeDevices Alike;
  Mixing Mix;
  // The time for a byte from the host to the nearest device, in nanoseconds: the greatest of recent tasks.
  std::atomic<double> PerByte{0};
  Mixing::Costs costsAhead();
  FirstRuns Trials;
  DelayedTasks Delayed;
  std::atomic<Ns> QuietUntil{0}; // Until then, idle cores are not woken for tasks of devices.

private:
  Ways waysOf(const Task &T);
  // Lists the candidates for T. Returns the workers that should run tasks like it.
  Side list(Group &G, const Task &T, const Ways &Of, std::vector<Candidate> &All);
  // For a task that updates data on a device: drops devices of other kinds if the run takes less than half of the
  // transfer. That device would gain little, and its link would be busy for longer.
  void keepWithHolder(const Ways &Of, std::vector<Candidate> &All) const;
  // For a task whose data no device has, if a core may run it: drops devices that have enough blocks (Side::Most).
  // While all cores are busy, a task that leaves them saves its time divided by their number. Also drops devices for
  // which twice that is less than the task's share of its transfers there and home. G's lock is held.
  void keepOnCores(const Group &G, const Task &T, const Ways &Of, const Side &On, std::vector<Candidate> &All);
  void noteTransfer(const Task &T, const std::vector<Candidate> &All);
  // If a device runs the task fastest, drops what would run it on the other side.
  void leaveTo(Mixing::Mode Mode, std::vector<Candidate> &All) const;
  Choice chooseAmong(Group &G, const Task &T, const std::vector<Candidate> &All, const Side &On, WorkerId Early);
  // The time of T as chosen, if later tasks may change the choice; 0: they do not. A core seems better than a device if
  // transfers take long, but later tasks that use the same data pay for them, too. G's lock is held.
  Ns mayChange(const Group &G, const std::vector<Candidate> &All, const Choice &C) const;
  static Choice choiceOf(const Task &T, const Candidate &C);
  std::vector<Prediction> seen(const Task &T, const std::vector<Candidate> &All) const;
  // True if the devices have more work than that.
  bool mayHoldUp(Ns Takes);
};

} // namespace hsched::rt
#endif
