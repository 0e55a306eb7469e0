// Runs tasks: submission, workers, waiting, errors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   begin, submit -> dispatch -> Policy -> runOnCpu | DeviceWorker -> bodyEnded -> completeAll -> dispatch successors
//
// Threads. Each CPU worker but 0, and each device, has a thread of its own. Worker 0 is a seat: whichever thread of the
// program waits (the main thread, or one that we do not know) takes it for as long as it waits, if it is free, and
// works. No lock is held while a program's code runs.
#ifndef HSCHED_EXEC_EXECUTOR_H
#define HSCHED_EXEC_EXECUTOR_H

#include "base/Parker.h"
#include "data/Directory.h"
#include "data/FragmentMap.h"
#include "exec/Crew.h"
#include "exec/EngineScope.h"
#include "exec/ExecutorOptions.h"
#include "exec/Loops.h"
#include "exec/Newcomers.h"
#include "exec/RootFailures.h"
#include "exec/Seat.h"
#include "exec/SpillList.h"
#include "exec/Stacks.h"
#include "exec/StealOrder.h"
#include "exec/TaskLog.h"
#include "exec/Waiters.h"
#include "exec/Watchdog.h"
#include "graph/TaskGraph.h"
#include "perfmodel/History.h"
#include "perfmodel/Links.h"
#include "sched/Policy.h"
#include "sched/WorkerClasses.h"
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

// Bodies on one thread's stack at which a ready child runs on the spot.
inline constexpr unsigned MaxDepth = 32;

// A run as short as this is measured now and then only, where there is no choice that depends on it: to read the clock
// twice would cost more than the task.
inline constexpr Duration ShortRun = std::chrono::microseconds(20);
inline constexpr uint32_t UnmeasuredRuns = 255;
// The same where runs are counted: to tell of one takes several times as long.
inline constexpr uint32_t UntimedRuns = 1023;

// What is shorter than this is run at once where nothing else is going on: to add it to a bundle takes as long.
inline constexpr uint32_t TinyNanoseconds = 100;
// Tasks in a thread's queue that keep the other workers busy while it runs short ones itself.
inline constexpr int64_t Plenty = 4;

class Executor final : public PolicyHost, private GraphListener {
public:
  // Everything outlives the executor; Watch may be null. Platform's workers: see Platform.
  Executor(const Platform &Machine, Policy &Scheduler, Directory &Data, History &Times, const Clock &Time,
           Observer *Watch, ExecutorOptions Options);
  ~Executor() override;

  // Starts the workers. Once.
  void start();

  // The C ABI's functions of the same names; see there. A null Label stands for the type's name.
  TaskNode &begin(TaskType &Type, unsigned NumAccesses);
  void submit(TaskNode &T, const hsched_submit_options &How);
  static void abandon(TaskNode &T) noexcept;
  static bool inFinal() {
    const ThreadState &Me = threadState();
    return Me.Call ? Me.Call->Final : Me.Current && Me.Current->Final;
  }
  void taskwait(bool Flush);
  void taskwaitOn(std::span<const Access> Sections, bool Flush);
  // Waits as taskwaitOn for the tasks before an access to Section. Claims no failure, brings no data home.
  void awaitUsers(const Access &Section);

  // The quicker ways: to run a task as a call, to put it into a bundle. beginQuick returns null where begin has to be
  // used, else a handle, with room for accesses and arguments as the C ABI's function gives it.
  hsched_task *beginQuick(TaskType &Type, unsigned NumAccesses, Access *&Accesses, void *&Args);
  // The same, shorter, for the child of a call whose children, if any, have been calls; null: try that.
  hsched_task *beginNested(TaskType &Type, unsigned NumAccesses, Access *&Accesses, void *&Args);
  // The same of its submission without options: the call that it is a child of; null: try submitQuick.
  static CallFrame *callAround(const hsched_task *Handle) {
    CallFrame *Outer = threadState().Call;
    return isCall(Handle) && Outer && !Outer->Node ? Outer : nullptr;
  }
  void submitNested(hsched_task *Handle, CallFrame &Around);
  void submitQuick(hsched_task *Handle, const hsched_submit_options &How) {
    isCall(Handle) ? submitCall(callOf(Handle), How) : submitItem(itemOf(Handle), How);
  }
  static void abandonQuick(hsched_task *Handle) noexcept {
    isCall(Handle) ? abandonCall(callOf(Handle)) : abandonItem(itemOf(Handle));
  }
  bool runsCalls() const { return Calls; }
  bool makesBundles() const { return Bundles; }
  // Whether the calling thread is in a call all children of which have been run.
  static bool childrenAreDone() { return threadState().Call && !threadState().Call->Node; }

