// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/WorkLists.h"

#include <algorithm>

namespace hsched::rt {

void WorkLists::start(PolicyHost &H) {
  Host = &H;
  Busy = &H.loads();
  Lists = std::deque<List>(H.mostWorkers());
  Links = std::deque<LinkQueue>(H.mostWorkers());
}

void WorkLists::note(Task &T, const Plan &P) {
  T.Chosen = P.V;
  T.ChosenWorker = P.W;
  T.Predicted = Duration(P.Run);
  T.PolicyNote = isCpu(P.W) ? static_cast<uint16_t>(P.OnlyCores * OnlyCores + P.Checked * Checked + age() * FirstOfAge)
                            : noted(P.Travel);
  if (P.Measures)
    T.PolicyNote |= Measures;
}

void WorkLists::count(const Plan &P) {
  (*Busy)[P.W].queue(P.Run);
  Lists[listOf(P.W)].Queued.fetch_add(1);
  if (!isCpu(P.W))
    Links[P.W].queue(noted(P.Travel) * Unit);
}

void WorkLists::put(Task &T, const Plan &P, ClassMask Able, ReadyList::Key Key) {
  note(T, P);
  if (isCpu(P.W) && P.OnlyCores) {
    const int Are = NumOnlyCores.fetch_add(1, std::memory_order_relaxed) + 1;
    const Ns Work = OnlyCoresWork.fetch_add(T.Predicted.count(), std::memory_order_relaxed) + T.Predicted.count();
    Kept.store(std::max<double>(Kept.load(std::memory_order_relaxed), Are), std::memory_order_relaxed);
    KeptWork.store(std::max(KeptWork.load(std::memory_order_relaxed), static_cast<double>(Work)),
                   std::memory_order_relaxed);
  }
  retryUntilAllocated([&] { Lists[listOf(P.W)].Tasks.push(T, Able, false, Key); });
}

void WorkLists::leaves(const Task &T) {
  const WorkerId W = T.ChosenWorker;
  Lists[listOf(W)].Queued.fetch_sub(1);
  (*Busy)[W].unqueue(T.Predicted.count());
  if (!isCpu(W))
    Links[W].unqueue(travelOf(T));
}

void WorkLists::begin(Task &T, WorkerId W, Ns Left) {
  if (!isCpu(W) && T.PolicyNote)
    Links[W].begin(travelOf(T), Left, now());
  T.ChosenWorker = W;
  (*Busy)[W].begin(T.Predicted.count(), now());
}

void WorkLists::begin(Task &T, const Plan &P) {
  note(T, P);
  if (!isCpu(P.W))
    Links[P.W].begin(P.Travel, now());
  (*Busy)[P.W].begin(P.Run, now());
}

void WorkLists::forget(const Task &T) {
  if (!isCpu(T.ChosenWorker) || !(T.PolicyNote & OnlyCores))
    return;
  NumOnlyCores.fetch_sub(1, std::memory_order_relaxed);
  OnlyCoresWork.fetch_sub(T.Predicted.count(), std::memory_order_relaxed);
}

// Every other task on a core slightly lowers the number of kept cores.
void WorkLists::end(const Task &T, WorkerId W, Ns Ran) {
  (*Busy)[W].end(T.Predicted.count(), now());
  if (!isCpu(W))
    return;
  if (!(T.PolicyNote & OnlyCores))
    for (std::atomic<double> *Of : {&Kept, &KeptWork})
      Of->store(Of->load(std::memory_order_relaxed) * (1 - 1.0 / 32), std::memory_order_relaxed);
  else // Its time may have been unknown.
    KeptWork.store(std::max(KeptWork.load(std::memory_order_relaxed), static_cast<double>(Ran)),
                   std::memory_order_relaxed);
  forget(T);
}

} // namespace hsched::rt
