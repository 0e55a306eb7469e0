// What an OpenCL task costs beside the same kernel enqueued by hand, in one run on one device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   opencl_overhead [tasks] [rounds]     10,000 tasks and 7 rounds unless told; HSCHED_OPENCL picks the device
//
// A chain: each task updates what the last one wrote. By hand: one in-order queue. Independent tasks: each has a datum
// of its own. By hand: on one queue, and in turn on four. Side by side: eight kernels of one long work-group each, on
// data of their own. By hand: one after another on one queue, and on eight queues.
//
// Speaks the C ABI as generated code does. Figures are medians, in microseconds a task; in brackets the CPU time of the
// whole process, which a busy machine blurs less. Cores of a virtual machine differ in speed, by 1.4 in one process. So
// the part by hand runs twice: on the core of the runtime's thread for the device, and where the system puts it.
#include "Measure.h"
#include "OpenClByHand.h"

#include <hsched/abi.h>

#include <new>

namespace {

using bench::median;
using bench::nsOf;

constexpr size_t Items = 64, DatumBytes = Items * sizeof(int);

// The entry takes offsets, as hsched-cc makes it; by hand they are 0.
const char Source[] = "kernel void add(global int *x, int rounds, ulong offset) {\n"
                      "  global int *p = (global int *)((global char *)x + offset);\n"
                      "  int v = p[get_global_id(0)];\n"
                      "  for (int i = 0; i < rounds; ++i) v = v * 1664525 + 1013904223;\n"
                      "  p[get_global_id(0)] = v;\n"
                      "}\n";

struct Args {
  int *Datum;
  int Rounds;
};

void fill(const void *Packed, hsched_ndrange *Range, hsched_kernel_arg *Out) {
  auto *A = static_cast<const Args *>(Packed);
  Range->dims = 1;
  Range->global[0] = Range->local[0] = Items;
  Out[0].kind = HSCHED_ARG_BUFFER;
  Out[0].param = 0;
  Out[0].pointer = A->Datum;
  Out[1].kind = HSCHED_ARG_VALUE;
  Out[1].param = 1;
  Out[1].bytes = sizeof(int);
  Out[1].value = &A->Rounds;
}

const char *const ParamNames[] = {"datum", "rounds"};
const hsched_task_desc Task = {sizeof(hsched_task_desc),
                               HSCHED_ABI_MAJOR,
                               HSCHED_ABI_MINOR,
                               "bench_add",
                               "add",
                               __FILE__,
                               __LINE__,
                               2,
                               ParamNames,
                               sizeof(Args),
                               alignof(Args),
                               nullptr,
                               nullptr};
const hsched_kernel_desc Kernel = {sizeof(hsched_kernel_desc),
                                   "add.cl",
                                   "add",
                                   "add",
                                   Source,
                                   sizeof(Source) - 1,
                                   "",
                                   2,
                                   HSCHED_KERNEL_OFFSETS,
                                   fill,
                                   0,
                                   nullptr,
                                   nullptr,
                                   0};
const hsched_version_desc Version = {sizeof(hsched_version_desc),
                                     "bench_add_cl",
                                     "add_cl",
                                     __FILE__,
                                     __LINE__,
                                     HSCHED_DEVICE_OPENCL,
                                     HSCHED_TYPE_ANY,
                                     nullptr,
                                     &Kernel,
                                     nullptr,
                                     nullptr};

hsched_task_type *Type;

void submit(int *Datum, int Rounds) {
  hsched_access *Accesses;
  void *Packed;
  hsched_task *T = hsched_task_begin(Type, 1, &Accesses, &Packed);
  new (Packed) Args{Datum, Rounds};
  Accesses[0] = {Datum, DatumBytes, 1, 0, HSCHED_INOUT, 0};
  hsched_task_submit(T, nullptr);
}

class ByHand : bench::ByHandDevice {
public:
  using ByHandDevice::name;

  ByHand() : Add(kernel(Source, "add")) {
    for (cl_mem &M : Data)
      M = buffer(CL_MEM_READ_WRITE, DatumBytes);
  }

