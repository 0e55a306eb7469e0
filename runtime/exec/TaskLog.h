// A log of all tasks, for observers that need every task but not at once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observation must not change the run: tasks are calls, bundled and stolen as without a log. Each thread appends to its
// own memory. At the end, the accesses are linked again in order of submission, and the observer gets tasks,
// dependences and runs. Figures: docs/decisions/0025.
#ifndef HSCHED_EXEC_TASKLOG_H
#define HSCHED_EXEC_TASKLOG_H

#include "graph/Bundle.h"
#include "graph/Task.h"
#include "trace/Observer.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <string>

namespace hsched::rt {

// A thread's log. One thread appends; any thread may read meanwhile and sees complete entries only.
class TaskLog {
public:
  struct Chunk;
  // One thread at a time appends.
  class Part {
  public:
    Part() = default;
    ~Part();
    Part(const Part &) = delete;
    Part &operator=(const Part &) = delete;

  private:
    friend class TaskLog;
    friend class TaskLogReader;
    char *Top = nullptr, *End = nullptr; // Where the next entry goes, and the chunk's end.
    Chunk *Last = nullptr;
    std::atomic<Chunk *> First{nullptr};
  };

  // The name of a reduction's combination, which is reported like a task. Compared by address.
  static constexpr char Combination[] = "reduction";

  // A reading of the fastest clock. Converted when it is reported.
  using Stamp = uint64_t;

  // A task's data at its submission.
  struct Submitted {
    TaskId Id, Parent;
    const char *Task;  // Lives as long as the program.
    const char *Label; // Copied if it differs from Task.
    double Cost;
  };
  struct Ran {
    const char *Version; // Lives as long as the program. Null: it did not run.
    Stamp Begin, End;
    WorkerId Worker;
    Outcome How;
  };

  explicit TaskLog(const Clock &Time);

  Stamp now() const { return Counter ? readCounter() : static_cast<Stamp>(Time.now().time_since_epoch().count()); }

  // P is the calling thread's. Without memory, the entry is lost, and counted in lost().
  void submitted(Part &P, const Submitted &T, std::span<const Access> Sections) { add(P, T, nullptr, Sections); }
  void submitted(Part &P, const Submitted &T, std::span<const ItemSection> Sections) { add(P, T, nullptr, Sections); }
  void ran(Part &P, TaskId Id, const Ran &R);
  // For a task that runs at its submission.
  void called(Part &P, const Submitted &T, std::span<const Access> Sections, const Ran &R) { add(P, T, &R, Sections); }
  // An explicit predecessor. From may be complete.
  void dependence(Part &P, TaskId From, TaskId To);
  // A wait: later children of Parent come after all earlier ones.
  void waited(Part &P, TaskId Parent, TaskId Next);

  // For threads without a part of their own.
  template <class Fn> void withShared(Fn Use) {
    std::lock_guard Guard(SharedLock);
    Use(Shared);
  }

  // Reports all entries of Parts to O, once. Entries added meanwhile may be left out. Throws std::bad_alloc.
  void notifyObserver(std::span<Part *const> Parts, Observer &O);
  // Number of entries lost for lack of memory.
  uint64_t lost() const { return Lost.load(std::memory_order_relaxed); }

private:
  friend class TaskLogReader;
  static Stamp readCounter();
  template <class Section> void add(Part &P, const Submitted &T, const Ran *R, std::span<const Section> Sections);
  char *take(Part &P, size_t Bytes);
  static void publish(Part &P, char *To);
  bool newChunk(Part &P, size_t Bytes);

  const Clock &Time;
  const bool Counter; // Stamps come from the processor's counter.
  // The log's begin on both clocks.
  const Stamp BeganStamp;
  const TimePoint Began;
  std::atomic<uint64_t> Lost{0};
  std::mutex NotifyLock;
  bool Notified = false; // Guarded by NotifyLock.
  std::mutex SharedLock;
  Part Shared;
};

// "in, reduction": the modes of accesses, each once.
std::string modesOf(std::span<const Access> Sections);

} // namespace hsched::rt
#endif
