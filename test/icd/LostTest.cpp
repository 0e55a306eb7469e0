// A device that is lost: its vendor refuses all commands from then on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Hook.h"

#include <atomic>
#include <thread>

namespace icdtest {
namespace {

class LostTest : public Hooked {
protected:
  void SetUp() override {
    Hooked::SetUp();
    Gone = Silent = false;
    Refused = 0;
    Holds = false;
    Code = CL_DEVICE_NOT_AVAILABLE;
    Table->clEnqueueNDRangeKernel = launch;
    Table->clWaitForEvents = wait;
    Table->clGetEventInfo = eventInfo;
    Table->clSetEventCallback = setCallback;
    K = kernel(AddSource, "add");
    arg(K, 1, 1);
  }
  void TearDown() override {
    for (cl_event E : Gates) // What a silent vendor still has.
      (void)Real.clSetUserEventStatus(E, CL_COMPLETE);
    for (cl_command_queue Q : Queues)
      (void)clFinish(Q);
    clReleaseKernel(K);
    Hooked::TearDown();
    for (cl_event E : std::exchange(Gates, {}))
      Real.clReleaseEvent(E);
  }

  // The device of this name will be lost. Holds: until then its commands do not begin.
  void choose(cl_device_id D, bool HoldsCommands) {
    Victim = text(clGetDeviceInfo, D, CL_DEVICE_NAME);
    Holds = HoldsCommands;
  }
  // Silent: the vendor does not report the end of the commands that it has.
  void lose(bool IsSilent = false) {
    Silent = IsSilent;
    Gone = true;
    Gone.notify_all();
    if (!IsSilent)
      for (cl_event E : Gates)
        (void)Real.clSetUserEventStatus(E, CL_OUT_OF_RESOURCES);
  }
  void add(cl_command_queue Q, cl_mem M, std::vector<cl_event> After = {}, cl_event *Event = nullptr) {
    arg(K, 0, M);
    run(Q, K, 1, std::move(After), Event);
  }
  cl_int refused(cl_command_queue Q, cl_event *Event) {
    const size_t One = 1;
    return clEnqueueNDRangeKernel(Q, K, 1, nullptr, &One, nullptr, 0, nullptr, Event);
  }
  // Commands on the device before it is lost, one after the other, and one on another device behind the first.
  void commandsThatAreThere(bool IsSilent);

  cl_kernel K = nullptr;
  static inline std::atomic<bool> Gone, Silent;
  static inline std::atomic<int> Refused; // Number of launches.
  static inline bool Holds;
  static inline cl_int Code;

