// OpenCL calls that fail or stall: the program gives the right results, or its wait throws. Each run is a process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Faults.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

using namespace hsched::test;

namespace {

struct Result {
  std::string Text; // Standard output, and the log.
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
  std::string Command = "HSCHED_NCPU=1 HSCHED_CACHE=0 HSCHED_WATCHDOG=20 HSCHED_DEVICES=first " + Environment +
                        " HSCHED_TEST_FAULTS='" + Faults + "' timeout 120 " TEST_PROGRAM " " TEST_LAYER " " + Mode +
                        " 2>&1";
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

// The same. It is run again if no fault happened before the repetition. On a busy machine the CPU may end all tasks
// before the device's thread wakes up.
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
  bool AlsoOnDeviceAlone = false; // What is to be tried again needs no other version.
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
    {"NoQueue", "clCreateCommandQueue:1+=-6", Ends::Right, Ends::Right},
    {"NoQueueForKernels", "clCreateCommandQueue:3=-6", Ends::Right, Ends::Right},
    {"NoProgram", "clCreateProgramWithSource:1+=-6", Ends::Right, Ends::Right},
    {"FlushRefused", "lazy,clFlush:3=-5", Ends::Right, Ends::Right, true},
    {"FlushesRefused", "lazy,clFlush:1+=-5", Ends::Right, Ends::Right, true},
    {"Late", "*:1+~1", Ends::Right, Ends::Right, true},
    {"LateAndLazy", "lazy,*:1+~1", Ends::Right, Ends::Right, true},
    {"ALongWay", "clEnqueueNDRangeKernel:3~200", Ends::Right, Ends::Right, true},
};
// These need transfers. A device that is opened makes five writes and a read before any task does.
const Case TransferCases[] = {
    {"OpeningReadRefused", "clEnqueueReadBuffer:1=-5", Ends::Right, Ends::Right, true},
    {"OpeningReadFails", "clEnqueueReadBuffer:1!-5", Ends::Right, Ends::Right, true},
    {"UploadRefused", "clEnqueueWriteBuffer:7=-5", Ends::Right, Ends::Right, true},
    {"FirstUploadFails", "clEnqueueWriteBuffer:6!-5", Ends::Right, Ends::Right, true},
    {"UploadsRefused", "clEnqueueWriteBuffer:7+=-5", Ends::Right, Ends::RightOrThrown},
    {"UploadFails", "clEnqueueWriteBuffer:7!-5", Ends::Right, Ends::Right, true},
    {"UploadFailsLoosely", "loose,clEnqueueWriteBuffer:7!-5", Ends::Right, Ends::RightOrThrown},
    {"UploadsFail", "clEnqueueWriteBuffer:7+!-5", Ends::Right, Ends::RightOrThrown},
    {"UploadsFailLoosely", "loose,clEnqueueWriteBuffer:7+!-5", Ends::Right, Ends::RightOrThrown},
    {"UploadWithoutMemory", "clEnqueueWriteBuffer:8!-4", Ends::Right, Ends::Right},
    {"DownloadRefused", "clEnqueueReadBuffer:2=-5", Ends::Right, Ends::Right, true},
    {"DownloadFails", "clEnqueueReadBuffer:2!-5", Ends::Right, Ends::Right, true},
    {"DownloadsRefused", "clEnqueueReadBuffer:2+=-5", Ends::Right, Ends::Thrown},
    {"DownloadsFail", "clEnqueueReadBuffer:2+!-5", Ends::Right, Ends::Thrown},
    {"TransfersReturnAtTheirEnd", "lazy,blocking,clEnqueueReadBuffer:2+~2", Ends::Right, Ends::Right, true},
    {"CopyRefused", "clEnqueueCopyBuffer:1=-5", Ends::Right, Ends::Right, true},
    {"CopyFails", "clEnqueueCopyBuffer:1!-5", Ends::Right, Ends::RightOrThrown},
    {"CopyFailsLoosely", "loose,clEnqueueCopyBuffer:1!-5", Ends::Right, Ends::RightOrThrown},
};

// What was thrown says what OpenCL said.
bool saysWhy(const std::string &Text) {
  size_t At = ("\n" + Text).find("\nthrew ");
  std::string Line = Text.substr(At, Text.find('\n', At) - At);
  return Line.find("CL_") != std::string::npos || Line.find("that is not here") != std::string::npos;
}

void expect(const Result &R, Ends As, bool SecondToo = true) {
  EXPECT_EQ(R.Status, 0) << R.Text;
  EXPECT_GT(R.Faults, 0u) << "no fault has happened\n" << R.Text;
  EXPECT_EQ(R.Text.find("wrong"), std::string::npos) << R.Text;
  EXPECT_EQ(R.Text.find("watchdog"), std::string::npos) << R.Text;
  EXPECT_TRUE((R.FirstRight && As != Ends::Thrown) || (R.FirstThrew && As != Ends::Right)) << R.Text;
  if (R.FirstThrew) {
    EXPECT_TRUE(saysWhy(R.Text)) << R.Text;
  }
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
  if (R.Faults) // There may be too few calls.
    expect(R, GetParam().CopiedEnds == Ends::Right ? Ends::Right : Ends::RightOrThrown);
}
TEST_P(Faulty, WithoutAnotherVersion) {
  Result R = runUntilFault(GetParam().Faults, Copied, "device");
  bool Fine = GetParam().AlsoOnDeviceAlone;
  expect(R, Fine ? Ends::Right : Ends::RightOrThrown, Fine);
}
TEST_P(FaultyTransfers, WithMemoryOfItsOwn) {
  bool Permanent = std::string(GetParam().Faults).find('+') != std::string::npos;
  expect(runUntilFault(GetParam().Faults, Copied), GetParam().CopiedEnds, !Permanent);
}
TEST_P(FaultyTransfers, WithoutAnotherVersion) {
  bool Fine = GetParam().AlsoOnDeviceAlone;
  expect(runUntilFault(GetParam().Faults, Copied, "device"), Fine ? Ends::Right : Ends::RightOrThrown, Fine);
}

// Versions that are host code: what is before and behind what they enqueue, and what they ask to be waited for.
const Case BodyCases[] = {
    {"BarrierRefused", "clEnqueueBarrierWithWaitList:1=-5", Ends::Right, Ends::Right, true},
    {"BarriersRefused", "clEnqueueBarrierWithWaitList:1+=-5", Ends::Right, Ends::Right},
    {"BarrierFails", "clEnqueueBarrierWithWaitList:1!-5", Ends::RightOrThrown, Ends::RightOrThrown},
    {"BarrierLate", "clEnqueueBarrierWithWaitList:1~20", Ends::Right, Ends::Right, true},
    {"EndRefused", "clEnqueueMarkerWithWaitList:1=-5", Ends::Thrown, Ends::Thrown},
    {"EndAndFinishRefused", "clEnqueueMarkerWithWaitList:1=-5,clFinish:1+=-5", Ends::Thrown, Ends::Thrown},
    {"EndFails", "clEnqueueMarkerWithWaitList:1!-5", Ends::RightOrThrown, Ends::RightOrThrown},
    {"EndLate", "clEnqueueMarkerWithWaitList:1~20", Ends::Right, Ends::Right, true},
    {"FlushesRefused", "lazy,clFlush:1+=-5", Ends::Right, Ends::Right, true},
};
const Case AwaitCases[] = {
    {"NoUserEvent", "clCreateUserEvent:1=-6", Ends::Thrown, Ends::Thrown},
    {"NoCallback", "clSetEventCallback:1=-6", Ends::Thrown, Ends::Thrown},
    {"CallbackLate", "clSetEventCallback:1+~20,clCreateUserEvent:1+~20", Ends::Right, Ends::Right, true},
    {"FlushesRefused", "lazy,clFlush:1+=-5", Ends::Right, Ends::Right, true},
};
struct FaultyBodies : testing::TestWithParam<Case> {};
struct FaultyAwaits : testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Calls, FaultyBodies, testing::ValuesIn(BodyCases),
                         [](const auto &I) { return std::string(I.param.Name); });
