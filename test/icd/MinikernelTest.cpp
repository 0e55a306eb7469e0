// Compute-bound queues: their kernels are measured by a few work-groups before the queue is mapped.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Times.h"

namespace icdtest {
namespace {

// `advance` does the same in a launch of any size; the groups of `stride` share out the work by the size. Both read
// what they write, so a minikernel that wrote to the program's objects would show.
constexpr const char *Source =
    "uint churn(uint v, int n) { for (int i = 0; i < n; ++i) v = v * 1103515245 + 12345; return v; }\n"
    "kernel void advance(global uint *x, int n) { size_t i = get_global_id(0); x[i] = churn(x[i], n); }\n"
    "kernel void stride(global uint *x, int n) {\n"
    "  for (size_t i = get_global_id(0); i < 4096; i += get_global_size(0)) x[i] = churn(x[i], n); }\n";

class MinikernelTest : public Timed {
protected:
  void SetUp() override {
    Timed::SetUp();
    for (cl_device_id D : Devices)
      if (text(clGetDeviceInfo, D, CL_DEVICE_NAME).find("Oclgrind") != std::string::npos)
        Interpreter = D;
      else
        takes(D, 1000);
    if (!Interpreter)
      GTEST_SKIP() << "Oclgrind, the device that is certainly slower, is not installed";
  }

  // Runs a kernel in six epochs of a compute-bound queue. Writes: each epoch begins with a write of its data that is
  // not waited for.
  void epochs(const char *Name, size_t Global, const size_t *Local, bool Writes) {
    cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED,
                               CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED | CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED, 0};
    cl_int Error;
    cl_command_queue Q = clCreateCommandQueueWithProperties(Context, Interpreter, P, &Error);
    ok(Error);
    constexpr size_t N = 4096;
    std::vector<int> Begin(N);
    for (size_t I = 0; I != N; ++I)
      Begin[I] = static_cast<int>(I);
    cl_mem M = ints(Begin);
    // Another source each time, so that nothing is known of its kernels.
    static int Number = 0;
    cl_kernel K = kernel(("// " + std::to_string(++Number) + "\n" + Source).c_str(), Name);
    arg(K, 0, M);
    arg(K, 1, Rounds);
    int Steps = 0; // Since the data were written.
    for (int Epoch = 0; Epoch != 6; ++Epoch) {
      if (Writes) {
        ok(clEnqueueWriteBuffer(Q, M, CL_FALSE, 0, N * sizeof(int), Begin.data(), 0, nullptr, nullptr));
        Steps = 0;
      }
      ok(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &Global, Local, 0, nullptr, nullptr));
      ++Steps;
      ok(clFinish(Q));
      EXPECT_NE(info<cl_device_id>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_SCHED_DEVICE_HSCHED)),
                Interpreter)
          << Name << ", epoch " << Epoch;
    }
    std::vector<int> Wanted;
    for (int B : Begin) {
      auto V = static_cast<unsigned>(B);
      for (int I = 0; I != Steps * Rounds; ++I)
        V = V * 1103515245 + 12345;
      Wanted.push_back(static_cast<int>(V));
    }
    EXPECT_EQ(read(Q, M, N), Wanted) << Name;
    clReleaseKernel(K);
    clReleaseCommandQueue(Q);
  }

  static constexpr int Rounds = 60;
  cl_device_id Interpreter = nullptr;
};

TEST_F(MinikernelTest, TheKernelItselfWithFewerGroups) {
  const size_t Local = 16;
  epochs("advance", 4096, &Local, false);
}

TEST_F(MinikernelTest, AShortenedKernel) {
  const size_t Local = 16;
  epochs("stride", 1024, &Local, false);
  epochs("stride", 512, nullptr, false); // The vendor chooses the group.
}

TEST_F(MinikernelTest, TheDataAreWrittenFirst) {
  const size_t Local = 16;
  epochs("advance", 4096, &Local, true);
}

} // namespace
} // namespace icdtest
