// OpenCL without the runtime: the device that it would take, queues and buffers, for figures to compare with.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BENCH_OPENCLBYHAND_H
#define HSCHED_BENCH_OPENCLBYHAND_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace bench {

inline void check(cl_int Code, const char *What) {
  if (Code == CL_SUCCESS)
    return;
  std::fprintf(stderr, "%s: OpenCL error %d\n", What, Code);
  std::exit(1);
}

// The same device as the runtime takes: the one HSCHED_OPENCL numbers, else the first GPU, else the first of all.
inline cl_device_id chooseDevice() {
  cl_uint NumPlatforms = 0;
  check(clGetPlatformIDs(0, nullptr, &NumPlatforms), "platforms");
  std::vector<cl_platform_id> Platforms(NumPlatforms);
  check(clGetPlatformIDs(NumPlatforms, Platforms.data(), nullptr), "platforms");
  std::vector<cl_device_id> All;
  cl_device_id FirstGpu = nullptr;
  for (cl_platform_id P : Platforms) {
    cl_device_id Found[64];
    cl_uint N = 0;
    if (clGetDeviceIDs(P, CL_DEVICE_TYPE_ALL, 64, Found, &N) != CL_SUCCESS)
      continue;
    for (cl_uint I = 0; I < std::min<cl_uint>(N, 64); ++I) {
      cl_device_type Kind = 0;
      clGetDeviceInfo(Found[I], CL_DEVICE_TYPE, sizeof(Kind), &Kind, nullptr);
      All.push_back(Found[I]);
      if (!FirstGpu && (Kind & CL_DEVICE_TYPE_GPU))
        FirstGpu = Found[I];
    }
  }
  if (All.empty()) {
    std::fprintf(stderr, "no OpenCL device\n");
    std::exit(1);
  }
  const char *Wanted = std::getenv("HSCHED_OPENCL");
  if (Wanted && *Wanted >= '0' && *Wanted <= '9' && std::strtoul(Wanted, nullptr, 10) < All.size() &&
      std::strcmp(Wanted, "0") != 0)
    return All[std::strtoul(Wanted, nullptr, 10)];
  return FirstGpu ? FirstGpu : All[0];
}

// A device with a context and queues. Released when the process ends.
struct ByHandDevice {
  ByHandDevice() : Device(chooseDevice()) {
    cl_int Code;
    Context = clCreateContext(nullptr, 1, &Device, nullptr, nullptr, &Code);
    check(Code, "context");
    for (cl_command_queue &Q : Queues) {
      Q = clCreateCommandQueue(Context, Device, 0, &Code);
      check(Code, "queue");
    }
  }
  cl_mem buffer(cl_mem_flags Flags, size_t Bytes, void *Host = nullptr) const {
    cl_int Code;
    cl_mem M = clCreateBuffer(Context, Flags, Bytes, Host, &Code);
    check(Code, "buffer");
    return M;
  }
  void *map(cl_mem M, size_t Bytes) const {
    cl_int Code;
    void *P =
        clEnqueueMapBuffer(Queues[0], M, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, Bytes, 0, nullptr, nullptr, &Code);
    check(Code, "map");
    return P;
  }
  void unmap(cl_mem M, void *P) const {
    check(clEnqueueUnmapMemObject(Queues[0], M, P, 0, nullptr, nullptr), "unmap");
    check(clFinish(Queues[0]), "finish");
  }
  cl_kernel kernel(const char *Source, const char *Name) const {
    cl_int Code;
    cl_program Program = clCreateProgramWithSource(Context, 1, &Source, nullptr, &Code);
    check(Code, "program");
    check(clBuildProgram(Program, 1, &Device, "", nullptr, nullptr), "build");
    cl_kernel K = clCreateKernel(Program, Name, &Code);
    check(Code, "kernel");
    return K;
  }
  std::string name() const {
    char Name[256] = "";
    clGetDeviceInfo(Device, CL_DEVICE_NAME, sizeof(Name), Name, nullptr);
    return Name;
  }

  cl_device_id Device;
  cl_context Context;
  cl_command_queue Queues[8];
};

} // namespace bench
#endif
