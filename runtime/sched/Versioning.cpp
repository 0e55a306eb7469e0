// OmpSs's versioning scheduler: what the policies "versioning" and "versioning-locality" share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: Planas et al., "Self-adaptive OmpSs tasks in heterogeneous environments", section IV.B.
//
// Each task and data-set size is a group. A group is in the learning phase until every usable version has been measured
// lambda times. Versions, and the workers for them, are chosen round robin. Then a task goes to its earliest
// executor. This is the worker and version with the least sum of the worker's estimated busy time and the version's
// mean. Means are those of History and include every run. The choice is made when a task is ready; each worker has its
// own queue.
//
// Two points that the paper does not define. Tasks assigned in the learning phase that are still queued after it are
// decided again, once, at their turn. Otherwise a burst of ready tasks would be spread evenly over fast and slow
// versions. An idle CPU worker takes over a task queued for another one, with the version already chosen. Workers of
// one class are equal, so the estimate holds. A main thread that computes delays no task.
//
// VersioningChoice.h says what a choice respects beyond the paper.
#include "base/NoMemory.h"
#include "perfmodel/GroupTable.h"
#include "sched/Policy.h"
#include "sched/VersionTimes.h"
#include "sched/VersioningChoice.h"
#include "sched/WorkerClasses.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace hsched::rt {
namespace {

using namespace versioning;
using Group = VersionTimes;
using Side = VersionTimes::Side;

class Versioning final : public Policy {
public:
  explicit Versioning(Estimates How) : How(How) {}

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
    for (const Worker &W : All) // They may take tasks that were decided without them.
      if (W.Kind != DeviceKind::Cpu && Idle.remove(W.Id))
        Host->wake(W.Id);
  }

  // The earliest executor is the first free worker.
  unsigned capabilities() const override { return StealsAlike | RunsCalls | MakesBundles | AcceptsLateDevices; }

  void push(Task &T, WorkerId) override { assign(T, choose(T)); }
  void pushActivated(Task &T, WorkerId From) override { assign(T, choose(T, From)); }

  bool pop(WorkerId W, Assignment &Out) override {
    if (!take(W, Out) && !(Idle.enter(W) && take(W, Out)))
      return false;
    busy(W);
    return true;
  }

  bool popMatching(WorkerId W, const std::function<bool(const Task &)> &Wanted, Assignment &Out) override {
    for (WorkerId Of : Classes->members(Classes->classOf(W)))
      if (load(Of).queued() > 0) {
        WorkerState &S = States[Of];
        std::lock_guard Guard(S.Lock);
        Task *T = S.Tasks.popMatching([&](const Task &T) { return usableOn(W, *T.Chosen) && Wanted(T); });
        if (!T)
          continue;
        leaves(Of, *T);
        settle(*T, W, Out);
        return true;
      }
    return false;
  }

  // No other worker may run a device's queued tasks.
  void busy(WorkerId W) override {
    if (Idle.leave(W) && isCpu(W) && std::ranges::any_of(Classes->members(Classes->classOf(W)), [this](WorkerId Other) {
          return load(Other).queued() > 0;
        }))
      wakeOneOf(Classes->bits(Classes->classOf(W)));
  }

  void completed(const Task &T, const Version &V, WorkerId W, Duration Measured) override {
    load(W).end(T.Predicted.count(), now());
    if (Measured >= Duration(0))
      whileThereIsMemory([&] { learn(T, V, W, Measured); }); // The times are in History.
  }

  // A class that has refused a version lambda times in succession at this size is not chosen again: otherwise the
  // learning phase would never end.
  void refused(const Task &T, const Version &V, WorkerId W) override {
    whileThereIsMemory([&] { countRefusal(T, V, W); });
  }

