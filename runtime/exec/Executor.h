// Runs tasks: submission, workers, waiting, errors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   begin, submit -> dispatch -> Policy -> runOnCpu | DeviceWorker -> bodyEnded -> completeAll -> dispatch successors
//
// Threads. Each CPU worker but 0, and each device, has its own thread. Worker 0 has none. A thread of the program that
// waits (the main thread or any other) takes its seat, if free, and runs tasks until its wait ends. No lock is held
// while a program's code runs.
#ifndef HSCHED_EXEC_EXECUTOR_H
#define HSCHED_EXEC_EXECUTOR_H

#include "base/Parker.h"
#include "data/Directory.h"
#include "data/FragmentMap.h"
#include "exec/ArrivingDevices.h"
#include "exec/EngineScope.h"
#include "exec/Hub.h"
#include "exec/Loops.h"
#include "exec/RootFailures.h"
#include "exec/Seat.h"
#include "exec/Stacks.h"
#include "exec/TaskLog.h"
#include "exec/ThreadPool.h"
#include "exec/Waiters.h"
#include "graph/TaskGraph.h"
#include "perfmodel/History.h"
#include "perfmodel/Links.h"
#include "trace/Observer.h"
#include <hsched/engine_abi.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace hsched::rt {

// Limit of bodies on one thread's stack; from there on, a ready child runs at its submission.
inline constexpr unsigned MaxDepth = 32;

// Limit of unmeasured runs of a short task between two measured ones.
inline constexpr uint32_t UnmeasuredRuns = 255;
// The same if runs are counted: a report costs several times as much.
inline constexpr uint32_t UntimedRuns = 1023;

class Executor final : public PolicyHost, private GraphListener, private HubHost {
public:
  // All arguments outlive the executor. Watch may be null.
  Executor(const Platform &Machine, Policy &Scheduler, Directory &Data, History &Times, const Clock &Time,
           Observer *Watch, ExecutorOptions Options);
  ~Executor() override;

  // Starts the workers. Once.
  void start();

  // The C ABI's functions of the same names; see there. A null Label stands for the type's name.
  TaskNode &begin(ThreadState &Me, TaskType &Type, unsigned NumAccesses);
  void submit(ThreadState &Me, TaskNode &T, const hsched_submit_options &How);
  static void abandon(ThreadState &Me, TaskNode &T) noexcept;
  static bool inFinal(const ThreadState &Me) { return Me.Call ? Me.Call->Final : Me.Current && Me.Current->Final; }
  void taskwait(ThreadState &Me, bool Flush);
  void taskwaitOn(ThreadState &Me, std::span<const Access> Sections, bool Flush);
  // As taskwaitOn for Section, but throws no failure and brings no data home.
  void awaitUsers(ThreadState &Me, const Access &Section);

  // Fast paths: a task runs as a call or becomes a bundle item. beginQuick returns null if begin must be used.
  // Otherwise a handle, with memory for accesses and arguments, as the C ABI's function does.
  hsched_task *beginQuick(ThreadState &Me, TaskType &Type, unsigned NumAccesses, Access *&Accesses, void *&Args);
  // The same for a child of a call all of whose children were calls. Null: use beginQuick.
  hsched_task *beginNested(ThreadState &Me, TaskType &Type, unsigned NumAccesses, Access *&Accesses, void *&Args);
  // For a submission without options: the enclosing call. Null: use submitQuick.
  static CallFrame *enclosingCall(const ThreadState &Me, const hsched_task *Handle) {
    CallFrame *Outer = Me.Call;
    return isCall(Handle) && Outer && !Outer->Node ? Outer : nullptr;
  }
  void submitNested(ThreadState &Me, hsched_task *Handle, CallFrame &Around);
  void submitQuick(ThreadState &Me, hsched_task *Handle, const hsched_submit_options &How) {
    isCall(Handle) ? submitCall(Me, callOf(Handle), How) : submitItem(Me, itemOf(Handle), How);
  }
  static void abandonQuick(ThreadState &Me, hsched_task *Handle) noexcept {
    isCall(Handle) ? abandonCall(Me, callOf(Handle)) : abandonItem(Me, itemOf(Handle));
  }
  bool runsCalls() const { return ReadyTasks.Paths.Calls; }
  bool makesBundles() const { return ReadyTasks.Paths.Bundles; }
  // True if the calling thread is in a call whose children have all run.
  static bool childrenAreDone(const ThreadState &Me) { return Me.Call && !Me.Call->Node; }

