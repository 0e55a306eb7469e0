// Queues are mapped by benchmarks of the devices, whose times the test makes up. The static mode uses nothing else, the
// dynamic mode uses them for kernels that have not run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Hook.h"

#include "base/DiskCache.h"

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>

namespace icdtest {
namespace {

// "basic" computes 1000 times as fast, and the memory of "pthread" is 1000 times as fast. The properties of the devices
// say the opposite.
class StaticTest : public Hooked {
protected:
  void SetUp() override {
    Hooked::SetUp();
    Table->clEnqueueNDRangeKernel = launch;
    Table->clGetEventProfilingInfo = profilingInfo;
  }
  // The device of a queue with a kernel that reads and writes a megabyte.
  std::string deviceFor(cl_ulong Bound, cl_ulong Mode = CL_QUEUE_SCHED_AUTO_STATIC_HSCHED) {
    cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, Mode | Bound, 0};
    cl_int Error;
    cl_command_queue Q = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
    ok(Error);
    constexpr size_t N = 1 << 18;
    cl_mem M = ints(std::vector<int>(N, 0));
    static int Number = 0; // Nothing is known of another source's kernel.
    const std::string Source = "kernel void add(global int *x) { x[get_global_id(0)] += 1; } // " +
                               std::to_string(++Number) + " " + std::to_string(getpid());
    cl_kernel K = kernel(Source.c_str(), "add");
    arg(K, 0, M);
    run(Q, K, N);
    ok(clFinish(Q));
    auto D = info<cl_device_id>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_SCHED_DEVICE_HSCHED));
    EXPECT_EQ(read(Q, M, N)[N - 1], 1);
    clReleaseKernel(K);
    clReleaseCommandQueue(Q);
    return text(clGetDeviceInfo, D, CL_DEVICE_NAME).substr(0, 5);
  }
  static inline std::atomic<int> Benchmarks; // Number of launches.

private:
  static cl_int CL_API_CALL launch(cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                   const size_t *Global, const size_t *Local, cl_uint Count, const cl_event *Waits,
                                   cl_event *Event) {
    char Name[64] = "";
    (void)Real.clGetKernelInfo(K, CL_KERNEL_FUNCTION_NAME, sizeof(Name), Name, nullptr);
    const std::string Its = Name;
    Benchmarks += Its.starts_with("hsched_");
    const cl_int Error = Real.clEnqueueNDRangeKernel(Q, K, Dimensions, Offset, Global, Local, Count, Waits, Event);
    std::lock_guard Hold(Lock);
    if (Event)
      Names[*Event] = Its;
    return Error;
  }
  static cl_int CL_API_CALL profilingInfo(cl_event E, cl_profiling_info What, size_t Bytes, void *To, size_t *Needed) {
    std::string Its;
    {
      std::lock_guard Hold(Lock);
      if (auto I = Names.find(E); I != Names.end())
        Its = I->second;
    }
    if (What != CL_PROFILING_COMMAND_END || !To || !Its.starts_with("hsched_"))
      return Real.clGetEventProfilingInfo(E, What, Bytes, To, Needed);
    const cl_int Error = Real.clGetEventProfilingInfo(E, CL_PROFILING_COMMAND_START, Bytes, To, Needed);
    const bool Fast = (Its == "hsched_compute") == (deviceNameOf(E).compare(0, 5, "basic") == 0);
    *static_cast<cl_ulong *>(To) += Fast ? 2'000'000 : 2'000'000'000;
    return Error;
  }
  static inline std::mutex Lock;
  static inline std::map<cl_event, std::string> Names;
};

TEST_F(StaticTest, TheBenchmarkThatCountsDecides) {
  EXPECT_EQ(deviceFor(CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED), "basic");
  EXPECT_EQ(deviceFor(CL_QUEUE_SCHED_MEMORY_BOUND_HSCHED), "pthre");
  EXPECT_EQ(deviceFor(CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED), "basic");
}

