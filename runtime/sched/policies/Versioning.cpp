// Policies "versioning", OmpSs's versioning scheduler, and "versioning-locality", the same with better estimates.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: Planas et al., "Self-adaptive OmpSs tasks in heterogeneous environments", section IV.B.
//
// Each task and data-set size is a group. A group learns until every usable version has been measured lambda times:
// versions are picked round robin, and handed round robin to the workers that can run them. From then on a task goes
// to its earliest executor: the worker and version for which the worker's estimated busy time plus the version's mean
// is least. Means are those of History and follow every run, for ever. The choice is made when a task is ready; each
// worker has a queue of its own.
//
// Two things the paper leaves open. Tasks that were handed out while their group learned, and are still queued when it
// has learned, are decided anew when their turn comes, once: a burst of ready tasks would otherwise be spread evenly
// over fast and slow versions. And a CPU worker without work takes over a task queued for another one, with the version
// already chosen: workers of one class are alike, so the estimate holds, and a main thread that computes delays no one.
//
// A choice that is made while devices or kernels are still to come is provisional: it is made anew, once, when the
// task's turn comes, or when a device that can run the task has nothing else to do.
//
// A device that computes on the CPU workers' cores (Worker::SharedCores) takes these from the workers. So for each task
// and size it is compared by the time of all its cores: it gets all such tasks if it needs less, else none. While it
// learns, it has one of them at a time.
//
// Beyond the paper, times are kept by kind of worker: two kinds of devices that run one version are measured apart, and
// pairs of a version and a kind are what a group learns. What a task's data would travel counts.
//
// "versioning-locality" differs in what it takes for a time:
// - The median of the recent runs, so that one disturbed run changes nothing, and a change is followed;
// - for a size that has not been run lambda times, what other sizes predict (perfmodel/SizeFit.h), if that is within
//   30 %: then nothing is learnt first. One run alone counts only halfway beside a prediction;
// - A pair that was not chosen for long is looked at again when a worker of its kind is idle, if that is predicted to
//   take at most a hundredth of what the group has run since the last look. So a wrong estimate does not stay for good.
#include "perfmodel/GroupTable.h"
#include "sched/Policy.h"
#include "sched/TaskQueue.h"
#include "sched/VersionTimes.h"
#include "sched/WorkerClasses.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace hsched::rt {
namespace {

using Ns = Duration::rep;
using Group = VersionTimes;
using Side = VersionTimes::Side;

// Task::PolicyNote.
// Provisional + n: after moreUsable was called n times.
enum Note : uint16_t { Settled, Learning, Provisional };

// How long a task's data would travel, by memory node; empty where that makes no difference.
using Travels = std::vector<Ns>;

// One worker's share. A decision counts a task as queued in the worker's Load before it is in Tasks: that is never less
// than what is there, so a worker that sees none need not lock, and the order of operations on it and on IdleWorkers
// loses no wake-up.
struct alignas(64) WorkerState {
  std::mutex Lock;
  TaskQueue Tasks; // Guarded by Lock.
};

struct Choice {
  const Version *V = nullptr;
  WorkerId W = NoWorker;
  Ns Estimate = 0;
  bool Learned = true;
  bool Looks = false; // Picked to be measured again.
};

constexpr const char *EndsEarliest = "it is predicted to end first there";
constexpr const char *IsMeasured = "a version has been measured fewer than HSCHED_LAMBDA times at this size";
constexpr const char *IsOnly = "nothing else can run it";
constexpr const char *ForEarly = "all that it waits for is on that device, and it is predicted to end first there";
constexpr const char *ForIdle = "the worker that it was meant for was busy, and this one had nothing to do";
constexpr const char *UsableNowhere = "nothing can run it";
constexpr const char *LooksAgain = "it has not run there for long, and to measure that again costs little";

class Versioning : public Policy {
public:
  explicit Versioning(Estimates How = Estimates::Means) : How(How) {}

