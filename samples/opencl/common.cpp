// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace sample {

void check(cl_int Error, const char *What) {
  if (Error == CL_SUCCESS)
    return;
  std::fprintf(stderr, "%s: OpenCL error %d\n", What, Error);
  std::exit(1);
}

std::string option(int Argc, char **Argv, const char *Name, const char *Otherwise) {
  for (int I = 1; I + 1 < Argc; ++I)
    if (!std::strcmp(Argv[I], Name))
      return Argv[I + 1];
  return Otherwise;
}

long option(int Argc, char **Argv, const char *Name, long Otherwise) {
  std::string Text = option(Argc, Argv, Name, "");
  return Text.empty() ? Otherwise : std::atol(Text.c_str());
}

bool flag(int Argc, char **Argv, const char *Name) {
  return std::any_of(Argv + 1, Argv + Argc, [&](const char *A) { return !std::strcmp(A, Name); });
}

std::string nameOf(cl_device_id D) {
  char Name[256] = "none";
  if (D)
    clGetDeviceInfo(D, CL_DEVICE_NAME, sizeof(Name), Name, nullptr);
  return Name;
}

std::vector<cl_device_id> devices() {
  cl_platform_id Platform;
  cl_device_id All[16];
  cl_uint Count = 0;
  check(clGetPlatformIDs(1, &Platform, nullptr), "platform");
  check(clGetDeviceIDs(Platform, CL_DEVICE_TYPE_ALL, 16, All, &Count), "devices");
  std::vector<cl_device_id> Real;
  for (cl_uint I = 0; I != std::min(Count, 16u); ++I)
    if (nameOf(All[I]) != "hsched auto")
      Real.push_back(All[I]);
  return Real;
}

Session::~Session() {
  for (cl_kernel K : Kernels)
    clReleaseKernel(K);
  for (auto B = Buffers.rbegin(); B != Buffers.rend(); ++B)
    clReleaseMemObject(*B);
  if (Program)
    clReleaseProgram(Program);
  clReleaseContext(Context);
}

void Session::build(const char *Source, const char *Options) {
  cl_int Error;
  Program = clCreateProgramWithSource(Context, 1, &Source, nullptr, &Error);
  check(Error, "program");
  Error = clBuildProgram(Program, 0, nullptr, Options, nullptr, nullptr);
  if (Error < 0)
    for (cl_device_id D : Devices) {
      char Log[4096] = "";
      clGetProgramBuildInfo(Program, D, CL_PROGRAM_BUILD_LOG, sizeof(Log), Log, nullptr);
      std::fprintf(stderr, "%s: %s\n", nameOf(D).c_str(), Log);
    }
  check(Error, "build");
}

cl_kernel Session::kernel(const char *Name) {
  cl_int Error;
  Kernels.push_back(clCreateKernel(Program, Name, &Error));
  check(Error, Name);
  return Kernels.back();
}

cl_mem Session::buffer(size_t Bytes, const void *Data) {
  cl_int Error;
  Buffers.push_back(clCreateBuffer(Context, CL_MEM_READ_WRITE | (Data ? CL_MEM_COPY_HOST_PTR : 0), Bytes,
                                   const_cast<void *>(Data), &Error));
  check(Error, "buffer");
  return Buffers.back();
}

cl_mem Session::part(cl_mem Of, size_t First, size_t Bytes) {
  cl_int Error;
  cl_buffer_region Region{First, Bytes};
  Buffers.push_back(clCreateSubBuffer(Of, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &Region, &Error));
  check(Error, "part of a buffer");
  return Buffers.back();
}

void launch(cl_command_queue Q, cl_kernel K, std::vector<size_t> Global, std::vector<size_t> Local) {
  check(clEnqueueNDRangeKernel(Q, K, static_cast<cl_uint>(Global.size()), nullptr, Global.data(),
                               Local.empty() ? nullptr : Local.data(), 0, nullptr, nullptr),
        "launch");
}

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
void Clock::begin() { From = now(); }
void Clock::end() { Seconds += now() - From; }

namespace {

struct Comparison {
  const Session &In;
  const MakesQueue &Make;
  const Runs &Run;
  bool Right = true;

  // One timed run. To: the device of each queue; empty: the platform maps them. Writes the queues' devices to *Where.
  double once(size_t NumQueues, const std::vector<size_t> &To, std::vector<std::string> *Where) {
    Queues Q;
    for (size_t I = 0; I != NumQueues; ++I)
      Q.push_back(Make(In.Devices[To.empty() ? 0 : To[I]], To.empty()));
    Clock C;
    Right &= Run(Q, C);
    for (cl_command_queue X : Q) {
      cl_device_id On = nullptr;
      if (clGetCommandQueueInfo(X, CL_QUEUE_SCHED_DEVICE_HSCHED, sizeof(On), &On, nullptr) != CL_SUCCESS)
        On = In.Devices[0]; // On another platform, queues stay where they are made.
      if (Where)
        Where->push_back(std::to_string(std::find(In.Devices.begin(), In.Devices.end(), On) - In.Devices.begin()));
      clReleaseCommandQueue(X);
    }
    return C.Seconds;
  }
};

std::string joined(const std::vector<std::string> &Words) {
  std::string Text;
  for (const std::string &W : Words)
    Text += (Text.empty() ? "" : ",") + W;
  return Text;
}

} // namespace

