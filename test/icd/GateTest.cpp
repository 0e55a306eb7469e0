// Commands behind one that the vendor has not finished: they fail before they begin, or look for an idle queue. A later
// command may depend on a failed one alone. Every vendor queue with commands is flushed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Hook.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace icdtest {
namespace {

class GateTest : public Hooked {
protected:
  void SetUp() override {
    Hooked::SetUp();
    Launches = Refused = 0;
    Armed = Reported = GatesAll = false;
    Unflushed.clear();
    Table->clEnqueueNDRangeKernel = launch;
    Table->clGetEventInfo = eventInfo;
    Table->clSetEventCallback = setCallback;
    Table->clFlush = flush;
    Table->clEnqueueMarkerWithWaitList = marker;
    K = kernel(AddSource, "put");
    arg(K, 1, 0);
    // Not one that runs in its callers.
    auto Its = std::find_if(Devices.begin(), Devices.end(), [](cl_device_id D) {
      return text(clGetDeviceInfo, D, CL_DEVICE_NAME).compare(0, 7, "pthread") == 0;
    });
    ASSERT_NE(Its, Devices.end());
    Q = Queues[static_cast<size_t>(Its - Devices.begin())];
    M = ints({0});
  }
  void TearDown() override {
    clReleaseKernel(K);
    Hooked::TearDown();
    Real.clReleaseEvent(std::exchange(Gate, nullptr));
  }
  static size_t unflushed() {
    std::lock_guard Hold(Lock);
    return Unflushed.size();
  }
  // Writes a value to the buffer. Returns the error.
  cl_int put(int Value, std::vector<cl_event> After, cl_event *Event) {
    const size_t One = 1;
    arg(K, 0, M);
    arg(K, 2, Value);
    return clEnqueueNDRangeKernel(Q, K, 1, nullptr, &One, nullptr, static_cast<cl_uint>(After.size()),
                                  After.empty() ? nullptr : After.data(), Event);
  }
  void openAndCheck(std::vector<cl_event> Events) {
    (void)Real.clSetUserEventStatus(Gate, CL_COMPLETE);
    (void)clFinish(Q);
    EXPECT_EQ(read(Q, M, 1), std::vector{2});
    for (cl_event E : Events)
      clReleaseEvent(E);
  }

  cl_kernel K = nullptr;
  cl_command_queue Q = nullptr;
  cl_mem M = nullptr;
  static inline std::atomic<int> Launches, Refused; // Refused: the number of the launch that is; 0: none.
  static inline cl_event Gate = nullptr;            // The vendor's first launch waits for it.
  // Armed: the next question for a command's status is answered when the first launch has ended and the platform's
  // callback has returned.
  static inline std::atomic<bool> Armed, Reported;
  static inline std::atomic<bool> GatesAll;        // All launches wait.
  static inline std::function<void()> AfterMarker; // Called once, behind the next marker's call.

private:
  static inline std::mutex Lock;
  static inline std::set<cl_command_queue> Unflushed; // Vendor queues with launches since their last flush.