  void start(PolicyHost &H) override {
    Host = &H;
    const WorkerList &Workers = H.platform().Workers;
    Classes.set({Workers.begin(), Workers.size()});
    States = std::deque<WorkerState>(H.mostWorkers());
    Busy = &H.loads();
    notice({Workers.begin(), Workers.size()});
  }

  void moreUsable() override {
    const std::span<const Worker> All = Host->platform().Workers.appended();
    if (All.size() != Classes->numWorkers()) {
      notice(All);
      Classes.set(All);
    }
    Generation.fetch_add(1);
    for (const Worker &W : All) // They look at what was decided without them.
      if (W.Kind != DeviceKind::Cpu && Idle.remove(W.Id))
        Host->wake(W.Id);
  }

  // The earliest executor is whoever is free first.
  unsigned capabilities() const override { return StealsAlike | RunsCalls | MakesBundles | TakesNewcomers; }

  void push(Task &T, WorkerId) override { assign(T, choose(T)); }

  bool pop(WorkerId W, Assignment &Out) override {
    if (!take(W, Out) && !(Idle.enter(W) && take(W, Out)))
      return false;
    busy(W);
    return true;
  }

  bool popWanted(WorkerId W, const std::function<bool(const Task &)> &Wanted, Assignment &Out) override {
    for (WorkerId Of : Classes->members(Classes->classOf(W)))
      if (load(Of).queued() > 0) {
        WorkerState &S = States[Of];
        std::lock_guard Guard(S.Lock);
        Task *T = S.Tasks.popWanted([&](const Task &T) { return usableOn(W, *T.Chosen) && Wanted(T); });
        if (!T)
          continue;
        leaves(Of, *T);
        settle(*T, W, Out);
        return true;
      }
    return false;
  }

  // What a device has queued is nobody else's.
  void busy(WorkerId W) override {
    if (Idle.leave(W) && isCpu(W) && std::ranges::any_of(Classes->members(Classes->classOf(W)), [this](WorkerId Other) {
          return load(Other).queued() > 0;
        }))
      wakeOneOf(Classes->bits(Classes->classOf(W)));
  }

  void completed(const Task &T, const Version &V, WorkerId W, Duration Measured) override {
    load(W).end(T.Predicted.count(), now());
    if (Measured < Duration(0))
      return;
    Group &G = Groups.findOrAdd(*T.Type, T.sizeClass());
    std::lock_guard Guard(G.Lock);
    G.refresh(*Host, *Classes, How, *T.Type, T.sizeClass());
    G.measure(*Host, How, *T.Type, T.sizeClass(), V.Index);
    G.SinceLook += Measured.count();
    if (auto &Refusals = G.Versions[V.Index].Refusals; Refusals.size() > Classes->classOf(W))
      Refusals[Classes->classOf(W)] = 0;
  }

  // A class that has refused a version lambda times in a row at this size is not asked again: otherwise the group would
  // never have learned.
  void refused(const Task &T, const Version &V, WorkerId W) override {
    Group &G = Groups.findOrAdd(*T.Type, T.sizeClass());
    std::lock_guard Guard(G.Lock);
    G.refresh(*Host, *Classes, How, *T.Type, T.sizeClass());
    Group::PerVersion &Known = G.Versions[V.Index];
    unsigned Class = Classes->classOf(W);
    Known.Refusals.resize(std::max<size_t>(Known.Refusals.size(), Class + size_t(1)));
    if (++Known.Refusals[Class] >= Host->lambda())
      Known.Suited &= ~(classBit(Class) & ~Classes->mixed());
  }

