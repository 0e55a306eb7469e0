// A task for simulated devices, written by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_API_INCREMENTER_H
#define HSCHED_TEST_UNIT_API_INCREMENTER_H

#include "HandWritten.h"
#include "backends/sim/Sim.h"

#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <span>

namespace hsched::test {

struct IncrementerArgs {
  unsigned char *Bytes;
  size_t N;
};

// A task that adds 1 to N bytes, on devices only.
struct Incrementer {
  Incrementer(const char *Name) {
    Kernel.struct_bytes = sizeof(Kernel);
    Kernel.file = Kernel.source = Kernel.options = "";
    Kernel.name = Kernel.entry = "increment";
    Kernel.n_args = 1;
    Kernel.flags = HSCHED_KERNEL_OFFSETS;
    Kernel.fill = [](const void *Packed, hsched_ndrange *Range, hsched_kernel_arg *Out) {
      auto *A = static_cast<const IncrementerArgs *>(Packed);
      Range->dims = 1;
      Range->global[0] = A->N;
      Out[0].kind = HSCHED_ARG_BUFFER;
      Out[0].param = 0;
      Out[0].pointer = A->Bytes;
    };
    Version = {sizeof(Version), Name, Name, "", 1, HSCHED_DEVICE_OPENCL, HSCHED_TYPE_ANY, nullptr, &Kernel, nullptr};
    Task.struct_bytes = sizeof(Task);
    Task.abi_major = HSCHED_ABI_MAJOR;
    Task.abi_minor = HSCHED_ABI_MINOR;
    Task.linker_name = Task.name = Name;
    Task.file = "";
    Task.args_bytes = sizeof(IncrementerArgs);
    Task.args_align = alignof(IncrementerArgs);
    Type = hsched_register_task(&Task);
    hsched_register_version(Name, &Version);
  }
  void submit(unsigned char *Bytes, size_t N) {
    hsched_access *Accesses;
    void *Packed;
    hsched_task *T = hsched_task_begin(Type, 1, &Accesses, &Packed);
    new (Packed) IncrementerArgs{Bytes, N};
    Accesses[0] = {Bytes, N, 1, 0, HSCHED_INOUT, 0};
    hsched_task_submit(T, nullptr);
  }
  hsched_kernel_desc Kernel{};
  hsched_version_desc Version{};
  hsched_task_desc Task{};
  hsched_task_type *Type;
};

// Starts the runtime, on as many as HSCHED_SIM says, and gives these the kernel. False when there are none.
inline bool startOnSimulatedDevices() {
  setenv("HSCHED_OPENCL", "0", 1);
  setenv("HSCHED_PLUGIN_PATH", TEST_PLUGINS, 1);
  int Dummy = 0;
  submit({section(HSCHED_INOUT, Dummy)}, [] {}); // loads the plugin
  hsched_taskwait(0);
  void *Plugin = dlopen(TEST_PLUGIN, RTLD_NOW | RTLD_NOLOAD);
  using Register = void (*)(const char *, rt::sim::SimKernel);
  auto Add = Plugin ? reinterpret_cast<Register>(dlsym(Plugin, "hsched_sim_register_kernel")) : nullptr;
  if (!Add)
    return false;
  Add("increment", [](const hsched_ndrange &R, std::span<const rt::sim::SimArg> A) -> status {
    for (size_t I = 0; I < R.global[0]; ++I)
      ++A[0].pointer<unsigned char>()[I];
    return {};
  });
  return true;
}

} // namespace hsched::test

#endif
