// A list of observers as one observer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/ObserverList.h"

#include <algorithm>

namespace hsched::rt {

void ObserverList::rowAdded(const RowRecord &R) {
  for (auto &O : All)
    O->rowAdded(R);
}

void ObserverList::submitted(const SubmitRecord &R) {
  for (auto &O : All)
    O->submitted(R);
}

void ObserverList::dependence(TaskId From, TaskId To) {
  for (auto &O : All)
    O->dependence(From, To);
}

void ObserverList::decided(const DecisionRecord &R) {
  for (auto &O : All)
    if (O->wantsDecisions())
      O->decided(R);
}

bool ObserverList::wantsDecisions() const {
  return std::ranges::any_of(All, [](const auto &O) { return O->wantsDecisions(); });
}

void ObserverList::launching(const LaunchRecord &R) {
  for (auto &O : All)
    if (O->wantsLaunches())
      O->launching(R);
}

bool ObserverList::wantsLaunches() const {
  return std::ranges::any_of(All, [](const auto &O) { return O->wantsLaunches(); });
}

bool ObserverList::wantsEachTask() const {
  return std::ranges::any_of(All, [](const auto &O) { return O->wantsEachTask(); });
}

bool ObserverList::wantsLog() const {
  return std::ranges::any_of(All, [](const auto &O) { return O->wantsLog(); });
}

void ObserverList::counted(const CountRecord &R) {
  for (auto &O : All)
    O->counted(R);
}

void ObserverList::ran(const RunRecord &R) {
  for (auto &O : All)
    O->ran(R);
}

void ObserverList::transferred(const TransferRecord &R) {
  for (auto &O : All)
    O->transferred(R);
}

void ObserverList::evicted(const EvictionRecord &R) {
  for (auto &O : All)
    O->evicted(R);
}

void ObserverList::cacheLookup(const LookupRecord &R) {
  for (auto &O : All)
    O->cacheLookup(R);
}

void ObserverList::waited(const WaitRecord &R) {
  for (auto &O : All)
    O->waited(R);
}

void ObserverList::linkMeasured(const LinkRecord &R) {
  for (auto &O : All)
    O->linkMeasured(R);
}

void ObserverList::finished() {
  for (auto &O : All)
    O->finished();
}

} // namespace hsched::rt
