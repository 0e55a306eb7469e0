// Callbacks of code made with -fsanitize=thread: every load, store and atomic. Names and meanings are those of GCC and
// Clang; the implementation is for checked runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Judge.h"

using hsched::check::access;

// A variable of glibc from 2.32 on. Its address is null where there is none.
extern "C" [[gnu::weak]] char __libc_single_threaded;

#define HSCHED_HERE __builtin_return_address(0)
#define HSCHED_ACCESS(Name, Bytes, Writes)                                                                             \
  void __tsan_##Name(void *A) { access(A, Bytes, Writes, HSCHED_HERE); }
#define HSCHED_SIZES(Read, Write, Prefix)                                                                              \
  HSCHED_ACCESS(Prefix##Read##1, 1, false)                                                                             \
  HSCHED_ACCESS(Prefix##Read##2, 2, false)                                                                             \
  HSCHED_ACCESS(Prefix##Read##4, 4, false)                                                                             \
  HSCHED_ACCESS(Prefix##Read##8, 8, false)                                                                             \
  HSCHED_ACCESS(Prefix##Read##16, 16, false)                                                                           \
  HSCHED_ACCESS(Prefix##Write##1, 1, true)                                                                             \
  HSCHED_ACCESS(Prefix##Write##2, 2, true)                                                                             \
  HSCHED_ACCESS(Prefix##Write##4, 4, true)                                                                             \
  HSCHED_ACCESS(Prefix##Write##8, 8, true)                                                                             \
  HSCHED_ACCESS(Prefix##Write##16, 16, true)
// Reads followed by a write: Clang's compound accesses.
#define HSCHED_BOTH(Name, Bytes)                                                                                       \
  void __tsan_##Name(void *A) {                                                                                        \
    access(A, Bytes, false, HSCHED_HERE);                                                                              \
    access(A, Bytes, true, HSCHED_HERE);                                                                               \
  }

#pragma GCC visibility push(default)
extern "C" {

void __tsan_init(void) {
  hsched::check::Instrumented.store(true, std::memory_order_relaxed);
  // std::shared_ptr counts without atomics while there is one thread. Tasks of an ordinary run have several.
  if (&__libc_single_threaded)
    __libc_single_threaded = 0;
}
void __tsan_func_entry(void *) {}
void __tsan_func_exit(void) {}
void __tsan_ignore_thread_begin(void) {}
void __tsan_ignore_thread_end(void) {}

HSCHED_SIZES(read, write, )
HSCHED_SIZES(read, write, unaligned_)
HSCHED_SIZES(volatile_read, volatile_write, )
HSCHED_SIZES(volatile_read, volatile_write, unaligned_)
HSCHED_BOTH(read_write1, 1)
HSCHED_BOTH(read_write2, 2)
HSCHED_BOTH(read_write4, 4)
HSCHED_BOTH(read_write8, 8)
HSCHED_BOTH(read_write16, 16)
HSCHED_BOTH(unaligned_read_write2, 2)
HSCHED_BOTH(unaligned_read_write4, 4)
HSCHED_BOTH(unaligned_read_write8, 8)
HSCHED_BOTH(unaligned_read_write16, 16)

void __tsan_read_range(void *A, unsigned long N) { access(A, N, false, HSCHED_HERE); }
void __tsan_write_range(void *A, unsigned long N) { access(A, N, true, HSCHED_HERE); }
// Constructors and destructors set the pointer, virtual calls read it.
void __tsan_vptr_update(void **A, void *) { access(A, sizeof *A, true, HSCHED_HERE); }
void __tsan_vptr_read(void **A) { access(A, sizeof *A, false, HSCHED_HERE); }

} // extern "C".
#pragma GCC visibility pop