  // The earliest executor, as far as it can be told before T is ready, when that is W.
  const Version *takeEarly(Task &T, WorkerId W) override {
    Group &G = Groups.findOrAdd(*T.Type, T.sizeClass());
    Travels Ways = travels(T);
    std::unique_lock Guard(G.Lock);
    G.refresh(*Host, *Classes, How, *T.Type, T.sizeClass());
    if (G.Pairs > 1 && learning(G, T))
      return nullptr;
    Seen Among;
    Choice C = earliest(G, T, Ways, NoWorker, seen(Among));
    if (C.W != W || !settleOn(T, W))
      return nullptr;
    Guard.unlock();
    note(T, C);
    tell(T, C, ForEarly, Among);
    load(W).begin(C.Estimate, now());
    return C.V;
  }

private:
  void notice(std::span<const Worker> Workers) {
    for (const Worker &W : Workers) {
      NumNodes.store(std::max<size_t>(NumNodes.load(), W.Node + size_t(1)));
      if (W.SharedCores)
        SharesCores.store(true);
    }
  }

  // --- the choice

  // The candidates of a choice, where somebody wants to know.
  using Seen = std::vector<Prediction>;
  Seen *seen(Seen &Among) const { return Host->recordsDecisions() ? &Among : nullptr; }
  void tell(Task &T, const Choice &C, const char *Why, const Seen &Among) {
    if (Host->recordsDecisions())
      Host->decided(T, *C.V, C.W, Why, Among);
  }
  const char *whyOf(const Choice &C, const Seen &Among) const {
    return C.Looks ? LooksAgain : !C.Learned ? IsMeasured : Among.size() == 1 ? IsOnly : EndsEarliest;
  }

  Choice choose(Task &T) {
    Group &G = Groups.findOrAdd(*T.Type, T.sizeClass());
    Travels Ways = travels(T);
    std::unique_lock Guard(G.Lock);
    G.refresh(*Host, *Classes, How, *T.Type, T.sizeClass());
    Seen Among;
    Choice C = chooseIn(G, T, Ways, seen(Among));
    if (C.W == NoWorker) { // What has been refused is better than nothing.
      for (unsigned V = 0; V < G.NumVersions; ++V) {
        G.Versions[V].Suited = Classes->suited(T.Type->Versions[V]);
        G.Versions[V].Refusals.clear();
      }
      C = chooseIn(G, T, Ways, seen(Among));
    }
    const bool Nowhere = C.W == NoWorker;
    if (Nowhere) // Comes out at worker 0, and the executor fails it.
      C = {&T.Type->Versions[0], 0, 0, true};
    load(C.W).queue(C.Estimate); // Under G's lock, so that the next decision of the group sees it.
    Guard.unlock();
    tell(T, C, Nowhere ? UsableNowhere : whyOf(C, Among), Among);
    return C;
  }

  Choice chooseIn(Group &G, const Task &T, const Travels &Ways, Seen *Among) {
    for (;;) {
      if (Among)
        Among->clear();
      const bool Learns = G.Pairs > 1 && learning(G, T);
      if (Learns && Among)
        (void)earliest(G, T, Ways, NoWorker, Among);
      Choice C = Learns ? nextToLearn(G, T) : earliest(G, T, Ways, NoWorker, Among);
      if (How == Estimates::Robust && G.Pairs > 1 && C.W != NoWorker) {
        if (!Learns)
          lookAgain(G, T, C);
        ++G.Choices;
        if (auto &Times = G.Versions[C.V->Index].Times; modelOf(C.W) < Times.size())
          Times[modelOf(C.W)].Chosen = G.Choices;
      }
      if (C.W == NoWorker || settleOn(T, C.W))
        return C;
    } // Another thread has settled T's component meanwhile.
  }

  // Asked before the group is locked. Where all that may run T work on one memory, nobody is asked.
  Travels travels(const Task &T) {
    Travels Ways;
    if (NumNodes.load() == 1)
      return Ways;
    ClassMask Suited = 0;
    for (unsigned V = 0, N = T.Type->numVersions(); V < N; ++V)
      Suited |= Classes->suited(T.Type->Versions[V]);
    if (std::has_single_bit(Suited))
      return Ways;
    Ways.resize(NumNodes.load());
    forEachClass(Suited, [&](unsigned Class) {
      for (WorkerId W : Classes->members(Class)) {
        MemoryNode Node = nodeOf(W);
        Ways[Node] = Host->transferTime(T, Node).count();
        if (!(Classes->mixed() & classBit(Class)))
          break; // The others work on the same.
      }
    });
    return Ways;
  }

