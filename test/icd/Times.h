// PoCL's profiling times, made up by the test: what the platform measures does not depend on the machine's load.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
    Table->clGetEventProfilingInfo = profilingInfo;
  }
  // The duration of each kernel on a device from now on.
  static void takes(cl_device_id D, cl_ulong Ns) { Times[numberOf(text(clGetDeviceInfo, D, CL_DEVICE_NAME))] = Ns; }

  // The ends of kernels are real, and their beginnings are made up. Otherwise it is the other way round. Kernels of
  // "basic" then begin when they are enqueued: however busy the machine is, that device is not idle before them.
  static inline std::atomic<bool> BackFromEnd{false};

protected:
  static size_t numberOf(const std::string &Name) { return Name.compare(0, 7, "pthread") == 0; }
  static cl_int CL_API_CALL profilingInfo(cl_event E, cl_profiling_info What, size_t Bytes, void *To, size_t *Needed) {
    cl_command_type Type = 0;
    (void)Real.clGetEventInfo(E, CL_EVENT_COMMAND_TYPE, sizeof(Type), &Type, nullptr);
    if (BackFromEnd && Type == CL_COMMAND_NDRANGE_KERNEL && To && numberOf(deviceNameOf(E)) == 0 &&
        (What == CL_PROFILING_COMMAND_START || What == CL_PROFILING_COMMAND_END)) {
      const cl_int Error = Real.clGetEventProfilingInfo(E, CL_PROFILING_COMMAND_QUEUED, Bytes, To, Needed);
      if (What == CL_PROFILING_COMMAND_END)
        *static_cast<cl_ulong *>(To) += Times[0];
      return Error;
    }
    if (BackFromEnd && What == CL_PROFILING_COMMAND_START && Type == CL_COMMAND_NDRANGE_KERNEL && To) {
      const cl_int Error = Real.clGetEventProfilingInfo(E, CL_PROFILING_COMMAND_END, Bytes, To, Needed);
      *static_cast<cl_ulong *>(To) -= Times[numberOf(deviceNameOf(E))];
      return Error;
    }
    if (BackFromEnd || What != CL_PROFILING_COMMAND_END || Type != CL_COMMAND_NDRANGE_KERNEL || !To)
      return Real.clGetEventProfilingInfo(E, What, Bytes, To, Needed);
    const cl_int Error = Real.clGetEventProfilingInfo(E, CL_PROFILING_COMMAND_START, Bytes, To, Needed);
    *static_cast<cl_ulong *>(To) += Times[numberOf(deviceNameOf(E))];
    return Error;
  }

private:
  static inline std::atomic<cl_ulong> Times[2];
};

} // namespace icdtest
#endif
