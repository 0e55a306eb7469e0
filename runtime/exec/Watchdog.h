// HSCHED_WATCHDOG: says what waits for what when nothing moves any more.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps its own table of incomplete tasks and of threads. The executor fills it only if a watchdog is requested. The
// watchdog's thread never reads the engine's structures. Calls and bundle items are not in the table: their threads
// keep lists (BodyList.h). A report uses only the table and the lists.
#ifndef HSCHED_EXEC_WATCHDOG_H
#define HSCHED_EXEC_WATCHDOG_H

#include "base/Parker.h"
#include "base/ThreadSafety.h"
#include "exec/BodyList.h"
#include "graph/TaskGraph.h"
#include "sched/Platform.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace hsched::rt {

enum class LogLevel : uint8_t;

// What a thread waits for.
enum class Awaits : uint8_t {
  Everything, // All tasks submitted outside any task.
  Children,   // Children of the task whose body waits.
  Data,       // Tasks that use some sections.
  Room,       // Space in the window.
  Task,       // One task that it submitted.
};

// Thread-safe, all of it.
class Watchdog {
public:
  struct Report {
    LogLevel Level;
    std::string Text;
  };
  // The system's state of a thread, by its kernel thread id: 'R' runs, 'S' and 'D' sleep, 0 unknown.
  using Probe = std::function<char(int Thread)>;
  static int threadNumber(); // Kernel thread id of the calling thread.
  static char stateOf(int Thread);
  // Calls its argument for each list of bodies, with the list's worker.
  using Lists = std::function<void(const std::function<void(const BodyList &, WorkerId)> &)>;

  // Reports when no task has begun or ended for AtMost, then after twice that time, and so on. Both references outlive
  // it.
  Watchdog(const Platform &Machine, const Clock &Time, Duration AtMost, Probe Look = stateOf, Lists Quick = {});
  ~Watchdog() { stop(); }

  // Starts, and ends, a thread that polls and writes to the log. Once each.
  void start();
  void stop();
  // One poll of that thread: the report that is due at Now, if any.
  std::optional<Report> look(TimePoint Now);
  // The same without a deadline, if a task is outstanding.
  std::optional<Report> report(TimePoint Now) const;

  // --- tasks
  void submitted(const TaskNode &T); // Call before it is linked.
  // A bundle of short tasks, the first of Type. Call before it can run.
  void bundle(TaskId Id, const TaskType &Type);
  // T, just submitted, is a call that already runs.
  void runsAsCall(const TaskNode &T, WorkerId W);
  // A declared task: it may be a predecessor. Until its submission it counts for nothing else.
  void declared(TaskId Id, const std::string &Name, const TaskType &Type);
  void forgotten(TaskId Id); // It will never be submitted.
  // An open reduction. It counts as a task only for tasks that wait for it.
  void combination(const TaskNode &C, TaskId Id);
  void dependence(TaskId From, TaskId To);
  void enteredCommutative(const TaskNode &T, bool HasLock); // For commutative tasks.
  void ready(const TaskNode &T);
  void launched(const TaskNode &T, WorkerId Device); // Given to a device; its transfers come first.
  void ended(const TaskNode &T);                     // Its body has ended.
  void detachedEnds(const TaskNode &T);              // Its detached work has ended.
  void complete(const TaskNode &T);

  // --- the calling thread; what began last ends first. Own: its list of bodies; may be null
  void bodyBegins(const TaskNode &T, WorkerId W, const BodyList *Own = nullptr);
  void waitBegins(Awaits What, TaskId By, std::span<const Access> Sections, TaskId Awaited, WorkerId Seat,
                  const BodyList *Own = nullptr);
  void endOfLast(); // Ends the body or wait that began last on this thread.

private:
  enum class State : uint8_t { Declared, Waiting, Deferred, Ready, Running, OnDevice, Ended };
  struct Entry {
    std::string Label;
    const TaskType *Type; // Null: a combination.
    TaskId Parent;
    std::vector<Access> Accesses;
    std::set<TaskId> Before; // Predecessors; some may be complete.
    State Now = State::Waiting;
    bool InPlace = false, HasTurn = false, Detached = false, IsBundle = false;
    WorkerId On = NoWorker;
    TimePoint Since{};
  };
  struct Frame {
    bool IsBody;
    TaskId Task; // The task whose body it is; for Awaits::Task the awaited one.
    Awaits What = Awaits::Everything;
    TaskId By = 0, Newest = 0; // For a wait: the waiting task, and the last task submitted before.
    std::vector<Access> Sections{};
    TimePoint Since{};
    uint32_t Quick = 0; // Number of bodies in the thread's list at its begin.
  };
  struct Thread {
    std::string Name;
    WorkerId Seat = NoWorker; // Seat of its last body or wait.
    std::vector<Frame> Frames;
  };
  // Bodies of tasks without a node that a thread is in, outermost first.
  struct QuickBodies {
    int Thread;
    WorkerId W;
    std::vector<std::string> Names;
  };
  std::vector<QuickBodies> quickBodies() const;
  // "waits for 7 'x' (why)".
  struct Edge {
    TaskId To;
    std::string Why;
  };
  class Writer;

  Entry *find(TaskId Id) HSCHED_REQUIRES(Lock);
  Thread &thisThread(WorkerId Seat) HSCHED_REQUIRES(Lock);
  void moved() HSCHED_REQUIRES(Lock);

  const Platform &Machine;
  const Clock &Time;
  const Duration AtMost;
  const Probe Look;
  const Lists Quick;

  mutable Mutex Lock;
  std::map<TaskId, Entry> Tasks HSCHED_GUARDED_BY(Lock);
  std::map<int, Thread> Threads HSCHED_GUARDED_BY(Lock); // By kernel thread id: those that run or wait.
  size_t Outstanding HSCHED_GUARDED_BY(Lock) = 0;        // Tasks without combinations.
  TaskId Newest HSCHED_GUARDED_BY(Lock) = 0;
  uint64_t QuickMoves HSCHED_GUARDED_BY(Lock) = 0; // Sum over all lists at the last poll.
  TimePoint LastMove HSCHED_GUARDED_BY(Lock){};
  Duration NextReport HSCHED_GUARDED_BY(Lock){};

  Parker P;
  std::atomic<bool> Stopping{false};
  std::thread Monitor;
};

} // namespace hsched::rt
#endif