  MemoryNode nodeOf(WorkerId W) const { return Host->platform().Workers[W].Node; }

  bool usableSomewhere(const Group::PerVersion &Known, const Version &V, const Task &T) const {
    return Known.usableSomewhere(V, T, Host->platform(), *Classes);
  }
  bool takes(WorkerId W, const Group::PerVersion &Known) const { return Known.takes(W, *Classes); }

  bool learning(const Group &G, const Task &T) const {
    return G.learning(T, Host->platform(), *Classes, *Busy, Host->lambda(), SharesCores.load());
  }

  bool waitsToLearn(const Group &G, unsigned V, const Task &T) const {
    return G.waitsToLearn(V, T, Host->platform(), *Classes, *Busy);
  }

  Choice nextToLearn(Group &G, const Task &T) {
    const TaskType &Type = *T.Type;
    unsigned V = G.NextVersion % G.NumVersions;
    const bool Sharing = SharesCores.load();
    for (unsigned I = 0; I < G.NumVersions &&
                         (!usableSomewhere(G.Versions[V], Type.Versions[V], T) || (Sharing && waitsToLearn(G, V, T)));
         ++I)
      V = (V + 1) % G.NumVersions;
    G.NextVersion = V + 1;

    const WorkerId W = nextWorker(G.Versions[V], Type.Versions[V], T);
    return {&Type.Versions[V], W, W == NoWorker ? 0 : G.estimate(V, modelOf(W)), false};
  }

  // Picks a pair that was not chosen for longest in place of C, if a look at it costs little.
  void lookAgain(Group &G, const Task &T, Choice &C) const {
    // Worker 0 may not come.
    if (auto Other = G.dueAgain(T, Host->platform(), *Classes, *Busy, C.W == 0))
      C = {Other->V, Other->W, G.Versions[Other->V->Index].on(modelOf(Other->W)).Mean, true, true};
  }

  ModelId modelOf(WorkerId W) const { return Host->platform().Workers[W].Model; }

  // The next worker in turn of those that can run V, of a kind on which V has still to be measured, if there is one.
  // Turns go on across groups, so that many new groups do not all begin with the same worker.
  WorkerId nextWorker(const Group::PerVersion &Known, const Version &V, const Task &T) {
    WorkerId W = nextWorker(Known, V, T, true);
    return W != NoWorker ? W : nextWorker(Known, V, T, false);
  }
  WorkerId nextWorker(const Group::PerVersion &Known, const Version &V, const Task &T, bool Unmeasured) {
    auto &Turn = Turns[V.Desc->device % Turns.size()];
    const auto &Workers = Host->platform().Workers;
    auto N = static_cast<WorkerId>(Workers.size());
    WorkerId Begin = Turn.load(std::memory_order_relaxed) % N;
    for (WorkerId I = 0; I < N; ++I)
      if (WorkerId W = (Begin + I) % N; takes(W, Known) && Platform::usable(Workers[W], V, T) &&
                                        !(Unmeasured && Known.on(Workers[W].Model).Runs >= Host->lambda())) {
        Turn.store(W + 1, std::memory_order_relaxed);
        return W;
      }
    return NoWorker; // Disabled everywhere this moment.
  }

