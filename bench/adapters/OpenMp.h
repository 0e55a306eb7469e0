// OpenMP tasks with `depend`, for GCC's libgomp and LLVM's libomp alike.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BENCH_WINDOW=n in the environment: a taskwait after every n tasks that a group has submitted. This keeps the
// runtimes' tables small, as a user would do. 0: none.
#ifndef HSCHED_BENCH_ADAPTERS_OPENMP_H
#define HSCHED_BENCH_ADAPTERS_OPENMP_H

#include "../Access.h"

#include <omp.h>

#include <cstdlib>
#include <string>
#include <type_traits>

namespace rt {

#if defined(__clang__)
inline const char Name[] = "libomp";
#else
inline const char Name[] = "libgomp";
#endif
constexpr bool TracksData = true, TracksRanges = false, NestedWaits = true;

inline std::string version() {
#if defined(__clang__)
  return "LLVM " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

inline unsigned long Window = 0;

inline void start(unsigned Threads) {
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(Threads));
  if (const char *Text = std::getenv("BENCH_WINDOW"))
    Window = std::strtoul(Text, nullptr, 10);
}
inline void stop() {}
inline void adopt(bench::Datum *, size_t) {}
inline void disown(bench::Datum *, size_t) {}
template <class F> void region(F Run) {
#pragma omp parallel
#pragma omp single
  Run();
}

// What a task reads, and what it writes: to OpenMP `out` and `inout` are the same.
template <size_t N> struct Addresses {
  char *At[N == 0 ? 1 : N];
};

// The directive wants the list of dependences written out, hence one branch for each number of them.
#define BENCH_TASK(...)                                                                                                \
  do {                                                                                                                 \
    BENCH_PRAGMA(omp task firstprivate(A) __VA_ARGS__)                                                                 \
    Body::run(A);                                                                                                      \
  } while (false)
#define BENCH_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define BENCH_1(P) *P[0]
#define BENCH_2(P) BENCH_1(P), *P[1]
#define BENCH_3(P) BENCH_2(P), *P[2]
#define BENCH_4(P) BENCH_3(P), *P[3]
#define BENCH_5(P) BENCH_4(P), *P[4]
#define BENCH_6(P) BENCH_5(P), *P[5]
#define BENCH_7(P) BENCH_6(P), *P[6]
#define BENCH_8(P) BENCH_7(P), *P[7]

template <class Body, size_t Reads, size_t Writes>
void create(typename Body::Args A, Addresses<Reads> Read, Addresses<Writes> Write) {
  [[maybe_unused]] char **R = Read.At, **W = Write.At;
  constexpr size_t Shape = Reads * 10 + Writes;
  if constexpr (Shape == 0)
    BENCH_TASK();
  else if constexpr (Shape == 1)
    BENCH_TASK(depend(inout : BENCH_1(W)));
  else if constexpr (Shape == 2)
    BENCH_TASK(depend(inout : BENCH_2(W)));
  else if constexpr (Shape == 3)
    BENCH_TASK(depend(inout : BENCH_3(W)));
  else if constexpr (Shape == 4)
    BENCH_TASK(depend(inout : BENCH_4(W)));
  else if constexpr (Shape == 5)
    BENCH_TASK(depend(inout : BENCH_5(W)));
  else if constexpr (Shape == 6)
    BENCH_TASK(depend(inout : BENCH_6(W)));
  else if constexpr (Shape == 7)
    BENCH_TASK(depend(inout : BENCH_7(W)));
  else if constexpr (Shape == 8)
    BENCH_TASK(depend(inout : BENCH_8(W)));
  else if constexpr (Shape == 10)
    BENCH_TASK(depend(in : BENCH_1(R)));
  else if constexpr (Shape == 11)
    BENCH_TASK(depend(in : BENCH_1(R)) depend(inout : BENCH_1(W)));
  else if constexpr (Shape == 21)
    BENCH_TASK(depend(in : BENCH_2(R)) depend(inout : BENCH_1(W)));
  else if constexpr (Shape == 31)
    BENCH_TASK(depend(in : BENCH_3(R)) depend(inout : BENCH_1(W)));
  else if constexpr (Shape == 41)
    BENCH_TASK(depend(in : BENCH_4(R)) depend(inout : BENCH_1(W)));
  else if constexpr (Shape == 51)
    BENCH_TASK(depend(in : BENCH_5(R)) depend(inout : BENCH_1(W)));
  else if constexpr (Shape == 61)
    BENCH_TASK(depend(in : BENCH_6(R)) depend(inout : BENCH_1(W)));
  else if constexpr (Shape == 71)
    BENCH_TASK(depend(in : BENCH_7(R)) depend(inout : BENCH_1(W)));
  else {
    static_assert(Shape == 12, "a shape that has no branch");
    BENCH_TASK(depend(in : BENCH_1(R)) depend(inout : BENCH_2(W)));
  }
}

class Group {
public:
  template <class Body, size_t N, class... Accesses>
  void submit(typename Body::Args Args, bench::After<N>, Accesses... List) {
    constexpr size_t Reads = (size_t{std::is_same_v<Accesses, bench::In>} + ... + 0);
    Addresses<Reads> Read;
    Addresses<sizeof...(List) - Reads> Write;
    [[maybe_unused]] size_t R = 0, W = 0;
    (((std::is_same_v<Accesses, bench::In> ? Read.At[R++] : Write.At[W++]) = static_cast<char *>(List.D->base())), ...);
    create<Body>(Args, Read, Write);
    if (Window != 0 && ++Since == Window) {
      Since = 0;
      wait();
    }
  }
  void wait() {
#pragma omp taskwait
  }

private:
  unsigned long Since = 0;
};

} // namespace rt
#endif
