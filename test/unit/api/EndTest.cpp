// The end of a program, and processes that fork.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HandWritten.h"
#include "Processes.h"

#include <hsched/hsched.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hsched::test;

// What another thread has just allocated, and kept nowhere yet, when the process forks is lost in the child.
#pragma GCC visibility push(default) // LeakSanitizer asks for it by name.
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() { return hsched::test::InForkedChild; }
#pragma GCC visibility pop

namespace {

using EndDeathTest = InFreshProcess<testing::Test>;

TEST_F(EndDeathTest, ExitWaitsForWhatIsOutstanding) {
  EXPECT_EXIT(
      {
        static int X = 0;
        for (int I = 0; I < 50; ++I)
          submit({section(HSCHED_INOUT, X)}, [] {
            if (++X == 50)
              std::fputs("all have run\n", stderr);
          });
        std::exit(3);
      },
      testing::ExitedWithCode(3), "all have run");
}

TEST_F(EndDeathTest, AFailureWithoutAWaitIsLogged) {
  EXPECT_EXIT(
      {
        static int X = 0;
        submit({section(HSCHED_INOUT, X)}, [] { throw std::runtime_error("lost words"); });
        std::exit(0);
      },
      testing::ExitedWithCode(0), "hsched: error: .*lost words");
}

TEST_F(EndDeathTest, ExitInsideATaskDoesNotHang) {
  EXPECT_EXIT(
      {
        static int X = 0;
        submit({section(HSCHED_INOUT, X)}, [] { std::exit(4); });
        hsched_taskwait(0);
      },
      testing::ExitedWithCode(4), "inside a task");
}

// While static objects end, a waiting thread does not run further tasks. Only a task that it had already taken is run.
TEST_F(EndDeathTest, ExitInsideATaskLeavesWhatHasNotBegun) {
  EXPECT_EXIT(
      {
        static std::atomic<bool> Over{false};
        static std::atomic<unsigned> After{0};
        struct Last { // Made before the runtime, so it ends after it.
          ~Last() {
            Over = true;
            const unsigned Threads = std::thread::hardware_concurrency() + 8;
            for (auto Until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
                 After <= Threads && std::chrono::steady_clock::now() < Until;)
              std::this_thread::yield();
            std::_Exit(After > Threads ? 1 : 4);
          }
        };
        static Last L;
        static int X[2000];
        for (int I = 0; I < 2000; ++I)
          submit({section(HSCHED_INOUT, X[I])}, [I] {
            After += Over;
            if (I == 20)
              std::exit(0);
            for (auto Until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
                 std::chrono::steady_clock::now() < Until;)
              std::this_thread::yield();
          });
        hsched_taskwait(0);
      },
      testing::ExitedWithCode(4), "inside a task");
}

// A library that reports its own work to the engine's observers may request a number late.
extern "C" unsigned hsched_watch_worker(void);

TEST_F(EndDeathTest, AnotherLibrarysWorkersAreNumberedAfterIt) {
  EXPECT_EXIT(
      {
        struct Last { // Made before the runtime, so it ends after it.
          ~Last() {
            const unsigned First = hsched_watch_worker();
            std::_Exit(hsched_watch_worker() == First + 1 ? 5 : 1);
          }
        };
        static Last L;
        static int X = 0;
        submit({section(HSCHED_INOUT, X)}, [] { X = 1; });
        hsched_taskwait(0);
        std::exit(0);
      },
      testing::ExitedWithCode(5), "");
}

TEST_F(EndDeathTest, HelpListsPoliciesAndTheProgramRuns) {
  EXPECT_EXIT(
      {
        setenv("HSCHED_SCHED", "help", 1);
        static int X = 0;
        submit({section(HSCHED_INOUT, X)}, [] { X = 1; });
        hsched_taskwait(0);
        std::exit(X);
      },
      testing::ExitedWithCode(1), "adaptive(.|\n)*default");
}

TEST_F(EndDeathTest, AnUnknownPolicyIsAWarning) {
  EXPECT_EXIT(
      {
        setenv("HSCHED_SCHED", "fastest", 1);
        static int X = 0;
        submit({section(HSCHED_INOUT, X)}, [] { X = 1; });
        hsched_taskwait(0);
        std::exit(X);
      },
      testing::ExitedWithCode(1), "warning: HSCHED_SCHED=fastest(.|\n)*eager");
}

TEST(Fork, SubmissionsAndWaitsFailInTheChild) {
  HSCHED_SKIP_FORK;
  int X = 0;
  submit({section(HSCHED_INOUT, X)}, [&] { X = 1; });
  hsched_taskwait(0);
  pid_t Child = fork();
  if (Child == 0) {
    hsched::test::InForkedChild = true;
    int Result = 0;
    try {
      submit({section(HSCHED_INOUT, X)}, [] {});
    } catch (const hsched::task_error &E) {
      Result |= E.cause().find("fork") != std::string::npos ? 1 : 0;
    }
    try {
      hsched_taskwait(0);
    } catch (const hsched::task_error &) {
      Result |= 2;
    }
    std::exit(Result); // Runs the exit handlers, which must not wait for threads that are not here.
  }
  int Status = 0;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_TRUE(WIFEXITED(Status));
  EXPECT_EQ(WEXITSTATUS(Status), 3);
  submit({section(HSCHED_INOUT, X)}, [&] { X = 2; });
  hsched_taskwait(0);
  EXPECT_EQ(X, 2);
}

// Memory of hsched_malloc is anyone's, also a child's that was made while other threads asked for some.
TEST(Fork, TheChildHasTheHostsMemory) {
  HSCHED_SKIP_FORK;
  int X = 0;
  submit({section(HSCHED_INOUT, X)}, [&] { X = 1; });
  hsched_taskwait(0);
  std::atomic<bool> Enough{false};
  std::vector<std::thread> Others;
  for (int I = 0; I < 2; ++I)
    Others.emplace_back([&] {
      while (!Enough)
        hsched_free(hsched_malloc(1));
    });
  void *Before = hsched_malloc(100);
  int Wrong = 0;
  for (int Round = 0; Round < 300 && !Wrong; ++Round) {
    pid_t Child = fork();
    if (Child == 0) {
      alarm(60); // Instead of for ever.
      hsched_free(Before);
      void *After = hsched_malloc(100);
      bool Got = After != nullptr;
      hsched_free(After);
      _exit(Got ? 0 : 1);
    }
    int Status = 0;
    waitpid(Child, &Status, 0);
    Wrong = !WIFEXITED(Status) || WEXITSTATUS(Status) != 0;
  }
  Enough = true;
  for (std::thread &T : Others)
    T.join();
  hsched_free(Before);
  EXPECT_EQ(Wrong, 0);
}

using ForkDeathTest = InFreshProcess<testing::Test>;

TEST_F(ForkDeathTest, BeforeTheFirstTaskBothGoOn) {
  HSCHED_SKIP_FORK;
  EXPECT_EXIT(
      {
        pid_t Child = fork();
        int X = 0;
        submit({section(HSCHED_INOUT, X)}, [&] { X = 1; });
        hsched_taskwait(0);
        if (Child == 0)
          std::exit(X);
        int Status = 0;
        waitpid(Child, &Status, 0);
        std::exit(WIFEXITED(Status) ? X + WEXITSTATUS(Status) : 9);
      },
      testing::ExitedWithCode(2), "");
}

// Exits with the result of a child that forked while another thread started the runtime. The runtime opens both files,
// one after the other. When the other end of the first file is open, the runtime is starting. It stops before it opens
// the second file.
[[noreturn]] void forkWhileAnotherStarts() {
  char Folder[] = "/tmp/hsched-fork-XXXXXX";
  if (!mkdtemp(Folder))
    _exit(9);
  const std::string First = std::string(Folder) + "/trace", Second = std::string(Folder) + "/graph.dot";
  if (mkfifo(First.c_str(), 0600) != 0 || mkfifo(Second.c_str(), 0600) != 0)
    _exit(9);
  setenv("HSCHED_TRACE", First.c_str(), 1);
  setenv("HSCHED_GRAPH", Second.c_str(), 1);
  std::thread Other([] {
    submit({}, [] {});
    hsched_taskwait(0);
  });
  int FirstEnd = open(First.c_str(), O_RDONLY);
  pid_t Child = fork();
  if (Child == 0) {
    alarm(60); // Instead of for ever.
    try {
      submit({}, [] {});
    } catch (const hsched::task_error &E) {
      _exit(E.cause().find("fork") != std::string::npos ? 0 : 1);
    }
    _exit(2);
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  int SecondEnd = open(Second.c_str(), O_RDONLY);
  Other.join();
  unlink(First.c_str());
  unlink(Second.c_str());
  rmdir(Folder);
  _exit(FirstEnd < 0 || SecondEnd < 0 || !WIFEXITED(Status) ? 9 : 5 + WEXITSTATUS(Status));
}

TEST_F(ForkDeathTest, WhileAnotherThreadStartsSubmissionsFailInTheChild) {
  HSCHED_SKIP_FORK;
  EXPECT_EXIT(forkWhileAnotherStarts(), testing::ExitedWithCode(5), "");
}

} // namespace
