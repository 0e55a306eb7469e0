// Bundles of short tasks: submission, execution.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With several workers, tasks submitted outside any task that run for less time than a hand-over to another
// thread are bundled (graph/Bundle.h). A bundle is passed on when it is long enough, or earlier if a worker is
// idle.
#include "exec/Executor.h"
#include "exec/Runs.h"
#include "graph/Bundle.h"

#include <algorithm>

namespace hsched::rt {
namespace {

struct Begun {
  StackMark Was;
  BundleItem *Item;
};
// Accesses lie on the thread's stack behind it, from beginItem to the submission.
Begun &begunOf(Access *Staged) { return *(reinterpret_cast<Begun *>(Staged) - 1); }

void unstageItem(ThreadState &Me, Access *Staged) { popFromStack(Me, &begunOf(Staged), begunOf(Staged).Was); }

} // namespace

hsched_task *Executor::beginItem(ThreadState &Me, TaskType &Type, unsigned NumAccesses, Access *&Accesses,
                                 void *&Args) {
  uint32_t Nanoseconds = Type.Nanoseconds.load(std::memory_order_relaxed);
  if (Nanoseconds == 0 || Nanoseconds >= Options.BundleBelow || Me.inTask() || Me.Scope ||
      Type.Unbundled.load(std::memory_order_relaxed))
    return nullptr;
  const Version *V = Type.Quick.load(std::memory_order_acquire);
  size_t Align = std::max(Type.Desc->args_align, alignof(BundleItem));
  size_t ArgsAt = roundUp(sizeof(BundleItem) + NumAccesses * sizeof(ItemSection), Align);
  if (!V || ArgsAt + Type.Desc->args_bytes > MostItemBytes || &ownQueue(Me) == &Table->shared())
    return nullptr;
  makeRoom(Me);

  StackMark Was;
  char *Staged = pushOnStack(Me, sizeof(Begun) + NumAccesses * sizeof(Access), Was);
  if (!Staged)
    return nullptr;
  ItemChunk *Chunk;
  char *At = takeItem(Me, roundUp(ArgsAt + Type.Desc->args_bytes, alignof(BundleItem)), Align, Chunk);
  if (!At) {
    popFromStack(Me, Staged, Was);
    return nullptr;
  }
  auto *I = reinterpret_cast<BundleItem *>(At);
  I->Type = &Type;
  I->V = V;
  I->Args = At + ArgsAt;
  I->Memory = Chunk;
  I->NumSections = NumAccesses;
  I->Submitter = Me.Serial ? Me.Serial : serialOfThread(Me);
  auto *B = reinterpret_cast<Begun *>(Staged);
  B->Was = Was;
  B->Item = I;
  Accesses = reinterpret_cast<Access *>(B + 1);
  Args = I->Args;
  return itemHandle(Accesses);
}

void Executor::abandonItem(ThreadState &Me, Access *Staged) noexcept {
  BundleItem &I = *begunOf(Staged).Item;
  unstageItem(Me, Staged);
  freeItems(*static_cast<ItemChunk *>(I.Memory), 1);
}

void Executor::submitItem(ThreadState &Me, Access *Staged, const hsched_submit_options &How) {
  BundleItem &I = *begunOf(Staged).Item;
  std::span<const Access> Accesses(Staged, I.NumSections);
  if ((How.flags & ~unsigned(HSCHED_SUBMIT_COST)) || How.priority || How.label || How.n_reductions || How.where ||
      Me.inTask() || !std::ranges::all_of(Accesses, ItemSection::holds)) [[unlikely]]
    return submitUnbundled(Me, Staged, How);

  ItemSection *S = I.sections();
  for (const Access &A : Accesses)
    *S++ = {beginOf(A), static_cast<uint32_t>(A.bytes), A.mode};
  unstageItem(Me, Staged);
  I.Cost = How.flags & HSCHED_SUBMIT_COST ? How.cost : NoCost;
  if (Numbered) [[unlikely]]
    noteItem(Me, I);
  uint32_t Nanoseconds = I.Type->Nanoseconds.load(std::memory_order_relaxed);
  BundledTask Done;
  if (!RootDomain.add(I, Nanoseconds, I.Submitter, Done)) {
    // All of its future items count as outstanding from here on, so no call can begin before it has run.
    uint32_t Weight = itemsOfABundle(Nanoseconds);
    ownQueue(Me).Submitted.fetch_add(Weight);
    adoptRootCall(Me);
    const TaskId Id = HangMonitor ? NextTask.fetch_add(1, std::memory_order_relaxed) : 0;
    if (HangMonitor)
      HangMonitor->bundle(Id, *I.Type);
    RootDomain.open(I, Nanoseconds, I.Submitter, *Root, Weight, Done, Id);
  }
  if (Done.Closed) [[unlikely]]
    closed(Me, Done.Closed, Me.S ? Me.S->W->Id : NoWorker);
  for (TaskNode *T : Done.Ready)
    if (T)
      ReadyTasks.enqueueBundle(Me, *T);
  if (Done.Opened)
    ReadyTasks.wakeForWork(true);
}

// Submits as a node what was begun as an item. Its arguments stay in place.
[[gnu::noinline]] void Executor::submitUnbundled(ThreadState &Me, Access *Staged, const hsched_submit_options &How) {
  BundleItem &I = *begunOf(Staged).Item;
  I.Type->Unbundled.store(true, std::memory_order_relaxed);
  TaskNode &T = *createTask(I.Type, I.NumSections);
  std::copy_n(Staged, I.NumSections, T.AccessList);
  unstageItem(Me, Staged);
  T.Args = I.Args;
  TaskExtras &X = T.extras();
  X.OwnedArgs = I.Memory;
  X.FreeArgs = [](void *Memory) {
    if (Memory)
      freeItems(*static_cast<ItemChunk *>(Memory), 1);
  };
  submit(Me, T, How);
}

// --- who runs them

void Executor::runBundle(ThreadState &Me, Seat &S, TaskNode &T) {
  const WorkerId W = S.W->Id; // S may be lent by a body that waits, so it is not used afterwards.
  TaskNode *Outer = std::exchange(Me.Current, nullptr);
  CallFrame *OuterCall = Me.Call;
  ++Me.Depth;
  CallFrame F{};
  F.Label = nullptr;
  Me.Call = &F;
  if (HangMonitor) [[unlikely]]
    HangMonitor->bodyBegins(T, W, ownBodies(Me));
  ItemChunk *Chunk = nullptr;
  uint32_t Count = 0; // Number of finished items of Chunk.
  for (BundleItem *I = itemsOf(T); I;) {
    BundleItem *Next = I->Next;
    F.Type = I->Type;
    F.V = I->V;
    F.Args = I->Args;
    F.Cost = I->Cost;
    F.Id = I->Id;
    runItem(Me, F, T, *I);
    if (I->Memory != Chunk) {
      if (Chunk)
        freeItems(*Chunk, Count);
      Chunk = static_cast<ItemChunk *>(I->Memory);
      Count = 0;
    }
    ++Count;
    I = Next;
  }
  freeItems(*Chunk, Count);
  if (HangMonitor) [[unlikely]]
    HangMonitor->endOfLast();
  --Me.Depth;
  Me.Current = Outer;
  Me.Call = OuterCall;
  Me.MayKeepNext = true;
  bodyEnded(Me, T, W);
  Me.MayKeepNext = false;
}

inline void Executor::runItem(ThreadState &Me, CallFrame &F, TaskNode &T, BundleItem &I) {
  bool Failed = T.hasAny(Signal::HasFailedItems, Signal::Poisoned) && mustNotRun(T, I);
  const bool Cancelled = Failed;
  if (!Failed) [[likely]]
    try {
      runUnchosen(Me, RunOfItem{I});
    } catch (...) {
      failCall(Me, F);
    }
  if (F.Node) [[unlikely]] { // The continuation may use the arguments.
    if (hasMore(*F.Node))
      awaitChildren(Me, *F.Node);
    awaitDetached(Me, *F.Node);
  }
  if (I.Type->Desc->destroy)
    try {
      I.Type->Desc->destroy(I.Args);
    } catch (...) {
      failCall(Me, F);
    }
  if (F.Node) [[unlikely]] {
    TaskNode &N = *std::exchange(F.Node, nullptr);
    Failed = Failed || N.has(Signal::HasFailure);
    N.Submitter = I.Submitter;
    if (std::exchange(F.Watched, false))
      HangMonitor->endOfLast();
    bodyEnded(Me, N, 0);
  }
  if (Failed) [[unlikely]] {
    noteFailed(T, I);
    if (Log && Cancelled)
      logRun(Me, I.Id, {nullptr, Log->now(), Log->now(), Me.S->W->Id, Outcome::Cancelled});
    else if (Watch && Cancelled)
      notifyRun(Me, *I.Type, *I.V, 0, {}, Outcome::Cancelled);
  }
}

} // namespace hsched::rt
