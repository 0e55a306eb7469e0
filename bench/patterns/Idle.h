// CPU time of idle workers. After some tasks the main thread computes by itself for seconds, and then sleeps.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BENCH_PATTERNS_IDLE_H
#define HSCHED_BENCH_PATTERNS_IDLE_H

#include "../Measure.h"
#include "Simple.h"

#include <dirent.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

namespace bench {

struct Idle {
  static constexpr const char *Name = "idle";

  // CPU time of a thread of this process in ns, as the scheduler has counted it; 0 where there is no such file.
  static double cpuNsOf(long Thread) {
    double Ns = 0;
    std::string Path = "/proc/self/task/" + std::to_string(Thread) + "/schedstat";
    if (std::FILE *File = std::fopen(Path.c_str(), "r")) {
      if (std::fscanf(File, "%lf", &Ns) != 1)
        Ns = 0;
      std::fclose(File);
    }
    return Ns;
  }
  static std::map<long, double> threads() {
    std::map<long, double> Found;
    if (DIR *Folder = opendir("/proc/self/task")) {
      while (dirent *Each = readdir(Folder))
        if (long Thread = std::strtol(Each->d_name, nullptr, 10))
          Found[Thread] = cpuNsOf(Thread);
      closedir(Folder);
    }
    return Found;
  }

  // Shares of one core, in percent.
  struct Shares {
    double Main = 0, Others = 0, Busiest = 0;
    size_t Threads = 0;
  };
  template <class F> static Shares during(F Phase) {
    Shares Result;
    auto Before = threads();
    double Wall = nsOf(Phase);
    for (auto [Thread, Ns] : threads()) {
      double Share = 100 * (Ns - Before[Thread]) / Wall;
      if (Thread == getpid()) {
        Result.Main = Share;
        continue;
      }
      Result.Others += Share;
      Result.Busiest = std::max(Result.Busiest, Share);
      ++Result.Threads;
    }
    return Result;
  }

  explicit Idle(double Seconds) : Seconds(Seconds) {}

  void run() {
    Tasks.run();
    Computing = during([this] {
      for (auto Begin = Clock::now(); nsSince(Begin) < Seconds * 1e9;)
        (void)burn(100000, 1);
    });
    Tasks.run();
    Sleeping = during([this] { std::this_thread::sleep_for(std::chrono::duration<double>(Seconds)); });
  }
  double worst() const { return std::max(Computing.Others, Sleeping.Others); }
  bool right() { return Tasks.right(); }
  std::string text() const {
    auto phase = [](const char *Phase, const Shares &S) {
      char Text[200];
      std::snprintf(Text, sizeof(Text), " %s-main=%.3f %s-others=%.3f %s-busiest=%.3f", Phase, S.Main, Phase, S.Others,
                    Phase, S.Busiest);
      return std::string(Text);
    };
    return phase("computing", Computing) + phase("sleeping", Sleeping) + " threads=" + std::to_string(Sleeping.Threads);
  }

  double Seconds;
  Independent Tasks{10};
  Shares Computing, Sleeping;
};

} // namespace bench
#endif
