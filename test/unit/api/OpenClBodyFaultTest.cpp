// Versions that are host code for OpenCL devices: what goes wrong in them, and what the driver refuses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClBody.h"

#include <dlfcn.h>

using namespace hsched::test;

// Counts of the backend's calls: flushes of one queue, markers, and markers to refuse.
static std::atomic<cl_command_queue> Watched{nullptr};
static std::atomic<int> Flushes{0}, Markers{0}, RefusedMarkers{0};

#pragma GCC visibility push(default) // In place of the loader's.
extern "C" cl_int CL_API_CALL clFlush(cl_command_queue Queue) {
  Flushes += Queue == Watched;
  static auto *Real = reinterpret_cast<decltype(&clFlush)>(dlsym(RTLD_NEXT, "clFlush"));
  return Real(Queue);
}
extern "C" cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue Queue, cl_uint N, const cl_event *Wait,
                                                          cl_event *Done) {
  if (RefusedMarkers > 0) {
    --RefusedMarkers;
    return CL_OUT_OF_RESOURCES;
  }
  static auto *Real =
      reinterpret_cast<decltype(&clEnqueueMarkerWithWaitList)>(dlsym(RTLD_NEXT, "clEnqueueMarkerWithWaitList"));
  cl_int Code = Real(Queue, N, Wait, Done);
  ++Markers;
  return Code;
}
#pragma GCC visibility pop