  // The choice for T before it is ready, if the earliest executor is then W.
  const Version *takeEarly(Task &T, WorkerId W) override {
    Group &G = Groups.findOrAdd(*T.Type, T.sizeClass());
    std::optional<Choice> Short = staying(G, T, W);
    const Travels Ways = travelsUnless(Short, T);
    std::unique_lock Guard(G.Lock);
    G.refresh(*Host, *Classes, How, *T.Type, T.sizeClass());
    if (G.Pairs > 1 && learning(G, T))
      return nullptr;
    Seen Among;
    Choice C = stayingOrEarliest(Short, G, T, Ways, seen(Among));
    if (C.W != W || !settleOn(T, W))
      return nullptr;
    Guard.unlock();
    note(T, C);
    logChoice(T, C, C.KeepsData ? IsShorterThanTransfer : ForEarly, Among);
    load(W).begin(C.Estimate, now());
    return C.V;
  }

private:
  void learn(const Task &T, const Version &V, WorkerId W, Duration Measured) {
    Group &G = Groups.findOrAdd(*T.Type, T.sizeClass());
    std::lock_guard Guard(G.Lock);
    G.refresh(*Host, *Classes, How, *T.Type, T.sizeClass());
    G.measure(*Host, How, *T.Type, T.sizeClass(), V.Index);
    G.SinceRetry += Measured.count();
    if (auto &Refusals = G.Versions[V.Index].Refusals; Refusals.size() > Classes->classOf(W))
      Refusals[Classes->classOf(W)] = 0;
  }

  void countRefusal(const Task &T, const Version &V, WorkerId W) {
    Group &G = Groups.findOrAdd(*T.Type, T.sizeClass());
    std::lock_guard Guard(G.Lock);
    G.refresh(*Host, *Classes, How, *T.Type, T.sizeClass());
    Group::PerVersion &Known = G.Versions[V.Index];
    unsigned Class = Classes->classOf(W);
    Known.Refusals.resize(std::max<size_t>(Known.Refusals.size(), Class + size_t(1)));
    if (++Known.Refusals[Class] >= Host->lambda())
      Known.Suited &= ~(classBit(Class) & ~Classes->mixed());
  }

  void notice(std::span<const Worker> Workers) {
    for (const Worker &W : Workers) {
      NumNodes.store(std::max<size_t>(NumNodes.load(), W.Node + size_t(1)));
      if (W.SharedCores)
        SharesCores.store(true);
    }
  }

  // --- the choice

  // The candidates of a choice, if they are recorded.
  using Seen = std::vector<Prediction>;
  Seen *seen(Seen &Among) const { return Host->recordsDecisions() ? &Among : nullptr; }
  void logChoice(Task &T, const Choice &C, const char *Why, const Seen &Among) {
    if (Host->recordsDecisions())
      whileThereIsMemory([&] { Host->decided(T, *C.V, C.W, Why, Among); });
  }

  void logTaken(Task &T, WorkerId W, Seen &Among) {
    whileThereIsMemory([&] {
      Host->predict(T, Among);
      Host->decided(T, *T.Chosen, W, ForIdle, Among);
    });
  }

  // From: the worker of a predecessor that has just ended; NoWorker: none.
  Choice choose(Task &T, WorkerId From = NoWorker) {
    Group &G = Groups.findOrAdd(*T.Type, T.sizeClass());
    std::optional<Choice> Short = staying(G, T, From);
    const Travels Ways = travelsUnless(Short, T);
    std::unique_lock Guard(G.Lock);
    G.refresh(*Host, *Classes, How, *T.Type, T.sizeClass());
    Seen Among;
    Choice C = chooseIn(G, T, Ways, seen(Among), Short);
    if (C.W == NoWorker) { // A refused pair is better than none.
      for (unsigned V = 0; V < G.NumVersions; ++V) {
        G.Versions[V].Suited = Classes->suited(T.Type->Versions[V]);
        G.Versions[V].Refusals.clear();
      }
      C = chooseIn(G, T, Ways, seen(Among));
    }
    const bool Nowhere = C.W == NoWorker;
    if (Nowhere) // Worker 0 pops it, and the executor fails it.
      C = {&T.Type->Versions[0], 0, 0, true};
    load(C.W).queue(C.Estimate); // Under G's lock, so that the next decision of the group sees it.
    Guard.unlock();
    logChoice(T, C, Nowhere ? UsableNowhere : whyOf(C, Among.size() == 1), Among);
    return C;
  }

