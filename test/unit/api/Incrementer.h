// A task for devices, written by hand. Simulated ones find its kernel by name, others need Kernel.source.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_API_INCREMENTER_H
#define HSCHED_TEST_UNIT_API_INCREMENTER_H

#include "HandWritten.h"

#include <algorithm>
#include <new>
#include <vector>

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
    Version = {sizeof(Version), Name,    Name,    "",      1,      HSCHED_DEVICE_OPENCL,
               HSCHED_TYPE_ANY, nullptr, &Kernel, nullptr, nullptr};
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
  // Others: what it has to have beside it as well, though the kernel does not see it.
  void submit(unsigned char *Bytes, size_t N, const std::vector<hsched_access> &Others = {}) {
    hsched_access *Accesses;
    void *Packed;
    hsched_task *T = hsched_task_begin(Type, static_cast<unsigned>(1 + Others.size()), &Accesses, &Packed);
    new (Packed) IncrementerArgs{Bytes, N};
    Accesses[0] = {Bytes, N, 1, 0, HSCHED_INOUT, 0};
    std::ranges::copy(Others, Accesses + 1);
    hsched_task_submit(T, nullptr);
  }
  hsched_kernel_desc Kernel{};
  hsched_version_desc Version{};
  hsched_task_desc Task{};
  hsched_task_type *Type;
};

} // namespace hsched::test

#endif