  // Loops.cpp: the C ABI's functions of the same names.
  bool loopBegin(ThreadState &Me, hsched_shared_loop &L, uint64_t N, uint64_t &Began);
  void loopEnd(ThreadState &Me, hsched_shared_loop &L, uint64_t N, uint64_t Began);
  void loopRun(ThreadState &Me, hsched_shared_loop &L, uint64_t N, uint64_t Grain,
               void (*Work)(void *, hsched_loop_share *), void *Closure);
  static bool loopNext(const ThreadState &Me, hsched_loop_share &Share, uint64_t &First, uint64_t &Count);
  uint64_t loopGrain(const hsched_shared_loop &L, uint64_t N) const;
  int64_t loopClock() const; // In nanoseconds.

  // Submissions.cpp: the C ABI's functions of the same names; see hsched_submission. Named,
  // unless null, receives a reference to the task. Owners: those of a type that was made at run
  // time.
  struct RunTimeType {
    std::shared_ptr<void> Code, Type;
  };
  void submit(ThreadState &Me, const hsched_submission &What, TaskNode **Named, RunTimeType Owners = {});
  std::shared_ptr<Component> makeComponent(const char *Name) const;
  static void enterScope(ThreadState &Me, hsched_scope &S, const hsched_place &Where);
  static void leaveScope(ThreadState &Me, hsched_scope &S);
  size_t countWorkers(const hsched_place &Of) const;
  TaskNode &declare(ThreadState &Me, const char *Name);
  static void releaseNamed(ThreadState &Me, TaskNode &T);
  static Executor &engineOf(const TaskNode &T) { return *static_cast<Executor *>(T.Extras->Named->Engine); }
  int waitFor(ThreadState &Me, TaskNode &T);
  // Returns a reference to the task whose body the calling thread runs, for endDetached.
  TaskNode &detach(ThreadState &Me);
  void endDetached(ThreadState &Me, TaskNode &T, std::exception_ptr Failure);

  // The argument of EngineScope for this engine: null for the default one.
  Executor *self() { return Options.Hosted ? this : nullptr; }
  class Call;
  class Outside;

  // Waits for all tasks, ends the workers, brings data home. Logs a failure that no wait has thrown. Once, from a
  // thread outside any task.
  void shutdown(ThreadState &Me);

  // The program exits inside a task: threads that are not inside a task begin no more tasks.
  void abandonRest();

  // Devices that are opened while tasks run, and kernels that are being built.
  ArrivingDevices &arrivingDevices() { return Coming; }
  uint64_t outstanding() const { return Table->outstanding(); } // Number of unfinished tasks.
  TaskId numberTask() { return NextTask.fetch_add(1, std::memory_order_relaxed); }
  // Reports to the observer what was only logged: at the end, or if a signal ends the program. Any thread;
  // once.
  void notifyRest();

  // True if a worker polls for tasks (see HubBundles.cpp), so that no thread is woken for one short task and a wait.
  // For tests.
  bool hasPoller() const { return ReadyTasks.hasPoller(); }
  // Null without HSCHED_WATCHDOG. For tests.
  Watchdog *watchdog() { return HangMonitor.get(); }

