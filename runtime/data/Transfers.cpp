// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/Transfers.h"

#include <algorithm>

namespace hsched::rt {

void Report::tell(Observer *Watch) const {
  if (!Watch)
    return;
  for (const TransferRecord &R : Transfers)
    Watch->transferred(R);
  for (const LookupRecord &L : Lookups)
    Watch->cacheLookup(L);
}

void addEvent(std::vector<EventRef> &List, const EventRef &E) {
  if (E && std::find(List.begin(), List.end(), E) == List.end())
    List.push_back(E);
}

status WaitList::add(const Use &U, bool IsSource) {
  if (!U.Ev)
    return {};
  if (U.By != ForeignNode && (Peers & nodeBit(U.By))) {
    addEvent(List, U.Ev);
    return {};
  }
  status Result = U.Ev->wait();
  return IsSource ? Result : status();
}

status WaitList::addAll(const Copy &C) {
  status Result = add(C.Written);
  for (const Use &U : C.Read)
    if (Result.ok())
      Result = add(U);
  return Result;
}

void TransferLog::add(MemoryNode Dev, EventRef Ev, const TransferRecord &Record) {
  PerNode[Dev][static_cast<unsigned>(Record.Kind)].push_back({std::move(Ev), Record});
  ++Pending;
}

void TransferLog::collect(TimePoint Now, TrafficTable &Counts, Report &Out, std::vector<Failure> &Failed) {
  for (MemoryNode N = 0; N < PerNode.size(); ++N)
    for (auto &Queue : PerNode[N])
      for (; !Queue.empty() && Queue.front().Ev->done(); Queue.pop_front(), --Pending) {
        Entry &E = Queue.front();
        if (status Outcome = E.Ev->outcome(); !Outcome.ok()) {
          Failed.push_back({N, E.Record.From, std::move(Outcome)});
          continue;
        }
        if (Out.Transfers.size() == Out.Transfers.capacity()) // once it is counted, it is told of
          Out.Transfers.reserve(2 * Out.Transfers.size() + 8);
        Counts.transferred(N, E.Record);
        E.Record.Ran = E.Ev->times().value_or(Interval{Now, Now});
        Out.Transfers.push_back(E.Record);
      }
}

void TransferLog::outstanding(MemoryNode Dev, std::vector<EventRef> &Out) const {
  for (const auto &Queue : PerNode[Dev])
    if (!Queue.empty() && !Queue.back().Ev->done())
      addEvent(Out, Queue.back().Ev);
}

void TransferLog::wait(MemoryNode Dev) {
  for (auto &Queue : PerNode[Dev])
    for (Entry &E : Queue)
      (void)E.Ev->wait(); // outcomes are the fragments' business
}

} // namespace hsched::rt
