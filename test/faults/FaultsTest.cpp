// OpenCL calls that fail or stall: the program gives the right results, or its wait throws. Each run is a process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Faults.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>

using namespace hsched::test;

namespace {

struct Result {
  std::string Text; // standard output, and the log
  int Status = -1;
  unsigned Faults = 0, Calls = 0;
  bool FirstThrew = false, FirstRight = false, SecondRight = false;
  size_t count(const std::string &Part) const {
    size_t N = 0;
    for (size_t At = 0; (At = Text.find(Part, At)) != std::string::npos; At += Part.size())
      ++N;
    return N;
  }
};

unsigned numberAfter(const std::string &Text, const std::string &Word) {
  size_t At = Text.find("\n" + Word);
  return At == std::string::npos
             ? 0
             : static_cast<unsigned>(std::strtoul(Text.c_str() + At + 1 + Word.size(), nullptr, 10));
}

Result run(const std::string &Faults, const std::string &Environment, const std::string &Mode = "") {
  // A kernel cache would take builds away. A hang is a failure.
  std::string Command = "HSCHED_NCPU=1 HSCHED_CACHE=0 HSCHED_WATCHDOG=20 " + Environment + " HSCHED_TEST_FAULTS='" +
                        Faults + "' timeout 120 " TEST_PROGRAM " " TEST_LAYER " " + Mode + " 2>&1";
  Result R;
  std::unique_ptr<FILE, int (*)(FILE *)> Pipe(popen(Command.c_str(), "r"), nullptr);
  if (!Pipe)
    return R;
  char Buffer[4096];
  while (size_t N = std::fread(Buffer, 1, sizeof(Buffer), Pipe.get()))
    R.Text.append(Buffer, N);
  R.Status = pclose(Pipe.release());
  std::string Lines = "\n" + R.Text;
  R.Faults = numberAfter(Lines, "faults ");
  R.Calls = numberAfter(Lines, "calls ");
  size_t Right = Lines.find("\nright\n"), Threw = Lines.find("\nthrew ");
  R.FirstThrew = Threw < Right;
  R.FirstRight = Right < Threw;
  R.SecondRight = Lines.rfind("\nright\n") != std::string::npos && (R.FirstThrew || R.count("right\n") == 2);
  return R;
}

// The same, again where no fault has happened before the repetition: on a busy machine the CPU may do everything before
// the device's thread wakes up.
Result runUntilFault(const std::string &Faults, const std::string &Environment, const std::string &Mode = "") {
  Result R = run(Faults, Environment, Mode);
  for (unsigned Tries = 1; R.Status == 0 && R.Faults == 0 && Tries < 20; ++Tries)
    R = run(Faults, Environment, Mode);
  return R;
}

const std::string InPlace = "HSCHED_SCHED=eager ", Copied = "HSCHED_SCHED=eager HSCHED_OPENCL_COPY=1 ",
                  Learning = "HSCHED_OPENCL_COPY=1 HSCHED_SCHED=versioning ";

enum class Ends { Right, RightOrThrown, Thrown };

struct Case {
  const char *Name, *Faults;
  Ends InPlaceEnds, CopiedEnds;
  bool AlsoOnDeviceAlone = false; // what is to be tried again needs no other version
};
std::ostream &operator<<(std::ostream &Out, const Case &C) { return Out << C.Faults; }

const Case Cases[] = {
    {"NoContext", "clCreateContext:1+=-6", Ends::Right, Ends::Right},
    {"NoMemory", "clCreateBuffer:3+=-4", Ends::Right, Ends::Right},
    {"NoMemoryOnce", "clCreateBuffer:4=-4", Ends::Right, Ends::Right},
    {"NoResourcesForABuffer", "clCreateBuffer:4=-5", Ends::Right, Ends::Right},
    {"NoBuild", "clBuildProgram:1+=-11", Ends::Right, Ends::Right},
    {"NoHostMemoryForABuild", "clBuildProgram:1=-6", Ends::Right, Ends::Right},
    {"NoKernel", "clCreateKernel:1=-6", Ends::Right, Ends::Right},
    {"NoArgument", "clSetKernelArg:9=-6", Ends::Right, Ends::Right},
    {"LaunchRefused", "clEnqueueNDRangeKernel:2=-5", Ends::Right, Ends::Right},
    {"LaunchesRefused", "clEnqueueNDRangeKernel:3+=-5", Ends::Right, Ends::Right},
    {"LaunchWithoutMemory", "clEnqueueNDRangeKernel:2=-4", Ends::Right, Ends::Right, true},
    {"KernelFails", "clEnqueueNDRangeKernel:2!-5", Ends::RightOrThrown, Ends::RightOrThrown},
    {"ALaterKernelFails", "clEnqueueNDRangeKernel:6!-5", Ends::RightOrThrown, Ends::RightOrThrown},
    {"KernelsFail", "clEnqueueNDRangeKernel:1+!-5", Ends::RightOrThrown, Ends::RightOrThrown},
    {"Late", "*:1+~1", Ends::Right, Ends::Right, true},
    {"ALongWay", "clEnqueueNDRangeKernel:3~200", Ends::Right, Ends::Right, true},
};
// These need transfers.
const Case TransferCases[] = {
    {"UploadRefused", "clEnqueueWriteBuffer:7=-5", Ends::Right, Ends::Right, true},
    {"UploadsRefused", "clEnqueueWriteBuffer:7+=-5", Ends::Right, Ends::RightOrThrown},
    {"UploadFails", "clEnqueueWriteBuffer:7!-5", Ends::Right, Ends::Right, true},
    {"UploadFailsLoosely", "loose,clEnqueueWriteBuffer:7!-5", Ends::Right, Ends::RightOrThrown},
    {"UploadsFail", "clEnqueueWriteBuffer:7+!-5", Ends::Right, Ends::RightOrThrown},
    {"UploadsFailLoosely", "loose,clEnqueueWriteBuffer:7+!-5", Ends::Right, Ends::RightOrThrown},
    {"UploadWithoutMemory", "clEnqueueWriteBuffer:8!-4", Ends::Right, Ends::Right},
    {"DownloadRefused", "clEnqueueReadBuffer:1=-5", Ends::Right, Ends::Right, true},
    {"DownloadFails", "clEnqueueReadBuffer:1!-5", Ends::Right, Ends::Right, true},
    {"DownloadsRefused", "clEnqueueReadBuffer:1+=-5", Ends::Right, Ends::Thrown},
    {"DownloadsFail", "clEnqueueReadBuffer:1+!-5", Ends::Right, Ends::Thrown},
    {"CopyRefused", "clEnqueueCopyBuffer:1=-5", Ends::Right, Ends::Right, true},
    {"CopyFails", "clEnqueueCopyBuffer:1!-5", Ends::Right, Ends::RightOrThrown},
    {"CopyFailsLoosely", "loose,clEnqueueCopyBuffer:1!-5", Ends::Right, Ends::RightOrThrown},
};

void expect(const Result &R, Ends As, bool SecondToo = true) {
  EXPECT_EQ(R.Status, 0) << R.Text;
  EXPECT_GT(R.Faults, 0u) << "no fault has happened\n" << R.Text;
  EXPECT_EQ(R.Text.find("wrong"), std::string::npos) << R.Text;
  EXPECT_EQ(R.Text.find("watchdog"), std::string::npos) << R.Text;
  EXPECT_TRUE((R.FirstRight && As != Ends::Thrown) || (R.FirstThrew && As != Ends::Right)) << R.Text;
  if (SecondToo) {
    EXPECT_TRUE(R.SecondRight) << R.Text;
  }
}

struct Faulty : testing::TestWithParam<Case> {};
struct FaultyTransfers : testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Calls, Faulty, testing::ValuesIn(Cases),
                         [](const auto &I) { return std::string(I.param.Name); });