  // PolicyHost.
  const Clock &clock() const override { return Time; }
  const Platform &platform() const override { return Machine; }
  History &history() override { return Times; }
  unsigned lambda() const override { return Options.Lambda; }
  Duration transferTime(const Task &T, MemoryNode Node) override;
  Duration handOver(WorkerId W) const override;
  bool canAskAgain() const override { return true; }
  void askAgain(WorkerId W, Duration After) override { Seats[W].AskAgain = After; }
  void returnTimes(const Task &T, std::span<Duration::rep> ByNode) override;
  Duration underway(WorkerId W) const override;
  void validBytes(const Access &A, std::span<uint64_t> Bytes) override { Data.validBytes(A, Bytes); }
  void wake(WorkerId W) override;
  bool recordsDecisions() const override { return Explains; }
  bool moreToCome() const override { return Coming.moreToCome(); }
  size_t mostWorkers() const override { return Seats.size(); }
  void decided(Task &T, const Version &V, WorkerId W, const char *Why, std::span<const Prediction> Among) override;

private:
  friend class DeviceWorker;
  friend class ArrivingDevices;
  class SeatLease;

  struct Disabled {
    const Version *V;
    WorkerId W;
    std::string Cause;
  };

  // HubHost.
  void wakeWorker(WorkerId W) override { wake(W); }
  void attendSeat0() override;
  void notifyChoice(Task &T, const Version &V, WorkerId W, const char *Why) override;
  void redirectTask(ThreadState &Me, TaskNode &T, const Version &V, WorkerId W) override;

  // GraphListener.
  void dependence(TaskId From, TaskId To) override {
    if (Watch && !Log)
      Watch->dependence(From, To);
    if (HangMonitor)
      HangMonitor->dependence(From, To);
    if (Hooks & HookEdges)
      Scheduler.edge(From, To);
  }
  GraphListener *listener() { return EachTask || HangMonitor || Hooks & HookEdges ? this : nullptr; }
  bool wantsComplete() const override { return EachTask; }
  TaskId combination(const TaskNode &C) override;

  // Groups.cpp. A domain belongs to the parent's thread. Children use only its exclusion.
  DependenceDomain &domainOf(TaskNode &Parent);
  void prepareGroups(TaskNode &T, const hsched_submit_options &How);
  bool takeTurn(TaskNode &T); // False: it is dispatched later, at its turn.
  TaskNode *passTurn(TaskNode &T);
  void usePrivateCopies(TaskNode &T, MemoryNode Node);
  void fetchTo(Task &T, Acquisition &Acquired);
  void combine(ThreadState &Me, TaskNode &C, WorkerId From);
  // Closes the groups of Parent's children, at a wait or at the body's end.
  void endGroups(ThreadState &Me, TaskNode &Parent, WorkerId From);

  // Completion.cpp. From: the calling thread's worker, or NoWorker.
  // False: no worker can run it, and its failure is recorded.
  bool dispatch(ThreadState &Me, TaskNode &T, WorkerId From, bool Activated);
  // Called after the body has ended; completes the task if nothing else is unfinished.
  void bodyEnded(ThreadState &Me, TaskNode &T, WorkerId From);
  void completeAll(ThreadState &Me, TaskNode *List, WorkerId From);
  void closed(ThreadState &Me, TaskNode *List,
              WorkerId From); // List: combinations that a domain closed, as it returns them.
  TaskNode *readied(ThreadState &Me, TaskNode &Ready, WorkerId From, TaskNode *List);
  void neverRan(ThreadState &Me, TaskNode &T, Outcome How); // Reports a task that did not run to the observer.
  void fail(ThreadState &Me, TaskNode &T, const std::string &Device, const std::string &Cause);
  void recordFailure(TaskNode &Holder, std::exception_ptr Failure, const TaskNode &From);
  static void logLaterFailure(const TaskNode &From, const std::exception_ptr &Failure);
  void throwFailure(ThreadState &Me, TaskNode &Holder); // Throws the holder's failure, if any, and clears it.
  // The same outside any task, where failures are kept by submitting thread.
  void recordRootFailure(std::exception_ptr Failure, const TaskNode &From);
  void throwRootFailure(ThreadState &Me, bool All); // All: no task is unfinished.
  static uint32_t serialOfThread(ThreadState &Me);

