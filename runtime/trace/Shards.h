// Sharded storage for concurrent appends.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TRACE_SHARDS_H
#define HSCHED_TRACE_SHARDS_H

#include <array>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <vector>

namespace hsched::rt {

// Moves all elements of From to the end of To.
template <class T> void moveAll(std::vector<T> &From, std::vector<T> &To) {
  To.insert(To.end(), std::make_move_iterator(From.begin()), std::make_move_iterator(From.end()));
  From = {};
}

// The calling thread's number, shared by all Shards, because a library that is loaded late has little thread-local
// storage.
inline size_t shardOfThread() {
  static std::atomic<size_t> Next{0};
  thread_local size_t Index = Next++;
  return Index;
}

// Part is default-constructible. Any thread.
template <class Part> class Shards {
public:
  // Calls Use(Part &) on the calling thread's part, or on that of Index, with the part's lock held.
  template <class Function> void withOwn(Function Use) { with(shardOfThread(), Use); }
  template <class Function> void with(size_t Index, Function Use) {
    Shard &S = All[Index % All.size()];
    std::lock_guard Guard(S.Lock);
    Use(S.Value);
  }
  template <class Function> void forEach(Function Use) {
    for (size_t I = 0; I < All.size(); ++I)
      with(I, Use);
  }

private:
  struct alignas(64) Shard {
    std::mutex Lock;
    Part Value;
  };
  std::array<Shard, 64> All;
};

} // namespace hsched::rt
#endif
