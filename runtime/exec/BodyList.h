// The bodies of tasks without a node that a thread runs now, for the watchdog.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls and bundle items are not in the watchdog's table: its lock would cost more than the task. Their thread keeps
// them in a list of its own, which the watchdog reads without a lock. The result is exact for a thread that makes no
// progress and may be stale otherwise.
#ifndef HSCHED_EXEC_BODYLIST_H
#define HSCHED_EXEC_BODYLIST_H

#include <atomic>
#include <cstdint>

namespace hsched::rt {

class BodyList {
public:
  static constexpr uint32_t MostNamed = 16; // Deeper bodies are counted, not named.

  // --- by the thread that has the list

  // Name lives as long as the program.
  void begin(const char *Name) {
    const uint32_t N = Depth.load(std::memory_order_relaxed);
    if (N < MostNamed)
      Names[N].store(Name, std::memory_order_relaxed);
    move(N + 1);
  }
  void end() { move(Depth.load(std::memory_order_relaxed) - 1); }

  // --- any thread

  uint32_t depth() const { return Depth.load(std::memory_order_acquire); }
  const char *name(uint32_t I) const { // I < depth(), read before.
    return I < MostNamed ? Names[I].load(std::memory_order_relaxed) : "...";
  }
  // Changes whenever a body begins or ends.
  uint64_t moves() const { return Moves.load(std::memory_order_relaxed); }

  std::atomic<int> Thread{0}; // Kernel thread id of the list's owner. 0: no owner yet.

private:
  void move(uint32_t To) {
    Moves.store(Moves.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    Depth.store(To, std::memory_order_release);
  }

  std::atomic<uint64_t> Moves{0};
  std::atomic<uint32_t> Depth{0};
  std::atomic<const char *> Names[MostNamed]{};
};

} // namespace hsched::rt
#endif
