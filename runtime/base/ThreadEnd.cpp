// Something to do when the main thread ends.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/ThreadEnd.h"

#include <cxxabi.h>
#include <unistd.h>

namespace hsched::rt {
namespace {

// The library's own: it stays loaded until the functions have run.
extern "C" void *__dso_handle;

} // namespace

void callAtMainThreadsEnd(void (*Function)()) {
  if (gettid() != getpid())
    return;
  (void)abi::__cxa_thread_atexit([](void *F) { reinterpret_cast<void (*)()>(F)(); }, reinterpret_cast<void *>(Function),
                                 &__dso_handle);
}

} // namespace hsched::rt
