// Where the valid copies of data are, and the transfers that make them valid where they are needed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory is home: data that the directory does not know is valid on the host alone. For every other memory node
// the directory keeps replicas: blocks of device memory, each standing for one range of host addresses, or for a tile
// whose rows lie there one behind the other. On one node no two replicas have a byte in common, so a host address has
// at most one place there, and a parameter p translates to buffer + (p - Placement::HostBegin), whatever section the
// task named; in a range the two are congruent modulo 128 as far as the buffer begins there. Validity is tracked per
// fragment: a maximal range whose copies have the same states everywhere.
//
// A datum without a home is a range of addresses that are reserved only. What nobody has written of it is unwritten: it
// has no copy, and who reads it finds anything. It gets memory on the host, a home, where a task runs there, where the
// only copy has to leave a device, or where somebody asks for it.
//
// Dependences are the graph's business: two users of one fragment at the same time are both readers.
#ifndef HSCHED_DATA_DIRECTORY_H
#define HSCHED_DATA_DIRECTORY_H

#include "base/Ids.h"
#include "data/Packing.h"
#include "data/Traffic.h"
#include "device/Device.h"
#include "graph/Task.h"
#include "trace/Observer.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace hsched::rt {

inline constexpr unsigned TriesOfTransfers = 3; // Of one that fails.

// Where one access of a task lies on the node that it was acquired for.
struct Placement {
  BufferRef Mem;           // Null on the host.
  uintptr_t HostBegin = 0; // The access begins in Mem as far behind the first byte as it does on the host behind this.
  uint64_t Stride = 0;     // Of its rows in Mem; 0: as on the host.
};

// A task's hold on its data from acquire to release. Placements[i] belongs to the i-th access.
struct Acquisition {
  MemoryNode Node = 0;
  std::vector<Placement> Placements;
  // Transfers (and earlier device work) that the task must come after. For a device's node its own operations may wait
  // for all of them; for the host they may be of several devices and are waited for, or handed on, by the caller.
  std::vector<EventRef> Wait;
  // A device's node: what must have ended, well, before the task is given to the device.
  std::vector<EventRef> Before;
  // Something is moved to the device for the task.
  bool Moves = false;
  // Set when acquire fails with out_of_memory, but memory is in the hands of other tasks: after one of them is released
  // the same acquire may succeed.
  bool MemoryBusy = false;
  // Set when acquire fails because no copy is left of something that is to be read: it would fail anywhere.
  bool DataLost = false;
  // Whose device had that, or failing that, whose device the first of the transfers is on; NoWorker: there is none.
  WorkerId Blame = NoWorker;
  struct Hold;
  std::shared_ptr<Hold> Held;
  // Set with MemoryBusy: room that others leave belongs to the acquires that have waited longest. The same acquire is
  // tried again with it; without it, it has given up.
  struct Turn;
  std::shared_ptr<Turn> Waits;
  // As new, but for memory that its lists have.
  void clear() {
    Node = 0;
    Placements.clear();
    Wait.clear();
    Before.clear();
    Moves = MemoryBusy = DataLost = false;
    Blame = NoWorker;
    Held.reset();
    Waits.reset();
  }
};

// What a task that failed has left of the copies, on a device, that it worked on.
enum class Left : uint8_t {
  AsItWas,  // It did not begin.
  HalfDone, // What it did counts, as on the host.
  Nothing   // Nobody knows what it did.
};

struct NodeInfo {
  Device *Dev;     // Null for the host.
  WorkerId Worker; // Whose rows its transfers are shown on.
};

class Directory {
public:
  // Nodes[0] is the host; at most 64 nodes. A device that shares host memory has no node of its own. Time and Watch
  // (which may be null) outlive the directory, as do the devices.
  Directory(std::vector<NodeInfo> Nodes, const Clock &Time, Observer *Watch);
  ~Directory();
  // Any thread, once, where there is only the host: devices have come. Nobody names their nodes before.
  void addNodes(std::span<const NodeInfo> More);

  // Any thread. False when no device holds a valid copy of anything, no transfer touches host memory and all data have
  // a home, so that CPU versions whose predecessors are released need not ask.
  bool anyReplica() const;

  // Any thread. Makes the task's sections available on Node: room for all of them, valid copies of those that are
  // read; transfers are started, not waited for. On failure nothing is held: out_of_memory names bytes needed and
  // there, transfer_failed or device_lost name what was lost. Where room is made by data that go home first: waits for
  // that, unless Until is given; then it fails with MemoryBusy, and may succeed once one of Until has ended.
  status acquire(const Task &T, MemoryNode Node, Acquisition &Out, std::vector<EventRef> *Until = nullptr,
                 PackedParams Packed = {});

