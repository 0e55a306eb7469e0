// The lists of policy adaptive: ready tasks by worker, with their work and transfers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_WORKLISTS_H
#define HSCHED_SCHED_WORKLISTS_H

#include "base/NoMemory.h"
#include "sched/LinkQueue.h"
#include "sched/PolicyHost.h"
#include "sched/ReadyList.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>

namespace hsched::rt {

// CPU workers share one list; a device has its own. Writes Task::Chosen, ChosenWorker, Predicted and PolicyNote. Times
// in nanoseconds. Any thread.
class WorkLists {
public:
  using Ns = Duration::rep;

  // The decision about a task.
  struct Plan {
    const Version *V = nullptr;
    WorkerId W = NoWorker;
    Ns Run = 0, Travel = 0;
    bool OnlyCores = false; // No worker runs it faster than CPU workers.
    bool Checked = false;   // It was planned again at its turn.
    bool Measures = false;  // It runs there to be measured: no other worker takes it.
  };

  void start(PolicyHost &H);

  WorkerId listOf(WorkerId W) const { return isCpu(W) ? 0 : W; }
  ReadyList &operator[](WorkerId List) { return Lists[List].Tasks; }
  // True if there is a task, or will be at once: a task is counted first, so no wake-up is lost.
  bool any(WorkerId List) const { return Lists[List].Queued.load() > 0; }
  bool isIdle(WorkerId W) const { return (*Busy)[W].tasks() == 0; }
  int64_t tasks(WorkerId W) const { return (*Busy)[W].tasks(); }
  // Number of tasks that W has begun.
  int64_t inHand(WorkerId W) const { return (*Busy)[W].inHand(); }
  // True if W has begun several tasks that together run for Run.
  bool hasInHand(WorkerId W, Ns Run, Ns Now) const { return inHand(W) > 1 && (*Busy)[W].remaining(Now) >= Run; }
  // Time until W has run its tasks; until its links have transferred their data; until both are so. Share: the part of
  // the transfers that counts.
  Ns work(WorkerId W, Ns Now) const { return (*Busy)[W].remaining(Now) + (*Busy)[W].queuedNs(); }
  Ns transfers(WorkerId W, Ns Now) const { return isCpu(W) ? 0 : Links[W].remaining(Now); }
  Ns backlog(WorkerId W, Ns Now, double Share = 1) const {
    return std::max(work(W, Now), static_cast<Ns>(Share * static_cast<double>(transfers(W, Now))));
  }
  // W's links transfer data for another worker.
  void alsoTravels(WorkerId W, Ns Travel) { Links[W].begin(Travel, now()); }
  // Number of cores that tasks of OnlyCores recently used or needed at once. Limited by what their total time justifies
  // if another task takes a core for Run.
  unsigned keptCores(Ns Run) const {
    const double Short = KeptWork.load(std::memory_order_relaxed) / (Delay * static_cast<double>(std::max<Ns>(Run, 1)));
    return static_cast<unsigned>(std::min(Kept.load(std::memory_order_relaxed) + 0.5, std::ceil(Short)));
  }
  // Devices or versions were added: earlier plans for CPU workers become outdated.
  void renew() { Generation.fetch_add(1, std::memory_order_relaxed); }
  bool isOutdated(const Task &T) const {
    return isCpu(T.ChosenWorker) && (T.PolicyNote & ~Measures) / FirstOfAge != age();
  }
  bool isChecked(const Task &T) const { return !isCpu(T.ChosenWorker) || (T.PolicyNote & (Checked | Measures)); }
  static bool measures(const Task &T) { return T.PolicyNote & Measures; }
  // Predicted transfer time of T's data to the device on whose list it is.
  static Ns travelOf(const Task &T) { return (T.PolicyNote & ~Measures) * Unit; }

  // Counts a task before put.
  void count(const Plan &P);
  // The task is on the list, and may be taken at once. Able, Key: see ReadyList. Tried until there is memory, like
  // putBack: the task is on no other list.
  void put(Task &T, const Plan &P, ClassMask Able, ReadyList::Key Key);
  // Returns T to the list that it was just taken from. Counts nothing.
  void putBack(Task &T, ClassMask Able, ReadyList::Key Key) {
    retryUntilAllocated([&] { Lists[listOf(T.ChosenWorker)].Tasks.push(T, Able, false, Key); });
  }
  // Call when T has been taken from its list.
  void leaves(const Task &T);
  // W runs T, which has left its list, as planned. Left: remaining time of its transfers.
  void begin(Task &T, WorkerId W, Ns Left);
  // The same by a new plan, also for a T that was on no list.
  void begin(Task &T, const Plan &P);
  // T has left its list and will be planned again.
  void forget(const Task &T);
  // T has ended on W after running for Ran; below 0: it did not run.
  void end(const Task &T, WorkerId W, Ns Ran);

private:
  // Layout of Task::PolicyNote. Task for CPU workers: these bits and, between them, the generation of its plan. Task
  // for a device: Measures or not, and its transfer time, at most 1/8 s.
  enum Note : uint16_t { OnlyCores = 1, Checked = 2, FirstOfAge = 4, Measures = 1 << 15 };
  int age() const { return static_cast<int>(Generation.load(std::memory_order_relaxed) % (Measures / FirstOfAge)); }
  // Tasks of OnlyCores may be delayed by this share of another task on a core.
  static constexpr double Delay = 0.125;
  static constexpr Ns Unit = 4096;
  static uint16_t noted(Ns Travel) { return static_cast<uint16_t>(std::min<Ns>(Travel / Unit, Measures - 1)); }

  struct alignas(64) List {
    std::atomic<int64_t> Queued{0};
    ReadyList Tasks;
  };

  bool isCpu(WorkerId W) const { return Host->platform().Workers[W].Kind == DeviceKind::Cpu; }
  Ns now() const { return Host->clock().now().time_since_epoch().count(); }
  void note(Task &T, const Plan &P);

  PolicyHost *Host = nullptr;
  Loads *Busy = nullptr;
  std::deque<List> Lists;      // By worker; CPU workers use the first one's.
  std::deque<LinkQueue> Links; // By worker.
  std::atomic<uint32_t> Generation{0};
  std::atomic<int> NumOnlyCores{0};
  std::atomic<Ns> OnlyCoresWork{0};
  std::atomic<double> Kept{0}, KeptWork{0};
};

} // namespace hsched::rt
#endif
