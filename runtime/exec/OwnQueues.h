// Data of each thread that submits or completes tasks: a deque and two counters. Threads do not share cache lines.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_OWNQUEUES_H
#define HSCHED_EXEC_OWNQUEUES_H

#include "exec/BodyList.h"
#include "exec/RunCounts.h"
#include "exec/TaskLog.h"
#include "exec/WorkDeque.h"
#include "graph/TaskGraph.h"

#include <memory>
#include <new>
#include <span>

namespace hsched::rt {

struct ThreadState;

// A thread's notes for watchdog and observers. Kept apart from the queue, whose counters must lie close together.
struct OwnNotes {
  BodyList Bodies;   // For the watchdog.
  TaskLog::Part Log; // Used if tasks are logged; unused in OwnQueues::shared().
};

struct OwnQueue {
  WorkDeque<TaskNode> Ready; // Tasks that any CPU worker may run, each as its Chosen version.
  // Tasks that the queue's thread submitted, and completed.
  alignas(64) std::atomic<uint64_t> Submitted{0};
  std::atomic<uint64_t> Granted{0}; // Limit of Submitted before the window is checked again.
  alignas(64) std::atomic<uint64_t> Completed{0};
  // Counters of the thread's runs. Null: none yet. Made by that thread; never freed before the queue.
  std::atomic<RunCounts *> Counts{nullptr};
  RunCounts::Entry *Counted = nullptr; // The last counted entry; the thread's own.
  // Null: no notes yet. Made by the queue's thread; never freed before the queue.
  std::atomic<OwnNotes *> Notes{nullptr};
  ~OwnQueue() {
    delete Counts.load();
    delete Notes.load();
  }
  // By the queue's thread. Null if memory is exhausted.
  OwnNotes *notes() {
    OwnNotes *N = Notes.load(std::memory_order_relaxed);
    if (!N) [[unlikely]]
      Notes.store(N = new (std::nothrow) OwnNotes, std::memory_order_release);
    return N;
  }
  std::atomic<bool> Owned{false};
  // Its thread's worker. Threads of the program count as worker 0, whose seat they take.
  std::atomic<uint32_t> Worker{0};
};

// A table of queues, given to threads on demand. Thread-safe.
class OwnQueues {
public:
  static constexpr unsigned Foreign = 64; // Limit of threads of the program that have a queue at the same time.
  explicit OwnQueues(unsigned Workers) : Size(Workers + Foreign + 1), All(std::make_unique<OwnQueue[]>(Size)) {}

  // Takes a free queue. If none is left, returns the last one, which several threads share and whose deque is unused.
  OwnQueue &take();
  OwnQueue &shared() { return All[Size - 1]; }
  const uint64_t Serial = nextSerial(); // Unique among tables.
  // How often a queue has changed its owner; never 0. Sequentially consistent, as is used(). A thread that searches
  // once more before it sleeps sees the queue of a thread that did not see its mark.
  uint64_t changes() const { return Changes.load(); }
  void changed() { Changes.fetch_add(1); }
  // Queues that have been in use.
  std::span<OwnQueue> used() { return {All.get(), Used.load()}; }

  // Number of tasks submitted and not complete. At least the number at some moment during the call; exact if no thread
  // submits or completes.
  uint64_t outstanding() const {
    // Completed counters are read first: each of those tasks was submitted before.
    unsigned N = Used.load();
    uint64_t Done = All[Size - 1].Completed.load(), Begun = 0;
    for (unsigned I = 0; I < N; ++I)
      Done += All[I].Completed.load();
    N = Used.load();
    for (unsigned I = 0; I < N; ++I)
      Begun += All[I].Submitted.load();
    return Begun + All[Size - 1].Submitted.load() - Done;
  }

  // Grants Own, the calling thread's queue, a share of the rest of the window. False: nothing is left. Unused grants of
  // other threads are taken back if nothing else is left. Concurrent calls may miss each other, so the window may be
  // exceeded by their grants, and by no more.
  bool grant(OwnQueue &Own, uint64_t Window);

private:
  static uint64_t nextSerial();
  const unsigned Size;
  std::atomic<unsigned> Used{0};
  std::atomic<uint64_t> Changes{1};
  const std::unique_ptr<OwnQueue[]> All;
};

// The calling thread's queue of Table. It keeps the queue until it ends, returns it, or takes one of another table.
OwnQueue &queueOfThread(ThreadState &Me, const std::shared_ptr<OwnQueues> &Table);
// Returns the calling thread's queue. Its tasks stay there, for others.
void giveQueueBack(ThreadState &Me);

} // namespace hsched::rt
#endif