INSTANTIATE_TEST_SUITE_P(Calls, FaultyTransfers, testing::ValuesIn(TransferCases),
                         [](const auto &I) { return std::string(I.param.Name); });

TEST_P(Faulty, InPlace) { expect(runUntilFault(GetParam().Faults, InPlace), GetParam().InPlaceEnds); }
TEST_P(Faulty, WithMemoryOfItsOwn) { expect(runUntilFault(GetParam().Faults, Copied), GetParam().CopiedEnds); }
TEST_P(Faulty, WhileItLearns) {
  Result R = run(GetParam().Faults, Learning);
  if (R.Faults) // there may be too few calls
    expect(R, GetParam().CopiedEnds == Ends::Right ? Ends::Right : Ends::RightOrThrown);
}
TEST_P(Faulty, WithoutAnotherVersion) {
  Result R = runUntilFault(GetParam().Faults, Copied, "device");
  bool Fine = GetParam().AlsoOnDeviceAlone;
  expect(R, Fine ? Ends::Right : Ends::RightOrThrown, Fine);
}
TEST_P(FaultyTransfers, WithMemoryOfItsOwn) {
  bool Lasting = std::string(GetParam().Faults).find('+') != std::string::npos;
  expect(runUntilFault(GetParam().Faults, Copied), GetParam().CopiedEnds, !Lasting);
}
TEST_P(FaultyTransfers, WithoutAnotherVersion) {
  bool Fine = GetParam().AlsoOnDeviceAlone;
  expect(runUntilFault(GetParam().Faults, Copied, "device"), Fine ? Ends::Right : Ends::RightOrThrown, Fine);
}