  // Loops.cpp: the C ABI's functions of the same names.
  bool loopBegin(hsched_shared_loop &L, uint64_t N, uint64_t &Began);
  void loopEnd(hsched_shared_loop &L, uint64_t N, uint64_t Began);
  void loopRun(hsched_shared_loop &L, uint64_t N, uint64_t Grain, void (*Work)(void *, hsched_loop_share *),
               void *Closure);
  static bool loopNext(hsched_loop_share &Share, uint64_t &First, uint64_t &Count);
  uint64_t loopGrain(const hsched_shared_loop &L, uint64_t N) const;
  int64_t loopClock() const; // In nanoseconds.

  // Submissions.cpp: what a front door describes, see hsched_submission. As the C ABI's functions of the same names.
  // Named is what submit returns a reference to, unless it is null.
  // A type that was made at run time comes with what keeps it.
  struct RunTimeType {
    std::shared_ptr<void> Code, Type;
  };
  void submit(const hsched_submission &What, TaskNode **Named, RunTimeType Kept = {});
  std::shared_ptr<Component> makeComponent(const char *Name) const;
  static void enterScope(hsched_scope &S, const hsched_place &Where);
  static void leaveScope(hsched_scope &S);
  size_t countWorkers(const hsched_place &Of) const;
  TaskNode &declare(const char *Name);
  static void releaseNamed(TaskNode &T);
  static Executor &engineOf(const TaskNode &T) { return *static_cast<Executor *>(T.Extras->Named->Engine); }
  int waitFor(TaskNode &T);
  // A reference to the task whose body the calling thread runs, for endDetached.
  TaskNode &detach();
  void endDetached(TaskNode &T, std::exception_ptr Failure);

  // For calls of this engine by the program, and for the program's code that this engine calls.
  Executor *self() { return Options.Hosted ? this : nullptr; }
  class Call;
  class Outside;

  // Waits for everything, ends the workers, brings data home. A failure that nobody claimed is logged. Once, from a
  // thread outside any task.
  void shutdown();

  // The program ends inside a task: nobody begins another one who is not inside one.
  void abandonRest();

  // Devices that come later, and kernels that are being built.
  Newcomers &newcomers() { return Coming; }
  uint64_t outstanding() const { return Table->outstanding(); } // Tasks.
  TaskId numberTask() { return NextTask.fetch_add(1, std::memory_order_relaxed); }
  // Tells the observer what it has not been told as it happened: at the end, or when the program ends by a signal. Any
  // thread; once.
  void tellRest();

  // Whether a worker keeps watch, so that nobody is woken for one short task and a wait. For tests.
  bool keepsWatch() const { return Sentry.load(); }
  // Null where there is none. For tests.
  Watchdog *watchdog() { return Dog.get(); }

  // PolicyHost.
  const Clock &clock() const override { return Time; }
  const Platform &platform() const override { return Machine; }
  History &history() override { return Times; }
  unsigned lambda() const override { return Options.Lambda; }
  Duration transferTime(const Task &T, MemoryNode Node) override;
  void validBytes(const Access &A, std::span<uint64_t> Bytes) override { Data.validBytes(A, Bytes); }
  void wake(WorkerId W) override;
  bool recordsDecisions() const override { return Explains; }
  bool moreToCome() const override { return Coming.moreToCome(); }
  size_t mostWorkers() const override { return Seats.size(); }
  void decided(Task &T, const Version &V, WorkerId W, const char *Why, std::span<const Prediction> Among) override;

private:
  friend class DeviceWorker;
  friend class Newcomers;
  class SeatLease;

