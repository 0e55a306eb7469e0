// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Exclusion.h"

#include <algorithm>

namespace hsched::rt {

TaskNode *Exclusion::conflicting(const TaskNode &T) const {
  for (auto [Begin, End] : T.Groups->Ranges) {
    auto It = Occupied.upper_bound(Begin);
    if (It != Occupied.begin() && std::prev(It)->second.first > Begin)
      return std::prev(It)->second.second;
    if (It != Occupied.end() && It->first < End)
      return It->second.second;
  }
  return nullptr;
}

void Exclusion::hold(TaskNode &T) {
  for (auto [Begin, End] : T.Groups->Ranges)
    Occupied.emplace(Begin, std::pair(End, &T));
  T.Groups->Occupies = true;
}

// Parks First to Last, linked by NextReady, with Holder.
void Exclusion::park(TaskNode &Holder, TaskNode &First, TaskNode &Last) {
  GroupState &G = *Holder.Groups;
  (G.ParkedLast ? G.ParkedLast->NextReady : G.ParkedFirst) = &First;
  G.ParkedLast = &Last;
  Last.NextReady = nullptr;
}

bool Exclusion::take(TaskNode &T) {
  std::lock_guard Guard(Lock);
  if (T.Groups->Occupies)
    return true;
  if (TaskNode *Holder = conflicting(T)) {
    park(*Holder, T, T);
    return false;
  }
  hold(T);
  return true;
}

TaskNode *Exclusion::give(TaskNode &T) {
  GroupState &G = *T.Groups;
  std::lock_guard Guard(Lock);
  if (!std::exchange(G.Occupies, false))
    return nullptr;
  for (auto [Begin, End] : G.Ranges)
    Occupied.erase(Begin);

  TaskNode *First = nullptr, **Tail = &First;
  TaskNode *Last = std::exchange(G.ParkedLast, nullptr);
  for (TaskNode *P = std::exchange(G.ParkedFirst, nullptr); P;) {
    TaskNode *Next = P->NextReady;
    TaskNode *Holder = conflicting(*P);
    if (!Holder) {
      hold(*P);
      P->NextReady = nullptr;
      *Tail = P;
      Tail = &P->NextReady;
    } else if (std::ranges::includes(Holder->Groups->Ranges, G.Ranges)) {
      // It blocks every task that T blocked, so many tasks on one datum cost no more than few.
      park(*Holder, *P, *Last);
      break;
    } else {
      park(*Holder, *P, *P);
    }
    P = Next;
  }
  return First;
}

} // namespace hsched::rt
