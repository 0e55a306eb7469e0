// Policy "adaptive": explores little, plans by earliest finish, and corrects the plan when a worker is
// idle.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planning. A ready task goes to the kind of worker with the earliest predicted finish. It begins after that kind's
// queued work. On a device it also begins after the transfers queued on its links (LinkQueue.h). Among workers of one
// kind, transfers count several times, because they delay others too. CPU workers share one list, each device has its
// own. With devices, lists are ordered by critical path (GraphAhead.h), then by priority. A device gets no more tasks
// than keep it busy. Where devices would wait for a core with a task, many blocks of data move at one time
// (queueShare). A task that the program has just submitted may seem best on a core because transfers take long. Its
// plan waits for a moment, because the tasks after it may change that (DelayedTasks.h).
//
// Corrections. An idle worker takes a task from another kind's or device's list if it ends the task before the owner
// would begin it. A CPU worker also takes tasks that it runs more slowly than a device. The condition is that the
// devices have enough work meanwhile that does not depend on the task (GraphAhead.h). So CPU workers take part in a
// long sequence of tasks without delaying the devices. Cores that were recently needed for tasks that only cores run
// well are kept free of such long tasks. None of that is done while the work is faster without cores (Mixing.h).
//
// Exploration. One run of a version on each kind of worker. A pair without a run is tried once, by one task at a time,
// if that costs nothing. This is so if nothing is known, or if the known workers are busy for as long as the run may
// take. Its assumed slowdown is that of other tasks on that kind of worker. Estimates are those of versioning-locality:
// medians, and fits over other sizes. A pair that is rarely chosen is retried on an idle worker, if the prediction is
// at most 1/100 of the time since the last retry.
#include "sched/AdaptiveLists.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>

namespace hsched::rt {
namespace {

using Ns = Duration::rep;

// Time of work that a device keeps in hand: it asks for more many times meanwhile.
constexpr Ns InHand = 1'000'000;
// The same if its next task has to wait for transfers, which then overlap the work.
constexpr Ns InHandToFetch = 4'000'000;

class Adaptive final : public AdaptiveLists {
public:
  unsigned capabilities() const override { return StealsAlike | RunsCalls | MakesBundles | AcceptsLateDevices; }
  unsigned hooks() const override { return HookSubmitted | HookEdges; }

  void start(PolicyHost &H) override {
    Host = &H;
    const WorkerList &Workers = H.platform().Workers;
    Trials.start(now(), H.lambda());
    Lists.start(H);
    Alike.start(H.mostWorkers());
    startLists(H.mostWorkers());
    notice({Workers.begin(), Workers.size()});
    Classes.set({Workers.begin(), Workers.size()});
  }

  void moreUsable() override {
    const std::span<const Worker> All = Host->platform().Workers.appended();
    if (All.size() != Classes->numWorkers()) {
      notice(All);
      Classes.set(All);
    }
    Lists.renew();
    for (const Worker &W : All)
      sortAnew(W.Id);
    for (const Worker &W : All) // They may take tasks that were planned without them.
      if (W.Kind != DeviceKind::Cpu && Idle.remove(W.Id))
        Host->wake(W.Id);
  }

  // Without devices the graph ahead is not needed.
  void submitted(const Task &T, TaskId) override {
    if (NumDevices.load(std::memory_order_relaxed) == 0)
      return;
    whileThereIsMemory([&] {
      Group &G = groupOf(T);
      if (!G.anyKnown()) {
        std::lock_guard Guard(G.Lock);
        refresh(G, T);
        Trials.changed(G, classBit(Classes->classOf(0)));
      }
      Uses.submitted(T);
      if (Ahead.submitted(T.Id, G.Fastest))
        Mix.resumes(now());
    });
  }
  void edge(TaskId From, TaskId To) override {
    if (NumDevices.load(std::memory_order_relaxed))
      whileThereIsMemory([&] { Ahead.edge(From, To); });
  }

  void complete(const Task &T) override {
    if (NumDevices.load(std::memory_order_relaxed)) {
      Uses.ended(T);
      Ahead.ended(T.Id);
    }
  }

  void push(Task &T, WorkerId From) override {
    releaseIfDue();
    const Choice C = choose(T, NoWorker, mayDelay(From));
    if (C.V)
      return assign(T, C);
    Delayed.delay(T, C.MayWait, C.Run, now());
    // T may have been released. The core asks again when it is due.
    wakeOneOf(Classes->bits(Classes->classOf(0)));
  }
  void pushActivated(Task &T, WorkerId From) override {
    if (const Choice C = staying(T, From, true); C.V)
      return assign(T, C);
    assign(T, choose(T));
  }

