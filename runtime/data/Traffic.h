// Sums of transfers to and from each device, by the task type that needed them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes are counted as in OmpSs (Planas et al.). Input: from host memory to a device, once for each device. Output:
// from a device to host memory. Device: between two devices, counted at the target. Copies within one device are not
// counted. The hit ratio is XKaapi's. It is the fraction of the sections that tasks on the device read that were wholly
// valid there at the task's dispatch.
#ifndef HSCHED_DATA_TRAFFIC_H
#define HSCHED_DATA_TRAFFIC_H

#include "trace/Observer.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace hsched::rt {

struct Traffic {
  uint64_t InputBytes = 0, OutputBytes = 0, DeviceBytes = 0;
  uint64_t Inputs = 0, Outputs = 0, DeviceCopies = 0; // Numbers of transfers.
  uint64_t Hits = 0, Lookups = 0;

  Traffic &operator+=(const Traffic &O) {
    InputBytes += O.InputBytes;
    OutputBytes += O.OutputBytes;
    DeviceBytes += O.DeviceBytes;
    Inputs += O.Inputs;
    Outputs += O.Outputs;
    DeviceCopies += O.DeviceCopies;
    Hits += O.Hits;
    Lookups += O.Lookups;
    return *this;
  }
};

// Any thread.
class TrafficTable {
public:
  // Sets the number of nodes; new nodes start at 0.
  void setNodes(unsigned NumNodes) {
    std::lock_guard Guard(Lock);
    for (MemoryNode N = HostNode + 1; N < NumNodes; ++N)
      Sums.try_emplace({N, nullptr});
  }

  void transferred(MemoryNode Node, const TransferRecord &R) {
    std::lock_guard Guard(Lock);
    Traffic &Sum = of(Node, R.Task);
    switch (R.Kind) {
    case TransferKind::HostToDevice:
      Sum.InputBytes += R.Bytes;
      ++Sum.Inputs;
      return;
    case TransferKind::DeviceToHost:
      Sum.OutputBytes += R.Bytes;
      ++Sum.Outputs;
      return;
    case TransferKind::DeviceToDevice:
      Sum.DeviceBytes += R.Bytes;
      ++Sum.DeviceCopies;
      return;
    case TransferKind::WithinDevice:
      return;
    }
  }
  void countLookup(MemoryNode Node, const LookupRecord &R) {
    std::lock_guard Guard(Lock);
    Traffic &Sum = of(Node, R.Task);
    ++Sum.Lookups;
    Sum.Hits += R.Hit;
  }

  // Calls F(node, name of a type or null, Traffic), with a lock held.
  template <class Function> void forEach(Function F) const {
    std::lock_guard Guard(Lock);
    for (const auto &[Key, Sum] : Sums)
      F(Key.first, Key.second, Sum);
  }

private:
  // A type's name is identified by its address: it lives as long as the program.
  using Key = std::pair<MemoryNode, const char *>;
  Traffic &of(MemoryNode Node, const char *Task) {
    if (!Latest || LatestKey != Key(Node, Task)) {
      LatestKey = {Node, Task};
      Latest = &Sums[LatestKey];
    }
    return *Latest;
  }

  mutable std::mutex Lock; // Guards all below.
  std::map<Key, Traffic> Sums;
  Traffic *Latest = nullptr; // Sums[LatestKey], a cache: most transfers are like the one before.
  Key LatestKey;
};

} // namespace hsched::rt
#endif