  // Any thread. What part of Node's memory is in use, from 0 to 1; 0 where there is no limit.
  double fullness(MemoryNode Node) const;

  struct Want {
    const Access *A;
    PackedParams Packed;
    uint64_t Missing;
  };
  // Any thread. Sets Missing, the bytes that would have to travel for Node to have what A says: what it reads and is
  // not there, and once more what it writes and has no room there yet, which has to come home some time. What is there,
  // is named by none of Wants, and is used by nobody from here on leaves Node's memory first when room is needed.
  void survey(std::span<Want> Wants, MemoryNode Node);

  struct Source {
    uint64_t Bytes = 0;
    uint64_t Sections = 0; // That these are of: at least as many transfers.
  };
  // Any thread. What would have to travel to Node, from each node, for T to read there what it reads. From has an
  // element a node.
  void sources(const Task &T, MemoryNode Node, std::span<Source> From) const;

  // Any thread. How many bytes of A each node has a valid copy of, or one that is on its way. Bytes has an element a
  // node.
  void validBytes(const Access &A, std::span<uint64_t> Bytes) const;

  // Any thread. The device work that uses A has been enqueued and will be complete with Done. False: there is no host
  // memory to note that. Then Done has been waited for, and nobody may count on the work before release().
  bool launched(const Task &T, Acquisition &A, const EventRef &Done);

  // Any thread. The task is over. What it wrote is now valid on A.Node alone, unless it Failed: then what it was to
  // write is taken as valid where it was before, as far as a copy is left. If it began, the copy that it worked on, on
  // a device, counts only where there is no other, and where Nothing is Left of it not even there: what was there alone
  // is lost. Of tasks that failed, the later ones are released first. Throws nothing.
  void release(const Task &T, Acquisition &A, bool Failed, Left There = Left::Nothing);

  // Any thread. Whether there is a copy of all that T reads: after a failure it may run again.
  bool whole(const Task &T) const;

  // Any thread. T has failed for good: what it was to write may be anything, so of what is lost the host's bytes count.
  void forget(const Task &T);

  // Any thread. Brings the newest copy of the given ranges (of all that has a home, when All) home and waits for it;
  // tries again where a transfer fails. With Invalidate, devices' copies that nobody is using are dropped as valid
  // copies: the host may write now. On failure the status names the first datum that is not at home: address, bytes,
  // device, cause; with Invalidate the host's bytes count from then on, whatever they are. Blame, if not null: whose
  // device that was.
  status flush(std::span<const Access> Ranges, bool All, bool Invalidate, WorkerId *Blame = nullptr);

  // Any thread. The range's bytes are not wanted any more: waits for the transfers that touch them, and none brings
  // them home from here on. What a task is using stays as it is.
  void discard(const void *Memory, size_t Bytes);

  // Any thread. A datum without a home, of Bytes > 0 bytes, at a page's beginning. Where no device has memory of its
  // own, it has one from the beginning. It lives until it is dropped, or as long as the directory.
  status makeHomeless(uint64_t Bytes, void *&Out);
  // Any thread. Whether all of it is in one such datum.
  bool isHomeless(const void *Memory, size_t Bytes) const;
  // Any thread. Of the datum that begins at Memory; 0: none does.
  uint64_t homelessBytes(const void *Memory) const;
  // What the host does with what it asks for: nothing is brought home to be overwritten, and where it is only read,
  // devices' copies stay valid.
  enum class HomeUse : uint8_t { Read, Update, Overwrite };
  // Any thread. Like flush() for a part of a datum, which has a home from then on.
  status bringHome(void *Memory, size_t Bytes, HomeUse How, WorkerId *Blame = nullptr);
  // Any thread. The end of a datum: no copy is written back, its addresses are not to be used any more. Waits for
  // transfers; fails where a task is using it, and where it is none.
  status dropHomeless(void *Memory);

  // Any thread. Waits for every transfer, brings all data home that have one, frees device memory. Idempotent; the
  // destructor does it too, without a status.
  status shutdown();

  struct TrafficEntry {
    WorkerId Worker;  // The device's.
    const char *Task; // Name of a type; null for what no task asked for.
    Traffic Sum;
  };
  // Any thread. What has travelled since the start, of transfers that have ended and did not fail; at least one entry a
  // device. One entry for each device and task type that has any.
  std::vector<TrafficEntry> traffic();

  struct Stats {
    size_t Fragments;      // With an entry of their own.
    size_t Replicas;       // On all nodes.
    uint64_t ReplicaBytes; // On all nodes.
    uint64_t HomeBytes;    // That data without a home have got on the host.
  };
  // Any thread. For tests and diagnostics.
  Stats stats() const;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace hsched::rt
#endif
