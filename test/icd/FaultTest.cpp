// Calls of the vendor that fail, a process that ends while objects live, and one that forks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Hook.h"

#include <functional>
#include <sys/wait.h>
#include <tuple>

// LeakSanitizer asks before it looks for leaks.
static bool LeaksOnPurpose = false;
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return LeaksOnPurpose; }

namespace icdtest {
namespace {

class FaultTest : public Hooked {
protected:
  static inline int Left = 0; // Calls until one fails.
  static bool fails() { return --Left == 0; }

  // A function that fails once, with an error that a driver may always return.
  template <class F> struct Failing;
  template <class... A> struct Failing<cl_int(CL_API_CALL *)(A...)> {
    static inline cl_int(CL_API_CALL *Its)(A...) = nullptr;
    static cl_int CL_API_CALL call(A... Given) { return fails() ? CL_OUT_OF_RESOURCES : Its(Given...); }
  };
  template <class R, class... A> struct Failing<R *(CL_API_CALL *)(A...)> {
    static inline R *(CL_API_CALL *Its)(A...) = nullptr;
    static R *CL_API_CALL call(A... Given) {
      if (!fails())
        return Its(Given...);
      if (cl_int *Error = std::get<sizeof...(A) - 1>(std::tuple(Given...)))
        *Error = CL_OUT_OF_RESOURCES;
      return nullptr;
    }
  };

