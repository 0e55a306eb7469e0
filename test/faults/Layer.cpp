// An OpenCL layer that makes chosen calls fail or stall: OPENCL_LAYERS names it, HSCHED_TEST_FAULTS says what
// (Faults.h).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define CL_TARGET_OPENCL_VERSION 300
#include "Faults.h"

#include <CL/cl_layer.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#pragma GCC visibility push(default)
extern "C" {
bool hsched_test_faults_set(const char *Text);
unsigned hsched_test_faults_seen();
unsigned hsched_test_faults_calls();
}
#pragma GCC visibility pop

using namespace hsched::test;

namespace {

struct Layer {
  const cl_icd_dispatch *Next = nullptr; // what comes after this layer
  cl_icd_dispatch Own{};

  std::mutex Lock; // of all below
  FaultPlan Plan;
  std::map<std::string, unsigned, std::less<>> Calls;
  unsigned AllCalls = 0, Seen = 0;
  bool Lost = false;
  std::map<cl_command_queue, cl_int> Untold; // a command that failed without an event: the next one tells
  std::map<cl_event, cl_int> Doomed;         // how commands that do not end as the driver says end

  // What is to happen to a call, which is counted. Waits where it is to be late.
  struct Fate {
    cl_int Refused = CL_SUCCESS; // to be returned at once
    cl_int Ends = CL_SUCCESS;    // what the command is to end with
  };
  Fate fate(const char *Name) {
    std::chrono::milliseconds Late(0);
    Fate Out;
    {
      std::lock_guard Guard(Lock);
      unsigned OfCall = ++Calls[Name], OfAll = ++AllCalls;
      for (const Fault &F : Plan.Faults) {
        unsigned Now = F.Call == "*" ? OfAll : OfCall;
        if ((F.Call != "*" && F.Call != Name) || (Now != F.Nth && !(F.AndAfter && Now > F.Nth)))
          continue;
        ++Seen;
        switch (F.What) {
        case Fault::Effect::Refuse:
          Out.Refused = F.Number;
          break;
        case Fault::Effect::Fail:
          Out.Ends = F.Number;
          break;
        case Fault::Effect::Delay:
          Late += std::chrono::milliseconds(F.Number);
          break;
        case Fault::Effect::Lose:
          Lost = true;
          break;
        }
      }
      if (Lost)
        Out.Refused = CL_DEVICE_NOT_AVAILABLE;
    }
    if (Late.count())
      std::this_thread::sleep_for(Late); // this is what is asked for
    return Out;
  }

  bool anyDoomed(cl_uint N, const cl_event *List) {
    std::lock_guard Guard(Lock);
    return !Plan.Loose && std::any_of(List, List + N, [this](cl_event E) { return Doomed.contains(E); });
  }

  // A handle that a driver gives anew may be one that was doomed once.
  void made(cl_event E, cl_int Ends) {
    std::lock_guard Guard(Lock);
    Doomed.erase(E);
    if (Ends != CL_SUCCESS)
      Doomed.emplace(E, Ends);
  }
  cl_int endsWith(cl_command_queue Q, bool Told, cl_int Ends) {
    std::lock_guard Guard(Lock);
    if (!Told) {
      if (Ends != CL_SUCCESS)
        Untold[Q] = Ends;
      return Ends;
    }
    auto It = Untold.find(Q);
    if (It == Untold.end())
      return Ends;
    if (Ends == CL_SUCCESS)
      Ends = It->second;
    Untold.erase(It);
    return Ends;
  }
  std::optional<cl_int> endOf(cl_event E) {
    std::lock_guard Guard(Lock);
    auto It = Doomed.find(E);
    return It == Doomed.end() ? std::nullopt : std::optional(It->second);
  }
  bool lost() {
    std::lock_guard Guard(Lock);
    return Lost;
  }