  struct Disabled {
    const Version *V;
    WorkerId W;
    std::string Cause;
  };
  // A task that could not run where the policy wanted it and was given a place by the executor.
  struct Detour {
    TaskNode *T;
    const Version *V;
  };

  // GraphListener.
  void dependence(TaskId From, TaskId To) override {
    if (Watch && !Log)
      Watch->dependence(From, To);
    if (Dog)
      Dog->dependence(From, To);
    if (Hooks & TellsEdges)
      Scheduler.edge(From, To);
  }
  GraphListener *listener() { return EachTask || Dog || Hooks & TellsEdges ? this : nullptr; }
  bool wantsComplete() const override { return EachTask; }
  TaskId combination(const TaskNode &C) override;

  // Groups.cpp. Children's domains are the parent's thread's, and by its children nothing but the exclusion is used.
  DependenceDomain &domainOf(TaskNode &Parent);
  void prepareGroups(TaskNode &T, const hsched_submit_options &How);
  bool takeTurn(TaskNode &T); // False: it is dispatched when its turn comes.
  TaskNode *giveTurn(TaskNode &T);
  void usePrivateCopies(TaskNode &T, MemoryNode Node);
  void fetchTo(Task &T, Acquisition &Held);
  void combine(TaskNode &C, WorkerId From);
  // A wait, or the end of a body, ends the groups of Parent's children.
  void endGroups(TaskNode &Parent, WorkerId From);

  // Completion.cpp. From: the worker that the calling thread is, or NoWorker.
  bool dispatch(TaskNode &T, WorkerId From, bool Activated); // False: it cannot run, its failure is recorded.
  void bodyEnded(TaskNode &T, WorkerId From);                // The body has ended: what is due follows.
  void completeAll(TaskNode *List, WorkerId From);
  void closed(TaskNode *List, WorkerId From); // List: what a domain closed, as it returns that.
  TaskNode *readied(TaskNode &Ready, WorkerId From, TaskNode *List);
  void neverRan(TaskNode &T, Outcome How); // Tells the observer of a task that did not run.
  void fail(TaskNode &T, const std::string &Device, const std::string &Cause);
  void recordFailure(TaskNode &Holder, std::exception_ptr Failure, const TaskNode &From);
  static void logLaterFailure(const TaskNode &From, const std::exception_ptr &Failure);
  void throwFailure(TaskNode &Holder); // Claims and throws the holder's failure, if any.
  // The same outside any task, where several threads may have failures of their own.
  void recordRootFailure(std::exception_ptr Failure, const TaskNode &From);
  void throwRootFailure(bool All); // All: there is nothing unfinished.
  uint32_t serialOfThread();

  // Trouble.cpp.
  bool usableSomewhere(const TaskNode &T) const;
  static bool isExcluded(const TaskNode &T, unsigned V, WorkerId W);
  // The same without V on W and what T is excluded from.
  bool usableElsewhere(const TaskNode &T, const Version &V, WorkerId W) const;
  std::string whyUnusable(const TaskNode &T, std::string &Device) const;
  std::string wherePlaced(const TaskNode &T) const;
  // A policy chose W for T, which W is not to run.
  void sendOn(TaskNode &T, const Version &V, WorkerId W);
  void disable(const Version &V, WorkerId W, const status &Cause);
  // W's device has gone, so none of T's versions can be used there.
  void disableAll(const TaskNode &T, WorkerId W, const status &Cause);
  // T came out of the policy for V on W and did not run: V may have been disabled. Gives it to the policy again. Cause:
  // what is said where T may not run anywhere else.
  void giveBack(TaskNode &T, const Version &V, WorkerId W, bool FromPolicy, const status &Cause = {});
  // The same where V cannot run this one task on W, for want of memory or the like. Blame: whose device is the cause of
  // that, where it is not W's.
  void exclude(TaskNode &T, const Version &V, WorkerId W, bool FromPolicy, const status &Cause,
               WorkerId Blame = NoWorker);
  bool detour(TaskNode &T, const std::string &Device, const std::string &Cause);
  void failUnusable(TaskNode &T);              // As whyUnusable says.
  Newcomers::Standing holdOrFail(TaskNode &T); // Never and T.HasFailure: there is no memory to hold it.
  bool takeDetour(WorkerId W, Detour &Out);

