// What the runtime knows of the calling thread, and a stack of memory of the thread's own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_THREADSTATE_H
#define HSCHED_EXEC_THREADSTATE_H

#include "exec/Calls.h"
#include "exec/OwnQueues.h"

namespace hsched::rt {

struct Seat;
struct ItemChunk;

// What this thread is just now.
struct ThreadState {
  Seat *S = nullptr;             // The worker that it is.
  CallFrame *Call = nullptr;     // The call whose body it runs, inside Current.
  TaskNode *Current = nullptr;   // The task whose body it runs; null outside any.
  hsched_scope *Scope = nullptr; // The last one entered that it has not left.
  unsigned Depth = 0;            // Bodies on its stack.
  // Its queue, and of which table.
  OwnQueue *Own = nullptr;
  uint64_t QueuesSerial = 0;
  // A task that became ready when one ended here, to be run next; only while Keeps.
  TaskNode *Next = nullptr;
  uint32_t Serial = 0; // No other thread's, from its first task outside any task on.
  bool Keeps = false;
  bool Entered = false;    // Its last task outside any was run as a call.
  bool Completing = false; // It runs what a program has to say to a task's end, before that has come.
  // The stack of calls' arguments: where its free part ends. Not beside where that begins: a compiler would read both
  // at once, and a processor waits for the one that has just been written.
  char *End = nullptr;
  uintptr_t StackLow = ~uintptr_t(0); // A body does not begin below: Stacks.h. As it is here: nobody has looked.
  char *Top = nullptr;                // Where the free part begins.
  // Memory of bundles' items: the free part of the thread's chunk, and how many were taken from that.
  ItemChunk *Items = nullptr;
  char *ItemsTop = nullptr, *ItemsEnd = nullptr;
  uint32_t ItemsTaken = 0;
  // Runs of a type that are not measured before the next one that is, and how many there were before the last; by the
  // low bits of its number.
  struct Rest {
    const TaskType *Type = nullptr;
    uint32_t Runs = 0, Before = 0;
  };
  static constexpr size_t NumRests = 16;
  Rest *Unmeasured = NoRests; // NumRests of them; of a thread that has measured none, nobody's, which are blank.
  static constinit Rest NoRests[NumRests];

  bool inTask() const { return Call || Current; }
};
#define HSCHED_OWN_TLS [[gnu::tls_model("initial-exec")]]
HSCHED_OWN_TLS extern constinit thread_local ThreadState CurrentThread;
inline ThreadState &threadState() { return CurrentThread; }
// Gives a thread its own Unmeasured. False: there is no memory for them, or the thread is ending.
bool makeRests(ThreadState &Me);

// Where the calling thread sleeps if it is no worker. Also while its thread-local objects are destroyed.
Parker &ownParker();

// --- the stack: what is taken last goes first

// Bytes, a multiple of 8, aligned to 8; Was is what pop wants. Null when there is no memory.
inline char *pushOnStack(ThreadState &Me, size_t Bytes, StackMark &Was);
// At is what push returned.
inline void popFromStack(ThreadState &Me, void *At, StackMark Was);
// At was taken last. Gives up the memory for good, to be freed with std::free, if there is nothing else near it: else
// returns null, and nothing has changed.
void *detachFromStack(ThreadState &Me, void *At, StackMark Was);

// --- memory of bundles' items, which other threads free

inline constexpr size_t MostItemBytes = 2048;
// Bytes, at most MostItemBytes, aligned to Align; null when there is no memory. Whatever comes of it, there has to be
// one freeItems for it.
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

// A frame for a call, and room for its accesses and arguments.
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
  F->Told = false;
  F->Recorded = false;
  return *F;
}

} // namespace hsched::rt
#endif
