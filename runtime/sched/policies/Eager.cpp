// Policy "eager": the first free worker that can run a task runs it, as the first version usable there. It predicts
// nothing; it is the baseline.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There is one queue for each set of worker classes that can run a task, instead of one list that idle workers search.
// So a worker never inspects a task that it cannot run.
#include "base/NoMemory.h"
#include "sched/Policy.h"
#include "sched/TaskQueue.h"
#include "sched/WorkerClasses.h"

#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

namespace hsched::rt {
namespace {

class Eager final : public Policy {
public:
  void start(PolicyHost &H) override {
    Host = &H;
    const WorkerList &Workers = H.platform().Workers;
    Classes.set({Workers.begin(), Workers.size()});
    Own = std::deque<Queue>(H.mostWorkers());
  }

  // The earliest executor is the first free worker.
  unsigned capabilities() const override { return StealsAlike | RunsCalls | MakesBundles | AcceptsLateDevices; }

  void push(Task &T, WorkerId) override { enqueue(T, false); }

  // A successor on the CPU goes first, because its predecessor's outputs may still be in a cache.
  void pushActivated(Task &T, WorkerId From) override {
    enqueue(T, From < Classes->numWorkers() && worker(From).Kind == DeviceKind::Cpu);
  }

  bool pop(WorkerId W, Assignment &Out) override {
    if (!take(W, Out) && !(Idle.enter(W) && take(W, Out)))
      return false;
    busy(W);
    return true;
  }

  bool popMatching(WorkerId W, const std::function<bool(const Task &)> &Wanted, Assignment &Out) override {
    auto takeOf = [&](Queue &Q) {
      Task *T = Q.Count.load() == 0
                    ? nullptr
                    : Q.Tasks.popMatching([&](const Task &T) { return firstUsable(T, W) && Wanted(T); });
      if (!T)
        return false;
      Q.Count.fetch_sub(1);
      settle(*T, *firstUsable(*T, W), W, Out);
      return true;
    };
    std::lock_guard Guard(Lock);
    bool Found = takeOf(Own[W]);
    for (Queue *Q = Shared.load(std::memory_order_relaxed); Q && !Found; Q = Q->Next)
      Found = serves(W, *Q) && takeOf(*Q);
    return Found;
  }

  void busy(WorkerId W) override {
    if (!Idle.leave(W))
      return;
    for (Queue *Q = Shared.load(std::memory_order_acquire); Q; Q = Q->Next)
      if (serves(W, *Q) && Q->Count.load() != 0)
        wakeOneOf(Q->Able);
  }

  // More workers may be able to run the waiting tasks.
  void moreUsable() override {
    if (const auto All = Host->platform().Workers.appended(); All.size() != Classes->numWorkers())
      Classes.set(All);
    TaskQueue Waiting;
    {
      std::lock_guard Guard(Lock);
      for (Queue *Q = Shared.load(std::memory_order_relaxed); Q; Q = Q->Next)
        while (Task *T = Q->Tasks.popFront()) {
          Q->Count.fetch_sub(1);
          retryUntilAllocated([&] { Waiting.pushBack(*T); });
        }
    }
    while (Task *T = Waiting.popFront())
      enqueueAnyway(*T);
  }

  // Only tasks that no other worker could run: other tasks go to the first free worker.
  const Version *takeEarly(Task &T, WorkerId W) override {
    const Version *V = firstUsable(T, W);
    for (const Worker &Other : Host->platform().Workers)
      if (V && Other.Id != W && firstUsable(T, Other.Id))
        V = nullptr;
    if (!V || !settleOn(T, W))
      return nullptr;
    T.Chosen = V;
    T.ChosenWorker = W;
    T.Predicted = Duration(0);
    return V;
  }

private:
  struct Queue {
    ClassMask Able = 0;           // Classes that may serve it; constant.
    Queue *Next = nullptr;        // Constant once visible.
    std::atomic<size_t> Count{0}; // Written under Lock. Read without it, so that idle workers cause no contention.
    TaskQueue Tasks;              // Guarded by Lock.
  };

  const Worker &worker(WorkerId W) const { return Host->platform().Workers[W]; }

  void enqueue(Task &T, bool First) {
    ClassMask Able = ableClasses(T);
    WorkerId Alone = Able ? NoWorker : ableWorker(T);
    {
      std::lock_guard Guard(Lock);
      Queue &Q = Able ? queueFor(Able) : Own[Alone];
      First ? Q.Tasks.pushFront(T) : Q.Tasks.pushBack(T);
      Q.Count.fetch_add(1);
    }
    if (!Able) {
      Idle.remove(Alone);
      Host->wake(Alone);
      return;
    }
    wakeOneOf(Able);
  }

  // For a task that has left its queue.
  void enqueueAnyway(Task &T) {
    retryUntilAllocated([&] { enqueue(T, false); });
  }

