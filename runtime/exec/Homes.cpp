// Marks of the workers that wrote data, and the lists of tasks with a home.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Homes.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace hsched::rt {

WorkerId Homes::of(const Footprint &Data) const {
  const Table *Known = Marks.load(std::memory_order_acquire);
  if (!Known)
    return NoWorker;
  std::array<uint8_t, Footprint::Most> Marked{};
  std::array<unsigned, Footprint::Most> Votes{};
  unsigned Best = 0;
  for (unsigned I = 0; I < Footprint::Most && Data.Sections[I]; ++I) {
    Marked[I] = (*Known)[Footprint::nameOf(Data.Sections[I])].load(std::memory_order_relaxed);
    if (!Marked[I])
      continue;
    const unsigned Weight = std::popcount(unsigned(Data.Sections[I]) / Footprint::Reads);
    for (unsigned J = 0; J <= I; ++J)
      if (Marked[J] == Marked[I]) { // The first section of this worker.
        Votes[J] += Weight;
        break;
      }
  }
  for (unsigned I = 1; I < Footprint::Most; ++I)
    if (Votes[I] > Votes[Best]) // If votes are equal, the larger section decides.
      Best = I;
  return Votes[Best] ? WorkerId(Marked[Best] - 1) : NoWorker;
}

void Homes::ran(const Footprint &Data, WorkerId W) {
  if (W >= UINT8_MAX)
    return;
  Table *Known = Marks.load(std::memory_order_acquire);
  if (!Known) [[unlikely]] {
    auto *Made = new (std::nothrow) Table{};
    if (!Made) // Tasks have no homes.
      return;
    if (Marks.compare_exchange_strong(Known, Made))
      Known = Made;
    else
      delete Made;
  }
  // A task that reads more sections than it writes gathers neighbours' blocks, which stay where they are.
  const auto writes = [](uint16_t Section) { return (Section & Footprint::Writes) != 0; };
  const auto Written = std::ranges::count_if(Data.Sections, writes);
  const bool Gathers = std::ranges::count_if(Data.Sections, [](uint16_t S) { return S != 0; }) > 2 * Written;
  for (const uint16_t Section : Data.Sections)
    if (Section && (!Gathers || writes(Section))) {
      std::atomic<uint8_t> &Mark = (*Known)[Footprint::nameOf(Section)];
      if (Mark.load(std::memory_order_relaxed) != W + 1) // Other workers' caches keep the line.
        Mark.store(static_cast<uint8_t>(W + 1), std::memory_order_relaxed);
    }
}

void Homes::push(WorkerId W, TaskNode &T) {
  List &L = Lists[W];
  std::lock_guard Guard(L.Lock);
  T.NextReady = nullptr;
  T.PolicyNext = L.Newest;
  (L.Newest ? L.Newest->NextReady : L.Oldest) = &T;
  L.Newest = &T;
  L.Count.store(L.Count.load(std::memory_order_relaxed) + 1);
}

TaskNode *Homes::List::take(TaskNode *T) {
  TaskNode *Older = before(*T), *Newer = T->NextReady;
  (Older ? Older->NextReady : Oldest) = Newer;
  if (Newer)
    Newer->PolicyNext = Older;
  else
    Newest = Older;
  T->NextReady = nullptr;
  T->PolicyNext = nullptr;
  Count.store(Count.load(std::memory_order_relaxed) - 1);
  return T;
}

TaskNode *Homes::takeOwn(WorkerId W) {
  List &L = Lists[W];
  std::lock_guard Guard(L.Lock);
  return L.Oldest ? L.take(L.Oldest) : nullptr;
}

TaskNode *Homes::takeOlder(WorkerId W, const TaskNode &Than) {
  List &L = Lists[W];
  std::lock_guard Guard(L.Lock);
  TaskNode *T = L.Oldest;
  return T && T->Parent == Than.Parent && T->Id < Than.Id ? L.take(T) : nullptr;
}

TaskNode *Homes::steal(WorkerId Victim, uint32_t Least) {
  List &L = Lists[Victim];
  if (L.Count.load() < Least)
    return nullptr;
  std::lock_guard Guard(L.Lock);
  return L.Newest && L.Count.load(std::memory_order_relaxed) >= Least ? L.take(L.Newest) : nullptr;
}

} // namespace hsched::rt
