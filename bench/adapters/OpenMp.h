// OpenMP tasks with `depend`, for GCC's libgomp and LLVM's libomp alike.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BENCH_WINDOW=n in the environment: a taskwait after every n tasks that a group has submitted, which keeps the
// runtimes' tables small and is how a user would help them. 0: none.
#ifndef HSCHED_BENCH_ADAPTERS_OPENMP_H
#define HSCHED_BENCH_ADAPTERS_OPENMP_H

#include "../Access.h"

#include <omp.h>

#include <cstdlib>

namespace rt {

#if defined(__clang__)
inline const char Name[] = "libomp";
#else
inline const char Name[] = "libgomp";
#endif
constexpr bool TracksData = true, TracksRanges = false, NestedWaits = true;

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

using bench::In, bench::InOut, bench::Out;

// The directive wants the list of dependences written out, hence one function for each shape.
template <class Body, class Args> void create(Args A) {
#pragma omp task firstprivate(A)
  Body::run(A);
}
template <class Body, class Args> void create(Args A, In X) {
  auto *P = static_cast<char *>(X.D->base());
#pragma omp task firstprivate(A) depend(in : *P)
  Body::run(A);
}
template <class Body, class Args> void create(Args A, InOut X) {
  auto *P = static_cast<char *>(X.D->base());
#pragma omp task firstprivate(A) depend(inout : *P)
  Body::run(A);
}
template <class Body, class Args> void create(Args A, Out X) {
  auto *P = static_cast<char *>(X.D->base());
#pragma omp task firstprivate(A) depend(out : *P)
  Body::run(A);
}
template <class Body, class Args> void create(Args A, In X, Out Y) {
  auto *P = static_cast<char *>(X.D->base()), *Q = static_cast<char *>(Y.D->base());
#pragma omp task firstprivate(A) depend(in : *P) depend(out : *Q)
  Body::run(A);
}
template <class Body, class Args> void create(Args A, In X, InOut Y) {
  auto *P = static_cast<char *>(X.D->base()), *Q = static_cast<char *>(Y.D->base());
#pragma omp task firstprivate(A) depend(in : *P) depend(inout : *Q)
  Body::run(A);
}
template <class Body, class Args> void create(Args A, In X, In Y, Out Z) {
  auto *P = static_cast<char *>(X.D->base()), *Q = static_cast<char *>(Y.D->base()),
       *R = static_cast<char *>(Z.D->base());
#pragma omp task firstprivate(A) depend(in : *P, *Q) depend(out : *R)
  Body::run(A);
}
template <class Body, class Args> void create(Args A, In X, In Y, InOut Z) {
  auto *P = static_cast<char *>(X.D->base()), *Q = static_cast<char *>(Y.D->base()),
       *R = static_cast<char *>(Z.D->base());
#pragma omp task firstprivate(A) depend(in : *P, *Q) depend(inout : *R)
  Body::run(A);
}
template <class Body, class Args> void create(Args A, In X, In Y, In Z, Out W) {
  auto *P = static_cast<char *>(X.D->base()), *Q = static_cast<char *>(Y.D->base()),
       *R = static_cast<char *>(Z.D->base()), *S = static_cast<char *>(W.D->base());
#pragma omp task firstprivate(A) depend(in : *P, *Q, *R) depend(out : *S)
  Body::run(A);
}

class Group {
public:
  template <class Body, size_t N, class... Accesses>
  void submit(typename Body::Args Args, bench::After<N>, Accesses... List) {
    create<Body>(Args, List...);
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