// Run by the test below: the profiles are on disk.
TEST_F(StaticTest, DISABLED_TheNextProcess) {
  // Without benchmarks devices of one type take turns.
  for (int Run = 0; Run != 3; ++Run) {
    EXPECT_EQ(deviceFor(CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED), "basic");
    EXPECT_EQ(deviceFor(CL_QUEUE_SCHED_MEMORY_BOUND_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED), "pthre");
  }
  EXPECT_EQ(deviceFor(CL_QUEUE_SCHED_MEMORY_BOUND_HSCHED), "pthre");
  EXPECT_EQ(Benchmarks, 0);
}

TEST_F(StaticTest, DevicesAreMeasuredOnce) {
  const std::string Folder = std::getenv("HSCHED_CACHE"), Profiles = Folder + "/opencl-devices";
  (void)deviceFor(0);
  ASSERT_TRUE(std::filesystem::exists(Profiles));
  const int Before = Benchmarks;
  EXPECT_EQ(deviceFor(CL_QUEUE_SCHED_MEMORY_BOUND_HSCHED), "pthre");
  EXPECT_EQ(Benchmarks, Before);
  const std::string Self = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(
      std::system(("'" + Self + "' --gtest_also_run_disabled_tests --gtest_filter='*TheNextProcess' >&2").c_str()), 0);
}

// Run by the test below, with a cache and without one.
TEST_F(StaticTest, DISABLED_AContextWithAScheduler) {
  const bool IsKept = std::getenv("HSCHED_CACHE") != std::string("0");
  (void)deviceFor(CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED);
  EXPECT_EQ(Benchmarks, 0); // Its context has no scheduler.
  const cl_context_properties P[] = {CL_CONTEXT_SCHEDULER_HSCHED, CL_CONTEXT_SCHEDULER_AUTOFIT_HSCHED, 0};
  cl_int Error;
  cl_context Without = Context;
  Context = clCreateContext(P, static_cast<cl_uint>(Devices.size()), Devices.data(), nullptr, nullptr, &Error);
  ok(Error);
  for (int Run = 0; IsKept && Run != 3; ++Run) {
    EXPECT_EQ(deviceFor(CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED), "basic");
    EXPECT_EQ(deviceFor(CL_QUEUE_SCHED_MEMORY_BOUND_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED), "pthre");
  }
  if (!IsKept)
    (void)deviceFor(0, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED);
  EXPECT_EQ(Benchmarks != 0, IsKept);
  clReleaseContext(Context);
  Context = Without;
}

// Run by the test below, which has written the profiles.
TEST_F(StaticTest, DISABLED_BoundByTransfers) {
  EXPECT_EQ(deviceFor(0), "basic");
  EXPECT_EQ(deviceFor(CL_QUEUE_SCHED_IO_BOUND_HSCHED), "pthre");
  EXPECT_EQ(deviceFor(CL_QUEUE_SCHED_MEMORY_BOUND_HSCHED), "basic");
  EXPECT_EQ(deviceFor(CL_QUEUE_SCHED_IO_BOUND_HSCHED), "pthre");
  EXPECT_EQ(Benchmarks, 0);
}