INSTANTIATE_TEST_SUITE_P(Calls, FaultyAwaits, testing::ValuesIn(AwaitCases),
                         [](const auto &I) { return std::string(I.param.Name); });
// The CPU may do all of it.
void expectOfSome(const std::string &Faults, const std::string &Environment, const std::string &Mode, Ends As) {
  if (Result R = runUntilFault(Faults, Environment, Mode); R.Faults)
    expect(R, As, false);
}
TEST_P(FaultyBodies, InPlace) { expectOfSome(GetParam().Faults, InPlace, "body", GetParam().InPlaceEnds); }
TEST_P(FaultyBodies, WithMemoryOfItsOwn) { expectOfSome(GetParam().Faults, Copied, "body", GetParam().CopiedEnds); }
TEST_P(FaultyBodies, WithoutAnotherVersion) {
  bool Fine = GetParam().AlsoOnDeviceAlone;
  expect(run(GetParam().Faults, Copied, "body device"), Fine ? Ends::Right : Ends::RightOrThrown, Fine);
}
TEST_P(FaultyAwaits, WithoutAnotherVersion) {
  expect(run(GetParam().Faults, Copied, "body await device"), GetParam().CopiedEnds);
}

// Kernels that take no offsets are given parts of buffers.
TEST(Parts, RefusedTheTaskGoesElsewhere) {
  expect(run("clCreateSubBuffer:1=-5", Copied, "plain device"), Ends::RightOrThrown, false);
  expect(run("clCreateSubBuffer:1+=-5", Copied, "plain device"), Ends::Thrown, false);
  expect(runUntilFault("clCreateSubBuffer:1+=-5", Copied, "plain"), Ends::Right);
  expect(run("clCreateSubBuffer:1+~2", Copied, "plain device"), Ends::Right);
}