  // CpuWorker.cpp.
  // False: there was nothing to run. ToPark: the caller will park then; else it has other things to do.
  bool runOne(Seat &S, bool ToPark = true) {
    Found F;
    return find(S, F, ToPark) && (run(S, F), true);
  }
  bool find(Seat &S, Found &F, bool ToPark);
  bool findInPolicy(Seat &S, Found &F);
  void leftPolicy(const Assignment &A, Found &F);
  void run(Seat &S, const Found &F) { F.V ? (void)runOnCpu(S, *F.T, *F.V, F.FromPolicy) : runKept(S, *F.T); }
  bool popFor(Seat &S, Assignment &Out);
  bool stealFor(Seat &S, Assignment &Out); // The policy's.
  // T, which came out of the policy, begins as V on W.
  void tellBegin(const TaskNode &T, const Version &V, WorkerId W) {
    if (Hooks & TellsArrived)
      Scheduler.arrived(T, W);
    if (Hooks & TellsStarted)
      Scheduler.started(T, V, W);
  }
  // Notes why T, which was not chosen by the policy's telling, runs as V on W.
  void explain(Task &T, const Version &V, WorkerId W, const char *Why);
  void runKept(Seat &S, TaskNode &T);
  // Runs V, which nothing was chosen for; measures it now and then. SizeOf() is its size class. Throws what it throws.
  // Write(Ran) logs the run, where runs are logged. Node: null where the task has none.
  template <class Fn, class LogFn>
  void runUnchosen(TaskType &Type, const Version &V, void *Args, const TaskNode *Node, Fn SizeOf, LogFn Write);
  template <class Fn, class LogFn>
  void runNoted(TaskType &Type, const Version &V, void *Args, const TaskNode *Node, Fn SizeOf, LogFn Write);
  template <class Fn, class LogFn>
  void runWatched(TaskType &Type, const Version &V, void *Args, const TaskNode *Node, Fn SizeOf, LogFn Write);
  template <class Fn> void runUnnoted(TaskType &Type, const Version &V, void *Args, Fn SizeOf);
  void uncountFailed(RunCounts::Entry &Count); // A run that was counted has thrown: it is told of by itself.
  template <class Fn> void runMeasured(TaskType &Type, const Version &V, void *Args, Fn SizeOf);
  // The same where runs are counted.
  template <class Fn> void runCounted(TaskType &Type, const Version &V, void *Args, Fn SizeOf);
  template <class Fn, class LogFn> void runLogged(TaskType &Type, const Version &V, void *Args, Fn SizeOf, LogFn Write);
  // Logging.cpp: the engine's side of TaskLog. Where there is a log.
  template <class Fn> void withLog(Fn Use); // Use(Part) on the calling thread's
  void logSubmitted(const TaskNode &T);
  void noteItem(BundleItem &I); // Gives it its number.
  void logCall(const CallFrame &F, const TaskLog::Ran &R);
  void logRun(TaskId Id, const TaskLog::Ran &R);
  BodyList *ownBodies(); // The calling thread's, for the watchdog; null where it has none.
  void visitBodies(const std::function<void(const BodyList &, WorkerId)> &Visit) const;
  class Noting;   // For the life of a body.
  void logWait(); // Of the calling thread's, which is over.
  TaskId numberOfCurrent() const;
  // The calling thread's; null: it has no queue, and its runs are all timed.
  RunCounts::Entry *countOf(const TaskType &Type, const Version &V, SizeClass Size);
  void tellRun(const TaskType &Type, const Version &V, SizeClass Size, Interval Ran, Outcome How);
  void tellCounts();
  OwnQueue &ownQueue() {
    ThreadState &Me = threadState();
    return Me.QueuesSerial == Table->Serial ? *Me.Own : takeOwnQueue();
  }
  OwnQueue &takeOwnQueue();
  bool keep(TaskNode &T, bool Activated); // Whether T is now in a queue, or this thread's next.
  bool enqueue(TaskNode &T, bool Lone = false);
  bool anyWork(); // Where a worker would look for it.
  // S, marked as idle, is about to do something else than to sleep: a wake-up that it was given goes to another one.
  void comeBack(Seat &S);
  // S, a worker, has found a task.
  void takesUp(Seat &S) {
    comeBack(S);
    if (Bundles)
      offerOpenBundle();
  }
  void letGoOfNext();
  TaskNode *steal(Seat &S);
  void orderVictims(Seat &S);
  uint32_t distance(WorkerId From, WorkerId To) const; // Of their cores; UINT32_MAX: it is not known.
  void takeAlong(OwnQueue &From, OwnQueue &Own, int64_t Most);
  // Whether the body ran; otherwise T has been given to someone else.
  bool runOnCpu(Seat &S, TaskNode &T, const Version &V, bool FromPolicy);
  status fetchHome(TaskNode &T, Acquisition &Held);
  void letGoOfData(TaskNode &T); // What a running body holds of the directory, before its first child.

