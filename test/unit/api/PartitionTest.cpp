// Programs on the parts of one device: which ran, with what result, and what happens when one of them is lost.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Incrementer.h"
#include "PartitionLayer.h"

#include <hsched/hsched.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <ostream>
#include <string>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <vector>

using namespace hsched::test;

namespace {

struct Way {
  const char *Selection, *Layer;
  bool Copy = true;
};
std::ostream &operator<<(std::ostream &Out, const Way &W) { return Out << W.Selection; }

// What any thread writes to the standard error stream while this object lives.
class StderrInFile {
public:
  StderrInFile() : File(std::tmpfile()), Saved(dup(STDERR_FILENO)) { dup2(fileno(File), STDERR_FILENO); }
  ~StderrInFile() {
    dup2(Saved, STDERR_FILENO);
    close(Saved);
    std::fclose(File);
  }
  std::string text() const {
    std::string Text(1 << 16, '\0');
    ssize_t Length = pread(fileno(File), Text.data(), Text.size(), 0);
    Text.resize(Length > 0 ? static_cast<size_t>(Length) : 0);
    return Text;
  }

private:
  std::FILE *File;
  int Saved;
};

// Ctest runs each test in a process of its own: the environment is read once.
class Parts : public testing::Test {
protected:
  void start(const Way &W, const char *Policy) {
    if (std::thread::hardware_concurrency() < 2)
      GTEST_SKIP() << "one core cannot be split";
    setenv("OPENCL_LAYERS", TEST_LAYER, 1);
    setenv("HSCHED_TEST_PARTS", W.Layer, 1);
    setenv("HSCHED_OPENCL", W.Selection, 1);
    setenv("HSCHED_OPENCL_COPY", W.Copy ? "1" : "0", 1);
    setenv("HSCHED_SCHED", Policy, 1);
    setenv("HSCHED_NCPU", "1", 1);
    Task.Kernel.source = Source;
    Task.Kernel.source_bytes = std::strlen(Source);
    int Dummy = 0;
    submit({section(HSCHED_INOUT, Dummy)}, [] {}); // Finds the devices.
    hsched_taskwait(0);
    void *Handle = dlopen(TEST_LAYER, RTLD_NOW | RTLD_NOLOAD);
    if (!Handle)
      GTEST_SKIP() << "no OpenCL here, or a loader without layers";
    find(Made, Handle, "hsched_test_parts_made");
    find(Ran, Handle, "hsched_test_parts_ran");
    find(Forget, Handle, "hsched_test_parts_forget");
    find(Lose, Handle, "hsched_test_parts_lose");
    Forget(); // What was tried when they were opened.
  }
  template <class Fn> static void find(Fn *&Out, void *Handle, const char *Name) {
    Out = reinterpret_cast<Fn *>(dlsym(Handle, Name));
    ASSERT_TRUE(Out) << Name;
  }

  // A task for each vector, all at once; then all are at home and as they should be.
  void round() {
    for (auto &X : Data)
      Task.submit(X.data(), X.size());
    hsched_taskwait(0);
    ++Rounds;
    for (auto &X : Data)
      ASSERT_TRUE(std::ranges::all_of(X, [&](unsigned char V) { return V == static_cast<unsigned char>(Rounds); }));
  }
  // Rounds until each part has run something: on a busy machine one may do it all for a while.
  void roundsUntilAllRan() {
    auto AllRan = [&] {
      for (unsigned P = 0; P < Made(); ++P)
        if (!Ran(P))
          return false;
      return true;
    };
    for (int I = 0; I < 1000 && !AllRan() && !HasFatalFailure(); ++I)
      round();
  }
  unsigned ranInAll() const {
    unsigned Sum = 0;
    for (unsigned P = 0; P < Made(); ++P)
      Sum += Ran(P);
    return Sum;
  }

