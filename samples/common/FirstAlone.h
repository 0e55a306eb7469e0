// The first call of a library that fills its tables without a lock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_COMMON_FIRSTALONE_H
#define HSCHED_SAMPLES_COMMON_FIRSTALONE_H

#include <atomic>
#include <mutex>

namespace samples {

// A library's first call in a process. Not std::once_flag, which hangs under ThreadSanitizer if a call throws.
template <class Library> struct FirstCall {
  static inline std::mutex lock;
  static inline std::atomic<bool> over = false;
};

// Calls `call` and returns its result. The first call of the process runs alone: calls of other threads wait for its
// end. If it throws, the next one is the first. Each type Library has a first call of its own.
//
// CLBlast 1.5.3 fills its table of parameters in its first call. Two devices' threads that both find it empty copy over
// each other: a crash, or std::length_error.
template <class Library, class Call> auto firstAlone(const Call &call) {
  using First = FirstCall<Library>;
  if (!First::over) {
    const std::lock_guard guard(First::lock);
    if (!First::over) {
      auto result = call();
      First::over = true;
      return result;
    }
  }
  return call();
}

} // namespace samples

#endif
