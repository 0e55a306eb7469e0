// The first call of a library that fills its tables without a lock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_COMMON_FIRSTALONE_H
#define HSCHED_SAMPLES_COMMON_FIRSTALONE_H

#include <mutex>
#include <optional>

namespace samples {

// Whether a library's first call has been, in a process.
template <class Library> inline std::once_flag firstCall;

// Calls `call` and returns its result. The first call of the process runs alone: calls of other threads wait for its
// end. If it throws, the next one is the first. Each type Library has a first call of its own.
//
// CLBlast 1.5.3 fills its table of parameters in its first call. Two devices' threads that both find it empty copy over
// each other: a crash, or std::length_error.
template <class Library, class Call> auto firstAlone(const Call &call) {
  std::optional<decltype(call())> first;
  std::call_once(firstCall<Library>, [&] { first = call(); });
  return first ? *first : call();
}

} // namespace samples

#endif
