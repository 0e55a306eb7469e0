// The C ABI of the engine: include/hsched/engine_abi.h documents the functions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Checked.h"
#include "api/Registry.h"
#include "api/RunTimeTypes.h"
#include "api/Runtime.h"
#include "exec/DeviceBody.h"
#include "graph/Placement.h"
#include <hsched/engine_abi.h>
#include <hsched/hsched.h>

#include <algorithm>
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
Runtime &runtimeOf(hsched_engine *E, const char *Task) {
  return E ? *reinterpret_cast<Runtime *>(E) : Runtime::get(Task);
}
Executor &executorOf(hsched_engine *E, const char *Task) { return runtimeOf(E, Task).executor(); }
RunTimeType &runTimeType(hsched_task_type *Type) {
  if (!static_cast<RegisteredType *>(Type)->RunTime)
    throw std::invalid_argument("task '" + std::string(Type->name()) +
                                "' was registered, and lives as long as the "
                                "program: only types of hsched_type_make change at run time");
  return static_cast<RunTimeType &>(*Type);
}

// For structures of other minor versions: missing fields are zero.
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
  hsched_placement Where;
  if (What.placement) {
    Where = whole(*What.placement);
    What.placement = &Where;
  }
  TaskNode *Named = nullptr;
  bool RunTime = What.type && static_cast<const RegisteredType *>(What.type)->RunTime;
  executorOf(Engine, Name)
      .submit(threadState(), What, Ref ? &Named : nullptr,
              RunTime ? runTimeType(What.type).currentOwners() : Executor::RunTimeType());
  if (Ref)
    *Ref = refOf(*Named);
}

hsched_ref *hsched_declare(hsched_engine *Engine, const char *Name) {
  return refOf(executorOf(Engine, Name ? Name : "").declare(threadState(), Name));
}

void hsched_ref_retain(hsched_ref *Ref) { retain(nodeOf(Ref)); }
void hsched_ref_release(hsched_ref *Ref) { Executor::releaseNamed(threadState(), nodeOf(Ref)); }
int hsched_ref_state(const hsched_ref *Ref) { return nodeOf(Ref).Extras->Named->How.load(std::memory_order_acquire); }
int hsched_ref_wait(hsched_ref *Ref) { return Executor::engineOf(nodeOf(Ref)).waitFor(threadState(), nodeOf(Ref)); }

hsched_detached *hsched_detach(void) {
  if (checkedRun()) // As in the serial program.
    return nullptr;
  if (DeviceBody::current())
    throw std::logic_error("hsched::detach(): a version for a device is complete when what it enqueued is; "
                           "hsched::opencl_await() makes it wait for more");
  ThreadState &Me = threadState();
  Executor *E = EngineScope::enclosingEngine(Me);
  if (Runtime *R = E ? nullptr : Runtime::running())
    E = &R->executor();
  if (!E)
    throw std::logic_error("hsched::detach(): this thread runs no task; it is called in a task's body");
  return new hsched_detached{*E, E->detach(Me)};
}

void hsched_detached_end(hsched_detached *Work, const char *Cause, const void *Exception) {
  const std::unique_ptr<hsched_detached> Owned(Work);
  std::exception_ptr Failure;
  if (Exception)
    Failure = *static_cast<const std::exception_ptr *>(Exception);
  if (!Failure && Cause)
    Failure = std::make_exception_ptr(hsched::task_error(Work->T.Label, "", Cause));
  Work->E.endDetached(threadState(), Work->T, std::move(Failure));
}

void hsched_will_detach(void) { Runtime::tasksMayDetach(); }

size_t hsched_workers(hsched_engine *Engine, hsched_worker *Entries, size_t N, size_t EntryBytes) {
  Executor &E = executorOf(Engine, "workers");
  E.arrivingDevices().await();
  const WorkerList &Workers = E.platform().Workers;
  for (size_t I = 0; I < std::min(N, Workers.size()); ++I) {
    const Worker &W = Workers[I];
    hsched_worker Entry{std::min(EntryBytes, sizeof(Entry)), W.Name.c_str(), static_cast<unsigned>(W.Kind),
                        static_cast<unsigned>(W.Type), W.Dev ? std::max(1u, W.Dev->computeQueues()) : 0};
    std::memcpy(reinterpret_cast<char *>(Entries) + I * EntryBytes, &Entry, Entry.struct_bytes);
  }
  return Workers.size();
}

hsched_component *hsched_component_make(hsched_engine *Engine, const char *Name) {
  return reinterpret_cast<hsched_component *>(
      new std::shared_ptr<Component>(executorOf(Engine, Name ? Name : "").makeComponent(Name)));
}
void hsched_component_release(hsched_component *C) { delete reinterpret_cast<std::shared_ptr<Component> *>(C); }

hsched_task_type *hsched_type_make(const hsched_task_desc *Task) { return &RunTimeType::make(*Task); }
unsigned hsched_type_add(hsched_task_type *Type, const hsched_version_desc *Version, void *Owner,
                         void (*Release)(void *)) {
  return runTimeType(Type).add(*Version, Owner, Release);
}
void hsched_type_remove(hsched_task_type *Type, unsigned Version) { runTimeType(Type).remove(Version); }
void hsched_type_drop(hsched_task_type *Type) { runTimeType(Type).drop(); }

hsched_engine *hsched_engine_make(const hsched_config *Given) {
  const hsched_config C = Given ? whole(*Given) : hsched_config{};
  Settings S;
  S.Ncpu = C.workers;
  S.Window = C.window ? std::max(C.window, 2u) : S.Window;
  S.Lambda = C.lambda ? C.lambda : S.Lambda;
  S.OpenCL = C.opencl ? C.opencl : "0";
  S.Sim = C.simulated;
  S.WatchdogSeconds = C.watchdog_seconds;
  S.Bind = C.flags & HSCHED_CONFIG_BIND;
  if (C.policy)
    S.Scheduler = C.policy;
  std::unique_ptr<Policy> Chosen;
  if (namesPlugin(S.Scheduler)) {
    if (hsched::status Loaded = loadPolicy(S.Scheduler, Chosen); !Loaded.ok())
      throw std::invalid_argument("an engine cannot be made: " + Loaded.message());
  } else if (isPolicy(S.Scheduler)) {
    Chosen = makePolicy(S.Scheduler);
  } else {
    throw std::invalid_argument("an engine cannot be made: no policy is called '" + S.Scheduler + "'; " + policyHelp());
  }
  if (C.workers > 448)
    throw std::invalid_argument("an engine cannot be made with " + std::to_string(C.workers) +
                                " workers; it has at most 448 on cores");
  return reinterpret_cast<hsched_engine *>(Runtime::host(std::move(S), std::move(Chosen)).release());
}

void hsched_engine_destroy(hsched_engine *Engine) {
  if (Engine && EngineScope::enclosingEngine(threadState()) == &executorOf(Engine, ""))
    throw std::logic_error("an engine cannot be destroyed inside one of its tasks");
  delete reinterpret_cast<Runtime *>(Engine);
}

void hsched_engine_wait(hsched_engine *Engine, unsigned Flags) {
  if (!Engine)
    return hsched_taskwait(Flags);
  Executor &E = executorOf(Engine, "taskwait");
  ThreadState &Me = threadState();
  Executor::Call Entered(E, Me);
  E.taskwait(Me, !(Flags & HSCHED_WAIT_NOFLUSH));
}

} // extern "C".
