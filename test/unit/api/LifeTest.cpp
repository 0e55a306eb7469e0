// Beginnings and ends: static objects, threads, processes, libraries that come and go while there are tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HandWritten.h"
#include "Processes.h"

#include <hsched/hsched.h>

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hsched::test;

namespace {

// Each in a process of its own, started anew, with so many CPU workers.
struct Life : InFreshProcess<testing::TestWithParam<const char *>> {
  static void begin() { setenv("HSCHED_NCPU", GetParam(), 1); }
};
using LifeDeathTest = Life;
INSTANTIATE_TEST_SUITE_P(Workers, LifeDeathTest, testing::Values("1", "2", "5"),
                         [](const auto &Info) { return std::string(Info.param); });

// --- the end of the program

struct SubmitsAtItsEnd {
  ~SubmitsAtItsEnd() {
    int X = 0;
    submit({section(HSCHED_INOUT, X)}, [&] {
      int Y = 0;
      submit({section(HSCHED_INOUT, Y)}, [&] { Y = 2; });
      hsched_taskwait(0);
      X += Y;
    });
    hsched_access Named = section(HSCHED_IN, X);
    hsched_taskwait_on(&Named, 1, 0);
    try {
      submit({section(HSCHED_INOUT, X)}, [] { throw std::runtime_error("at the end"); });
    } catch (const std::runtime_error &) {
      X += 40;
    }
    hsched_taskwait(0);
    std::fprintf(stderr, "late: %d\n", X);
  }
};

TEST_P(LifeDeathTest, StaticObjectsMaySubmitWhenAllHasEnded) {
  EXPECT_EXIT(
      {
        begin();
        static SubmitsAtItsEnd Late;
        submit({}, [] {}); // The runtime starts after Late was made, and ends before it.
        std::exit(5);
      },
      testing::ExitedWithCode(5), "late: 42");
}

TEST_P(LifeDeathTest, StaticObjectsMaySubmitBeforeAllHasEnded) {
  EXPECT_EXIT(
      {
        begin();
        submit({}, [] {});
        static struct {
          struct Inner {
            ~Inner() {
              static int X = 0;
              for (int I = 0; I < 10; ++I)
                submit({section(HSCHED_INOUT, X)}, [] {
                  if (++X == 10)
                    std::fputs("ten\n", stderr);
                });
            }
          } I;
        } Early;
        (void)Early;
        std::exit(5);
      },
      testing::ExitedWithCode(5), "ten");
}

struct BeginsAtItsEnd {
  ~BeginsAtItsEnd() {
    static int X = 0;
    for (int I = 0; I < 10; ++I)
      submit({section(HSCHED_INOUT, X)}, [] {
        if (++X == 10)
          std::fputs("first and last\n", stderr);
      });
  }
};

TEST_P(LifeDeathTest, TheFirstTaskOfAllMayBeADestructors) {
  EXPECT_EXIT(
      {
        begin();
        static BeginsAtItsEnd First;
        (void)First;
        std::exit(5);
      },
      testing::ExitedWithCode(5), "first and last");
}

TEST_P(LifeDeathTest, QuickExitAndItsLikeDoNotWait) {
  auto Leave = [](void (*How)(int)) {
    begin();
    static std::promise<void> Never;
    static int X = 0;
    if (std::string(GetParam()) != "1") // Else the task would be run here.
      submit({section(HSCHED_INOUT, X)}, [] { Never.get_future().wait(); });
    submit({section(HSCHED_INOUT, X)}, [] {});
    How(6);
  };
  EXPECT_EXIT(Leave([](int Code) { std::quick_exit(Code); }), testing::ExitedWithCode(6), "");
  EXPECT_EXIT(Leave([](int Code) { std::_Exit(Code); }), testing::ExitedWithCode(6), "");
}

TEST_P(LifeDeathTest, ExitInsideATaskWithOthersOutstanding) {
  EXPECT_EXIT(
      {
        begin();
        static int X = 0;
        static int Y[100] = {};
        submit({section(HSCHED_INOUT, X)}, [] {
          for (int I = 0; I < 20; ++I)
            submit({section(HSCHED_INOUT, Y[I])}, [] {});
          std::exit(4);
        });
        for (int &E : Y)
          submit({section(HSCHED_IN, X), section(HSCHED_INOUT, E)},
                 [] { std::fputs("what depended on it\n", stderr); });
        hsched_taskwait(0);
      },
      testing::ExitedWithCode(4), "^hsched: error: the program ends inside a task: other tasks are not waited for\n$");
}

TEST_P(LifeDeathTest, ExitWhileTheMainThreadWaits) {
  EXPECT_EXIT(
      {
        begin();
        static std::atomic<int> X = 0; // Other asks while tasks count.
        for (int I = 0; I < 100; ++I)
          submit({section(HSCHED_INOUT, X)}, [] { ++X; });
        std::thread Other([] { std::exit(X <= 100 ? 3 : 1); });
        for (;;)
          hsched_taskwait(0);
      },
      testing::ExitedWithCode(3), "");
}

// --- threads

TEST_P(LifeDeathTest, AThreadMayEndBeforeItsTasks) {
  EXPECT_EXIT(
      {
        begin();
        static int X = 0;
        std::promise<void> Go;
        std::shared_future<void> Gone = Go.get_future().share();
        bool Calls = std::string(GetParam()) == "1";
        for (int Round = 0; Round < 5; ++Round)
          std::thread([&] {
            if (!Calls)
              submit({section(HSCHED_INOUT, X)}, [Gone] { Gone.wait(); });
            for (int I = 0; I < 100; ++I)
              submit({section(HSCHED_INOUT, X)}, [] { ++X; });
          }).join();
        Go.set_value();
        hsched_taskwait(0);
        std::exit(X == 500 ? 3 : 1);
      },
      testing::ExitedWithCode(3), "");
}

TEST_P(LifeDeathTest, ForeignThreadsOnOneCpu) {
  EXPECT_EXIT(
      {
        begin();
        cpu_set_t One;
        CPU_ZERO(&One);
        CPU_SET(sched_getcpu(), &One);
        if (sched_setaffinity(0, sizeof(One), &One) != 0)
          std::exit(3);
        static std::atomic<int> Right{0};
        std::vector<std::thread> All;
        for (int T = 0; T < 6; ++T)
          All.emplace_back([] {
            for (int Round = 0; Round < 30; ++Round) {
              int X = 0;
              for (int I = 0; I < 20; ++I)
                submit({section(HSCHED_INOUT, X)}, [&X] {
                  int Y = 0;
                  submit({section(HSCHED_INOUT, Y)}, [&Y] { ++Y; });
                  hsched_taskwait(0);
                  X += Y;
                });
              hsched_access Named = section(HSCHED_IN, X);
              Round % 2 ? hsched_taskwait(0) : hsched_taskwait_on(&Named, 1, 0);
              Right += X == 20;
            }
          });
        for (std::thread &T : All)
          T.join();
        std::exit(Right == 180 ? 3 : 1);
      },
      testing::ExitedWithCode(3), "");
}

using LifeOnceDeathTest = InFreshProcess<testing::Test>;

constexpr long MostPages = 140;

TEST_F(LifeOnceDeathTest, TheAffinityMaskSaysHowManyWorkers) {
  EXPECT_EXIT(
      {
        cpu_set_t One;
        CPU_ZERO(&One);
        CPU_SET(sched_getcpu(), &One);
        if (sched_setaffinity(0, sizeof(One), &One) != 0)
          std::exit(8);
        std::exit(static_cast<int>(hsched_default_grain(64))); // Eight chunks a worker.
      },
      testing::ExitedWithCode(8), "");
}

// Tables, queues and slabs are touched when they are used: a short program pays for each page.
TEST_F(LifeOnceDeathTest, TheStartTouchesLittleMemory) {
#if HSCHED_ASAN || HSCHED_TSAN
  GTEST_SKIP() << "a sanitizer touches memory of its own";
#endif
  rusage Its{};
  if (getrusage(RUSAGE_SELF, &Its) != 0 || Its.ru_minflt == 0)
    GTEST_SKIP() << "page faults are not counted here";
  EXPECT_EXIT(
      {
        setenv("HSCHED_NCPU", "2", 1);
        setenv("HSCHED_OPENCL", "0", 1);
        auto faults = [] {
          rusage Used;
          return getrusage(RUSAGE_SELF, &Used) == 0 ? Used.ru_minflt : 0;
        };
        const long Before = faults();
        submit({}, [] {});
        hsched_taskwait(0);
        const long Pages = faults() - Before;
        std::fprintf(stderr, "%ld pages", Pages);
        std::exit(Pages > 0 && Pages < MostPages ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// Stacks of that size cannot be had, so no thread can be made from here on.
TEST_P(LifeDeathTest, ThreadsMayNotBeMade) {
  EXPECT_EXIT(
      {
        pthread_attr_t Large;
        pthread_attr_init(&Large);
        if (pthread_attr_setstacksize(&Large, size_t(1) << 50) != 0 || pthread_setattr_default_np(&Large) != 0)
          std::exit(1);
        static std::atomic<int> Ran{0};
        long X = 0;
        for (int I = 0; I < 100; ++I) {
          submit({}, [] {
            submit({}, [] { ++Ran; });
            hsched_taskwait(0);
            ++Ran;
          });
          submit({section(HSCHED_INOUT, X)}, [&X] { ++X; });
        }
        hsched_taskwait(0);
        std::exit(Ran == 200 && X == 100 ? 3 : 1);
      },
      testing::ExitedWithCode(3), "");
}

// --- processes

TEST(Processes, OthersAreStartedWhileTasksRun) {
  HSCHED_SKIP_FORK;
  int X = 0;
  for (int Round = 0; Round < 5; ++Round) {
    for (int I = 0; I < 100; ++I)
      submit({section(HSCHED_INOUT, X)}, [&X] { ++X; });
    pid_t Child = fork();
    if (Child == 0) {
      execl("/bin/true", "true", static_cast<char *>(nullptr));
      _exit(1);
    }
    pid_t Spawned;
    char Name[] = "true", *Arguments[] = {Name, nullptr};
    ASSERT_EQ(posix_spawn(&Spawned, "/bin/true", nullptr, nullptr, Arguments, environ), 0);
    submit({section(HSCHED_INOUT, X)}, [] { EXPECT_EQ(std::system("exit 3"), 3 << 8); });
    for (pid_t P : {Child, Spawned}) {
      int Status = 0;
      ASSERT_EQ(waitpid(P, &Status, 0), P);
      EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0);
    }
    hsched_taskwait(0);
  }
  EXPECT_EQ(X, 500);
}

TEST(Processes, SubmissionsFailInTheChildOfAForkInsideATask) {
  HSCHED_SKIP_FORK;
  std::string Said;
  submit({}, [&Said] {
    int Ends[2];
    ASSERT_EQ(pipe(Ends), 0);
    pid_t Child = fork();
    if (Child == 0) {
      std::string Why = "nothing";
      try {
        submit({}, [] {});
      } catch (const hsched::task_error &E) {
        Why = E.what();
      }
      _exit(write(Ends[1], Why.data(), Why.size()) < 0);
    }
    close(Ends[1]);
    char Buffer[500];
    for (ssize_t N; (N = read(Ends[0], Buffer, sizeof(Buffer))) > 0;)
      Said.append(Buffer, static_cast<size_t>(N));
    close(Ends[0]);
    waitpid(Child, nullptr, 0);
  });
  hsched_taskwait(0);
  EXPECT_NE(Said.find("task 'function' failed: the process was forked after its first task"), std::string::npos)
      << Said;
}

// Threads that are at work in the runtime at the moment of the fork hold locks that no thread releases in the child.
TEST(Processes, AForkedChildOfAProgramWithFineTasksMayExit) {
  HSCHED_SKIP_FORK;
  std::atomic<bool> Stop{false};
  std::vector<std::thread> Busy;
  for (int I = 0; I < 3; ++I)
    Busy.emplace_back([&Stop] {
      while (!Stop.load()) {
        std::thread([] {
          long X = 0;
          for (int Task = 0; Task < 200; ++Task)
            submit({section(HSCHED_INOUT, X)}, [&X] { ++X; });
          hsched_taskwait(0);
        }).join();
      }
    });
  for (int Round = 0; Round < 200; ++Round) {
    submit({}, [] {}); // This thread has blocks of its own.
    pid_t Child = fork();
    if (Child == 0) {
      InForkedChild = true;
      alarm(20);
      std::exit(0);
    }
    int Status = 0;
    ASSERT_EQ(waitpid(Child, &Status, 0), Child);
    ASSERT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0) << "round " << Round << ": status " << Status;
  }
  Stop = true;
  for (std::thread &T : Busy)
    T.join();
  hsched_taskwait(0);
}

// --- libraries

TEST(Libraries, OneWithTasksStaysWhereItIs) {
  for (int Round = 0; Round < 2; ++Round) {
    void *Library = dlopen(TEST_TASK_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(Library, nullptr) << dlerror();
    auto *AddLater = reinterpret_cast<void (*)(int *, int)>(dlsym(Library, "add_later"));
    ASSERT_NE(AddLater, nullptr);
    int X = 1;
    for (int I = 0; I < 50; ++I)
      AddLater(&X, 2);
    dlclose(Library); // With its tasks outstanding.
    hsched_taskwait(0);
    EXPECT_EQ(X, 101);
    AddLater(&X, 1);
    hsched_taskwait(0);
    EXPECT_EQ(X, 102);
  }
}

// --- the watchdog

TEST_F(LifeOnceDeathTest, TheWatchdogWritesToTheLog) {
  EXPECT_EXIT(
      {
        setenv("HSCHED_WATCHDOG", "1", 1);
        static int Ends[2];
        if (pipe(Ends) != 0 || dup2(Ends[1], 2) < 0)
          std::exit(1);
        submit({}, [] { // Runs until the log says so.
          std::string Said;
          char C;
          while (Said.find("\n    task 1 'function': runs on CPU ") == std::string::npos && read(Ends[0], &C, 1) == 1)
            Said += C;
          std::exit(Said.find("hsched: warning: watchdog: for 1.") != std::string::npos ? 7 : 2);
        });
        hsched_taskwait(0);
      },
      testing::ExitedWithCode(7), "");
}

} // namespace
