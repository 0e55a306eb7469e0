// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/Transfers.h"

#include <algorithm>

namespace hsched::rt {

void Report::notifyObserver(Observer *Watch) const {
  if (!Watch)
    return;
  for (const TransferRecord &R : Transfers)
    Watch->transferred(R);
  for (const EvictionRecord &E : Evictions)
    Watch->evicted(E);
  for (const LookupRecord &L : Lookups)
    Watch->cacheLookup(L);
}

void addEvent(std::vector<EventRef> &List, const EventRef &E) {
  if (E && std::find(List.begin(), List.end(), E) == List.end())
    List.push_back(E);
}

void TransferLog::add(MemoryNode Dev, EventRef Ev, PromiseRef Recorded, const TransferRecord &Record) {
  Node &N = PerNode[Dev];
  std::lock_guard Guard(N.Lock);
  N.Queues[static_cast<unsigned>(Record.Kind)].push_back({std::move(Ev), std::move(Recorded), Record});
  N.Bytes[static_cast<unsigned>(Record.Kind)].fetch_add(Record.Bytes, std::memory_order_relaxed);
  N.Pending.fetch_add(1, std::memory_order_release);
}

void TransferLog::collect(MemoryNode Dev, TimePoint Now, TrafficTable &Counts, Report &Out,
                          std::vector<Failure> &Failed) {
  Node &N = PerNode[Dev];
  std::lock_guard Guard(N.Lock);
  for (auto &Queue : N.Queues)
    for (; !Queue.empty() && Queue.front().Ev->done(); Queue.pop_front()) {
      Entry &E = Queue.front();
      // Every removed entry is reported: if memory for that is exhausted, it stays.
      if (Out.Transfers.size() == Out.Transfers.capacity())
        Out.Transfers.reserve(2 * Out.Transfers.size() + 8);
      status Outcome = E.Ev->outcome();
      if (!Outcome.ok())
        Failed.reserve(Failed.size() + 1);
      N.Pending.fetch_sub(1, std::memory_order_relaxed);
      N.Bytes[static_cast<unsigned>(E.Record.Kind)].fetch_sub(E.Record.Bytes, std::memory_order_relaxed);
      (void)E.Recorded->done();
      if (!Outcome.ok()) {
        Failed.push_back({Dev, E.Record.From, std::move(Outcome)});
        continue;
      }
      Counts.transferred(Dev, E.Record);
      E.Record.Ran = E.Ev->times().value_or(Interval{Now, Now});
      Out.Transfers.push_back(E.Record);
    }
}

std::vector<EventRef> TransferLog::outstanding(MemoryNode Dev, WorkerId Source) {
  std::vector<EventRef> Out;
  for (MemoryNode N = 0; N < PerNode.size(); ++N) {
    std::lock_guard Guard(PerNode[N].Lock);
    for (const auto &Queue : PerNode[N].Queues)
      for (auto E = Queue.rbegin(); E != Queue.rend(); ++E)
        if ((N == Dev || E->Record.From == Source) && !E->Ev->done()) // A device may have several queues for a kind.
          addEvent(Out, E->Ev);
  }
  return Out;
}

void TransferLog::wait(MemoryNode Dev) {
  std::vector<EventRef> All;
  {
    std::lock_guard Guard(PerNode[Dev].Lock);
    for (const auto &Queue : PerNode[Dev].Queues)
      for (const Entry &E : Queue)
        All.push_back(E.Ev);
  }
  for (const EventRef &E : All)
    (void)E->wait(); // Outcomes are recorded in the fragments.
}

} // namespace hsched::rt
