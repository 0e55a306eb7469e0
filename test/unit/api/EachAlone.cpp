// Runs each test in a process of its own: the runtime starts once in a process, with the settings of the first test.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdlib>
#include <spawn.h>
#include <string>
#include <sys/wait.h>

namespace {

// True if the test passes.
bool passesAlone(const std::string &Name) {
  std::string Program = "/proc/self/exe", Filter = "--gtest_filter=" + Name;
  char *Words[] = {Program.data(), Filter.data(), nullptr};
  pid_t Child = 0;
  int Status = -1;
  return posix_spawn(&Child, Program.c_str(), nullptr, nullptr, Words, environ) == 0 &&
         waitpid(Child, &Status, 0) == Child && WIFEXITED(Status) && WEXITSTATUS(Status) == 0;
}

// The filter has been applied at this event.
class Separate : public ::testing::EmptyTestEventListener {
  void OnTestIterationStart(const ::testing::UnitTest &All, int) override {
    if (All.test_to_run_count() <= 1)
      return;
    int Failed = 0;
    for (int S = 0; S != All.total_test_suite_count(); ++S)
      for (int T = 0; T != All.GetTestSuite(S)->total_test_count(); ++T)
        if (const auto *Its = All.GetTestSuite(S)->GetTestInfo(T); Its->should_run())
          Failed += !passesAlone(std::string(Its->test_suite_name()) + "." + Its->name());
    std::printf("%d of %d tests failed\n", Failed, All.test_to_run_count());
    std::exit(Failed != 0);
  }
};

} // namespace

int main(int ArgumentCount, char **Arguments) {
  ::testing::InitGoogleTest(&ArgumentCount, Arguments);
  ::testing::UnitTest::GetInstance()->listeners().Append(new Separate);
  return RUN_ALL_TESTS();
}
