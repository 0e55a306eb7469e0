// Transfers under way, and lists of what an operation has to wait for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not thread-safe: the directory's lock protects them.
#ifndef HSCHED_DATA_TRANSFERS_H
#define HSCHED_DATA_TRANSFERS_H

#include "data/FragmentMap.h"
#include "trace/Observer.h"

#include <array>
#include <deque>
#include <vector>

namespace hsched::rt {

// What the directory tells its observer once its lock is free.
struct Report {
  struct Lookup {
    WorkerId Worker;
    bool Hit;
    uint64_t Bytes;
  };
  std::vector<TransferRecord> Transfers;
  std::vector<Lookup> Lookups;
  void tell(Observer *Watch) const;
};

// Adds E unless it is null or there already.
void addEvent(std::vector<EventRef> &List, const EventRef &E);

// Builds the wait list of one operation of node Dev's device. Events of other devices cannot go on it: add() blocks
// until they are done.
class WaitList {
public:
  explicit WaitList(MemoryNode Dev) : Dev(Dev) {}
  // IsSource: the operation reads what U writes, so a failure of U is returned.
  status add(const Use &U, bool IsSource = false);
  status addAll(const Copy &C); // all that touch a copy which the operation overwrites
  const std::vector<EventRef> &events() const { return List; }

private:
  MemoryNode Dev;
  std::vector<EventRef> List;
};

// Transfers that have been started and whose end has not been seen yet.
class TransferLog {
public:
  explicit TransferLog(unsigned NumNodes) : PerNode(NumNodes) {}
  // Record's times are filled in when it ends. Each node's transfers of a kind end in the order they are added.
  void add(MemoryNode Dev, EventRef Ev, const TransferRecord &Record);
  // Moves transfers that have ended to Out; those that failed are dropped. Now stands in where a device has no profile.
  void collect(TimePoint Now, Report &Out);
  // Blocks until all of a node's transfers have ended.
  void wait(MemoryNode Dev);

private:
  struct Entry {
    EventRef Ev;
    TransferRecord Record;
  };
  std::vector<std::array<std::deque<Entry>, 3>> PerNode; // by TransferKind
};

} // namespace hsched::rt
#endif
