// A device whose vendor reports the same times for all commands, as rusticl of Mesa 22 does: its kernels seem to take a
// nanosecond. The platform measures them itself.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Hook.h"

#include <algorithm>

namespace icdtest {
namespace {

class ClockTest : public Hooked {
protected:
  void SetUp() override {
    Hooked::SetUp();
    Table->clGetEventProfilingInfo = profilingInfo;
  }

private:
  // The clock of "pthread" stands still. On the other device kernels seem to take a microsecond.
  static cl_int CL_API_CALL profilingInfo(cl_event E, cl_profiling_info What, size_t Bytes, void *To, size_t *Needed) {
    if (deviceNameOf(E).compare(0, 7, "pthread") == 0) {
      *static_cast<cl_ulong *>(To) = What - CL_PROFILING_COMMAND_QUEUED;
      return CL_SUCCESS;
    }
    if (What != CL_PROFILING_COMMAND_END)
      return Real.clGetEventProfilingInfo(E, What, Bytes, To, Needed);
    const cl_int Error = Real.clGetEventProfilingInfo(E, CL_PROFILING_COMMAND_START, Bytes, To, Needed);
    *static_cast<cl_ulong *>(To) += 1000;
    return Error;
  }
};

TEST_F(ClockTest, AClockThatStandsStill) {
  cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED, 0};
  cl_int Error;
  cl_command_queue Q = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
  ok(Error);
  constexpr size_t N = 64;
  cl_mem M = ints(std::vector<int>(N, 1));
  // Some milliseconds of work, which is more than any start of a command counts as.
  cl_kernel K = kernel("kernel void churn(global uint *x) { uint v = x[get_global_id(0)];\n"
                       "  for (int i = 0; i < 2000000; ++i) v = v * 1103515245 + 12345; x[get_global_id(0)] = v; }",
                       "churn");
  arg(K, 0, M);
  for (int Epoch = 0; Epoch != 8; ++Epoch) {
    run(Q, K, N);
    ok(clFinish(Q));
    auto D = info<cl_device_id>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_SCHED_DEVICE_HSCHED));
    if (Epoch >= 4) { // Each device has been measured twice.
      EXPECT_NE(text(clGetDeviceInfo, D, CL_DEVICE_NAME).compare(0, 7, "pthread"), 0) << Epoch;
    }
  }
  clReleaseKernel(K);
  clReleaseCommandQueue(Q);
  // The program's own profiling has such times, too.
  for (cl_device_id D : Devices) {
    Q = clCreateCommandQueue(Context, D, CL_QUEUE_PROFILING_ENABLE, &Error);
    ok(Error);
    cl_event E = nullptr;
    const int Two = 2;
    ok(clEnqueueWriteBuffer(Q, M, CL_TRUE, 0, sizeof(Two), &Two, 0, nullptr, &E));
    (void)lastTimeOf(E, 0);
    clReleaseEvent(E);
    clReleaseCommandQueue(Q);
  }
}

// Its commands' times are in order, and a kernel takes as long as it runs, although its end is asked for last.
TEST_F(ClockTest, TimesOfAnInOrderQueueAreInOrder) {
  const auto On = std::find_if(Devices.begin(), Devices.end(), [](cl_device_id D) {
    return text(clGetDeviceInfo, D, CL_DEVICE_NAME).compare(0, 7, "pthread") == 0;
  });
  ASSERT_NE(On, Devices.end());
  cl_int Error;
  cl_command_queue Q = clCreateCommandQueue(Context, *On, CL_QUEUE_PROFILING_ENABLE, &Error);
  ok(Error);
  cl_mem M = ints(std::vector<int>(64, 1));
  cl_kernel K = kernel("kernel void churn(global uint *x, int n) { uint v = x[get_global_id(0)];\n"
                       "  for (int i = 0; i < n; ++i) v = v * 1103515245 + 12345; x[get_global_id(0)] = v; }",
                       "churn");
  arg(K, 0, M);
  arg(K, 1, 2000000);
  std::vector<cl_event> All(4);
  run(Q, K, 64, {}, &All[0]);
  ok(clEnqueueMarkerWithWaitList(Q, 0, nullptr, &All[1]));
  arg(K, 1, 1);
  run(Q, K, 64, {}, &All[2]);
  ok(clEnqueueBarrierWithWaitList(Q, 0, nullptr, &All[3]));
  ok(clWaitForEvents(1, &All.back()));
  auto Time = [](cl_event E, cl_profiling_info What) { return info<cl_ulong>(clGetEventProfilingInfo, E, What); };
  cl_ulong Before = 0;
  for (cl_event E : All) {
    EXPECT_LE(Before, Time(E, CL_PROFILING_COMMAND_START));
    Before = lastTimeOf(E, 0);
  }
  EXPECT_GT(Time(All[0], CL_PROFILING_COMMAND_END) - Time(All[0], CL_PROFILING_COMMAND_START), 1000000u); // 1 ms.
  for (cl_event E : All)
    clReleaseEvent(E);
  clReleaseKernel(K);
  clReleaseCommandQueue(Q);
}

} // namespace
} // namespace icdtest
