// Tasks: their blocks, reference counts, completion.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/TaskGraph.h"
#include "graph/Links.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <tuple>
#include <utility>

namespace hsched::rt {

SuccessorLink ClosedStack{nullptr, nullptr};

bool TaskNode::complete() const { return Successors.load(std::memory_order_acquire) == &ClosedStack; }

namespace {

constexpr size_t roundUp(size_t N, size_t To) { return (N + To - 1) / To * To; }

} // namespace

TaskNode *createTask(TaskType *Type, unsigned NumAccesses) {
  // Two links an access: its last writer or a couple of readers. More come from the heap.
  unsigned NumLinks = NumAccesses * 2;
  size_t LinksAt = roundUp(sizeof(TaskNode), alignof(SuccessorLink));
  size_t AccessesAt = LinksAt + NumLinks * sizeof(SuccessorLink);
  size_t End = AccessesAt + NumAccesses * sizeof(Access);
  size_t Align = Type && Type->Desc ? std::max<size_t>(Type->Desc->args_align, 1) : 1;
  size_t ArgsBytes = Type && Type->Desc ? Type->Desc->args_bytes : 0;
  // The block is aligned to BlockAlign; a stricter alignment is reached by leaving room.
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

void retain(TaskNode &T) { T.References.fetch_add(1, std::memory_order_relaxed); }

void release(TaskNode &T) {
  TaskNode *Next = &T;
  while (Next && Next->References.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    TaskNode *Parent = Next->Parent;
    destroyArgs(*Next);
    if (Next->OwnsLabel)
      delete[] Next->Label;
    size_t Bytes = Next->BlockBytes;
    Next->~TaskNode();
    freeBlock(Next, Bytes);
    Next = Parent;
  }
}

void destroyArgs(TaskNode &T) {
  // Once only, also when a destructor throws.
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

uint64_t dataBytes(std::span<const Access> Sections) {
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

void addReduction(TaskNode &T, unsigned Access, void *Slot, const hsched_reduction_op &Op) {
  if (!T.Groups)
    T.Groups = std::make_unique<GroupState>();
  T.Groups->Parts.push_back({Access, Slot, &Op, nullptr, nullptr});
}

// T's copies are free for other members; what T was the last member of is ready.
static TaskNode *leaveGroups(TaskNode &T, bool Failed) {
  TaskNode *First = nullptr;
  for (ReductionPart &P : T.Groups->Parts) {
    TaskNode *C = std::exchange(P.Combination, nullptr);
    if (!C)
      continue;
    if (P.Copy)
      C->Groups->Combines->give(*std::exchange(P.Copy, nullptr));
    if (Failed)
      C->Poisoned.store(true, std::memory_order_relaxed);
    if (C->Pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      C->NextReady = First;
      First = C;
    }
    release(*C); // its own completion has another reference
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
    InOrder = InOrder->Next; // the link is part of To, which may be gone after the countdown
    if (Failed)
      To->Poisoned.store(true, std::memory_order_relaxed);
    if (To->Pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      To->NextReady = nullptr;
      *Tail = To;
      Tail = &To->NextReady;
    }
  }
  if (T.Groups && !T.Groups->Parts.empty())
    *Tail = leaveGroups(T, Failed);
  if (T.IsCombination)
    T.Groups->Combines->All.clear(); // T itself may be remembered for longer
  return First;
}

} // namespace hsched::rt
