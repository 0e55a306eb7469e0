// Short loops, each with its wait: what sharing them out costs and gains. Built by for_overhead.py three times: by
// hsched-cc, by g++ -fopenmp and by g++.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   for_overhead MICROSECONDS ITERATIONS      ITERATIONS as for_overhead 0 0 prints for one microsecond, times them
//
// Prints nanoseconds a loop, wall and CPU time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

static double cpu() {
  timespec T;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return static_cast<double>(T.tv_sec) + 1e-9 * static_cast<double>(T.tv_nsec);
}
static double wall() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static std::vector<double> X(1 << 20, 1.0), Y(1 << 20, 2.0);

#ifdef BODY_DIVIDES // Work that no cache or vector unit makes shorter.
#define BODY(i) Y[i] = 1.0 / (X[i] + Y[i])
#else
#define BODY(i) Y[i] = 0.5 * (X[i] + Y[i])
#endif

__attribute__((noinline)) static void once(int N) {
  double *Y = ::Y.data();
  const double *X = ::X.data();
#pragma omp parallel for
#pragma hsched for
  for (int I = 0; I < N; ++I)
    BODY(I);
}

int main(int Count, char **Words) {
  const int N = Count > 2 ? std::atoi(Words[2]) : 0;
  if (N == 0) { // Iterations of 100 microseconds.
    int Most = 1000;
    for (double Took = 0; Took < 100e-6; Most = Most * 5 / 4) {
      Took = 1;
      for (int I = 0; I < 20; ++I) {
        const double Begin = wall();
        once(Most);
        Took = std::min(Took, wall() - Begin);
      }
    }
    std::printf("%d\n", Most / 100);
    return 0;
  }
  const double Microseconds = std::atof(Words[1]);
  const int Loops = static_cast<int>(200'000 / Microseconds) + 1; // 200 ms.
  for (int I = 0; I < 100; ++I)
    once(N);
  const double Begin = wall(), CpuBegin = cpu();
  for (int I = 0; I < Loops; ++I)
    once(N);
  std::printf("%.0f %.0f\n", 1e9 * (wall() - Begin) / Loops, 1e9 * (cpu() - CpuBegin) / Loops);
  return 0;
}
