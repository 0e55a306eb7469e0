// Shared loops: threads share the iterations, without tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   loopBegin -> serial: the caller runs the loop, loopEnd
//             -> loopRun: open a LoopSlot -> workers join it, in rest() -> all take iterations -> close, wait
//
// The iterations are divided into one part for each worker that may join. A thread takes from its own part first, so
// that successive loops find their data in its cache, then from the others'. The submitting thread never waits for a
// worker that has not joined. The bounds here come from measurements: docs/decisions/0035.
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

// A running loop. The team owns the slots and reuses them: a worker that comes late finds the slot closed.
struct LoopSlot {
  static constexpr unsigned MostParts = 64;
  static constexpr uint32_t Open = 1u << 31,
                            Awaited = 1u << 30; // Bits of State, which also holds the number of workers in the loop.

  struct alignas(64) Part {
    std::atomic<uint64_t> Next{0};
    uint64_t End = 0;
  };

  alignas(64) std::atomic<uint32_t> State{0};
  std::atomic<bool> Taken{false};
  std::atomic<bool> Cancelled{false};
  // Written before the slot opens, constant while it is open.
  hsched_shared_loop *Loop = nullptr;
  void (*Work)(void *, hsched_loop_share *) = nullptr;
  void *Closure = nullptr;
  TaskNode *Context = nullptr; // The task whose body runs the loop.
  WorkerId Owner = 0;          // Worker of the thread that submits it.
  unsigned NumParts = 0;
  uint64_t Least = 1; // Iterations at a time.
  bool Exact = false; // Chunks are exactly that large.
  bool Steal = true;  // Workers also take from the parts of others.
  bool Long = false;  // Not known to be short. A worker in it does not count as idle.
  std::array<Part, MostParts> Parts;

  std::mutex FailureLock;
  std::exception_ptr Failure; // The first exception of a worker; guarded by FailureLock.

  void fail(std::exception_ptr What);
  bool take(hsched_loop_share &Share, uint64_t &First, uint64_t &Count);
};

// Decides which loops are shared, and holds their slots.
class LoopTeam {
public:
  static constexpr unsigned NumSlots = 4;
  // Takes a free slot; nested loops have slots of their own.
  LoopSlot *takeSlot();
  static void giveSlot(LoopSlot &S) { S.Taken.store(false, std::memory_order_release); }
  // A worker joins an open loop; null: there is none.
  LoopSlot *join();
  static void leave(LoopSlot &S);
  // By the submitter: no worker may join any more. Returns when all have left.
  static void close(LoopSlot &S);

  enum class Way {
    Serial,
    Shared, // Joined by searching workers, and by workers that are woken if it is long.
    Call    // Runs serially, and workers are woken because loops like it come often.
  };
  Way wayOf(hsched_shared_loop &L, uint64_t N, int64_t Now);
  void ended(int64_t Now) { LastEnd.store(Now, std::memory_order_relaxed); }
  // True if a worker without tasks should search for loops.
  bool wanted(int64_t Now) const { return Now < LookUntil.load(std::memory_order_relaxed); }
  void want(int64_t Now);

  unsigned numWorkers() const { return NumWorkers.load(std::memory_order_relaxed); }
  std::atomic<unsigned> NumWorkers{1}; // Number of CPU workers seen.
  std::atomic<size_t> SeenWorkers{0};
  std::atomic<unsigned> NumLooking{0}; // Number of workers that search for loops.

private:
  std::array<LoopSlot, NumSlots> Slots;
  std::atomic<uint32_t> MostSlot{0}; // Number of slots ever taken.
  std::atomic<int64_t> LookUntil{0};
  std::atomic<int64_t> LastEnd{0};
  std::atomic<int64_t> Saved{0}; // Time that sharing the last loops would have saved, minus the cost of the search.
};

// In hsched_shared_loop::state. Times are in picoseconds an iteration; 0: not known. Any thread, relaxed.
enum class LoopState : unsigned {
  Serial,
  Chunk,
  Runs,
  Balance // Signed: nanoseconds that sharing has saved.
};
std::atomic_ref<unsigned long long> stateOf(hsched_shared_loop &L, LoopState Which);
void noteLoop(hsched_shared_loop &L, LoopState Which, uint64_t N, int64_t Nanoseconds);
// Records the time of the loop's N iterations, shared or serial.
void noteLoopWay(hsched_shared_loop &L, uint64_t N, int64_t Nanoseconds, bool Shared);

} // namespace hsched::rt

// The ABI's opaque type.
struct hsched_loop_share {
  hsched::rt::LoopSlot *Slot = nullptr; // Null: no other worker runs the loop.
  unsigned Part = 0, Tried = 0;
  // While the submitter is alone: remaining iterations [Done, All), and its last chunk.
  uint64_t Done = 0, All = 0, Last = 0;
  bool Alone = true;
  bool Probing = false;
  bool Steals = true;
  hsched::rt::Executor *Of = nullptr;
  int64_t Began = 0;
};

#endif
