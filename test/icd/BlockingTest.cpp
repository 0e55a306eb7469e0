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
  static cl_int CL_API_CALL releaseProgram(cl_program P) {
    const cl_int Error = Real.clReleaseProgram(P);
    Released = true;
    Released.notify_all();
    return Error;
  }
  static inline std::atomic<bool> MayBuild, Released;
};

// Also while its vendor has not begun.
TEST_F(BuildTest, ABuildWithACallbackIsInProgress) {
  MayBuild = Released = false;
  Table->clBuildProgram = buildProgram;
  Table->clReleaseProgram = releaseProgram;
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
  Released.wait(false); // The thread that built it may be the last to have it.
}

} // namespace
} // namespace icdtest
