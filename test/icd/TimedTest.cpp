// Queues that are mapped by the times of their kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Times.h"

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace icdtest {
namespace {

class TimedTest : public Timed {
protected:
  static constexpr size_t N = 1024;

  void SetUp() override {
    Timed::SetUp();
    Table->clEnqueueNDRangeKernel = launch;
    Table->clSetEventCallback = setCallback;
    Table->clFlush = flush;
    for (cl_device_id D : Devices)
      (text(clGetDeviceInfo, D, CL_DEVICE_NAME).compare(0, 7, "pthread") == 0 ? Pthread : Basic) = D;
  }
  void begin(cl_ulong Sched) {
    cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED | Sched, 0};
    cl_int Error;
    Q = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
    ok(Error);
    for (cl_mem &M : Data)
      M = ints(std::vector<int>(N, 0));
    makeKernel();
    Epochs = 0;
  }
  // From another source each time, so that nothing is known of it.
  void makeKernel() {
    static int Number = 0;
    K = kernel(
        ("kernel void add(global int *x, int d) { x[get_global_id(0)] += d; } // " + std::to_string(++Number)).c_str(),
        "add");
    arg(K, 1, 1);
  }
  // Returns the device that the epoch ran on.
  cl_device_id epoch() {
    for (cl_mem M : {Data[0], Data[1], Data[0]}) {
      arg(K, 0, M);
      run(Q, K, N);
    }
    ok(clFinish(Q));
    ++Epochs;
    return deviceOf(Q);
  }
  void end(int More = 0) {
    EXPECT_EQ(read(Q, Data[1], N), std::vector<int>(N, Epochs));
    endSteps(2 * Epochs + More);
  }
  // Kernels one after the other: an overlap would hide the idle time.
  void steps(int Count) {
    arg(K, 0, Data[0]);
    for (int I = 0; I != Count; ++I) {
      run(Q, K, N);
      ok(clFinish(Q));
    }
  }
  void endSteps(int Count) {
    EXPECT_EQ(read(Q, Data[0], N), std::vector<int>(N, Count));
    clReleaseKernel(K);
    clReleaseCommandQueue(Q);
  }
  static cl_device_id deviceOf(cl_command_queue Q) {
    return info<cl_device_id>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_SCHED_DEVICE_HSCHED));
  }

  cl_device_id Pthread = nullptr, Basic = nullptr;
  cl_command_queue Q = nullptr;
  cl_mem Data[2] = {};
  cl_kernel K = nullptr;
  int Epochs = 0;
  static inline std::atomic<int> Profiled; // Number of launches on vendor queues with profiling.
  static inline std::atomic<int> Callbacks, Flushes;
  static inline std::function<void()> AtFlush; // Called once, by the next flush.

private:
  static cl_int CL_API_CALL setCallback(cl_event E, cl_int From, void(CL_CALLBACK *Notified)(cl_event, cl_int, void *),
                                        void *Data) {
    ++Callbacks;
    return Real.clSetEventCallback(E, From, Notified, Data);
  }
  static cl_int CL_API_CALL flush(cl_command_queue Q) {
    ++Flushes;
    if (const auto Do = std::exchange(AtFlush, nullptr))
      Do();
    return Real.clFlush(Q);
  }
  static cl_int CL_API_CALL launch(cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                   const size_t *Global, const size_t *Local, cl_uint Count, const cl_event *Waits,
                                   cl_event *Event) {
    cl_command_queue_properties Its = 0;
    (void)Real.clGetCommandQueueInfo(Q, CL_QUEUE_PROPERTIES, sizeof(Its), &Its, nullptr);
    Profiled += (Its & CL_QUEUE_PROFILING_ENABLE) != 0;
    if (isLate(Q)) // At most 0.2 ms of it count, so it may take longer.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Real.clEnqueueNDRangeKernel(Q, K, Dimensions, Offset, Global, Local, Count, Waits, Event);
  }
};

TEST_F(TimedTest, AQueueGoesToTheFasterDevice) {
  for (cl_device_id Best : Devices) {
    for (cl_device_id D : Devices)
      takes(D, D == Best ? Fast : Slow);
    begin(0);
    for (size_t I = 0; I != Devices.size(); ++I) // Each device is measured.
      epoch();
    for (int I = 0; I != 6; ++I)
      EXPECT_EQ(epoch(), Best) << I;
    end();
  }
}

