// Traces, graphs and statistics of programs that do not come to their end.
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
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace hsched::test;

namespace {

constexpr bool Sanitized = HSCHED_ASAN || HSCHED_TSAN; // It handles faults itself.

class SignalReportDeathTest : public InFreshProcess<testing::Test> {
protected:
  SignalReportDeathTest() {
    Folder = testing::TempDir() + "/hsched-last-words-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(Folder);
  }
  ~SignalReportDeathTest() override { std::filesystem::remove_all(Folder); } // Not in a child that ended before.
  std::string trace() const { return Folder + "/trace.json"; }
  std::string graph() const { return Folder + "/graph.dot"; }

  // In a process of its own: thirty tasks, with everything that can be written.
  void runSome() const {
    setenv("HSCHED_TRACE", trace().c_str(), 1);
    setenv("HSCHED_GRAPH", graph().c_str(), 1);
    setenv("HSCHED_STATS", "1", 1);
    static int X[3];
    for (int I = 0; I < 30; ++I)
      submit({section(HSCHED_INOUT, X[I % 3])}, [I] { ++X[I % 3]; });
    hsched_taskwait(0);
  }

  static size_t count(const std::string &File, const std::string &Part) {
    std::ifstream In(File);
    const std::string Text{std::istreambuf_iterator<char>(In), {}};
    size_t N = 0;
    for (size_t At = 0; (At = Text.find(Part, At)) != std::string::npos; At += Part.size())
      ++N;
    return N;
  }
  void expectAllWritten(size_t Tasks = 30) const {
    EXPECT_EQ(count(trace(), R"("cat":"task")"), Tasks);
    EXPECT_EQ(count(trace(), "\n]}"), 1u) << "the trace does not come to its end";
    EXPECT_EQ(count(graph(), "durationNs="), Tasks);
    EXPECT_EQ(count(graph(), "->"), Tasks - 3);
  }
  std::string Folder;
};

// What HSCHED_STATS says.
constexpr const char *Table = "30 tasks|30 +";

TEST_F(SignalReportDeathTest, ASignalThatEndsTheProgram) {
  for (int Signal : {SIGTERM, SIGINT, SIGHUP, SIGABRT}) {
    EXPECT_EXIT(
        {
          runSome();
          raise(Signal);
          std::exit(9);
        },
        testing::KilledBySignal(Signal), Table);
    expectAllWritten();
  }
}

TEST_F(SignalReportDeathTest, SentByAnotherProcessWhileATaskRuns) {
  EXPECT_EXIT(
      {
        runSome();
        static std::atomic<bool> Runs{false};
        submit({}, [] {
          Runs = true;
          for (;;)
            pause();
        });
        std::thread Sender([] {
          while (!Runs)
            std::this_thread::yield();
          kill(getpid(), SIGTERM);
        });
        hsched_taskwait(0);
        std::exit(9);
      },
      testing::KilledBySignal(SIGTERM), Table);
  EXPECT_GE(count(trace(), R"("cat":"task")"), 30u);
  EXPECT_GE(count(graph(), "durationNs="), 30u); // A call that runs is no task yet.
}

TEST_F(SignalReportDeathTest, AFault) {
  if (Sanitized)
    GTEST_SKIP() << "a sanitizer handles faults itself";
  for (int Signal : {SIGSEGV, SIGFPE}) {
    EXPECT_EXIT(
        {
          runSome();
          if (Signal == SIGSEGV)
            *static_cast<volatile int *>(nullptr) = 1;
          raise(Signal);
          std::exit(9);
        },
        testing::KilledBySignal(Signal), Table);
    expectAllWritten();
  }
}

TEST_F(SignalReportDeathTest, AnUncaughtException) {
  EXPECT_EXIT(
      {
        runSome();
        std::thread([] { throw std::runtime_error("not caught"); }).join();
      },
      testing::KilledBySignal(SIGABRT), "not caught");
  expectAllWritten();
}

TEST_F(SignalReportDeathTest, ATerminateHandlerOfTheProgramsIsCalled) {
  EXPECT_EXIT(
      {
        std::set_terminate([] { std::_Exit(5); });
        runSome();
        std::terminate();
      },
      testing::ExitedWithCode(5), Table);
  expectAllWritten();
}

TEST_F(SignalReportDeathTest, ExitInsideATask) {
  EXPECT_EXIT(
      {
        runSome();
        submit({}, [] { std::exit(4); });
        hsched_taskwait(0);
      },
      testing::ExitedWithCode(4), Table);
  EXPECT_GE(count(trace(), R"("cat":"task")"), 30u);
}

TEST_F(SignalReportDeathTest, AHandlerOfTheProgramsStays) {
  EXPECT_EXIT(
      {
        std::signal(SIGTERM, [](int) { std::_Exit(6); });
        std::signal(SIGINT, SIG_IGN);
        runSome();
        raise(SIGINT);
        raise(SIGTERM);
        std::exit(9);
      },
      testing::ExitedWithCode(6), "");
  EXPECT_EQ(count(trace(), "task"), 0u);
}

TEST_F(SignalReportDeathTest, AHandlerThatIsSetLaterStays) {
  EXPECT_EXIT(
      {
        runSome();
        std::signal(SIGTERM, [](int) { std::_Exit(6); });
        raise(SIGTERM);
        std::exit(9);
      },
      testing::ExitedWithCode(6), "");
}

TEST_F(SignalReportDeathTest, WhereNothingIsToBeWrittenActionsStayAsTheyAre) {
  EXPECT_EXIT(
      {
        submit({}, [] {});
        hsched_taskwait(0);
        struct sigaction Now{};
        sigaction(SIGTERM, nullptr, &Now);
        std::exit(Now.sa_handler == SIG_DFL ? 7 : 8);
      },
      testing::ExitedWithCode(7), "");
}

// The child has no thread that could write.
TEST_F(SignalReportDeathTest, AForkedChildEndsAtOnce) {
  HSCHED_SKIP_FORK;
  EXPECT_EXIT(
      {
        runSome();
        pid_t Child = fork();
        if (Child == 0) {
          raise(SIGTERM);
          _exit(9);
        }
        int Status = 0;
        waitpid(Child, &Status, 0);
        std::exit(WIFSIGNALED(Status) && WTERMSIG(Status) == SIGTERM ? 3 : 9);
      },
      testing::ExitedWithCode(3), Table);
  expectAllWritten();
}

} // namespace
