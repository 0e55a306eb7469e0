// Where bodies nest so deep that a thread's stack might not do, the next one gets a stack of its own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wait runs tasks on the stack of the thread that waits, and so do calls. Bodies nest as deep as the program's own
// recursion, and the runtime's frames between them are larger than those of the serial program's calls. A body that
// would begin in the lower half of its stack begins on a new one instead, as large as the thread's: what bounds the
// depth is memory.
#ifndef HSCHED_EXEC_STACKS_H
#define HSCHED_EXEC_STACKS_H

#include "exec/ThreadState.h"

#include <cxxabi.h>

namespace hsched::rt {

// run(Args) on this stack or, where that is half used up, on another. Throws what it throws.
void runDeep(ThreadState &Me, void (*Run)(void *), void *Args);

// By the handler of an exception that glibc unwinds a thread with, for pthread_exit or pthread_cancel: ends that and
// throws an error instead. The thread is not the body's to end.
[[noreturn]] void refuseToExit();

// That exception has no object: UndefinedBehaviorSanitizer complains of a reference to it.
#ifdef __SANITIZE_ADDRESS__
[[gnu::noinline, gnu::no_sanitize("undefined")]]
#endif
inline void runGuarded(void (*Run)(void *), void *Args) {
#ifdef __GLIBCXX__
  try {
    Run(Args);
  } catch (abi::__forced_unwind &) {
    refuseToExit();
  }
#else
  Run(Args);
#endif
}

// About where the caller's stack is just now.
[[gnu::always_inline]] inline uintptr_t stackPointer() {
#if defined(__x86_64__)
  uintptr_t Here;
  asm("mov %%rsp, %0" : "=r"(Here));
  return Here;
#else
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
#endif
}

inline void runBody(ThreadState &Me, void (*Run)(void *), void *Args) {
  if (stackPointer() < Me.StackLow) [[unlikely]]
    return runDeep(Me, Run, Args);
  runGuarded(Run, Args);
}

} // namespace hsched::rt
#endif
