// The benchmarks behind a device's profile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They use the vendor's functions only, with objects of their own. Sizes grow until a run takes long enough, so an
// interpreter is measured by small ones.
#include "base/Log.h"
#include "icd/Command.h"
#include "icd/DeviceProfile.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace hsched::icd {
namespace {

constexpr double LongEnough = 1e-3; // Seconds.
constexpr size_t Group = 64, ItemsAUnit = 1024;
constexpr cl_int MostRounds = 1 << 20;
constexpr double OperationsARound = 64;
constexpr size_t LeastBytes = 256 << 10, MostBytes = 64 << 20;

// Vectors: a CPU's compiler may leave a loop of scalars as it is, which says little of kernels without loops.
const char *const Source = R"(
kernel void hsched_compute(global float *out, int rounds) {
  float8 a = (float8)(get_global_id(0)), b = a + 1, c = a + 2, d = a + 3;
  for (int i = 0; i < rounds; ++i) {
    a = a * 0.5f + 1;
    b = b * 0.5f + 2;
    c = c * 0.5f + 3;
    d = d * 0.5f + 4;
  }
  const float8 all = a + b + c + d;
  const float4 half_of_all = all.lo + all.hi;
  out[get_global_id(0)] = half_of_all.x + half_of_all.y + half_of_all.z + half_of_all.w;
}
kernel void hsched_memory(global const float4 *from, global float4 *to) { to[get_global_id(0)] = from[get_global_id(0)]; }
)";

// The least of several times. Other programs make some longer, so two have to agree.
class Times {
public:
  bool areEnough() const { return Count >= MostTries || (Count >= LeastTries && Second <= Agreement * Least); }
  void add(double Seconds) {
    ++Count;
    Second = std::min(Second, std::max(Seconds, Least));
    Least = std::min(Least, Seconds);
  }
  double least() const { return Least; }

private:
  static constexpr unsigned LeastTries = 3, MostTries = 12;
  static constexpr double Agreement = 1.25;
  unsigned Count = 0;
  double Least = std::numeric_limits<double>::infinity(), Second = Least;
};

// A vendor's context, queue, program and buffers on one device.
class Bench {
public:
  explicit Bench(const Device &D) : D(D), Cl(D.cl()) {}
  ~Bench() {
    for (cl_mem M : Buffers)
      Cl.clReleaseMemObject(M);
    if (Memory)
      Cl.clReleaseKernel(Memory);
    if (Compute)
      Cl.clReleaseKernel(Compute);
    if (Program)
      Cl.clReleaseProgram(Program);
    if (Queue)
      Cl.clReleaseCommandQueue(Queue);
    if (Context)
      Cl.clReleaseContext(Context);
  }
  Bench(const Bench &) = delete;

