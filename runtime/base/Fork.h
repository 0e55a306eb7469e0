// Detects a process forked from one that used the library: it lacks the other threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_FORK_H
#define HSCHED_BASE_FORK_H

#include <atomic>

namespace hsched::rt {

namespace detail {
inline constinit std::atomic<bool> ForkedChild{false};
}

// Any thread. Locks that other threads held at the fork stay locked, so destructors in the child must not use shared
// state.
inline bool inForkedChild() { return detail::ForkedChild.load(std::memory_order_relaxed); }

// Called in the child by a handler of pthread_atfork.
inline void noteForkedChild() { detail::ForkedChild.store(true, std::memory_order_relaxed); }

} // namespace hsched::rt
#endif
