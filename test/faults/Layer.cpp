// An OpenCL layer that makes chosen calls fail or stall: OPENCL_LAYERS names it, HSCHED_TEST_FAULTS says what
// (Faults.h).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Layer.h"
#include "../LayerInfo.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#pragma GCC visibility push(default)
extern "C" {
bool hsched_test_faults_set(const char *Text);
unsigned hsched_test_faults_seen();
unsigned hsched_test_faults_calls();
}
#pragma GCC visibility pop

using namespace hsched::test;

bool Layer::set(const char *Text) {
  FaultPlan New;
  std::string Error;
  if (!parseFaults(Text ? Text : "", New, Error)) {
    std::fprintf(stderr, "HSCHED_TEST_FAULTS: %s\n", Error.c_str());
    return false;
  }
  std::lock_guard Guard(Lock);
  Plan = std::move(New);
  Calls.clear();
  AllCalls = Seen = 0;
  Lost = false;
  return true;
}

void Layer::keepBack(cl_command_queue Q) {
  std::lock_guard Guard(Lock);
  if (!Plan.Lazy || Gates.contains(Q))
    return;
  cl_context Of = nullptr;
  cl_int Code = Next->clGetCommandQueueInfo(Q, CL_QUEUE_CONTEXT, sizeof(Of), static_cast<void *>(&Of), nullptr);
  cl_event Gate = Code == CL_SUCCESS ? Next->clCreateUserEvent(Of, &Code) : nullptr;
  if (Code == CL_SUCCESS && Next->clEnqueueBarrierWithWaitList(Q, 1, &Gate, nullptr) == CL_SUCCESS)
    Gates.emplace(Q, Gate);
  else if (Gate)
    Next->clReleaseEvent(Gate);
}

void Layer::letGo(cl_command_queue Q) {
  cl_event Gate;
  {
    std::lock_guard Guard(Lock);
    auto It = Gates.find(Q);
    if (It == Gates.end())
      return;
    Gate = It->second;
    Gates.erase(It);
  }
  Next->clSetUserEventStatus(Gate, CL_COMPLETE);
  Next->clReleaseEvent(Gate);
}

Layer &hsched::test::layer() {
  static auto *Made = new Layer; // Commands may end when the process does.
  return *Made;
}