  // Lending.cpp: what a wait inside a task runs, and who has its thread's seat meanwhile.
  // By the thread that has S, whose worker may run what it finds.
  static void sit(Seat &S);
  // On a thread of the crew, as S's: runs First, if that has a task, and whatever else S's worker may.
  void serve(Seat &S, const Found &First);
  void workInside(const std::function<bool()> &Done, int64_t At, const TaskNode &Within);
  void awaitSoon(const std::function<bool()> &Done, int64_t At);
  static bool isInside(const TaskNode &T, const TaskNode &Within);
  bool runChild(const TaskNode &Within); // Of those in this thread's queue; false: there is none.
  bool findInside(WorkerId W, const TaskNode &Within, Found &F); // Of what the policy holds.
  bool robInside(const TaskNode &Within, Found &F);              // Of what other threads' queues hold.
  void putBack(Seat &S, const Found &F);
  bool lend(const Found &First); // To a thread that begins with First; false: there is none.
  bool returnSeat(Seat &S);      // To who claims it.
  static void claim(Loan &L);
  static bool withdraw(Loan &L); // False: the seat has been returned.
  bool takeBack();               // Whether the calling thread, which lent its seat, has it again.
  bool endLoan();                // The same where it needs none any more if it has not.
  void worksBeside(Loan &L, bool Does);
  void callSpare(); // To seat 0, where no thread of the program is.
  // Where there is one CPU worker and nobody sits there, what was queued just now is run all the same.
  void attend() {
    if (OneCpu && Seat0.load() == Free) [[unlikely]]
      callSpare();
  }

  // InPlace.cpp: tasks that the submitting thread runs itself.
  const Version *cpuVersion(const TaskNode &T, const Worker &W) const; // Null: none is usable.
  void runInPlace(TaskNode &T, bool Ready);                            // Ready: nothing has to be waited for.

  // Calls.cpp.
  // Whether nothing that the body of this thread submitted is unfinished, or has failed.
  static bool quiet(const ThreadState &Me);
  CallFrame *beginCall(TaskType &Type, unsigned NumAccesses) noexcept;
  void submitCall(CallFrame &F, const hsched_submit_options &How);
  static void abandonCall(CallFrame &F) noexcept;
  bool enterRootCall(CallFrame &F); // False: other tasks are unfinished, or another thread is at work.
  void leaveRootCall(CallFrame &F);
  void adoptRootCall();           // Makes a node for a call that runs outside any task just now, on any thread.
  TaskNode &nodeOf(CallFrame &F); // Made if there is none; by the thread that runs F.
  TaskNode &makeNode(const CallFrame &F, TaskNode &Parent);
  void runCall(CallFrame &F);
  void failCall(CallFrame &F);
  void endNode(CallFrame &F);
  void submitBegun(CallFrame &F, const hsched_submit_options &How);

