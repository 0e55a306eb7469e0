// Base of policy adaptive: its data on workers and tasks, and the rule by which a worker takes a task planned for
// another.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_ADAPTIVEBASE_H
#define HSCHED_SCHED_ADAPTIVEBASE_H

#include "base/NoMemory.h"
#include "perfmodel/GroupTable.h"
#include "sched/FirstRuns.h"
#include "sched/GraphAhead.h"
#include "sched/Mixing.h"
#include "sched/Policy.h"
#include "sched/ReturnCost.h"
#include "sched/UsesAhead.h"
#include "sched/WorkLists.h"
#include "sched/WorkerClasses.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>
#include <vector>

namespace hsched::rt {

// Any thread. Times in nanoseconds.
class AdaptiveBase : public Policy {
protected:
  using Ns = Duration::rep;
  using Group = AdaptiveGroup;
  static constexpr Ns Never = Candidate::Never;
  // XKaapi's contention factor: other transfers share the link.
  static constexpr Ns Contention = 2;

  const Worker &worker(WorkerId W) const { return Host->platform().Workers[W]; }
  bool isCpu(WorkerId W) const { return worker(W).Kind == DeviceKind::Cpu; }
  bool usableOn(WorkerId W, const Version &V, const Task &T) const { return Platform::usable(worker(W), V, T); }
  bool usableSomewhere(const Task &T) const {
    return std::ranges::any_of(Host->platform().Workers, [&](const Worker &W) { return usableBy(W.Id, T); });
  }
  bool usableBy(WorkerId W, const Task &T) const {
    for (unsigned V = 0, N = T.Type->numVersions(); V < N; ++V)
      if (usableOn(W, T.Type->Versions[V], T))
        return true;
    return false;
  }
  // Records the decision, unless memory is exhausted.
  void tell(Task &T, const WorkLists::Plan &P, const char *Why);
  Ns now() const { return Host->clock().now().time_since_epoch().count(); }
  Group &groupOf(const Task &T) { return Groups.findOrAdd(*T.Type, T.sizeClass()); }
  void refresh(Group &G, const Task &T) { G.refresh(*Host, *Classes, Estimates::Robust, *T.Type, T.sizeClass()); }
  Ns travelTo(const Task &T, MemoryNode Node) { return NumNodes.load() == 1 ? 0 : Host->transferTime(T, Node).count(); }

  // The fastest known version and its time; null and Never: none. G's lock is held.
  std::pair<const Version *, Ns> fastestOn(Group &G, const Task &T, const Worker &On) const;
  // The part of the transfers queued on a device's links that counts in a plan for T. It is below 1 if a core with such
  // a task would make the devices wait. Then many blocks of data move at one time, because T's later uses pay for the
  // queue, too (UsesAhead::share). G's lock is held. Without memory it is 1.
  double queueShare(const Group &G, const Task &T);
  // The workers that should run T and all tasks like it: see Mixing::Mode. Both: it depends. In a graph of waves each
  // wave lasts as long as its slowest task. One block of data that stays on a core is as bad as one for each core.
  struct Side {
    static constexpr double Unlimited = 1e18;
    Mixing::Mode Mode = Mixing::Mode::Both;
    double Each = 0;         // Devices: the blocks for each of them.
    double Most = Unlimited; // Both: no further block moves to devices if they have so many.
  };
  // Predicted times of a task's transfers.
  struct Ways {
    std::vector<Ns> There;      // By memory node. Empty if all workers that may run T use one memory.
    std::vector<Ns> Back;       // By memory node: what T writes and the host has now, from there to the host.
    double Share = 1;           // UsesAhead::share
    WorkerId Holder = NoWorker; // UsesAhead::holderOf
  };
  // The time of the transfers that moving T's block of data to a device causes. What T writes moves home, and what it
  // reads as well if later tasks write that. Of, Only: see sideOf.
  Ns homeAndBack(const Task &T, const Ways *Of, WorkerId Only);
  // Blocks of data on devices, each as large as the data of T.
  double blocksOnDevices(const Task &T) const;
  // Compares the times of a graph of waves on devices alone, on cores alone, and with some blocks on each. Both if the
  // last one is the least. G's lock is held. Without memory it is Both. Of: the times of T's transfers. Null: they are
  // predicted now. Only: the device that counts; NoWorker: the best one.
  Side sideOf(const Group &G, const Task &T, const Ways *Of = nullptr, WorkerId Only = NoWorker);
  // A graph of waves. Times on the fastest worker of each kind, and the critical path on cores.
  struct Waves {
    double Blocks, Cores, OnCore, OnDevice, Path;
  };
  // The number of blocks on the only device with which the graph ends soonest, the way home included. Blocks move one
  // by one while cores run the others. Moves: see homeAndBack.
  double mostAway(const Waves &Of, const Ways &Ways, double Moves) const;
  // True if a device would end T before a core that begins it now. The plan predicted the opposite, but predictions of
  // devices' queues may be wrong, and cores may be late.
  bool endsSooner(const Task &T, Ns Now);

  struct Pulled : WorkLists::Plan {
    Ns End = 0;
    Ns Saves = 0;        // Several times the owner's time for it.
    double Worth = 0;    // Speed-up of the owner over W; a small one is better spent elsewhere.
    bool Sooner = false; // W ends it before any other worker could.
  };
  // Evaluates whether idle worker W should take T from another worker's list.
  Pulled consider(const Task &T, WorkerId W, Ns Now);

  PolicyHost *Host = nullptr;
  std::atomic<size_t> NumNodes{1};
  std::atomic<unsigned> NumDevices{0};  // Devices with cores of their own.
  std::atomic<bool> SharesCores{false}; // Some device computes on the CPU workers' cores.
  CurrentClasses Classes;
  GraphAhead Ahead;
  UsesAhead Uses;
  WorkLists Lists;
  GroupTable<Group> Groups;
  ReturnCost Home;
};

} // namespace hsched::rt
#endif
