// Which sanitizer this code is compiled for. GCC defines macros, Clang 19 has features.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_SANITIZERS_H
#define HSCHED_BASE_SANITIZERS_H

#if defined(__SANITIZE_ADDRESS__)
#define HSCHED_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define HSCHED_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HSCHED_ASAN 1
#elif __has_feature(thread_sanitizer)
#define HSCHED_TSAN 1
#endif
#endif

// 1 or 0.
#ifndef HSCHED_ASAN
#define HSCHED_ASAN 0
#endif
#ifndef HSCHED_TSAN
#define HSCHED_TSAN 0
#endif

#endif
