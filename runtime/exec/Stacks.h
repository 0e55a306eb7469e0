// Stacks for deeply nested bodies, whose thread's stack might overflow.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits and calls run tasks on the stack of their thread. Bodies nest as deep as the
// program's recursion, with larger frames than in the serial program. A body that would begin
// in the lower half of its stack begins on a new stack of the same size. So memory bounds the
// depth.
#ifndef HSCHED_EXEC_STACKS_H
#define HSCHED_EXEC_STACKS_H

#include "base/Sanitizers.h"
#include "exec/ThreadState.h"

#include <cxxabi.h>

namespace hsched::rt {

// Calls Run(Args) on this stack or, if that is half full, on another. Throws what it throws.
void runDeep(ThreadState &Me, void (*Run)(void *), void *Args);

// For a handler of glibc's forced unwinding (pthread_exit, pthread_cancel): stops it and throws an error. A body must
// not end its thread.
[[noreturn]] void rejectThreadExit();

// That exception has no object: UndefinedBehaviorSanitizer reports a reference to it. GCC and Clang have no common name
// in brackets for the attribute.
#if HSCHED_ASAN
__attribute__((noinline, no_sanitize("undefined")))
#endif
inline void
runGuarded(void (*Run)(void *), void *Args) {
#ifdef __GLIBCXX__
  try {
    Run(Args);
  } catch (abi::__forced_unwind &) {
    rejectThreadExit();
  }
#else
  Run(Args);
#endif
}

// Approximate stack pointer of the caller.
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
