// Tests in a process of their own, and tests that fork.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_API_PROCESSES_H
#define HSCHED_TEST_UNIT_API_PROCESSES_H

#include "base/Sanitizers.h"

#include <gtest/gtest.h>

#if HSCHED_TSAN
#define HSCHED_SKIP_FORK GTEST_SKIP() << "ThreadSanitizer does not follow a fork of a program with threads"
#else
#define HSCHED_SKIP_FORK (void)0
#endif

namespace hsched::test {

// Death tests that are started anew rather than forked: there is one runtime in a process, and this one may have it.
template <class Test> struct InFreshProcess : Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// True in a child of fork() that ends by exit(). LeakSanitizer then looks for no leaks: what the parent's other threads
// point to counts as leaked there, because the child does not have their stacks.
inline bool InForkedChild = false;

} // namespace hsched::test

#endif // HSCHED_TEST_UNIT_API_PROCESSES_H
