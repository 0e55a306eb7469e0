// Loops whose iterations are shared out among threads: no task is made.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   loopBegin -> serial: the caller runs the loop, loopEnd
//             -> loopRun: open a LoopSlot -> workers join it, in rest() -> all take iterations -> close, wait
//
// The iterations are divided into one part for each worker that may come. A thread takes from its own part first, so
// that successive loops over the same data find them in its cache, then from the others'. Whoever submits the loop
// never waits for a worker that has not come. docs/decisions/0035 has the figures that the bounds here are from.
#ifndef HSCHED_EXEC_LOOPS_H
#define HSCHED_EXEC_LOOPS_H

#include "base/Clock.h"
#include "base/Ids.h"
#include "graph/TaskGraph.h"
#include <hsched/abi.h>

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace hsched::rt {

class Executor;

// A loop that is under way. In the team for good, used again and again: who looks late finds it closed.
struct LoopSlot {
  static constexpr unsigned MostParts = 64;
  static constexpr uint32_t Open = 1u << 31, Awaited = 1u << 30; // In State, beside the number of workers in the loop.

  struct alignas(64) Part {
    std::atomic<uint64_t> Next{0};
    uint64_t End = 0;
  };

  alignas(64) std::atomic<uint32_t> State{0};
  std::atomic<bool> Taken{false};
  std::atomic<bool> Cancelled{false};
  // Written before it is open, constant while it is.
  hsched_shared_loop *Loop = nullptr;
  void (*Work)(void *, hsched_loop_share *) = nullptr;
  void *Closure = nullptr;
  TaskNode *Context = nullptr; // Whose body the loop is in.
  WorkerId Owner = 0;          // Worker of the thread that submits it.
  unsigned NumParts = 0;
  uint64_t Least = 1; // Iterations at a time.
  bool Exact = false; // Neither more.
  bool Steal = true;  // Workers take from the parts of others, too.
  bool Long = false;  // Not known to be short: a worker in it is not idle.
  std::array<Part, MostParts> Parts;

  std::mutex FailureLock;
  std::exception_ptr Failure; // The first of a worker; guarded by FailureLock.

  void fail(std::exception_ptr What);
  bool take(hsched_loop_share &Share, uint64_t &First, uint64_t &Count);
};

// When a loop is shared out, and which loops there are.
class LoopTeam {
public:
  static constexpr unsigned NumSlots = 4;
  // A loop in another one, while its slot is needed by none.
  LoopSlot *takeSlot();
  static void giveSlot(LoopSlot &S) { S.Taken.store(false, std::memory_order_release); }
  // A worker joins an open loop; null: there is none.
  LoopSlot *join();
  static void leave(LoopSlot &S);
  // The submitter: nobody comes any more; returns when all have left.
  static void close(LoopSlot &S);

  enum class Way {
    Serial,
    Shared, // By who is looking, and by workers that are woken if it is long.
    Call    // Serial, and workers are woken because loops like it come often.
  };
  Way wayOf(hsched_shared_loop &L, uint64_t N, int64_t Now);
  void ended(int64_t Now) { LastEnd.store(Now, std::memory_order_relaxed); }
  // Whether a worker without tasks should look for loops.
  bool wanted(int64_t Now) const { return Now < LookUntil.load(std::memory_order_relaxed); }
  void want(int64_t Now);

  unsigned numWorkers() const { return NumWorkers.load(std::memory_order_relaxed); }
  std::atomic<unsigned> NumWorkers{1}; // For CPUs, of as many as were seen.
  std::atomic<size_t> SeenWorkers{0};
  std::atomic<unsigned> NumLooking{0}; // Workers.

private:
  std::array<LoopSlot, NumSlots> Slots;
  std::atomic<uint32_t> MostSlot{0}; // Slots ever taken.
  std::atomic<int64_t> LookUntil{0};
  std::atomic<int64_t> LastEnd{0};
  std::atomic<int64_t> Saved{0}; // What sharing out the last loops would have saved, less what looking would have cost.
};

// In hsched_shared_loop::state. Times are in picoseconds an iteration; 0: not known. Any thread, relaxed.
enum class LoopState : unsigned {
  Serial,
  Chunk,
  Runs,
  Balance // Signed: nanoseconds that sharing it out has saved.
};
std::atomic_ref<unsigned long long> stateOf(hsched_shared_loop &L, LoopState Which);
void noteLoop(hsched_shared_loop &L, LoopState Which, uint64_t N, int64_t Nanoseconds);
// The loop's N iterations took so long, shared out or not.
void noteLoopWay(hsched_shared_loop &L, uint64_t N, int64_t Nanoseconds, bool Shared);

} // namespace hsched::rt

// The ABI's.
struct hsched_loop_share {
  hsched::rt::LoopSlot *Slot = nullptr; // Null: nobody else works on the loop.
  unsigned Part = 0, Tried = 0;
  // Of the submitter while nobody else has been called: iterations [Done, All), and what it took last.
  uint64_t Done = 0, All = 0, Last = 0;
  bool Alone = true;
  bool Probing = false;
  bool Steals = true;
  hsched::rt::Executor *Of = nullptr;
  int64_t Began = 0;
};

#endif
