// Shared loops: threads share the iterations, without tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   loopBegin -> serial: the caller runs the loop, loopEnd
//             -> loopRun: open a LoopSlot -> workers join it, in rest() -> all take iterations -> close, wait
//
// The iterations are divided into one part for each worker that may join, and one for the submitter. Each part has its
// own cache line, which its worker polls while it searches for loops. So an opened loop reaches the worker with one
// transfer of the line, and its end reaches the submitter with another. No line is written by all workers. A thread
// takes from its own part first, so that successive loops find their data in its cache, then from the others'. The
// submitter never waits for a worker that has not joined: it takes that worker's part. The bounds here come from
// measurements: docs/decisions/0035 and 0056.
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
  static constexpr unsigned MostParts = 64, OwnLine = MostParts;
  // Bits of State, which also holds the number of workers in the loop.
  static constexpr uint32_t Open = 1u << 31, Awaited = 1u << 30;

  // A part, and whether its worker is in the loop. Two cache lines, because processors fetch lines in pairs.
  struct alignas(128) Line {
    static constexpr uint32_t Absent = 0, In = 1, AwaitedIn = 3;
    std::atomic<uint64_t> Left{0}; // Iterations not taken yet: the last ones before End.
    // Written by the submitter before Left, constant while a worker is in the loop.
    uint64_t End = 0;
    uint32_t Number = 0; // Number of the part.
    // Changed by that worker; the submitter marks that it waits. A worker enters before it takes iterations. The
    // submitter first sees that no part has iterations, then that all workers have left. So a worker that finds
    // iterations is in the loop.
    std::atomic<uint32_t> Presence{Absent};

    bool enter();
    void leave();
    void await(unsigned &Patience);
  };

  // For workers that join without a part: only while the loop is Joinable.
  alignas(128) std::atomic<uint32_t> State{0};
  std::atomic<bool> InUse{false};
  // Written before iterations can be taken, constant while a worker is in the loop.
  alignas(128) hsched_shared_loop *Loop = nullptr;
  void (*Work)(void *, hsched_loop_share *) = nullptr;
  void *Closure = nullptr;
  TaskNode *Context = nullptr; // The task whose body runs the loop.
  uint64_t Least = 1;          // Iterations at a time.
  unsigned NumParts = 0;
  bool Exact = false;                         // Chunks are exactly that large.
  bool Steal = true;                          // Workers also take from the parts of others.
  bool Joinable = false;                      // Workers were called: any worker may join, also without a part.
  bool Long = false;                          // A worker in it does not count as idle.
  std::array<uint8_t, MostParts + 1> Order{}; // The parts' lines; the submitter's is the first.
  std::array<Line, MostParts + 1> Lines;      // By worker; the submitter's is OwnLine.

  std::mutex FailureLock;
  std::exception_ptr Failure; // The first exception of a worker; guarded by FailureLock.

  Line &part(unsigned Number) { return Lines[Order[Number]]; }
  // Divides iterations [From, N) into one part for the submitter and one for each worker in a bit set, at most Most.
  void divide(uint64_t From, uint64_t N, uint64_t Workers, unsigned Most);
  void drain(); // Drops the iterations that are not taken.
  void fail(std::exception_ptr What);
  bool take(hsched_loop_share &Share, uint64_t &First, uint64_t &Count);
};

// Decides which loops are shared, and holds their slots.
class LoopTeam {
public:
  static constexpr unsigned NumSlots = 4;
  // Takes a free slot; nested loops have slots of their own.
  LoopSlot *takeSlot();
  static void giveSlot(LoopSlot &S) { S.InUse.store(false, std::memory_order_release); }
  // A worker joins a loop that has a part for it; null: none.
  LoopSlot *joinOwn(WorkerId W);
  // A worker joins an open loop without its own part; null: none.
  LoopSlot *join();
  static void leave(LoopSlot &S);
  // By the submitter, when no iterations are left to take: returns when all workers have left.
  static void close(LoopSlot &S);

  // A worker polls its lines from now on, until it stops.
  void look(WorkerId W);
  void stopSearching(WorkerId W);
  static constexpr uint64_t bitOf(WorkerId W) { return W < LoopSlot::MostParts ? uint64_t(1) << W : 0; }
  uint64_t searchers() const { return SearchingBits.load(); }

  enum class Way {
    Serial,
    Shared, // Joined by searching workers, and by workers that are woken if it is long.
    Call    // Runs serially, and workers are woken because loops like it come often.
  };
  Way wayOf(hsched_shared_loop &L, uint64_t N, int64_t Now);
  void ended(int64_t Now) { LastEnd.store(Now, std::memory_order_relaxed); }
  // True if a worker without tasks should search for loops.
  bool shouldSearch(int64_t Now) const { return Now < SearchUntil.load(std::memory_order_relaxed); }
  void want(int64_t Now);

  unsigned numWorkers() const { return NumWorkers.load(std::memory_order_relaxed); }
  std::atomic<unsigned> NumWorkers{1}; // Number of CPU workers seen.
  std::atomic<size_t> CheckedWorkers{0};
  std::atomic<uint64_t> CpuBits{0};       // Bits of these workers.
  std::atomic<uint32_t> MostSlot{0};      // Number of slots ever taken.
  std::atomic<int64_t> SearchUntil{0};    // Seldom changed.
  std::atomic<unsigned> NumSearching{0};  // Number of workers that search for loops.
  std::atomic<uint64_t> SearchingBits{0}; // Bits of the first of them.
  alignas(128) std::atomic<int64_t> LastEnd{0};
  std::atomic<int64_t> Saved{0}; // Time that sharing the last loops would have saved, minus the cost of the search.

private:
  alignas(128) std::array<LoopSlot, NumSlots> Slots;
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
// The loop's N iterations take at most so long in one thread: as long as all threads that could take part in it had.
void boundLoop(hsched_shared_loop &L, uint64_t N, int64_t Nanoseconds);
// Records the time of the loop's N iterations, shared or serial.
void noteLoopWay(hsched_shared_loop &L, uint64_t N, int64_t Nanoseconds, bool Shared);

} // namespace hsched::rt

// The ABI's opaque type.
struct hsched_loop_share {
  hsched::rt::LoopSlot *Slot = nullptr; // Null: no other worker runs the loop.
  unsigned Part = 0, NumEmpty = 0;      // The part that it took from first, and the number of parts found empty.
  // While the submitter is alone: remaining iterations [Done, All), and its last chunk.
  uint64_t Done = 0, All = 0, Last = 0;
  bool Alone = true;
  bool Probing = false;
  bool Steals = true;
  hsched::rt::Executor *Of = nullptr;
  int64_t Began = 0;
};

#endif
