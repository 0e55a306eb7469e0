// Transfers under way.
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

// What the directory tells its observer once its lock is free.
struct Report {
  std::vector<TransferRecord> Transfers;
  std::vector<LookupRecord> Lookups;
  void tell(Observer *Watch) const;
};

// Adds E unless it is null or there already.
void addEvent(std::vector<EventRef> &List, const EventRef &E);

// Transfers that have been started and whose end has not been seen yet.
class TransferLog {
public:
  struct Failure {
    MemoryNode Dev;
    WorkerId From; // As the record has it.
    status Outcome;
  };
  // While nothing travels, before any thread names the new nodes: there are so many.
  void setNodes(unsigned NumNodes) { PerNode = std::vector<Node>(NumNodes); }
  // All: any thread, without the directory's lock. What one node's device is asked keeps no other node's waiting.
  // Record's times are filled in when it ends. Each node's transfers of a kind end in the order they are added, mostly.
  // In the books it is InBooks, which learns of the end with collect().
  void add(MemoryNode Dev, EventRef Ev, PromiseRef InBooks, const TransferRecord &Record);
  // Moves a node's transfers that have ended to Out, and counts them, and how those that failed did to Failed. Now
  // stands in where a device has no profile.
  void collect(MemoryNode Dev, TimePoint Now, TrafficTable &Counts, Report &Out, std::vector<Failure> &Failed);
  bool empty(MemoryNode Dev) const { return PerNode[Dev].Pending.load(std::memory_order_acquire) == 0; }
  // The latest of each kind of a node's transfers that has not ended, and of others' from that node, whose device is
  // Whose.
  std::vector<EventRef> outstanding(MemoryNode Dev, WorkerId Whose);
  // Blocks until all of a node's transfers have ended.
  void wait(MemoryNode Dev);

private:
  struct Entry {
    EventRef Ev;
    PromiseRef InBooks;
    TransferRecord Record;
  };
  struct Node {
    std::atomic<size_t> Pending{0}; // Entries.
    std::mutex Lock;
    std::array<std::deque<Entry>, NumTransferKinds> Queues; // By TransferKind; guarded by Lock.
  };
  std::vector<Node> PerNode;
};

} // namespace hsched::rt
#endif
