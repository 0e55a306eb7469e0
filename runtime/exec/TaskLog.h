// What is written down of each task where an observer wants to be told of all of them, but not at once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Watching is not to change what is watched: tasks are calls, go into bundles and are stolen as without a log. Each
// thread appends to memory of its own, and nothing is computed before the end: then the accesses are linked once more,
// in order of submission, and the observer is told of tasks, dependences and runs. docs/decisions/0025 has the figures.
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

// The thread's that appends; any thread may read meanwhile, and sees what has been written whole.
class TaskLog {
public:
  struct Chunk;
  // One thread's at a time.
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

  // The name of a combination of private copies, which is told of like a task; by address.
  static constexpr char Combination[] = "reduction";

  // A reading of the quickest clock that there is. Converted when the observer is told.
  using Stamp = uint64_t;

  // What is known of a task at its submission.
  struct Submitted {
    TaskId Id, Parent;
    const char *Task;  // Lives as long as the program.
    const char *Label; // Copied where it differs from Task.
    double Cost;
  };
  struct Ran {
    const char *Version; // Lives as long as the program; null: it did not run.
    Stamp Begin, End;
    WorkerId Worker;
    Outcome How;
  };

  explicit TaskLog(const Clock &Time);

  Stamp now() const { return Counter ? readCounter() : static_cast<Stamp>(Time.now().time_since_epoch().count()); }

  // P is the calling thread's. Where there is no memory, nothing is written, and the observer's picture has a gap.
  void submitted(Part &P, const Submitted &T, std::span<const Access> Sections) { add(P, T, nullptr, Sections); }
  void submitted(Part &P, const Submitted &T, std::span<const ItemSection> Sections) { add(P, T, nullptr, Sections); }
  void ran(Part &P, TaskId Id, const Ran &R);
  // Of a task that runs at its submission.
  void called(Part &P, const Submitted &T, std::span<const Access> Sections, const Ran &R) { add(P, T, &R, Sections); }
  // An explicit predecessor. From may be complete.
  void dependence(Part &P, TaskId From, TaskId To);
  // What Parent's body submits from here on comes after whatever it has submitted.
  void waited(Part &P, TaskId Parent, TaskId Next);

  // Of threads that have none of their own.
  template <class Fn> void withShared(Fn Use) {
    std::lock_guard Guard(SharedLock);
    Use(Shared);
  }

  // Tells O of all that is in Parts, once. What is going on meanwhile may be left out. Throws std::bad_alloc.
  void tell(std::span<Part *const> Parts, Observer &O);
  // Entries that there was no memory for.
  uint64_t lost() const { return Lost.load(std::memory_order_relaxed); }

private:
  friend class TaskLogReader;
  static Stamp readCounter();
  template <class Section> void add(Part &P, const Submitted &T, const Ran *R, std::span<const Section> Sections);
  char *take(Part &P, size_t Bytes);
  static void publish(Part &P, char *To);
  bool newChunk(Part &P, size_t Bytes);

  const Clock &Time;
  const bool Counter; // The processor's is used.
  // When the log began, by both.
  const Stamp BeganStamp;
  const TimePoint Began;
  std::atomic<uint64_t> Lost{0};
  std::mutex TellLock;
  bool Told = false; // Guarded by TellLock.
  std::mutex SharedLock;
  Part Shared;
};

// "In, reduction": the modes of accesses, each once.
std::string modesOf(std::span<const Access> Sections);

} // namespace hsched::rt
#endif