  void submitNumbered(TaskNode &T, const hsched_submit_options &How);
  // Submissions.cpp.
  TaskNode &describedTask(const hsched_submission &What);
  std::unique_ptr<const TaskPlace> checkPlacement(const hsched_submission &What) const;
  unsigned checkQueue(const hsched_submission &What) const; // Its number; AnyQueue: none is named.
  bool checkOrder(const hsched_submission &What);           // Whether DeclaredLock is needed to link it.
  // Where.cpp: T runs only where the clause, if there is one, and the scopes that are open let it.
  void confine(TaskNode &T, const hsched_place *Clause, const char *Label);
  void abandonDeclared(TaskNode &T);
  WorkerId ownWorker() const {
    const Seat *S = threadState().S;
    return S ? S->W->Id : NoWorker;
  }
  void tellEnd(TaskNode &T, bool Failed);
  void lastBodyEnds(TaskNode &T, WorkerId From); // T's body, and its other work, have ended.
  void awaitDetached(TaskNode &T);               // Before what it works on goes away.

  // Bundles.cpp. An item's handle is where its accesses lie.
  bool isTiny(const TaskType &Type) const { // So short that it may as well be a call, with several workers.
    return Type.Nanoseconds.load(std::memory_order_relaxed) - 1 < TinyBelow; // 0: not known.
  }
  // Whether a task of Type, where nothing stands before it, is to be run by the thread that submits it.
  bool runsAtOnce(const ThreadState &Me, const TaskType &Type) const {
    if (Me.Scope) [[unlikely]]
      return false;
    return Calls || isTiny(Type) || (Bundles && Me.inTask() && hasPlenty(Me, Type));
  }
  // Inside a task: it is short with all that it waits for, others find enough to do in this thread's queue, and nobody
  // is looking. So recursions make tasks near their root and whenever one is taken away, and are calls below.
  bool hasPlenty(const ThreadState &Me, const TaskType &Type) const {
    return Me.QueuesSerial == Table->Serial && Me.Own->Ready.size() >= Plenty &&
           Type.Nanoseconds.load(std::memory_order_relaxed) - 1 < std::chrono::nanoseconds(ShortRun).count() &&
           Searchers.load(std::memory_order_relaxed) == 0;
  }
  hsched_task *beginItem(TaskType &Type, unsigned NumAccesses, Access *&Accesses, void *&Args);
  void submitItem(Access *Accesses, const hsched_submit_options &How);
  static void abandonItem(Access *Accesses) noexcept;
  void submitUnbundled(Access *Staged, const hsched_submit_options &How);
  // Lone: the calling thread will most likely run it itself soon, in a wait.
  void wakeForWork(bool Lone = false);
  // Sentry.cpp. A worker without work sleeps, or keeps watch for what nobody was woken for.
  void rest(Seat &S);
  bool isLeftAlone();
  void waitsForOne(bool Alone); // A wait outside any task, for one bundle that nobody else took, or for something else.
  void enqueueBundle(TaskNode &T, bool Lone = false);
  // Does without where there is no memory for a new entry.
  void noteTime(TaskType &Type, SizeClass Size, unsigned Version, Duration Ran) noexcept {
    try {
      Times.record(Type, Size, Version, CpuModel, Ran);
    } catch (const std::bad_alloc &) {
    }
  }
  TaskNode *takeOpenBundle(Seat &S, bool AtOnce);
  void offerOpenBundle(); // To a worker without work.
  void passOnBundles();   // The open ones: nothing more comes into them.
  void runBundle(Seat &S, TaskNode &T);
  void runItem(CallFrame &F, TaskNode &T, BundleItem &I);