  static cl_int CL_API_CALL flush(cl_command_queue Q) {
    {
      std::lock_guard Hold(Lock);
      Unflushed.erase(Q);
    }
    return Real.clFlush(Q);
  }
  static cl_int CL_API_CALL marker(cl_command_queue Q, cl_uint N, const cl_event *Waits, cl_event *Event) {
    const cl_int Error = Real.clEnqueueMarkerWithWaitList(Q, N, Waits, Event);
    if (const auto Do = std::exchange(AfterMarker, nullptr))
      Do();
    return Error;
  }
  static cl_int CL_API_CALL eventInfo(cl_event E, cl_event_info What, size_t Bytes, void *To, size_t *Needed) {
    if (What == CL_EVENT_COMMAND_EXECUTION_STATUS && Armed.exchange(false)) {
      (void)Real.clSetUserEventStatus(Gate, CL_COMPLETE);
      Reported.wait(false);
    }
    return Real.clGetEventInfo(E, What, Bytes, To, Needed);
  }
  struct Report {
    void(CL_CALLBACK *Notified)(cl_event, cl_int, void *);
    void *Data;
  };
  static cl_int CL_API_CALL setCallback(cl_event E, cl_int From, void(CL_CALLBACK *Notified)(cl_event, cl_int, void *),
                                        void *Data) {
    return Real.clSetEventCallback(
        E, From,
        [](cl_event E, cl_int How, void *Data) {
          const std::unique_ptr<Report> Its(static_cast<Report *>(Data));
          Its->Notified(E, How, Its->Data);
          Reported = true;
          Reported.notify_all();
        },
        new Report{Notified, Data});
  }
  static cl_int CL_API_CALL launch(cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                   const size_t *Global, const size_t *Local, cl_uint N, const cl_event *Waits,
                                   cl_event *Event) {
    std::vector<cl_event> All(Waits, Waits + N);
    const int Number = ++Launches;
    if (Number == Refused)
      return CL_OUT_OF_RESOURCES;
    if (Number == 1) {
      cl_context C = nullptr;
      cl_int Error = Real.clGetCommandQueueInfo(Q, CL_QUEUE_CONTEXT, sizeof(C), &C, nullptr);
      Gate = Real.clCreateUserEvent(C, &Error);
    }
    if (Number == 1 || GatesAll)
      All.push_back(Gate);
    {
      std::lock_guard Hold(Lock);
      Unflushed.insert(Q);
    }
    return Real.clEnqueueNDRangeKernel(Q, K, Dimensions, Offset, Global, Local, static_cast<cl_uint>(All.size()),
                                       All.empty() ? nullptr : All.data(), Event);
  }
};

TEST_F(GateTest, ACancelledCommandEndsBehindItsPredecessors) {
  cl_int Error;
  cl_event User = clCreateUserEvent(Context, &Error), First = nullptr, Second = nullptr, Third = nullptr;
  ok(put(1, {}, &First));
  ok(put(5, {User}, &Second));
  ok(put(2, {}, &Third));
  ok(clFlush(Q));
  ok(clSetUserEventStatus(User, -1));
  EXPECT_EQ(Launches, 1); // The third one is not there before the first one has ended.
  openAndCheck({});
  EXPECT_EQ(status(Second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  for (cl_event E : {User, First, Second, Third})
    clReleaseEvent(E);
}

TEST_F(GateTest, ARefusedCommandEndsBehindItsPredecessors) {
  cl_event First = nullptr, Third = nullptr;
  Refused = 2;
  ok(put(1, {}, &First));
  EXPECT_EQ(put(5, {First}, nullptr), CL_OUT_OF_RESOURCES);
  ok(put(2, {}, &Third));
  EXPECT_EQ(Launches, 2);
  openAndCheck({First, Third});
}

// A refused command leaves a vendor queue with an earlier one.
TEST_F(GateTest, AFlushIsForAllCommandsInFrontOfARefusedOne) {
  constexpr int Count = 15; // More than vendor queues on most machines; the next but one is a fence.
  std::vector<cl_event> Events(Count);
  const cl_mem Its = M;
  GatesAll = true;
  for (cl_event &E : Events) {
    M = ints({0});
    ok(put(1, {}, &E));
  }
  Refused = Count + 1;
  M = ints({0});
  cl_event None = nullptr;
  EXPECT_EQ(put(1, {}, &None), CL_OUT_OF_RESOURCES);
  EXPECT_GT(unflushed(), 0u);
  ok(clFlush(Q));
  EXPECT_EQ(unflushed(), 0u);
  M = Its;
  ok(put(2, {}, nullptr));
  openAndCheck(Events);
}

// Another thread flushes while a node is made of the commands without events.
TEST_F(GateTest, AFlushIsForCommandsThatGetANode) {
  cl_event E = nullptr;
  size_t Left = 1;
  ok(put(1, {}, nullptr));
  EXPECT_EQ(unflushed(), 1u);
  AfterMarker = [&] {
    std::thread([&] { ok(clFlush(Q)); }).join();
    Left = unflushed();
  };
  ok(put(2, {}, &E));
  EXPECT_EQ(AfterMarker, nullptr);
  EXPECT_EQ(Left, 0u);
  openAndCheck({E});
}

// A thread finishes while another one makes a node of its command without an event.
TEST_F(GateTest, FinishWaitsForCommandsThatGetANode) {
  cl_event E = nullptr;
  std::atomic<bool> Opened{false}, InTime{false};
  std::thread Other;
  ok(put(1, {}, nullptr));
  AfterMarker = [&] {
    Other = std::thread([&] {
      ok(clFinish(Q));
      InTime = Opened.load();
    });
  };
  ok(put(2, {}, &E));
  EXPECT_EQ(AfterMarker, nullptr);
  Opened = true;
  openAndCheck({E});
  Other.join();
  EXPECT_TRUE(InTime);
}

// A vendor such as rusticl calls back with a lock held that it also takes to answer for the event.
TEST_F(GateTest, AVendorAnswersAfterItsCallback) {
  cl_event First = nullptr, Second = nullptr;
  std::atomic<int> FirstStatus{1};
  ok(put(2, {}, &First));
  ok(clFlush(Q));
  ok(clSetEventCallback(
      First, CL_COMPLETE, [](cl_event, cl_int How, void *To) { *static_cast<std::atomic<int> *>(To) = How; },
      &FirstStatus));
  const cl_mem Its = std::exchange(M, ints({0}));
  Armed = true;
  ok(put(7, {}, &Second)); // Asks whether the lane of the first one is idle.
  EXPECT_FALSE(Armed);
  EXPECT_EQ(FirstStatus, CL_COMPLETE);
  M = Its;
  openAndCheck({First, Second});
}

} // namespace
} // namespace icdtest
