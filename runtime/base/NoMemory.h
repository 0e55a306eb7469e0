// What is begun has to be ended, also where an allocation fails.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_NOMEMORY_H
#define HSCHED_BASE_NOMEMORY_H

#include <hsched/status.h>

#include <new>
#include <thread>

namespace hsched::rt {

// errc::out_of_memory, of the host. Made when the library is loaded: to copy it allocates nothing.
const status &noHostMemory();

// Tries Do again until no allocation in it fails. Do must have changed nothing where it throws std::bad_alloc. For the
// few steps that cannot be left out: without them another thread would wait for ever.
template <class Fn> void untilThereIsMemory(Fn Do) {
  for (;;)
    try {
      return Do();
    } catch (const std::bad_alloc &) {
      std::this_thread::yield();
    }
}

// The result of Make, a status, or the one above where there is no memory for it.
template <class Fn> status statusOf(Fn Make) {
  try {
    return Make();
  } catch (const std::bad_alloc &) {
    return noHostMemory();
  }
}

} // namespace hsched::rt
#endif
