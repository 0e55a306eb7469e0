// Common parts of the OpenCL platform's samples: devices, queues, and the comparison of mappings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_OPENCL_COMMON_H
#define HSCHED_SAMPLES_OPENCL_COMMON_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_hsched.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace sample {

// Ends the program with a message, unless the code is CL_SUCCESS.
void check(cl_int Error, const char *What);

// The value behind "--name", or Otherwise if it is absent.
long option(int Argc, char **Argv, const char *Name, long Otherwise);
std::string option(int Argc, char **Argv, const char *Name, const char *Otherwise);
bool flag(int Argc, char **Argv, const char *Name);

// The devices of the first platform; of the platform "hsched" without "hsched auto".
std::vector<cl_device_id> devices();
std::string nameOf(cl_device_id D);

// A context of all devices, and a program for it.
struct Session {
  std::vector<cl_device_id> Devices;
  cl_context Context = nullptr;
  cl_program Program = nullptr;
  std::vector<cl_mem> Buffers; // Released with the session.

  Session(std::vector<cl_device_id> Devices, cl_context Context) : Devices(std::move(Devices)), Context(Context) {}
  Session(const Session &) = delete;
  ~Session();
  void build(const char *Source, const char *Options);
  cl_kernel kernel(const char *Name);
  // Makes a buffer, initialised from Data unless Data is null.
  cl_mem buffer(size_t Bytes, const void *Data = nullptr);
  cl_mem part(cl_mem Of, size_t First, size_t Bytes);

private:
  std::vector<cl_kernel> Kernels;
};

// Sets all arguments of a kernel, and launches it.
template <class... T> void arguments(cl_kernel K, const T &...Values) {
  cl_uint N = 0;
  (check(clSetKernelArg(K, N++, sizeof(T), &Values), "argument"), ...);
}
void launch(cl_command_queue Q, cl_kernel K, std::vector<size_t> Global, std::vector<size_t> Local = {});
template <class T> void read(cl_command_queue Q, cl_mem From, std::vector<T> &To, bool Blocking = true) {
  check(clEnqueueReadBuffer(Q, From, Blocking ? CL_TRUE : CL_FALSE, 0, To.size() * sizeof(T), To.data(), 0, nullptr,
                            nullptr),
        "read");
}
template <class T> void write(cl_command_queue Q, cl_mem Into, const std::vector<T> &From) {
  check(clEnqueueWriteBuffer(Q, Into, CL_TRUE, 0, From.size() * sizeof(T), From.data(), 0, nullptr, nullptr), "write");
}

using Queues = std::vector<cl_command_queue>;
// A queue for a device, or one that the platform maps.
using MakesQueue = std::function<cl_command_queue(cl_device_id On, bool Mapped)>;
// A whole run on these queues; false if its result is wrong. Only the time between the calls of Begin and End counts.
struct Clock {
  void begin();
  void end();
  double Seconds = 0;

private:
  double From = 0;
};
using Runs = std::function<bool(const Queues &, Clock &)>;

// Without "--compare": runs the program --repeat times, and prints each time and the queues' devices. The platform maps
// the queues. With "--off" all are on the first device. With "--compare": tries every assignment of queues to devices,
// and prints the best and the automatic mapping, cold and warm. Returns the exit code of the program.
int drive(int Argc, char **Argv, const char *Name, const Session &In, size_t NumQueues, const MakesQueue &Make,
          const Runs &Run);

} // namespace sample
#endif
