// Interposed functions of the C library: heap functions, to know a task's own memory; functions that copy memory; and
// mutexes, which order accesses of tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Judge.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>

using namespace hsched::check;

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
}

namespace {

// The next library's function of that name. Not in the initialiser of a static object, because that calls such
// functions.
template <class Function> void find(Function *&Real, const char *Name) {
  if (!Real)
    Real = reinterpret_cast<Function *>(dlsym(RTLD_NEXT, Name));
}

void *allocated(void *P, size_t Bytes) {
  if (!P || View.Inside)
    return P;
  Quiet Now;
  const auto A = reinterpret_cast<Address>(P);
  blockAllocated(A, Bytes);
  if (View.Making) // Part of an argument under construction.
    (*View.Making)[A] = A + Bytes;
  else if (Running *R = View.Now)
    R->Own[A] = A + Bytes;
  return P;
}

void freed(void *P) {
  if (!P || View.Inside)
    return;
  Quiet Now;
  const Extent Bytes = blockFreed(reinterpret_cast<Address>(P));
  if (Bytes.empty())
    return;
  for (Running *R = View.Now; R; R = R->Outer)
    if (R->Own.erase(Bytes.Low) == 0 && (R->HasObjects || R->OfObjects.erase(Bytes.Low) != 0))
      R->Freed.push_back(Bytes);
  if (View.Ending)
    View.Ending->Freed.push_back(Bytes);
  std::unique_lock Guard(RunLock, std::try_to_lock);
  if (!Guard)
    return;
  forgetTouches(Bytes);
  Root.forget(Bytes);
  for (Running *R = View.Now; R; R = R->Outer)
    R->Children.forget(Bytes);
}

void accessed(const void *A, size_t N, bool Writes, void *Return) {
  if (N)
    access(A, N, Writes, Return);
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

void *malloc(size_t N) { return allocated(__libc_malloc(N), N); }
void *calloc(size_t N, size_t Each) { return allocated(__libc_calloc(N, Each), N * Each); }
void *realloc(void *P, size_t N) {
  freed(P);
  return allocated(__libc_realloc(P, N), N);
}
void free(void *P) {
  freed(P);
  __libc_free(P);
}
void *memalign(size_t Align, size_t N) { return allocated(__libc_memalign(Align, N), N); }
void *aligned_alloc(size_t Align, size_t N) { return allocated(__libc_memalign(Align, N), N); }
int posix_memalign(void **To, size_t Align, size_t N) {
  if (Align % sizeof(void *) != 0 || (Align & (Align - 1)) != 0 || Align == 0)
    return EINVAL;
  void *P = __libc_memalign(Align, N);
  if (!P)
    return ENOMEM;
  *To = allocated(P, N);
  return 0;
}

void *memcpy(void *__restrict To, const void *__restrict From, size_t N) {
  accessed(From, N, false, __builtin_return_address(0));
  accessed(To, N, true, __builtin_return_address(0));
  Quiet Now;
  return memmove(To, From, N);
}
void *memmove(void *To, const void *From, size_t N) {
  static void *(*Real)(void *, const void *, size_t);
  find(Real, "memmove");
  accessed(From, N, false, __builtin_return_address(0));
  accessed(To, N, true, __builtin_return_address(0));
  return Real(To, From, N);
}
void *memset(void *To, int C, size_t N) {
  static void *(*Real)(void *, int, size_t);
  find(Real, "memset");
  accessed(To, N, true, __builtin_return_address(0));
  return Real(To, C, N);
}
int memcmp(const void *A, const void *B, size_t N) {
  static int (*Real)(const void *, const void *, size_t);
  find(Real, "memcmp");
  accessed(A, N, false, __builtin_return_address(0));
  accessed(B, N, false, __builtin_return_address(0));
  return Real(A, B, N);
}
// Clang's names of these functions in instrumented code.
void *__tsan_memcpy(void *To, const void *From, size_t N) {
  accessed(From, N, false, __builtin_return_address(0));
  accessed(To, N, true, __builtin_return_address(0));
  Quiet Now;
  return memmove(To, From, N);
}
void *__tsan_memmove(void *To, const void *From, size_t N) {
  accessed(From, N, false, __builtin_return_address(0));
  accessed(To, N, true, __builtin_return_address(0));
  Quiet Now;
  return memmove(To, From, N);
}
void *__tsan_memset(void *To, int C, size_t N) {
  accessed(To, N, true, __builtin_return_address(0));
  Quiet Now;
  return memset(To, C, N);
}

int pthread_mutex_lock(pthread_mutex_t *M) {
  static int (*Real)(pthread_mutex_t *);
  find(Real, "pthread_mutex_lock");
  const int Code = Real(M);
  if (Code == 0 && !View.Inside)
    ++View.Mutexes;
  return Code;
}
int pthread_mutex_trylock(pthread_mutex_t *M) {
  static int (*Real)(pthread_mutex_t *);
  find(Real, "pthread_mutex_trylock");
  const int Code = Real(M);
  if (Code == 0 && !View.Inside)
    ++View.Mutexes;
  return Code;
}
int pthread_mutex_unlock(pthread_mutex_t *M) {
  static int (*Real)(pthread_mutex_t *);
  find(Real, "pthread_mutex_unlock");
  if (!View.Inside && View.Mutexes)
    --View.Mutexes;
  return Real(M);
}

// One task constructs a function's static object, and the others are ordered behind it.
int __cxa_guard_acquire(void *Guard) {
  static int (*Real)(void *);
  find(Real, "__cxa_guard_acquire");
  const int Result = Real(Guard);
  if (Result)
    ++View.Mutexes;
  return Result;
}
void __cxa_guard_release(void *Guard) {
  static void (*Real)(void *);
  find(Real, "__cxa_guard_release");
  if (View.Mutexes)
    --View.Mutexes;
  Real(Guard);
}
void __cxa_guard_abort(void *Guard) {
  static void (*Real)(void *);
  find(Real, "__cxa_guard_abort");
  if (View.Mutexes)
    --View.Mutexes;
  Real(Guard);
}

} // extern "C".
#pragma GCC visibility pop
