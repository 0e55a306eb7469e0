// Clocks, medians and the work inside a task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BENCH_MEASURE_H
#define HSCHED_BENCH_MEASURE_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <time.h>
#include <unistd.h>

namespace bench {

using Clock = std::chrono::steady_clock;

inline double nsSince(Clock::time_point Begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - Begin).count();
}

template <class F> double nsOf(F Run) {
  auto Begin = Clock::now();
  Run();
  return nsSince(Begin);
}

// CPU time of all threads of the process.
inline double cpuNs() {
  timespec Now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &Now);
  return static_cast<double>(Now.tv_sec) * 1e9 + static_cast<double>(Now.tv_nsec);
}

inline double median(std::vector<double> Values) {
  std::ranges::sort(Values);
  return Values[Values.size() / 2];
}

// A chain of multiplications that no compiler shortens: the same time for each iteration, no memory.
inline uint64_t burn(uint64_t Iterations, uint64_t Seed) {
  for (uint64_t I = 0; I < Iterations; ++I) {
    Seed = Seed * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(Seed));
  }
  return Seed;
}

inline long residentBytes() {
  long Pages = 0, Resident = 0;
  if (std::FILE *File = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(File, "%ld %ld", &Pages, &Resident) != 2)
      Resident = 0;
    std::fclose(File);
  }
  return Resident * sysconf(_SC_PAGESIZE);
}

} // namespace bench
#endif
