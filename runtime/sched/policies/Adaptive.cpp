// Policy "adaptive": explores little, plans by earliest finish, and corrects the plan when a worker is
// idle.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planning. A ready task goes to the kind of worker with the earliest predicted finish: after that kind's queued work
// and, for a device, after the transfers queued on its links (LinkQueue.h). Among workers of one kind, transfers
// count several times, because they delay others too. CPU workers share one list, each device has its own. With
// devices, lists are ordered by critical path (GraphAhead.h), then by priority. A device gets no more tasks than keep
// it busy.
//
// Corrections. An idle worker takes a task from another kind's or device's list if it ends the task before the owner
// would begin it. A CPU worker also takes tasks that it runs more slowly than a device, if the devices have enough
// other work meanwhile that does not depend on the task (GraphAhead.h). So CPU workers take part in a long sequence of
// tasks without delaying the devices. Cores that were recently needed for tasks that only cores run well are kept free
// of such long tasks. None of that is done while the work is faster without cores (Mixing.h).
//
// Exploration. One run of a version on each kind of worker. A pair without a run is tried once, by one task at a time,
// if that costs nothing: nothing is known, or the known workers are busy for as long as the run may take. Its assumed
// slowdown is that of other tasks on that kind of worker. Estimates are those of versioning-locality: medians, and fits
// over other sizes. A pair not chosen for long is retried when its worker is idle, if the prediction is at most 1/100
// of the time since the last retry.
#include "sched/AdaptiveBase.h"
#include "sched/AlikeDevices.h"
#include "sched/GraphAhead.h"
#include "sched/Mixing.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <deque>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace hsched::rt {
namespace {

using Ns = Duration::rep;
using Side = VersionTimes::Side;

// Weight of a transfer among workers of one kind.
constexpr Ns Locality = 4;
// The reliable fraction of the devices' predicted work: predictions ignore waiting times.
constexpr double Certain = 0.5;
// Time of work that a device keeps in hand: it asks for more many times meanwhile.
constexpr Ns InHand = 1'000'000;
// Paths that agree in this many bits after their first one count as equal: then the program's priorities decide.
constexpr int PathBits = 4;
// A search for tasks to pull may take one part in this many of a worker's idle time; the larger number after repeated
// searches without result.
constexpr Ns LeastBetween = 8, MostBetween = 64;
// Choices of a group until it looks more rarely for times of other sizes.
constexpr uint64_t AlwaysLooks = 32;
// Number of tasks inspected in another worker's list.
constexpr size_t MostLookedAt = 8;

struct Choice : WorkLists::Plan {
  const char *Why = "it is predicted to end first there";
  bool Tries = false;      // The pair has never been measured.
  bool WakeOthers = false; // It may suit an idle CPU worker.
};

class Adaptive final : public AdaptiveBase {
public:
  unsigned capabilities() const override { return StealsAlike | RunsCalls | MakesBundles | TakesNewcomers; }
  unsigned hooks() const override { return TellsSubmitted | TellsEdges; }