namespace {

cl_event CL_API_CALL createUserEvent(cl_context C, cl_int *Code) {
  cl_event E = create("clCreateUserEvent", Code, [&] { return layer().Next->clCreateUserEvent(C, Code); });
  if (E)
    layer().made(E, CL_SUCCESS);
  return E;
}

// Reports the end of a command as the event itself does.
struct Callback {
  void(CL_CALLBACK *Ended)(cl_event, cl_int, void *);
  void *User;
};
void CL_CALLBACK notifyEnd(cl_event E, cl_int Status, void *Data) {
  std::unique_ptr<Callback> Whose(static_cast<Callback *>(Data));
  auto End = layer().endOf(E);
  Whose->Ended(E, End && Status == CL_COMPLETE ? *End : Status, Whose->User);
}
cl_int CL_API_CALL setEventCallback(cl_event E, cl_int Of, void(CL_CALLBACK *Ended)(cl_event, cl_int, void *),
                                    void *User) {
  if (auto F = layer().fate("clSetEventCallback"); F.Refused != CL_SUCCESS)
    return F.Refused;
  auto Whose = std::make_unique<Callback>(Ended, User);
  cl_int Code = layer().Next->clSetEventCallback(E, Of, notifyEnd, Whose.get());
  if (Code == CL_SUCCESS)
    (void)Whose.release(); // notifyEnd's
  return Code;
}

cl_int CL_API_CALL getDeviceInfo(cl_device_id D, cl_device_info What, size_t Bytes, void *Value, size_t *Needed) {
  Layer &L = layer();
  cl_int Code = L.Next->clGetDeviceInfo(D, What, Bytes, Value, Needed);
  bool Gpu, Integrated;
  {
    std::lock_guard Guard(L.Lock);
    Gpu = L.Plan.Gpu || L.Plan.Integrated;
    Integrated = L.Plan.Integrated;
  }
  if (Code == CL_SUCCESS && Value && Gpu && What == CL_DEVICE_TYPE) {
    const cl_device_type Type = CL_DEVICE_TYPE_GPU;
    std::memcpy(Value, &Type, sizeof(Type));
  } else if (Code == CL_SUCCESS && Value && Gpu && What == CL_DEVICE_SVM_CAPABILITIES) {
    const cl_device_svm_capabilities Can =
        CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | (Integrated ? CL_DEVICE_SVM_FINE_GRAIN_SYSTEM : 0);
    std::memcpy(Value, &Can, sizeof(Can));
  }
  return Code;
}

// A wait for E flushes its queue.
void letGoOf(cl_event E) {
  cl_command_queue Q = nullptr;
  if (layer().Next->clGetEventInfo(E, CL_EVENT_COMMAND_QUEUE, sizeof(Q), static_cast<void *>(&Q), nullptr) ==
          CL_SUCCESS &&
      Q)
    layer().letGo(Q);
}

cl_int CL_API_CALL getEventInfo(cl_event E, cl_event_info What, size_t Bytes, void *Value, size_t *Needed) {
  Layer &L = layer();
  cl_int Code = L.Next->clGetEventInfo(E, What, Bytes, Value, Needed);
  if (What != CL_EVENT_COMMAND_EXECUTION_STATUS || Code != CL_SUCCESS || !Value)
    return Code;
  cl_int Status;
  std::memcpy(&Status, Value, sizeof(Status));
  if (Status > CL_COMPLETE && L.lost()) {
    letGoOf(E);
    L.Next->clWaitForEvents(1, &E); // Nothing accesses memory after its end has been reported.
    Status = CL_DEVICE_NOT_AVAILABLE;
  } else if (auto End = L.endOf(E); End && Status == CL_COMPLETE) {
    Status = *End;
  }
  std::memcpy(Value, &Status, sizeof(Status));
  return CL_SUCCESS;
}

cl_int CL_API_CALL waitForEvents(cl_uint N, const cl_event *List) {
  Layer &L = layer();
  std::for_each(List, List + N, letGoOf);
  cl_int Code = L.Next->clWaitForEvents(N, List);
  for (cl_uint I = 0; I < N && Code == CL_SUCCESS; ++I)
    if (L.endOf(List[I]))
      Code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  return Code;
}

} // namespace

bool hsched_test_faults_set(const char *Text) { return layer().set(Text); }
unsigned hsched_test_faults_seen() {
  std::lock_guard Guard(layer().Lock);
  return layer().Seen;
}
unsigned hsched_test_faults_calls() {
  std::lock_guard Guard(layer().Lock);
  return layer().AllCalls;
}

#pragma GCC visibility push(default)
cl_int CL_API_CALL clGetLayerInfo(cl_layer_info What, size_t Bytes, void *Value, size_t *Needed) {
  return hsched::rt::test::layerInfo("hsched test faults", What, Bytes, Value, Needed);
}

cl_int CL_API_CALL clInitLayer(cl_uint Entries, const cl_icd_dispatch *Target, cl_uint *EntriesOut,
                               const cl_icd_dispatch **Out) {
  Layer &L = layer();
  if (!Target || !EntriesOut || !Out || Entries < sizeof(cl_icd_dispatch) / sizeof(void *))
    return CL_INVALID_VALUE;
  if (!L.set(std::getenv("HSCHED_TEST_FAULTS")))
    return CL_INVALID_VALUE;
  L.Next = Target;
  L.Own = *Target;
  wrapObjects(L.Own);
  wrapCommands(L.Own);
  L.Own.clCreateUserEvent = createUserEvent;
  L.Own.clSetEventCallback = setEventCallback;
  L.Own.clGetDeviceInfo = getDeviceInfo;
  L.Own.clGetEventInfo = getEventInfo;
  L.Own.clWaitForEvents = waitForEvents;
  *EntriesOut = sizeof(cl_icd_dispatch) / sizeof(void *);
  *Out = &L.Own;
  return CL_SUCCESS;
}
#pragma GCC visibility pop