  // Loops.cpp.
  void settleChildren();
  void callToLoops(unsigned Most);
  void openLoop(LoopSlot &S, uint64_t From, uint64_t N, int64_t Takes);
  bool joinLoops(Seat &S);
  bool joinOpenLoop(Seat &S);
  bool help(LoopSlot &L, Seat &S);
  void countWorkers();
  void tellLoop(const hsched_shared_loop &L, int64_t Begin, int64_t End);

  void endWorkers(); // They end as soon as they have nothing to do.
  // Waiting.cpp.
  // WakeAt: how few tasks may be outstanding for Done to be worth asking; below 0: that does not matter to it. Within:
  // the task whose body waits, null outside any. It runs only what that task has to wait for anyway: another task may
  // wait for something that this one holds.
  void workUntil(const std::function<bool()> &Done, const TaskNode *Within, int64_t WakeAt = -1);
  // The calling thread sleeps once, unless Done().
  void parkUntil(const std::function<bool()> &Done, int64_t WakeAt, Duration AtMost = Parker::Forever) {
    Sleeping.sleep(ownParker(), Done, WakeAt, AtMost);
  }
  const TaskNode *inside(const TaskNode &Parent) const { return &Parent == Root ? nullptr : &Parent; }
  // Tells the watchdog of a wait for its life.
  class Told;
  // Of Self's children, whose domain this is. False: one of them failed.
  bool awaitUsers(std::span<const Access> Sections, TaskNode &Self, DependenceDomain &Domain);
  void awaitChildren(TaskNode &Parent); // Which is not the root, and whose body this thread runs.
  // Whether a task whose body has ended has children left, or a reduction of theirs that has not been combined.
  static bool hasMore(const TaskNode &T) {
    const DependenceDomain *Domain = T.children();
    return T.Live.load() != 1 || (Domain && Domain->anyOpen());
  }
  void pushes(const TaskNode &T) {
    if (T.Priority < 0)
      UnurgentInPolicy.fetch_add(1);
    InPolicy.fetch_add(1);
  }
  void pops(const TaskNode &T) {
    if (T.Priority < 0)
      UnurgentInPolicy.fetch_sub(1);
    InPolicy.fetch_sub(1);
  }
  bool allDone() const { return Table->outstanding() == 0 && Root->Live.load() == 1; }
  void less(uint64_t Tasks);
  void makeRoom();
  void awaitRoom(TaskNode &Parent); // As awaitChildren.
  static void beginWait(TaskNode &Parent);
  bool tryTakeSeat0();
  void leaveSeat0();
  // Brings data home for a wait; the failure that it ends with, null: none.
  std::exception_ptr flushFor(std::span<const Access> Ranges, bool All);

  // T, whose parent is set, is outstanding from here on.
  void enrol(TaskNode &T) {
    if (T.Parent != Root) // Whose children are what is outstanding.
      T.Parent->Live.fetch_add(1, std::memory_order_relaxed);
    ownQueue().Submitted.fetch_add(1);
  }
  TaskNode &context() {
    ThreadState &Me = threadState();
    return Me.Call ? nodeOf(*Me.Call) : Me.Current ? *Me.Current : *Root;
  }
  void announceRows(std::span<const Worker> Workers);
  unsigned most() const {
    return static_cast<unsigned>(Machine.Workers.size()) + Options.Newcomers;
  } // In the constructor.

