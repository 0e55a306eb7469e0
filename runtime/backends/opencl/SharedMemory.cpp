// Devices that work on host memory in place: detection, and wrapping of memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/ClDevice.h"

#include <cstring>

namespace hsched::rt::opencl {

// A CPU, or a GPU without its own memory that can use any host address concurrently with the host.
bool ClDevice::mayShareHostMemory() const {
  if (Info.Type == DeviceType::Cpu)
    return true;
  cl_bool Unified = CL_FALSE;
  cl_device_svm_capabilities Can = 0;
  clGetDeviceInfo(Native(), CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(Unified), &Unified, nullptr);
  return Unified && clGetDeviceInfo(Native(), CL_DEVICE_SVM_CAPABILITIES, sizeof(Can), &Can, nullptr) == CL_SUCCESS &&
         (Can & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
}

status ClDevice::probe(bool &InPlace) {
  // An address as of a section inside an array: aligned only to its element.
  alignas(128) unsigned char Memory[256] = {};
  unsigned char *Host = Memory + 4;
  constexpr size_t Bytes = 64;
  const unsigned char Pattern[Bytes] = {1, 2, 3};
  cl_int Code = CL_SUCCESS;
  const bool There = mayShareHostMemory();
  cl::Buffer B(Context, CL_MEM_READ_WRITE | (There ? CL_MEM_USE_HOST_PTR : 0), Bytes, There ? Host : nullptr, &Code);
  if (Code != CL_SUCCESS)
    return clError(errc::out_of_memory, Code, "no buffer of " + std::to_string(Bytes) + " bytes on " + Title);
  for (int Round = 0; Round < 5; ++Round) {
    cl::Event E;
    TimePoint Enqueued = SteadyClock().now();
    Code = Upload->Queue.enqueueWriteBuffer(B, CL_FALSE, 0, Bytes, Pattern, nullptr, &E);
    if (Code == CL_SUCCESS)
      Code = E.wait();
    if (Code != CL_SUCCESS)
      return clError(errc::device_lost, Code, "a first transfer to " + Title);
    TimePoint Seen = SteadyClock().now();
    cl_ulong Begin = 0, End = 0;
    if (E.getProfilingInfo(CL_PROFILING_COMMAND_START, &Begin) == CL_SUCCESS &&
        E.getProfilingInfo(CL_PROFILING_COMMAND_END, &End) == CL_SUCCESS && Begin != 0 && End >= Begin)
      Time->calibrate(Begin, End, Enqueued, Seen);
  }
  if (!There)
    return {};
  // Writes of the device must be visible here, and vice versa, without mapping.
  unsigned char Back[Bytes] = {};
  bool Arrived = std::memcmp(Host, Pattern, Bytes) == 0;
  Host[5] = 77;
  Code = Download->Queue.enqueueReadBuffer(B, CL_TRUE, 0, Bytes, Back);
  InPlace = Code == CL_SUCCESS && Arrived && Back[5] == 77;
  return {};
}

status ClDevice::wrap(void *Ptr, size_t Bytes, BufferRef &Out) try {
  if (!Info.SharesHostMemory)
    return status::error(errc::unsupported, Title + " has memory of its own");
  if (!Ptr || Bytes == 0)
    return status::error(errc::invalid_argument, "no host memory to wrap");
  std::pair<uintptr_t, size_t> Key(reinterpret_cast<uintptr_t>(Ptr), Bytes);
  std::lock_guard Guard(WrapLock);
  if (auto Known = Wrapped.find(Key); Known != Wrapped.end()) {
    Out = Known->second;
    return {};
  }
  auto B = std::make_shared<ClBuffer>();
  B->Size = Bytes;
  cl_int Code = CL_SUCCESS;
  B->Native = cl::Buffer(Context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, Bytes, Ptr, &Code);
  if (Code != CL_SUCCESS)
    return clError(errc::out_of_memory, Code, std::to_string(Bytes) + " bytes of host memory for " + Title);
  // Entries hold only an address and a size, so they never become invalid and are cheap to make again.
  if (Wrapped.size() >= MostWrapped)
    Wrapped.clear();
  Wrapped.emplace(Key, B);
  Out = std::move(B);
  return {};
} catch (...) {
  return caughtException();
}

} // namespace hsched::rt::opencl
