// Whether this process was forked from one that had used the library, whose other threads it does not have.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_FORK_H
#define HSCHED_BASE_FORK_H

#include <atomic>

namespace hsched::rt {

namespace detail {
inline constinit std::atomic<bool> ForkedChild{false};
}

// Any thread. What other threads held at that moment, locks above all, stays held for ever: whatever ends here leaves
// shared things alone.
inline bool inForkedChild() { return detail::ForkedChild.load(std::memory_order_relaxed); }

// By a handler of pthread_atfork, in the child.
inline void noteForkedChild() { detail::ForkedChild.store(true, std::memory_order_relaxed); }

} // namespace hsched::rt
#endif