// A kernel that has run on both devices tells something of the others of its program. They are not tried on a device
// that is far slower.
TEST_F(TimedTest, OneKernelShowsThatADeviceIsFarSlower) {
  static int Number = 0; // Nothing is known of another source's kernels.
  for (const bool IsFirst : {true, false}) {
    const cl_device_id Best = Devices[IsFirst ? 0 : 1], Other = Devices[IsFirst ? 1 : 0];
    takes(Best, 100 * Slow);
    takes(Other, 2000 * Slow);
    begin(0);
    clReleaseKernel(K);
    const std::string Source = "kernel void add(global int *x, int d) { x[get_global_id(0)] += d; }"
                               "kernel void more(global int *x, int d) { x[get_global_id(0)] += d; } // " +
                               std::to_string(++Number);
    K = kernel(Source.c_str(), "add");
    arg(K, 1, 1);
    std::set<cl_device_id> On;
    for (int I = 0; I != 2; ++I)
      On.insert(epoch());
    EXPECT_EQ(On.size(), 2u); // Each device is measured by the first kernel.
    clReleaseKernel(K);
    K = kernel(Source.c_str(), "more");
    arg(K, 1, 1);
    for (int I = 0; I != 3; ++I)
      EXPECT_EQ(epoch(), Best) << I;
    end();
  }
}

TEST_F(TimedTest, AQueueLeavesADeviceThatBecomesSlow) {
  takes(Devices[0], Fast);
  takes(Devices[1], Slow);
  begin(0);
  for (int I = 0; I != 6; ++I)
    epoch();
  EXPECT_EQ(deviceOf(Q), Devices[0]);
  takes(Devices[0], 100 * Slow);
  epoch();
  EXPECT_EQ(epoch(), Devices[1]);
  end();
}

