// The C ABI of libhsched.so, as generated code uses it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HandWritten.h"

#include <hsched/hsched.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace hsched::test;

namespace {

TEST(Abi, TheVersionIsTheHeaders) { EXPECT_EQ(hsched_abi_version(), HSCHED_ABI_MAJOR * 1000u + HSCHED_ABI_MINOR); }

TEST(Abi, WaitingBeforeAnyTaskIsNothing) {
  hsched_taskwait(0);
  hsched_taskwait(HSCHED_WAIT_NOFLUSH);
  hsched_taskwait_on(nullptr, 0, 0);
}

TEST(Abi, SubmitAndWait) {
  int X = 0;
  for (int I = 0; I < 100; ++I)
    submit({section(HSCHED_INOUT, X)}, [&] { ++X; });
  hsched_taskwait(0);
  EXPECT_EQ(X, 100);
}

TEST(Abi, BodiesKnowTheirWorker) {
  hsched_place All{};
  All.struct_bytes = sizeof(All);
  All.kinds = HSCHED_WHERE_CPUS;
  const size_t Workers = hsched_count_workers(&All);
  EXPECT_EQ(hsched_this_worker(), 0u); // No worker yet.
  std::atomic<unsigned> There{0};
  unsigned Numbers[2] = {};
  if (Workers < 2)
    GTEST_SKIP() << "one worker";
  for (unsigned &Number : Numbers)
    submit({section(HSCHED_OUT, Number)}, [&There, &Number] {
      Number = hsched_this_worker();
      There.fetch_add(1);
      while (There.load() != 2)
        std::this_thread::yield();
    });
  hsched_taskwait(0);
  EXPECT_NE(Numbers[0], Numbers[1]);
  EXPECT_LT(std::max(Numbers[0], Numbers[1]), Workers);
}

TEST(Abi, WaitOn) {
  int X = 0, Y = 0;
  submit({section(HSCHED_OUT, X)}, [&] { X = 1; });
  submit({section(HSCHED_IN, X), section(HSCHED_OUT, Y)}, [&] { Y = X + 1; });
  hsched_access Named = section(HSCHED_IN, Y);
  hsched_taskwait_on(&Named, 1, 0);
  EXPECT_EQ(Y, 2);
  hsched_taskwait(0);
}

TEST(Abi, ExceptionsCrossTheLibrary) {
  int X = 0;
  submit({section(HSCHED_INOUT, X)}, [] { throw std::runtime_error("mine"); });
  EXPECT_THROW(hsched_taskwait(0), std::runtime_error);
}

// The arguments were not made, so they are not destroyed. No later task waits for the abandoned one.
TEST(Abi, AbandonAfterAConstructorThrew) {
  int X = 0;
  hsched_access *Accesses;
  void *Args;
  hsched_task *T = hsched_task_begin(functionType(), 2, &Accesses, &Args);
  std::memset(Args, 0xff, sizeof(FunctionArgs)); // Its destructor would crash.
  Accesses[0] = section(HSCHED_INOUT, X);
  hsched_task_abandon(T);
  hsched_taskwait(0);
  submit({section(HSCHED_INOUT, X)}, [&] { X = 1; });
  hsched_taskwait(0);
  EXPECT_EQ(X, 1);
}

TEST(Abi, OptionsAreTaken) {
  int X = 0;
  hsched_access *Accesses;
  void *Args;
  hsched_task *T = hsched_task_begin(functionType(), 1, &Accesses, &Args);
  new (Args) FunctionArgs{[] { throw 1; }};
  Accesses[0] = section(HSCHED_INOUT, X);
  char Label[] = "tile 3";
  hsched_submit_options Options{};
  Options.struct_bytes = sizeof(Options);
  Options.priority = 5;
  Options.label = Label;
  hsched_task_submit(T, &Options);
  Label[0] = 'x'; // Copied.
  EXPECT_THROW(hsched_taskwait(0), int);
}

// What code of minor 0 hands over.
struct OldOptions {
  size_t struct_bytes;
  int priority;
  const char *label;
};

hsched_task *begun(std::vector<hsched_access> Sections, std::function<void()> Body) {
  hsched_access *Accesses;
  void *Args;
  hsched_task *T = hsched_task_begin(functionType(), static_cast<unsigned>(Sections.size()), &Accesses, &Args);
  new (Args) FunctionArgs{std::move(Body)};
  std::copy(Sections.begin(), Sections.end(), Accesses);
  return T;
}

TEST(Abi, OptionsOfOlderCodeEndWhereTheirFieldsEnd) {
  // Whatever lies behind the old structure is not read: it would make the task run here, and with a cost.
  struct {
    OldOptions Old;
    unsigned char Behind[64];
  } Given;
  std::fill_n(Given.Behind, sizeof(Given.Behind), 0xff);
  Given.Old = {sizeof(OldOptions), 0, "old"};
  int X = 0;
  hsched_task *First = begun({section(HSCHED_INOUT, X)}, [&] { X = 1 + hsched_in_final(); });
  hsched_task_submit(First, reinterpret_cast<const hsched_submit_options *>(&Given.Old));
  hsched_taskwait(0);
  EXPECT_EQ(X, 1);
}

TEST(Abi, UndeferredTasksRunOnTheSubmittingThreadInOrder) {
  std::thread::id Me = std::this_thread::get_id(), Ran;
  hsched_submit_options Here{};
  Here.struct_bytes = sizeof(Here);
  Here.flags = HSCHED_SUBMIT_UNDEFERRED;
  for (int Round = 0; Round < 50; ++Round) {
    int X = 0;
    submit({section(HSCHED_OUT, X)}, [&] {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      X = 1;
    });
    hsched_task_submit(begun({section(HSCHED_INOUT, X)},
                             [&] {
                               X = X * 10 + 2;
                               Ran = std::this_thread::get_id();
                             }),
                       &Here);
    EXPECT_EQ(X, 12); // No wait.
    EXPECT_EQ(Ran, Me);
    hsched_taskwait(0);
  }
}

TEST(Abi, WhatAnUndeferredTaskThrowsArrivesAtTheWait) {
  hsched_submit_options Here{};
  Here.struct_bytes = sizeof(Here);
  Here.flags = HSCHED_SUBMIT_UNDEFERRED;
  int X = 0;
  hsched_task_submit(begun({section(HSCHED_INOUT, X)}, [] { throw std::runtime_error("mine"); }), &Here);
  hsched_task_submit(begun({section(HSCHED_INOUT, X)}, [&] { X = 1; }), &Here); // Cancelled.
  EXPECT_THROW(hsched_taskwait(0), std::runtime_error);
  EXPECT_EQ(X, 0);
}

TEST(Abi, DescendantsOfAFinalTaskRunInPlace) {
  hsched_submit_options Final{};
  Final.struct_bytes = sizeof(Final);
  Final.flags = HSCHED_SUBMIT_FINAL;
  std::vector<int> Order;
  EXPECT_EQ(hsched_in_final(), 0);
  int X = 0;
  hsched_task_submit(begun({section(HSCHED_INOUT, X)},
                           [&] {
                             std::thread::id Here = std::this_thread::get_id();
                             EXPECT_EQ(hsched_in_final(), 1);
                             for (int I = 0; I < 3; ++I)
                               submit({section(HSCHED_INOUT, X)}, [&, I, Here] {
                                 submit({}, [&, I] { Order.push_back(10 + I); });
                                 Order.push_back(I);
                                 EXPECT_EQ(hsched_in_final(), 1);
                                 EXPECT_EQ(std::this_thread::get_id(), Here);
                               });
                             Order.push_back(99);
                           }),
                     &Final);
  EXPECT_EQ(Order, (std::vector<int>{10, 0, 11, 1, 12, 2, 99}));
  EXPECT_EQ(hsched_in_final(), 0);
  hsched_taskwait(0);
}

TEST(Abi, ATaskOfAnUnknownDeviceFailsWithItsName) {
  static hsched_task_desc Desc = FunctionTask;
  Desc.linker_name = "test_nowhere";
  Desc.name = "nowhere";
  static hsched_version_desc Version = FunctionVersion;
  Version.device = HSCHED_DEVICE_CUDA;
  hsched_register_version("test_nowhere", &Version);
  int X = 0;
  submitTo(hsched_register_task(&Desc), {section(HSCHED_INOUT, X)}, [] {});
  try {
    hsched_taskwait(0);
    FAIL() << "nothing was thrown";
  } catch (const hsched::task_error &E) {
    EXPECT_EQ(E.task(), "nowhere");
  }
}

TEST(Abi, CodeOfAnotherAbiIsRefused) {
  static hsched_task_desc Newer = FunctionTask, Other = FunctionTask;
  Newer.linker_name = "test_newer";
  Newer.abi_minor = HSCHED_ABI_MINOR + 1;
  Other.linker_name = "test_other";
  Other.abi_major = HSCHED_ABI_MAJOR + 1;
  for (const hsched_task_desc *Desc : {&Newer, &Other}) {
    testing::internal::CaptureStderr();
    hsched_task_type *Type = hsched_register_task(Desc);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("ABI"), std::string::npos);
    EXPECT_THROW(submitTo(Type, {}, [] {}), hsched::task_error);
  }
}

