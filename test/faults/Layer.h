// What the layer's wrappers share: which call is to fail, and how commands that were made to fail end.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_FAULTS_LAYER_H
#define HSCHED_TEST_FAULTS_LAYER_H

#define CL_TARGET_OPENCL_VERSION 300
#include "Faults.h"

#include <CL/cl_layer.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace hsched::test {

struct Layer {
  const cl_icd_dispatch *Next = nullptr; // The next layer, or the loader's.
  cl_icd_dispatch Own{};

  std::mutex Lock; // Guards all fields below.
  FaultPlan Plan;
  std::map<std::string, unsigned, std::less<>> Calls;
  unsigned AllCalls = 0, Seen = 0;
  bool Lost = false;
  std::map<cl_command_queue, cl_int> Unreported; // A command that failed without an event: the next event reports it.
  std::map<cl_command_queue, cl_event> Gates;    // User events that block the commands since the last flush.
  std::map<cl_event, cl_int> Doomed;             // The status of commands that the layer fails.

  // Counts a call and returns its fault. Sleeps if the fault is a delay.
  struct Fate {
    cl_int Refused = CL_SUCCESS; // Error that the call returns.
    cl_int Ends = CL_SUCCESS;    // Status that the command ends with.
    bool Lost = false;           // Refused because the device is lost.
  };
  // Also: another name of the function; null: none.
  Fate fate(const char *Name, const char *Also = nullptr) {
    std::chrono::milliseconds Late(0);
    Fate Out;
    {
      std::lock_guard Guard(Lock);
      unsigned OfCall = ++Calls[Name], OfAll = ++AllCalls, OfAlso = Also ? ++Calls[Also] : 0;
      for (const Fault &F : Plan.Faults) {
        unsigned Now = F.Call == "*" ? OfAll : F.Call == Name ? OfCall : Also && F.Call == Also ? OfAlso : 0;
        if (Now != F.Nth && !(F.AndAfter && Now > F.Nth))
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
        Out = {CL_DEVICE_NOT_AVAILABLE, CL_SUCCESS, true};
    }
    if (Late.count())
      std::this_thread::sleep_for(Late); // The fault is a delay.
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
  cl_int endsWith(cl_command_queue Q, bool Reported, cl_int Ends) {
    std::lock_guard Guard(Lock);
    if (!Reported) {
      if (Ends != CL_SUCCESS)
        Unreported[Q] = Ends;
      return Ends;
    }
    auto It = Unreported.find(Q);
    if (It == Unreported.end())
      return Ends;
    if (Ends == CL_SUCCESS)
      Ends = It->second;
    Unreported.erase(It);
    return Ends;
  }
  std::optional<cl_int> endOf(cl_event E) {
    std::lock_guard Guard(Lock);
    auto It = Doomed.find(E);
    return It == Doomed.end() ? std::nullopt : std::optional(It->second);
  }
  // keepBack: before a command on Q is enqueued. letGo: where commands on Q must begin.
  void keepBack(cl_command_queue Q);
  void letGo(cl_command_queue Q);

  bool blocks() {
    std::lock_guard Guard(Lock);
    return Plan.Blocking;
  }
  bool lost() {
    std::lock_guard Guard(Lock);
    return Lost;
  }

  bool set(const char *Text); // Replaces the plan; false if Text is no plan.
};

Layer &layer();

// Put this layer's functions in place of the next one's.
void wrapObjects(cl_icd_dispatch &Own);
void wrapCommands(cl_icd_dispatch &Own);

// A call that makes an object: refused with the code, or Real().
template <class RealFn>
auto create(const char *Name, cl_int *Code, RealFn Real, const char *Also = nullptr) -> decltype(Real()) {
  if (auto F = layer().fate(Name, Also); F.Refused != CL_SUCCESS) {
    if (Code)
      *Code = F.Refused;
    return nullptr;
  }
  return Real();
}

// A command: refused, or enqueued by Real(event out), or half of it by Half, or nothing of it.
template <class RealFn, class HalfFn>
cl_int command(const char *Name, cl_command_queue Q, cl_uint N, const cl_event *Wait, cl_event *Out, RealFn Real,
               HalfFn Half) {
  Layer &L = layer();
  Layer::Fate F = L.fate(Name);
  if (F.Refused != CL_SUCCESS)
    return F.Refused;
  L.keepBack(Q);
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

} // namespace hsched::test
#endif
