// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/RecurringShapes.h"

#include <algorithm>
#include <utility>

namespace hsched::rt {

void RecurringShapes::Shape::clear() {
  Kinds.clear();
  Edges.clear();
  Paths.clear();
}

void RecurringShapes::Shape::addEdges(const std::vector<Edge> &More) {
  Edges.insert(Edges.end(), More.begin(), More.end());
  std::ranges::sort(Edges);
  Edges.erase(std::ranges::unique(Edges).begin(), Edges.end());
}

void RecurringShapes::Shape::computePaths() {
  Paths.assign(Kinds.size(), 0);
  size_t E = Edges.size();
  for (size_t I = Kinds.size(); I > 0; --I) { // Successors have greater positions.
    Ns Longest = 0;
    for (; E > 0 && Edges[E - 1].first == I - 1; --E)
      Longest = std::max(Longest, Paths[Edges[E - 1].second]);
    Paths[I - 1] = Longest + (Kinds[I - 1] ? Kinds[I - 1]->Nanoseconds.load(std::memory_order_relaxed) : 0);
  }
}

void RecurringShapes::begins(TaskId Id) {
  const bool Whole = std::exchange(Compared, false); // Stays so if memory is exhausted.
  if (Whole && Present.Kinds.size() >= LeastTasks)
    finish();
  Present.clear();
  Repeated = None;
  First = Id;
  Compared = true;
  ++Graphs;
}

void RecurringShapes::finish() {
  if (Repeated != None && Known[Repeated].Kinds.size() == Present.Kinds.size()) {
    Shape &S = Known[Repeated];
    S.addEdges(Present.Edges);
    if (S.Edges.size() > MostEdges)
      return S.clear();
    S.computePaths();
    S.Used = Graphs;
    return;
  }
  Shape &S = *std::ranges::min_element(Known, {}, &Shape::Used);
  S.clear();
  S.Used = 0;
  S.addEdges(Present.Edges);
  S.Kinds = Present.Kinds;
  S.computePaths();
  S.Used = Graphs;
}

unsigned RecurringShapes::findLike() const {
  unsigned Best = None;
  for (unsigned I = 0; I < MostShapes; ++I) {
    const Shape &S = Known[I];
    if (S.Kinds.size() >= Present.Kinds.size() && (Best == None || S.Used > Known[Best].Used) &&
        std::equal(Present.Kinds.begin(), Present.Kinds.end(), S.Kinds.begin()))
      Best = I;
  }
  return Best;
}

void RecurringShapes::submitted(TaskId Id, const KindTime &K) {
  if (!Compared)
    return;
  std::vector<const KindTime *> &Kinds = Present.Kinds;
  if (Id < First + Kinds.size() || Id - First >= MostTasks) {
    Compared = false;
    return;
  }
  const size_t At = static_cast<size_t>(Id - First), Was = Kinds.size();
  Kinds.resize(At + 1);
  Kinds[At] = &K;
  const bool New = Was == 0;
  if (Repeated == None ? New
                       : At >= Known[Repeated].Kinds.size() ||
                             !std::equal(Kinds.begin() + static_cast<std::ptrdiff_t>(Was), Kinds.end(),
                                         Known[Repeated].Kinds.begin() + static_cast<std::ptrdiff_t>(Was)))
    Repeated = findLike();
}

void RecurringShapes::edge(TaskId From, TaskId To) {
  if (!Compared || From < First || To < First || To - First >= Present.Kinds.size() || From >= To)
    return;
  if (Present.Edges.size() == MostEdges) {
    Compared = false;
    return;
  }
  Present.Edges.emplace_back(static_cast<uint32_t>(From - First), static_cast<uint32_t>(To - First));
}

RecurringShapes::Ns RecurringShapes::pathFrom(TaskId Id) const {
  if (!Compared || Repeated == None || Id < First)
    return 0;
  const std::vector<Ns> &Paths = Known[Repeated].Paths;
  const uint64_t At = Id - First;
  return At < Present.Kinds.size() && At < Paths.size() ? Paths[static_cast<size_t>(At)] : 0;
}

} // namespace hsched::rt
