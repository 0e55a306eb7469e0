// Transfers in progress.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DATA_TRANSFERS_H
#define HSCHED_DATA_TRANSFERS_H

#include "data/FragmentMap.h"
#include "data/Traffic.h"
#include "trace/Observer.h"

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace hsched::rt {

// Records for the observer, delivered without the directory's lock.
struct Report {
  std::vector<TransferRecord> Transfers;
  std::vector<LookupRecord> Lookups;
  std::vector<EvictionRecord> Evictions;
  void notifyObserver(Observer *Watch) const;
};

// Adds E unless it is null or there already.
void addEvent(std::vector<EventRef> &List, const EventRef &E);

// Transfers that have been started and whose end has not been seen yet.
class TransferLog {
public:
  struct Failure {
    MemoryNode Dev;
    WorkerId From; // The source, as in the record.
    status Outcome;
  };
  // Sets the number of nodes. Call while no transfer is in progress, before any thread names the new nodes.
  void setNodes(unsigned NumNodes) { PerNode = std::vector<Node>(NumNodes); }
  // All functions: any thread, without the directory's lock. A query of one node's device does not block other nodes.
  // Adds a transfer; its record gets its times at the end. A node's transfers of one kind end mostly in the order of
  // add(). Recorded is its promise, which collect() settles.
  void add(MemoryNode Dev, EventRef Ev, PromiseRef Recorded, const TransferRecord &Record);
  // Moves a node's ended transfers to Out and counts them; appends failures to Failed. Now replaces the times of a
  // device without profiling.
  void collect(MemoryNode Dev, TimePoint Now, TrafficTable &Counts, Report &Out, std::vector<Failure> &Failed);
  bool empty(MemoryNode Dev) const { return PerNode[Dev].Pending.load(std::memory_order_acquire) == 0; }
  // Bytes of a node's transfers of one kind whose end has not been seen yet.
  uint64_t bytes(MemoryNode Dev, TransferKind Kind) const {
    return PerNode[Dev].Bytes[static_cast<unsigned>(Kind)].load(std::memory_order_relaxed);
  }
  // The unfinished transfers of a node, and those of other nodes from that node, whose device is
  // Source's.
  std::vector<EventRef> outstanding(MemoryNode Dev, WorkerId Source);
  // Blocks until all of a node's transfers have ended.
  void wait(MemoryNode Dev);

private:
  struct Entry {
    EventRef Ev;
    PromiseRef Recorded;
    TransferRecord Record;
  };
  struct Node {
    std::atomic<size_t> Pending{0};                              // Number of entries.
    std::array<std::atomic<uint64_t>, NumTransferKinds> Bytes{}; // By TransferKind.
    std::mutex Lock;
    std::array<std::deque<Entry>, NumTransferKinds> Queues; // By TransferKind; guarded by Lock.
  };
  std::vector<Node> PerNode;
};

} // namespace hsched::rt
#endif
