// The C ABI: include/hsched/abi.h says what each function does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Registry.h"
#include "api/Runtime.h"
#include <hsched/abi.h>
#include <hsched/hsched.h>

#include <algorithm>
#include <cstring>

using namespace hsched::rt;

namespace {

TaskNode &nodeOf(hsched_task *T) { return *static_cast<TaskNode *>(T); }

} // namespace

extern "C" {

hsched_task_type *hsched_register_task(const hsched_task_desc *Task) { return &Registry::instance().addTask(*Task); }

void hsched_register_version(const char *TaskLinkerName, const hsched_version_desc *Version) {
  Registry::instance().addVersion(TaskLinkerName, *Version);
}

void hsched_register_metadata(const char *Json, size_t Bytes) { Registry::instance().addMetadata({Json, Bytes}); }

hsched_task *hsched_task_begin(hsched_task_type *Type, unsigned NumAccesses, hsched_access **Accesses, void **Args) {
  const auto &Known = static_cast<const RegisteredType &>(*Type);
  if (!Known.Refusal.empty())
    throw hsched::task_error(Type->name(), "", Known.Refusal);
  TaskNode &T = Runtime::get(Type->name()).executor().begin(*Type, NumAccesses);
  *Accesses = T.AccessList;
  *Args = T.Args;
  return &T;
}

void hsched_task_submit(hsched_task *Task, const hsched_submit_options *Options) {
  TaskNode &T = nodeOf(Task);
  // Older code's structure is shorter, and ends where its fields end.
  hsched_submit_options Known{};
  if (Options)
    std::memcpy(&Known, Options, std::min(Options->struct_bytes, sizeof(Known)));
  Runtime::get(T.Type->name()).executor().submit(T, Known);
}

int hsched_in_final(void) { return Executor::inFinal(); }

unsigned long long hsched_default_grain(unsigned long long Iterations) {
  constexpr unsigned long long ChunksPerWorker = 8;
  const std::vector<Worker> &Workers = Runtime::get("taskloop").executor().platform().Workers;
  auto IsCpu = [](const Worker &W) { return W.Kind == DeviceKind::Cpu; };
  auto Chunks = ChunksPerWorker * static_cast<unsigned long long>(std::ranges::count_if(Workers, IsCpu));
  return Iterations / Chunks + (Iterations % Chunks != 0);
}

void hsched_task_abandon(hsched_task *Task) { release(nodeOf(Task)); }

void hsched_taskwait(unsigned Flags) {
  if (Runtime *R = Runtime::running())
    R->executor().taskwait(!(Flags & HSCHED_WAIT_NOFLUSH));
}

void hsched_taskwait_on(const hsched_access *Sections, unsigned NumSections, unsigned Flags) {
  if (Runtime *R = Runtime::running())
    R->executor().taskwaitOn({Sections, NumSections}, !(Flags & HSCHED_WAIT_NOFLUSH));
}

unsigned hsched_abi_version(void) { return HSCHED_ABI_MAJOR * 1000 + HSCHED_ABI_MINOR; }

} // extern "C"