  // VersionSections.cpp. Adds the sections of all versions to T's. Throws what their expressions throw, and
  // hsched::task_error, without effect.
  static void addVersionSections(TaskNode &T);
  // Replaces them by those of V, which runs. Error: they are not known.
  static status chooseSections(TaskNode &T, const Version &V);
  static bool mayHaveSections(const TaskNode &T) {
    return T.Type && T.Type->OwnSections.load(std::memory_order_relaxed);
  }

  // Errors.cpp.
  bool usableSomewhere(const TaskNode &T) const;
  // The same without V on W and without the pairs that T is excluded from.
  bool usableOnOther(const TaskNode &T, const Version &V, WorkerId W) const;
  std::string whyUnusable(const TaskNode &T, std::string &Device) const;
  std::string wherePlaced(const TaskNode &T) const;
  void disable(const Version &V, WorkerId W, const status &Cause);
  // W's device is lost: disables all of T's versions there.
  void disableAll(const TaskNode &T, WorkerId W, const status &Cause);
  // Pushes T again after it was chosen for V on W and did not run. V may have been disabled. Cause: the message if no
  // other worker can run T.
  void giveBack(ThreadState &Me, TaskNode &T, const Version &V, WorkerId W, bool FromPolicy, const status &Cause = {});
  // The same if V cannot run this one task on W, for example for lack of memory. Blame: the worker whose device is the
  // cause, if not W.
  void exclude(ThreadState &Me, TaskNode &T, const Version &V, WorkerId W, bool FromPolicy, const status &Cause,
               WorkerId Blame = NoWorker);
  // The same for a version that was registered after T's submission.
  void cameLate(ThreadState &Me, TaskNode &T, const Version &V, WorkerId W, bool FromPolicy, const status &Cause);
  bool detour(ThreadState &Me, TaskNode &T, const std::string &Device, const std::string &Cause);
  void failUnusable(ThreadState &Me, TaskNode &T); // As whyUnusable says.
  ArrivingDevices::Standing
  holdOrFail(ThreadState &Me, TaskNode &T); // Returns Never, with T.HasFailure, if memory for the list is exhausted.

