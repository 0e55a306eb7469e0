// Events.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"

namespace hsched::icd {
namespace {

cl_int CL_API_CALL waitForEvents(cl_uint N, const cl_event *List) {
  return guarded([&] {
    require(N && List, CL_INVALID_VALUE);
    std::vector<Ref<Command>> All;
    for (cl_uint I = 0; I != N; ++I) {
      All.emplace_back(&need<Command>(List[I], CL_INVALID_EVENT));
      require(All.back()->In == All.front()->In, CL_INVALID_CONTEXT);
    }
    for (const auto &C : All)
      if (C->Of)
        C->Of->flush();
    bool Failed = false;
    for (const auto &C : All)
      Failed |= C->wait() < 0;
    require(!Failed, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  });
}

cl_int CL_API_CALL getEventInfo(cl_event E, cl_event_info What, size_t Bytes, void *To, size_t *Needed) {
  return guarded([&] {
    Command &C = need<Command>(E, CL_INVALID_EVENT);
    if (What == CL_EVENT_COMMAND_EXECUTION_STATUS && C.Of && C.Of->isScheduled())
      C.Of->flush(); // A polling program expects progress.
    C.info(What, {Bytes, To, Needed});
  });
}
cl_int CL_API_CALL retainEvent(cl_event E) {
  return guarded([&] { need<Command>(E, CL_INVALID_EVENT).retainUser(); });
}
cl_int CL_API_CALL releaseEvent(cl_event E) {
  return guarded([&] { need<Command>(E, CL_INVALID_EVENT).releaseUser(); });
}
cl_int CL_API_CALL getEventProfilingInfo(cl_event E, cl_profiling_info What, size_t Bytes, void *To, size_t *Needed) {
  return guarded([&] { need<Command>(E, CL_INVALID_EVENT).profile(What, {Bytes, To, Needed}); });
}

cl_int CL_API_CALL setEventCallback(cl_event E, cl_int From, void(CL_CALLBACK *Notified)(cl_event, cl_int, void *),
                                    void *UserData) {
  return guarded([&] {
    Command &C = need<Command>(E, CL_INVALID_EVENT);
    require(Notified && (From == CL_SUBMITTED || From == CL_RUNNING || From == CL_COMPLETE), CL_INVALID_VALUE);
    C.onStatus(From, Notified, UserData);
  });
}

cl_event CL_API_CALL createUserEvent(cl_context C, cl_int *Error) {
  return guardedMake<cl_event>(Error, [&] {
    return (new Command(&need<Context>(C, CL_INVALID_CONTEXT), {}, CL_COMMAND_USER))->handle<cl_event>();
  });
}
cl_int CL_API_CALL setUserEventStatus(cl_event E, cl_int Status) {
  return guarded([&] {
    Ref<Command> C(&need<Command>(E, CL_INVALID_EVENT));
    require(C->isUser(), CL_INVALID_EVENT);
    require(Status <= CL_COMPLETE, CL_INVALID_VALUE);
    require(C->setUserStatus(Status), CL_INVALID_OPERATION);
  });
}

} // namespace

void addEvents(cl_icd_dispatch &T) {
  T.clWaitForEvents = waitForEvents;
  T.clGetEventInfo = getEventInfo;
  T.clRetainEvent = retainEvent;
  T.clReleaseEvent = releaseEvent;
  T.clGetEventProfilingInfo = getEventProfilingInfo;
  T.clSetEventCallback = setEventCallback;
  T.clCreateUserEvent = createUserEvent;
  T.clSetUserEventStatus = setUserEventStatus;
}

} // namespace hsched::icd
