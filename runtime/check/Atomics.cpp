// Atomics of code made with -fsanitize=thread. Compilers replace each by a function call. An atomic access needs no
// clause, because it races with none.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

namespace {
// The strongest order is correct for all.
constexpr int Order = __ATOMIC_SEQ_CST;
} // namespace

#define HSCHED_FETCH(Bits, Type, Name)                                                                                 \
  Type __tsan_atomic##Bits##_fetch_##Name(volatile Type *A, Type V, int) { return __atomic_fetch_##Name(A, V, Order); }

#define HSCHED_ATOMICS(Bits, Type)                                                                                     \
  Type __tsan_atomic##Bits##_load(const volatile Type *A, int) { return __atomic_load_n(A, Order); }                   \
  void __tsan_atomic##Bits##_store(volatile Type *A, Type V, int) { __atomic_store_n(A, V, Order); }                   \
  Type __tsan_atomic##Bits##_exchange(volatile Type *A, Type V, int) { return __atomic_exchange_n(A, V, Order); }      \
  HSCHED_FETCH(Bits, Type, add)                                                                                        \
  HSCHED_FETCH(Bits, Type, sub)                                                                                        \
  HSCHED_FETCH(Bits, Type, and)                                                                                        \
  HSCHED_FETCH(Bits, Type, or)                                                                                         \
  HSCHED_FETCH(Bits, Type, xor)                                                                                        \
  HSCHED_FETCH(Bits, Type, nand)                                                                                       \
  int __tsan_atomic##Bits##_compare_exchange_strong(volatile Type *A, Type *C, Type V, int, int) {                     \
    return __atomic_compare_exchange_n(A, C, V, false, Order, Order);                                                  \
  }                                                                                                                    \
  int __tsan_atomic##Bits##_compare_exchange_weak(volatile Type *A, Type *C, Type V, int, int) {                       \
    return __atomic_compare_exchange_n(A, C, V, false, Order, Order);                                                  \
  }                                                                                                                    \
  Type __tsan_atomic##Bits##_compare_exchange_val(volatile Type *A, Type C, Type V, int, int) {                        \
    __atomic_compare_exchange_n(A, &C, V, false, Order, Order);                                                        \
    return C;                                                                                                          \
  }

#pragma GCC visibility push(default)
extern "C" {
HSCHED_ATOMICS(8, uint8_t)
HSCHED_ATOMICS(16, uint16_t)
HSCHED_ATOMICS(32, uint32_t)
HSCHED_ATOMICS(64, uint64_t)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(Order); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(Order); }
} // extern "C".
#pragma GCC visibility pop