// A program from the disk's cache that the driver does not take any more is built anew.
TEST(Cache, RefusedItIsBuilt) {
  std::string Folder = testing::TempDir() + "hsched-faults-XXXXXX";
  ASSERT_TRUE(mkdtemp(Folder.data()));
  const std::string Kept = Copied + "HSCHED_CACHE='" + Folder + "' ";
  Result Made = run("", Kept, "device");
  Result Refused = run("clCreateProgramWithBinary:1=-42", Kept + "HSCHED_LOG=debug ", "device");
  std::filesystem::remove_all(Folder);
  EXPECT_TRUE(Made.FirstRight) << Made.Text;
  expect(Refused, Ends::Right);
  EXPECT_EQ(Refused.count("from the disk's cache is refused: CL_INVALID_BINARY"), 1u) << Refused.Text;
}

// Tiles go from one device to the other.
TEST(TwoDevices, WhatGoesBetweenThemFails) {
  const std::string Two = "POCL_DEVICES='pthread pthread' HSCHED_OPENCL=cpu HSCHED_OPENCL_CONTEXT=shared " + Copied;
  expect(runUntilFault("clEnqueueCopyBufferRect:1+~1", Two, "rows meet"), Ends::Right);
  expect(runUntilFault("clEnqueueCopyBufferRect:1=-5", Two, "rows meet"), Ends::Right);
  expect(runUntilFault("clEnqueueCopyBufferRect:1+=-30", Two, "rows meet"), Ends::Right); // Row by row.
  expect(runUntilFault("clEnqueueCopyBufferRect:1!-5", Two, "rows meet"), Ends::RightOrThrown, false);
  expect(runUntilFault("clEnqueueCopyBufferRect:1+!-5", Two, "rows meet"), Ends::RightOrThrown, false);
}

// Data that are pinned, or go by way of the ring.
const std::string Ring = Copied + "HSCHED_PIN_MEMORY=0 HSCHED_STAGING=2 ", Pinned = Copied + "HSCHED_PIN_MEMORY=1 ";
struct LargeCase {
  const char *Name, *Faults;
  bool Ring, Pinned; // The settings that the case tests.
  Ends End;          // With another version.
  bool AlsoOnDeviceAlone = false;
};
std::ostream &operator<<(std::ostream &Out, const LargeCase &C) { return Out << C.Faults; }
const LargeCase LargeCases[] = {
    {"NoRing", "pinned:1=-6", true, false, Ends::Right, true},
    {"RingNotMapped", "clEnqueueMapBuffer:1=-12", true, false, Ends::Right, true},
    {"RingMappedLate", "clEnqueueMapBuffer:1~20", true, false, Ends::Right, true},
    {"RingNotFlushed", "lazy,clFlush:1+=-5", true, false, Ends::Right},
    {"PinRefused", "host:2=-61", false, true, Ends::Right, true},
    {"PinsRefused", "host:2+=-6", false, true, Ends::Right, true},
    {"PinsLate", "host:2+~5", false, true, Ends::Right, true},
    {"NoMemoryOnce", "clCreateBuffer:4=-4", true, true, Ends::Right},
    {"NoMemory", "clCreateBuffer:4+=-4", true, true, Ends::Right},
    {"UploadRefused", "clEnqueueWriteBuffer:6=-5", true, true, Ends::Right, true},
    {"UploadRefusedHalfway", "clEnqueueWriteBuffer:7=-5", true, true, Ends::Right, true},
    {"UploadsRefused", "clEnqueueWriteBuffer:7+=-5", true, true, Ends::RightOrThrown},
    {"UploadFails", "clEnqueueWriteBuffer:6!-5", true, true, Ends::Right, true},
    {"UploadFailsHalfway", "clEnqueueWriteBuffer:7!-5", true, true, Ends::Right, true},
    {"UploadFailsLoosely", "loose,clEnqueueWriteBuffer:6!-5", true, true, Ends::RightOrThrown},
    {"UploadsFail", "clEnqueueWriteBuffer:7+!-5", true, true, Ends::RightOrThrown},
    {"UploadsLate", "lazy,clEnqueueWriteBuffer:6+~5", true, true, Ends::Right, true},
    {"DownloadRefused", "clEnqueueReadBuffer:2=-5", true, true, Ends::Right, true},
    {"DownloadRefusedHalfway", "clEnqueueReadBuffer:3=-5", true, true, Ends::Right, true},
    {"DownloadFails", "clEnqueueReadBuffer:2!-5", true, true, Ends::Right, true},
    {"DownloadFailsHalfway", "clEnqueueReadBuffer:3!-5", true, true, Ends::Right, true},
    {"DownloadsRefused", "clEnqueueReadBuffer:2+=-5", true, true, Ends::Thrown},
    {"DownloadsFail", "clEnqueueReadBuffer:2+!-5", true, true, Ends::Thrown},
    {"DownloadsLate", "lazy,clEnqueueReadBuffer:2+~5", true, true, Ends::Right, true},
};
struct FaultyLargeData : testing::TestWithParam<LargeCase> {
  void with(const std::string &Environment) {
    const LargeCase &C = GetParam();
    bool Permanent = std::string(C.Faults).find('+') != std::string::npos;
    expect(runUntilFault(C.Faults, Environment, "large"), C.End, !Permanent);
    bool Fine = C.AlsoOnDeviceAlone;
    expect(runUntilFault(C.Faults, Environment, "large device"), Fine ? Ends::Right : Ends::RightOrThrown, Fine);
  }
};
INSTANTIATE_TEST_SUITE_P(Calls, FaultyLargeData, testing::ValuesIn(LargeCases),
                         [](const auto &I) { return std::string(I.param.Name); });
