// PoCL's profiling times, made up by the test: what the platform measures does not depend on the machine's load.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The platform measures two times of a kernel: how long it runs, and how long its device was idle before it. The former
// is what takes() says. The latter is the time from the kernel's submission to its start, and the platform reads the
// submission from the host's clock. It accepts no start before the submission and no end in the future. So the hook
// reports starts that are far too early, and the idle time is exactly 0. For a device that is late, it reports starts
// that are far too late. Then the kernel seems to end when the platform notices its end.
#ifndef HSCHED_TEST_ICD_TIMES_H
#define HSCHED_TEST_ICD_TIMES_H

#include "Hook.h"

#include <atomic>

namespace icdtest {

// With the devices "pthread" and "basic".
class Timed : public Hooked {
protected:
  static constexpr cl_ulong Fast = 1'000'000, Slow = 100'000'000; // In nanoseconds.

  void SetUp() override {
    Hooked::SetUp();
    for (auto &T : Times)
      T = Fast;
    Late = NoDevice;
    Table->clGetEventProfilingInfo = profilingInfo;
  }
  // The duration of each kernel on a device from now on.
  static void takes(cl_device_id D, cl_ulong Ns) { Times[numberOf(text(clGetDeviceInfo, D, CL_DEVICE_NAME))] = Ns; }
  // From now on this device is idle before each of its kernels. Null: no device is.
  static void setLate(cl_device_id D) { Late = D ? numberOf(text(clGetDeviceInfo, D, CL_DEVICE_NAME)) : NoDevice; }
  // True for the queues of that device. Its idle time is at least what passes in a launch, less takes().
  static bool isLate(cl_command_queue Q) { return numberOf(deviceNameOf(Q)) == Late; }

  static size_t numberOf(const std::string &Name) { return Name.compare(0, 7, "pthread") == 0; }
  static cl_int CL_API_CALL profilingInfo(cl_event E, cl_profiling_info What, size_t Bytes, void *To, size_t *Needed) {
    constexpr cl_ulong Hour = 3'600'000'000'000;
    cl_command_type Type = 0;
    (void)Real.clGetEventInfo(E, CL_EVENT_COMMAND_TYPE, sizeof(Type), &Type, nullptr);
    if (Type != CL_COMMAND_NDRANGE_KERNEL || !To || What < CL_PROFILING_COMMAND_START)
      return Real.clGetEventProfilingInfo(E, What, Bytes, To, Needed);
    if (const cl_int Error = Real.clGetEventProfilingInfo(E, CL_PROFILING_COMMAND_QUEUED, Bytes, To, Needed))
      return Error;
    const size_t Device = numberOf(deviceNameOf(E));
    auto &Time = *static_cast<cl_ulong *>(To);
    Time = Device == Late ? Time + Hour : Time / 2; // The clock began when the machine did.
    if (What != CL_PROFILING_COMMAND_START)
      Time += Times[Device];
    return CL_SUCCESS;
  }

private:
  static constexpr size_t NoDevice = 2;
  static inline std::atomic<cl_ulong> Times[NoDevice];
  static inline std::atomic<size_t> Late{NoDevice};
};

} // namespace icdtest
#endif
