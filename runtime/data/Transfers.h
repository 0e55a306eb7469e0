// Transfers under way, and lists of what an operation has to wait for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not thread-safe: the directory's lock protects them.
#ifndef HSCHED_DATA_TRANSFERS_H
#define HSCHED_DATA_TRANSFERS_H

#include "data/FragmentMap.h"
#include "data/Traffic.h"
#include "trace/Observer.h"

#include <array>
#include <deque>
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

// Builds the wait list of one operation of a device. Events of devices that are not among its peers (itself and
// those it reaches) cannot go on it: add() blocks until they are done.
class WaitList {
public:
  explicit WaitList(uint64_t Peers) : Peers(Peers) {}
  // IsSource: the operation reads what U writes, so a failure of U is returned.
  status add(const Use &U, bool IsSource = false);
  status addAll(const Copy &C); // all that touch a copy which the operation overwrites
  const std::vector<EventRef> &events() const { return List; }

private:
  uint64_t Peers; // nodes, as bits
  std::vector<EventRef> List;
};

// Transfers that have been started and whose end has not been seen yet.
class TransferLog {
public:
  struct Failure {
    MemoryNode Dev;
    WorkerId From; // as the record has it
    status Outcome;
  };
  explicit TransferLog(unsigned NumNodes) : PerNode(NumNodes) {}
  // Record's times are filled in when it ends. Each node's transfers of a kind end in the order they are added.
  void add(MemoryNode Dev, EventRef Ev, const TransferRecord &Record);
  // Moves transfers that have ended to Out, and counts them, and how those that failed did to Failed. Now stands in
  // where a device has no profile.
  void collect(TimePoint Now, TrafficTable &Counts, Report &Out, std::vector<Failure> &Failed);
  bool empty() const { return Pending == 0; }
  // Appends the latest of each kind of a node's transfers that has not ended.
  void outstanding(MemoryNode Dev, std::vector<EventRef> &Out) const;
  // Blocks until all of a node's transfers have ended.
  void wait(MemoryNode Dev);

private:
  struct Entry {
    EventRef Ev;
    TransferRecord Record;
  };
  std::vector<std::array<std::deque<Entry>, NumTransferKinds>> PerNode; // by TransferKind
  size_t Pending = 0;                                                   // entries
};

} // namespace hsched::rt
#endif
