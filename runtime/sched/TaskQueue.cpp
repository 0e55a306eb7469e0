// A queue of tasks in order of priority, then of arrival.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/TaskQueue.h"

namespace hsched::rt {

TaskQueue::Level &TaskQueue::levelOf(int32_t Priority) {
  auto It = Levels.find(Priority);
  if (It != Levels.end())
    return It->second;
  if (!Spare)
    return Levels[Priority];
  Spare.key() = Priority;
  Spare.mapped() = {};
  return Levels.insert(std::move(Spare)).position->second;
}

void TaskQueue::pushBack(Task &T) {
  Level &L = levelOf(T.Priority);
  T.PolicyNext = nullptr;
  if (L.Tail)
    L.Tail->PolicyNext = &T;
  else
    L.Head = &T;
  L.Tail = &T;
}

void TaskQueue::pushFront(Task &T) {
  Level &L = levelOf(T.Priority);
  T.PolicyNext = L.Head;
  L.Head = &T;
  if (!L.Tail)
    L.Tail = &T;
}

Task *TaskQueue::popFront() {
  if (Levels.empty())
    return nullptr;
  Level &L = Levels.begin()->second;
  Task *T = L.Head;
  L.Head = T->PolicyNext;
  T->PolicyNext = nullptr;
  if (!L.Head)
    Spare = Levels.extract(Levels.begin());
  return T;
}

Task *TaskQueue::popMatching(const std::function<bool(const Task &)> &Wanted) {
  for (auto It = Levels.begin(); It != Levels.end(); ++It)
    for (Task *Before = nullptr, *T = It->second.Head; T; Before = T, T = T->PolicyNext) {
      if (!Wanted(*T))
        continue;
      (Before ? Before->PolicyNext : It->second.Head) = T->PolicyNext;
      if (It->second.Tail == T)
        It->second.Tail = Before;
      T->PolicyNext = nullptr;
      if (!It->second.Head)
        Spare = Levels.extract(It);
      return T;
    }
  return nullptr;
}

} // namespace hsched::rt