  void start(PolicyHost &H) override {
    Host = &H;
    const WorkerList &Workers = H.platform().Workers;
    Trials.start(now(), H.lambda());
    Lists.start(H);
    Alike.start(H.mostWorkers());
    NextPull = std::deque<Pulls>(H.mostWorkers());
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
        Trials.changed(G);
      }
      Ahead.submitted(T.Id, G.Fastest);
    });
  }
  void edge(TaskId From, TaskId To) override {
    if (NumDevices.load(std::memory_order_relaxed))
      whileThereIsMemory([&] { Ahead.edge(From, To); });
  }

  void push(Task &T, WorkerId) override { assign(T, choose(T)); }
  void pushActivated(Task &T, WorkerId From) override {
    if (const Choice C = staying(T, From, true); C.V)
      return assign(T, C);
    assign(T, choose(T));
  }

  bool pop(WorkerId W, Assignment &Out) override {
    if (!isCpu(W) && hasEnough(W))
      return false; // It asks again when a task has ended.
    if (!take(W, Out) && !(Idle.enter(W) && take(W, Out)))
      return false;
    busy(W);
    return true;
  }

  // No other worker waits for a device's queued tasks.
  void busy(WorkerId W) override {
    if (Idle.leave(W) && isCpu(W) && Lists.any(0))
      wakeOneOf(Classes->bits(Classes->classOf(W)));
  }

  bool popWanted(WorkerId W, const std::function<bool(const Task &)> &Wanted, Assignment &Out) override {
    const WorkerId List = Lists.listOf(W);
    if (!Lists.any(List))
      return false;
    Task *T = Lists[List].takeWanted([&](const Task &T) { return usableOn(W, *T.Chosen, T) && Wanted(T); });
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
  // A step that the plan gets along without.
  template <class Fn> static void whileThereIsMemory(Fn Do) {
    try {
      Do();
    } catch (const std::bad_alloc &) {
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
    if (NumDevices.load(std::memory_order_relaxed))
      Ahead.ended(T.Id);
    if (const VersionTimes::Known &K = G.Versions[V.Index].on(worker(W).Model); !isCpu(W) && K.Runs >= Host->lambda())
      Alike.ran(W, Measured.count(), K.Mean);
    G.measure(*Host, Estimates::Robust, *T.Type, T.sizeClass(), V.Index);
    Trials.changed(G);
    if (NumDevices.load(std::memory_order_relaxed) && G.Pairs > 1 && G.Fastest.OnDevice.load(std::memory_order_relaxed))
      Mix.ended(&G, G.Fastest.Nanoseconds.load(std::memory_order_relaxed), isCpu(W) ? 0 : Measured.count(), now());
    if (auto &Refusals = G.Versions[V.Index].Refusals; Refusals.size() > Classes->classOf(W))
      Refusals[Classes->classOf(W)] = 0;
    return First;
  }

  void wakeCores() {
    const WorkerBits Cores = Classes->bits(Classes->classOf(0));
    for (WorkerId W; (W = Idle.takeOne(Cores, Classes->numWords())) != NoWorker;)
      Host->wake(W);
  }

  // Looks for pairs without a time whether runs of about this size tell it by now. Once in a while: a pair may stay
  // without one.
  void lookAround(Group &G, const Task &T, bool Now = false) {
    if (!Now && G.Choices >= AlwaysLooks && !std::has_single_bit(G.Choices))
      return;
    for (unsigned V = 0; V < G.NumVersions; ++V)
      if (std::ranges::any_of(G.Versions[V].Times, [](const VersionTimes::Known &K) { return K.Runs == 0; }))
        G.measure(*Host, Estimates::Robust, *T.Type, T.sizeClass(), V);
    Trials.changed(G);
  }

  void notice(std::span<const Worker> Workers) {
    size_t Nodes = 1;
    unsigned Devices = 0;
    for (const Worker &W : Workers) {
      Nodes = std::max<size_t>(Nodes, W.Node + size_t(1));
      Devices += W.Kind != DeviceKind::Cpu && !W.SharedCores;
      if (W.SharedCores)
        SharesCores.store(true);
    }
    NumNodes.store(Nodes);
    NumDevices.store(Devices);
    Mix.start(Devices);
  }

  ClassMask ableClasses(const Task &T) const {
    ClassMask Able = 0;
    for (unsigned V = 0, N = T.Type->numVersions(); V < N; ++V) {
      const Version &Of = T.Type->Versions[V];
      if (T.Placed || Classes->disabledSomewhere(Of) || (Classes->suited(Of) & Classes->mixed()))
        return 0;
      Able |= Classes->suited(Of);
    }
    return Able;
  }

  // A device has enough work until it can ask again, and does not wait for transfers. Further tasks now would only
  // delay more urgent ones later.
  bool hasEnough(WorkerId W) const {
    const Ns Now = now();
    return Lists.hasInHand(W, std::max(InHand, Lists.transfers(W, Now)), Now);
  }

  // Critical path from T's start to the end of all its successors, in steps of a sixteenth; then its
  // priority.
  ReadyList::Key keyOf(const Task &T) {
    uint64_t Path = 0;
    if (NumDevices.load(std::memory_order_relaxed))
      whileThereIsMemory([&] { Path = static_cast<uint64_t>(Ahead.pathFrom(T.Id)); });
    const int Bits = static_cast<int>(std::bit_width(Path)), More = std::max(0, Bits - 1 - PathBits);
    const auto Step = static_cast<ReadyList::Key>((Path >> More) + (static_cast<uint64_t>(More) << PathBits));
    return Step * (ReadyList::Key(1) << 32) + T.Priority;
  }
  // After a new computation of the paths, restores the order of the lists.
  void sortWhereLooked() {
    const uint64_t Looks = Ahead.looks();
    if (Sorted.exchange(Looks, std::memory_order_relaxed) == Looks)
      return;
    for (WorkerId W = 0; W < Classes->numWorkers(); ++W)
      if (Lists.listOf(W) == W && Lists.any(W))
        sortAnew(W);
  }
  void sortAnew(WorkerId List) {
    whileThereIsMemory([&] {
      Lists[List].sortAnew([this](const Task &T) { return ableClasses(T); },
                           [this](const Task &T) { return keyOf(T); });
    });
  }

  // --- predictions

  // By memory node. Not queried if all workers that may run T use one memory.
  std::vector<Ns> travels(const Task &T) {
    std::vector<Ns> Ways;
    ClassMask Suited = 0;
    for (unsigned V = 0, N = T.Type->numVersions(); V < N; ++V)
      Suited |= Classes->suited(T.Type->Versions[V]);
    if (NumNodes.load() == 1 || (std::has_single_bit(Suited) && !(Suited & Classes->mixed())))
      return Ways;
    Ways.resize(NumNodes.load());
    forEachClass(Suited, [&](unsigned Class) {
      for (WorkerId W : Classes->members(Class)) {
        Ways[worker(W).Node] = travelTo(T, worker(W).Node);
        if (!(Classes->mixed() & classBit(Class)))
          break; // The other workers use the same memory.
      }
    });
    return Ways;
  }

  // --- the choice

  // The choice of device From, which has data of T, if T is too short to leave it; otherwise without a version. Queued:
  // T will be in its list.
  Choice staying(Task &T, WorkerId From, bool Queued) {
    Choice C;
    if (From == NoWorker || NumNodes.load() == 1 || worker(From).Node == HostNode)
      return C;
    Group &G = groupOf(T);
    {
      std::lock_guard Guard(G.Lock);
      refresh(G, T);
      if (G.Pairs > 1)
        C.V = G.staysOn(worker(From), T, Host->handOver(From).count(), *Classes);
      if (!C.V || !settleOn(T, From))
        return Choice();
      C.W = From;
      C.Run = G.Versions[C.V->Index].on(worker(From).Model).Mean;
      C.Why = "it takes less time there than its data would take to leave";
      if (Queued)
        Lists.count(C);
    }
    if (Host->recordsDecisions())
      tell(T, C, C.Why);
    return C;
  }

  void tell(Task &T, const WorkLists::Plan &P, const char *Why) {
    whileThereIsMemory([&] {
      std::vector<Prediction> Among;
      Host->predict(T, Among);
      Host->decided(T, *P.V, P.W, Why, Among);
    });
  }

  // Early: the device that would take T before it is ready; T is then not queued. Throws std::bad_alloc without effect.
  Choice choose(Task &T, WorkerId Early = NoWorker) {
    Group &G = groupOf(T);
    const std::vector<Ns> Ways = travels(T);
    std::vector<Candidate> All;
    Choice C;
    {
      std::lock_guard Guard(G.Lock);
      refresh(G, T);
      lookAround(G, T);
      do { // Repeated if another thread has fixed T's component meanwhile.
        list(G, T, Ways, All);
        if (All.empty() && Early == NoWorker) { // A refused pair is better than none.
          for (unsigned V = 0; V < G.NumVersions; ++V) {
            G.Versions[V].Suited = Classes->suited(T.Type->Versions[V]);
            G.Versions[V].Refusals.clear();
          }
          list(G, T, Ways, All);
        }
        C = chooseAmong(G, T, All, Early);
        if (C.Tries) {
          lookAround(G, T, true);
          if (G.Versions[C.V->Index].on(worker(C.W).Model).Runs) {
            list(G, T, Ways, All);
            C = chooseAmong(G, T, All, Early);
          }
        }
      } while (C.W != NoWorker && (Early == NoWorker || C.W == Early) && !settleOn(T, C.W));
      if (Early == NoWorker) {
        if (C.W == NoWorker) { // Worker 0 pops it, and the executor fails it.
          C.V = &T.Type->Versions[0];
          C.W = 0;
          C.Why = "nothing can run it";
        }
        if (C.Tries)
          Trials.begins(G, *T.Type, T.sizeClass(), C.V->Index, worker(C.W).Model);
        Lists.count(C); // Under G's lock, so that the next decision of the group sees it.
      }
    }
    if (Host->recordsDecisions() && C.W != NoWorker && (Early == NoWorker || C.W == Early))
      whileThereIsMemory([&] { // T is counted by now.
        Host->decided(T, *C.V, C.W, Early != NoWorker ? "all that it waits for is on that device" : C.Why,
                      seen(T, All));
      });
    return C;
  }

  std::vector<Prediction> seen(const Task &T, const std::vector<Candidate> &All) const {
    std::vector<Prediction> Out;
    for (const Candidate &C : All)
      Out.push_back({C.W, &T.Type->Versions[C.V], Duration(C.Run), C.Known ? 1u : 0u, Duration(C.Travel),
                     Duration(C.Begin), !isCpu(C.W)});
    return Out;
  }

  // Lists the candidates for T.
  void list(Group &G, const Task &T, const std::vector<Ns> &Ways, std::vector<Candidate> &All) {
    All.clear();
    const Ns Now = now();
    const Side Which = SharesCores.load() ? G.preferred(T, Host->platform(), *Classes, 1) : Side::Both;
    for (WorkerId W = 0; W < Classes->numWorkers(); ++W) {
      const Worker &Of = worker(W);
      for (unsigned V = 0; V < G.NumVersions; ++V) {
        if (!G.Versions[V].takes(W, *Classes) || !usableOn(W, T.Type->Versions[V], T))
          continue;
        const VersionTimes::Known &K = G.Versions[V].on(Of.Model);
        if (Which != Side::Both && (Which == Side::Device ? isCpu(W) : Of.SharedCores != 0) &&
            (K.Runs || G.waitsToLearn(V, T, Host->platform(), *Classes, Host->loads())))
          continue;
        const Ns Run = Alike.expected(W, K.Mean);
        const Ns Travel = Ways.empty() ? 0 : Ways[Of.Node], Wait = Lists.work(W, Now);
        const Ns Data = Contention * Travel; // A device's transfers overlap its tasks.
        const Ns Begin = isCpu(W) ? Wait + Data : std::max(Wait, Lists.transfers(W, Now) + Data);
        const Ns Later = isCpu(W) ? 0 : Home.each();
        All.push_back({W, V, Run, Travel, Wait, Begin + Run + Later, K.Runs > 0, Lists.isIdle(W),
                       !isCpu(W) && T.Type->Versions[V].Desc->run != nullptr, Lists.tasks(W)});
      }
    }
    if (!Mix.allowed())
      leaveToDevices(All);
  }

  // If a device runs the task fastest, drops what would run it on cores.
  void leaveToDevices(std::vector<Candidate> &All) const {
    const auto UsesCores = [this](const Candidate &C) { return isCpu(C.W) || worker(C.W).SharedCores; };
    const auto Fastest = std::ranges::min_element(
        All, {}, [](const Candidate &C) { return C.Known ? C.Run : std::numeric_limits<Ns>::max(); });
    if (Fastest != All.end() && Fastest->Known && !UsesCores(*Fastest))
      std::erase_if(All, [&](const Candidate &C) { return C.Known && UsesCores(C); });
  }

  Choice chooseAmong(Group &G, const Task &T, const std::vector<Candidate> &All, WorkerId Early) {
    const Ns Now = now();
    ++G.Choices;
    Ns Shortest = Never; // Run and transfer of the best pair without queues.
    Ns ShortestRun = Never;
    bool Devices = false;
    for (const Candidate &C : All) {
      if (C.Known) {
        Shortest = std::min(Shortest, C.Run + Contention * C.Travel);
        ShortestRun = std::min(ShortestRun, C.Run);
      }
      Devices |= !isCpu(C.W);
    }
    const bool AnyKnown = Shortest < Never;
    if (Early != NoWorker && !AnyKnown && G.Pairs > 1)
      return {};
    if (Early == NoWorker)
      if (const Candidate *C = Trials.find(G, T, Host->platform().Workers, All, ShortestRun, Now)) {
        Choice Trial = choiceOf(T, *C);
        Trial.Run = std::max<Ns>(C->Run, 1);
        Trial.Tries = !C->Known;
        Trial.Measures = true;
        Trial.Why = C->Known ? "it has not run there for long, and to measure that again costs little"
                             : "it has not been measured there, and that costs little now";
        return Trial;
      }

    const Candidate *First = nullptr; // Its kind of worker.
    std::pair<Ns, Ns> FirstKey;
    Ns IdleEnd = Never;
    unsigned IdleCores = 0;
    for (const Candidate &C : All) {
      // A task without any run is kept for a device until its first run has ended: see take.
      if (AnyKnown ? !C.Known : Devices && isCpu(C.W))
        continue;
      const std::pair Key(C.End, C.Run);
      if (isCpu(C.W) && C.Idle) {
        ++IdleCores;
        IdleEnd = std::min(IdleEnd, Key.first);
      }
      if (!First || Key < FirstKey) {
        First = &C;
        FirstKey = Key;
      }
    }
    const Candidate *Best = nullptr;
    std::tuple<Ns, Ns, int64_t> BestKey;
    for (const Candidate &C : All) {
      if ((AnyKnown && !C.Known) || worker(C.W).Model != worker(First->W).Model || C.V != First->V)
        continue;
      // A placed task goes to worker 0, which may not ask for work, only if no other core may run it.
      const bool Last = T.Placed && C.W == 0;
      const std::tuple Key(Last ? Never : C.End + Locality * C.Travel, C.Run, Lists.tasks(C.W));
      if (!Best || Key < BestKey) {
        Best = &C;
        BestKey = Key;
      }
    }
    if (!Best)
      return {};
    Choice Found = choiceOf(T, *Best);
    if (All.size() == 1)
      Found.Why = "nothing else can run it";
    else if (!AnyKnown)
      Found.Why = "nothing has been measured yet";
    Found.OnlyCores = isCpu(Best->W) && 2 * (Best->Run + Contention * Best->Travel) <= 3 * Shortest;
    Found.WakeOthers =
        !isCpu(Best->W) && Mix.allowed() && IdleCores > Lists.keptCores(IdleEnd) &&
        (IdleEnd <= Best->End || (Now >= QuietUntil.load(std::memory_order_relaxed) && mayHoldUp(IdleEnd)));
    if (auto &Times = G.Versions[Best->V].Times; worker(Best->W).Model < Times.size())
      Times[worker(Best->W).Model].Chosen = G.Choices;
    return Found;
  }

  static Choice choiceOf(const Task &T, const Candidate &C) {
    Choice Found;
    Found.V = &T.Type->Versions[C.V];
    Found.W = C.W;
    Found.Run = C.Run;
    Found.Travel = C.Travel;
    return Found;
  }

  // True if the devices have more work than that.
  bool mayHoldUp(Ns Takes) {
    const unsigned Devices = NumDevices.load();
    return Devices && Certain * static_cast<double>(Ahead.deviceWork()) >= static_cast<double>(Takes) * Devices;
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
    sortWhereLooked();
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

  void wakeOneOf(const WorkerBits &Among) {
    if (WorkerId W = Idle.takeOne(Among, Classes->numWords()); W != NoWorker)
      Host->wake(W);
  }

  // A task that has left its list goes to a worker or to a list, even if memory is exhausted.
  void begin(Task &T, WorkerId W, Assignment &Out) {
    Ns Left = 0;
    if (!isCpu(W) && WorkLists::travelOf(T) != 0)
      untilThereIsMemory([&] { Left = travelTo(T, worker(W).Node); });
    Lists.begin(T, W, Left);
    Out = {&T, T.Chosen};
  }
  void chooseAnew(Task &T) {
    Lists.forget(T);
    Choice C;
    untilThereIsMemory([&] { C = choose(T); });
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
      untilThereIsMemory([&] { Anew = mustChooseAnew(*T, W); });
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

  // For W, which has no own tasks. Other workers wait for the lists meanwhile. So a search without result is only
  // repeated after many times its duration.
  bool pull(WorkerId W, Assignment &Out) {
    const Ns Now = now();
    if (worker(W).SharedCores || Now < NextPull[W].At.load(std::memory_order_relaxed))
      return false;
    if (pull(W, Out, Now)) {
      NextPull[W].Between.store(LeastBetween, std::memory_order_relaxed);
      return true;
    }
    const Ns End = now();
    auto &[At, Between] = NextPull[W];
    At.store(End + Between.load(std::memory_order_relaxed) * (End - Now), std::memory_order_relaxed);
    Between.store(std::min(2 * Between.load(std::memory_order_relaxed), MostBetween), std::memory_order_relaxed);
    return false;
  }

  bool pull(WorkerId W, Assignment &Out, Ns Now) {
    const unsigned Cores = isCpu(W) ? idleCores() : 0;
    const unsigned Devices = NumDevices.load();
    const double Spare = isCpu(W) && Devices ? Certain * static_cast<double>(Ahead.deviceWork()) / Devices : 0;
    const WorkerId N = static_cast<WorkerId>(Classes->numWorkers());
    for (WorkerId I = 1; I <= N; ++I) {
      const WorkerId From = (W + I) % N;
      if (From == Lists.listOf(W) || From != Lists.listOf(From) || worker(From).SharedCores || !Lists.any(From))
        continue;
      if (isCpu(W) && !isCpu(From) && !Mix.allowed())
        continue;
      const Ns Links = Lists.work(From, Now) - Lists.transfers(From, Now); // The links' free time meanwhile.
      auto pays = [&](const Pulled &P) {
        return P.Sooner ||
               (P.Worth && static_cast<double>(P.End) <= Spare && thereAndBack(P) <= std::min(Links, P.Saves));
      };
      Task *T = Lists[From].takeLast(Classes->classOf(W), MostLookedAt, [&](const Task &Each) {
        const Pulled P = consider(Each, W, Now);
        return (!isCpu(W) || Cores > Lists.keptCores(P.Run)) && pays(P) ? P.Worth : 0;
      });
      if (!T)
        continue;
      Pulled P;
      bool Takes = false;
      whileThereIsMemory([&] {
        P = consider(*T, W, Now);
        Takes = P.V && pays(P) &&
                (P.Sooner || Ahead.holdUp(T->Id, static_cast<Ns>(static_cast<double>(P.End) / Certain), Devices)) &&
                settleOn(*T, W);
      });
      if (!Takes) { // Returned to its list. Its owner may have searched for it meanwhile.
        QuietUntil.store(Now + P.Run / 16, std::memory_order_relaxed);
        const WorkerId Owner = T->ChosenWorker;
        Lists.putBack(*T, ableClasses(*T), keyOf(*T));
        if (Idle.remove(Owner))
          Host->wake(Owner);
        else if (isCpu(Owner))
          wakeOneOf(Classes->bits(Classes->classOf(Owner)));
        return false;
      }
      Lists.leaves(*T);
      Lists.forget(*T);
      if (Host->recordsDecisions())
        tell(*T, P,
             P.Sooner ? "this worker had nothing to do, and ends it before the other one would come to it"
                      : "this worker had nothing to do, and the devices have enough other work meanwhile");
      Home.planned(isCpu(W), P.Travel);
      if (isCpu(W) && !isCpu(From))
        Lists.alsoTravels(From, thereAndBack(P));
      Lists.begin(*T, P);
      Out = {T, P.V};
      return true;
    }
    return false;
  }
  // The link time of a task that a core takes from a device: its data go to the host, and back to the device for later
  // tasks.
  static Ns thereAndBack(const Pulled &P) { return 2 * Contention * P.Travel; }

  unsigned idleCores() {
    unsigned Cores = 0;
    for (WorkerId Each : Classes->members(Classes->classOf(0)))
      Cores += Lists.isIdle(Each);
    return Cores;
  }

  IdleWorkers Idle;
  GraphAhead Ahead;
  AlikeDevices Alike;
  Mixing Mix;
  FirstRuns Trials;
  std::atomic<Ns> QuietUntil{0};
  struct Pulls {
    std::atomic<Ns> At{0}, Between{LeastBetween};
  };
  std::deque<Pulls> NextPull;      // By worker.
  std::atomic<uint64_t> Sorted{0}; // The computation of Ahead that the lists are ordered by.
};

HSCHED_POLICY(Adaptive, "adaptive",
              "learns little, plans by earliest finish, and corrects the plan where workers idle");

} // namespace
} // namespace hsched::rt
