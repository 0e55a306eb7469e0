// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/GraphAhead.h"

#include <algorithm>

namespace hsched::rt {

static GraphAhead::Ns deviceTime(const GraphAhead::Kind &K) {
  return K.OnDevice.load(std::memory_order_relaxed) ? K.Nanoseconds.load(std::memory_order_relaxed) : 0;
}

static GraphAhead::Ns coreTime(const GraphAhead::Kind &K) {
  const GraphAhead::Ns Known = K.OnCore.load(std::memory_order_relaxed);
  return Known ? Known : K.Assumed.load(std::memory_order_relaxed);
}

bool GraphAhead::submitted(TaskId Id, const Kind &K) {
  std::lock_guard Guard(Lock);
  const bool Alone = Outstanding == 0;
  if (Alone) {
    Nodes.clear();
    Edges.clear();
    First = Id;
    Work = 0;
  }
  if (Id < First) // Another thread, with a later task, came first.
    return false;
  while (Id - First >= MostTasks) {
    if (Nodes.empty()) {
      First = Id;
      break;
    }
    if (Nodes.front().K)
      --Outstanding;
    Nodes.pop_front();
    ++First;
  }
  if (Id - First >= Nodes.size())
    Nodes.resize(static_cast<size_t>(Id - First) + 1);
  Nodes[static_cast<size_t>(Id - First)].K = &K;
  ++Outstanding;
  ++Changes;
  Work += deviceTime(K);
  if (Alone)
    Shapes.begins(Id);
  Shapes.submitted(Id, K);
  return Alone;
}

void GraphAhead::edge(TaskId From, TaskId To) {
  std::lock_guard Guard(Lock);
  if (Node *N = find(From); N && N->K && find(To))
    Edges.push_back({From, To});
  Shapes.edge(From, To);
}

void GraphAhead::begun(TaskId Id) {
  std::lock_guard Guard(Lock);
  if (Node *N = find(Id))
    N->Begun = true;
}

void GraphAhead::ended(TaskId Id) {
  std::lock_guard Guard(Lock);
  Node *N = find(Id);
  if (!N || !N->K)
    return;
  Work = std::max<Ns>(0, Work - deviceTime(*N->K));
  if (N->Blocked)
    Blocked = std::max<Ns>(0, Blocked - deviceTime(*N->K));
  Changes += N->Delayed ? ComputesAfter : 1; // The tasks that it blocked are free.
  *N = {};
  --Outstanding;
  while (!Nodes.empty() && !Nodes.front().K) {
    Nodes.pop_front();
    ++First;
  }
  while (!Edges.empty() && Edges.front().From < First)
    Edges.pop_front();
}

void GraphAhead::timesKnown() {
  std::lock_guard Guard(Lock);
  Changes = Outstanding + 1;
}

// Adds the unblocked successors of Id to Marked, until their work exceeds Most. Returns that work; a value above Most
// if there are too many.
GraphAhead::Ns GraphAhead::mark(TaskId Id, Ns Most, std::vector<TaskId> &Marked, size_t AtMost) {
  Ns Sum = 0;
  const size_t Begin = Marked.size();
  auto visit = [&](const Node &N) {
    for (uint32_t I = N.Begin; I < N.End && Sum <= Most; ++I)
      if (Node *To = find(Successors[I]); To && To->K && !To->Blocked) {
        To->Blocked = true;
        Sum += deviceTime(*To->K);
        Marked.push_back(Successors[I]);
      }
  };
  if (const Node *N = find(Id))
    visit(*N);
  for (size_t I = Begin; I < Marked.size() && Sum <= Most; ++I) {
    if (Marked.size() > Begin + AtMost)
      return Most + 1;
    visit(*find(Marked[I]));
  }
  return Sum;
}

void GraphAhead::refresh() {
  if (Changes * ComputesAfter <= Outstanding)
    return;
  Successors.reserve(Edges.size()); // Throws before anything has changed.
  Changes = 0;
  Computations.fetch_add(1, std::memory_order_relaxed);
  Work = Blocked = 0;
  while (!Edges.empty() && !find(Edges.front().From))
    Edges.pop_front();
  for (Node &N : Nodes) {
    N.Blocked = N.Delayed;
    N.Begin = N.End = 0;
    if (N.K)
      Work += deviceTime(*N.K);
    if (N.Delayed)
      Blocked += deviceTime(*N.K);
  }
  // Adjacency list: count the successors, then assign offsets, then fill in.
  for (const Edge &E : Edges)
    if (Node *From = find(E.From))
      ++From->End;
  uint32_t At = 0;
  for (Node &N : Nodes) {
    N.Begin = At;
    At += N.End;
    N.End = N.Begin;
  }
  Successors.resize(At);
  for (const Edge &E : Edges)
    if (Node *From = find(E.From))
      Successors[From->End++] = E.To;
  Ns Longest = 0;
  for (size_t I = Nodes.size(); I > 0; --I) { // Successors have greater ids.
    Node &N = Nodes[I - 1];
    N.Path = N.CorePath = N.CoreBefore = 0;
    for (uint32_t J = N.Begin; J < N.End; ++J)
      if (const Node *To = find(Successors[J])) {
        N.Path = std::max(N.Path, To->Path);
        N.CorePath = std::max(N.CorePath, To->CorePath);
      }
    if (N.K) {
      N.Path += N.K->Nanoseconds.load(std::memory_order_relaxed);
      N.CorePath += coreTime(*N.K);
    }
    if (!N.Begun)
      Longest = std::max(Longest, N.CorePath);
  }
  Ns CoreWork = 0, Tight = 0;
  size_t Tasks = 0, Dependences = 0;
  bool OnlyDevices = false;
  for (Node &N : Nodes) {
    if (!N.K || N.Begun)
      continue;
    const Ns Takes = coreTime(*N.K);
    ++Tasks;
    Dependences += N.End - N.Begin;
    for (uint32_t J = N.Begin; J < N.End; ++J)
      if (Node *To = find(Successors[J]))
        To->CoreBefore = std::max(To->CoreBefore, N.CoreBefore + Takes);
    CoreWork += Takes;
    OnlyDevices |= N.K->OnlyDevices.load(std::memory_order_relaxed);
    if (N.CoreBefore + N.CorePath + Takes + Takes / Differ >= Longest)
      Tight += Takes;
  }
  InWaves = CoreWork > 0 && !OnlyDevices && static_cast<double>(Tight) >= NearlyAll * static_cast<double>(CoreWork) &&
            static_cast<double>(Dependences) >= OnSeveral * static_cast<double>(Tasks);
  CoreWidth = Longest > 0 ? static_cast<double>(CoreWork) / static_cast<double>(Longest) : 0;
  std::vector<TaskId> Marked;
  for (size_t I = 0; I < Nodes.size(); ++I)
    if (Nodes[I].Delayed)
      Blocked += mark(First + I, Work, Marked, Marked.size() + Nodes.size());
}

GraphAhead::Ns GraphAhead::pathFrom(TaskId Id) {
  std::lock_guard Guard(Lock);
  refresh();
  const Node *N = find(Id);
  return std::max(N ? N->Path : 0, Shapes.pathFrom(Id));
}

GraphAhead::Ns GraphAhead::deviceWork() {
  std::lock_guard Guard(Lock);
  refresh();
  return Work;
}

GraphAhead::OnCores GraphAhead::onCores(TaskId Id) {
  std::lock_guard Guard(Lock);
  refresh();
  const Node *N = find(Id);
  return {N ? N->CorePath : 0, CoreWidth, InWaves};
}

bool GraphAhead::holdUp(TaskId Id, Ns Takes, unsigned Devices) {
  std::lock_guard Guard(Lock);
  refresh();
  Node *N = find(Id);
  if (!N || !N->K)
    return false;
  const Ns Spare = Work - Blocked - deviceTime(*N->K) - Takes * Devices;
  if (Spare < 0)
    return false;
  std::vector<TaskId> Marked;
  const Ns Sum = mark(Id, Spare, Marked, MostMarked);
  if (Sum > Spare) {
    for (TaskId Each : Marked)
      find(Each)->Blocked = false;
    return false;
  }
  Blocked += Sum + deviceTime(*N->K);
  N->Delayed = N->Blocked = true;
  return true;
}

} // namespace hsched::rt
