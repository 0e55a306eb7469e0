// HSCHED_WATCHDOG: says what waits for what when nothing moves any more.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps a book of its own, of tasks not complete and of what threads do, which the executor fills only where somebody
// asked for it; the engine's own structures are not looked at from another thread. Calls and items of bundles are not
// in the book: their threads note them in lists (BodyList.h). A report is made of the book and the lists alone.
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
  Everything, // That was submitted outside any task.
  Children,   // Of the task whose body waits.
  Data,       // Those who use some sections.
  Room,       // In the window.
  Task,       // One, which it submitted.
};

// Thread-safe, all of it.
class Watchdog {
public:
  struct Report {
    LogLevel Level;
    std::string Text;
  };
  // What the system says of a thread, by its kernel thread number: 'R' runs, 'S' and 'D' sleep, 0 unknown.
  using Probe = std::function<char(int Thread)>;
  static int threadNumber(); // The calling thread's, as the kernel counts.
  static char stateOf(int Thread);
  // Calls its argument for each list of bodies that there is, with the worker whose it is.
  using Lists = std::function<void(const std::function<void(const BodyList &, WorkerId)> &)>;

  // Reports when nothing has begun or ended for AtMost, then whenever that has taken twice as long again. Both outlive
  // it.
  Watchdog(const Platform &Machine, const Clock &Time, Duration AtMost, Probe Look = stateOf, Lists Quick = {});
  ~Watchdog() { stop(); }

  // A thread that looks now and then and writes to the log. Once each.
  void start();
  void stop();
  // What start's thread does. The report that is due at Now, if any.
  std::optional<Report> look(TimePoint Now);
  // The same whenever something is outstanding.
  std::optional<Report> report(TimePoint Now) const;

  // --- tasks
  void submitted(const TaskNode &T); // Before it is linked.
  // Several short ones as one, the first of which is of Type. Before anybody can run it.
  void bundle(TaskId Id, const TaskType &Type);
  // T, which was submitted just now, is a call that runs already.
  void runsAsCall(const TaskNode &T, WorkerId W);
  // Others may come after a task that is declared; until it is submitted it counts for nobody else.
  void declared(TaskId Id, const std::string &Name, const TaskType &Type);
  void forgotten(TaskId Id); // It is not submitted ever.
  // An open reduction: it counts as a task of the program's only for those who wait for it.
  void combination(const TaskNode &C, TaskId Id);
  void dependence(TaskId From, TaskId To);
  void tookTurn(const TaskNode &T, bool Got); // Of commutative tasks.
  void ready(const TaskNode &T);
  void launched(const TaskNode &T, WorkerId Device); // Given to a device, its transfers first.
  void ended(const TaskNode &T);                     // Its body has.
  void detachedEnds(const TaskNode &T);              // The other work of a detached one has.
  void complete(const TaskNode &T);

  // --- the calling thread; what began last ends first. Own: its list of bodies; may be null
  void bodyBegins(const TaskNode &T, WorkerId W, const BodyList *Own = nullptr);
  void waitBegins(Awaits What, TaskId By, std::span<const Access> Sections, TaskId Awaited, WorkerId Seat,
                  const BodyList *Own = nullptr);
  void endOfLast(); // Of the body or the wait that began last on this thread.

private:
  enum class State : uint8_t { Declared, Waiting, Held, Ready, Running, OnDevice, Ended };
  struct Entry {
    std::string Label;
    const TaskType *Type; // Null: a combination.
    TaskId Parent;
    std::vector<Access> Accesses;
    std::set<TaskId> Before; // Some may be complete.
    State Now = State::Waiting;
    bool InPlace = false, HasTurn = false, Detached = false, IsBundle = false;
    WorkerId On = NoWorker;
    TimePoint Since{};
  };
  struct Frame {
    bool IsBody;
    TaskId Task; // Whose body it is; that is awaited, for Awaits::Task.
    Awaits What = Awaits::Everything;
    TaskId By = 0, Newest = 0; // A wait: the task that waits, the last one submitted before.
    std::vector<Access> Sections{};
    TimePoint Since{};
    uint32_t Quick = 0; // Bodies in the thread's list when it began.
  };
  struct Thread {
    std::string Name;
    WorkerId Seat = NoWorker; // As of its last body or wait.
    std::vector<Frame> Frames;
  };
  // Bodies of tasks without a node that a thread is in, outermost first.
  struct QuickBodies {
    int Thread;
    WorkerId W;
    std::vector<std::string> Names;
  };
  std::vector<QuickBodies> quickBodies() const;
  // "Waits for 7 'x' (why)".
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
  std::map<int, Thread> Threads HSCHED_GUARDED_BY(Lock); // By kernel thread number: those that run or wait.
  size_t Outstanding HSCHED_GUARDED_BY(Lock) = 0;        // Tasks but for combinations.
  TaskId Newest HSCHED_GUARDED_BY(Lock) = 0;
  uint64_t QuickMoves HSCHED_GUARDED_BY(Lock) = 0; // Of all lists, at the last look.
  TimePoint LastMove HSCHED_GUARDED_BY(Lock){};
  Duration NextReport HSCHED_GUARDED_BY(Lock){};

  Parker P;
  std::atomic<bool> Stopping{false};
  std::thread Looking;
};

} // namespace hsched::rt
#endif
