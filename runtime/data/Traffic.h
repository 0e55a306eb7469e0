// Sums of what has travelled to and from each device, by the type of task that needed it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes are counted as OmpSs counts them (Planas et al.): input from host memory to a device, once for each device that
// gets them; output from a device to host memory; device between two devices, counted where they arrive. Copies within
// one device's memory are none of these. The hit ratio is XKaapi's: of the sections that tasks on the device read, how
// many were wholly valid in its memory when the task was given to it.
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
  uint64_t Inputs = 0, Outputs = 0, DeviceCopies = 0; // Transfers.
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
  // There are so many nodes: those that are new have moved nothing.
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
  void lookedUp(MemoryNode Node, const LookupRecord &R) {
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
  // A type's name is told by its address: it lives as long as the program.
  using Key = std::pair<MemoryNode, const char *>;
  Traffic &of(MemoryNode Node, const char *Task) {
    if (!Latest || LatestKey != Key(Node, Task)) {
      LatestKey = {Node, Task};
      Latest = &Sums[LatestKey];
    }
    return *Latest;
  }

  mutable std::mutex Lock; // All below.
  std::map<Key, Traffic> Sums;
  Traffic *Latest = nullptr; // Sums[LatestKey]: most are like the one before.
  Key LatestKey;
};

} // namespace hsched::rt
#endif