  void wakeOneOf(ClassMask Able) {
    WorkerBits Among{};
    forEachClass(Able, [&](unsigned Class) {
      for (unsigned Word = 0; Word < Classes->numWords(); ++Word)
        Among[Word] |= Classes->bits(Class)[Word];
    });
    if (WorkerId W = Idle.takeOne(Among, Classes->numWords()); W != NoWorker)
      Host->wake(W);
  }

  // Classes all workers of which can run T.
  ClassMask ableClasses(const Task &T) const {
    ClassMask Able = 0, Partial = 0;
    for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I) {
      const Version &V = T.Type->Versions[I];
      ClassMask Suited = Classes->suited(V);
      (T.Placed || Classes->disabledSomewhere(V) ? Partial : Able) |= Suited & ~Classes->mixed();
      Partial |= Suited & Classes->mixed();
    }
    forEachClass(Partial & ~Able, [&](unsigned Class) {
      bool All = true;
      for (WorkerId W : Classes->members(Class))
        All = All && firstUsable(T, W);
      if (All)
        Able |= ClassMask(1) << Class;
    });
    return Able;
  }

  // A worker for T, which no class can run as a whole: an idle one, else the one with the fewest own tasks.
  // Worker 0, which may not wait for work, only if there is no other. If it cannot run T either, the executor
  // fails T.
  WorkerId ableWorker(const Task &T) const {
    WorkerId Best = 0;
    std::pair BestKey(true, SIZE_MAX);
    for (const Worker &W : Host->platform().Workers)
      if (std::pair Key(!Idle.contains(W.Id), Own[W.Id].Count.load()); W.Id != 0 && Key < BestKey)
        if (firstUsable(T, W.Id))
          Best = W.Id, BestKey = Key;
    return Best;
  }

  const Version *firstUsable(const Task &T, WorkerId W) const {
    for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I)
      if (Platform::usable(worker(W), T.Type->Versions[I], T))
        return &T.Type->Versions[I];
    return nullptr;
  }

  // Lock is held.
  Queue &queueFor(ClassMask Able) {
    for (Queue *Q = Shared.load(std::memory_order_relaxed); Q; Q = Q->Next)
      if (Q->Able == Able)
        return *Q;
    Queue &Q = SharedStore.emplace_back();
    Q.Able = Able;
    Q.Next = Shared.load(std::memory_order_relaxed);
    Shared.store(&Q, std::memory_order_release);
    return Q;
  }

  bool serves(WorkerId W, const Queue &Q) const { return Q.Able >> Classes->classOf(W) & 1; }

  static void settle(Task &T, const Version &V, WorkerId W, Assignment &Out) {
    T.Chosen = &V;
    T.ChosenWorker = W;
    T.Predicted = Duration(0);
    Out = {&T, &V};
  }

  // Takes the best task that W may run from its queue.
  bool take(WorkerId W, Assignment &Out) {
    while (Task *T = takeTask(W)) {
      const Version *V = firstUsable(*T, W);
      // Since it was queued, it was fixed elsewhere, or V was disabled here.
      if (V ? !settleOn(*T, W) : anyUsable(*T)) {
        enqueueAnyway(*T);
        continue;
      }
      settle(*T, V ? *V : T->Type->Versions[0], W, Out);
      return true;
    }
    return false;
  }

  bool anyUsable(const Task &T) const { return ableClasses(T) || firstUsable(T, ableWorker(T)); }

  Task *takeTask(WorkerId W) {
    bool Any = Own[W].Count.load() != 0;
    for (Queue *Q = Shared.load(std::memory_order_acquire); Q && !Any; Q = Q->Next)
      Any = serves(W, *Q) && Q->Count.load() != 0;
    if (!Any)
      return nullptr;

    std::lock_guard Guard(Lock);
    Queue *Best = Own[W].Tasks.empty() ? nullptr : &Own[W];
    for (Queue *Q = Shared.load(std::memory_order_relaxed); Q; Q = Q->Next)
      if (serves(W, *Q) && !Q->Tasks.empty() && (!Best || before(*Q->Tasks.front(), *Best->Tasks.front())))
        Best = Q;
    if (!Best)
      return nullptr;
    Best->Count.fetch_sub(1);
    return Best->Tasks.popFront();
  }

  static bool before(const Task &A, const Task &B) {
    return A.Priority != B.Priority ? A.Priority > B.Priority : A.Id < B.Id;
  }

  PolicyHost *Host = nullptr;
  CurrentClasses Classes;
  IdleWorkers Idle;
  std::mutex Lock;                      // Guards SharedStore, shared by all queues.
  std::atomic<Queue *> Shared{nullptr}; // One for each set of able classes: few. Never shrinks.
  std::deque<Queue> SharedStore;        // Guarded by Lock.
  std::deque<Queue> Own;                // By worker: tasks that only some workers of a class can run.
};

HSCHED_POLICY(Eager, "eager", "the first free worker that can run a task, as the first version usable there");

} // namespace
} // namespace hsched::rt