// The time that a device is idle before each kernel counts, at most 0.2 ms. It is a mean to which a long time adds 3 %:
// eight late kernels make it more than 40 us.
TEST_F(TimedTest, TheStartOfAKernelCounts) {
  for (const bool IsLate : {false, true, false}) {
    takes(Pthread, 20'000);
    takes(Basic, 60'000);
    setLate(IsLate ? Pthread : nullptr);
    begin(0);
    steps(24);
    EXPECT_EQ(deviceOf(Q), IsLate ? Basic : Pthread) << IsLate;
    endSteps(24);
  }
}

// But not before its first run on a device, which may wait for its compilation.
TEST_F(TimedTest, TheFirstStartOfAKernelDoesNotCount) {
  takes(Pthread, 20'000);
  takes(Basic, 22'000);
  begin(0);
  steps(1); // Nothing is known of how long the device was idle before a queue's first command.
  clReleaseKernel(K);
  makeKernel();
  setLate(Pthread);
  std::set<cl_device_id> On;
  for (int I = 0; I != 2; ++I) {
    steps(1);
    On.insert(deviceOf(Q));
  }
  EXPECT_EQ(On.size(), 2u);
  setLate(nullptr);
  steps(3); // Each device is measured once more.
  EXPECT_EQ(deviceOf(Q), Pthread);
  endSteps(6);
}

// A queue with similar epochs is mapped a few times. After that its commands are no longer held, and go to the device
// of the last mapping, whatever they take there.
TEST_F(TimedTest, AnIterativeQueueStaysWhereItIs) {
  for (cl_device_id Best : Devices) {
    for (cl_device_id D : Devices)
      takes(D, D == Best ? Fast : Slow);
    begin(CL_QUEUE_SCHED_ITERATIVE_HSCHED);
    for (int I = 0; I != 8; ++I)
      epoch();
    EXPECT_EQ(deviceOf(Q), Best);
    takes(Best, 100 * Slow);
    const int Before = Profiled;
    EXPECT_GT(Before, 0);
    for (int I = 0; I != 4; ++I)
      EXPECT_EQ(epoch(), Best) << I;
    EXPECT_EQ(Profiled, Before); // Profiling makes commands longer.
    // Nothing asks for the end of these; the vendor has them, in order.
    std::atomic<int> Calls{0};
    cl_event E;
    arg(K, 0, Data[0]);
    run(Q, K, N);
    run(Q, K, N, {}, &E);
    ok(clSetEventCallback(
        E, CL_SUBMITTED, [](cl_event, cl_int, void *Count) { ++*static_cast<std::atomic<int> *>(Count); }, &Calls));
    EXPECT_EQ(Calls, 1); // 0 if the platform delayed the command.
    ok(clFinish(Q));
    clReleaseEvent(E);
    end(2);
  }
}

// Vendors are asked only for what is needed: some report ends milliseconds late, and each call takes time.
TEST_F(TimedTest, AnEpochIsFlushedOnceAndHasNoCallbacks) {
  takes(Devices[0], Fast);
  takes(Devices[1], Slow);
  begin(0);
  for (int I = 0; I != 6; ++I)
    epoch();
  Callbacks = Flushes = 0;
  constexpr int Count = 4, Lanes = 2; // Two of the three kernels of an epoch are a chain.
  for (int I = 0; I != Count; ++I)
    epoch();
  EXPECT_EQ(Callbacks, 0);
  EXPECT_LE(Flushes, Count * Lanes);
  end();
}

// Data that are written before any kernel of their queue is known go where kernels of the context ran.
TEST_F(TimedTest, TransfersAloneGoWhereKernelsRan) {
  for (cl_device_id Best : Devices) {
    for (cl_device_id D : Devices)
      takes(D, D == Best ? Fast : Slow);
    begin(0);
    for (int I = 0; I != 4; ++I)
      epoch();
    end();
    cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED, 0};
    cl_int Error;
    cl_command_queue Next = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
    ok(Error);
    const int Value = 1;
    ok(clEnqueueWriteBuffer(Next, Data[0], CL_TRUE, 0, sizeof(Value), &Value, 0, nullptr, nullptr));
    EXPECT_EQ(deviceOf(Next), Best);
    clReleaseCommandQueue(Next);
  }
}

// MultiCL's explicit region: the mapping is decided between two calls and stays in force behind the second one.
TEST_F(TimedTest, ARegionsDeviceStays) {
  for (cl_device_id Best : Devices) {
    for (cl_device_id D : Devices)
      takes(D, D == Best ? Fast : Slow);
    begin(CL_QUEUE_SCHED_EXPLICIT_REGION_HSCHED);
    ok(clSetCommandQueueSchedProperty(Q, CL_QUEUE_SCHED_OFF_HSCHED));
    ok(clSetCommandQueueSchedProperty(Q, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED));
    for (int I = 0; I != 4; ++I)
      epoch();
    ok(clSetCommandQueueSchedProperty(Q, CL_QUEUE_SCHED_OFF_HSCHED));
    EXPECT_EQ(deviceOf(Q), Best);
    takes(Best, 100 * Slow);
    for (int I = 0; I != 4; ++I)
      EXPECT_EQ(epoch(), Best) << I;
    end();
  }
}

// A second region is mapped as often as the first one before its device is final.
TEST_F(TimedTest, ASecondRegionHasItsOwnDevice) {
  takes(Devices[0], Slow);
  takes(Devices[1], Fast);
  begin(0);
  for (int I = 0; I != 6; ++I)
    epoch();
  cl_kernel Other = K; // It is known, and faster on the other device.
  ok(clRetainKernel(Other));
  end();
  takes(Devices[0], Fast);
  takes(Devices[1], Slow);
  begin(CL_QUEUE_SCHED_EXPLICIT_REGION_HSCHED);
  for (int I = 0; I != 10; ++I)
    epoch();
  ok(clSetCommandQueueSchedProperty(Q, CL_QUEUE_SCHED_OFF_HSCHED));
  EXPECT_EQ(deviceOf(Q), Devices[0]);
  ok(clSetCommandQueueSchedProperty(Q, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED));
  EXPECT_EQ(epoch(), Devices[0]);
  takes(Devices[0], Slow);
  takes(Devices[1], Fast);
  std::swap(K, Other);
  for (int I = 0; I != 4; ++I)
    EXPECT_EQ(epoch(), Devices[1]) << I;
  ok(clSetCommandQueueSchedProperty(Q, CL_QUEUE_SCHED_OFF_HSCHED));
  EXPECT_EQ(deviceOf(Q), Devices[1]);
  clReleaseKernel(Other);
  end();
}

// Another thread enqueues the command while the region ends.
TEST_F(TimedTest, ACommandDelayedAtTheRegionsEndIsMapped) {
  begin(CL_QUEUE_SCHED_EXPLICIT_REGION_HSCHED);
  arg(K, 0, Data[0]);
  run(Q, K, N);
  AtFlush = [&] { std::thread([&] { run(Q, K, N); }).join(); };
  ok(clSetCommandQueueSchedProperty(Q, CL_QUEUE_SCHED_OFF_HSCHED));
  EXPECT_EQ(AtFlush, nullptr);
  ok(clFinish(Q));
  EXPECT_EQ(read(Q, Data[0], N), std::vector<int>(N, 2));
  clReleaseKernel(K);
  clReleaseCommandQueue(Q);
}

TEST_F(TimedTest, RegionsEndWhileAnotherThreadEnqueues) {
  constexpr int Rounds = 300;
  begin(CL_QUEUE_SCHED_EXPLICIT_REGION_HSCHED);
  arg(K, 0, Data[0]);
  std::thread Other([&] {
    for (int I = 0; I != Rounds; ++I) {
      run(Q, K, N);
      ok(clFinish(Q));
    }
  });
  for (int I = 0; I != Rounds; ++I)
    ok(clSetCommandQueueSchedProperty(Q, I % 2 ? CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED : CL_QUEUE_SCHED_OFF_HSCHED));
  Other.join();
  EXPECT_EQ(read(Q, Data[0], N), std::vector<int>(N, Rounds));
  clReleaseKernel(K);
  clReleaseCommandQueue(Q);
}

// Without a region, the queue goes back to the device that it was made for, in order.
TEST_F(TimedTest, OffWhileCommandsRun) {
  takes(Devices[0], Slow);
  takes(Devices[1], Fast);
  begin(0);
  for (int I = 0; I != 4; ++I)
    epoch();
  EXPECT_EQ(deviceOf(Q), Devices[1]);
  cl_kernel Long = kernel("kernel void add(global int *x, int d) { int s = x[0];\n"
                          "  for (int i = 0; i < 20000000; ++i) s = s * 3 + i; x[0] = s; x[1] = d; }",
                          "add");
  arg(Long, 0, Data[0]);
  arg(Long, 1, 7);
  run(Q, Long, 1);
  ok(clFlush(Q));
  ok(clSetCommandQueueSchedProperty(Q, CL_QUEUE_SCHED_OFF_HSCHED));
  cl_kernel Next = kernel("kernel void next(global int *x) { x[1] += 1; x[2] = x[1]; }", "next");
  arg(Next, 0, Data[0]);
  run(Q, Next, 1);
  EXPECT_EQ(deviceOf(Q), Devices[0]);
  const std::vector<int> Got = read(Q, Data[0], 3);
  EXPECT_EQ(Got[1], 8);
  EXPECT_EQ(Got[2], 8);
  clReleaseKernel(Next);
  clReleaseKernel(Long);
  clReleaseKernel(K);
  clReleaseCommandQueue(Q);
}

// HSCHED_OPENCL_REFRESH: after so many synchronisations a settled queue is measured on all devices again.
TEST_F(TimedTest, ASettledQueueIsMappedAgain) {
  const char *Period = std::getenv("HSCHED_OPENCL_REFRESH");
  ASSERT_NE(Period, nullptr);
  takes(Devices[0], Fast);
  takes(Devices[1], Slow);
  begin(CL_QUEUE_SCHED_ITERATIVE_HSCHED);
  for (int I = 0; I != 10; ++I)
    epoch();
  EXPECT_EQ(deviceOf(Q), Devices[0]);
  takes(Devices[1], Fast / 100);
  for (int I = 0; I != std::atoi(Period) + 8; ++I)
    epoch();
  EXPECT_EQ(deviceOf(Q), Devices[1]);
  end();
}

// The synchronisation after which a settled queue is mapped again waits as any other.
TEST_F(TimedTest, FinishWaitsAsASettledQueueIsMappedAgain) {
  const char *Period = std::getenv("HSCHED_OPENCL_REFRESH");
  ASSERT_NE(Period, nullptr);
  for (cl_device_id Best : Devices) { // One of them runs commands in its callers.
    for (cl_device_id D : Devices)
      takes(D, D == Best ? Fast : Slow);
    begin(CL_QUEUE_SCHED_ITERATIVE_HSCHED);
    cl_kernel Long =
        kernel(("kernel void add(global int *x) { int s = x[0]; // " + text(clGetDeviceInfo, Best, CL_DEVICE_NAME) +
                "\n"
                "  for (int i = 0; i < 5000000; ++i) s = s * 3 + i; x[1] = s; x[0] += 1; }")
                   .c_str(),
               "add");
    arg(Long, 0, Data[0]);
    int Got = 0;
    for (int I = 1; I != std::atoi(Period) + 20; ++I) {
      run(Q, Long, 1);
      ok(clEnqueueReadBuffer(Q, Data[0], CL_FALSE, 0, sizeof(Got), &Got, 0, nullptr, nullptr));
      ok(clFinish(Q));
      ASSERT_EQ(Got, I);
    }
    clReleaseKernel(Long);
    clReleaseKernel(K);
    clReleaseCommandQueue(Q);
  }
}

} // namespace
} // namespace icdtest
