// The runtime's state of the calling thread, with a stack for arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_THREADSTATE_H
#define HSCHED_EXEC_THREADSTATE_H

#include "exec/Calls.h"
#include "exec/OwnQueues.h"

namespace hsched::rt {

struct Seat;
struct ItemChunk;

// The present state of a thread.
struct ThreadState {
  Seat *S = nullptr;             // The seat that it has.
  CallFrame *Call = nullptr;     // The call whose body it runs, inside Current.
  TaskNode *Current = nullptr;   // The task whose body it runs; null outside any.
  hsched_scope *Scope = nullptr; // The innermost open scope.
  unsigned Depth = 0;            // Number of bodies on its stack.
  // Its queue, and the table that the queue belongs to.
  OwnQueue *Own = nullptr;
  uint64_t QueuesSerial = 0;
  // A task that became ready when one ended here, to be run next; only while MayKeepNext.
  TaskNode *Next = nullptr;
  uint32_t Serial = 0; // Unique number, from its first task outside any task on.
  bool MayKeepNext = false;
  bool Entered = false;    // Its last task outside any was run as a call.
  bool Completing = false; // It runs a completion callback of the program.
  // End of the free part of the argument stack. Not beside Top: a compiler would load both at once, which stalls on the
  // one just stored.
  char *End = nullptr;
  // A body does not begin below this address: see Stacks.h. The initial value: not determined yet.
  uintptr_t StackLow = ~uintptr_t(0);
  char *Top = nullptr; // Begin of the free part.
  // Memory of bundle items: the free part of the thread's chunk, and the number of items taken from it.
  ItemChunk *Items = nullptr;
  char *ItemsTop = nullptr, *ItemsEnd = nullptr;
  uint32_t ItemsTaken = 0;
  // Runs of a type left before the next measured one, and the length of the present interval. Indexed by the low bits
  // of the type's number.
  struct Rest {
    const TaskType *Type = nullptr;
    uint32_t Runs = 0, Before = 0;
  };
  static constexpr size_t NumRests = 16;
  Rest *Unmeasured = NoRests; // NumRests entries. A thread without measurements points to a shared blank table.
  static constinit Rest NoRests[NumRests];
  int64_t LoopBegan = 0; // The last loop that it queried.

  bool inTask() const { return Call || Current; }
};
#define HSCHED_OWN_TLS [[gnu::tls_model("initial-exec")]]
HSCHED_OWN_TLS extern constinit thread_local ThreadState CurrentThread;
inline ThreadState &threadState() { return CurrentThread; }
// Gives a thread its own Unmeasured. False: memory is exhausted, or the thread is ending.
bool makeRests(ThreadState &Me);

// The parker of a calling thread that is no worker. Usable while its thread-local objects are destroyed.
Parker &ownParker();

// --- the stack: what is taken last goes first

// Bytes: a multiple of 8; the result is aligned to 8. Was: the argument of the matching pop. Null if memory is
// exhausted.
inline char *pushOnStack(ThreadState &Me, size_t Bytes, StackMark &Was);
// At is what push returned.
inline void popFromStack(ThreadState &Me, void *At, StackMark Was);
// At is the last block taken. Detaches the memory, to be freed with std::free, if nothing else is in its chunk.
// Otherwise returns null without effect.
void *detachFromStack(ThreadState &Me, void *At, StackMark Was);

// --- memory of bundles' items, which other threads free

inline constexpr size_t MostItemBytes = 2048;
// Takes Bytes, at most MostItemBytes, aligned to Align. Null if memory is exhausted. Each taken item needs one
// freeItems.
char *takeItem(ThreadState &Me, size_t Bytes, size_t Align, ItemChunk *&Chunk);
// Any thread.
void freeItems(ItemChunk &Chunk, uint32_t Count);

char *growStack(ThreadState &Me, size_t Bytes);
void shrinkStack(ThreadState &Me, void *At, StackMark Was);

char *pushOnStack(ThreadState &Me, size_t Bytes, StackMark &Was) {
  Was = {Me.Top, Me.End};
  char *At = Me.Top;
  if (static_cast<size_t>(Me.End - At) < Bytes) [[unlikely]] {
    At = growStack(Me, Bytes);
    if (!At)
      return nullptr;
  }
  Me.Top = At + Bytes;
  return At;
}

void popFromStack(ThreadState &Me, void *At, StackMark Was) {
  if (Was.End == Me.End)
    Me.Top = Was.Top;
  else if (!Was.End) // The first chunk stays.
    Me.Top = static_cast<char *>(At);
  else
    shrinkStack(Me, At, Was);
}

// --- calls

// Layout of a call's frame with its accesses and arguments.
struct FrameShape {
  size_t Align, ArgsAt, Bytes;
  FrameShape(const TaskType &Type, unsigned NumAccesses)
      : Align(std::max(Type.Desc->args_align, alignof(CallFrame))),
        ArgsAt(sizeof(CallFrame) + NumAccesses * sizeof(Access)),
        Bytes(roundUp(ArgsAt + Type.Desc->args_bytes + (Align - alignof(CallFrame)), alignof(CallFrame))) {}
};

// At: what pushOnStack returned for S.
inline CallFrame &frameAt(char *At, const FrameShape &S, StackMark Was, TaskType &Type, const Version &V,
                          unsigned NumAccesses) {
  auto *F = reinterpret_cast<CallFrame *>(At);
  F->Type = &Type;
  F->V = &V;
  F->AccessList = reinterpret_cast<Access *>(At + sizeof(CallFrame));
  F->Args = reinterpret_cast<void *>(roundUp(reinterpret_cast<uintptr_t>(At) + S.ArgsAt, S.Align));
  F->Node = nullptr;
  F->Was = Was;
  F->NumAccesses = NumAccesses;
  F->Watched = false;
  F->Recorded = false;
  return *F;
}

} // namespace hsched::rt
#endif