  // CpuWorker.cpp. False: no task was found. ToPark: the caller parks in that case; otherwise it does other
  // work.
  bool runOne(ThreadState &Me, Seat &S, bool ToPark = true) {
    FoundTask F;
    return find(Me, S, F, ToPark) && (run(Me, S, F), true);
  }
  // exit() inside a task: tasks that have not begun are dropped, also by waiting threads.
  bool find(ThreadState &Me, Seat &S, FoundTask &F, bool ToPark) {
    return !Stopping.load(std::memory_order_relaxed) && ReadyTasks.find(Me, S, F, ToPark);
  }
  void run(ThreadState &Me, Seat &S, const FoundTask &F) {
    F.V ? (void)runOnCpu(Me, S, *F.T, *F.V, F.FromPolicy) : runKept(Me, S, *F.T);
  }
  // Reports that T, which the policy chose, begins as V on W.
  void notifyBegin(const TaskNode &T, const Version &V, WorkerId W) {
    if (Hooks & HookArrived)
      Scheduler.arrived(T, W);
    if (Hooks & HookStarted)
      Scheduler.started(T, V, W);
  }
  void runKept(ThreadState &Me, Seat &S, TaskNode &T);
  // Runs.h: runs the only candidate, and measures a sample of its runs. Throws what it throws.
  struct RunOfCall;
  struct RunOfItem;
  struct RunOfTask;
  template <class Run> void runUnchosen(ThreadState &Me, Run R);
  template <class Run> void runNoted(ThreadState &Me, Run R);
  template <class Run> void runOthers(ThreadState &Me, Run R);
  template <class Run> void runWatched(ThreadState &Me, Run R);
  template <class Run> void runUnnoted(ThreadState &Me, Run R);
  template <class Run> void runMeasured(ThreadState &Me, Run R);
  template <class Run> void runCounted(ThreadState &Me, Run R); // The same if runs are counted.
  template <class Run> void runLogged(ThreadState &Me, Run R);
  void uncountFailed(const ThreadState &Me,
                     RunCounts::Entry &Count); // A counted run has thrown: it is reported separately.
  // Logging.cpp: the engine's side of TaskLog. Where there is a log.
  template <class Fn> void withLog(ThreadState &Me, Fn Use); // Use(Part) on the calling thread's
  void logSubmitted(ThreadState &Me, const TaskNode &T);
  void noteItem(ThreadState &Me, BundleItem &I); // Gives the item its number.
  void logCall(ThreadState &Me, const CallFrame &F, const TaskLog::Ran &R);
  void logRun(ThreadState &Me, TaskId Id, const TaskLog::Ran &R);
  BodyList *ownBodies(ThreadState &Me); // The calling thread's list of bodies, for the watchdog. Null: none.
  void visitBodies(const std::function<void(const BodyList &, WorkerId)> &Visit) const;
  class Noting;                  // Notes a body for its lifetime.
  void logWait(ThreadState &Me); // Logs a finished wait of the calling thread.
  static TaskId numberOfCurrent(const ThreadState &Me);
  // The calling thread's counter. Null: it has no queue, and all of its runs are timed.
  RunCounts::Entry *countOf(ThreadState &Me, const TaskType &Type, const Version &V, SizeClass Size);
  void notifyRun(const ThreadState &Me, const TaskType &Type, const Version &V, SizeClass Size, Interval Ran,
                 Outcome How);
  void notifyCounts();
  OwnQueue &ownQueue(ThreadState &Me) { return ReadyTasks.ownQueue(Me); }
  // True if the body ran. Otherwise T has been given to another worker.
  bool runOnCpu(ThreadState &Me, Seat &S, TaskNode &T, const Version &V, bool FromPolicy);
  status fetchHome(TaskNode &T, Acquisition &Acquired);
  void releaseBodyData(TaskNode &T); // Releases the running body's data in the directory, before its first child.

  // Lending.cpp: tasks run by a wait inside a task, and the substitute that has its thread's seat meanwhile. Called by
  // the thread that has S.
  static void sit(Seat &S);
  // On a thread of the thread pool, in seat S: runs First, if it has a task, and then whatever S's worker may run.
  void serve(Seat &S, const FoundTask &First);
  void workInside(ThreadState &Me, const std::function<bool()> &Done, int64_t At, const TaskNode &Within);
  bool awaitSoon(ThreadState &Me, const std::function<bool()> &Done, int64_t At, const TaskNode &Within);
  bool runChild(ThreadState &Me, const TaskNode &Within); // Runs a child that is in this thread's queue. False: none.
  void runFound(ThreadState &Me, TaskNode &T);
  void putBack(ThreadState &Me, Seat &S, const FoundTask &F);
  bool
  lend(ThreadState &Me,
       const FoundTask &First); // Lends the seat to a thread that begins with First. False: no thread is available.
  bool returnSeat(ThreadState &Me, Seat &S); // Returns the seat to the thread that claims it.
  static void claim(Loan &L);
  static bool withdraw(Loan &L);  // False: the seat has been returned.
  bool takeBack(ThreadState &Me); // True if the calling thread, which lent its seat, has it again.
  bool endLoan(ThreadState &Me);  // The same for a thread that no longer needs a seat.
  void setActiveLender(Loan &L, bool Does);
  void requestSubstitute(); // Calls a substitute to seat 0 if no thread of the program has it.

  // InPlace.cpp: tasks that the submitting thread runs itself.
  const Version *cpuVersion(const TaskNode &T, const Worker &W) const; // Null: none is usable.
  void runInPlace(ThreadState &Me, TaskNode &T, bool Ready);           // Ready: no predecessor is unfinished.

