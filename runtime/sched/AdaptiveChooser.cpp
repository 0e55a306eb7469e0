// The choice of a worker and a version for a task, in policy adaptive.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/AdaptiveChooser.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <mutex>
#include <optional>
#include <tuple>

namespace hsched::rt {

using CoresOf = VersionTimes::Side;

// Weight of a transfer among workers of one kind.
static constexpr Duration::rep Locality = 4;
// So many tasks for each core beside each other keep all cores busy.
static constexpr double TasksForACore = 2;
// What is left of the slowest transfer's time after a task.
static constexpr double Remembers = 0.99;
// Choices of a group until it looks more rarely for times of other sizes.
static constexpr uint64_t ChecksEachChoice = 32;

AdaptiveChooser::Ways AdaptiveChooser::waysOf(const Task &T) {
  Ways Of;
  ClassMask Suited = 0;
  for (unsigned V = 0, N = T.Type->numVersions(); V < N; ++V)
    Suited |= Classes->suited(T.Type->Versions[V]);
  if (NumNodes.load() == 1 || (std::has_single_bit(Suited) && !(Suited & Classes->mixed())))
    return Of;
  Of.There.resize(NumNodes.load());
  forEachClass(Suited, [&](unsigned Class) {
    for (WorkerId W : Classes->members(Class)) {
      Of.There[worker(W).Node] = travelTo(T, worker(W).Node);
      if (!(Classes->mixed() & classBit(Class)))
        break; // The other workers use the same memory.
    }
  });
  Of.Back.resize(Of.There.size());
  Host->returnTimes(T, Of.Back);
  Of.Share = Uses.share(T);
  Of.Holder = Uses.holderOf(T);
  return Of;
}

AdaptiveChooser::Choice AdaptiveChooser::staying(Task &T, WorkerId From, bool Queued) {
  Choice C;
  if (From == NoWorker || NumNodes.load() == 1 || worker(From).Node == HostNode || Mix.mode() == Mixing::Mode::Cores)
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

AdaptiveChooser::Choice AdaptiveChooser::choose(Task &T, WorkerId Early, bool MayWait) {
  Group &G = groupOf(T);
  const Ways Of = waysOf(T);
  std::vector<Candidate> All;
  Choice C;
  {
    std::lock_guard Guard(G.Lock);
    refresh(G, T);
    lookAround(G, T);
    do { // Repeated if another thread has fixed T's component meanwhile.
      Side On = list(G, T, Of, All);
      if (All.empty() && Early == NoWorker) { // A refused pair is better than none.
        for (unsigned V = 0; V < G.NumVersions; ++V) {
          G.Versions[V].Suited = Classes->suited(T.Type->Versions[V]);
          G.Versions[V].Refusals.clear();
        }
        On = list(G, T, Of, All);
      }
      C = chooseAmong(G, T, All, On, Early);
      if (C.Tries) {
        lookAround(G, T, true);
        if (G.Versions[C.V->Index].on(worker(C.W).Model).Runs) {
          On = list(G, T, Of, All);
          C = chooseAmong(G, T, All, On, Early);
        }
      }
    } while (C.W != NoWorker && (Early == NoWorker || C.W == Early) && !settleOn(T, C.W));
    if (MayWait && C.W != NoWorker)
      if (const Ns Takes = mayChange(G, All, C)) {
        Choice Later;
        Later.MayWait = Takes;
        Later.Run = G.Fastest.Nanoseconds.load(std::memory_order_relaxed);
        return Later;
      }
    if (Early == NoWorker) {
      if (C.W == NoWorker) { // Worker 0 pops it, and the executor fails it.
        C.V = &T.Type->Versions[0];
        C.W = 0;
        C.Why = "nothing can run it";
      }
      if (C.Tries)
        Trials.begins(G, *T.Type, T.sizeClass(), C.V->Index, worker(C.W).Model);
      if (G.anyKnown()) // A prediction of 0 says that nothing is known, and such a task is chosen anew at its turn.
        C.Run = std::max<Ns>(C.Run, 1);
      if (!Of.There.empty())
        whileThereIsMemory([&] { Uses.planned(T, isCpu(C.W) ? NoWorker : C.W); });
      Lists.count(C); // Under G's lock, so that the next decision of the group sees it.
    }
  }
  if (Host->recordsDecisions() && C.W != NoWorker && (Early == NoWorker || C.W == Early))
    whileThereIsMemory([&] { // T is counted by now.
      Host->decided(T, *C.V, C.W, Early != NoWorker ? "all that it waits for is on that device" : C.Why, seen(T, All));
    });
  return C;
}

AdaptiveChooser::Ns AdaptiveChooser::mayChange(const Group &G, const std::vector<Candidate> &All,
                                               const Choice &C) const {
  const bool OnDevice = G.Fastest.OnDevice.load(std::memory_order_relaxed);
  if (!isCpu(C.W) || !OnDevice)
    return 0;
  const Ns Takes = C.Tries ? G.Fastest.Assumed.load(std::memory_order_relaxed) : C.Run;
  if (Takes < DelayedTasks::LeastTime)
    return 0;
  // A device that is busy for longer takes T neither way. Delayed tasks may be its work.
  const Ns Before = Delayed.onDevices() / std::max(1u, NumDevices.load(std::memory_order_relaxed));
  if (std::ranges::none_of(All, [&](const Candidate &Each) {
        return !isCpu(Each.W) && Each.Known && Each.Travel > Each.Run && Each.Begin + Before + Each.Run < Takes;
      }))
    return 0;
  // An idle core has nothing better to do than to wait for T.
  const auto &Cores = Classes->members(Classes->classOf(0));
  return std::ranges::any_of(Cores, [this](WorkerId W) { return W != 0 && Lists.isIdle(W); }) ? Takes : 0;
}

std::vector<Prediction> AdaptiveChooser::seen(const Task &T, const std::vector<Candidate> &All) const {
  std::vector<Prediction> Out;
  for (const Candidate &C : All)
    Out.push_back({C.W, &T.Type->Versions[C.V], Duration(C.Run), C.Known ? 1u : 0u, Duration(C.Travel),
                   Duration(C.Begin), !isCpu(C.W)});
  return Out;
}

AdaptiveChooser::Side AdaptiveChooser::list(Group &G, const Task &T, const Ways &Of, std::vector<Candidate> &All) {
  All.clear();
  const Ns Now = now();
  std::optional<double> Share;
  const CoresOf Which = SharesCores.load() ? G.preferred(T, Host->platform(), *Classes, 1) : CoresOf::Both;
  for (WorkerId W = 0; W < Classes->numWorkers(); ++W) {
    const Worker &On = worker(W);
    for (unsigned V = 0; V < G.NumVersions; ++V) {
      if (!G.Versions[V].takes(W, *Classes) || !usableOn(W, T.Type->Versions[V], T))
        continue;
      const VersionTimes::Known &K = G.Versions[V].on(On.Model);
      if (Which != CoresOf::Both && (Which == CoresOf::Device ? isCpu(W) : On.SharedCores != 0) &&
          (K.Runs || G.mustNotMeasure(V, T, Host->platform(), *Classes, Host->loads())))
        continue;
      const Ns Run = Alike.expected(W, K.Mean);
      const Ns Travel = Of.There.empty() ? 0 : Of.There[On.Node], Wait = Lists.work(W, Now);
      const Ns Data = Contention * Travel; // A device's transfers overlap its tasks.
      const Ns Queue = Lists.transfers(W, Now);
      const Ns Begin = isCpu(W) ? Wait + Data : std::max(Wait, Queue + Data);
      Ns Others = 0; // The delay that the data's later uses pay.
      if (Queue && !On.SharedCores) {
        if (!Share)
          Share = queueShare(G, T);
        Others = Begin - std::max(Wait, static_cast<Ns>(*Share * static_cast<double>(Queue)) + Data);
      }
      const Ns Later = isCpu(W) ? 0 : Home.each();
      const Ns Links = isCpu(W) || On.SharedCores || Of.There.empty()
                           ? 0
                           : static_cast<Ns>(Of.Share * static_cast<double>(Travel + Of.Back[On.Node]));
      All.push_back({W, V, Run, Travel, Wait, Begin + Run + Later, Links - Others, K.Runs > 0, Lists.isIdle(W),
                     !isCpu(W) && T.Type->Versions[V].Desc->run != nullptr, Lists.tasks(W)});
    }
  }
  if (!Of.There.empty())
    noteTransfer(T, All);
  keepWithHolder(Of, All);
  const Side On = Of.There.empty() ? Side() : sideOf(G, T, &Of);
  keepOnCores(G, T, Of, On, All);
  if (const Mixing::Mode Mode = Mix.mode() == Mixing::Mode::Both ? On.Mode : Mix.mode(); Mode != Mixing::Mode::Both)
    leaveTo(Mode, All);
  return On;
}

void AdaptiveChooser::keepWithHolder(const Ways &Of, std::vector<Candidate> &All) const {
  if (Of.Holder == NoWorker)
    return;
  Ns There = Never;
  for (const Candidate &C : All)
    if (C.W == Of.Holder && C.Known)
      There = std::min(There, C.Run);
  if (There != Never)
    std::erase_if(All, [&](const Candidate &C) {
      return !isCpu(C.W) && C.Known && worker(C.W).Model != worker(Of.Holder).Model && 2 * There < C.Travel;
    });
}

void AdaptiveChooser::keepOnCores(const Group &G, const Task &T, const Ways &Of, const Side &On,
                                  std::vector<Candidate> &All) {
  if (Of.There.empty() || Of.Holder != NoWorker ||
      std::ranges::none_of(All, [this](const Candidate &C) { return C.Known && isCpu(C.W); }))
    return;
  const auto Leaves = [this](const Candidate &C) { return !isCpu(C.W) && !worker(C.W).SharedCores && C.Travel > 0; };
  if (On.Most < Side::Unlimited && blocksOnDevices(T) >= On.Most) {
    std::erase_if(All, Leaves);
    return;
  }
  const auto Cores = static_cast<double>(Classes->members(Classes->classOf(0)).size());
  const double Saved = static_cast<double>(G.Fastest.OnCore.load(std::memory_order_relaxed)) / Cores *
                       std::max(1u, NumDevices.load(std::memory_order_relaxed));
  const auto TooFar = [&](const Candidate &C) {
    return Leaves(C) && Of.Share * static_cast<double>(C.Travel + Of.Back[worker(C.W).Node]) > 2 * Saved;
  };
  if (std::ranges::any_of(All, TooFar) && Ahead.onCores(T.Id).Width >= TasksForACore * Cores)
    std::erase_if(All, TooFar);
}

void AdaptiveChooser::noteTransfer(const Task &T, const std::vector<Candidate> &All) {
  Ns Least = Never;
  for (const Candidate &C : All)
    if (!isCpu(C.W) && !worker(C.W).SharedCores)
      Least = std::min(Least, C.Travel);
  size_t Bytes = 0;
  for (const hsched_access &A : T.accesses())
    Bytes += A.mode & HSCHED_IN ? A.bytes * A.rows : 0;
  if (Least == Never || Least == 0 || Bytes == 0)
    return;
  const double Its = static_cast<double>(Least) / static_cast<double>(Bytes);
  PerByte.store(std::max(Its, Remembers * PerByte.load(std::memory_order_relaxed)), std::memory_order_relaxed);
}

Mixing::Costs AdaptiveChooser::costsAhead() {
  const UsesAhead::Where Data = Uses.bytes();
  const double Each = PerByte.load(std::memory_order_relaxed) / std::max(1u, NumDevices.load());
  return {Ahead.deviceWork(), static_cast<Ns>(Each * static_cast<double>(Data.OnHost)),
          static_cast<Ns>(Each * static_cast<double>(Data.OnDevices))};
}

void AdaptiveChooser::leaveTo(Mixing::Mode Mode, std::vector<Candidate> &All) const {
  const auto UsesCores = [this](const Candidate &C) { return isCpu(C.W) || worker(C.W).SharedCores; };
  const auto Fastest = std::ranges::min_element(
      All, {}, [](const Candidate &C) { return C.Known ? C.Run : std::numeric_limits<Ns>::max(); });
  if (Fastest == All.end() || !Fastest->Known || UsesCores(*Fastest))
    return;
  const bool Drops = Mode == Mixing::Mode::Devices; // True: drop candidates that use cores.
  if (Drops || std::ranges::any_of(All, [&](const Candidate &C) { return C.Known && isCpu(C.W); }))
    std::erase_if(All, [&](const Candidate &C) { return (C.Known || Drops) && UsesCores(C) == Drops; });
}

void AdaptiveChooser::lookAround(Group &G, const Task &T, bool Now) {
  if (!Now && G.Choices >= ChecksEachChoice && !std::has_single_bit(G.Choices))
    return;
  for (unsigned V = 0; V < G.NumVersions; ++V)
    if (std::ranges::any_of(G.Versions[V].Times, [](const VersionTimes::Known &K) { return K.Runs == 0; }))
      G.measure(*Host, Estimates::Robust, *T.Type, T.sizeClass(), V);
  Trials.changed(G, classBit(Classes->classOf(0)));
}

AdaptiveChooser::Choice AdaptiveChooser::chooseAmong(Group &G, const Task &T, const std::vector<Candidate> &All,
                                                     const Side &On, WorkerId Early) {
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

  const Candidate *Kind = nullptr; // Decides the kind of worker.
  std::pair<Ns, Ns> KindKey;
  Ns IdleEnd = Never, Earliest = Never;
  unsigned IdleCores = 0;
  for (const Candidate &C : All) {
    // A task without any run is kept for a device until its first run has ended: see take.
    if (AnyKnown ? !C.Known : Devices && isCpu(C.W))
      continue;
    // A transfer delays other transfers on the link. A device must end the task sooner by more than that time.
    const std::pair Key(C.End + C.Links, C.Run);
    Earliest = std::min(Earliest, C.End);
    if (isCpu(C.W) && C.Idle) {
      ++IdleCores;
      IdleEnd = std::min(IdleEnd, Key.first);
    }
    if (!Kind || Key < KindKey) {
      Kind = &C;
      KindKey = Key;
    }
  }
  // In waves, devices get equal parts of the data: each wave lasts as long as the device with the most.
  size_t MostBytes = std::numeric_limits<size_t>::max();
  if (On.Mode == Mixing::Mode::Devices && AnyKnown) {
    Ns LeastTravel = Never, MostTravel = 0;
    size_t Own = 0, LeastBytes = MostBytes;
    for (const Candidate &C : All)
      if (C.Known && !isCpu(C.W)) {
        LeastTravel = std::min(LeastTravel, C.Travel);
        MostTravel = std::max(MostTravel, C.Travel);
        LeastBytes = std::min(LeastBytes, Uses.bytesAt(C.W));
      }
    for (const hsched_access &A : T.accesses())
      Own += A.bytes * A.rows;
    if (2 * LeastTravel > MostTravel) // No device has T's block.
      MostBytes = std::max(LeastBytes, static_cast<size_t>((On.Each - 0.5) * static_cast<double>(Own)));
  }
  const Candidate *Best = nullptr;
  std::tuple<int64_t, Ns, Ns, int64_t> BestKey;
  for (const Candidate &C : All) {
    if ((AnyKnown && !C.Known) || worker(C.W).Model != worker(Kind->W).Model || C.V != Kind->V)
      continue;
    // A placed task goes to worker 0, which may not ask for work, only if no other core may run it.
    const bool Last = T.Placed && C.W == 0;
    // Tasks of unknown time are spread evenly: such a queue's time is unknown, too.
    const int64_t First =
        !AnyKnown ? C.Tasks : On.Mode == Mixing::Mode::Devices && !isCpu(C.W) && Uses.bytesAt(C.W) > MostBytes;
    const std::tuple Key(Last ? Never : First, C.End + Locality * C.Travel, C.Run, C.Tasks);
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
  else if (isCpu(Best->W) && Earliest < Best->End)
    Found.Why = "a device would end it sooner, but by less than its data would keep the links busy";
  Found.OnlyCores = isCpu(Best->W) && 2 * (Best->Run + Contention * Best->Travel) <= 3 * Shortest;
  Found.WakeOthers =
      !isCpu(Best->W) && Mix.allowed() && IdleCores > Lists.keptCores(IdleEnd) &&
      (IdleEnd <= Best->End || (Now >= QuietUntil.load(std::memory_order_relaxed) && mayHoldUp(IdleEnd)));
  if (auto &Times = G.Versions[Best->V].Times; worker(Best->W).Model < Times.size())
    Times[worker(Best->W).Model].Chosen = G.Choices;
  return Found;
}

AdaptiveChooser::Choice AdaptiveChooser::choiceOf(const Task &T, const Candidate &C) {
  Choice Found;
  Found.V = &T.Type->Versions[C.V];
  Found.W = C.W;
  Found.Run = C.Run;
  Found.Travel = C.Travel;
  return Found;
}

bool AdaptiveChooser::mayHoldUp(Ns Takes) {
  const unsigned Devices = NumDevices.load();
  return Devices && Certain * static_cast<double>(Ahead.deviceWork()) >= static_cast<double>(Takes) * Devices;
}

} // namespace hsched::rt