TEST_P(FaultyLargeData, ThroughTheRing) {
  if (GetParam().Ring)
    with(Ring);
}
TEST_P(FaultyLargeData, Pinned) {
  if (GetParam().Pinned)
    with(Pinned);
}

TEST(LargeTiles, FailOnTheirWay) {
  for (const std::string &Environment : {Ring, Pinned}) {
    for (const char *Faults : {"clEnqueueWriteBufferRect:1=-5", "clEnqueueWriteBufferRect:1!-5",
                               "clEnqueueReadBufferRect:1=-5", "clEnqueueReadBufferRect:1!-5", "lazy,*:20+~1"}) {
      SCOPED_TRACE(Environment + Faults);
      expect(run(Faults, Environment, "large rows"), Ends::Right);
    }
  }
}

// What takes several blocks of the ring goes in as many pieces.
TEST(LargeData, GoThroughTheRing) {
  auto goesInBlocks = [](const char *Faults, const char *Mode) {
    SCOPED_TRACE(Faults);
    Result Straight = run(Faults, Ring + "HSCHED_STAGING=0 ", Mode), InBlocks = run(Faults, Ring, Mode);
    expect(Straight, Ends::Right);
    expect(InBlocks, Ends::Right);
    EXPECT_GT(InBlocks.Faults, Straight.Faults) << InBlocks.Text;
  };
  goesInBlocks("clEnqueueWriteBuffer:6+~1", "large device");
  goesInBlocks("clEnqueueReadBuffer:1+~1", "large device");
  goesInBlocks("clEnqueueWriteBufferRect:1+~1", "large rows");
  goesInBlocks("clEnqueueReadBufferRect:1+~1", "large rows");
}

// A call that fails when the process ends does not prevent its end.
TEST(LargeData, TheRingIsLeftUnwell) {
  Result R = run("clEnqueueUnmapMemObject:1+=-5,clFinish:1+=-5", Ring, "large device");
  EXPECT_EQ(R.Status, 0) << R.Text;
  EXPECT_TRUE(R.FirstRight && R.SecondRight) << R.Text;
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
  for (unsigned Tries = 1; Sound.Calls <= 20 && Tries < 20; ++Tries) // The CPU did most of it.
    Sound = run("", Environment);
  ASSERT_EQ(Sound.Status, 0) << Sound.Text;
  ASSERT_GT(Sound.Calls, 20u) << Sound.Text;
  // The calls that are tried lie evenly. A sanitizer makes a run five times as long; the released build tries forty.
  const char *Given = std::getenv("HSCHED_TEST_LOST_CALLS"); // scripts/long-tests.py tries each call.
  unsigned Tried = Given ? static_cast<unsigned>(std::strtoul(Given, nullptr, 10)) : TEST_LOST_CALLS;
  ASSERT_GT(Tried, 0u);
  unsigned Thrown = 0, Right = 0;
  for (unsigned N = 1; N <= Sound.Calls; N += 1 + Sound.Calls / Tried) {
    SCOPED_TRACE("lost at call " + std::to_string(N));
    Result R = run("lost:" + std::to_string(N), Environment);
    if (!R.Faults) // There were fewer calls this time.
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
  ASSERT_TRUE(parseFaults("clFlush:2=-5,*:3+!-14,clX:1~20,lost:7,loose,lazy,blocking", P, Error));
  ASSERT_EQ(P.Faults.size(), 4u);
  EXPECT_TRUE(P.Loose && P.Lazy && P.Blocking);
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