  // Calls.cpp. True if no task that this thread's body submitted is unfinished or has
  // failed.
  static bool quiet(const ThreadState &Me);
  CallFrame *beginCall(ThreadState &Me, TaskType &Type, unsigned NumAccesses) noexcept;
  void submitCall(ThreadState &Me, CallFrame &F, const hsched_submit_options &How);
  static void abandonCall(ThreadState &Me, CallFrame &F) noexcept;
  bool enterRootCall(ThreadState &Me,
                     CallFrame &F); // False: other tasks are unfinished, or another thread is inside a root call.
  void leaveRootCall(ThreadState &Me, CallFrame &F);
  void adoptRootCall(ThreadState &Me); // Makes a node for a call that runs outside any task now, on any thread.
  TaskNode &nodeOf(ThreadState &Me, CallFrame &F); // The node of F, made if needed. By the thread that runs F.
  TaskNode &makeNode(ThreadState &Me, const CallFrame &F, TaskNode &Parent);
  void runCall(ThreadState &Me, CallFrame &F);
  void failCall(ThreadState &Me, CallFrame &F);
  void endNode(ThreadState &Me, CallFrame &F);
  void submitBegun(ThreadState &Me, CallFrame &F, const hsched_submit_options &How);

  // A submission in two steps. prepare allocates everything that T's submission needs: if it throws, no other thread
  // knows T. Then T, which is outstanding, is linked, and runs.
  void prepare(ThreadState &Me, TaskNode &T, const hsched_submit_options &How);
  void admit(ThreadState &Me, TaskNode &T);
  class Enrolment;
  // Submissions.cpp.
  TaskNode &describedTask(const hsched_submission &What);
  std::unique_ptr<const TaskPlace> checkPlacement(const hsched_submission &What) const;
  unsigned checkQueue(const hsched_submission &What) const;        // Returns its queue's number, or AnyQueue.
  bool checkOrder(ThreadState &Me, const hsched_submission &What); // True if DeclaredLock is needed to link it.
  // Where.cpp: restricts T to the workers of the clause, if given, and of the open scopes.
  void confine(ThreadState &Me, TaskNode &T, const hsched_place *Clause, const char *Label);
  void undescribe(TaskNode &T);
  void abandonDeclared(ThreadState &Me, TaskNode &T);
  static WorkerId ownWorker(const ThreadState &Me) {
    const Seat *S = Me.S;
    return S ? S->W->Id : NoWorker;
  }
  void notifyEnd(ThreadState &Me, TaskNode &T, bool Failed);
  void lastBodyEnds(ThreadState &Me, TaskNode &T, WorkerId From); // T's body, and its detached work, have ended.
  void awaitDetached(ThreadState &Me, TaskNode &T); // Waits for detached work before the memory that it uses is freed.

  // Bundles.cpp. An item's handle is where its accesses lie.
  // True if the type is so short that a call is faster than a bundle, with several workers.
  bool isTiny(const TaskType &Type) const {
    return Type.Nanoseconds.load(std::memory_order_relaxed) - 1 < TinyBelow; // 0: unknown.
  }
  // True if the submitting thread runs a task of Type without predecessors itself.
  bool runsAtOnce(const ThreadState &Me, const TaskType &Type) const {
    if (Me.Scope) [[unlikely]]
      return false;
    return ReadyTasks.Paths.Calls || isTiny(Type) ||
           (ReadyTasks.Paths.Bundles && Me.inTask() && ReadyTasks.keepsOthersBusy(Me, Type));
  }
  hsched_task *beginItem(ThreadState &Me, TaskType &Type, unsigned NumAccesses, Access *&Accesses, void *&Args);
  void submitItem(ThreadState &Me, Access *Accesses, const hsched_submit_options &How);
  static void abandonItem(ThreadState &Me, Access *Accesses) noexcept;
  void submitUnbundled(ThreadState &Me, Access *Staged, const hsched_submit_options &How);
  // A worker without work sleeps, polls as the poller, or joins loops.
  void rest(ThreadState &Me, Seat &S);
  // Skips the entry if memory is exhausted.
  void noteTime(TaskType &Type, SizeClass Size, unsigned Version, Duration Ran) noexcept {
    try {
      Times.record(Type, Size, Version, CpuModel, Ran);
    } catch (const std::bad_alloc &) {
    }
  }
  void runBundle(ThreadState &Me, Seat &S, TaskNode &T);
  void runItem(ThreadState &Me, CallFrame &F, TaskNode &T, BundleItem &I);

