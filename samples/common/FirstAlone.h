// A call of CLBlast that may be the process's first one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CLBlast fills a static table in its first call, without a lock. hsched calls it from one thread for each device. So
// the other threads wait until one call has returned.
#ifndef HSCHED_SAMPLES_COMMON_FIRSTALONE_H
#define HSCHED_SAMPLES_COMMON_FIRSTALONE_H

#include <atomic>
#include <mutex>

namespace samples {

inline std::mutex firstLock;
inline std::atomic<bool> firstReturned{false};

template <class Call> auto firstAlone(Call call) {
  std::unique_lock guard(firstLock, std::defer_lock);
  if (!firstReturned.load())
    guard.lock();
  const auto result = call();
  firstReturned.store(true);
  return result;
}

} // namespace samples
#endif