// "basic" computes and reads its memory 1000 times as fast, but transfers to and from it are 1000 times as slow.
TEST_F(StaticTest, TransfersCountInAQueueThatTheyBound) {
  const std::string Self = std::filesystem::read_symlink("/proc/self/exe"),
                    Other = std::getenv("HSCHED_CACHE") + std::string("-transfers");
  std::filesystem::remove_all(Other);
  const hsched::rt::DiskCache Profiles(Other + "/opencl-devices", 1 << 20);
  for (cl_device_id D : Devices) {
    const std::string Name = text(clGetDeviceInfo, D, CL_DEVICE_NAME),
                      Driver = text(clGetDeviceInfo, D, CL_DRIVER_VERSION),
                      Units = std::to_string(
                          info<cl_uint>(clGetDeviceInfo, D, cl_device_info(CL_DEVICE_MAX_COMPUTE_UNITS))),
                      MHz = std::to_string(
                          info<cl_uint>(clGetDeviceInfo, D, cl_device_info(CL_DEVICE_MAX_CLOCK_FREQUENCY)));
    const std::string Key = "Portable Computing Language/" + Name + "/" + Driver;
    // Operations and bytes a second; start and bytes a second of both links.
    Profiles.store(hsched::rt::cacheKey({"device 2", Key, Units, MHz}),
                   Name.compare(0, 5, "basic") == 0 ? "1e13 1e13 1e-6 1e7 1e-6 1e7" : "1e10 1e10 1e-6 1e10 1e-6 1e10");
  }
  EXPECT_EQ(std::system(("HSCHED_CACHE='" + Other + "' '" + Self +
                         "' --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_BoundByTransfers' >&2")
                            .c_str()),
            0);
  std::filesystem::remove_all(Other);
}

TEST_F(StaticTest, ADynamicQueueMeasuresInAContextWithAScheduler) {
  const std::string Self = std::filesystem::read_symlink("/proc/self/exe"),
                    Other = std::getenv("HSCHED_CACHE") + std::string("-dynamic");
  std::filesystem::remove_all(Other);
  for (const std::string &Cache : {Other, std::string("0")})
    EXPECT_EQ(std::system(("HSCHED_CACHE='" + Cache + "' '" + Self +
                           "' --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_AContextWithAScheduler' >&2")
                              .c_str()),
              0)
        << Cache;
  std::filesystem::remove_all(Other);
}

// A part of a device takes longer than the whole device, which has the same name.
TEST_F(StaticTest, ASubDeviceHasTimesOfItsOwn) {
  const std::filesystem::path Times = std::getenv("HSCHED_CACHE") + std::string("/opencl-times");
  const auto Count = [&] {
    std::error_code None;
    return std::distance(std::filesystem::directory_iterator(Times, None), std::filesystem::directory_iterator());
  };
  for (cl_device_id D : Devices) {
    const cl_device_partition_property By[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id Parts[64];
    cl_uint N = 0;
    if (info<cl_uint>(clGetDeviceInfo, D, cl_device_info(CL_DEVICE_MAX_COMPUTE_UNITS)) < 2 ||
        clCreateSubDevices(D, By, 64, Parts, &N) != CL_SUCCESS)
      continue;
    const std::vector<cl_device_id> Before = std::exchange(Devices, {D, Parts[0]});
    cl_int Error;
    cl_context Whole = std::exchange(Context, clCreateContext(nullptr, 2, Devices.data(), nullptr, nullptr, &Error));
    ok(Error);
    const auto Files = Count();
    cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED, 0};
    cl_command_queue Q = clCreateCommandQueueWithProperties(Context, D, P, &Error);
    ok(Error);
    const std::string Source =
        "kernel void add(global int *x) { x[get_global_id(0)] += 1; } // part " + std::to_string(getpid());
    cl_kernel K = kernel(Source.c_str(), "add");
    arg(K, 0, ints({1, 2}));
    for (int I = 0; I != 6; ++I) { // Two runs on each device, and some more.
      run(Q, K, 2);
      ok(clFinish(Q));
    }
    clReleaseKernel(K);
    clReleaseMemObject(Made.back());
    Made.pop_back();
    clReleaseCommandQueue(Q);
    clReleaseContext(std::exchange(Context, Whole)); // Writes the times.
    EXPECT_EQ(Count() - Files, 2);
    Devices = Before;
    for (cl_uint I = 0; I != N; ++I)
      clReleaseDevice(Parts[I]);
    return;
  }
  GTEST_SKIP() << "no device can be split into units";
}

} // namespace
} // namespace icdtest
