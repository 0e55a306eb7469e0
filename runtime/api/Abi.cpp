// The C ABI: include/hsched/abi.h says what each function does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Checked.h"
#include "api/HostMemory.h"
#include "api/Registry.h"
#include "api/Runtime.h"
#include "base/Fork.h"
#include "exec/DeviceBody.h"
#include <hsched/abi.h>
#include <hsched/hsched.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

using namespace hsched::rt;

namespace {

TaskNode &nodeOf(hsched_task *T) { return *static_cast<TaskNode *>(T); }

// A device's manager runs the device's tasks, so a wait on it would deadlock.
void checkOutsideDevices(const char *What) {
  if (DeviceBody *Body = DeviceBody::current()) [[unlikely]]
    throw std::logic_error(std::string(What) + " in a version of task '" + Body->task().Type->name() +
                           "' for a device: such a version enqueues work on the device, and leaves tasks to the host");
}

[[gnu::noinline]] hsched_task *beginTask(ThreadState &Me, TaskType &Type, unsigned NumAccesses, Access *&Accesses,
                                         void *&Args) {
  if (Executor *E = Runtime::quick()) [[likely]]
    if (hsched_task *T = E->beginQuick(Me, Type, NumAccesses, Accesses, Args)) [[likely]]
      return T;
  if (const CheckedRun *Check = checkedRun()) [[unlikely]]
    return Check->Begin(&Type, NumAccesses, &Accesses, &Args);
  checkOutsideDevices("a task was submitted");
  const auto &Known = static_cast<const RegisteredType &>(Type);
  if (!Known.Refusal.empty())
    throw hsched::task_error(Type.name(), "", Known.Refusal);
  if (Known.RunTime)
    throw hsched::task_error(Type.name(), "", "its type was made at run time: it is submitted by hsched_submit()");
  Runtime *R = Runtime::usable();
  TaskNode &T = !R && Runtime::isOver() ? *createTask(&Type, NumAccesses)
                                        : (R ? *R : Runtime::get(Type.name())).executor().begin(Me, Type, NumAccesses);
  Accesses = T.AccessList;
  Args = T.Args;
  return &T;
}

// After the engine's end, a submission is a plain call, as in the serial program, including its exceptions.
[[gnu::noinline]] void runLate(ThreadState &Me, TaskNode &T) {
  struct Ended {
    ThreadState &Me;
    TaskNode &T;
    ~Ended() { Executor::abandon(Me, T); }
  } End{Me, T};
  T.ArgsLive = true;
  for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I)
    if (const hsched_version_desc &V = *T.Type->Versions[I].Desc; V.device == HSCHED_DEVICE_CPU && V.run) {
      V.run(T.Args);
      return destroyArgs(T);
    }
  throw hsched::task_error(T.Type->name(), "", "the program is ending, and there is no version for the CPU");
}

inline void submit(ThreadState &Me, hsched_task *Task, const hsched_submit_options &How) {
  if (isQuick(Task))
    return Runtime::begun().submitQuick(Me, Task, How);
  if (const CheckedRun *Check = checkedRun()) [[unlikely]]
    return Check->Submit(Task, &How);
  TaskNode &T = nodeOf(Task);
  Runtime *R = Runtime::usable();
  if (!R && Runtime::isOver()) [[unlikely]]
    return runLate(Me, T);
  (R ? *R : Runtime::get(T.Type->name())).executor().submit(Me, T, How);
}

// Older code passes a shorter structure, which lacks the later fields.
[[gnu::noinline]] void submitOlder(ThreadState &Me, hsched_task *Task, const hsched_submit_options &How) {
  hsched_submit_options Known{};
  std::memcpy(&Known, &How, How.struct_bytes);
  submit(Me, Task, Known);
}

[[gnu::noinline]] void submitWith(ThreadState &Me, hsched_task *Task, const hsched_submit_options *Options) {
  static constexpr hsched_submit_options None{};
  if (!Options)
    Options = &None;
  else if (Options->struct_bytes < sizeof(*Options)) [[unlikely]]
    return submitOlder(Me, Task, *Options);
  submit(Me, Task, *Options);
}