  static constexpr const char *Source =
      "kernel void increment(global uchar *x, ulong at) { ++x[at + get_global_id(0)]; }";
  static inline Incrementer Task{"increment"};
  std::vector<std::array<unsigned char, 4096>> Data{16};
  unsigned Rounds = 0;
  decltype(hsched_test_parts_made) *Made = nullptr;
  decltype(hsched_test_parts_ran) *Ran = nullptr;
  decltype(hsched_test_parts_forget) *Forget = nullptr;
  decltype(hsched_test_parts_lose) *Lose = nullptr;
};
struct Partition : Parts, testing::WithParamInterface<Way> {};
// With memory of its own a transfer is the first thing that fails, else a launch.
struct LosingAPart : Parts, testing::WithParamInterface<std::tuple<const char *, bool>> {};
INSTANTIATE_TEST_SUITE_P(Policies, LosingAPart,
                         testing::Combine(testing::Values("eager", "versioning"), testing::Bool()),
                         [](const auto &Info) {
                           return std::string(std::get<0>(Info.param)) + (std::get<1>(Info.param) ? "" : "InPlace");
                         });
INSTANTIATE_TEST_SUITE_P(Ways, Partition,
                         testing::Values(Way{"cpu/2", ""}, Way{"cpu/1+1", ""}, Way{"cpu/numa", "numa:1+1"},
                                         Way{"cpu/numa", "numa:1+1", false}, Way{"cpu/l1", "l1:1+1"},
                                         Way{"cpu/l2", "l2:1+1"}, Way{"cpu/l3", "l3:1+1"}),
                         [](const auto &Info) {
                           std::string Name = Info.param.Selection + 4;
                           std::ranges::replace(Name, '+', 'x');
                           return "By" + Name + (Info.param.Copy ? "" : "InPlace");
                         });

TEST_P(Partition, AllPartsRunTasks) {
  start(GetParam(), "eager"); // An idle worker takes the next one.
  if (IsSkipped() || HasFatalFailure())
    return;
  ASSERT_GE(Made(), 2u) << "nothing was split";
  roundsUntilAllRan();
  for (unsigned P = 0; P < Made(); ++P)
    EXPECT_GT(Ran(P), 0u) << P;
  EXPECT_EQ(ranInAll(), Rounds * Data.size()) << "each task once, on a part";
  if (!GetParam().Copy)
    return;
  auto ByDevice = hsched::traffic_counters(hsched::traffic_by::device);
  for (const char *Number : {"#0.0", "#0.1"})
    EXPECT_EQ(
        std::ranges::count_if(
            ByDevice, [&](const auto &D) { return std::string_view(D.device).ends_with(Number) && D.input_bytes; }),
        1)
        << Number;
}

// What waits for the lost part, and what it refuses, runs on the other one: all data are at home.
TEST_P(LosingAPart, TheOtherOneTakesOver) {
  start({"cpu/numa", "numa:1+1", std::get<1>(GetParam())}, std::get<0>(GetParam()));
  if (IsSkipped() || HasFatalFailure())
    return;
  ASSERT_GE(Made(), 2u);
  roundsUntilAllRan();
  EXPECT_GT(Ran(1), 0u);
  // The loss is noticed by a task, or between two rounds by the thread that measures the device's link.
  StderrInFile Captured;
  Lose(1);
  Forget();
  const unsigned Before = Rounds;
  auto some = [&] {
    for (int I = 0; I < 10 && !HasFatalFailure(); ++I)
      round();
  };
  // On a busy machine the other part may do it all for a while.
  for (int I = 0; I < 2000 && Captured.text().find("is lost") == std::string::npos && !HasFatalFailure(); ++I)
    some();
  some();
  const std::string Log = Captured.text();
  EXPECT_EQ(Ran(1), 0u);
  EXPECT_EQ(Ran(0), (Rounds - Before) * Data.size());
  size_t ReportAt = Log.find("#0.1' is lost, and gets no more tasks");
  EXPECT_NE(ReportAt, std::string::npos) << Log;
  EXPECT_EQ(Log.find("is lost", ReportAt + 10), std::string::npos) << Log;
}

} // namespace