  // Loops.cpp, LoopWorker.cpp.
  void settleChildren(ThreadState &Me);
  void callToLoops(const ThreadState &Me, unsigned Most);
  void openLoop(const ThreadState &Me, LoopSlot &S, uint64_t From, uint64_t N, int64_t PredictedTime);
  bool joinLoops(ThreadState &Me, Seat &S);
  bool joinOpenLoop(ThreadState &Me, Seat &S);
  bool help(ThreadState &Me, LoopSlot &L, LoopSlot::Line *Own, Seat &S);
  void countWorkers();
  void notifyLoop(const ThreadState &Me, const hsched_shared_loop &L, int64_t Begin, int64_t End);

  void endWorkers(); // They end as soon as they have nothing to do.
  // Waiting.cpp. WakeAt: evaluate Done when at most so many tasks are outstanding; below 0:
  // independent of that. Within: the task whose body waits, null outside any. The thread then
  // runs only tasks that Within must wait for: another task might wait for something that Within
  // holds.
  void workUntil(ThreadState &Me, const std::function<bool()> &Done, const TaskNode *Within, int64_t WakeAt = -1);
  // Parks the calling thread once, unless Done().
  void parkUntil(const std::function<bool()> &Done, int64_t WakeAt, Duration AtMost = Parker::Forever) {
    Sleeping.sleep(ownParker(), Done, WakeAt, AtMost);
  }
  const TaskNode *inside(const TaskNode &Parent) const { return &Parent == Root ? nullptr : &Parent; }
  // Registers a wait with the watchdog for its lifetime.
  class WaitReport;
  // Waits for Self's children, whose domain this is. False: one of them failed.
  bool awaitUsers(ThreadState &Me, std::span<const Access> Sections, TaskNode &Self, DependenceDomain &Domain);
  void awaitChildren(ThreadState &Me, TaskNode &Parent); // Parent is not the root; this thread runs its body.
  // True if a task whose body has ended has unfinished children, or a reduction that is not combined.
  static bool hasMore(const TaskNode &T) {
    const DependenceDomain *Domain = T.children();
    return T.Live.load() != 1 || (Domain && Domain->anyOpen());
  }
  bool allDone() const { return Table->outstanding() == 0 && Root->Live.load() == 1; }
  void less(ThreadState &Me, uint64_t Tasks);
  void makeRoom(ThreadState &Me);
  void awaitRoom(ThreadState &Me, TaskNode &Parent); // As awaitChildren.
  static void beginWait(TaskNode &Parent);
  bool tryTakeSeat0(ThreadState &Me);
  void leaveSeat0(ThreadState &Me);
  // Brings data home for a wait. Returns its failure, or null.
  std::exception_ptr flushFor(std::span<const Access> Ranges, bool All);

  // Counts a child of Parent as outstanding.
  void enrol(ThreadState &Me, TaskNode &Parent) {
    if (&Parent != Root) // Children of the root are counted by the table.
      Parent.Live.fetch_add(1, std::memory_order_relaxed);
    ownQueue(Me).Submitted.fetch_add(1);
  }
  void unenrol(ThreadState &Me, TaskNode &Parent) {
    if (&Parent != Root)
      Parent.Live.fetch_sub(1);
    less(Me, 1);
  }
  // enrol, for a full submission: a call outside any task becomes a task. Throws std::bad_alloc without effect.
  void enrolTask(ThreadState &Me, TaskNode &Parent) {
    enrol(Me, Parent);
    if (ReadyTasks.Paths.Stealing && &Parent == Root)
      try {
        adoptRootCall(Me);
      } catch (...) {
        unenrol(Me, Parent);
        throw;
      }
  }
  TaskNode &context(ThreadState &Me) { return Me.Call ? nodeOf(Me, *Me.Call) : Me.Current ? *Me.Current : *Root; }
  void announceRows(std::span<const Worker> Workers);
  unsigned most() const {
    return static_cast<unsigned>(Machine.Workers.size()) + Options.ArrivingDevices;
  } // In the constructor.