  // Kernel I goes to queue I % NumQueues and works on datum I % NumData.
  double ns(size_t NumTasks, unsigned NumQueues, unsigned NumData, int Rounds) {
    return nsOf([&] {
      for (size_t I = 0; I < NumTasks; ++I) {
        cl_ulong Offset = 0;
        clSetKernelArg(Add, 0, sizeof(cl_mem), &Data[I % NumData]);
        clSetKernelArg(Add, 1, sizeof(int), &Rounds);
        clSetKernelArg(Add, 2, sizeof(Offset), &Offset);
        bench::check(
            clEnqueueNDRangeKernel(Queues[I % NumQueues], Add, 1, nullptr, &Items, &Items, 0, nullptr, nullptr),
            "launch");
      }
      for (unsigned Q = 0; Q < NumQueues; ++Q)
        clFlush(Queues[Q]);
      for (unsigned Q = 0; Q < NumQueues; ++Q)
        bench::check(clFinish(Queues[Q]), "finish");
    });
  }

private:
  cl_kernel Add;
  cl_mem Data[64];
};

double tasksNs(std::vector<int> &Data, size_t NumTasks, size_t NumData, int Rounds) {
  return nsOf([&] {
    for (size_t I = 0; I < NumTasks; ++I)
      submit(&Data[I % NumData * Items], Rounds);
    hsched_taskwait(HSCHED_WAIT_NOFLUSH);
  });
}

// Calls each of Sides in turn, Rounds times after one that does not count: the medians, and those of CPU time.
template <size_t N, class... F> void alternate(unsigned Rounds, double (&Out)[N], double (&Cpu)[N], F... Sides) {
  static_assert(sizeof...(Sides) == N);
  std::vector<double> Seen[N], SeenCpu[N];
  for (unsigned R = 0; R <= Rounds; ++R) {
    size_t I = 0;
    auto take = [&](auto &Side) {
      double Before = bench::cpuNs(), Ns = Side();
      if (R) {
        Seen[I].push_back(Ns);
        SeenCpu[I].push_back(bench::cpuNs() - Before);
      }
      ++I;
    };
    (take(Sides), ...);
  }
  for (size_t I = 0; I < N; ++I) {
    Out[I] = median(Seen[I]);
    Cpu[I] = median(SeenCpu[I]);
  }
}

} // namespace

int main(int Argc, char **Argv) {
  size_t NumTasks = Argc > 1 ? std::strtoul(Argv[1], nullptr, 10) : 10000;
  auto Rounds = static_cast<unsigned>(Argc > 2 ? std::strtoul(Argv[2], nullptr, 10) : 7);
  Type = hsched_register_task(&Task);
  hsched_register_version("bench_add", &Version);
  std::vector<int> Data(Items * std::max<size_t>(NumTasks, 8));

  ByHand Hand;
  tasksNs(Data, 1, 1, 1);
  const cpu_set_t ItsCore = bench::coresOf("hsched dev");
  auto there = [&](size_t NumTasks, unsigned NumQueues, unsigned NumData, int Rounds) {
    bench::OnCores Guard(ItsCore);
    return Hand.ns(NumTasks, NumQueues, NumData, Rounds);
  };
  std::printf("%s, %zu tasks, median of %u rounds\n", Hand.name().c_str(), NumTasks, Rounds);
  double PerTask = 1e-3 / static_cast<double>(NumTasks);
  double Chain[3], Independent[4], Side[3], ChainCpu[3], Cpu[4], SideCpu[3];
  alternate(
      Rounds, Chain, ChainCpu, [&] { return there(NumTasks, 1, 1, 1); }, [&] { return tasksNs(Data, NumTasks, 1, 1); },
      [&] { return Hand.ns(NumTasks, 1, 1, 1); });
  std::printf("chain        by hand %8.2f us [%.2f]   tasks %8.2f us [%.2f]   ratio %.2f   (by hand, anywhere %.2f)\n",
              Chain[0] * PerTask, ChainCpu[0] * PerTask, Chain[1] * PerTask, ChainCpu[1] * PerTask, Chain[1] / Chain[0],
              Chain[2] * PerTask);
  alternate(
      Rounds, Independent, Cpu, [&] { return there(NumTasks, 1, 64, 1); }, [&] { return there(NumTasks, 4, 64, 1); },
      [&] { return tasksNs(Data, NumTasks, NumTasks, 1); }, [&] { return Hand.ns(NumTasks, 1, 64, 1); });
  unsigned Best = Independent[0] < Independent[1] ? 0 : 1;
  std::printf(
      "independent  by hand %8.2f us [%.2f]   tasks %8.2f us [%.2f]   ratio %.2f   (by hand, anywhere %.2f; one queue "
      "%.2f, four %.2f)\n",
      Independent[Best] * PerTask, Cpu[Best] * PerTask, Independent[2] * PerTask, Cpu[2] * PerTask,
      Independent[2] / Independent[Best], Independent[3] * PerTask, Independent[0] * PerTask, Independent[1] * PerTask);
  // About 2 ms each, whatever the device.
  int Long = 1 << 10;
  while (Long < 1 << 28 && Hand.ns(1, 1, 1, Long) < 2e6)
    Long *= 2;
  alternate(
      Rounds, Side, SideCpu, [&] { return Hand.ns(8, 1, 8, Long); }, [&] { return Hand.ns(8, 8, 8, Long); },
      [&] { return tasksNs(Data, 8, 8, Long); });
  std::printf("side by side serial  %8.2f ms   tasks %8.2f ms   faster %.2f times; by hand on eight queues %.2f\n",
              Side[0] * 1e-6, Side[2] * 1e-6, Side[0] / Side[2], Side[0] / Side[1]);
  hsched_taskwait(0);
  return 0;
}
