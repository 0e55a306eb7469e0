// The order in which a worker steals from queues: nearest first, by the caches that their cores share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_STEALORDER_H
#define HSCHED_EXEC_STEALORDER_H

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace hsched::rt {

// Used by one thread.
class StealOrder {
public:
  // Distances: by queue, the distance of its thread. Known: the new value of known().
  void set(std::span<const uint32_t> Distances, uint64_t Known) {
    Queues.resize(Distances.size());
    std::iota(Queues.begin(), Queues.end(), 0u);
    std::ranges::sort(Queues, {}, [&](unsigned Q) { return std::pair(Distances[Q], Q); });
    Groups.clear();
    for (unsigned I = 0; I < Queues.size(); ++I)
      if (I == 0 || Distances[Queues[I]] != Distances[Queues[I - 1]])
        Groups.push_back({I, I + 1, I});
      else
        Groups.back().End = I + 1;
    KnownFrom = Known;
  }
  uint64_t known() const { return KnownFrom; }

  // Calls Rob(queue) for each queue until it returns true. Returns whether one did. Among equal distances it starts
  // with the queue that was robbed last.
  template <class Fn> bool find(Fn Rob) {
    for (Group &G : Groups)
      for (unsigned I = 0, N = G.End - G.Begin; I < N; ++I) {
        unsigned At = G.Last + I < G.End ? G.Last + I : G.Last + I - N;
        if (Rob(Queues[At])) {
          G.Last = At;
          return true;
        }
      }
    return false;
  }

private:
  struct Group { // Range [Begin, End) of Queues.
    unsigned Begin, End, Last;
  };
  std::vector<unsigned> Queues;
  std::vector<Group> Groups;
  uint64_t KnownFrom = 0;
};

} // namespace hsched::rt
#endif
