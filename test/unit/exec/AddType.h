// A task with a version for the CPU and one for simulated devices: adds a number to each element of a vector.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_EXEC_ADDTYPE_H
#define HSCHED_TEST_UNIT_EXEC_ADDTYPE_H

#include "Machine.h"

#include <atomic>

namespace hsched::rt::test {

struct AddArgs {
  long *X;
  size_t N;
  long Plus;
};

class AddType {
public:
  enum Where { Cpu = 1, Device = 2, Both = 3 };

  explicit AddType(Where Versions = Both) {
    Desc.name = Desc.linker_name = "add";
    Desc.file = "test.cpp";
    Desc.args_bytes = sizeof(AddArgs);
    Desc.args_align = alignof(AddArgs);
    Type.Desc = &Desc;

    OnCpu.linker_name = OnCpu.name = "add";
    OnCpu.device = HSCHED_DEVICE_CPU;
    OnCpu.run = [](void *P) {
      auto &A = *static_cast<AddArgs *>(P);
      for (size_t I = 0; I < A.N; ++I)
        A.X[I] += A.Plus;
      ++CpuRuns;
    };

    Kernel.name = Kernel.entry = "add_sim";
    Kernel.n_args = 3;
    Kernel.flags = HSCHED_KERNEL_OFFSETS;
    Kernel.fill = [](const void *P, hsched_ndrange *Range, hsched_kernel_arg *Out) {
      auto &A = *static_cast<const AddArgs *>(P);
      Range->dims = 1;
      Range->global[0] = A.N;
      Out[0] = {HSCHED_ARG_BUFFER, 0, 0, nullptr, A.X, {}};
      Out[1] = {HSCHED_ARG_VALUE, 1, sizeof(A.N), &A.N, nullptr, {}};
      Out[2] = {HSCHED_ARG_VALUE, 2, sizeof(A.Plus), &A.Plus, nullptr, {}};
    };
    sim::simRegisterKernel("add_sim", [](const hsched_ndrange &, std::span<const sim::SimArg> Args) {
      long *X = Args[0].pointer<long>();
      for (size_t I = 0, N = Args[1].value<size_t>(); I < N; ++I)
        X[I] += Args[2].value<long>();
      ++DeviceRuns;
      return status();
    });
    OnDevice.linker_name = OnDevice.name = "add_cl";
    OnDevice.device = HSCHED_DEVICE_OPENCL;
    OnDevice.kernel = &Kernel;

    for (auto *V : {Versions & Cpu ? &OnCpu : nullptr, Versions & Device ? &OnDevice : nullptr})
      if (V)
        addVersion(Type, *V);
    CpuRuns = DeviceRuns = 0;
  }

  void submit(Machine &M, long *X, size_t N, long Plus, unsigned Mode = HSCHED_INOUT) {
    M.submitTo(Type, {on(Mode, X, N * sizeof(long), 0)}, AddArgs{X, N, Plus});
  }

  static inline std::atomic<int> CpuRuns{0}, DeviceRuns{0};
  hsched_task_desc Desc{};
  hsched_version_desc OnCpu{}, OnDevice{};
  hsched_kernel_desc Kernel{};
  TaskType Type;
};

} // namespace hsched::rt::test
#endif
