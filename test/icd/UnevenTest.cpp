// A device of another type that is guessed to be far slower: PoCL's "basic" says that it is a large GPU.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Times.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>

namespace icdtest {
namespace {

constexpr size_t N = 1 << 14;

class UnevenTest : public Timed {
protected:
  static void SetUpTestSuite() { // Before the platform asks its devices.
    cl_icd_dispatch *Of = open();
    ASSERT_NE(Of, nullptr);
    Pocls = Of->clGetDeviceInfo;
    Of->clGetDeviceInfo = deviceInfo;
  }
  void SetUp() override {
    Timed::SetUp();
    Table->clEnqueueNDRangeKernel = launch;
    for (cl_device_id D : Devices)
      (text(clGetDeviceInfo, D, CL_DEVICE_NAME).compare(0, 5, "basic") == 0 ? Gpu : Cpu) = D;
    begin(0);
    Data = ints(std::vector<int>(N, 0));
    // Another source each time, so that nothing is known of its kernel.
    static int Number = 0;
    K = kernel(
        ("kernel void add(global int *x, int d) { x[get_global_id(0)] += d; } // " + std::to_string(++Number)).c_str(),
        "add");
    arg(K, 0, Data);
    arg(K, 1, 1);
  }
  void TearDown() override {
    EXPECT_EQ(read(Q, Data, N)[N - 1], Done);
    clReleaseKernel(K);
    clReleaseCommandQueue(Q);
    Timed::TearDown();
  }
  void begin(cl_ulong Sched) {
    if (Q)
      clReleaseCommandQueue(Q);
    cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED | Sched, 0};
    cl_int Error;
    Q = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
    ok(Error);
  }
  // Returns the device that the epoch ran on.
  cl_device_id epoch() {
    run(Q, K, N);
    ok(clFinish(Q));
    ++Done;
    return info<cl_device_id>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_SCHED_DEVICE_HSCHED));
  }

  void runGroups(cl_kernel K, size_t Items, size_t Local) {
    ok(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &Items, &Local, 0, nullptr, nullptr));
  }

  cl_device_id Gpu = nullptr, Cpu = nullptr;
  cl_command_queue Q = nullptr;
  cl_mem Data = nullptr;
  cl_kernel K = nullptr;
  int Done = 0;

  static constexpr int GpuBit = 1, CpuBit = 2;
  static inline std::atomic<int> Launches, Refuses; // Refuses: devices that accept no launch.
  static inline std::mutex UsedLock;
  static inline std::set<cl_command_queue> Used; // Vendor queues of launches.

private:
  static cl_int CL_API_CALL launch(cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                   const size_t *Global, const size_t *Local, cl_uint Count, const cl_event *Waits,
                                   cl_event *Event) {
    ++Launches;
    cl_device_id On = nullptr;
    char Name[256] = "";
    (void)Real.clGetCommandQueueInfo(Q, CL_QUEUE_DEVICE, sizeof(On), &On, nullptr);
    (void)Pocls(On, CL_DEVICE_NAME, sizeof(Name), Name, nullptr);
    if (Refuses & (std::string(Name).compare(0, 5, "basic") == 0 ? GpuBit : CpuBit))
      return CL_INVALID_WORK_GROUP_SIZE;
    {
      std::lock_guard Hold(UsedLock);
      Used.insert(Q);
    }
    return Real.clEnqueueNDRangeKernel(Q, K, Dimensions, Offset, Global, Local, Count, Waits, Event);
  }
  static cl_int CL_API_CALL deviceInfo(cl_device_id D, cl_device_info What, size_t Bytes, void *To, size_t *Needed) {
    char Name[256] = "";
    (void)Pocls(D, CL_DEVICE_NAME, sizeof(Name), Name, nullptr);
    const cl_int Error = Pocls(D, What, Bytes, To, Needed);
    const bool IsBasic = std::string(Name).compare(0, 5, "basic") == 0;
    if (Error == CL_SUCCESS && To && What == CL_DEVICE_TYPE)
      *static_cast<cl_device_type *>(To) = IsBasic ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
    if (Error == CL_SUCCESS && To && What == CL_DEVICE_MAX_COMPUTE_UNITS)
      *static_cast<cl_uint *>(To) = IsBasic ? 100 : 4;
    if (Error == CL_SUCCESS && To && What == CL_DEVICE_MAX_CLOCK_FREQUENCY)
      *static_cast<cl_uint *>(To) = 1000;
    if (Error == CL_SUCCESS && To && What == CL_DEVICE_HOST_UNIFIED_MEMORY)
      *static_cast<cl_bool *>(To) = !IsBasic;
    return Error;
  }
  static inline decltype(cl_icd_dispatch::clGetDeviceInfo) Pocls = nullptr;
};

// The GPU is 200 times faster by its properties. The kernels are short, so the CPU's turn comes after
// 200 / Allowance epochs.
TEST_F(UnevenTest, TheSlowOneIsMeasuredWhenThatCostsLittle) {
  takes(Cpu, 200 * Fast);
  int First = 0, More = 0;
  while (First != 5000 && epoch() == Gpu)
    ++First;
  EXPECT_GE(First, 3900);
  EXPECT_LE(First, 4100);
  for (int I = 0; I != 20; ++I)
    More += epoch() == Cpu;
  EXPECT_EQ(More, 0); // It is as slow as guessed.
}

