// Which bodies of tasks without a node a thread is in just now, for the watchdog.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls and items of bundles are not in the watchdog's book, whose lock would cost more than they do. Their thread
// notes them in a list of its own, and the watchdog looks at it from outside: what it sees while the thread moves may
// be out of date, what it sees of a thread that stands still is exact.
#ifndef HSCHED_EXEC_BODYLIST_H
#define HSCHED_EXEC_BODYLIST_H

#include <atomic>
#include <cstdint>

namespace hsched::rt {

class BodyList {
public:
  static constexpr uint32_t MostNamed = 16; // Deeper ones are counted.

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
  const char *name(uint32_t I) const { // I < depth(), as it was.
    return I < MostNamed ? Names[I].load(std::memory_order_relaxed) : "...";
  }
  // Changes whenever a body begins or ends.
  uint64_t moves() const { return Moves.load(std::memory_order_relaxed); }

  std::atomic<int> Thread{0}; // The kernel's number of the thread that has the list; 0: nobody has had it.

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
