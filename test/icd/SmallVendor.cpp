// A vendor with little memory: PoCL, whose buffers together take no more than SMALL_VENDOR_BYTES.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaded by the platform as a vendor's library. It changes PoCL's own table of functions, so no other code of the
// process may use PoCL.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_icd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace {

cl_icd_dispatch Real;
std::mutex Lock; // Guards what follows.
size_t Used = 0, Most = 0, Refused = 0, Made = 0;

size_t limit() {
  static const size_t Bytes = std::strtoull(std::getenv("SMALL_VENDOR_BYTES"), nullptr, 10);
  return Bytes;
}

// SMALL_VENDOR_SAYS_SO: its devices report so much separate memory.
cl_int CL_API_CALL deviceInfo(cl_device_id D, cl_device_info What, size_t Bytes, void *To, size_t *Needed) {
  cl_int Error = Real.clGetDeviceInfo(D, What, Bytes, To, Needed);
  if (Error != CL_SUCCESS || !To || !std::getenv("SMALL_VENDOR_SAYS_SO"))
    return Error;
  if (What == CL_DEVICE_GLOBAL_MEM_SIZE)
    *static_cast<cl_ulong *>(To) = limit();
  if (What == CL_DEVICE_HOST_UNIFIED_MEMORY)
    *static_cast<cl_bool *>(To) = CL_FALSE;
  return Error;
}

void CL_CALLBACK freed(cl_mem, void *Bytes) {
  std::lock_guard Hold(Lock);
  Used -= reinterpret_cast<size_t>(Bytes);
}

cl_mem CL_API_CALL createBuffer(cl_context C, cl_mem_flags Flags, size_t Bytes, void *Data, cl_int *Error) {
  { // Not held while PoCL works, which may hold locks of its own when it reports a release.
    std::lock_guard Hold(Lock);
    if (Bytes > limit() - Used) {
      ++Refused;
      if (Error)
        *Error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
      return nullptr;
    }
    Used += Bytes;
    Most = Used > Most ? Used : Most;
    ++Made;
  }
  cl_mem M = Real.clCreateBuffer(C, Flags, Bytes, Data, Error);
  if (M)
    (void)Real.clSetMemObjectDestructorCallback(M, freed, reinterpret_cast<void *>(Bytes));
  else
    freed(nullptr, reinterpret_cast<void *>(Bytes));
  return M;
}

// With SMALL_VENDOR_SERIAL the platform takes it for Oclgrind, whose functions one thread at a time may call.
std::atomic<int> Inside{0};
std::atomic<size_t> Overlaps{0};
thread_local int Depth = 0;

template <auto Slot> struct Counted;
template <class R, class... A, R (CL_API_CALL *cl_icd_dispatch::*Slot)(A...)> struct Counted<Slot> {
  static inline R(CL_API_CALL *Next)(A...) = nullptr;
  struct Within {
    Within() {
      if (!Depth++ && Inside++)
        ++Overlaps;
    }
    ~Within() {
      if (!--Depth)
        --Inside;
    }
  };
  static R CL_API_CALL call(A... Given) {
    Within Here;
    return Next(Given...);
  }
};
template <auto... Slots> void count(cl_icd_dispatch &Table) {
  ((Counted<Slots>::Next = std::exchange(Table.*Slots, Counted<Slots>::call)), ...);
}

cl_int CL_API_CALL platformInfo(cl_platform_id P, cl_platform_info What, size_t Bytes, void *To, size_t *Needed) {
  static const char Name[] = "Oclgrind, which is PoCL";
  if (What != CL_PLATFORM_NAME)
    return Real.clGetPlatformInfo(P, What, Bytes, To, Needed);
  if (Needed)
    *Needed = sizeof(Name);
  if (To && Bytes >= sizeof(Name))
    std::memcpy(To, Name, sizeof(Name));
  return !To || Bytes >= sizeof(Name) ? CL_SUCCESS : CL_INVALID_VALUE;
}

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED cl_int clIcdGetPlatformIDsKHR(cl_uint Number, cl_platform_id *To, cl_uint *Found) {
  void *Pocl = dlopen(std::getenv("SMALL_VENDOR_OF"), RTLD_NOW | RTLD_LOCAL);
  if (!Pocl)
    return CL_PLATFORM_NOT_FOUND_KHR;
  auto Find = reinterpret_cast<void *(*)(const char *)>(dlsym(Pocl, "clGetExtensionFunctionAddress"));
  auto Get = reinterpret_cast<decltype(&clIcdGetPlatformIDsKHR)>(Find("clIcdGetPlatformIDsKHR"));
  cl_int Error = Get(Number, To, Found);
  if (Error == CL_SUCCESS && To && Number && !Real.clCreateBuffer) {
    auto *Table = *reinterpret_cast<cl_icd_dispatch **>(To[0]);
    const auto Page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t Begin = reinterpret_cast<uintptr_t>(Table) / Page * Page;
    if (mprotect(reinterpret_cast<void *>(Begin), reinterpret_cast<uintptr_t>(Table + 1) - Begin,
                 PROT_READ | PROT_WRITE) != 0)
      return CL_OUT_OF_HOST_MEMORY;
    Real = *Table;
    Table->clCreateBuffer = createBuffer;
    Table->clGetDeviceInfo = deviceInfo;
    if (std::getenv("SMALL_VENDOR_SERIAL")) {
      Table->clGetPlatformInfo = platformInfo;
      using T = cl_icd_dispatch;
      count<&T::clCreateBuffer, &T::clReleaseMemObject, &T::clCreateKernel, &T::clSetKernelArg, &T::clReleaseKernel,
            &T::clCreateCommandQueue, &T::clReleaseCommandQueue, &T::clEnqueueNDRangeKernel, &T::clEnqueueReadBuffer,
            &T::clEnqueueWriteBuffer, &T::clFlush, &T::clFinish, &T::clWaitForEvents, &T::clReleaseEvent>(*Table);
    }
  }
  return Error;
}

EXPORTED void *clGetExtensionFunctionAddress(const char *Name) {
  return __builtin_strcmp(Name, "clIcdGetPlatformIDsKHR") == 0 ? reinterpret_cast<void *>(&clIcdGetPlatformIDsKHR)
                                                               : nullptr;
}

// Since the last call: the most bytes that were taken at a time, buffers that were made, and refused.
EXPORTED void small_vendor_counts(size_t *Peak, size_t *Created, size_t *Denied) {
  std::lock_guard Hold(Lock);
  *Peak = Most;
  *Created = Made;
  *Denied = Refused;
  Most = Used;
  Made = Refused = 0;
}

// Bytes in use.
EXPORTED size_t small_vendor_used() {
  std::lock_guard Hold(Lock);
  return Used;
}

// From now on, another program uses so many bytes of its memory.
EXPORTED void small_vendor_take(size_t Bytes) {
  static size_t Others = 0;
  std::lock_guard Hold(Lock);
  Used += Bytes - std::exchange(Others, Bytes);
}

// Calls of two threads that overlapped, with SMALL_VENDOR_SERIAL.
EXPORTED size_t small_vendor_overlaps() { return Overlaps; }