namespace {

// PoCL 3.1 may run a command that it has just failed and freed. This happens if another event of its wait list ends at
// the same time, or while it is being enqueued. So an event is failed only while the queue does nothing else.
void settled() { check(clFinish(hsched::opencl_queue())); }

// A driver may keep commands until it is flushed, and nothing else knows of that queue.
TEST_F(OpenClBody, AnotherQueueIsFlushed) {
  Ints X(64, 3), Y(64);
  cl_command_queue Own = nullptr;
  int Seen = 0;
  submitTo(onDevice(), {all(HSCHED_IN, X), all(HSCHED_OUT, Y)}, [&] {
    cl_int Code;
    Own = clCreateCommandQueue(hsched::opencl_context(), hsched::opencl_device(), 0, &Code);
    check(Code);
    cl_event Begun, Done;
    check(clEnqueueMarkerWithWaitList(hsched::opencl_queue(), 0, nullptr, &Begun));
    check(clFlush(hsched::opencl_queue()));
    copy(X.data(), Y.data(), 64, Begun, &Done, Own);
    Watched = Own;
    Flushes = 0;
    hsched::opencl_await(Done);
    Seen = Flushes;
    clReleaseEvent(Begun);
    clReleaseEvent(Done);
  });
  hsched_taskwait(0);
  EXPECT_EQ(Y, X);
  EXPECT_EQ(Seen, 1);
  clReleaseCommandQueue(Own);
}

// A program that catches it goes on with the data as they are, as the serial program does.
TEST_F(OpenClBody, AnExceptionLeavesTheDataAsTheyAre) {
  Ints Five(64, 5), X(64, 1), Y(64);
  submitTo(onDevice(), {all(HSCHED_IN, Five), all(HSCHED_OUT, X)}, [&] { copy(Five.data(), X.data(), 64); });
  hsched_taskwait(HSCHED_WAIT_NOFLUSH);
  submitTo(onDevice(), {all(HSCHED_INOUT, X)}, [&] { throw std::out_of_range("before it did anything"); });
  EXPECT_HAS(failure(HSCHED_WAIT_NOFLUSH), "before it did anything");
  submitTo(onDevice(), {all(HSCHED_IN, X), all(HSCHED_OUT, Y)}, [&] { copy(X.data(), Y.data(), 64); });
  EXPECT_EQ(failure(), "");
  EXPECT_EQ(Y, Five);
  EXPECT_EQ(X, Five);
}

// What was half written on the device is no copy of what the host has.
TEST_F(OpenClBody, WorkThatCannotBeEndedLeavesNoCopy) {
  Ints Seven(64, 7), X(64, 1), Y(64);
  submitTo(onDevice(), {all(HSCHED_IN, X), all(HSCHED_OUT, Y)}, [&] { copy(X.data(), Y.data(), 64); });
  hsched_taskwait(HSCHED_WAIT_NOFLUSH);
  submitTo(onDevice(), {all(HSCHED_IN, Seven), all(HSCHED_INOUT, X)}, [&] {
    copy(Seven.data(), X.data(), 32);
    RefusedMarkers = 1;
  });
  EXPECT_HAS(failure(HSCHED_WAIT_NOFLUSH), "CL_OUT_OF_RESOURCES");
  EXPECT_EQ(RefusedMarkers, 0);
  submitTo(onDevice(), {all(HSCHED_IN, X), all(HSCHED_OUT, Y)}, [&] { copy(X.data(), Y.data(), 64); });
  EXPECT_EQ(failure(), "");
  EXPECT_EQ(Y, X);
}

TEST_F(OpenClBody, AnExceptionFailsTheTaskAfterWhatWasEnqueued) {
  Ints X(64, 3), Y(64), Z(64), Other(64);
  Gate G;
  cl_event Stray = nullptr;
  std::atomic<bool> Thrown{false}, WaitEnded{false};
  submitTo(onDevice(), {all(HSCHED_IN, X), all(HSCHED_OUT, Y)}, [&] {
    G.make();
    copy(X.data(), Y.data(), 64, G.Event, &Stray);
    Thrown = true;
    throw std::out_of_range("the library said no");
  });
  submitTo(onDevice(), {all(HSCHED_IN, Y), all(HSCHED_OUT, Z)}, [&] { copy(Y.data(), Z.data(), 64); });
  std::thread Opener([&] {
    EXPECT_TRUE(eventually([&] { return Thrown.load(); }));
    giveTimeTo([&] { return WaitEnded.load(); });
    G.open();
  });
  EXPECT_THROW(hsched_taskwait(0), std::out_of_range);
  WaitEnded = true;
  EXPECT_EQ(statusOf(Stray), CL_COMPLETE); // No other object's memory is written any more.
  Opener.join();
  clReleaseEvent(Stray);
  // The version goes on to serve others.
  submitTo(onDevice(), {all(HSCHED_IN, X), all(HSCHED_OUT, Other)}, [&] { copy(X.data(), Other.data(), 64); });
  hsched_taskwait(0);
  EXPECT_EQ(Other, X);
}

// The driver reports a failure after the body has returned.
TEST_F(OpenClBody, WorkThatFailsLaterFailsTheTask) {
  Ints X(64, 3), Y(64, 1);
  Gate G;
  std::atomic<int> Before{-1};
  hsched_task_type *Type = typeFor<2>("fails_later", true, false);
  submitTo(Type, {all(HSCHED_IN, X), all(HSCHED_INOUT, Y)}, [&] {
    settled();
    G.make();
    cl_event Done;
    copy(X.data(), Y.data(), 64, G.Event, &Done);
    hsched::opencl_await(Done);
    clReleaseEvent(Done);
    Before = Markers.load();
  });
  EXPECT_TRUE(eventually([&] { return Before >= 0 && Markers > Before; }));
  G.open(CL_OUT_OF_RESOURCES);
  std::string Message = failure();
  EXPECT_HAS(Message, "task 'fails_later' failed on ");
  EXPECT_HAS(Message, "what version 'fails_later' enqueued");
}

TEST_F(OpenClBody, WorkThatFailsLaterIsDoneByAnotherVersionWhereThatIsSafe) {
  static Ints X, Y;
  static Gate G;
  static std::atomic<int> OnDevice, OnCpu;
  X.assign(64, 3), Y.assign(64, 1);
  // Which of its two versions runs, a body sees by where it can ask.
  hsched_task_type *Type = typeFor<3>("fails_later_once", true, true);
  for (int I = 0; I < 40; ++I) {
    Ints Out(64);
    submitTo(Type, {all(HSCHED_IN, X), all(HSCHED_OUT, Out)}, [&] {
      cl_context Context;
      try {
        Context = hsched::opencl_context();
      } catch (const std::logic_error &) {
        ++OnCpu;
        Out = X;
        return;
      }
      ++OnDevice;
      settled();
      cl_int Code;
      cl_event Broken = clCreateUserEvent(Context, &Code), Done;
      check(Code);
      copy(X.data(), Out.data(), 64, Broken, &Done);
      hsched::opencl_await(Done);
      clSetUserEventStatus(Broken, CL_OUT_OF_RESOURCES);
      clReleaseEvent(Done);
      clReleaseEvent(Broken);
    });
    hsched_taskwait(0);
    EXPECT_EQ(Out, X);
  }
  EXPECT_EQ(OnDevice, 1);
  EXPECT_EQ(OnCpu, 40);
}

} // namespace
