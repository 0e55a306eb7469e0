// The directory: where data have valid copies, and the transfers that make copies valid where they are needed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory is home: data that the directory does not know are valid on the host alone. For every other memory
// node it keeps replicas: blocks of device memory, each for one range of host addresses, or for one packed tile.
// The replicas of one node are disjoint. So a host address has at most one place on a node, and a parameter p
// translates to buffer + (p - Placement::HostBegin) for any section. In a range, both addresses are congruent
// modulo 128 if the buffer begins at such a multiple. Validity is tracked per fragment: a maximal range with one
// state on every node.
//
// A homeless datum is a reserved range of addresses. Bytes that no task has written are unwritten: they have no copy,
// and a read gives undefined values. It gets host memory when a task runs there, when the only copy is evicted from a
// device, or when the host asks for it.
//
// The graph orders dependent tasks, so simultaneous users of one fragment are all readers.
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

inline constexpr unsigned TriesOfTransfers = 3; // Attempts of a transfer that fails.

// The place of one access on the node that the task was acquired for.
struct Placement {
  BufferRef Mem;           // Null on the host.
  uintptr_t HostBegin = 0; // Host address that corresponds to the first byte of Mem.
  uint64_t Stride = 0;     // Distance of its rows in Mem, in bytes; 0: as on the host.
};

// A task's hold on its data from acquire to release. Placements[i] belongs to the i-th access.
struct Acquisition {
  MemoryNode Node = 0;
  std::vector<Placement> Placements;
  // Transfers and earlier device work that the task depends on. On a device's node, the device's operations may wait
  // for all of them. For the host they may belong to several devices; the caller waits for them or passes them on.
  std::vector<EventRef> Wait;
  // On a device's node: operations that must succeed before the task is launched.
  std::vector<EventRef> Before;
  // The task needs a transfer to the device.
  bool Moves = false;
  // Set if acquire fails with out_of_memory while other tasks hold memory: the same acquire may succeed after a
  // release.
  bool MemoryBusy = false;
  // Set if acquire fails because an input has no copy left: it would fail on every node.
  bool DataLost = false;
  // The worker whose device had that copy. Otherwise the worker of the first transfer's device; NoWorker: none.
  WorkerId Blame = NoWorker;
  struct Hold;
  std::shared_ptr<Hold> Acquired;
  // Set with MemoryBusy: a place in the queue for free memory. Pass it to the retry; to drop it is to give
  // up.
  struct Turn;
  std::shared_ptr<Turn> Waits;
  // Resets it, but keeps the capacity of its lists.
  void clear() {
    Node = 0;
    Placements.clear();
    Wait.clear();
    Before.clear();
    Moves = MemoryBusy = DataLost = false;
    Blame = NoWorker;
    Acquired.reset();
    Waits.reset();
  }
};

// The state in which a failed task leaves the device's copies of its outputs.
enum class FailedOutputs : uint8_t {
  Untouched,     // It did not begin.
  PartlyWritten, // Its writes count, as on the host.
  Undefined      // The contents are undefined.
};

struct NodeInfo {
  Device *Dev;     // Null for the host.
  WorkerId Worker; // The worker whose row shows its transfers.
};

// Allocates the blocks of a datum that a device holds completely or not at all.
class DatumOwner {
public:
  virtual ~DatumOwner() = default;
  // Any thread. Allocates a block of Node's memory for the whole datum.
  virtual status allocate(MemoryNode Node, BufferRef &Out) = 0;
};

class Directory {
public:
  // Nodes[0] is the host; at most 64 nodes. A device that shares host memory has no node of its own. Time and Watch
  // (which may be null) outlive the directory, as do the devices.
  Directory(std::vector<NodeInfo> Nodes, const Clock &Time, Observer *Watch);
  ~Directory();
  // Any thread, once, if there is only the host: adds the nodes of devices. No thread names these nodes before.
  void addNodes(std::span<const NodeInfo> More);

  // Any thread. False if no device holds a valid copy, no transfer touches host memory and no datum is homeless. CPU
  // versions whose predecessors are released then need no acquire.
  bool anyReplica() const;

  // Any thread. Makes the task's sections available on Node: allocates all of them and starts transfers of the inputs,
  // without waiting for these. On failure nothing is held. out_of_memory names the bytes needed and available;
  // transfer_failed and device_lost name the lost data. If memory is freed by write-backs, acquire waits for them. If
  // Until is given, it fails with MemoryBusy instead, and may succeed once one of Until has ended.
  status acquire(const Task &T, MemoryNode Node, Acquisition &Out, std::vector<EventRef> *Until = nullptr,
                 PackedParams Packed = {});

  // Any thread. The used fraction of Node's memory, from 0 to 1; 0 without a limit.
  double fullness(MemoryNode Node) const;

  struct SurveyedAccess {
    const Access *A;
    PackedParams Packed;
    uint64_t Missing;
  };
  // Any thread. Sets Missing to the bytes to transfer for A on Node. These are inputs that are not valid there, plus
  // outputs not allocated there yet. The outputs are written back later. Replicas that no entry of Accesses names, and
  // that are unused from now on, are evicted first.
  void survey(std::span<SurveyedAccess> Accesses, MemoryNode Node);

