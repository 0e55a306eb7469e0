// Task types that the program makes and drops at run time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/RunTimeTypes.h"
#include "base/Log.h"
#include "base/SectionsOf.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace hsched::rt {
namespace {

// Types whose last task is complete, for reuse. Never destroyed: static objects may drop types.
struct Pool {
  std::mutex Lock;
  std::vector<RunTimeType *> Free;
};
Pool &pool() {
  static auto *Made = new Pool;
  return *Made;
}

template <class T> T whole(const T &Given) {
  T Known{};
  std::memcpy(static_cast<void *>(&Known), &Given, std::min(Given.struct_bytes, sizeof(Known)));
  Known.struct_bytes = sizeof(Known);
  return Known;
}

} // namespace

RunTimeType::Epoch::~Epoch() {
  for (const Owned &O : Removed)
    if (O.Release)
      try {
        O.Release(O.Owner);
      } catch (...) {
        log(LogLevel::Error, "what releases a version of a task threw an exception");
      }
  // A loop, not recursion: the chain may be long.
  while (Next && Next.use_count() == 1) {
    std::shared_ptr<Epoch> After = std::move(Next->Next);
    Next = std::move(After);
  }
}

const char *RunTimeType::keep(const char *Text) { return Text ? Texts.emplace_back(Text).c_str() : nullptr; }

RunTimeType &RunTimeType::make(const hsched_task_desc &Desc) {
  RunTimeType *T = nullptr;
  if (std::lock_guard Guard(pool().Lock); !pool().Free.empty()) {
    T = pool().Free.back();
    pool().Free.pop_back();
  }
  if (!T)
    T = new RunTimeType;
  hsched_task_desc &Own = T->OwnDesc = whole(Desc);
  Own.name = T->keep(Desc.name ? Desc.name : "");
  Own.linker_name = T->keep(Desc.linker_name ? Desc.linker_name : Own.name);
  Own.file = T->keep(Desc.file ? Desc.file : "");
  Own.args_align = std::max<size_t>(Own.args_align, 1);
  if (Desc.param_names) {
    for (unsigned I = 0; I < Desc.n_params; ++I)
      T->ParamNames.push_back(T->keep(Desc.param_names[I]));
    Own.param_names = T->ParamNames.data();
  }
  T->Desc = &Own;
  T->LinkerName = Own.linker_name;
  T->Id = Registry::instance().nextId();
  T->RunTime = true;
  T->Unbundled.store(true);
  T->Now = std::make_shared<Epoch>();
  T->Alive = std::shared_ptr<void>(nullptr, [T](void *) { T->recycle(); });
  return *T;
}

unsigned RunTimeType::add(const hsched_version_desc &Desc, void *Owner, void (*Release)(void *)) {
  std::lock_guard Guard(Lock);
  const unsigned N = NumVersions.load(std::memory_order_relaxed);
  if (N == MaxVersions)
    throw std::length_error("version '" + std::string(Desc.name ? Desc.name : "") + "' cannot be added: task '" +
                            name() + "' has had " + std::to_string(N) + " already");
  hsched_version_desc &Own = OwnVersions.emplace_back(whole(Desc));
  Own.name = keep(Desc.name ? Desc.name : name());
  Own.linker_name = keep(Desc.linker_name ? Desc.linker_name : Own.name);
  Own.file = keep(Desc.file ? Desc.file : "");
  Owners.push_back({Owner, Release});
  OnDevices = OnDevices || Own.device != HSCHED_DEVICE_CPU;
  Versions[N].Desc = &Own;
  Versions[N].Index = N;
  if (hasOwnSections(Own))
    OwnSections.store(true, std::memory_order_release);
  NumVersions.store(N + 1, std::memory_order_release);
  Registry::instance().announce(*this, Own);
  Registry::instance().settle(*this);
  return N;
}

void RunTimeType::remove(unsigned Version) {
  std::shared_ptr<Epoch> Ended; // Destroyed after the lock is released.
  std::lock_guard Guard(Lock);
  if (Version >= NumVersions.load(std::memory_order_relaxed))
    throw std::out_of_range("task '" + std::string(name()) + "' has no version " + std::to_string(Version));
  if (Versions[Version].Removed.exchange(true))
    return;
  for (auto &Word : Versions[Version].Disabled)
    Word.store(~uint64_t(0), std::memory_order_relaxed);
  Registry::instance().settle(*this);
  Now->Removed.push_back(std::exchange(Owners[Version], {}));
  Now->Next = std::make_shared<Epoch>();
  Ended = std::exchange(Now, Now->Next);
}

void RunTimeType::drop() {
  std::shared_ptr<void> Own; // Released last: this object may then be destroyed.
  std::shared_ptr<Epoch> Ended;
  std::lock_guard Guard(Lock);
  for (Owned &O : Owners)
    Now->Removed.push_back(std::exchange(O, {}));
  Ended = std::move(Now);
  Own = std::move(Alive);
}

Executor::RunTimeType RunTimeType::currentOwners() {
  std::lock_guard Guard(Lock);
  return {Now, Alive};
}

void RunTimeType::reset() {
  for (Version &V : std::span(Versions.data(), NumVersions.load())) {
    V.Desc = nullptr;
    V.Removed.store(false);
    for (auto &Word : V.Disabled)
      Word.store(0);
  }
  NumVersions.store(0);
  OwnSections.store(false);
  OnlyOnCpu.store(nullptr);
  Nanoseconds.store(0);
  Owners.clear();
  Texts.clear();
  ParamNames.clear();
  OwnVersions.clear();
  Refusal.clear();
}

void RunTimeType::recycle() {
  if (OnDevices)
    return; // The version stays.
  reset();
  std::lock_guard Guard(pool().Lock);
  pool().Free.push_back(this);
}

} // namespace hsched::rt
