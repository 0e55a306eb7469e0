// Between libhsched.so and libhsched_check.so, which runs tasks one at a time and checks them (docs/checked-runs.md).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_CHECKING_H
#define HSCHED_BASE_CHECKING_H

#include <hsched/abi.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace hsched::rt {

// What libhsched.so hands over. Every function: any thread.
struct CheckedProgram {
  const hsched_task_desc *(*Description)(const hsched_task_type *); // Null: no unit has registered the task.
  const char *(*Name)(const hsched_task_type *);
  unsigned (*NumVersions)(const hsched_task_type *);
  const hsched_version_desc *(*Version)(const hsched_task_type *, unsigned Index);
  size_t (*NumMetadata)();
  std::string_view (*Metadata)(size_t Index); // Of one unit.
  // Runs a version on the engine, and returns when its data are at home. Throws what a wait throws. The library
  // destroys the arguments afterwards, not the engine. Table: null, or what the checked entry of a kernel takes as one
  // more buffer (checksBounds); one of the accesses is to it.
  void (*RunOnEngine)(hsched_task_type *, unsigned Version, const hsched_access *, size_t NumAccesses, void *Args,
                      void *Table);
  [[noreturn]] void (*Fail)(const char *Task, const char *Cause); // Throws hsched::task_error.
};

// What the library does in place of the ABI's functions. A function that throws does so as the ABI's does.
struct CheckedRun {
  hsched_task *(*Begin)(hsched_task_type *, unsigned NumAccesses, hsched_access **, void **Args);
  void (*Submit)(hsched_task *, const hsched_submit_options *);
  void (*Abandon)(hsched_task *);
  void (*Wait)();
  void (*WaitOn)(const hsched_access *, size_t NumSections);
  void (*Loop)(const hsched_shared_loop *, unsigned long long N, unsigned long long Grain,
               void (*Work)(void *, hsched_loop_share *), void *Closure);
  bool (*LoopNext)(unsigned long long *First, unsigned long long *Count);
};

// The entry of a kernel that checks bounds, and whether the kernel's text has it.
inline std::string checkedEntry(const hsched_kernel_desc &K) { return std::string("hsched_check_") + K.entry; }
inline bool checksBounds(const hsched_kernel_desc &K) {
  return std::string_view(K.source, K.source_bytes).find(checkedEntry(K) + "(") != std::string_view::npos;
}

// The function that the library exports, by name. Null where HSCHED_CHECK=0.
using BeginCheckedRun = const CheckedRun *(*)(const CheckedProgram *);
inline constexpr const char *BeginCheckedRunName = "hsched_check_begin_1";

} // namespace hsched::rt
#endif
