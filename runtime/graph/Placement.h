// The placement of a task: a set of workers, a component.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a component run on one device; all CPU workers count as one. The device is fixed when a policy chooses a
// worker for the first task, among devices that can run every admitted task.
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

// One bit for each worker.
using WorkerBits = std::array<uint64_t, MaxWorkers / 64>;
inline bool contains(const WorkerBits &Bits, WorkerId W) { return Bits[W / 64] >> (W % 64) & 1; }
inline void add(WorkerBits &Bits, WorkerId W) { Bits[W / 64] |= uint64_t(1) << (W % 64); }

// Thread-safe.
class Component {
public:
  // Cpus: the workers that count as one device. All: every worker.
  Component(std::string Name, const WorkerBits &Cpus, const WorkerBits &All)
      : Name(std::move(Name)), Cpus(Cpus), Possible(All) {}

  // Admits a task that the workers in Able can run. False: no device could run all tasks. If the fixed device cannot
  // run it, a new device is chosen for the tasks from here on.
  bool admit(const WorkerBits &Able);
  // True if W belongs to the fixed device, or if W's device may be chosen.
  bool allows(WorkerId W) const;
  // The same; fixes W's device if none is fixed.
  bool settle(WorkerId W);
  // The fixed device failed: another one may be chosen.
  void unsettle();

  const std::string Name;

private:
  bool sameDevice(WorkerId A, WorkerId B) const { return A == B || (contains(Cpus, A) && contains(Cpus, B)); }
  const WorkerBits Cpus;
  mutable std::mutex Lock; // Guards the fields below.
  WorkerBits Possible;
  WorkerId Settled = NoWorker; // A worker of the fixed device.
};

inline constexpr unsigned AnyQueueOfDevice = ~0u; // As AnyQueue in device/Device.h.

struct TaskPlace {
  WorkerBits Workers{};
  std::shared_ptr<Component> Together; // Null: none.
  unsigned Queue = AnyQueueOfDevice;   // A queue of the one worker in Workers, a device.
  std::string RequestedNames;          // Names of clauses and scopes, for messages: "GPUs".

  bool allows(WorkerId W) const { return contains(Workers, W) && (!Together || Together->allows(W)); }
};

inline const TaskPlace &placementOf(const Task &T) { return *static_cast<const TaskNode &>(T).Extras->Named->Where; }
// The compute queue that T's submission names, of the device that runs it.
inline unsigned queueOf(const Task &T) { return T.Placed ? placementOf(T).Queue : AnyQueueOfDevice; }
// True if T's placement allows W.
inline bool mayRunOn(const Task &T, WorkerId W) { return !T.Placed || placementOf(T).allows(W); }
// The same for a policy that is about to choose W: fixes the component's device if none is fixed.
inline bool settleOn(const Task &T, WorkerId W) {
  return !T.Placed ||
         (contains(placementOf(T).Workers, W) && (!placementOf(T).Together || placementOf(T).Together->settle(W)));
}

} // namespace hsched::rt
#endif