  const Platform &Machine;
  Policy &Scheduler;
  Directory &Data;
  History &Times;
  const Clock &Time;
  Observer *const Watch;
  const ExecutorOptions Options;
  std::array<WorkerId, MaxNodes> NodeWorkers; // By memory node, whose it is; the host's is nobody's.
  std::atomic<size_t> NumNodes{1};            // Of which are known.
  const std::unique_ptr<Watchdog> Dog;        // Null: nobody asked for it.
  const unsigned LowWater;                    // A full window is drained to this.
  const unsigned Hooks;                       // Of the policy.
  const bool Explains;                        // Somebody wants to know why tasks run where they do.
  // All workers are alike, the policy does not mind who runs what, and nobody wants to be told of every task.
  const bool Stealing;
  const bool EachTask;                // Somebody has to be told of every task, as it happens.
  const bool Noted;                   // Somebody watches, the watchdog or another one.
  const bool CountsOnly;              // Somebody watches who wants to know how often tasks ran, and no more.
  const bool Numbered;                // Each call has a number as it begins, and not only if it becomes a task.
  const std::unique_ptr<TaskLog> Log; // Null, unless somebody wants to be told of every task and quick ways are taken.
  const bool Calls;                   // The same with one worker: tasks may be calls.
  const bool Bundles;                 // The same with several: short tasks go into bundles.
  const uint32_t TinyBelow;
  const bool OneCpu;         // Worker.
  const Duration ClockTakes; // From one reading of the clock to the next.

  const std::shared_ptr<OwnQueues> Table;
  const std::shared_ptr<Crew> Hands;
  sigset_t ProgramsSignals; // Blocked where the executor was started.
  std::deque<Seat> Seats;   // By worker.
  TaskNode *Root;           // Parent of what is submitted outside any task.
  DependenceDomain RootDomain{true};
  std::atomic<bool> Stopping{false};
  std::atomic<uint32_t> Callers{0}; // Of a hosted engine: threads that are in a call of it.
  std::atomic<uint32_t> NextCpu{0}; // Whom to wake for worker 0 when nobody sits there.

  // Worker 0's seat: Free, Taken by a thread that waits, or the address of the CallFrame whose body the thread that has
  // it runs outside any task, with one of the other bits.
  enum : uintptr_t { Free = 0, Taken = 1, Announced = 2, Adopting = 4, Adopted = 6, CallBits = 7 };
  alignas(64) std::atomic<uintptr_t> Seat0{Free};
  TaskNode *RootCallNode = nullptr; // Of the call whose address is in Seat0 with Adopted.
  std::atomic<int> Beside{0};       // Threads at work that lent their seats and have not got them back.
  std::atomic<bool> Called0{false}; // Worker 0 was woken, and nobody has looked for its work since.
  std::atomic<bool> SpareCalled{false};

  alignas(64) std::atomic<uint64_t> NextTask{1};
  IdleWorkers QueueIdle; // That found no task in any queue.
  // See Sentry.cpp: a worker keeps watch; one is to; somebody was not woken since it looked last; how many waits in a
  // row were for one short task.
  std::atomic<bool> Sentry{false}, SentryWanted{false}, Unwoken{false};
  std::atomic<uint32_t> LoneWaits{0};
  std::atomic<uint32_t> Searchers{0}; // Workers that look at queues, and will mark themselves or find a task.
  WorkerBits AllWorkers{};
  alignas(64) std::atomic<int64_t> InPolicy{0}; // Tasks pushed and not popped; counted where Stealing.
  std::atomic<int64_t> UnurgentInPolicy{0};     // Of those with a priority below 0.

  SpillList Spilled; // Bundles that a thread without a queue of its own made ready, and what a queue had no room for.
  Waiters Sleeping;
  mutable std::mutex TroubleLock;       // Of the rest; only taken where something has gone wrong.
  RootFailures Failures;                // Root->HasFailure: somebody has not been told at all.
  std::mutex DeclaredLock;              // Held while tasks are linked that may come in a circle.
  std::mutex QueueLock;                 // Of all TaskExtras::Queues; taken with DeclaredLock held, if both are.
  std::atomic<uint32_t> NumDeclared{0}; // And not submitted.
  std::vector<Disabled> DisabledVersions;
  std::set<std::pair<const Version *, WorkerId>> ToldOf; // Pairs that a task was excluded from, with a warning.
  std::vector<std::deque<Detour>> Detours;               // By worker.
  std::atomic<uint32_t> NumDetours{0};
  Newcomers Coming;
  LoopTeam Loops;
};

} // namespace hsched::rt

#include "exec/Begins.h"
#include "exec/Runs.h"
#include "exec/Scopes.h"
#endif
