// A library with a task, to be loaded and unloaded.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsched/abi.h>

#include <new>

namespace {

struct Args {
  int *X;
  int By;
};

const hsched_task_desc Task = {sizeof(hsched_task_desc),
                               HSCHED_ABI_MAJOR,
                               HSCHED_ABI_MINOR,
                               "library_add",
                               "library_add",
                               __FILE__,
                               __LINE__,
                               0,
                               nullptr,
                               sizeof(Args),
                               alignof(Args),
                               nullptr,
                               nullptr};
const hsched_version_desc Version = {sizeof(hsched_version_desc),
                                     "library_add",
                                     "library_add",
                                     __FILE__,
                                     __LINE__,
                                     HSCHED_DEVICE_CPU,
                                     HSCHED_TYPE_ANY,
                                     [](void *P) { *static_cast<Args *>(P)->X += static_cast<Args *>(P)->By; },
                                     nullptr,
                                     nullptr,
                                     nullptr};

struct Registration {
  hsched_task_type *Type;
  Registration() : Type(hsched_register_task(&Task)) { hsched_register_version(Task.linker_name, &Version); }
} Registered;

} // namespace

extern "C" HSCHED_EXPORT void add_later(int *X, int By) {
  hsched_access *Accesses;
  void *Packed;
  hsched_task *T = hsched_task_begin(Registered.Type, 1, &Accesses, &Packed);
  new (Packed) Args{X, By};
  Accesses[0] = {X, sizeof(int), 1, 0, HSCHED_INOUT, HSCHED_NO_PARAM};
  hsched_task_submit(T, nullptr);
}
