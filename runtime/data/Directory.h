// Where the valid copies of data are, and the transfers that make them valid where they are needed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory is home: data that the directory does not know is valid on the host alone. For every other memory node
// the directory keeps replicas: blocks of device memory, each standing for one range of host addresses; on one node
// replicas never overlap, so a host address has at most one place there, and a parameter p translates to
// buffer + (p - Placement::HostBegin), whatever section the task named, and the two are congruent modulo 128 as far as
// the buffer begins there. Validity is tracked per fragment:
// a maximal range whose copies have the same states everywhere.
//
// Dependences are the graph's business: two users of one fragment at the same time are both readers.
#ifndef HSCHED_DATA_DIRECTORY_H
#define HSCHED_DATA_DIRECTORY_H

#include "base/Ids.h"
#include "device/Device.h"
#include "graph/Task.h"
#include "trace/Observer.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace hsched::rt {

// Where one access of a task lies on the node that it was acquired for.
struct Placement {
  BufferRef Mem;           // null on the host
  uintptr_t HostBegin = 0; // host address that Mem's first byte stands for
};

// A task's hold on its data from acquire to release. Placements[i] belongs to the i-th access.
struct Acquisition {
  MemoryNode Node = 0;
  std::vector<Placement> Placements;
  // Transfers (and earlier device work) that the task must come after. For a device's node all are that device's own
  // events; for the host they may be of several devices and are waited for, or handed on, by the caller.
  std::vector<EventRef> Wait;
  // Set when acquire fails with out_of_memory, but memory is in the hands of other tasks: after one of them is released
  // the same acquire may succeed.
  bool MemoryBusy = false;
  struct Hold;
  std::shared_ptr<Hold> Held;
};

struct NodeInfo {
  Device *Dev;     // null for the host
  WorkerId Worker; // whose rows its transfers are shown on
};

class Directory {
public:
  // Nodes[0] is the host; at most 64 nodes. A device that shares host memory has no node of its own. Time and Watch
  // (which may be null) outlive the directory, as do the devices.
  Directory(std::vector<NodeInfo> Nodes, const Clock &Time, Observer *Watch);
  ~Directory();

  // Any thread. False when no device holds a valid copy of anything and no transfer touches host memory, so that CPU
  // versions whose predecessors are released need not ask.
  bool anyReplica() const;

  // Any thread. Makes the task's sections available on Node: room for all of them, valid copies of those that are
  // read; transfers are started, not waited for. On failure nothing is held: out_of_memory names bytes needed and
  // there, transfer_failed or device_lost name what was lost.
  status acquire(const Task &T, MemoryNode Node, Acquisition &Out);

  // Any thread. The device work that uses A has been enqueued and will be complete with Done.
  void launched(const Task &T, Acquisition &A, const EventRef &Done);

  // Any thread. The task is over. What it wrote is now valid on A.Node alone, unless it Failed: then what it was to
  // write is taken as valid where it was before, as far as a copy is left.
  void release(const Task &T, Acquisition &A, bool Failed);

  // Any thread. Brings the newest copy of the given ranges (of everything, when All) home and waits for it. With
  // Invalidate, devices' copies that nobody is using are dropped as valid copies: the host may write now.
  status flush(std::span<const Access> Ranges, bool All, bool Invalidate);

  // Any thread. Waits for every transfer, brings all data home, frees device memory. Idempotent; the destructor does
  // it too, without a status.
  status shutdown();

  struct Stats {
    size_t Fragments;      // with an entry of their own
    size_t Replicas;       // on all nodes
    uint64_t ReplicaBytes; // on all nodes
  };
  // Any thread. For tests and diagnostics.
  Stats stats() const;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace hsched::rt
#endif
