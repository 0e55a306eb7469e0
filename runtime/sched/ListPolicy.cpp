// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/ListPolicy.h"

#include "base/NoMemory.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace hsched::rt {

void ListPolicy::start(PolicyHost &H) {
  Host = &H;
  const WorkerList &Workers = H.platform().Workers;
  Classes = WorkerClasses({Workers.begin(), Workers.size()});
  Each.resize(numWorkers());
}

uint64_t ListPolicy::randomFor(const Task &T) const { // SplitMix64 (Steele, Lea, Flood).
  uint64_t X = Host->seed() * 0x9e3779b97f4a7c15u + T.Id * 0xbf58476d1ce4e5b9u;
  X = (X ^ (X >> 30)) * 0xbf58476d1ce4e5b9u;
  X = (X ^ (X >> 27)) * 0x94d049bb133111ebu;
  return X ^ (X >> 31);
}

const Version *ListPolicy::versionOn(const Task &T, WorkerId W) const {
  const Version *Best = nullptr;
  std::optional<double> BestMean; // Looked up only if there is a choice.
  for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I) {
    const Version &V = T.Type->Versions[I];
    if (!Platform::usable(worker(W), V, T))
      continue;
    if (!Best) {
      Best = &V;
      continue;
    }
    auto meanOf = [&](const Version &Of) {
      RunStats Known = Host->history().lookup(*T.Type, T.sizeClass(), Of.Index, worker(W).Model);
      return Known.Runs ? Known.MeanNs : std::numeric_limits<double>::infinity();
    };
    if (!BestMean)
      BestMean = meanOf(*Best);
    if (double Mean = meanOf(V); Mean < *BestMean) {
      BestMean = Mean;
      Best = &V;
    }
  }
  return Best;
}

ReadyList::Test ListPolicy::mayRun(WorkerId W) const {
  // Tasks without any usable version are returned too, see Policy::pop.
  return [this, W](const Task &T) { return versionOn(T, W) || !usableSomewhere(T); };
}

ClassMask ListPolicy::ableClasses(const Task &T) const {
  ClassMask Able = 0, Partial = 0;
  for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I) {
    const Version &V = T.Type->Versions[I];
    ClassMask Suited = Classes.suited(V);
    (T.Placed || Classes.disabledSomewhere(V) ? Partial : Able) |= Suited & ~Classes.mixed();
    Partial |= Suited & Classes.mixed();
  }
  // Finds workers that are not in Able but can run it.
  bool Whole = true;
  forEachClass(Partial & ~Able, [&](unsigned Class) {
    size_t Can = 0;
    for (WorkerId W : Classes.members(Class))
      Can += versionOn(T, W) != nullptr;
    if (Can == Classes.members(Class).size())
      Able |= ClassMask(1) << Class;
    else if (Can)
      Whole = false;
  });
  return Whole ? Able : 0;
}

bool ListPolicy::usableSomewhere(const Task &T) const {
  return std::ranges::any_of(Host->platform().Workers, [&](const Worker &W) { return versionOn(T, W.Id); });
}

WorkerBits ListPolicy::membersOf(ClassMask Able) const {
  WorkerBits Among{};
  for (unsigned Class = 0; Class < Classes.size(); ++Class)
    if (Able >> Class & 1)
      for (unsigned Word = 0; Word < Classes.numWords(); ++Word)
        Among[Word] |= Classes.bits(Class)[Word];
  return Among;
}

void ListPolicy::wakeOneOf(WorkerBits Among) {
  if (WorkerId W = Idle.takeOne(Among, Classes.numWords()); W != NoWorker)
    Host->wake(W);
}

void ListPolicy::add(Task &T, Choice C) {
  ClassMask Able;
  WorkerBits Among; // Workers to wake, determined while T certainly exists.
  for (;; C = choose(T, NoWorker, false)) {
    Able = ableClasses(T);
    Among = membersOf(Able);
    if (!Able)
      for (const Worker &Other : Host->platform().Workers)
        if (mayRun(Other.Id)(T))
          rt::add(Among, Other.Id);
    // If only some workers search the list, T must not stay there because its version has been disabled since the
    // choice.
    if (Lists == StealScope::All || contains(Among, C.List) || !usableSomewhere(T))
      break;
  }
  const WorkerId W = C.List;
  const bool OwnerCan = contains(Among, W);
  if (C.Why)
    if (const Version *V = C.V ? C.V : versionOn(T, W))
      recordDecision(T, *V, W, C.Why, std::move(C.Among));
  T.Chosen = C.V;
  T.ChosenWorker = W;
  T.Predicted = C.Estimate;
  Host->loads()[W].queue(C.Estimate.count());
  try {
    Each[W].push(T, Able, C.Front);
  } catch (const std::bad_alloc &) {
    Host->loads()[W].unqueue(C.Estimate.count());
    throw;
  }

  const bool OwnerComes = OwnerCan && Idle.remove(W);
  if (OwnerComes)
    Host->wake(W);
  if ((OwnerComes && W != 0) || (Lists == StealScope::MainOnly && W != 0))
    return;
  if (Lists == StealScope::MainOnly) // For worker 0: other CPU workers.
    for (const Worker &Other : Host->platform().Workers)
      if (Other.Kind != DeviceKind::Cpu)
        Among[Other.Id / 64] &= ~(uint64_t(1) << (Other.Id % 64));
  wakeOneOf(Among);
}