  bool pop(WorkerId W, Assignment &Out) override {
    releaseIfDue();
    if (!isCpu(W) && hasEnough(W))
      return false; // It asks again when a task has ended.
    if (!take(W, Out) && !(Idle.enter(W) && take(W, Out))) {
      if (const Ns Due = Delayed.due(); Due != DelayedTasks::Never && isCpu(W))
        Host->askAgain(W, Duration(std::max<Ns>(Due - now(), 0)));
      return false;
    }
    busy(W);
    return true;
  }

  // No other worker waits for a device's queued tasks.
  void busy(WorkerId W) override {
    if (Idle.leave(W) && isCpu(W) && Lists.any(0))
      wakeOneOf(Classes->bits(Classes->classOf(W)));
  }

  bool popMatching(WorkerId W, const std::function<bool(const Task &)> &Wanted, Assignment &Out) override {
    const WorkerId List = Lists.listOf(W);
    if (!Lists.any(List))
      return false;
    Task *T = Lists[List].takeMatching([&](const Task &T) { return usableOn(W, *T.Chosen, T) && Wanted(T); });
    if (!T)
      return false;
    Lists.leaves(*T);
    begin(*T, W, Out);
    return true;
  }

  const Version *takeEarly(Task &T, WorkerId W) override {
    if (hasEnough(W) && Lists.any(W) && keyOf(T) < Lists[W].firstKey())
      return nullptr; // It is assigned when it is ready.
    Choice C = staying(T, W, false);
    if (!C.V)
      C = choose(T, W);
    if (C.W != W)
      return nullptr;
    Lists.begin(T, C);
    Ahead.begun(T.Id);
    return C.V;
  }

  void completed(const Task &T, const Version &V, WorkerId W, Duration Measured) override {
    Lists.end(T, W, Measured.count());
    whileThereIsMemory([&] {
      if (learn(T, V, W, Measured) && NumDevices.load(std::memory_order_relaxed)) {
        Ahead.timesKnown();
        wakeCores(); // What waited for this time may be worth taking now.
      }
    });
  }

  // As in versioning: a class that has refused a version lambda times in succession at this size is not chosen again.
  void refused(const Task &T, const Version &V, WorkerId W) override {
    whileThereIsMemory([&] { countRefusal(T, V, W); });
  }

private:
  // --- delayed tasks

  // The program has pushed a task.
  bool mayDelay(WorkerId From) const {
    return (From == 0 || From == NoWorker) && NumDevices.load(std::memory_order_relaxed) && Host->canAskAgain();
  }
  void releaseIfDue() {
    if (Delayed.due() == DelayedTasks::Never)
      return;
    for (Task *T : Delayed.take(now())) {
      Choice C;
      retryUntilAllocated([&] { C = choose(*T); });
      assign(*T, C);
    }
  }

  void countRefusal(const Task &T, const Version &V, WorkerId W) {
    Group &G = groupOf(T);
    std::lock_guard Guard(G.Lock);
    refresh(G, T);
    (void)Trials.ends(G, *T.Type, T.sizeClass(), V.Index, worker(W).Model);
    Group::PerVersion &Known = G.Versions[V.Index];
    const unsigned Class = Classes->classOf(W);
    Known.Refusals.resize(std::max<size_t>(Known.Refusals.size(), Class + size_t(1)));
    if (++Known.Refusals[Class] >= Host->lambda())
      Known.Suited &= ~(classBit(Class) & ~Classes->mixed());
  }

  // Returns true if it was the pair's first run.
  bool learn(const Task &T, const Version &V, WorkerId W, Duration Measured) {
    Group &G = groupOf(T);
    std::lock_guard Guard(G.Lock);
    refresh(G, T);
    const bool First = Trials.ends(G, *T.Type, T.sizeClass(), V.Index, worker(W).Model);
    if (Measured < Duration(0))
      return First;
    if (const VersionTimes::Known &K = G.Versions[V.Index].on(worker(W).Model); !isCpu(W) && K.Runs >= Host->lambda())
      Alike.ran(W, Measured.count(), K.Mean);
    G.measure(*Host, Estimates::Robust, *T.Type, T.sizeClass(), V.Index);
    Trials.changed(G, classBit(Classes->classOf(0)));
    if (NumDevices.load(std::memory_order_relaxed) && G.Pairs > 1 && G.Fastest.OnDevice.load(std::memory_order_relaxed))
      Mix.ended(&G, G.Fastest.Nanoseconds.load(std::memory_order_relaxed), now(),
                G.Fastest.OnCore.load(std::memory_order_relaxed), [this] { return costsAhead(); });
    if (auto &Refusals = G.Versions[V.Index].Refusals; Refusals.size() > Classes->classOf(W))
      Refusals[Classes->classOf(W)] = 0;
    return First;
  }

  void wakeCores() {
    const WorkerBits Cores = Classes->bits(Classes->classOf(0));
    for (WorkerId W; (W = Idle.takeOne(Cores, Classes->numWords())) != NoWorker;)
      Host->wake(W);
  }