  // The choice of device From, which has data of T, if T is too short to leave it.
  std::optional<Choice> staying(Group &G, const Task &T, WorkerId From) {
    if (From == NoWorker || NumNodes.load() == 1 || nodeOf(From) == HostNode)
      return std::nullopt;
    std::lock_guard Guard(G.Lock);
    G.refresh(*Host, *Classes, How, *T.Type, T.sizeClass());
    if (G.Pairs < 2 || learning(G, T))
      return std::nullopt;
    const Version *V = G.staysOn(Host->platform().Workers[From], T, Host->handOver(From).count(), *Classes);
    if (!V)
      return std::nullopt;
    return Choice{V, From, G.Versions[V->Index].on(modelOf(From)).Mean, true, false, true};
  }
  // They are not needed for a task that stays, unless its candidates are recorded.
  Travels travelsUnless(const std::optional<Choice> &Short, const Task &T) {
    return Short && !Host->recordsDecisions() ? Travels() : travels(T);
  }
  Choice stayingOrEarliest(const std::optional<Choice> &Short, const Group &G, const Task &T, const Travels &Ways,
                           Seen *Among) const {
    if (Short && !Among)
      return *Short;
    const Choice C = earliest(G, T, Ways, NoWorker, Among);
    return Short ? *Short : C;
  }

  Choice chooseIn(Group &G, const Task &T, const Travels &Ways, Seen *Among,
                  std::optional<Choice> Short = std::nullopt) {
    for (;; Short.reset()) {
      if (Among)
        Among->clear();
      const bool Learns = G.Pairs > 1 && learning(G, T);
      if (Learns && Among)
        (void)earliest(G, T, Ways, NoWorker, Among);
      Choice C = Learns ? nextToLearn(G, T) : stayingOrEarliest(Short, G, T, Ways, Among);
      if (How == Estimates::Robust && G.Pairs > 1 && C.W != NoWorker) {
        if (!Learns && !C.KeepsData)
          lookAgain(G, T, C);
        ++G.Choices;
        if (auto &Times = G.Versions[C.V->Index].Times; modelOf(C.W) < Times.size())
          Times[modelOf(C.W)].Chosen = G.Choices;
      }
      if (C.W == NoWorker || settleOn(T, C.W))
        return C;
    } // Another thread has fixed T's component meanwhile.
  }

  // Queried before the group is locked. Not queried if all workers that may run T use one memory.
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
        Ways[nodeOf(W)] = Host->transferTime(T, nodeOf(W)).count();
        if (!(Classes->mixed() & classBit(Class)))
          break; // The other workers use the same memory.
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

  bool mustNotMeasure(const Group &G, unsigned V, const Task &T) const {
    return G.mustNotMeasure(V, T, Host->platform(), *Classes, *Busy);
  }

  Choice nextToLearn(Group &G, const Task &T) {
    const TaskType &Type = *T.Type;
    unsigned V = G.NextVersion % G.NumVersions;
    const bool Sharing = SharesCores.load();
    for (unsigned I = 0; I < G.NumVersions &&
                         (!usableSomewhere(G.Versions[V], Type.Versions[V], T) || (Sharing && mustNotMeasure(G, V, T)));
         ++I)
      V = (V + 1) % G.NumVersions;
    G.NextVersion = V + 1;

    const WorkerId W = nextWorker(G.Versions[V], Type.Versions[V], T);
    return {&Type.Versions[V], W, W == NoWorker ? 0 : G.estimate(V, modelOf(W)), false};
  }

  // Replaces C by the pair not chosen for longest, if a retry costs little.
  void lookAgain(Group &G, const Task &T, Choice &C) const {
    // Worker 0 may not ask for work.
    if (auto Other = G.dueForRetry(T, Host->platform(), *Classes, *Busy, C.W == 0))
      C = {Other->V, Other->W, G.Versions[Other->V->Index].on(modelOf(Other->W)).Mean, true, true};
  }

  ModelId modelOf(WorkerId W) const { return Host->platform().Workers[W].Model; }

