// Interface between libhsched.so and libhsched_check.so, which runs tasks one at a time and checks them
// (docs/checked-runs.md).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_CHECKING_H
#define HSCHED_BASE_CHECKING_H

#include <hsched/abi.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace hsched::rt {

// Functions of libhsched.so for the checks. Any thread.
struct CheckedProgram {
  const hsched_task_desc *(*Description)(const hsched_task_type *); // Null: no unit has registered the task.
  const char *(*Name)(const hsched_task_type *);
  unsigned (*NumVersions)(const hsched_task_type *);
  const hsched_version_desc *(*Version)(const hsched_task_type *, unsigned Index);
  size_t (*NumMetadata)();
  std::string_view (*Metadata)(size_t Index); // Metadata of one unit.
  // Runs a version on the engine and brings its data home. Throws what a wait throws. The library, not the engine,
  // destroys the arguments. Table: null, or an extra buffer argument for the checked entry of a kernel (checksBounds);
  // one of the accesses names it.
  void (*RunOnEngine)(hsched_task_type *, unsigned Version, const hsched_access *, size_t NumAccesses, void *Args,
                      void *Table);
  __attribute__((noreturn)) void (*Fail)(const char *Task, const char *Cause); // Throws hsched::task_error.
};

// The library's replacements of the ABI's functions. They throw as the ABI's do.
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

// Name of a kernel's entry with bounds checks, and whether the kernel's source has it.
inline std::string checkedEntry(const hsched_kernel_desc &K) { return std::string("hsched_check_") + K.entry; }
inline bool checksBounds(const hsched_kernel_desc &K) {
  return std::string_view(K.source, K.source_bytes).find(checkedEntry(K) + "(") != std::string_view::npos;
}

// The library's exported function, by name. Returns null if HSCHED_CHECK=0.
using BeginCheckedRun = const CheckedRun *(*)(const CheckedProgram *);
inline constexpr const char *BeginCheckedRunName = "hsched_check_begin_1";

} // namespace hsched::rt
#endif
