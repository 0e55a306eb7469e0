// Counts of a thread's short runs that were not timed, for an observer that counts runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_RUNCOUNTS_H
#define HSCHED_EXEC_RUNCOUNTS_H

#include "base/SizeClass.h"
#include "graph/TaskType.h"

#include <array>
#include <atomic>
#include <utility>

namespace hsched::rt {

// Counters of one thread. of(): by that thread; forEach: any thread.
class RunCounts {
public:
  struct Entry {
    const TaskType &Type;
    const Version &V;
    const SizeClass Size;
    Entry *const Next;
    // Runs left before the next timed one; length of the present interval; untimed runs of earlier intervals. Written
    // by the thread.
    std::atomic<uint32_t> Rest{0}, Before{0};
    std::atomic<uint64_t> Earlier{0};

    // True if this run must be timed. Otherwise counts it.
    bool isTimed() {
      const uint32_t Left = Rest.load(std::memory_order_relaxed);
      if (Left == 0)
        return true;
      Rest.store(Left - 1, std::memory_order_relaxed);
      return false;
    }
    void uncount() { Rest.store(Rest.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
    // Sets the interval after a timed run.
    void restFor(uint32_t Runs) {
      Earlier.store(untimed(), std::memory_order_relaxed);
      Before.store(Runs, std::memory_order_relaxed);
      Rest.store(Runs, std::memory_order_relaxed);
    }
    // Exact while the thread runs no task.
    uint64_t untimed() const {
      return Earlier.load(std::memory_order_relaxed) + Before.load(std::memory_order_relaxed) -
             Rest.load(std::memory_order_relaxed);
    }
  };

  ~RunCounts() {
    for (Entry *E = First.load(); E;)
      delete std::exchange(E, E->Next);
  }

  Entry &of(const TaskType &Type, const Version &V, SizeClass Size) {
    Entry *&Latest = Recent[(Type.Id * 7 + V.Index + (Size ^ Size >> 7 ^ Size >> 52)) % Recent.size()];
    if (!Latest || &Latest->V != &V || Latest->Size != Size) [[unlikely]]
      Latest = &find(Type, V, Size);
    return *Latest;
  }

  template <class Fn> void forEach(Fn Visit) {
    for (Entry *E = First.load(std::memory_order_acquire); E; E = E->Next)
      Visit(*E);
  }

private:
  [[gnu::noinline]] Entry &find(const TaskType &Type, const Version &V, SizeClass Size) {
    Entry *Front = First.load(std::memory_order_relaxed);
    for (Entry *E = Front; E; E = E->Next)
      if (&E->V == &V && E->Size == Size)
        return *E;
    auto *Made = new Entry{Type, V, Size, Front};
    First.store(Made, std::memory_order_release);
    return *Made;
  }

  std::array<Entry *, 64> Recent{};
  std::atomic<Entry *> First{nullptr};
};

} // namespace hsched::rt
#endif
