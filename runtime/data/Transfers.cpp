// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/Transfers.h"

#include <algorithm>

namespace hsched::rt {

void Report::tell(Observer *Watch) const {
  if (!Watch)
    return;
  for (const TransferRecord &R : Transfers)
    Watch->transferred(R);
  for (const Lookup &L : Lookups)
    Watch->cacheLookup(L.Worker, L.Hit, L.Bytes);
}

void addEvent(std::vector<EventRef> &List, const EventRef &E) {
  if (E && std::find(List.begin(), List.end(), E) == List.end())
    List.push_back(E);
}

status WaitList::add(const Use &U, bool IsSource) {
  if (!U.Ev)
    return {};
  if (U.By == Dev) {
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
}

void TransferLog::collect(TimePoint Now, Report &Out) {
  for (auto &Kinds : PerNode)
    for (auto &Queue : Kinds)
      for (; !Queue.empty() && Queue.front().Ev->done(); Queue.pop_front()) {
        Entry &E = Queue.front();
        if (!E.Ev->outcome().ok())
          continue;
        E.Record.Ran = E.Ev->times().value_or(Interval{Now, Now});
        Out.Transfers.push_back(E.Record);
      }
}

void TransferLog::wait(MemoryNode Dev) {
  for (auto &Queue : PerNode[Dev])
    for (Entry &E : Queue)
      (void)E.Ev->wait(); // outcomes are the fragments' business
}

} // namespace hsched::rt