  const Platform &Machine;
  Policy &Scheduler;
  Directory &Data;
  History &Times;
  const Clock &Time;
  Observer *const Watch;
  const ExecutorOptions Options;
  std::array<WorkerId, MaxNodes> NodeWorkers;  // By memory node: its worker. The host's entry is unused.
  std::atomic<size_t> NumNodes{1};             // Number of known nodes.
  const std::unique_ptr<Watchdog> HangMonitor; // Null: not requested.
  const unsigned LowWater;                     // A full window is drained to this number of tasks.
  const unsigned Hooks;                        // Hooks that the policy implements.
  const bool Explains;                         // An observer wants the reasons of choices.
  const std::shared_ptr<OwnQueues> Table;
  DependenceDomain RootDomain{true}; // The domain of tasks submitted outside any task.
  Hub ReadyTasks;
  const bool EachTask;                // An observer needs every task as it happens.
  const bool Noted;                   // The watchdog or an observer is active.
  const bool CountsOnly;              // The observer only counts runs.
  const bool Numbered;                // Every call is numbered at its begin, not only when it gets a node.
  const std::unique_ptr<TaskLog> Log; // Null, unless an observer needs every task and fast paths are used.
  const uint32_t TinyBelow;
  const Duration ClockCost; // Time of one reading of the clock.

  const std::shared_ptr<ThreadPool> WorkerThreads;
  sigset_t ProgramsSignals; // The signal mask of the thread that started the executor.
  std::deque<Seat> Seats;   // By worker.
  TaskNode *Root;           // Parent of tasks submitted outside any task.
  std::atomic<bool> Stopping{false};
  std::atomic<uint32_t> Callers{0}; // Threads inside a call of this engine, if it is hosted.
  std::atomic<uint32_t> NextCpu{0}; // The worker to wake for worker 0 when its seat is free.

  // Worker 0's seat: Free; Taken by a thread that waits; or the address of a CallFrame, with one of the other bits. The
  // thread that has the seat runs that call's body outside any task.
  enum : uintptr_t { Free = 0, Taken = 1, Announced = 2, Adopting = 4, Adopted = 6, CallBits = 7 };
  alignas(64) std::atomic<uintptr_t> Seat0{Free};
  TaskNode *RootCallNode = nullptr;  // The node of the call in Seat0, with Adopted.
  std::atomic<int> ActiveLenders{0}; // Threads that lent their seats, run tasks, and have not got the seats back.
  std::atomic<bool> Called0{false};  // Worker 0 was woken, and no thread has searched for its tasks since.
  std::atomic<bool> SubstituteRequested{false};

  alignas(64) std::atomic<uint64_t> NextTask{1};
  Waiters Sleeping;
  mutable std::mutex ErrorLock; // Guards Failures, DisabledVersions and LoggedExclusions. Only taken after an error.
  RootFailures Failures;        // Root->HasFailure: some failure has not been thrown.
  std::mutex DeclaredLock; // Held while tasks with explicit predecessors are linked, because they could form a cycle.
  std::mutex QueueLock;    // Guards all TaskExtras::Queues. Taken after DeclaredLock.
  std::atomic<uint32_t> NumDeclared{0}; // Number of declared tasks that are not submitted.
  std::vector<Disabled> DisabledVersions;
  std::set<std::pair<const Version *, WorkerId>> LoggedExclusions; // Pairs with an exclusion that has been logged.
  ArrivingDevices Coming;
  LoopTeam Loops;
};

} // namespace hsched::rt

#include "exec/Begins.h"
#include "exec/Scopes.h"
#endif