  void notice(std::span<const Worker> Workers) {
    size_t Nodes = 1;
    unsigned Devices = 0, Cores = 0;
    for (const Worker &W : Workers) {
      Cores += W.Kind == DeviceKind::Cpu;
      Nodes = std::max<size_t>(Nodes, W.Node + size_t(1));
      Devices += W.Kind != DeviceKind::Cpu && !W.SharedCores;
      if (W.SharedCores)
        SharesCores.store(true);
    }
    NumNodes.store(Nodes);
    NumDevices.store(Devices);
    Mix.start(Devices, Cores);
  }

  // A device has enough work until it can ask again, and does not wait for transfers. Further tasks now would only
  // delay more urgent ones later.
  bool hasEnough(WorkerId W) {
    const Ns Now = now();
    if (!Lists.hasInHand(W, std::max(InHand, Lists.transfers(W, Now)), Now))
      return false;
    return Lists.hasInHand(W, InHandToFetch, Now) ||
           !Lists[W].isFirst([](const Task &T) { return WorkLists::travelOf(T) > 0; });
  }

  // --- the lists

  void assign(Task &T, const Choice &C) {
    std::optional<WorkerBits> Among;
    if (isCpu(C.W) && T.Placed) {
      Among.emplace();
      for (WorkerId W : Classes->members(Classes->classOf(C.W)))
        if (mayRunOn(T, W))
          add(*Among, W);
    }
    Home.planned(isCpu(C.W), C.Travel);
    const ReadyList::Key Key = keyOf(T);
    restoreOrder();
    Lists.put(T, C, ableClasses(T), Key);
    // T may have been freed.
    const bool Comes = Idle.remove(C.W);
    if (Comes)
      Host->wake(C.W);
    if (isCpu(C.W) && (!Comes || C.W == 0)) // Worker 0 may not ask for work.
      wakeOneOf(Among ? *Among : Classes->bits(Classes->classOf(C.W)));
    if (C.WakeOthers)
      wakeOneOf(Classes->bits(Classes->classOf(0)));
  }

  // A task that has left its list goes to a worker or to a list, even if memory is exhausted.
  void begin(Task &T, WorkerId W, Assignment &Out) {
    Ns Left = 0;
    if (!isCpu(W) && WorkLists::travelOf(T) != 0)
      retryUntilAllocated([&] { Left = travelTo(T, worker(W).Node); });
    Lists.begin(T, W, Left);
    if (NumDevices.load(std::memory_order_relaxed))
      Ahead.begun(T.Id);
    Out = {&T, T.Chosen};
  }
  void chooseAnew(Task &T) {
    Lists.forget(T);
    Choice C;
    retryUntilAllocated([&] { C = choose(T); });
    C.Checked = true;
    assign(T, C);
  }

  bool take(WorkerId W, Assignment &Out) {
    const WorkerId List = Lists.listOf(W);
    for (;;) {
      Task *T = Lists.any(List) ? Lists[List].take(Classes->classOf(W), mayTake(W)) : nullptr;
      if (!T)
        return pull(W, Out);
      Lists.leaves(*T);
      bool Anew = false;
      retryUntilAllocated([&] { Anew = mustChooseAnew(*T, W); });
      if (Anew) {
        chooseAnew(*T);
        continue;
      }
      begin(*T, W, Out);
      return true;
    }
  }
  // T is W's next task.
  bool mustChooseAnew(Task &T, WorkerId W) {
    // It was unknown when T came. For a placed task it may stay unknown.
    if (T.Predicted == Duration(0) && !T.Placed && T.Type->numVersions() > 1 && isKnown(T))
      return true;
    if (isCpu(W) && NumDevices.load() && (Lists.isOutdated(T) || (!Lists.isChecked(T) && endsSooner(T, now()))))
      return true;
    // It was disabled, or fixed elsewhere, since the task was put there.
    return !(usableOn(W, *T.Chosen, T) && settleOn(T, W)) && usableSomewhere(T);
  }

  bool isKnown(const Task &T) {
    Group &G = groupOf(T);
    std::lock_guard Guard(G.Lock);
    if (G.Pairs > 1 && !G.anyKnown())
      lookAround(G, T);
    return G.Pairs > 1 && G.anyKnown();
  }

  // Test for tasks that no class can run as a whole. Tasks without any usable version are returned too, see
  // Policy::pop.
  ReadyList::Test mayTake(WorkerId W) const {
    return [this, W](const Task &T) { return !isCpu(W) || usableBy(W, T) || !usableSomewhere(T); };
  }
};

HSCHED_POLICY(Adaptive, "adaptive",
              "learns little, plans by earliest finish, and corrects the plan where workers idle");

} // namespace
} // namespace hsched::rt