  static inline std::string Victim;

private:
  static bool isVictim(cl_command_queue Q) {
    cl_device_id D = nullptr;
    char Name[256] = "";
    return Q && Real.clGetCommandQueueInfo(Q, CL_QUEUE_DEVICE, sizeof(D), &D, nullptr) == CL_SUCCESS &&
           Real.clGetDeviceInfo(D, CL_DEVICE_NAME, sizeof(Name), Name, nullptr) == CL_SUCCESS && Name == Victim;
  }
  static bool isVictim(cl_event E) {
    cl_command_queue Q = nullptr;
    return Real.clGetEventInfo(E, CL_EVENT_COMMAND_QUEUE, sizeof(Q), &Q, nullptr) == CL_SUCCESS && isVictim(Q);
  }
  static cl_int CL_API_CALL launch(cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                   const size_t *Global, const size_t *Local, cl_uint N, const cl_event *Waits,
                                   cl_event *Event) {
    if (!isVictim(Q))
      return Real.clEnqueueNDRangeKernel(Q, K, Dimensions, Offset, Global, Local, N, Waits, Event);
    if (Gone) {
      ++Refused;
      return Code;
    }
    std::vector<cl_event> All(Waits, Waits + N);
    if (Holds) {
      cl_context C = nullptr;
      cl_int Error = Real.clGetCommandQueueInfo(Q, CL_QUEUE_CONTEXT, sizeof(C), &C, nullptr);
      Gates.push_back(Real.clCreateUserEvent(C, &Error));
      All.push_back(Gates.back());
    }
    return Real.clEnqueueNDRangeKernel(Q, K, Dimensions, Offset, Global, Local, static_cast<cl_uint>(All.size()),
                                       All.empty() ? nullptr : All.data(), Event);
  }
  static cl_int CL_API_CALL wait(cl_uint N, const cl_event *Events) {
    if (!isVictim(Events[0]) || !Holds)
      return Real.clWaitForEvents(N, Events);
    Gone.wait(false);
    return Silent ? CL_DEVICE_NOT_AVAILABLE : Real.clWaitForEvents(N, Events);
  }
  static cl_int CL_API_CALL eventInfo(cl_event E, cl_event_info What, size_t Bytes, void *To, size_t *Needed) {
    cl_int Error = Real.clGetEventInfo(E, What, Bytes, To, Needed);
    if (What == CL_EVENT_COMMAND_EXECUTION_STATUS && To && Silent && isVictim(E))
      *static_cast<cl_int *>(To) = CL_SUBMITTED;
    return Error;
  }
  static cl_int CL_API_CALL setCallback(cl_event E, cl_int From, void(CL_CALLBACK *Notified)(cl_event, cl_int, void *),
                                        void *Data) {
    struct Later {
      void(CL_CALLBACK *Notified)(cl_event, cl_int, void *);
      void *Data;
    };
    return Real.clSetEventCallback(
        E, From,
        [](cl_event E, cl_int How, void *Data) {
          auto *L = static_cast<Later *>(Data);
          L->Notified(E, How, L->Data); // If the vendor is silent: after the test.
          delete L;
        },
        new Later{Notified, Data});
  }
  static inline std::vector<cl_event> Gates;
};

void LostTest::commandsThatAreThere(bool IsSilent) {
  // Not one that runs in its callers: PoCL's locks its own event when the gate opens.
  const size_t Its = text(clGetDeviceInfo, Devices[0], CL_DEVICE_NAME).compare(0, 7, "pthread") == 0 ? 0 : 1;
  const cl_command_queue Lost = Queues[Its], Stays = Queues[1 - Its];
  choose(Devices[Its], true);
  cl_mem Here = ints({0}), There = ints({0}), Own = ints({0});
  cl_event First, Second, Behind, Alone;
  std::atomic<cl_int> SecondStatus{1};
  add(Lost, Here, {}, &First);
  add(Lost, Here, {}, &Second);
  add(Stays, There, {First}, &Behind);
  add(Stays, Own, {}, &Alone);
  ok(clSetEventCallback(
      Second, CL_COMPLETE, [](cl_event, cl_int How, void *To) { *static_cast<std::atomic<cl_int> *>(To) = How; },
      &SecondStatus));
  std::thread Waiter([&] { EXPECT_EQ(clWaitForEvents(1, &Second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST); });
  lose(IsSilent);
  EXPECT_EQ(refused(Lost, nullptr), CL_DEVICE_NOT_AVAILABLE);
  cl_event None = nullptr;
  EXPECT_EQ(refused(Lost, &None), CL_DEVICE_NOT_AVAILABLE);
  EXPECT_EQ(None, nullptr);
  Waiter.join();
  EXPECT_EQ(clWaitForEvents(1, &First), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_LT(status(First), 0);
  EXPECT_LT(status(Second), 0);
  (void)clFinish(Lost);
  EXPECT_EQ(clWaitForEvents(1, &Behind), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(status(Behind), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  while (SecondStatus == 1)
    std::this_thread::yield();
  EXPECT_LT(SecondStatus, 0);
  // The other device goes on.
  ok(clWaitForEvents(1, &Alone));
  add(Stays, Own);
  EXPECT_EQ(read(Stays, Own, 1)[0], 2);
  for (cl_event E : {First, Second, Behind, Alone})
    clReleaseEvent(E);
}

TEST_F(LostTest, CommandsThatAreThereFail) { commandsThatAreThere(false); }

TEST_F(LostTest, CommandsOfASilentVendorFail) { commandsThatAreThere(true); }

// Also the commands that were mapped to it before the platform knew.
TEST_F(LostTest, ScheduledQueuesGoElsewhere) {
  for (cl_int How : {CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_RESOURCES}) {
    Gone = false;
    Code = How;
    cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, CL_QUEUE_SCHED_AUTO_STATIC_HSCHED, 0};
    cl_int Error;
    cl_command_queue Q = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
    ok(Error);
    auto Device = [&] {
      return info<cl_device_id>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_SCHED_DEVICE_HSCHED));
    };
    cl_mem M = ints({0});
    int Runs = 0, Asked = 0;
    for (int Epoch = 0; Epoch != 4; ++Epoch) {
      if (Epoch == 1) {
        choose(Device(), false);
        lose();
      }
      if (Epoch == 2) { // A marker asks nothing of the vendor: the device stays lost.
        const size_t Its = text(clGetDeviceInfo, Devices[0], CL_DEVICE_NAME) == Victim ? 0 : 1;
        cl_event Marker = nullptr;
        ok(clEnqueueMarkerWithWaitList(Queues[Its], 0, nullptr, &Marker));
        ok(clWaitForEvents(1, &Marker));
        clReleaseEvent(Marker);
        Asked = Refused;
        EXPECT_GT(Asked, 0);
      }
      for (int I = 0; I != 4; ++I, ++Runs) {
        cl_event E = nullptr;
        add(Q, M, {}, I == 3 ? &E : nullptr);
        if (E) {
          EXPECT_EQ(clWaitForEvents(1, &E), CL_SUCCESS);
          clReleaseEvent(E);
        }
      }
      ok(clFinish(Q));
    }
    EXPECT_EQ(Refused, Asked);
    EXPECT_NE(text(clGetDeviceInfo, Device(), CL_DEVICE_NAME), "");
    Gone = false; // The read's device does not matter.
    EXPECT_EQ(read(Queues[1], M, 1)[0], Runs);
    clReleaseCommandQueue(Q);
    // It accepts commands again.
    for (cl_command_queue Each : Queues) {
      add(Each, M);
      ok(clFinish(Each));
    }
  }
}

} // namespace
} // namespace icdtest