TEST(Abi, TheSameNamesAreTheSameThings) {
  static hsched_task_desc Again = FunctionTask;
  static hsched_version_desc VersionAgain = FunctionVersion;
  EXPECT_EQ(hsched_register_task(&Again), functionType());
  hsched_register_version(FunctionTask.linker_name, &VersionAgain); // Or the policy would learn it as another.
  int X = 0;
  submit({section(HSCHED_INOUT, X)}, [&] { ++X; });
  hsched_taskwait(0);
  EXPECT_EQ(X, 1);
}

TEST(Abi, AnotherThreadOwnsTheFirstTask) {
  int X = 0;
  std::thread([&] {
    submit({section(HSCHED_INOUT, X)}, [&] { ++X; });
    hsched_taskwait(0);
  }).join();
  submit({section(HSCHED_INOUT, X)}, [&] { ++X; });
  hsched_taskwait(0);
  EXPECT_EQ(X, 2);
}

TEST(Abi, MemoryForTransfers) {
  EXPECT_EQ(hsched_malloc(0), nullptr);
  EXPECT_EQ(hsched_malloc(static_cast<size_t>(-1)), nullptr);
  hsched_free(nullptr);
  auto *Memory = static_cast<int *>(hsched_malloc(100000));
  ASSERT_NE(Memory, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(Memory) % 4096, 0u);
  EXPECT_EQ(Memory[24999], 0);
  submit({section(HSCHED_INOUT, Memory[5])}, [&] { Memory[5] = 3; });
  hsched_taskwait(0);
  EXPECT_EQ(Memory[5], 3);
  hsched_free(Memory);
  int Other = 0;
  testing::internal::CaptureStderr();
  hsched_free(&Other);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("hsched_free"), std::string::npos);
}

TEST(Abi, AllocatorForTransfers) {
  std::vector<double, hsched::allocator<double>> X(1000, 1.5), Y = X;
  for (int I = 0; I < 10000; ++I)
    X.push_back(I);
  EXPECT_EQ(X[999], 1.5);
  EXPECT_EQ(X[10999], 9999);
  Y = std::move(X);
  EXPECT_EQ(Y.size(), 11000u);
  EXPECT_THROW((void)hsched::allocator<double>().allocate(static_cast<size_t>(-1)), std::bad_alloc);
}

} // namespace