// For functions that only bodies of versions for OpenCL devices may call.
DeviceBody &openClBody(const char *What) {
  if (DeviceBody *Body = DeviceBody::current())
    return *Body;
  throw std::logic_error(
      std::string("hsched::") + What +
      "(): this thread runs no version for OpenCL devices. It can be asked in the body of a function "
      "with '#pragma hsched implements(f) device(opencl)', on the thread that the body began on");
}

} // namespace

extern "C" {

void *hsched_opencl_queue(void) { return openClBody("opencl_queue").work().queue(); }
void *hsched_opencl_context(void) { return openClBody("opencl_context").work().context(); }
void *hsched_opencl_device(void) { return openClBody("opencl_device").work().device(); }

void *hsched_opencl_buffer(void *Address, size_t *Offset) {
  void *Handle = nullptr;
  hsched::status S = openClBody("opencl_buffer").memory(reinterpret_cast<uintptr_t>(Address), Handle, *Offset);
  if (!S.ok())
    throw std::invalid_argument("hsched::opencl_buffer(): " + S.message());
  return Handle;
}

void hsched_opencl_await(void *Event) {
  hsched::status S = openClBody("opencl_await").work().await(Event);
  if (S.code() == hsched::errc::invalid_argument)
    throw std::invalid_argument("hsched::opencl_await(): " + S.message());
  if (!S.ok())
    throw std::runtime_error("hsched::opencl_await(): " + S.message());
}

hsched_task_type *hsched_register_task(const hsched_task_desc *Task) { return &Registry::instance().addTask(*Task); }

void hsched_register_version(const char *TaskLinkerName, const hsched_version_desc *Version) {
  Registry::instance().addVersion(TaskLinkerName, *Version);
}

void hsched_register_metadata(const char *Json, size_t Bytes) { Registry::instance().addMetadata({Json, Bytes}); }

hsched_task *hsched_task_begin(hsched_task_type *Type, unsigned NumAccesses, hsched_access **Accesses, void **Args) {
  ThreadState &Me = threadState();
  if (Executor *E = Runtime::quick()) [[likely]]
    if (hsched_task *T = E->beginNested(Me, *Type, NumAccesses, *Accesses, *Args))
      return T;
  return beginTask(Me, *Type, NumAccesses, *Accesses, *Args);
}

void hsched_task_submit(hsched_task *Task, const hsched_submit_options *Options) {
  ThreadState &Me = threadState();
  if (CallFrame *Around = Options ? nullptr : Executor::enclosingCall(Me, Task)) [[likely]]
    return Runtime::begun().submitNested(Me, Task, *Around);
  submitWith(Me, Task, Options);
}

int hsched_in_final(void) { return Executor::inFinal(threadState()); }

void hsched_scope_enter(hsched_scope *Scope, const hsched_place *Where) {
  Executor::enterScope(threadState(), *Scope, *Where);
}
void hsched_scope_leave(hsched_scope *Scope) { Executor::leaveScope(threadState(), *Scope); }
size_t hsched_count_workers(const hsched_place *Where) {
  return Runtime::isOver() ? 0 : Runtime::get("hsched::place").executor().countWorkers(*Where);
}

unsigned hsched_this_worker(void) {
  const Seat *S = threadState().S;
  return S ? static_cast<unsigned>(S->W->Id) : 0;
}

unsigned long long hsched_default_grain(unsigned long long Iterations) {
  if (checkedRun()) // As on two workers.
    return Iterations / 16 + (Iterations % 16 != 0);
  if (Runtime::isOver())
    return Iterations;
  constexpr unsigned long long ChunksPerWorker = 8;
  const WorkerList &Workers = Runtime::get("taskloop").executor().platform().Workers;
  auto IsCpu = [](const Worker &W) { return W.Kind == DeviceKind::Cpu; };
  auto Chunks = ChunksPerWorker * static_cast<unsigned long long>(std::ranges::count_if(Workers, IsCpu));
  return Iterations / Chunks + (Iterations % Chunks != 0);
}

int hsched_loop_begin(hsched_shared_loop *Loop, unsigned long long N, unsigned long long *Began) {
  *Began = 0;
  if (const CheckedRun *Check = checkedRun()) [[unlikely]] {
    Check->Wait();
    return 1;
  }
  if (DeviceBody::current() || inForkedChild()) [[unlikely]]
    return 0;
  Runtime *R = Runtime::usable();
  if (!R && Runtime::isOver()) [[unlikely]]
    return 0;
  uint64_t At = 0;
  const bool Shared = (R ? *R : Runtime::get(Loop->name)).executor().loopBegin(threadState(), *Loop, N, At);
  *Began = At;
  return Shared;
}

void hsched_loop_end(hsched_shared_loop *Loop, unsigned long long N, unsigned long long Began) {
  if (Runtime *R = Began ? Runtime::usable() : nullptr)
    R->executor().loopEnd(threadState(), *Loop, N, Began);
}

void hsched_loop_run(hsched_shared_loop *Loop, unsigned long long N, unsigned long long Grain,
                     void (*Work)(void *, hsched_loop_share *), void *Closure) {
  if (const CheckedRun *Check = checkedRun()) [[unlikely]]
    return Check->Loop(Loop, N, Grain, Work, Closure);
  Runtime::get(Loop->name).executor().loopRun(threadState(), *Loop, N, Grain, Work, Closure);
}

int hsched_loop_next(hsched_loop_share *Share, unsigned long long *First, unsigned long long *Count) {
  if (const CheckedRun *Check = checkedRun()) [[unlikely]]
    return Check->LoopNext(First, Count);
  uint64_t From = 0, N = 0;
  const bool Any = Executor::loopNext(threadState(), *Share, From, N);
  *First = From;
  *Count = N;
  return Any;
}

unsigned long long hsched_loop_grain(const hsched_shared_loop *Loop, unsigned long long N) {
  if (checkedRun())
    return hsched_default_grain(N);
  return Runtime::isOver() ? N : Runtime::get(Loop->name).executor().loopGrain(*Loop, N);
}

void hsched_loop_ran(hsched_shared_loop *Loop, unsigned long long N, unsigned long long Began) {
  if (N != 0)
    noteLoop(*Loop, LoopState::Chunk, N, static_cast<int64_t>(hsched_loop_clock() - Began));
}

unsigned long long hsched_loop_clock(void) {
  return static_cast<unsigned long long>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(SteadyClock().now().time_since_epoch()).count());
}

