// Tasks: their blocks, reference counts, completion.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/TaskGraph.h"
#include "graph/Bundle.h"
#include "graph/Placement.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <tuple>
#include <utility>

namespace hsched::rt {

SuccessorLink ClosedStack{nullptr, nullptr};

NamedTask::NamedTask() = default;
NamedTask::~NamedTask() = default;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
static_assert(offsetof(TaskNode, References) / 64 == offsetof(TaskNode, Kind) / 64);
#pragma GCC diagnostic pop

static TaskNode *create(TaskType *Type, unsigned NumAccesses, unsigned NumLinks) {
  size_t LinksAt = roundUp(sizeof(TaskNode), alignof(SuccessorLink));
  size_t AccessesAt = LinksAt + NumLinks * sizeof(SuccessorLink);
  size_t End = AccessesAt + NumAccesses * sizeof(Access);
  size_t Align = Type && Type->Desc ? std::max<size_t>(Type->Desc->args_align, 1) : 1;
  size_t ArgsBytes = Type && Type->Desc ? Type->Desc->args_bytes : 0;
  // The block is aligned to BlockAlign; padding gives a stricter alignment.
  size_t ArgsAt = roundUp(End, std::min(Align, BlockAlign));
  size_t Bytes = ArgsAt + ArgsBytes + (Align > BlockAlign ? Align : 0);
  if (Bytes > UINT32_MAX)
    throw std::bad_alloc();

  auto *Memory = static_cast<char *>(allocateBlock(Bytes));
  auto *T = new (Memory) TaskNode;
  T->Type = Type;
  T->BlockBytes = static_cast<uint32_t>(Bytes);
  T->Links = reinterpret_cast<SuccessorLink *>(Memory + LinksAt);
  T->NumLinks = NumLinks;
  T->AccessList = reinterpret_cast<Access *>(Memory + AccessesAt);
  T->NumAccesses = NumAccesses;
  T->Args = reinterpret_cast<void *>(roundUp(reinterpret_cast<uintptr_t>(Memory + ArgsAt), Align));
  return T;
}

TaskNode *createTask(TaskType *Type, unsigned NumAccesses) { return create(Type, NumAccesses, NumAccesses); }

TaskNode *createStagedTask(TaskType *Type, unsigned NumAccesses, Access *Staged) {
  TaskNode *T = create(Type, 0, NumAccesses);
  T->AccessList = Staged;
  T->NumAccesses = NumAccesses;
  T->At = Stage::Staged;
  return T;
}

void destroyTask(TaskNode &T) {
  destroyArgs(T);
  if (T.has(Signal::HasFailedItems)) [[unlikely]]
    forgetFailedItems(T);
  if (T.OwnsLabel)
    delete[] T.Label;
  if (T.Extras)
    T.Extras->FreeArgs(T.Extras->OwnedArgs);
  for (MoreLinks *L = T.OtherLinks; L;)
    freeBlock(std::exchange(L, L->Next), sizeof(MoreLinks));
  size_t Bytes = T.BlockBytes;
  T.~TaskNode();
  freeBlock(&T, Bytes);
}

void destroyArgs(TaskNode &T) {
  // Only once, also if a destructor throws.
  if (std::exchange(T.ArgsLive, false) && T.Type->Desc->destroy)
    T.Type->Desc->destroy(T.Args);
}

void setLabel(TaskNode &T, const char *Text) {
  if (!Text) {
    T.Label = T.Type ? T.Type->name() : "";
    return;
  }
  size_t Bytes = std::strlen(Text) + 1;
  auto *Copy = new char[Bytes];
  std::memcpy(Copy, Text, Bytes);
  T.Label = Copy;
  T.OwnsLabel = true;
}

uint64_t dataBytesOfMany(std::span<const Access> Sections) {
  auto Key = [](const Access &A) { return std::tuple(A.base, A.bytes, A.rows, A.rows <= 1 ? 0 : A.stride); };
  auto Size = [](const Access &A) { return static_cast<uint64_t>(A.bytes) * A.rows; };
  uint64_t Sum = 0;
  constexpr size_t Few = 16;
  if (Sections.size() <= Few) {
    for (size_t I = 0; I < Sections.size(); ++I)
      if (std::none_of(Sections.begin(), Sections.begin() + static_cast<ptrdiff_t>(I),
                       [&](const Access &Earlier) { return Key(Earlier) == Key(Sections[I]); }))
        Sum += Size(Sections[I]);
    return Sum;
  }
  std::vector<Access> Sorted(Sections.begin(), Sections.end());
  std::ranges::sort(Sorted, {}, Key);
  for (size_t I = 0; I < Sorted.size(); ++I)
    if (I == 0 || Key(Sorted[I]) != Key(Sorted[I - 1]))
      Sum += Size(Sorted[I]);
  return Sum;
}

static SuccessorLink *newLink(TaskNode &T) {
  if (T.NumLinks == 0) {
    auto *More = static_cast<MoreLinks *>(allocateBlock(sizeof(MoreLinks)));
    More->Next = std::exchange(T.OtherLinks, More);
    T.Links = More->Links;
    T.NumLinks = MoreLinks::Each;
  }
  --T.NumLinks;
  return new (T.Links++) SuccessorLink{&T, nullptr};
}

void linkBehind(TaskNode &T, TaskNode &From) {
  SuccessorLink *Link = nullptr;
  for (SuccessorLink *Head = From.Successors.load(std::memory_order_acquire); Head != &ClosedStack;) {
    if (!Link)
      Link = newLink(T);
    Link->Next = Head;
    if (From.Successors.compare_exchange_weak(Head, Link, std::memory_order_acq_rel, std::memory_order_acquire)) {
      ++T.Extras->Named->Linked;
      return;
    }
  }
  if (From.Failed)
    T.set(Signal::Poisoned);
}

void addReduction(TaskNode &T, unsigned Access, void *Slot, const hsched_reduction_op &Op) {
  if (!T.Groups)
    T.Groups = std::make_unique<GroupState>();
  T.Groups->Parts.push_back({Access, Slot, &Op, nullptr, nullptr});
}

// Releases T's copies for other members. Returns combinations of which T was the last member.
static TaskNode *leaveGroups(TaskNode &T, bool Failed) {
  TaskNode *First = nullptr;
  for (ReductionPart &P : T.Groups->Parts) {
    TaskNode *C = std::exchange(P.Combination, nullptr);
    if (!C)
      continue;
    if (P.Copy)
      C->Groups->Combines->give(*std::exchange(P.Copy, nullptr));
    if (Failed)
      C->set(Signal::Poisoned);
    if (C->Pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      C->NextReady = First;
      First = C;
    }
    release(*C); // Its completion has another reference.
  }
  return First;
}

TaskNode *complete(TaskNode &T, bool Failed) {
  T.Failed = Failed;
  SuccessorLink *Link = T.Successors.exchange(&ClosedStack, std::memory_order_acq_rel);

  SuccessorLink *InOrder = nullptr;
  while (Link)
    InOrder = std::exchange(Link, std::exchange(Link->Next, InOrder));

  TaskNode *First = nullptr, **Tail = &First;
  while (InOrder) {
    TaskNode *To = InOrder->To;
    InOrder = InOrder->Next; // The link is part of To, which may be freed after the countdown.
    if (Failed) [[unlikely]] {
      if (T.isBundle())
        poisonBy(T, *To);
      else
        To->set(Signal::Poisoned);
    }
    if (To->Pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      if (To->has(Signal::HasFailedItems)) [[unlikely]]
        resolveFailedItems(*To);
      __builtin_prefetch(To); // It will run soon, perhaps on this thread.
      To->NextReady = nullptr;
      *Tail = To;
      Tail = &To->NextReady;
    }
  }
  if (T.Groups && !T.Groups->Parts.empty())
    *Tail = leaveGroups(T, Failed);
  if (T.isCombination())
    T.Groups->Combines->All.clear(); // T itself may be kept for longer.
  return First;
}

} // namespace hsched::rt
