// Ready tasks by who is to run them, and how much work and how many transfers that is: the lists of policy adaptive.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_WORKLISTS_H
#define HSCHED_SCHED_WORKLISTS_H

#include "sched/LinkQueue.h"
#include "sched/PolicyHost.h"
#include "sched/ReadyList.h"

#include <atomic>
#include <deque>

namespace hsched::rt {

// CPU workers have one list together, a device has its own. Fills in Task::Chosen, ChosenWorker, Predicted, and
// PolicyNote, which is its own. Times in nanoseconds. Any thread.
class WorkLists {
public:
  using Ns = Duration::rep;

  // What has been decided of a task.
  struct Plan {
    const Version *V = nullptr;
    WorkerId W = NoWorker;
    Ns Run = 0, Travel = 0;
    bool OnlyCores = false; // CPU workers run it as fast as anybody.
    bool Checked = false;   // It was planned anew when its turn came.
    bool Measures = false;  // It runs there to be measured: nobody else takes it.
  };

  void start(PolicyHost &H);

  WorkerId listOf(WorkerId W) const { return isCpu(W) ? 0 : W; }
  ReadyList &operator[](WorkerId List) { return Lists[List].Tasks; }
  // Whether there is a task, or is about to be: a task is counted first, so that no wake-up is lost.
  bool any(WorkerId List) const { return Lists[List].Queued.load() > 0; }
  bool isIdle(WorkerId W) const { return (*Busy)[W].tasks() == 0; }
  int64_t tasks(WorkerId W) const { return (*Busy)[W].tasks(); }
  // Until W has run what it has; until its links have moved what that needs; both.
  Ns work(WorkerId W, Ns Now) const { return (*Busy)[W].remaining(Now) + (*Busy)[W].queuedNs(); }
  Ns transfers(WorkerId W, Ns Now) const { return isCpu(W) ? 0 : Links[W].remaining(Now); }
  Ns backlog(WorkerId W, Ns Now) const { return std::max(work(W, Now), transfers(W, Now)); }
  // As many cores as tasks of OnlyCores had or needed at a time lately.
  unsigned keptCores() const { return static_cast<unsigned>(Kept.load(std::memory_order_relaxed) + 0.5); }
  // Devices or versions have come: what was planned for CPU workers before is outdated.
  void renew() { Generation.fetch_add(1, std::memory_order_relaxed); }
  bool isOutdated(const Task &T) const {
    return isCpu(T.ChosenWorker) && (T.PolicyNote & ~Measures) / FirstOfAge != age();
  }
  bool isChecked(const Task &T) const { return !isCpu(T.ChosenWorker) || (T.PolicyNote & (Checked | Measures)); }
  static bool measures(const Task &T) { return T.PolicyNote & Measures; }
  // How long T's data were predicted to travel to the device on whose list it is.
  static Ns travelOf(const Task &T) { return (T.PolicyNote & ~Measures) * Unit; }

  // A task is going to be put.
  void count(const Plan &P);
  // It is on the list, and may be gone. Able: see ReadyList.
  void put(Task &T, const Plan &P, ClassMask Able);
  // Back on the list that it was just taken from. Nothing was counted.
  void putBack(Task &T, ClassMask Able) { Lists[listOf(T.ChosenWorker)].Tasks.push(T, Able, false); }
  // T has been taken from its list.
  void leaves(const Task &T);
  // T, which has left, is W's now, as it was planned. Left: how long its data have yet to travel.
  void begin(Task &T, WorkerId W, Ns Left);
  // The same by a new plan; T need not have been on a list.
  void begin(Task &T, const Plan &P);
  // It has left its list and is planned anew.
  void forget(const Task &T);
  // T has ended on W.
  void end(const Task &T, WorkerId W);

private:
  // Task::PolicyNote: of a task for CPU workers bits of these, and between them when it was planned; else Measures, or
  // not, and its travel time, an eighth of a second at most.
  enum Note : uint16_t { OnlyCores = 1, Checked = 2, FirstOfAge = 4, Measures = 1 << 15 };
  int age() const { return static_cast<int>(Generation.load(std::memory_order_relaxed) % (Measures / FirstOfAge)); }
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
  std::deque<List> Lists;      // By worker; of CPU workers the first one's is used.
  std::deque<LinkQueue> Links; // By worker.
  std::atomic<uint32_t> Generation{0};
  std::atomic<int> NumOnlyCores{0};
  std::atomic<double> Kept{0};
};

} // namespace hsched::rt
#endif
