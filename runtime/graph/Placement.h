// Where a task may run, as its submission says: a set of workers, a component.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a component go to one device together; all CPU workers count as one device. The device is settled when a
// policy chooses a worker for the first of them, among those that can run every task that has been admitted.
#ifndef HSCHED_GRAPH_PLACEMENT_H
#define HSCHED_GRAPH_PLACEMENT_H

#include "base/Ids.h"
#include "graph/TaskGraph.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace hsched::rt {

// One bit a worker.
using WorkerBits = std::array<uint64_t, MaxWorkers / 64>;
inline bool contains(const WorkerBits &Bits, WorkerId W) { return Bits[W / 64] >> (W % 64) & 1; }
inline void add(WorkerBits &Bits, WorkerId W) { Bits[W / 64] |= uint64_t(1) << (W % 64); }

// Thread-safe.
class Component {
public:
  // Cpus: the workers that are one device together. All: every worker.
  Component(std::string Name, const WorkerBits &Cpus, const WorkerBits &All)
      : Name(std::move(Name)), Cpus(Cpus), Possible(All) {}

  // A task that Able can run is about to be submitted; false: then no worker could run all of them. Where the device
  // that was settled cannot, another one is settled for the tasks from here on.
  bool admit(const WorkerBits &Able);
  // Whether W belongs to the device that is settled, or may be settled.
  bool allows(WorkerId W) const;
  // The same; settles on W's device if none is settled.
  bool settle(WorkerId W);
  // The device that is settled does not work: another one may be settled.
  void unsettle();

  const std::string Name;

private:
  bool sameDevice(WorkerId A, WorkerId B) const { return A == B || (contains(Cpus, A) && contains(Cpus, B)); }
  const WorkerBits Cpus;
  mutable std::mutex Lock; // Guards the rest.
  WorkerBits Possible;
  WorkerId Settled = NoWorker; // Or another one of its device.
};

inline constexpr unsigned AnyQueueOfDevice = ~0u; // As AnyQueue in device/Device.h.

struct TaskPlace {
  WorkerBits Workers{};
  std::shared_ptr<Component> Together; // Null: none.
  unsigned Queue = AnyQueueOfDevice;   // Of the one worker in Workers, a device.
  std::string Asked;                   // What clauses and scopes name, for messages: "GPUs".

  bool allows(WorkerId W) const { return contains(Workers, W) && (!Together || Together->allows(W)); }
};

inline const TaskPlace &placementOf(const Task &T) { return *static_cast<const TaskNode &>(T).Extras->Named->Where; }
// The compute queue that T's submission names, of the device that runs it.
inline unsigned queueOf(const Task &T) { return T.Placed ? placementOf(T).Queue : AnyQueueOfDevice; }
// Whether T's submission lets W run it.
inline bool mayRunOn(const Task &T, WorkerId W) { return !T.Placed || placementOf(T).allows(W); }
// The same for a policy that is about to choose W: a component is settled there, if it is not settled.
inline bool settleOn(const Task &T, WorkerId W) {
  return !T.Placed ||
         (contains(placementOf(T).Workers, W) && (!placementOf(T).Together || placementOf(T).Together->settle(W)));
}

} // namespace hsched::rt
#endif