  // Earliest executor. A device's data travel beside what it has yet to run, a core waits for them. Ties go to the
  // faster version, then to the worker with fewer tasks queued, then to worker order. A placed task goes to worker 0,
  // which may not come, only where no other core may run it: those that could may find others before it there. AtHead
  // has the task in hand: what else it has queued comes after it. Candidates, unless it is null, gets all that could be
  // chosen.
  Choice earliest(const Group &G, const Task &T, const Travels &Ways, WorkerId AtHead = NoWorker,
                  Seen *Candidates = nullptr) const {
    const TaskType &Type = *T.Type;
    // One version, which one worker can run.
    if (ClassMask Suited = G.NumVersions == 1 && !T.Placed && !Candidates ? G.Versions[0].Suited : 0;
        std::has_single_bit(Suited) && !Classes->disabledSomewhere(Type.Versions[0]))
      if (const auto &Members = Classes->members(static_cast<unsigned>(std::countr_zero(Suited))); Members.size() == 1)
        return {&Type.Versions[0], Members[0], G.Versions[0].on(modelOf(Members[0])).Mean, true};
    Choice Best;
    Ns BestEnd = std::numeric_limits<Ns>::max();
    int64_t BestQueued = 0;
    Ns Now = now();
    const Side Which = SharesCores.load() ? G.preferred(T, Host->platform(), *Classes, Host->lambda()) : Side::Both;
    auto consider = [&](WorkerId W, unsigned V) {
      if (T.Placed && Best.W == 0 && W != 0 && isCpu(W) && isCpu(0))
        BestEnd = std::numeric_limits<Ns>::max();
      const Load &L = (*Busy)[W];
      const Group::Known &Known = G.Versions[V].on(modelOf(W));
      Ns Mean = Known.Runs || G.Pairs == 1 ? Known.Mean : G.estimate(V, modelOf(W));
      Ns Begin = L.remaining(Now) + (W == AtHead ? 0 : L.queuedNs());
      if (Candidates)
        Candidates->push_back({W, &Type.Versions[V], Duration(Known.Mean), Known.Runs,
                               Duration(Ways.empty() ? 0 : Ways[nodeOf(W)]), Duration(Begin), !isCpu(W)});
      if (Which != Side::Both && (Which == Side::Device ? isCpu(W) : Host->platform().Workers[W].SharedCores != 0))
        return;
      if (!Ways.empty())
        Begin = isCpu(W) ? Begin + Ways[nodeOf(W)] : std::max(Begin, Ways[nodeOf(W)]);
      Ns End = Begin + Mean;
      if (End > BestEnd)
        return;
      int64_t Waiting = L.tasks();
      if (End == BestEnd && std::tuple(Mean, Waiting, W) >= std::tuple(Best.Estimate, BestQueued, Best.W))
        return;
      BestEnd = End;
      BestQueued = Waiting;
      Best = {&Type.Versions[V], W, Mean, true};
    };

    // On one worker, the busy time is the same for all versions: only the fastest of each class is of interest.
    std::array<uint8_t, WorkerClasses::MaxClasses> Fastest;
    ClassMask Plain = 0, Careful = 0;
    for (unsigned V = 0; V < G.NumVersions; ++V) {
      ClassMask Suited = G.Versions[V].Suited;
      Careful |= Suited & Classes->mixed();
      if (T.Placed || Candidates || Classes->disabledSomewhere(Type.Versions[V])) // Each pair has to be looked at.
        Careful |= Suited;
      forEachClass(Suited, [&](unsigned Class) {
        ClassMask Bit = ClassMask(1) << Class;
        const ModelId Model = modelOf(Classes->members(Class).front());
        if (!(Plain & Bit) || G.Versions[V].on(Model).Mean < G.Versions[Fastest[Class]].on(Model).Mean)
          Fastest[Class] = static_cast<uint8_t>(V);
        Plain |= Bit;
      });
    }
    forEachClass(Plain & ~Careful, [&](unsigned Class) {
      for (WorkerId W : Classes->members(Class))
        consider(W, Fastest[Class]);
    });
    forEachClass(Careful, [&](unsigned Class) {
      for (WorkerId W : Classes->members(Class))
        for (unsigned V = 0; V < G.NumVersions; ++V)
          if (takes(W, G.Versions[V]) && Platform::usable(Host->platform().Workers[W], Type.Versions[V], T))
            consider(W, V);
    });
    return Best;
  }

