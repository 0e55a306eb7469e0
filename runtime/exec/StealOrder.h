// In which order a worker looks at other threads' queues: the nearest first, by what their cores share.
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

// One thread's.
class StealOrder {
public:
  // Distances: by queue, how far away its thread is. Known: what known() says from here on.
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

  // Rob(queue) for one queue after the other until it returns true, and whether it did. Of those that are as far away
  // as each other the one robbed last comes first, then those behind it.
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
  struct Group { // Of Queues: [Begin, End).
    unsigned Begin, End, Last;
  };
  std::vector<unsigned> Queues;
  std::vector<Group> Groups;
  uint64_t KnownFrom = 0;
};

} // namespace hsched::rt
#endif
