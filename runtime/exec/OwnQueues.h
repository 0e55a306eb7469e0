// What each thread that submits or completes tasks has of its own, so that threads do not meet: a deque, two counters.
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

// What a thread notes for watchers. Apart: a queue's counters are read one after the other, and are to lie close.
struct OwnNotes {
  BodyList Bodies;   // For the watchdog.
  TaskLog::Part Log; // Where tasks are logged; not of OwnQueues::shared().
};

struct OwnQueue {
  WorkDeque<TaskNode> Ready; // Tasks that any CPU worker may run, each as its Chosen version.
  // Tasks that the queue's thread submitted, and completed.
  alignas(64) std::atomic<uint64_t> Submitted{0};
  std::atomic<uint64_t> Granted{0}; // What Submitted may grow to before the window is looked at again.
  alignas(64) std::atomic<uint64_t> Completed{0};
  // Of what the queue's thread runs; null: none has been counted. Made by that thread, and stays.
  std::atomic<RunCounts *> Counts{nullptr};
  RunCounts::Entry *Counted = nullptr; // What ran last; the thread's own.
  // Null: nothing has been noted. Made by the queue's thread, and stays.
  std::atomic<OwnNotes *> Notes{nullptr};
  ~OwnQueue() {
    delete Counts.load();
    delete Notes.load();
  }
  // By the queue's thread; null where there is no memory.
  OwnNotes *notes() {
    OwnNotes *N = Notes.load(std::memory_order_relaxed);
    if (!N) [[unlikely]]
      Notes.store(N = new (std::nothrow) OwnNotes, std::memory_order_release);
    return N;
  }
  std::atomic<bool> Owned{false};
  std::atomic<uint32_t> Worker{0}; // Whose it is; threads that are no workers are worker 0, whose seat they take.
};

// As many queues as may be needed, given to threads as they come. Thread-safe.
class OwnQueues {
public:
  static constexpr unsigned Foreign = 64; // Threads that are no workers and have a queue at the same time.
  explicit OwnQueues(unsigned Workers) : Size(Workers + Foreign + 1), All(std::make_unique<OwnQueue[]>(Size)) {}

  // One that nobody has. The last one, which all have who come when there is none left, is without a deque's use.
  OwnQueue &take();
  OwnQueue &shared() { return All[Size - 1]; }
  const uint64_t Serial = nextSerial(); // No other table's.
  // How often a queue has changed hands; never 0. Sequentially consistent, as used: whoever looks once more before it
  // sleeps sees the queue of whoever did not see its mark.
  uint64_t changes() const { return Changes.load(); }
  void changed() { Changes.fetch_add(1); }
  // Those that have been in use.
  std::span<OwnQueue> used() { return {All.get(), Used.load()}; }

  // Tasks submitted and not complete: never less than there were at some moment during the call, and exact when nothing
  // is going on.
  uint64_t outstanding() const {
    // What was completed is read first: each of those was submitted before.
    unsigned N = Used.load();
    uint64_t Done = All[Size - 1].Completed.load(), Begun = 0;
    for (unsigned I = 0; I < N; ++I)
      Done += All[I].Completed.load();
    N = Used.load();
    for (unsigned I = 0; I < N; ++I)
      Begun += All[I].Submitted.load();
    return Begun + All[Size - 1].Submitted.load() - Done;
  }

  // Gives Own, the calling thread's, a share of what is left of a window of so many tasks; false where nothing is. What
  // others have been given and have not used is taken back where it is all that is left. Threads that do this at the
  // same moment may overlook each other, so the window may be exceeded by what they are given; else it is not.
  bool grant(OwnQueue &Own, uint64_t Window);

private:
  static uint64_t nextSerial();
  const unsigned Size;
  std::atomic<unsigned> Used{0};
  std::atomic<uint64_t> Changes{1};
  const std::unique_ptr<OwnQueue[]> All;
};

// The calling thread's queue of Table, which it keeps until it ends, gives it back or asks for one of another table.
OwnQueue &queueOfThread(const std::shared_ptr<OwnQueues> &Table);
// The calling thread has no use for one at present. What is in it stays there, for others.
void giveQueueBack();

} // namespace hsched::rt
#endif