  // A small program, which ends at its first error and returns it. CL_SUCCESS: the result is right.
  cl_int program() {
    cl_int Error = CL_SUCCESS;
    cl_context C = nullptr;
    cl_command_queue Q = nullptr;
    cl_program P = nullptr;
    cl_kernel K = nullptr;
    cl_mem M = nullptr;
    cl_event E = nullptr;
    int X[4] = {}, D = 1;
    const size_t N = 4;
    const char *Source = AddSource;
    const std::function<cl_int()> Steps[] = {
        [&] { return C = clCreateContext(nullptr, 1, &Devices[0], nullptr, nullptr, &Error), Error; },
        [&] { return Q = clCreateCommandQueue(C, Devices[0], 0, &Error), Error; },
        [&] { return P = clCreateProgramWithSource(C, 1, &Source, nullptr, &Error), Error; },
        [&] { return clBuildProgram(P, 0, nullptr, "", nullptr, nullptr); },
        [&] { return K = clCreateKernel(P, "add", &Error), Error; },
        [&] { return M = clCreateBuffer(C, CL_MEM_COPY_HOST_PTR, sizeof(X), X, &Error), Error; },
        [&] { return clSetKernelArg(K, 0, sizeof(M), &M); },
        [&] { return clSetKernelArg(K, 1, sizeof(D), &D); },
        [&] { return clEnqueueNDRangeKernel(Q, K, 1, nullptr, &N, nullptr, 0, nullptr, nullptr); },
        [&] { return clEnqueueNDRangeKernel(Q, K, 1, nullptr, &N, nullptr, 0, nullptr, &E); },
        [&] { return clEnqueueNDRangeKernel(Q, K, 1, nullptr, &N, nullptr, 1, &E, nullptr); },
        [&] { return clEnqueueReadBuffer(Q, M, CL_TRUE, 0, sizeof(X), X, 0, nullptr, nullptr); },
        [&] { return clFinish(Q); },
    };
    cl_int First = CL_SUCCESS;
    for (const auto &Step : Steps)
      if ((First = Step()))
        break;
    if (!First) {
      EXPECT_EQ(X[3], 3);
    }
    if (Q)
      (void)clFinish(Q);
    clReleaseEvent(E);
    clReleaseMemObject(M);
    clReleaseKernel(K);
    clReleaseProgram(P);
    clReleaseCommandQueue(Q);
    clReleaseContext(C);
    return First;
  }
  // Each call of a function fails in turn, until the program makes no more of them.
  template <class F> void each(const char *Name, F cl_icd_dispatch::*Slot) {
    Failing<F>::Its = Real.*Slot;
    int Calls = 1;
    for (;; ++Calls) {
      Left = Calls;
      Table->*Slot = Failing<F>::call;
      cl_int Error = program();
      Table->*Slot = Real.*Slot;
      if (Left > 0) // None failed.
        break;
      EXPECT_NE(Error, CL_SUCCESS) << Name << ", call " << Calls;
      ASSERT_LT(Calls, 100) << Name;
    }
    EXPECT_GT(Calls, 1) << Name << " is not called";
    EXPECT_EQ(program(), CL_SUCCESS) << "after " << Name;
  }
};

TEST_F(FaultTest, EachVendorsCallFailsInTurn) {
  each("clCreateContext", &cl_icd_dispatch::clCreateContext);
  each("clCreateCommandQueue", &cl_icd_dispatch::clCreateCommandQueue);
  each("clCreateProgramWithSource", &cl_icd_dispatch::clCreateProgramWithSource);
  each("clBuildProgram", &cl_icd_dispatch::clBuildProgram);
  each("clCreateKernel", &cl_icd_dispatch::clCreateKernel);
  each("clCreateBuffer", &cl_icd_dispatch::clCreateBuffer);
  each("clSetKernelArg", &cl_icd_dispatch::clSetKernelArg);
  each("clEnqueueNDRangeKernel", &cl_icd_dispatch::clEnqueueNDRangeKernel);
  each("clEnqueueReadBuffer", &cl_icd_dispatch::clEnqueueReadBuffer);
}

// Commands without events have no node. If the vendor refuses the marker of a node, they still have to be waited for.
TEST_F(FaultTest, CommandsWithoutANodeAreWaitedForStill) {
  static int Finished, Refused;
  Finished = Refused = 0;
  Table->clEnqueueMarkerWithWaitList = [](cl_command_queue Q, cl_uint N, const cl_event *Waits, cl_event *E) -> cl_int {
    return Refused++ ? Real.clEnqueueMarkerWithWaitList(Q, N, Waits, E) : CL_OUT_OF_RESOURCES;
  };
  Table->clFinish = [](cl_command_queue Q) -> cl_int { return ++Finished, Real.clFinish(Q); };
  cl_int Error;
  cl_context C = clCreateContext(nullptr, 1, &Devices[0], nullptr, nullptr, &Error);
  cl_command_queue Q = clCreateCommandQueue(C, Devices[0], 0, &Error);
  int X[4] = {}, Y[4] = {1, 2, 3, 4};
  cl_mem M = clCreateBuffer(C, CL_MEM_COPY_HOST_PTR, sizeof(X), X, &Error);
  ok(clEnqueueWriteBuffer(Q, M, CL_FALSE, 0, sizeof(Y), Y, 0, nullptr, nullptr));
  cl_event E = nullptr;
  EXPECT_EQ(clEnqueueReadBuffer(Q, M, CL_FALSE, 0, sizeof(X), X, 0, nullptr, &E), CL_OUT_OF_RESOURCES);
  ok(clFinish(Q));
  EXPECT_EQ(Finished, 1);
  ok(clEnqueueReadBuffer(Q, M, CL_TRUE, 0, sizeof(X), X, 0, nullptr, nullptr));
  EXPECT_EQ(X[3], 4);
  clReleaseMemObject(M);
  clReleaseCommandQueue(Q);
  clReleaseContext(C);
}

// A program that leaks all its objects, and uses them in the destructors of its static objects.
TEST_F(FaultTest, ObjectsOutliveMain) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto Leaks = [&] {
    LeaksOnPurpose = true;
    static cl_command_queue Last = Queues[0];
    static cl_mem Its = ints({1, 2, 3, 4});
    struct AtEnd {
      ~AtEnd() {
        int X[4] = {};
        if (clEnqueueReadBuffer(Last, Its, CL_TRUE, 0, sizeof(X), X, 0, nullptr, nullptr) != CL_SUCCESS || X[3] != 5)
          _exit(3);
      }
    };
    static AtEnd End;
    cl_kernel K = kernel(AddSource, "add");
    arg(K, 0, Its);
    arg(K, 1, 1);
    cl_event E;
    run(Last, K, 4, {}, &E);
    std::exit(0);
  };
  EXPECT_EXIT(Leaks(), ::testing::ExitedWithCode(0), "");
}

// A child has the objects, but not the threads: it may ask, and let go. The parent goes on.
TEST_F(FaultTest, AChildAsksAndEnds) {
  cl_mem M = ints({7});
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, M);
  arg(K, 1, 1);
  run(Queues[0], K, 1);
  ok(clFinish(Queues[0]));
  const pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (!Child) {
    cl_uint Devices = 0;
    bool Good = clGetDeviceIDs(Id, CL_DEVICE_TYPE_ALL, 0, nullptr, &Devices) == CL_SUCCESS && Devices > 1 &&
                clRetainMemObject(M) == CL_SUCCESS && clReleaseMemObject(M) == CL_SUCCESS &&
                clReleaseKernel(K) == CL_SUCCESS;
    _exit(Good ? 0 : 1);
  }
  int Status = -1;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0) << Status;
  run(Queues[0], K, 1);
  EXPECT_EQ(read(Queues[0], M, 1)[0], 9);
  clReleaseKernel(K);
}

} // namespace
} // namespace icdtest