// A driver with rules of its own for rectangles: rows go one by one. -30: CL_INVALID_VALUE.
TEST(Rectangles, RefusedTheyTravelRowByRow) {
  Result Sound = run("clEnqueueWriteBufferRect:1~1,clEnqueueReadBufferRect:1~1", Copied, "rows");
  expect(Sound, Ends::Right);
  EXPECT_EQ(Sound.Faults, 2u) << "no rectangle travels at all\n" << Sound.Text;
  Result R = run("clEnqueueWriteBufferRect:1+=-30,clEnqueueReadBufferRect:1+=-30", Copied, "rows");
  expect(R, Ends::Right);
  EXPECT_GE(R.Calls, Sound.Calls + 4 * 2 * 20) << "each of the rows is a call\n" << R.Text;
  // Any other code is an error: the task has no other version.
  expect(run("clEnqueueWriteBufferRect:1+=-5", Copied, "rows"), Ends::Thrown, false);
}

// A GPU that can use all of the host's memory as it is copies nothing, as a CPU; others have memory of their own. The
// first five transfers are the device's own trial.
TEST(Integrated, WorksInHostMemory) {
  Result R = run("integrated,clEnqueueWriteBuffer:6+~1", InPlace, "device");
  EXPECT_EQ(R.Status, 0) << R.Text;
  EXPECT_EQ(R.Faults, 0u) << R.Text;
  R = run("gpu,clEnqueueWriteBuffer:6+~1", InPlace, "device");
  expect(R, Ends::Right);
  EXPECT_GT(R.Faults, 0u) << R.Text;
}

// The device goes at the Nth call. What is whole is done elsewhere, and there is one line in the log.
void loseAtEachCall(const std::string &Environment) {
  Result Sound = run("", Environment);
  for (unsigned Tries = 1; Sound.Calls <= 20 && Tries < 20; ++Tries) // the CPU did most of it
    Sound = run("", Environment);
  ASSERT_EQ(Sound.Status, 0) << Sound.Text;
  ASSERT_GT(Sound.Calls, 20u) << Sound.Text;
  unsigned Thrown = 0, Right = 0;
  for (unsigned N = 1; N <= Sound.Calls; N += 1 + Sound.Calls / 40) {
    SCOPED_TRACE("lost at call " + std::to_string(N));
    Result R = run("lost:" + std::to_string(N), Environment);
    if (!R.Faults) // there were fewer calls this time
      continue;
    expect(R, Ends::RightOrThrown);
    EXPECT_LE(R.count("is lost, and gets no more tasks"), 1u) << R.Text;
    EXPECT_EQ(R.count("is not used on"), 0u) << R.Text;
    (R.FirstThrew ? Thrown : Right) += 1;
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(Right, 0u);
  std::printf("%u times right, %u times thrown\n", Right, Thrown);
}
TEST(DeviceLost, InPlace) { loseAtEachCall(InPlace); }
TEST(DeviceLost, WithMemoryOfItsOwn) { loseAtEachCall(Copied); }

TEST(Grammar, WhatIsAFaultAndWhatIsNot) {
  FaultPlan P;
  std::string Error;
  EXPECT_TRUE(parseFaults("", P, Error));
  EXPECT_TRUE(P.Faults.empty());
  ASSERT_TRUE(parseFaults("clFlush:2=-5,*:3+!-14,clX:1~20,lost:7,loose", P, Error));
  ASSERT_EQ(P.Faults.size(), 4u);
  EXPECT_TRUE(P.Loose);
  EXPECT_EQ(P.Faults[0].Nth, 2u);
  EXPECT_EQ(P.Faults[0].Number, -5);
  EXPECT_TRUE(P.Faults[1].AndAfter);
  EXPECT_EQ(P.Faults[1].What, Fault::Effect::Fail);
  EXPECT_EQ(P.Faults[2].What, Fault::Effect::Delay);
  EXPECT_EQ(P.Faults[3].What, Fault::Effect::Lose);
  for (const char *No : {"clFlush", "clFlush:", "clFlush:0=-5", "clFlush:1", "clFlush:1=5", "clFlush:1~-5", ":1=-5",
                         "clFlush:1=-5x", "lost:", "lost:1+", "clFlush:1+"}) {
    EXPECT_FALSE(parseFaults(No, P, Error)) << No;
    EXPECT_NE(Error.find(No), std::string::npos);
  }
}

} // namespace
