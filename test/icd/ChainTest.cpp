// Chains of a scheduled queue may go to several devices. The benchmarks of PoCL's devices have times that the test
// makes up: under load, one device may seem so slow that no chain goes there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Times.h"

#include <mutex>
#include <set>
#include <string>

namespace icdtest {
namespace {

// The kernel writes the size of its groups, which tells the device.
class ChainTest : public Timed {
protected:
  static constexpr size_t N = 64, Chains = 6, Links = 3;
  void SetUp() override {
    Timed::SetUp();
    Table->clGetEventProfilingInfo = disturbed;
    cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED,
                               CL_QUEUE_SCHED_AUTO_STATIC_HSCHED | CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED, 0};
    cl_int Error;
    Q = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
    ok(Error);
    K = kernel("kernel void link(global int *x, global int *where, int n) {\n"
               "  size_t i = get_global_id(0); x[i] = 2 * x[i] + n; where[i] = get_local_size(0); }",
               "link");
    using Set = clSetKernelWorkGroupInfoHSCHED_fn;
    auto SetInfo = reinterpret_cast<Set>(clGetExtensionFunctionAddressForPlatform(Id, "clSetKernelWorkGroupInfo"));
    ASSERT_NE(SetInfo, nullptr);
    for (size_t D = 0; D != Devices.size(); ++D) {
      size_t Global = N, Local = size_t(1) << D;
      ok(SetInfo(K, Devices[D], 1, &Global, &Local));
    }
    for (size_t C = 0; C != Chains; ++C)
      Data.push_back(ints(std::vector<int>(N, 1)));
    for (size_t I = 0; I != Chains * Links; ++I)
      Where.push_back(ints(std::vector<int>(N, 0)));
  }
  void TearDown() override {
    clReleaseKernel(K);
    clReleaseCommandQueue(Q);
    Timed::TearDown();
  }
  void link(size_t Chain, size_t Link) {
    arg(K, 0, Data[Chain]);
    arg(K, 1, Where[Chain * Links + Link]);
    arg(K, 2, static_cast<int>(Link));
    run(Q, K, N);
  }
  // One link of each chain in turn. Join: each link but the first ones of a chain comes after all before it.
  std::set<int> spread(bool Join) {
    for (size_t L = 0; L != Links; ++L) {
      for (size_t C = 0; C != Chains; ++C)
        link(C, L);
      if (Join) {
        ok(clEnqueueBarrierWithWaitList(Q, 0, nullptr, nullptr));
      }
    }
    ok(clFinish(Q));
    std::set<int> All;
    for (size_t C = 0; C != Chains; ++C) {
      EXPECT_EQ(read(Q, Data[C], N), std::vector<int>(N, 1 * 8 + 0 * 4 + 1 * 2 + 2)) << C;
      std::set<int> Its; // The groups of this chain, by which its devices are known.
      for (size_t L = 0; L != Links; ++L) {
        auto Sizes = read(Q, Where[C * Links + L], N);
        Its.insert(Sizes.begin(), Sizes.end());
      }
      EXPECT_EQ(Its.size(), 1u) << C;
      All.insert(Its.begin(), Its.end());
    }
    return All;
  }
  // Other programs disturb the benchmarks of "basic": three runs in a row take long, each another time.
  static cl_int CL_API_CALL disturbed(cl_event E, cl_profiling_info What, size_t Bytes, void *To, size_t *Needed) {
    static std::atomic<cl_ulong> Runs{0};
    const cl_int Error = profilingInfo(E, What, Bytes, To, Needed);
    cl_command_type Type = 0;
    (void)Real.clGetEventInfo(E, CL_EVENT_COMMAND_TYPE, sizeof(Type), &Type, nullptr);
    if (What == CL_PROFILING_COMMAND_END && To && Type == CL_COMMAND_NDRANGE_KERNEL && !numberOf(deviceNameOf(E)))
      if (const cl_ulong Run = Runs++; Run >= 3 && Run < 6)
        *static_cast<cl_ulong *>(To) += Run * 6 * Fast;
    return Error;
  }
  cl_command_queue Q = nullptr;
  cl_kernel K = nullptr;
  std::vector<cl_mem> Data, Where;
};

TEST_F(ChainTest, ChainsOfOneQueueSpreadOverDevices) { EXPECT_GT(spread(false).size(), 1u); }

// What a barrier joins would have to meet on the host after each link.
TEST_F(ChainTest, JoinedChainsStayTogether) { EXPECT_EQ(spread(true).size(), 1u); }

// A program that knows nothing of scheduling: it has one in-order queue of "hsched auto".
class UnchangedTest : public Timed {
protected:
  void SetUp() override {
    Timed::SetUp();
    Table->clEnqueueNDRangeKernel = launch;
  }
  static inline std::mutex Lock;
  static inline std::set<std::string> On; // Names of PoCL's devices that were given launches.

private:
  static cl_int CL_API_CALL launch(cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                   const size_t *Global, const size_t *Local, cl_uint Count, const cl_event *Waits,
                                   cl_event *Event) {
    cl_device_id D = nullptr;
    char Name[256] = "";
    (void)Real.clGetCommandQueueInfo(Q, CL_QUEUE_DEVICE, sizeof(D), &D, nullptr);
    (void)Real.clGetDeviceInfo(D, CL_DEVICE_NAME, sizeof(Name), Name, nullptr);
    {
      std::lock_guard Hold(Lock);
      On.insert(Name);
    }
    return Real.clEnqueueNDRangeKernel(Q, K, Dimensions, Offset, Global, Local, Count, Waits, Event);
  }
};

TEST_F(UnchangedTest, ItsIndependentKernelsSpreadOverDevices) {
  constexpr size_t N = 64, Objects = 6;
  cl_int Error;
  cl_context C = clCreateContext(nullptr, 1, &Auto, nullptr, nullptr, &Error);
  ok(Error);
  cl_command_queue Q = clCreateCommandQueue(C, Auto, 0, &Error);
  ok(Error);
  const char *Source = AddSource;
  cl_program P = clCreateProgramWithSource(C, 1, &Source, nullptr, &Error);
  ok(clBuildProgram(P, 0, nullptr, "", nullptr, nullptr));
  cl_kernel K = clCreateKernel(P, "add", &Error);
  ok(Error);
  std::vector<int> Zeros(N, 0);
  std::vector<cl_mem> All;
  for (size_t I = 0; I != Objects; ++I)
    All.push_back(clCreateBuffer(C, CL_MEM_COPY_HOST_PTR, N * sizeof(int), Zeros.data(), &Error));
  auto Add = [&](cl_mem M) {
    arg(K, 0, M);
    arg(K, 1, 1);
    run(Q, K, N);
  };
  int Runs = 0;
  for (; Runs != 2 * static_cast<int>(Devices.size()) + 2; ++Runs) { // Each device is measured twice.
    Add(All[0]);
    ok(clFinish(Q));
  }
  {
    std::lock_guard Hold(Lock);
    On.clear();
  }
  for (cl_mem M : All)
    Add(M);
  ok(clFinish(Q));
  EXPECT_EQ(On.size(), 2u);
  for (size_t I = 0; I != Objects; ++I) {
    EXPECT_EQ(read(Q, All[I], N), std::vector<int>(N, I ? 1 : Runs + 1)) << I;
    clReleaseMemObject(All[I]);
  }
  clReleaseKernel(K);
  clReleaseProgram(P);
  clReleaseCommandQueue(Q);
  clReleaseContext(C);
}

// The scheduled queue has made them: some vendors need milliseconds to make a queue.
TEST_F(ChainTest, TheFirstCopyBetweenVendorsMakesNoQueue) {
  static std::atomic<int> Queued;
  std::vector<cl_mem> All;
  for (cl_command_queue Each : Queues) {
    All.push_back(buffer(N * sizeof(int)));
    const std::vector<int> Own(N, 3);
    ok(clEnqueueWriteBuffer(Each, All.back(), CL_TRUE, 0, N * sizeof(int), Own.data(), 0, nullptr, nullptr));
  }
  Table->clCreateCommandQueue = [](cl_context C, cl_device_id D, cl_command_queue_properties P, cl_int *Error) {
    ++Queued;
    return Real.clCreateCommandQueue(C, D, P, Error);
  };
  Queued = 0;
  for (cl_command_queue To : Queues)
    for (cl_mem M : All)
      EXPECT_EQ(read(To, M, N), std::vector<int>(N, 3));
  EXPECT_EQ(Queued, 0);
}

} // namespace
} // namespace icdtest