void hsched_task_abandon(hsched_task *Task) {
  if (const CheckedRun *Check = checkedRun()) [[unlikely]]
    return Check->Abandon(Task);
  ThreadState &Me = threadState();
  isQuick(Task) ? Executor::abandonQuick(Me, Task) : Executor::abandon(Me, nodeOf(Task));
}

void hsched_taskwait(unsigned Flags) {
  ThreadState &Me = threadState();
  if (Executor::childrenAreDone(Me))
    return;
  if (const CheckedRun *Check = checkedRun()) [[unlikely]]
    return Check->Wait();
  checkOutsideDevices("taskwait");
  if (Runtime *R = Runtime::running())
    R->executor().taskwait(Me, !(Flags & HSCHED_WAIT_NOFLUSH));
}

void hsched_taskwait_on(const hsched_access *Sections, unsigned NumSections, unsigned Flags) {
  if (const CheckedRun *Check = checkedRun()) [[unlikely]]
    return Check->WaitOn(Sections, NumSections);
  checkOutsideDevices("taskwait");
  if (Runtime *R = Runtime::running())
    R->executor().taskwaitOn(threadState(), {Sections, NumSections}, !(Flags & HSCHED_WAIT_NOFLUSH));
}

void *hsched_malloc(size_t Bytes) { return allocateHostMemory(Bytes); }
void hsched_free(void *Memory) { releaseHostMemory(Memory); }
void hsched_discard(const void *Memory, size_t Bytes) { discardHostMemory(Memory, Bytes); }

unsigned hsched_abi_version(void) { return HSCHED_ABI_MAJOR * 1000 + HSCHED_ABI_MINOR; }

} // extern "C".
