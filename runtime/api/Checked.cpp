// Finds libhsched_check.so, and provides registry and engine to it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Checked.h"

#include "api/Registry.h"
#include "api/Runtime.h"
#include "base/Env.h"
#include "base/Log.h"
#include "base/SettingNames.h"
#include <hsched/hsched.h>

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <map>
#include <mutex>

namespace hsched::rt {
namespace {

constinit thread_local bool OnEngine = false;

// A type of one version, for runs on the engine.
struct Alone {
  hsched_task_desc Desc{};
  hsched_version_desc Version{};
  hsched_kernel_desc Kernel{};
  std::string Entry;
  RegisteredType Type;
};

// The kernel that runs: one at a time.
std::atomic<const hsched_kernel_desc *> KernelNow{nullptr};
std::atomic<void *> TableNow{nullptr};

void fillChecked(const void *Args, hsched_ndrange *Range, hsched_kernel_arg *Out) {
  const hsched_kernel_desc &K = *KernelNow.load();
  K.fill(Args, Range, Out);
  Out[K.n_args] = {};
  Out[K.n_args].kind = HSCHED_ARG_BUFFER;
  Out[K.n_args].param = HSCHED_NO_PARAM;
  Out[K.n_args].pointer = TableNow.load();
}

// Bounds are checked by another entry of the same source, which takes an extra buffer.
void useCheckedEntry(Alone &A, const hsched_version_desc &Of) {
  A.Entry = checkedEntry(*Of.kernel);
  std::copy_n(reinterpret_cast<const char *>(Of.kernel), std::min(Of.kernel->struct_bytes, sizeof(A.Kernel)),
              reinterpret_cast<char *>(&A.Kernel));
  A.Kernel.struct_bytes = sizeof(A.Kernel);
  A.Kernel.entry = A.Entry.c_str();
  ++A.Kernel.n_args;
  A.Kernel.fill = fillChecked;
  A.Kernel.n_packed = 0;
  A.Kernel.packed = nullptr;
  A.Kernel.fill_packed = nullptr;
  A.Version.kernel = &A.Kernel;
}

Alone &aloneOf(hsched_task_type &Of, unsigned Index) {
  static std::mutex Lock;
  static auto *Made = new std::map<std::pair<hsched_task_type *, unsigned>, Alone *>;
  std::lock_guard Guard(Lock);
  Alone *&Found = (*Made)[{&Of, Index}];
  if (Found)
    return *Found;
  Found = new Alone;
  std::copy_n(reinterpret_cast<const char *>(Of.Versions[Index].Desc),
              std::min(Of.Versions[Index].Desc->struct_bytes, sizeof(Found->Version)),
              reinterpret_cast<char *>(&Found->Version));
  Found->Version.struct_bytes = sizeof(Found->Version);
  Found->Version.sections = nullptr; // Its sections are the accesses that are passed.
  if (Found->Version.kernel && checksBounds(*Found->Version.kernel))
    useCheckedEntry(*Found, *Of.Versions[Index].Desc);
  const hsched_version_desc &Version = Found->Version;
  std::copy_n(reinterpret_cast<const char *>(Of.Desc), std::min(Of.Desc->struct_bytes, sizeof(Found->Desc)),
              reinterpret_cast<char *>(&Found->Desc));
  Found->Desc.struct_bytes = sizeof(Found->Desc);
  Found->Desc.destroy = nullptr;
  Found->Type.Desc = &Found->Desc;
  Found->Type.LinkerName = std::string(Of.LinkerName) + "/" + Version.name;
  Found->Type.Id = Registry::instance().nextId();
  Found->Type.Versions[0].Desc = &Version;
  if (Version.device == HSCHED_DEVICE_CPU)
    Found->Type.OnlyOnCpu.store(&Found->Type.Versions[0]);
  Found->Type.NumVersions.store(1);
  Registry::instance().announce(Found->Type, Version);
  return *Found;
}

void runOnEngine(hsched_task_type *Type, unsigned Version, const hsched_access *Accesses, size_t N, void *Args,
                 void *Table) {
  struct Scope {
    Scope() { OnEngine = true; }
    ~Scope() { OnEngine = false; }
  } Inside;
  Alone &One = aloneOf(*Type, Version);
  KernelNow.store(Type->Versions[Version].Desc->kernel);
  TableNow.store(Table);
  Executor &Engine = Runtime::get(Type->name()).executor();
  ThreadState &Me = threadState();
  TaskNode &T = Engine.begin(Me, One.Type, static_cast<unsigned>(N));
  std::copy_n(Accesses, N, T.AccessList);
  T.Args = Args;
  Engine.submit(Me, T, {});
  Engine.taskwait(Me, true);
}

__attribute__((noreturn)) void fail(const char *Task, const char *Cause) { throw task_error(Task, "", Cause); }

const CheckedProgram Program = {
    [](const hsched_task_type *T) { return T->Desc; },
    [](const hsched_task_type *T) { return T->name(); },
    [](const hsched_task_type *T) { return T->numVersions(); },
    [](const hsched_task_type *T, unsigned I) { return T->Versions[I].Desc; },
    [] { return Registry::instance().metadata().size(); },
    [](size_t I) { return Registry::instance().metadata()[I]; },
    runOnEngine,
    fail,
};

// A program built with --hsched-check has loaded it. Otherwise HSCHED_CHECK=1 loads it from this library's folder.
const CheckedRun *findLibrary() {
  const std::optional<bool> Setting = envFlag("HSCHED_CHECK");
  if (Setting == false)
    return nullptr;
  void *Begin = dlsym(RTLD_DEFAULT, BeginCheckedRunName);
  if (!Begin && Setting == true) {
    Dl_info Own{};
    std::string Folder;
    if (dladdr(reinterpret_cast<const void *>(&checkedRun), &Own) && Own.dli_fname)
      Folder = std::string(Own.dli_fname);
    Folder.resize(Folder.find_last_of('/') + 1);
    void *Library = dlopen((Folder + "libhsched_check.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    Begin = Library ? dlsym(Library, BeginCheckedRunName) : nullptr;
    if (!Begin)
      log(LogLevel::Error, "HSCHED_CHECK=1: tasks are not checked: %s", dlerror());
  }
  if (!Begin)
    return nullptr;
  warnAboutUnknownSettings(); // A checked run may never start an engine.
  Runtime::tasksMayDetach();  // Fast paths are disabled, also in runs on the engine.
  return reinterpret_cast<BeginCheckedRun>(Begin)(&Program);
}

// Written once, before main and before other threads exist.
const CheckedRun *const TheCheck = findLibrary();

} // namespace

const CheckedRun *checkedRun() { return TheCheck && !OnEngine ? TheCheck : nullptr; }

} // namespace hsched::rt