  // --- the queues

  static void note(Task &T, const Choice &C) {
    T.Chosen = C.V;
    T.ChosenWorker = C.W;
    T.Predicted = Duration(C.Estimate);
    T.PolicyNote = C.Learned ? Settled : Learning;
  }

  uint16_t provisional() const { return static_cast<uint16_t>(Provisional + Generation.load() % MostGenerations); }
  // Whether more has become usable since it was chosen for T.
  bool isOutdated(const Task &T) const { return T.PolicyNote >= Provisional && T.PolicyNote != provisional(); }

  void assign(Task &T, const Choice &C) {
    note(T, C);
    if (C.Learned && Host->moreToCome() && (T.Type->numVersions() > 1 || !isCpu(C.W))) {
      T.PolicyNote = provisional();
      AnyProvisional.store(true);
    }
    WorkerState &S = States[C.W];
    std::optional<WorkerBits> Among;
    if (T.Placed)
      Among = allowed(T, Classes->classOf(C.W));
    {
      std::lock_guard Guard(S.Lock);
      S.Tasks.pushBack(T);
    }
    bool Expected = Idle.remove(C.W);
    if (Expected)
      Host->wake(C.W);
    if (isCpu(C.W) && (!Expected || C.W == 0)) // Worker 0 may not come: see above.
      wakeOneOf(Among ? *Among : Classes->bits(Classes->classOf(C.W)));
  }

  void wakeOneOf(const WorkerBits &Among) {
    if (WorkerId W = Idle.takeOne(Among, Classes->numWords()); W != NoWorker)
      Host->wake(W);
  }

  WorkerBits allowed(const Task &T, unsigned Class) const {
    WorkerBits Among{};
    for (WorkerId W : Classes->members(Class))
      if (mayRunOn(T, W))
        add(Among, W);
    return Among;
  }

  bool isCpu(WorkerId W) const { return Host->platform().Workers[W].Kind == DeviceKind::Cpu; }

  bool take(WorkerId W, Assignment &Out) {
    for (;;) {
      Task *T = takeFrom(W, W);
      if (!T)
        T = isCpu(W) ? fromAlike(W) : fromProvisional(W);
      if (!T)
        return false;
      Seen Among;
      const bool Taken = T->ChosenWorker != W;
      std::optional<Choice> Anew;
      try {
        Anew = reconsider(*T, W, seen(Among));
      } catch (const std::bad_alloc &) { // The old one holds; where it cannot, the executor gives T back.
      }
      if (Anew) {
        tell(*T, *Anew, whyOf(*Anew, Among), Among);
        if (Anew->W != W) {
          load(Anew->W).queue(Anew->Estimate);
          assign(*T, *Anew);
          continue;
        }
        note(*T, *Anew);
      } else if (Taken && Host->recordsDecisions()) {
        Host->predict(*T, Among);
        Host->decided(*T, *T->Chosen, W, ForIdle, Among);
      }
      settle(*T, W, Out);
      return true;
    }
  }

  // The first task of Of's, if W may run it the way it was meant to run, or if it is W's own.
  Task *takeFrom(WorkerId Of, WorkerId W) {
    if (load(Of).queued() <= 0)
      return nullptr;
    WorkerState &S = States[Of];
    std::lock_guard Guard(S.Lock);
    Task *T = S.Tasks.front();
    if (!T || (Of != W && (!usableOn(W, *T->Chosen) || !mayRunOn(*T, W))))
      return nullptr;
    S.Tasks.popFront();
    leaves(Of, *T);
    return T;
  }

