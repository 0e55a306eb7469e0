// The cores that workers, and what tasks start, may use: processes, threads, pools of OpenMP and BLAS.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HandWritten.h"
#include "Processes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hsched::test;

namespace {

using CoresDeathTest = InFreshProcess<testing::Test>;

// How many cores a process or thread that the calling thread starts has, and how many signals it does not get.
std::pair<int, int> inherited() {
  cpu_set_t Cores;
  sigset_t Blocked;
  if (sched_getaffinity(0, sizeof(Cores), &Cores) != 0 || pthread_sigmask(SIG_SETMASK, nullptr, &Blocked) != 0)
    return {-1, -1};
  int Signals = 0;
  for (int S = 1; S < 32; ++S)
    Signals += sigismember(&Blocked, S);
  return {CPU_COUNT(&Cores), Signals};
}

// As in the serial program, also on a worker's own thread.
TEST_F(CoresDeathTest, WhatATaskStartsIsNotBound) {
  EXPECT_EXIT(
      {
        const auto Serial = inherited();
        setenv("HSCHED_NCPU", "2", 1);
        setenv("HSCHED_OPENCL", "0", 1); // Its CPU device would take a worker's core.
        static std::atomic<int> Begun{0};
        static std::atomic<int> Right{0};
        for (int I = 0; I < 2; ++I)
          submit({}, [Serial] {
            for (++Begun; Begun.load() < 2;) // One on each worker.
              std::this_thread::yield();
            Right += inherited() == Serial;
          });
        hsched_taskwait(0);
        std::exit(Right.load());
      },
      testing::ExitedWithCode(2), "");
}

// For each thread of this process the number of cores that it may use.
std::vector<int> coresOfThreads() {
  std::vector<int> Counts;
  for (const auto &Thread : std::filesystem::directory_iterator("/proc/self/task")) {
    cpu_set_t Cores;
    if (sched_getaffinity(std::stoi(Thread.path().filename()), sizeof(Cores), &Cores) == 0)
      Counts.push_back(CPU_COUNT(&Cores));
  }
  return Counts;
}

// Runs Body in two tasks that run at the same time, so one of them on a worker's own thread.
void onBothWorkers(const std::function<void()> &Body) {
  setenv("HSCHED_NCPU", "2", 1);
  setenv("HSCHED_OPENCL", "0", 1);
  std::atomic<int> Begun{0};
  for (int I = 0; I < 2; ++I)
    submit({}, [&] {
      for (++Begun; Begun.load() < 2;)
        std::this_thread::yield();
      Body();
    });
  hsched_taskwait(0);
}

// OpenMP's runtime, which comes with GCC, is loaded, and makes its threads, in a task.
TEST_F(CoresDeathTest, APoolOfOpenMPThatATaskStartsMayUseAllCores) {
  EXPECT_EXIT(
      {
        const int Serial = inherited().first;
        static std::atomic<int> InPool{0};
        static std::atomic<int> Right{0};
        onBothWorkers([Serial] {
          void *Gomp = dlopen("libgomp.so.1", RTLD_NOW);
          using Parallel = void (*)(void (*)(void *), void *, unsigned, unsigned);
          auto Run = Gomp ? reinterpret_cast<Parallel>(dlsym(Gomp, "GOMP_parallel")) : nullptr;
          if (!Run)
            std::exit(1);
          int Wanted = Serial;
          Run(
              [](void *Cores) {
                ++InPool;
                Right += inherited().first == *static_cast<int *>(Cores);
              },
              &Wanted, 3, 0);
        });
        std::fprintf(stderr, "%d of %d\n", Right.load(), InPool.load());
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^6 of 6\n$");
}

// A BLAS makes its threads when it is loaded.
TEST_F(CoresDeathTest, APoolOfBlasThatATaskStartsMayUseAllCores) {
  void *Library = dlopen("libopenblas.so.0", RTLD_NOW);
  if (!Library)
    GTEST_SKIP() << "there is no libopenblas.so.0";
  dlclose(Library);
  EXPECT_EXIT(
      {
        const int Serial = inherited().first;
        static std::atomic<bool> Loaded{true};
        onBothWorkers([] {
          if (!dlopen("libopenblas.so.0", RTLD_NOW))
            Loaded = false;
        });
        const std::vector<int> Counts = coresOfThreads();
        std::exit(Loaded && !Counts.empty() &&
                          std::ranges::all_of(Counts, [Serial](int Cores) { return Cores == Serial; })
                      ? 0
                      : 1);
      },
      testing::ExitedWithCode(0), "");
}

// Two processes whose workers were bound to the machine's first cores would share these.
TEST_F(CoresDeathTest, TwoProcessesShareTheCores) {
  HSCHED_SKIP_FORK;
  static int Begun[2], Reported[2];
  EXPECT_EXIT(
      {
        const int Serial = inherited().first;
        if (pipe(Begun) != 0 || pipe(Reported) != 0)
          std::exit(1);
        for (int P = 0; P < 2; ++P)
          if (fork() == 0) { // No engine has begun here.
            static std::atomic<int> Free{0};
            onBothWorkers([&] { Free += inherited().first == Serial; });
            // Both have begun before one of them ends.
            char Ready = 'b';
            const char Right = Free.load() == 2 ? 'r' : 'w';
            _exit(write(Reported[1], &Right, 1) == 1 && read(Begun[0], &Ready, 1) == 1 ? 0 : 1);
          }
        char Said[2];
        for (char &One : Said)
          if (read(Reported[0], &One, 1) != 1)
            std::exit(1);
        if (write(Begun[1], "bb", 2) != 2)
          std::exit(1);
        for (int P = 0; P < 2; ++P)
          wait(nullptr);
        std::exit(Said[0] == 'r' && Said[1] == 'r' ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(CoresDeathTest, WorkersAreBoundOnRequest) {
  if (std::thread::hardware_concurrency() < 2)
    GTEST_SKIP() << "there is one core";
  EXPECT_EXIT(
      {
        setenv("HSCHED_PIN", "1", 1);
        setenv("HSCHED_NCPU", "2", 1);
        setenv("HSCHED_OPENCL", "0", 1);
        static std::atomic<int> Begun{0};
        static std::atomic<int> Cores{0};
        for (int I = 0; I < 2; ++I)
          submit({}, [] {
            for (++Begun; Begun.load() < 2;)
              std::this_thread::yield();
            Cores += inherited().first;
          });
        hsched_taskwait(0);
        std::exit(Cores.load());
      },
      testing::ExitedWithCode(2), "");
}

TEST_F(CoresDeathTest, ABoundMainThreadIsReported) {
  if (std::thread::hardware_concurrency() < 2)
    GTEST_SKIP() << "there is one core";
  auto oneCore = [] {
    unsetenv("HSCHED_NCPU");
    cpu_set_t One;
    CPU_ZERO(&One);
    CPU_SET(sched_getcpu(), &One);
    if (sched_setaffinity(0, sizeof(One), &One) != 0)
      std::exit(9);
  };
  EXPECT_EXIT(
      {
        oneCore();
        submit({}, [] {});
        hsched_taskwait(0);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "the main thread is bound to core [0-9]+, one of [0-9]+: tasks run one after");
  // If OpenMP has bound the thread, no warning is logged: the other cores are for other threads of this process.
  EXPECT_EXIT(
      {
        oneCore();
        setenv("OMP_PROC_BIND", "true", 1);
        std::exit(hsched_default_grain(64) < 8 ? 0 : 1); // Eight chunks a worker.
      },
      testing::ExitedWithCode(0), "^$");
}

} // namespace