  // The next worker, round robin, among those that can run V and whose kind still lacks measurements of V, if any. The
  // rotation is shared by all groups, so that new groups do not all begin with the same worker.
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
    return NoWorker; // Disabled everywhere at this moment.
  }

  // The earliest executor. A device's transfers overlap its queued tasks; a core waits for them.
  // Ties: the faster version, then the worker with fewer queued tasks, then worker order. A placed
  // task goes to worker 0, which may not ask for work, only if no other core may run it. AtHead: the
  // worker that has the task; its other queued tasks come later. Candidates, unless null, receives
  // all candidates.
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
    const Ns Queue = How == Estimates::Robust && !Ways.empty() ? leastUnderway(*Host) : 0;
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
        Begin = isCpu(W) ? Begin + Ways[nodeOf(W)] : std::max(Begin, Ways[nodeOf(W)] ? Ways[nodeOf(W)] + Queue : 0);
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

    // On one worker, the busy time is the same for all versions, so only the fastest of each class matters.
    std::array<uint8_t, WorkerClasses::MaxClasses> Fastest;
    ClassMask Plain = 0, Careful = 0;
    for (unsigned V = 0; V < G.NumVersions; ++V) {
      ClassMask Suited = G.Versions[V].Suited;
      Careful |= Suited & Classes->mixed();
      if (T.Placed || Candidates || Classes->disabledSomewhere(Type.Versions[V])) // Each pair must be checked.
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
  // True if more pairs have become usable since T's choice.
  bool isOutdated(const Task &T) const { return T.PolicyNote >= Provisional && T.PolicyNote != provisional(); }

  // C is counted in its worker's load. If memory is exhausted, it is no longer, and T is on no queue.
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
    try {
      std::lock_guard Guard(S.Lock);
      S.Tasks.pushBack(T);
    } catch (const std::bad_alloc &) {
      load(C.W).unqueue(C.Estimate);
      throw;
    }
    bool Expected = Idle.remove(C.W);
    if (Expected)
      Host->wake(C.W);
    if (isCpu(C.W) && (!Expected || C.W == 0)) // Worker 0 may not ask for work: see above.
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
      } catch (const std::bad_alloc &) { // The old choice holds. If it is invalid, the executor pushes T again.
      }
      if (Anew) {
        logChoice(*T, *Anew, whyOf(*Anew, Among.size() == 1), Among);
        if (Anew->W != W) {
          retryUntilAllocated([&] {
            load(Anew->W).queue(Anew->Estimate);
            assign(*T, *Anew);
          });
          continue;
        }
        note(*T, *Anew);
      } else if (Taken && Host->recordsDecisions())
        logTaken(*T, W, Among);
      settle(*T, W, Out);
      return true;
    }
  }

  // Takes the first task from Of's queue if W may run it as chosen, or if the queue is W's own.
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

  // For a new device: the first task that was assigned to CPU workers without it and that it can run.
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

  // A new choice for a task at its turn on W if the old one is outdated. That is so if its version was disabled, the
  // learning phase has ended since, or it was provisional.
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

  // With a single worker, its busy time is not used.
  Ns now() const { return Classes->numWorkers() > 1 ? Host->clock().now().time_since_epoch().count() : 0; }

  const Estimates How;
  PolicyHost *Host = nullptr;
  std::atomic<size_t> NumNodes{1};
  std::atomic<bool> SharesCores{false}; // Some device computes on the CPU workers' cores.
  std::atomic<bool> AnyProvisional{false};
  static constexpr unsigned MostGenerations = UINT16_MAX - Provisional;
  std::atomic<unsigned> Generation{0}; // Number of calls of moreUsable.
  CurrentClasses Classes;
  IdleWorkers Idle;
  std::deque<WorkerState> States; // By worker.
  Loads *Busy = nullptr;
  GroupTable<Group> Groups;
  std::array<std::atomic<WorkerId>, 3> Turns{}; // Learning phase: by kind of device, the next worker.
};

} // namespace

std::unique_ptr<Policy> versioning::makeVersioning(Estimates How) { return std::make_unique<Versioning>(How); }

} // namespace hsched::rt