  // For a device that has come: the first of those that were given to CPU workers without it, and that it can run.
  Task *fromProvisional(WorkerId W) {
    if (!AnyProvisional.load())
      return nullptr;
    bool More = Host->moreToCome();
    for (WorkerId Of : Classes->members(Classes->classOf(0))) {
      if (load(Of).queued() <= 0)
        continue;
      WorkerState &S = States[Of];
      std::lock_guard Guard(S.Lock);
      Task *T = S.Tasks.front();
      if (!T || !isOutdated(*T))
        continue;
      More = true;
      const auto Known = std::span(T->Type->Versions.data(), T->Type->numVersions());
      if (std::ranges::none_of(Known,
                               [&](const Version &V) { return Platform::usable(Host->platform().Workers[W], V, *T); }))
        continue;
      S.Tasks.popFront();
      leaves(Of, *T);
      return T;
    }
    if (!More)
      AnyProvisional.store(false);
    return nullptr;
  }

  void leaves(WorkerId Of, const Task &T) { load(Of).unqueue(T.Predicted.count()); }

  void settle(Task &T, WorkerId W, Assignment &Out) {
    T.ChosenWorker = W;
    load(W).begin(T.Predicted.count(), now());
    Out = {&T, T.Chosen};
  }

  Task *fromAlike(WorkerId W) {
    const auto &Others = Classes->members(Classes->classOf(W));
    size_t At = static_cast<size_t>(std::ranges::lower_bound(Others, W) - Others.begin());
    for (size_t I = 1; I < Others.size(); ++I)
      if (Task *T = takeFrom(Others[(At + I) % Others.size()], W))
        return T;
    return nullptr;
  }

  // A new choice for a task whose turn has come on W, where the old one no longer holds: its version has been disabled,
  // it was handed out to learn what is known by now, or it was provisional.
  std::optional<Choice> reconsider(const Task &T, WorkerId W, Seen *Among) {
    bool Usable = usableOn(W, *T.Chosen) && settleOn(T, W);
    if (Usable && T.PolicyNote != Learning && !isOutdated(T))
      return std::nullopt;
    Group &G = Groups.findOrAdd(*T.Type, T.sizeClass());
    Travels Ways = travels(T);
    std::lock_guard Guard(G.Lock);
    G.refresh(*Host, *Classes, How, *T.Type, T.sizeClass());
    bool Learns = G.Pairs > 1 && learning(G, T);
    if (Usable && Learns && T.PolicyNote == Learning)
      return std::nullopt;
    Choice C = Learns ? nextToLearn(G, T) : earliest(G, T, Ways, W, Among);
    return C.W == NoWorker || !settleOn(T, C.W) ? std::nullopt : std::optional(C);
  }

  bool usableOn(WorkerId W, const Version &V) const { return Platform::usable(Host->platform().Workers[W], V); }

  Load &load(WorkerId W) { return (*Busy)[W]; }

  // Where there is but one worker, no one asks how busy it is.
  Ns now() const { return Classes->numWorkers() > 1 ? Host->clock().now().time_since_epoch().count() : 0; }

  const Estimates How;
  PolicyHost *Host = nullptr;
  std::atomic<size_t> NumNodes{1};
  std::atomic<bool> SharesCores{false}; // Some device, with CPU workers.
  std::atomic<bool> AnyProvisional{false};
  static constexpr unsigned MostGenerations = UINT16_MAX - Provisional;
  std::atomic<unsigned> Generation{0}; // Calls of moreUsable.
  CurrentClasses Classes;
  IdleWorkers Idle;
  std::deque<WorkerState> States; // By worker.
  Loads *Busy = nullptr;
  GroupTable<Group> Groups;
  std::array<std::atomic<WorkerId>, 3> Turns{}; // Learning: by kind of device, the worker whose turn it is.
};

class VersioningLocality final : public Versioning {
public:
  VersioningLocality() : Versioning(Estimates::Robust) {}
};

HSCHED_POLICY(Versioning, "versioning",
              "learns each version's time for each data size, then the earliest executor (OmpSs)");
HSCHED_POLICY(VersioningLocality, "versioning-locality",
              "the same with medians, predictions for new sizes, and a look now and then at what was slow");

} // namespace
} // namespace hsched::rt