  struct Source {
    uint64_t Bytes = 0;
    uint64_t Sections = 0; // Number of sections: at least as many transfers.
  };
  // Any thread. The bytes to transfer to Node, by source node, for T's inputs. From has one element per
  // node.
  void sources(const Task &T, MemoryNode Node, std::span<Source> From) const;

  // Any thread. The bytes of A of which each node has a valid copy, or one in transfer. Bytes has one element per
  // node.
  void validBytes(const Access &A, std::span<uint64_t> Bytes) const;

  // Any thread. The device work that uses A has been enqueued and ends with Done. False: host memory is exhausted; this
  // has waited for Done, and other tasks see the result only after release().
  bool launched(const Task &T, Acquisition &A, const EventRef &Done);

  // Any thread. For callers that release a task only after its end, and order all other accesses to its data. The work
  // begins, and its outputs are valid on A.Node alone. Its end is not recorded.
  void begun(Acquisition &A);
  // Any thread. acquire() and begun() in one step, if nothing must be done or awaited. False, without effect,
  // otherwise.
  bool tryBegin(const Task &T, MemoryNode Node, Acquisition &Out);

  // Any thread. The task is over. Its outputs are now valid on A.Node alone. If it Failed, they are valid where they
  // were before, if copies are left. If it began on a device, the copy that it worked on counts only if there is no
  // other, and with FailedOutputs::Undefined not at all. Data valid only there are lost then. If several tasks failed,
  // release the later ones first. Throws nothing.
  void release(const Task &T, Acquisition &A, bool Failed, FailedOutputs Outputs = FailedOutputs::Undefined);
  // Any thread. release() of a task that has not failed. Also starts the write-back of those outputs that have a home
  // and that no task in progress writes.
  void releaseAndSendHome(Acquisition &A);

  // Any thread. True if all inputs of T have a copy, so that T may run again after a failure.
  bool whole(const Task &T) const;

  // Any thread. T has failed finally: its outputs are undefined, so the host's bytes replace lost copies.
  void forget(const Task &T);

  // Any thread. Writes back the newest copies of the given ranges (with All: of all data with a home) and
  // waits; retries failed transfers. With Invalidate, unused copies on devices become invalid, so the host
  // may write. On failure, the status names the first datum that is not home: address, bytes, device,
  // cause. With Invalidate, the host's bytes then count as valid. Blame, unless null: the worker of that
  // device.
  status flush(std::span<const Access> Ranges, bool All, bool Invalidate, WorkerId *Blame = nullptr);

  // Any thread. Discards the range's contents: waits for its transfers, and writes it back no more. Data that a task
  // uses stay.
  void discard(const void *Memory, size_t Bytes);

  // Any thread. Makes a homeless datum of Bytes > 0 bytes, page-aligned. If no device has memory of its own, it gets
  // host memory at once. It lives until it is dropped or the directory is destroyed. Owner, unless null, outlives it:
  // each replica then holds the whole datum, in a block that Owner allocates, and is not moved.
  status makeHomeless(uint64_t Bytes, void *&Out, DatumOwner *Owner = nullptr);
  // Any thread. True if the range lies in one such datum.
  bool isHomeless(const void *Memory, size_t Bytes) const;
  // Any thread. Bytes of the datum that begins at Memory; 0: none does.
  uint64_t homelessBytes(const void *Memory) const;
  // How the host uses the data: Overwrite needs no transfer, and Read leaves devices' copies
  // valid.
  enum class HomeUse : uint8_t { Read, Update, Overwrite };
  // Any thread. As flush() for a part of a datum, which gets host memory.
  status bringHome(void *Memory, size_t Bytes, HomeUse How, WorkerId *Blame = nullptr);
  // Any thread. Destroys a datum: no copy is written back, and its addresses become invalid. Waits for transfers. Fails
  // if a task uses it, or if Memory is no datum.
  status dropHomeless(void *Memory);

  // Any thread. Waits for every transfer, writes back all data with a home, frees device memory. Idempotent. The
  // destructor calls it and ignores the status.
  status shutdown();

  struct TrafficEntry {
    WorkerId Worker;  // The device's.
    const char *Task; // Name of a task type; null: transfers that no task needed.
    Traffic Sum;
  };
  // Any thread. Sums of successful transfers since the start: one entry for each device and task type with transfers,
  // and at least one for each device.
  std::vector<TrafficEntry> traffic();

  // Any thread. Bytes of the transfers to a device's memory whose end has not been seen yet.
  uint64_t bytesUnderway(MemoryNode To) const;

  struct Stats {
    size_t Fragments;      // Number of explicit fragments.
    size_t Replicas;       // On all nodes.
    uint64_t ReplicaBytes; // On all nodes.
    uint64_t HomeBytes;    // Host memory of homeless data.
  };
  // Any thread. For tests and diagnostics.
  Stats stats() const;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace hsched::rt
#endif
