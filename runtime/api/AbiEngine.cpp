// The C ABI of the engine: include/hsched/engine_abi.h says what each function does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Registry.h"
#include "api/Runtime.h"
#include "exec/DeviceBody.h"
#include <hsched/engine_abi.h>
#include <hsched/hsched.h>

#include <cstring>
#include <stdexcept>

using namespace hsched::rt;

struct hsched_detached {
  Executor &E;
  TaskNode &T;
};

namespace {

TaskNode &nodeOf(hsched_ref *R) { return *reinterpret_cast<TaskNode *>(R); }
const TaskNode &nodeOf(const hsched_ref *R) { return *reinterpret_cast<const TaskNode *>(R); }
hsched_ref *refOf(TaskNode &T) { return reinterpret_cast<hsched_ref *>(&T); }
Executor &executorOf(hsched_engine *, const char *Task) { return Runtime::get(Task).executor(); }

// Of another minor version: what a shorter structure does not have is zero.
template <class T> T whole(const T &Given) {
  T Known{};
  std::memcpy(static_cast<void *>(&Known), &Given, std::min(Given.struct_bytes, sizeof(Known)));
  return Known;
}

} // namespace

extern "C" {

void hsched_submit(hsched_engine *Engine, const hsched_submission *Given, hsched_ref **Ref) {
  hsched_submission What = whole(*Given);
  hsched_submit_options Options;
  if (What.options) {
    Options = whole(*What.options);
    What.options = &Options;
  }
  const char *Name = What.type ? What.type->name() : "";
  if (const DeviceBody *Body = DeviceBody::current())
    throw std::logic_error("task '" + std::string(Name) + "' was submitted in a version of task '" +
                           Body->task().Type->name() + "' for a device: such a version only enqueues work");
  if (What.type)
    if (const std::string &Refusal = static_cast<const RegisteredType *>(What.type)->Refusal; !Refusal.empty())
      throw hsched::task_error(Name, "", Refusal);
  TaskNode *Named = nullptr;
  executorOf(Engine, Name).submit(What, Ref ? &Named : nullptr);
  if (Ref)
    *Ref = refOf(*Named);
}

hsched_ref *hsched_declare(hsched_engine *Engine, const char *Name) {
  return refOf(executorOf(Engine, Name ? Name : "").declare(Name));
}

void hsched_ref_retain(hsched_ref *Ref) { retain(nodeOf(Ref)); }
void hsched_ref_release(hsched_ref *Ref) { Executor::releaseNamed(nodeOf(Ref)); }
int hsched_ref_state(const hsched_ref *Ref) { return nodeOf(Ref).Extras->Named->How.load(std::memory_order_acquire); }
int hsched_ref_wait(hsched_ref *Ref) { return Executor::engineOf(nodeOf(Ref)).waitFor(nodeOf(Ref)); }

hsched_detached *hsched_detach(void) {
  if (DeviceBody::current())
    throw std::logic_error("hsched::detach(): a version for a device is complete when what it enqueued is; "
                           "hsched::opencl_await() makes it wait for more");
  Runtime *R = Runtime::running();
  if (!R)
    throw std::logic_error("hsched::detach(): this thread runs no task; it is called in a task's body");
  Executor &E = R->executor();
  return new hsched_detached{E, E.detach()};
}

void hsched_detached_end(hsched_detached *Work, const char *Cause, const void *Exception) {
  const std::unique_ptr<hsched_detached> Owned(Work);
  std::exception_ptr Failure;
  if (Exception)
    Failure = *static_cast<const std::exception_ptr *>(Exception);
  if (!Failure && Cause)
    Failure = std::make_exception_ptr(hsched::task_error(Work->T.Label, "", Cause));
  Work->E.endDetached(Work->T, std::move(Failure));
}

void hsched_will_detach(void) { Runtime::tasksMayDetach(); }

} // extern "C"