void ListPolicy::addRetrying(Task &T, WorkerId From, bool Activated) {
  retryUntilAllocated([&] { add(T, choose(T, From, Activated)); });
}

void ListPolicy::recordDecision(Task &T, const Version &V, WorkerId W, const char *Why, std::vector<Prediction> Among) {
  if (Host->recordsDecisions())
    whileThereIsMemory([&] {
      if (Among.empty())
        Host->predict(T, Among);
      Host->decided(T, V, W, Why, Among);
    });
}

bool ListPolicy::pop(WorkerId W, Assignment &Out) {
  if (!take(W, Out) && !(Idle.enter(W) && take(W, Out)))
    return false;
  busy(W);
  return true;
}

Task *ListPolicy::stealTask(WorkerId W) {
  if (Lists == StealScope::MainOnly && !maySteal(W, 0))
    return nullptr;
  const WorkerId N = numWorkers(), First = Lists == StealScope::MainOnly ? 0 : firstVictim(W);
  for (WorkerId I = 0; I < (Lists == StealScope::MainOnly ? 1 : N); ++I) {
    const WorkerId Victim = (First + I) % N;
    if (!maySteal(W, Victim) || Host->loads()[Victim].queued() <= 0)
      continue;
    if (Task *T = Each[Victim].take(Classes.classOf(W), mayRun(W), stealsFromBack()))
      return T;
  }
  return nullptr;
}

bool ListPolicy::take(WorkerId W, Assignment &Out) {
  for (;;) {
    Task *T = Host->loads()[W].queued() > 0 ? takeOwn(Each[W], W) : nullptr;
    if (!T)
      T = stealTask(W);
    if (!T)
      return false;
    Host->loads()[T->ChosenWorker].unqueue(T->Predicted.count());
    const Version *V = T->Chosen && Platform::usable(worker(W), *T->Chosen, *T) ? T->Chosen : versionOn(*T, W);
    // It was disabled, or fixed elsewhere, since the task was put there.
    if (V ? !settleOn(*T, W) : usableSomewhere(*T)) {
      addRetrying(*T, NoWorker, false);
      continue;
    }
    if (V && T->ChosenWorker != W)
      recordDecision(*T, *V, W, "the worker on whose list it was had not come to it, and this one had nothing to do",
                     {});
    hand(*T, V ? *V : T->Type->Versions[0], W, Out);
    return true;
  }
}

void ListPolicy::hand(Task &T, const Version &V, WorkerId W, Assignment &Out) {
  T.Chosen = &V;
  T.ChosenWorker = W;
  Host->loads()[W].begin(T.Predicted.count(), Host->clock().now().time_since_epoch().count());
  Out = {&T, &V};
}

bool ListPolicy::popMatching(WorkerId W, const std::function<bool(const Task &)> &Wanted, Assignment &Out) {
  for (WorkerId Of = 0; Of < numWorkers(); ++Of) {
    if (Host->loads()[Of].queued() <= 0)
      continue;
    if (Task *T = Each[Of].takeMatching([&](const Task &T) { return versionOn(T, W) && Wanted(T); })) {
      Host->loads()[Of].unqueue(T->Predicted.count());
      const Version *V = T->Chosen && Platform::usable(worker(W), *T->Chosen, *T) ? T->Chosen : versionOn(*T, W);
      if (!V || !settleOn(*T, W)) {
        addRetrying(*T, NoWorker, false);
        continue;
      }
      hand(*T, *V, W, Out);
      return true;
    }
  }
  return false;
}

// Passes on tasks for which W was woken, if others may run them.
void ListPolicy::busy(WorkerId W) {
  if (!Idle.leave(W))
    return;
  for (WorkerId Of = 0; Of < (Lists == StealScope::All ? numWorkers() : 1); ++Of) {
    if (Host->loads()[Of].queued() <= 0)
      continue;
    std::vector<ClassMask> Waiting;
    retryUntilAllocated([&] { Waiting = Each[Of].waiting(); });
    for (ClassMask Able : Waiting) { // One for each kind, because another worker may not be able to run it.
      WorkerBits Among = membersOf(Able ? Able : ~ClassMask(0));
      for (const Worker &Other : Host->platform().Workers)
        if (Other.Id != Of && !maySteal(Other.Id, Of))
          Among[Other.Id / 64] &= ~(uint64_t(1) << (Other.Id % 64));
      wakeOneOf(Among);
    }
  }
}

void ListPolicy::completed(const Task &T, const Version &, WorkerId W, Duration) {
  Host->loads()[W].end(T.Predicted.count(), Host->clock().now().time_since_epoch().count());
}

} // namespace hsched::rt
