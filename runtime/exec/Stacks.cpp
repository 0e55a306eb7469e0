// Additional stacks for one thread.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Stacks.h"

#include "base/Sanitizers.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#if HSCHED_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if HSCHED_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace hsched::rt {
namespace {

constexpr size_t Smallest = size_t(1) << 20, Largest = size_t(64) << 20;

// A stack: address space that is backed on use, with a guard page below it.
struct Stack {
  char *Memory = nullptr;
  size_t Bytes = 0;

  bool map(size_t Wanted) {
    auto Page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void *At =
        mmap(nullptr, Wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (At == MAP_FAILED)
      return false;
    (void)mprotect(At, Page, PROT_NONE);
#if HSCHED_ASAN
    __asan_unpoison_memory_region(At, Wanted); // The memory may have been a stack that was abandoned.
#endif
    Memory = static_cast<char *>(At);
    Bytes = Wanted;
    return true;
  }
  void unmap() {
    if (Memory)
      munmap(Memory, Bytes);
    *this = {};
  }
};

// The thread's stacks.
struct Known {
  uintptr_t Begin = 0, End = 0; // Bounds of the present stack.
  size_t NewBytes = 0;          // Size of the next one; 0: not determined yet.
  Stack Spare;                  // Kept, so that a program that oscillates around the limit does not map one each time.
  bool Ended = false;
  ~Known() {
    Spare.unmap();
    Ended = true;
  }
};
Known &known() {
  static thread_local Known K;
  return K;
}

// The main thread's stack, without the C library, which reads /proc/self/maps. The system keeps at least 128 MB below
// it free, whatever the limit is. False: another thread, or unknown.
bool lookAtMain(Known &K) {
  rlimit Limit;
  const auto Name = static_cast<uintptr_t>(getauxval(AT_EXECFN)); // Lies in the stack's first page.
  if (gettid() != getpid() || Name == 0 || getrlimit(RLIMIT_STACK, &Limit) != 0)
    return false;
  const auto Page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t Bytes = static_cast<size_t>(std::min<rlim_t>(Limit.rlim_cur, Largest)) / Page * Page;
  K.End = Name / Page * Page + Page;
  K.Begin = K.End - Bytes;
  K.NewBytes = std::max(Bytes, Smallest);
  const uintptr_t Here = stackPointer();
  return K.Begin < Here && Here < K.End;
}

void lookAt(Known &K) {
  if (lookAtMain(K))
    return;
  pthread_attr_t Attributes;
  if (pthread_getattr_np(pthread_self(), &Attributes) != 0) {
    K.NewBytes = Smallest;
    return;
  }
  void *Begin = nullptr;
  size_t Bytes = 0;
  if (pthread_attr_getstack(&Attributes, &Begin, &Bytes) == 0) {
    K.Begin = reinterpret_cast<uintptr_t>(Begin);
    K.End = K.Begin + Bytes;
  }
  pthread_attr_destroy(&Attributes);
  auto Page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  K.NewBytes = std::clamp(Bytes, Smallest, Largest) / Page * Page;
}

uintptr_t middle(const Known &K) { return K.Begin + (K.End - K.Begin) / 2; }

// The switch of one body to another stack and back.
struct Trip {
  void (*Run)(void *);
  void *Args;
  std::exception_ptr Thrown;
  ucontext_t From, To;
#if HSCHED_ASAN
  const void *FromBottom = nullptr;
  size_t FromBytes = 0;
  void *FromFake = nullptr;
#endif
#if HSCHED_TSAN
  void *FromFiber = nullptr;
#endif
};

// makecontext passes integers.
void begin(unsigned High, unsigned Low) {
  auto &T = *reinterpret_cast<Trip *>(static_cast<uintptr_t>(High) << 32 | Low);
#if HSCHED_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &T.FromBottom, &T.FromBytes);
#endif
  try {
    runGuarded(T.Run, T.Args);
  } catch (...) {
    T.Thrown = std::current_exception();
  }
#if HSCHED_ASAN
  __sanitizer_start_switch_fiber(nullptr, T.FromBottom, T.FromBytes);
#endif
#if HSCHED_TSAN
  __tsan_switch_to_fiber(T.FromFiber, 0);
#endif
  setcontext(&T.From);
}

bool travel(Trip &T, const Stack &To) {
  if (getcontext(&T.To) != 0)
    return false;
  T.To.uc_stack.ss_sp = To.Memory;
  T.To.uc_stack.ss_size = To.Bytes;
  T.To.uc_link = nullptr;
  auto Address = reinterpret_cast<uintptr_t>(&T);
  static_assert(sizeof(Address) == 8 && sizeof(unsigned) == 4);
  makecontext(&T.To, reinterpret_cast<void (*)()>(begin), 2, static_cast<unsigned>(Address >> 32),
              static_cast<unsigned>(Address));
#if HSCHED_TSAN
  T.FromFiber = __tsan_get_current_fiber();
  void *Fiber = __tsan_create_fiber(0);
  __tsan_switch_to_fiber(Fiber, 0);
#endif
#if HSCHED_ASAN
  __sanitizer_start_switch_fiber(&T.FromFake, To.Memory, To.Bytes);
#endif
  swapcontext(&T.From, &T.To);
#if HSCHED_ASAN
  __sanitizer_finish_switch_fiber(T.FromFake, nullptr, nullptr);
#endif
#if HSCHED_TSAN
  __tsan_destroy_fiber(Fiber);
#endif
  return true;
}

} // namespace

[[gnu::cold, gnu::noinline]] void rejectThreadExit() {
  // The first member of __cxa_eh_globals (Itanium C++ ABI, 2.2.2): the caught exceptions of the thread. A foreign
  // exception is the only one in the list. glibc treats the end of its handler as an error. So the exception is removed
  // from the list instead.
  *reinterpret_cast<void **>(abi::__cxa_get_globals()) = nullptr;
  throw std::runtime_error("the body ends its thread, by pthread_exit or because of pthread_cancel; the thread belongs "
                           "to the runtime, and a body ends by returning");
}

[[gnu::noinline]] void runDeep(ThreadState &Me, void (*Run)(void *), void *Args) {
  Known &K = known();
  if (K.Ended) { // The thread is ending: it makes no more stacks.
    Me.StackLow = 0;
    return runGuarded(Run, Args);
  }
  if (!K.NewBytes) {
    lookAt(K);
    Me.StackLow = middle(K);
  }
  uintptr_t Here = stackPointer();
  // The stack may be one that the program has made itself.
  if (Here >= Me.StackLow || Here < K.Begin)
    return runGuarded(Run, Args);

  Stack New = std::exchange(K.Spare, {});
  if (!New.Memory && !New.map(K.NewBytes))
    return runGuarded(Run, Args);
  auto Begin = std::exchange(K.Begin, reinterpret_cast<uintptr_t>(New.Memory));
  auto End = std::exchange(K.End, K.Begin + New.Bytes);
  Me.StackLow = middle(K);
  Trip T{Run, Args, nullptr, {}, {}};
  bool HasRun = travel(T, New);
  K.Begin = Begin;
  K.End = End;
  Me.StackLow = middle(K);
  if (K.Spare.Memory)
    New.unmap();
  else
    K.Spare = New;
  if (!HasRun)
    return runGuarded(Run, Args);
  if (T.Thrown)
    std::rethrow_exception(std::move(T.Thrown));
}

} // namespace hsched::rt