  bool set(const char *Text) {
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
};

Layer &layer() {
  static auto *Made = new Layer; // commands may end when the process does
  return *Made;
}

// A command: refused, or enqueued by Real(event out), or half of it by Half, or nothing of it.
template <class RealFn, class HalfFn>
cl_int command(const char *Name, cl_command_queue Q, cl_uint N, const cl_event *Wait, cl_event *Out, RealFn Real,
               HalfFn Half) {
  Layer &L = layer();
  Layer::Fate F = L.fate(Name);
  if (F.Refused != CL_SUCCESS)
    return F.Refused;
  bool Cancelled = L.anyDoomed(N, Wait);
  cl_event E = nullptr;
  cl_int Code = Cancelled              ? L.Next->clEnqueueMarkerWithWaitList(Q, N, Wait, &E)
                : F.Ends != CL_SUCCESS ? Half(&E)
                                       : Real(&E);
  if (Code != CL_SUCCESS)
    return Code;
  L.made(E, L.endsWith(Q, Out != nullptr, Cancelled ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : F.Ends));
  if (Out)
    *Out = E;
  else
    L.Next->clReleaseEvent(E);
  return CL_SUCCESS;
}

cl_context CL_API_CALL createContext(const cl_context_properties *P, cl_uint N, const cl_device_id *D,
                                     void(CL_CALLBACK *Notify)(const char *, const void *, size_t, void *), void *User,
                                     cl_int *Code) {
  if (auto F = layer().fate("clCreateContext"); F.Refused != CL_SUCCESS) {
    if (Code)
      *Code = F.Refused;
    return nullptr;
  }
  return layer().Next->clCreateContext(P, N, D, Notify, User, Code);
}

cl_mem CL_API_CALL createBuffer(cl_context C, cl_mem_flags Flags, size_t Bytes, void *Host, cl_int *Code) {
  if (auto F = layer().fate("clCreateBuffer"); F.Refused != CL_SUCCESS) {
    if (Code)
      *Code = F.Refused;
    return nullptr;
  }
  return layer().Next->clCreateBuffer(C, Flags, Bytes, Host, Code);
}

cl_int CL_API_CALL buildProgram(cl_program P, cl_uint N, const cl_device_id *D, const char *Options,
                                void(CL_CALLBACK *Notify)(cl_program, void *), void *User) {
  if (auto F = layer().fate("clBuildProgram"); F.Refused != CL_SUCCESS)
    return F.Refused;
  return layer().Next->clBuildProgram(P, N, D, Options, Notify, User);
}

cl_kernel CL_API_CALL createKernel(cl_program P, const char *Name, cl_int *Code) {
  if (auto F = layer().fate("clCreateKernel"); F.Refused != CL_SUCCESS) {
    if (Code)
      *Code = F.Refused;
    return nullptr;
  }
  return layer().Next->clCreateKernel(P, Name, Code);
}

cl_int CL_API_CALL setKernelArg(cl_kernel K, cl_uint Index, size_t Bytes, const void *Value) {
  if (auto F = layer().fate("clSetKernelArg"); F.Refused != CL_SUCCESS)
    return F.Refused;
  return layer().Next->clSetKernelArg(K, Index, Bytes, Value);
}

cl_int CL_API_CALL enqueueKernel(cl_command_queue Q, cl_kernel K, cl_uint Dims, const size_t *Offset,
                                 const size_t *Global, const size_t *Local, cl_uint N, const cl_event *W, cl_event *E) {
  auto Whole = [&](cl_event *Out) {
    return layer().Next->clEnqueueNDRangeKernel(Q, K, Dims, Offset, Global, Local, N, W, Out);
  };
  return command("clEnqueueNDRangeKernel", Q, N, W, E, Whole, Whole);
}

cl_int CL_API_CALL enqueueWrite(cl_command_queue Q, cl_mem B, cl_bool Blocking, size_t Offset, size_t Bytes,
                                const void *Host, cl_uint N, const cl_event *W, cl_event *E) {
  auto Part = [&](size_t Count) {
    return [=](cl_event *Out) {
      return layer().Next->clEnqueueWriteBuffer(Q, B, Blocking, Offset, Count, Host, N, W, Out);
    };
  };
  return command("clEnqueueWriteBuffer", Q, N, W, E, Part(Bytes), Part((Bytes + 1) / 2));
}

cl_int CL_API_CALL enqueueRead(cl_command_queue Q, cl_mem B, cl_bool Blocking, size_t Offset, size_t Bytes, void *Host,
                               cl_uint N, const cl_event *W, cl_event *E) {
  auto Part = [&](size_t Count) {
    return [=](cl_event *Out) {
      return layer().Next->clEnqueueReadBuffer(Q, B, Blocking, Offset, Count, Host, N, W, Out);
    };
  };
  return command("clEnqueueReadBuffer", Q, N, W, E, Part(Bytes), Part((Bytes + 1) / 2));
}

cl_int CL_API_CALL enqueueCopy(cl_command_queue Q, cl_mem From, cl_mem To, size_t FromOffset, size_t ToOffset,
                               size_t Bytes, cl_uint N, const cl_event *W, cl_event *E) {
  auto Part = [&](size_t Count) {
    return [=](cl_event *Out) {
      return layer().Next->clEnqueueCopyBuffer(Q, From, To, FromOffset, ToOffset, Count, N, W, Out);
    };
  };
  return command("clEnqueueCopyBuffer", Q, N, W, E, Part(Bytes), Part((Bytes + 1) / 2));
}

// Of rectangles, half is the first half of the rows.
struct Half {
  size_t Region[3];
  explicit Half(const size_t *Of) : Region{Of[0], (Of[1] + 1) / 2, Of[2]} {}
};

cl_int CL_API_CALL enqueueWriteRect(cl_command_queue Q, cl_mem B, cl_bool Blocking, const size_t *There,
                                    const size_t *Here, const size_t *Region, size_t BufferRow, size_t BufferSlice,
                                    size_t HostRow, size_t HostSlice, const void *Host, cl_uint N, const cl_event *W,
                                    cl_event *E) {
  auto Part = [&](const size_t *R) {
    return [=](cl_event *Out) {
      return layer().Next->clEnqueueWriteBufferRect(Q, B, Blocking, There, Here, R, BufferRow, BufferSlice, HostRow,
                                                    HostSlice, Host, N, W, Out);
    };
  };
  Half First(Region);
  return command("clEnqueueWriteBufferRect", Q, N, W, E, Part(Region), Part(First.Region));
}

cl_int CL_API_CALL enqueueReadRect(cl_command_queue Q, cl_mem B, cl_bool Blocking, const size_t *There,
                                   const size_t *Here, const size_t *Region, size_t BufferRow, size_t BufferSlice,
                                   size_t HostRow, size_t HostSlice, void *Host, cl_uint N, const cl_event *W,
                                   cl_event *E) {
  auto Part = [&](const size_t *R) {
    return [=](cl_event *Out) {
      return layer().Next->clEnqueueReadBufferRect(Q, B, Blocking, There, Here, R, BufferRow, BufferSlice, HostRow,
                                                   HostSlice, Host, N, W, Out);
    };
  };
  Half First(Region);
  return command("clEnqueueReadBufferRect", Q, N, W, E, Part(Region), Part(First.Region));
}

cl_int CL_API_CALL enqueueMarker(cl_command_queue Q, cl_uint N, const cl_event *W, cl_event *E) {
  auto Whole = [&](cl_event *Out) { return layer().Next->clEnqueueMarkerWithWaitList(Q, N, W, Out); };
  return command("clEnqueueMarkerWithWaitList", Q, N, W, E, Whole, Whole);
}

cl_event CL_API_CALL createUserEvent(cl_context C, cl_int *Code) {
  cl_event E = layer().Next->clCreateUserEvent(C, Code);
  if (E)
    layer().made(E, CL_SUCCESS);
  return E;
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

cl_int CL_API_CALL getEventInfo(cl_event E, cl_event_info What, size_t Bytes, void *Value, size_t *Needed) {
  Layer &L = layer();
  cl_int Code = L.Next->clGetEventInfo(E, What, Bytes, Value, Needed);
  if (What != CL_EVENT_COMMAND_EXECUTION_STATUS || Code != CL_SUCCESS || !Value)
    return Code;
  cl_int Status;
  std::memcpy(&Status, Value, sizeof(Status));
  if (Status > CL_COMPLETE && L.lost()) {
    L.Next->clWaitForEvents(1, &E); // nothing touches memory after its end has been told
    Status = CL_DEVICE_NOT_AVAILABLE;
  } else if (auto End = L.endOf(E); End && Status == CL_COMPLETE) {
    Status = *End;
  }
  std::memcpy(Value, &Status, sizeof(Status));
  return CL_SUCCESS;
}

cl_int CL_API_CALL waitForEvents(cl_uint N, const cl_event *List) {
  Layer &L = layer();
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
  static constexpr char Name[] = "hsched test faults";
  const cl_layer_api_version Version = CL_LAYER_API_VERSION_100;
  const void *Answer = What == CL_LAYER_NAME ? static_cast<const void *>(Name) : &Version;
  size_t Size = What == CL_LAYER_NAME ? sizeof(Name) : sizeof(Version);
  if ((What != CL_LAYER_NAME && What != CL_LAYER_API_VERSION) || (Value && Bytes < Size))
    return CL_INVALID_VALUE;
  if (Value)
    std::memcpy(Value, Answer, Size);
  if (Needed)
    *Needed = Size;
  return CL_SUCCESS;
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
  L.Own.clCreateContext = createContext;
  L.Own.clCreateBuffer = createBuffer;
  L.Own.clBuildProgram = buildProgram;
  L.Own.clCreateKernel = createKernel;
  L.Own.clSetKernelArg = setKernelArg;
  L.Own.clEnqueueNDRangeKernel = enqueueKernel;
  L.Own.clEnqueueWriteBuffer = enqueueWrite;
  L.Own.clEnqueueReadBuffer = enqueueRead;
  L.Own.clEnqueueCopyBuffer = enqueueCopy;
  L.Own.clEnqueueWriteBufferRect = enqueueWriteRect;
  L.Own.clEnqueueReadBufferRect = enqueueReadRect;
  L.Own.clEnqueueMarkerWithWaitList = enqueueMarker;
  L.Own.clCreateUserEvent = createUserEvent;
  L.Own.clGetDeviceInfo = getDeviceInfo;
  L.Own.clGetEventInfo = getEventInfo;
  L.Own.clWaitForEvents = waitForEvents;
  *EntriesOut = sizeof(cl_icd_dispatch) / sizeof(void *);
  *Out = &L.Own;
  return CL_SUCCESS;
}
#pragma GCC visibility pop
