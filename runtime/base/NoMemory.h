// Helpers for steps that must be completed although an allocation fails.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_NOMEMORY_H
#define HSCHED_BASE_NOMEMORY_H

#include <hsched/status.h>

#include <new>
#include <thread>

namespace hsched::rt {

// errc::out_of_memory of the host. Made when the library is loaded; a copy allocates nothing.
const status &noHostMemory();

// Retries Do until no allocation in it fails. Do must have no effect if it throws std::bad_alloc. For the few steps
// without which another thread would wait forever.
template <class Fn> void retryUntilAllocated(Fn Do) {
  for (;;)
    try {
      return Do();
    } catch (const std::bad_alloc &) {
      std::this_thread::yield();
    }
}

// For a step that the rest gets along without: it is left out if memory is exhausted. Do may be broken off half way.
template <class Fn> void whileThereIsMemory(Fn Do) {
  try {
    Do();
  } catch (const std::bad_alloc &) {
  }
}

// The status that Make returns, or noHostMemory() if memory is exhausted.
template <class Fn> status statusOf(Fn Make) {
  try {
    return Make();
  } catch (const std::bad_alloc &) {
    return noHostMemory();
  }
}

} // namespace hsched::rt
#endif
