// Clocks, medians and the work inside a task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BENCH_MEASURE_H
#define HSCHED_BENCH_MEASURE_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <dirent.h>
#include <sched.h>
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

// The cores that the first thread of this process may run on whose name begins with Prefix; of none: its own.
inline cpu_set_t coresOf(const std::string &Prefix) {
  cpu_set_t Cores;
  CPU_ZERO(&Cores);
  int Thread = 0;
  if (DIR *Tasks = opendir("/proc/self/task")) {
    while (dirent *Entry = readdir(Tasks)) {
      std::string Name;
      std::getline(std::ifstream(std::string("/proc/self/task/") + Entry->d_name + "/comm"), Name);
      if (Name.compare(0, Prefix.size(), Prefix) == 0)
        Thread = std::atoi(Entry->d_name);
    }
    closedir(Tasks);
  }
  sched_getaffinity(Thread, sizeof(Cores), &Cores);
  return Cores;
}

// Restricts the calling thread to these cores for the object's life, and to others afterwards, if there are any.
// Otherwise it would stay and share the core with its worker until the system separates them.
class OnCores {
public:
  explicit OnCores(const cpu_set_t &Cores) {
    sched_getaffinity(0, sizeof(Before), &Before);
    Others = Before;
    for (size_t Core = 0; Core < CPU_SETSIZE; ++Core)
      if (CPU_ISSET(Core, &Cores))
        CPU_CLR(Core, &Others);
    sched_setaffinity(0, sizeof(Cores), &Cores);
  }
  ~OnCores() {
    if (CPU_COUNT(&Others) > 0)
      sched_setaffinity(0, sizeof(Others), &Others);
    sched_setaffinity(0, sizeof(Before), &Before);
  }
  OnCores(const OnCores &) = delete;
  OnCores &operator=(const OnCores &) = delete;

private:
  cpu_set_t Before, Others;
};

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

// A counter that is cheap to read and runs at one speed whatever the core does.
inline uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<uint64_t>(Clock::now().time_since_epoch().count());
#endif
}

inline double ticksOfNs(double Ns) {
  // Both clocks at one moment: of many pairs of readings the one that took least, so that no interruption is in it.
  auto both = [] {
    std::pair<uint64_t, Clock::time_point> Best;
    uint64_t Least = UINT64_MAX;
    for (int I = 0; I < 100; ++I) {
      uint64_t Before = ticks();
      auto Now = Clock::now();
      uint64_t After = ticks();
      if (After - Before < Least) {
        Least = After - Before;
        Best = {Before + Least / 2, Now};
      }
    }
    return Best;
  };
  auto [FirstTicks, First] = both();
  while (nsSince(First) < 20e6) {
  }
  auto [LastTicks, Last] = both();
  return Ns * static_cast<double>(LastTicks - FirstTicks) /
         std::chrono::duration<double, std::nano>(Last - First).count();
}

// Work that takes the same time however fast the core is at the moment and whatever runs beside it.
inline void spin(uint64_t Ticks) {
  uint64_t End = ticks() + Ticks;
  while (ticks() < End) {
  }
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
