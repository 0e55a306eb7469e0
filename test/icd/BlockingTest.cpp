// A thread waits in a read while another one enqueues into the same queue.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Hook.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

namespace icdtest {
namespace {

class BlockingTest : public Hooked {
protected:
  static cl_int CL_API_CALL readBuffer(cl_command_queue Q, cl_mem M, cl_bool Blocking, size_t First, size_t Bytes,
                                       void *To, cl_uint N, const cl_event *Waits, cl_event *Event) {
    if (auto Do = Blocking ? std::exchange(BeforeRead, nullptr) : nullptr)
      Do();
    return Real.clEnqueueReadBuffer(Q, M, Blocking, First, Bytes, To, N, Waits, Event);
  }

  static inline std::function<void()> BeforeRead; // Called inside the platform's call, before the vendor has the read.
};

// The copy waits for two lanes of the queue. It may not begin in the lane of the other one before the read has ended.
TEST_F(BlockingTest, AConflictingCommandWaitsForTheRead) {
  // Not one that runs in its callers: there, the other thread waits for its turn.
  auto Its = std::find_if(Devices.begin(), Devices.end(), [](cl_device_id D) {
    return text(clGetDeviceInfo, D, CL_DEVICE_NAME).compare(0, 7, "pthread") == 0;
  });
  ASSERT_NE(Its, Devices.end());
  cl_int Error;
  cl_context One = clCreateContext(nullptr, 1, &*Its, nullptr, nullptr, &Error);
  ok(Error);
  cl_command_queue Q = clCreateCommandQueue(One, *Its, 0, &Error);
  ok(Error);
  const std::vector<int> Old(1024, 1), New(1024, 2);
  std::vector<int> Read(1024), Later(1024);
  constexpr size_t Bytes = 1024 * sizeof(int);
  cl_mem From = clCreateBuffer(One, 0, Bytes, nullptr, &Error), To = clCreateBuffer(One, 0, Bytes, nullptr, &Error);
  ok(clEnqueueWriteBuffer(Q, To, CL_TRUE, 0, Bytes, Old.data(), 0, nullptr, nullptr));
  ok(clFinish(Q));
  cl_event Copied = nullptr;
  cl_int Status = CL_COMPLETE;
  Table->clEnqueueReadBuffer = readBuffer;
  BeforeRead = [&] {
    std::thread Other([&] {
      ok(clEnqueueWriteBuffer(Q, From, CL_FALSE, 0, Bytes, New.data(), 0, nullptr, nullptr));
      ok(clEnqueueCopyBuffer(Q, From, To, 0, 0, Bytes, 0, nullptr, &Copied));
      ok(clFlush(Q));
    });
    Other.join();
    Status = status(Copied);
  };
  ok(clEnqueueReadBuffer(Q, To, CL_TRUE, 0, Bytes, Read.data(), 0, nullptr, nullptr));
  ASSERT_NE(Copied, nullptr) << "the read did not go directly";
  EXPECT_EQ(Status, CL_QUEUED);
  EXPECT_EQ(Read, Old);
  ok(clWaitForEvents(1, &Copied));
  ok(clEnqueueReadBuffer(Q, To, CL_TRUE, 0, Bytes, Later.data(), 0, nullptr, nullptr));
  EXPECT_EQ(Later, New);
  clReleaseEvent(Copied);
  clReleaseMemObject(From);
  clReleaseMemObject(To);
  clReleaseCommandQueue(Q);
  clReleaseContext(One);
}

class BuildTest : public Hooked {
protected:
  static cl_int CL_API_CALL buildProgram(cl_program P, cl_uint N, const cl_device_id *On, const char *Options,
                                         void(CL_CALLBACK *Notified)(cl_program, void *), void *Data) {
    MayBuild.wait(false);
    return Real.clBuildProgram(P, N, On, Options, Notified, Data);
  }
  static inline std::atomic<bool> MayBuild;
};

// Also while its vendor has not begun.
TEST_F(BuildTest, ABuildWithACallbackIsInProgress) {
  MayBuild = false;
  Table->clBuildProgram = buildProgram;
  cl_int Error;
  const char *Source = AddSource;
  cl_program P = clCreateProgramWithSource(Context, 1, &Source, nullptr, &Error);
  ok(Error);
  std::atomic<bool> Built{false};
  ok(clBuildProgram(
      P, 0, nullptr, "",
      [](cl_program, void *To) {
        static_cast<std::atomic<bool> *>(To)->store(true);
        static_cast<std::atomic<bool> *>(To)->notify_all();
      },
      &Built));
  auto Status = [&] {
    return info<cl_build_status>(clGetProgramBuildInfo, P, Devices[0], cl_program_build_info(CL_PROGRAM_BUILD_STATUS));
  };
  EXPECT_EQ(Status(), CL_BUILD_IN_PROGRESS);
  MayBuild = true;
  MayBuild.notify_all();
  Built.wait(false);
  EXPECT_EQ(Status(), CL_BUILD_SUCCESS);
  clReleaseProgram(P);
}

// A device that says it has a thousand times as many compute units.
class HeavyTest : public Hooked {
protected:
  void SetUp() override {
    Hooked::SetUp();
    Heavy = text(clGetDeviceInfo, Devices[1], CL_DEVICE_NAME);
    Table->clGetDeviceInfo = deviceInfo;
    cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED, 0};
    cl_int Error;
    Q = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
    ok(Error);
  }
  void TearDown() override {
    clReleaseCommandQueue(Q);
    Hooked::TearDown();
  }
  cl_device_id device() const {
    return info<cl_device_id>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_SCHED_DEVICE_HSCHED));
  }
  cl_command_queue Q = nullptr;

private:
  static cl_int CL_API_CALL deviceInfo(cl_device_id D, cl_device_info What, size_t Bytes, void *To, size_t *Needed) {
    cl_int Error = Real.clGetDeviceInfo(D, What, Bytes, To, Needed);
    char Name[256] = "";
    if (What == CL_DEVICE_MAX_COMPUTE_UNITS && To && Error == CL_SUCCESS &&
        Real.clGetDeviceInfo(D, CL_DEVICE_NAME, sizeof(Name), Name, nullptr) == CL_SUCCESS && Name == Heavy)
      *static_cast<cl_uint *>(To) *= 1000;
    return Error;
  }
  static inline std::string Heavy;
};

// A kernel is not tried where it must be far slower: an epoch there costs more than it can gain.
TEST_F(HeavyTest, AFarSlowerDeviceIsNotTried) {
  constexpr size_t N = 1 << 16;
  cl_mem M = ints(std::vector<int>(N, 0));
  cl_kernel K = kernel("kernel void heavy(global int *x, int d) { x[get_global_id(0)] += d; }", "heavy");
  arg(K, 0, M);
  arg(K, 1, 1);
  for (int Epoch = 0; Epoch != 4; ++Epoch) {
    run(Q, K, N);
    ok(clFinish(Q));
    EXPECT_EQ(device(), Devices[1]) << Epoch;
  }
  clReleaseKernel(K);
}

// Transfers alone do not show where the kernels will run.
TEST_F(HeavyTest, TransfersGoToTheFasterDevice) {
  cl_mem M = ints({1});
  const int X = 2;
  ok(clEnqueueWriteBuffer(Q, M, CL_TRUE, 0, sizeof(X), &X, 0, nullptr, nullptr));
  EXPECT_EQ(device(), Devices[1]);
}

} // namespace
} // namespace icdtest
