// What tests of versions that are host code for OpenCL devices share: their types, copies, gates.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_API_OPENCLBODY_H
#define HSCHED_TEST_UNIT_API_OPENCLBODY_H

#include "HandWritten.h"

#include <hsched/hsched.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <hsched/opencl.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace hsched::test {

template <unsigned Number> hsched_task_type *typeFor(const char *Name, bool OpenCl, bool Cpu) {
  static const hsched_task_desc Task = [&] {
    hsched_task_desc T = FunctionTask;
    T.linker_name = T.name = Name;
    return T;
  }();
  static hsched_version_desc Versions[2] = {FunctionVersion, FunctionVersion};
  static hsched_task_type *const Type = [&] {
    Versions[0].linker_name = Versions[0].name = Name;
    Versions[0].device = HSCHED_DEVICE_OPENCL;
    if (OpenCl)
      hsched_register_version(Name, &Versions[0]);
    if (Cpu)
      hsched_register_version(Name, &Versions[1]);
    return hsched_register_task(&Task);
  }();
  return Type;
}
inline hsched_task_type *onDevice() { return typeFor<0>("on_device", true, false); }
inline hsched_task_type *onCpu() { return typeFor<1>("on_cpu", false, true); }

using Ints = std::vector<int>;
inline hsched_access part(unsigned Mode, Ints &X, size_t From, size_t N) {
  return {X.data() + From, N * sizeof(int), 1, 0, Mode, HSCHED_NO_PARAM};
}
inline hsched_access all(unsigned Mode, Ints &X) { return part(Mode, X, 0, X.size()); }

inline void check(cl_int Code) {
  if (Code != CL_SUCCESS)
    throw std::runtime_error("OpenCL error " + std::to_string(Code));
}
inline void copy(int *From, int *To, size_t N, cl_event After = nullptr, cl_event *Done = nullptr,
                 cl_command_queue Queue = nullptr) {
  check(clEnqueueCopyBuffer(Queue ? Queue : hsched::opencl_queue(), hsched::opencl_buffer(From),
                            hsched::opencl_buffer(To), hsched::opencl_offset(From) * sizeof(int),
                            hsched::opencl_offset(To) * sizeof(int), N * sizeof(int), After ? 1 : 0,
                            After ? &After : nullptr, Done));
}

// Holds back what waits for it until it is opened.
struct Gate {
  cl_event Event = nullptr;
  void make() {
    cl_int Code;
    Event = clCreateUserEvent(hsched::opencl_context(), &Code);
    check(Code);
  }
  void open(cl_int Status = CL_COMPLETE) { EXPECT_EQ(clSetUserEventStatus(Event, Status), CL_SUCCESS); }
  ~Gate() {
    if (Event)
      clReleaseEvent(Event);
  }
};

inline cl_int statusOf(cl_event E) {
  cl_int Status = CL_QUEUED;
  clGetEventInfo(E, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(Status), &Status, nullptr);
  return Status;
}

// Whether it came to pass.
template <class Fn> bool eventually(Fn Done) {
  auto End = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!Done()) {
    if (std::chrono::steady_clock::now() > End)
      return false;
    std::this_thread::yield();
  }
  return true;
}

inline std::string failure(unsigned Flags = 0) {
  try {
    hsched_taskwait(Flags);
  } catch (const std::exception &E) {
    return E.what();
  }
  return "";
}
#define EXPECT_HAS(Text, Part) EXPECT_NE((Text).find(Part), std::string::npos) << (Text)

// As long as it would take, on most days, for what is not held back to happen.
template <class Fn> void giveTimeTo(Fn Happen) {
  for (int I = 0; I < 1000 && !Happen(); ++I)
    std::this_thread::yield();
}

// Opens G once the body has run, what comes after it not having begun. In a thread of its own: the caller may be the
// only CPU worker.
inline std::thread openWhenRan(Gate &G, const std::atomic<bool> &Ran, const std::atomic<bool> &AfterRan) {
  return std::thread([&] {
    EXPECT_TRUE(eventually([&] { return Ran.load(); }));
    giveTimeTo([&] { return AfterRan.load(); });
    EXPECT_FALSE(AfterRan);
    G.open();
  });
}

struct OpenClBody : testing::Test {
  void SetUp() override {
    setenv("HSCHED_QUEUES", "4", 0);
    submitTo(onDevice(), {}, [] {});
    if (std::string Why = failure(); !Why.empty())
      GTEST_SKIP() << Why;
  }
};

} // namespace hsched::test
#endif