  DeviceProfile run() {
    begin();
    DeviceProfile P;
    const size_t Most = mostBytes();
    for (cl_mem &M : Buffers) {
      cl_int Error = CL_SUCCESS;
      M = Cl.clCreateBuffer(Context, CL_MEM_READ_WRITE, Most, nullptr, &Error);
      made(M, Error);
    }
    const double Launch = launch(0);
    for (cl_int Rounds = 16;; Rounds *= 4) {
      const double Seconds = launch(Rounds);
      P.Operations =
          static_cast<double>(items()) * Rounds * OperationsARound / (Seconds - std::min(Launch, Seconds / 2));
      if (Seconds >= LongEnough || Rounds >= MostRounds)
        break;
    }
    for (size_t Bytes = std::min(LeastBytes, Most);; Bytes = std::min(Bytes * 4, Most)) {
      const double Seconds = copy(Bytes);
      P.MemoryBytes = 2 * static_cast<double>(Bytes) / (Seconds - std::min(Launch, Seconds / 2));
      if (Seconds >= LongEnough || Bytes == Most)
        break;
    }
    std::vector<char> Host(Most);
    auto Link = [&](auto Transfer) {
      DeviceProfile::Link L;
      L.Start = leastOf([&] { Transfer(4); });
      for (size_t Bytes = std::min(LeastBytes, Most);; Bytes = std::min(Bytes * 4, Most)) {
        const double Seconds = leastOf([&] { Transfer(Bytes); });
        L.BytesASecond = static_cast<double>(Bytes) / (Seconds - std::min(L.Start, Seconds / 2));
        if (Seconds >= LongEnough || Bytes == Most)
          return L;
      }
    };
    P.FromHost = Link([&](size_t Bytes) {
      check(Cl.clEnqueueWriteBuffer(Queue, Buffers[0], CL_TRUE, 0, Bytes, Host.data(), 0, nullptr, nullptr));
    });
    P.ToHost = Link([&](size_t Bytes) {
      check(Cl.clEnqueueReadBuffer(Queue, Buffers[0], CL_TRUE, 0, Bytes, Host.data(), 0, nullptr, nullptr));
    });
    return P;
  }

private:
  void begin() {
    cl_int Error = CL_SUCCESS;
    cl_context_properties Its[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(D.Of->Id), 0};
    Context = Cl.clCreateContext(Its, 1, &D.Id, nullptr, nullptr, &Error);
    made(Context, Error);
    Queue = Cl.clCreateCommandQueue(Context, D.Id, CL_QUEUE_PROFILING_ENABLE, &Error);
    made(Queue, Error);
    const char *Text = Source;
    Program = Cl.clCreateProgramWithSource(Context, 1, &Text, nullptr, &Error);
    made(Program, Error);
    check(Cl.clBuildProgram(Program, 1, &D.Id, "", nullptr, nullptr));
    Compute = Cl.clCreateKernel(Program, "hsched_compute", &Error);
    made(Compute, Error);
    Memory = Cl.clCreateKernel(Program, "hsched_memory", &Error);
    made(Memory, Error);
  }
  template <class T> static void made(T *Object, cl_int Error) {
    check(Object ? CL_SUCCESS : Error < 0 ? Error : CL_OUT_OF_RESOURCES);
  }
  size_t items() const { return D.limits().Units * ItemsAUnit; }
  // A multiple of a group's, and room for what hsched_compute writes.
  size_t mostBytes() const {
    const auto Whole = D.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE, MostBytes) / 16;
    const auto One = D.number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE, MostBytes) / 4;
    const auto Its = static_cast<size_t>(std::min<cl_ulong>({Whole, One, MostBytes}));
    return std::max(Its / (Group * 16), (items() * sizeof(float) + Group * 16 - 1) / (Group * 16)) * (Group * 16);
  }
  template <class F> static double leastOf(F Do) {
    Times All;
    while (!All.areEnough()) {
      const cl_ulong From = hostTime();
      Do();
      All.add(static_cast<double>(std::max<cl_ulong>(hostTime() - From, 1)) * 1e-9);
    }
    return All.least();
  }
  // Seconds by the device's clock, or by the host's if that one stands still. The first try may compile the kernel.
  double run(cl_kernel K, size_t Items) {
    Times All;
    while (!All.areEnough()) {
      cl_event E = nullptr;
      const size_t Local = std::min(Group, D.limits().GroupSize);
      const cl_ulong From = hostTime();
      check(Cl.clEnqueueNDRangeKernel(Queue, K, 1, nullptr, &Items, Items % Local ? nullptr : &Local, 0, nullptr, &E));
      const cl_int Waited = Cl.clWaitForEvents(1, &E);
      const cl_ulong Taken = std::max<cl_ulong>(hostTime() - From, 1);
      cl_ulong Begin = 0, End = 0;
      const bool Known =
          Cl.clGetEventProfilingInfo(E, CL_PROFILING_COMMAND_START, sizeof(Begin), &Begin, nullptr) == CL_SUCCESS &&
          Cl.clGetEventProfilingInfo(E, CL_PROFILING_COMMAND_END, sizeof(End), &End, nullptr) == CL_SUCCESS;
      Cl.clReleaseEvent(E);
      check(Waited);
      All.add(static_cast<double>(Known && End > Begin + 1 ? End - Begin : Taken) * 1e-9);
      if (All.least() > 50 * LongEnough) // An interpreter.
        break;
    }
    return All.least();
  }
  double launch(cl_int Rounds) {
    check(Cl.clSetKernelArg(Compute, 0, sizeof(cl_mem), &Buffers[0]));
    check(Cl.clSetKernelArg(Compute, 1, sizeof(Rounds), &Rounds));
    return run(Compute, items());
  }
  double copy(size_t Bytes) {
    check(Cl.clSetKernelArg(Memory, 0, sizeof(cl_mem), &Buffers[0]));
    check(Cl.clSetKernelArg(Memory, 1, sizeof(cl_mem), &Buffers[1]));
    return run(Memory, Bytes / 16);
  }

  const Device &D;
  const cl_icd_dispatch &Cl;
  cl_context Context = nullptr;
  cl_command_queue Queue = nullptr;
  cl_program Program = nullptr;
  cl_kernel Compute = nullptr, Memory = nullptr;
  cl_mem Buffers[2] = {};
};

} // namespace

std::optional<DeviceProfile> measureDevice(const Device &D) {
  std::optional<DeviceProfile> Its;
  const cl_int Error = guarded([&] {
    const auto InTurn = D.inTurn();
    Its = Bench(D).run();
  });
  if (Its)
    rt::log(rt::LogLevel::Info,
            "OpenCL platform: %s: %.3g operations a second, memory %.3g, from host %.3g, to host %.3g bytes a second",
            D.Name.c_str(), Its->Operations, Its->MemoryBytes, Its->FromHost.BytesASecond, Its->ToHost.BytesASecond);
  else
    rt::log(rt::LogLevel::Info, "OpenCL platform: %s cannot be measured: error %d", D.Name.c_str(), Error);
  return Its;
}

} // namespace hsched::icd