int drive(int Argc, char **Argv, const char *Name, const Session &In, size_t NumQueues, const MakesQueue &Make,
          const Runs &Run) {
  const long Repeat = option(Argc, Argv, "--repeat", 3L);
  Comparison All{In, Make, Run};
  for (size_t I = 0; I != In.Devices.size(); ++I)
    std::printf("device %zu: %s\n", I, nameOf(In.Devices[I]).c_str());

  if (!flag(Argc, Argv, "--compare")) {
    bool Off = flag(Argc, Argv, "--off");
    for (long R = 0; R != Repeat; ++R) {
      std::vector<std::string> Where;
      double Seconds = All.once(NumQueues, Off ? std::vector<size_t>(NumQueues, 0) : std::vector<size_t>{}, &Where);
      std::printf("%s: %.2f ms, queues on devices %s\n", Name, Seconds * 1e3, joined(Where).c_str());
    }
    std::printf("%s: %s\n", Name, All.Right ? "right" : "WRONG");
    return All.Right ? 0 : 1;
  }

  // Warm-up runs, which do not count and which the platform does not measure: they build kernels and start each device.
  for (size_t D = 0; D != In.Devices.size(); ++D)
    All.once(NumQueues, std::vector<size_t>(NumQueues, D), nullptr);
  const double Cold = All.once(NumQueues, {}, nullptr);
  double Best = 0;
  std::vector<size_t> To(NumQueues, 0), BestTo;
  for (;;) { // Tries all assignments.
    double Least = 1e30;
    for (long R = 0; R != Repeat; ++R)
      Least = std::min(Least, All.once(NumQueues, To, nullptr));
    std::vector<std::string> Text;
    for (size_t D : To)
      Text.push_back(std::to_string(D));
    std::printf("%s by hand, queues on devices %s: %.2f ms\n", Name, joined(Text).c_str(), Least * 1e3);
    if (BestTo.empty() || Least < Best) {
      Best = Least;
      BestTo = To;
    }
    size_t Q = 0;
    while (Q != NumQueues && ++To[Q] == In.Devices.size())
      To[Q++] = 0;
    if (Q == NumQueues)
      break;
  }
  // Both again, alternating, so that disturbances affect both.
  double Warm = 1e30;
  std::vector<double> Hand;
  std::vector<std::string> Where;
  for (long R = 0; R != 2 * Repeat; ++R) {
    std::vector<std::string> Its;
    if (double S = All.once(NumQueues, {}, &Its); S < Warm) {
      Warm = S;
      Where = Its;
    }
    Hand.push_back(All.once(NumQueues, BestTo, nullptr));
    Best = std::min(Best, Hand.back());
  }
  // The cold run is a single one. Beside the least of many, it is compared with what one run by hand takes.
  std::nth_element(Hand.begin(), Hand.begin() + static_cast<long>(Hand.size() / 2), Hand.end());
  const double Usual = Hand.empty() ? Best : Hand[Hand.size() / 2];
  // The data were on the last device before the cold run. The best mapping by hand pays for that, too.
  double Elsewhere = 1e30;
  for (long R = 0; R != Repeat; ++R) {
    All.once(NumQueues, std::vector<size_t>(NumQueues, In.Devices.size() - 1), nullptr);
    Elsewhere = std::min(Elsewhere, All.once(NumQueues, BestTo, nullptr));
  }
  std::vector<std::string> Text;
  for (size_t D : BestTo)
    Text.push_back(std::to_string(D));
  std::printf("%s: best by hand %.2f ms (%s), automatic %.2f ms (%s), cold %.2f ms, by hand after a run on device %zu "
              "%.2f ms: cold %.3f of that\n",
              Name, Best * 1e3, joined(Text).c_str(), Warm * 1e3, joined(Where).c_str(), Cold * 1e3,
              In.Devices.size() - 1, Elsewhere * 1e3, Cold / Elsewhere);
  std::printf("%s: automatic/best %.3f, cold/best %.3f, cold/median %.3f, %s\n", Name, Warm / Best, Cold / Best,
              Cold / Usual, All.Right ? "right" : "WRONG");
  return All.Right ? 0 : 1;
}

} // namespace sample
