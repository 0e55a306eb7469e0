// The hub's fast paths: threads' queues, stealing, and wake-ups.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Hub.h"

#include <algorithm>

namespace hsched::rt {
namespace {

// Time that a worker without work leaves others the last tasks of their lists.
constexpr Duration LeavesFor = std::chrono::microseconds(20);
constexpr int64_t MostStolen = 16; // Limit of tasks stolen beside the first.

// Prefetches a task that another core has in its cache.
void prefetch(const TaskNode &T) {
  for (size_t Line = 0; Line < sizeof(T); Line += 64)
    __builtin_prefetch(reinterpret_cast<const char *>(&T) + Line);
}

} // namespace

OwnQueue &Hub::takeOwnQueue(ThreadState &Me) {
  Me.Own = &queueOfThread(Me, Shared);
  Me.QueuesSerial = Table.Serial;
  if (Me.Own != &Table.shared()) {
    Me.Own->Worker.store(Me.S ? Me.S->W->Id : 0, std::memory_order_relaxed);
    Table.changed();
  }
  return *Me.Own;
}

// --- in

bool Hub::keep(ThreadState &Me, TaskNode &T, bool Activated) {
  if (!Paths.Stealing)
    return false;
  if (!T.isBundle()) {
    const Version *V = T.Type->OnlyOnCpu.load(std::memory_order_acquire);
    if (!V || T.Priority != 0 || T.Placed || T.excludes())
      return false;
    T.Chosen = V;
  }
  WorkerId Home = NoWorker;
  const WorkerId Own = Me.S ? Me.S->W->Id : 0;
  if (HasHomes && T.Data.any())
    Home = Homed.of(T.Data);
  if (Activated && Me.MayKeepNext && !Me.Next && (Home == NoWorker || Home == Own)) {
    Me.Next = &T;
    return true;
  }
  if (Home != NoWorker)
    return sendHome(Home, T), true;
  if (T.isBundle())
    return enqueueBundle(Me, T), true;
  return enqueue(Me, T);
}

bool Hub::enqueue(ThreadState &Me, TaskNode &T, bool Lone) {
  OwnQueue &L = ownQueue(Me);
  if (&L == &Table.shared())
    return false;
  try {
    L.Ready.push(&T);
  } catch (const std::bad_alloc &) {
    Spilled.push(T);
  }
  wakeForWork(Lone);
  return true;
}

void Hub::sendHome(WorkerId W, TaskNode &T) {
  Homed.push(W, T); // T may be gone.
  if (QueueIdle.remove(W))
    Host.wakeWorker(W);
  else
    wakeForWork();
}

void Hub::enqueueBundle(ThreadState &Me, TaskNode &T, bool Lone) {
  if (HangMonitor) [[unlikely]]
    HangMonitor->ready(T);
  if (enqueue(Me, T, Lone))
    return;
  Spilled.push(T); // A thread without a queue of its own.
  wakeForWork();
}

void Hub::putBack(ThreadState &Me, TaskNode &T) {
  if (T.isBundle())
    enqueueBundle(Me, T);
  else if (!enqueue(Me, T))
    pushAsItIs(T);
}

void Hub::requeueNext(ThreadState &Me) {
  if (TaskNode *T = std::exchange(Me.Next, nullptr))
    putBack(Me, *T);
  offerReadyTasks(); // A completion here may have made an open bundle ready.
}

// --- who is woken

bool Hub::anyWork() const {
  return std::ranges::any_of(Table.used(), [](const OwnQueue &L) { return L.Ready.size() != 0; }) || Spilled.any() ||
         Homed.any() || InPolicy.load() > 0 || (Paths.Bundles && Roots.anyOpenBundle());
}

void Hub::wakeForWork(bool Lone) {
  if (OneCpu)
    Host.attendSeat0();
  if (Lone && Poller.load()) { // Sequentially consistent, as below.
    WakeUpSkipped.store(true, std::memory_order_relaxed);
    return;
  }
  if (Searchers.load() != 0) // Sequentially consistent, as what made the work visible.
    return;
  if (QueueIdle.any(words()))
    if (WorkerId W = QueueIdle.takeOne(AllWorkers, words()); W != NoWorker)
      Host.wakeWorker(W);
}

// See test/model/idle.pml and bundles.pml. For tasks that came while this worker searched no thread was woken, and it
// takes one of them.
void Hub::cancelIdle(Seat &S) {
  if (std::exchange(S.MarkedInPolicy, false))
    Scheduler.busy(S.W->Id);
  if (std::exchange(S.MarkedIdle, false) && (!QueueIdle.remove(S.W->Id) || (Paths.Stealing && anyWork())))
    wakeForWork();
}

// --- out

uint32_t Hub::distance(WorkerId From, WorkerId To) const {
  auto coreOf = [this](WorkerId W) { return W < Options.CoreOf.size() ? Options.CoreOf[W] : -1; };
  const int A = coreOf(From), B = coreOf(To);
  return Options.Distance && A >= 0 && B >= 0 ? Options.Distance(static_cast<unsigned>(A), static_cast<unsigned>(B))
                                              : UINT32_MAX;
}

// A queue has been given to a thread since the order was made.
[[gnu::noinline]] void Hub::orderVictims(Seat &S) try {
  uint64_t Known = Table.changes();
  std::span<OwnQueue> All = Table.used();
  std::vector<uint32_t> Distances;
  for (const OwnQueue &L : All)
    Distances.push_back(distance(S.W->Id, L.Worker.load(std::memory_order_relaxed)));
  S.Victims.set(Distances, Known);
} catch (const std::bad_alloc &) { // The order stays; the next search tries again.
}

// Steals one task from the nearest non-empty queue, and a few more for this thread's queue if there are many.
TaskNode *Hub::steal(ThreadState &Me, Seat &S) {
  OwnQueue &Own = ownQueue(Me);
  if (S.Victims.known() != Table.changes()) [[unlikely]]
    orderVictims(S);
  std::span<OwnQueue> All = Table.used();
  TaskNode *First = nullptr;
  for (bool Lost = true; Lost && !First;) {
    Lost = false;
    (void)S.Victims.find([&](unsigned At) {
      OwnQueue &L = All[At];
      if (&L == &Own)
        return false;
      int64_t Left = L.Ready.size();
      if (Left == 0)
        return false;
      First = L.Ready.steal();
      if (!First) { // Another thief won: there may be more.
        Lost = true;
        return false;
      }
      prefetch(*First);
      stealBatch(L, Own, Left / 2);
      return true;
    });
  }
  return First;
}

// Returns T, W's next task, or an older one of W's list, in which T waits then. A task that reads nothing begins new
// work. If such tasks came first, they would fill all buffers, and wait for the older tasks that free them.
TaskNode *Hub::olderAtHome(WorkerId W, TaskNode &T) {
  if (!T.Data.any() || T.Data.reads())
    return &T;
  TaskNode *Older = Homed.takeOlder(W, T);
  if (!Older)
    return &T;
  Homed.push(W, T);
  wakeForWork(); // A thief may take T from here on.
  return Older;
}

// Begins with the next worker, so thieves spread over the lists.
TaskNode *Hub::stealHomed(Seat &S, uint32_t Least) {
  for (unsigned I = 1, N = Homed.workers(); I < N; ++I)
    if (TaskNode *T = Homed.steal((S.W->Id + I) % N, Least))
      return T;
  return nullptr;
}

// The owner of a list usually takes its last task sooner than the data would arrive.
bool Hub::leavesTasksAtHome(TimePoint &Until) const {
  if (!HasHomes || !Homed.any())
    return false;
  const TimePoint Now = Time.now();
  if (Until == TimePoint{})
    Until = Now + LeavesFor;
  return Now < Until;
}

void Hub::stealBatch(OwnQueue &From, OwnQueue &Own, int64_t Most) {
  if (&Own == &Table.shared())
    return;
  bool Any = false;
  for (int64_t More = std::min<int64_t>(Most, MostStolen); More > 0; --More) {
    TaskNode *T = From.Ready.steal();
    if (!T)
      break;
    prefetch(*T);
    try {
      Own.Ready.push(T);
    } catch (const std::bad_alloc &) {
      Spilled.push(*T);
    }
    Any = true;
  }
  if (Any) // A thread that searched meanwhile saw them in neither queue.
    wakeForWork();
}

} // namespace hsched::rt