// A minikernel would show nothing: the GPU is the only device that comes into question.
TEST_F(UnevenTest, NoMinikernelOnTheOnlyCandidate) {
  if (std::string_view(std::getenv("HSCHED_KINFO")) == "0")
    GTEST_SKIP() << "this build has no hsched-kinfo";
  begin(CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED);
  Launches = 0;
  runGroups(K, N, 64);
  ok(clFinish(Q));
  ++Done;
  EXPECT_EQ(Launches, 1);
  // With few items both are candidates.
  cl_kernel Other = kernel("kernel void other(global int *x, int d) { x[get_global_id(0)] += d; }", "other");
  arg(Other, 0, Data);
  arg(Other, 1, 0);
  Launches = 0;
  runGroups(Other, 4, 2);
  ok(clFinish(Q));
  EXPECT_GT(Launches, 2);
  clReleaseKernel(Other);
}

// Its mapping is final after four epochs, as if its kernels were known on all devices.
TEST_F(UnevenTest, AnIterativeQueueWithOneCandidate) {
  begin(CL_QUEUE_SCHED_ITERATIVE_HSCHED);
  for (int I = 0; I != 4; ++I)
    EXPECT_EQ(epoch(), Gpu);
  std::atomic<int> Calls{0};
  cl_event E;
  run(Q, K, N, {}, &E);
  ++Done;
  ok(clSetEventCallback(
      E, CL_SUBMITTED, [](cl_event, cl_int, void *Count) { ++*static_cast<std::atomic<int> *>(Count); }, &Calls));
  EXPECT_EQ(Calls, 1); // 0 if the platform delayed the command.
  ok(clFinish(Q));
  clReleaseEvent(E);
}

// The CPU has four cores. Chains that do not depend on each other do not stand behind each other.
TEST_F(UnevenTest, AnInOrderQueueHasTwoVendorQueuesACore) {
  cl_int Error;
  cl_command_queue Own = clCreateCommandQueue(Context, Cpu, 0, &Error);
  ok(Error);
  Used.clear();
  for (int I = 0; I != 10; ++I) {
    arg(K, 0, ints(std::vector<int>(64, 0)));
    run(Own, K, 64);
  }
  ok(clFinish(Own));
  EXPECT_EQ(Used.size(), 8u);
  arg(K, 0, Data);
  clReleaseCommandQueue(Own);
}

// The next launch of the kernel may have other sizes.
TEST_F(UnevenTest, ALaunchThatAllDevicesRefuseLeavesAChoice) {
  const size_t Few = 4;
  cl_event E;
  Refuses = GpuBit | CpuBit;
  ok(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &Few, nullptr, 0, nullptr, &E));
  (void)clFinish(Q);
  EXPECT_LT(status(E), 0);
  clReleaseEvent(E);
  Refuses = 0;
  std::set<cl_device_id> On;
  for (int I = 0; I != 4; ++I) {
    run(Q, K, Few);
    ok(clFinish(Q));
    On.insert(info<cl_device_id>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_SCHED_DEVICE_HSCHED)));
  }
  EXPECT_EQ(On.size(), 2u);
  EXPECT_EQ(read(Q, Data, N)[0], 4);
}

TEST_F(UnevenTest, ADeviceThatHasRefusedALaunchIsAskedWhereNoOtherAccepts) {
  for (const int Each : {GpuBit, CpuBit, GpuBit}) {
    Refuses = Each;
    (void)epoch();
    EXPECT_EQ(read(Q, Data, N)[0], Done);
  }
  Refuses = 0;
}

// The GPU cannot be measured, so the static mode goes by properties: the GPU computes faster, and the CPU shares the
// host's memory.
TEST_F(UnevenTest, AStaticQueueWithoutBenchmarksGoesByWhatBoundsIt) {
  const std::pair<cl_ulong, cl_device_id> All[] = {{CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED, Gpu},
                                                   {CL_QUEUE_SCHED_IO_BOUND_HSCHED, Cpu},
                                                   {CL_QUEUE_SCHED_MEMORY_BOUND_HSCHED, Gpu},
                                                   {CL_QUEUE_SCHED_IO_BOUND_HSCHED, Cpu}};
  for (const auto &[Bound, Its] : All) {
    Refuses = GpuBit;
    const cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, CL_QUEUE_SCHED_AUTO_STATIC_HSCHED | Bound, 0};
    cl_int Error;
    clReleaseCommandQueue(Q);
    Q = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
    ok(Error);
    Refuses = 0;
    EXPECT_EQ(epoch(), Its) << Bound;
  }
}

// With few items a GPU is no faster by its properties, so both are measured at once.
TEST_F(UnevenTest, AKernelWithFewItemsIsMeasuredOnBoth) {
  takes(Gpu, 50 * Fast);
  takes(Cpu, Fast);
  const size_t Few = 4;
  cl_device_id On[5]; // A short kernel is measured twice.
  for (cl_device_id &D : On) {
    run(Q, K, Few);
    ok(clFinish(Q));
    D = info<cl_device_id>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_SCHED_DEVICE_HSCHED));
  }
  EXPECT_NE(std::count(On, On + 3, Cpu), 0);
  EXPECT_EQ(On[3], Cpu);
  EXPECT_EQ(On[4], Cpu);
  EXPECT_EQ(read(Q, Data, 1)[0], 5);
}

} // namespace
} // namespace icdtest
