// MultiCL's change of a program: queues that were made for one device are mapped by the platform.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mapping [--size N] [--epochs N] [--off]
//
// Two queues with different work, as in the paper's benchmarks. One computes on few data, as EP of the NAS Parallel
// Benchmarks does. The other multiplies a sparse matrix by a vector many times, as CG does. Without the lines marked
// with (*), or with --off, both run on the first device; with them each goes where both have ended soonest. The program
// is for hsched's OpenCL platform: OCL_ICD_VENDORS names the folder of its *.icd file.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_hsched.h> // (*)

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

const char *Source = R"(
// Pairs of a linear congruential generator that lie in the unit circle, counted by each work-item.
kernel void pairs(global uint *count, int rounds) {
  uint seed = 2654435761u * (uint)(get_global_id(0) + 1), inside = 0;
  for (int i = 0; i < rounds; ++i) {
    seed = 1664525u * seed + 1013904223u;
    float x = (seed >> 8) * (1.0f / 16777216.0f);
    seed = 1664525u * seed + 1013904223u;
    float y = (seed >> 8) * (1.0f / 16777216.0f);
    inside += x * x + y * y <= 1.0f;
  }
  count[get_global_id(0)] = inside;
}
// y = A x for the matrix with 2 on its diagonal and -1/2 beside it.
kernel void product(global const float *x, global float *y) {
  int i = get_global_id(0), n = get_global_size(0);
  y[i] = 2 * x[i] - (i > 0 ? 0.5f * x[i - 1] : 0) - (i + 1 < n ? 0.5f * x[i + 1] : 0);
}
)";

void check(cl_int Error, const char *What) {
  if (Error == CL_SUCCESS)
    return;
  std::fprintf(stderr, "mapping: %s: error %d\n", What, Error);
  std::exit(1);
}

std::string nameOf(cl_device_id D) {
  char Name[256] = "none";
  if (D)
    clGetDeviceInfo(D, CL_DEVICE_NAME, sizeof(Name), Name, nullptr);
  return Name;
}

} // namespace

int main(int Argc, char **Argv) {
  size_t N = 1 << 14;
  int Epochs = 8;
  bool Off = false;
  for (int I = 1; I < Argc; ++I)
    if (!std::strcmp(Argv[I], "--off"))
      Off = true;
    else if (I + 1 < Argc && !std::strcmp(Argv[I], "--size"))
      N = std::strtoull(Argv[++I], nullptr, 10);
    else if (I + 1 < Argc && !std::strcmp(Argv[I], "--epochs"))
      Epochs = std::atoi(Argv[++I]);

  cl_platform_id Platform;
  cl_uint Count = 0;
  check(clGetPlatformIDs(1, &Platform, nullptr), "platform");
  cl_device_id All[16];
  check(clGetDeviceIDs(Platform, CL_DEVICE_TYPE_ALL, 16, All, &Count), "devices");
  std::vector<cl_device_id> Devices;
  for (cl_uint I = 0; I != std::min(Count, 16u); ++I)
    if (nameOf(All[I]) != "hsched auto")
      Devices.push_back(All[I]);
  cl_int Error;
  cl_context_properties Scheduler[] = {CL_CONTEXT_SCHEDULER_HSCHED, CL_CONTEXT_SCHEDULER_AUTOFIT_HSCHED, 0}; // (*)
  cl_context Context =
      clCreateContext(Scheduler, static_cast<cl_uint>(Devices.size()), Devices.data(), nullptr, nullptr, &Error);
  check(Error, "context");
  auto Queue = [&](cl_ulong Hint) {
    cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, Off ? 0 : CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED | Hint, 0}; // (*)
    cl_command_queue Q = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
    check(Error, "queue");
    return Q;
  };
  cl_command_queue Computes = Queue(CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED), // (*)
      Iterates = Queue(CL_QUEUE_SCHED_ITERATIVE_HSCHED);
  cl_program Program = clCreateProgramWithSource(Context, 1, &Source, nullptr, &Error);
  check(Error, "program");
  check(clBuildProgram(Program, 0, nullptr, "", nullptr, nullptr), "build");
  cl_kernel Pairs = clCreateKernel(Program, "pairs", &Error), Product = clCreateKernel(Program, "product", &Error);
  check(Error, "kernels");

  constexpr size_t Items = 64;
  std::vector<cl_uint> Inside(Items);
  std::vector<float> X(N, 1);
  cl_mem C = clCreateBuffer(Context, CL_MEM_READ_WRITE, Items * sizeof(cl_uint), nullptr, &Error),
         A = clCreateBuffer(Context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, N * sizeof(float), X.data(), &Error),
         B = clCreateBuffer(Context, CL_MEM_READ_WRITE, N * sizeof(float), nullptr, &Error);
  check(Error, "buffers");
  cl_int Rounds = 2000;
  clSetKernelArg(Pairs, 0, sizeof(C), &C);
  clSetKernelArg(Pairs, 1, sizeof(Rounds), &Rounds);

  for (int Epoch = 0; Epoch != Epochs; ++Epoch) {
    auto Begin = std::chrono::steady_clock::now();
    check(clEnqueueNDRangeKernel(Computes, Pairs, 1, nullptr, &Items, nullptr, 0, nullptr, nullptr), "pairs");
    for (int Step = 0; Step != 2; ++Step) {
      clSetKernelArg(Product, 0, sizeof(A), Step ? &B : &A);
      clSetKernelArg(Product, 1, sizeof(A), Step ? &A : &B);
      check(clEnqueueNDRangeKernel(Iterates, Product, 1, nullptr, &N, nullptr, 0, nullptr, nullptr), "product");
    }
    check(clFinish(Computes), "finish");
    check(clFinish(Iterates), "finish");
    double Ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - Begin).count();
    cl_device_id On[2] = {};
    clGetCommandQueueInfo(Computes, CL_QUEUE_SCHED_DEVICE_HSCHED, sizeof(On[0]), &On[0], nullptr);
    clGetCommandQueueInfo(Iterates, CL_QUEUE_SCHED_DEVICE_HSCHED, sizeof(On[1]), &On[1], nullptr);
    std::printf("epoch %d: %.2f ms; pairs on %s, product on %s\n", Epoch, Ms, nameOf(On[0]).c_str(), nameOf(On[1]).c_str());
  }

  check(clEnqueueReadBuffer(Computes, C, CL_TRUE, 0, Items * sizeof(cl_uint), Inside.data(), 0, nullptr, nullptr), "read");
  check(clEnqueueReadBuffer(Iterates, A, CL_TRUE, 0, N * sizeof(float), X.data(), 0, nullptr, nullptr), "read");
  double Sum = 0, Pi = 0;
  for (cl_uint I : Inside)
    Sum += I;
  Pi = 4 * Sum / (static_cast<double>(Items) * Rounds);
  // In the middle each product adds nothing: 2 - 1/2 - 1/2 = 1.
  bool Right = std::fabs(Pi - 3.14159) < 0.05 && std::fabs(X[N / 2] - 1) < 1e-5;
  std::printf("pi is about %.3f, the middle of x is %g: %s\n", Pi, static_cast<double>(X[N / 2]), Right ? "right" : "WRONG");
  for (cl_mem M : {A, B, C})
    clReleaseMemObject(M);
  clReleaseKernel(Pairs);
  clReleaseKernel(Product);
  clReleaseProgram(Program);
  clReleaseCommandQueue(Computes);
  clReleaseCommandQueue(Iterates);
  clReleaseContext(Context);
  return Right ? 0 : 1;
}
