// Registration.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Registry.h"
#include "base/Log.h"

#include <cstring>

namespace hsched::rt {

Registry &Registry::instance() {
  static auto *Made = new Registry; // used by static objects of any unit, before and after this one's
  return *Made;
}

RegisteredType &Registry::find(std::string_view LinkerName) {
  if (auto It = ByName.find(LinkerName); It != ByName.end())
    return *It->second;
  RegisteredType &T = Types.emplace_back();
  T.Id = static_cast<uint32_t>(Types.size() - 1);
  T.LinkerName = LinkerName;
  ByName.emplace(T.LinkerName, &T);
  return T;
}

RegisteredType &Registry::addTask(const hsched_task_desc &Desc) {
  std::lock_guard Guard(Lock);
  RegisteredType &T = find(Desc.linker_name);
  if (!T.Desc)
    T.Desc = &Desc;
  if (Desc.abi_major != HSCHED_ABI_MAJOR || Desc.abi_minor > HSCHED_ABI_MINOR) {
    if (T.Refusal.empty()) {
      T.Refusal = "it was compiled for ABI " + std::to_string(Desc.abi_major) + "." + std::to_string(Desc.abi_minor) +
                  ", and this libhsched has ABI " + std::to_string(HSCHED_ABI_MAJOR) + "." +
                  std::to_string(HSCHED_ABI_MINOR) + ": compile it again, or use the other library";
      log(LogLevel::Error, "task '%s' (%s:%u) cannot be used: %s", Desc.name, Desc.file, Desc.line, T.Refusal.c_str());
    }
  }
  return T;
}

void Registry::addVersion(const char *TaskLinkerName, const hsched_version_desc &Desc) {
  std::lock_guard Guard(Lock);
  RegisteredType &T = find(TaskLinkerName);
  unsigned N = T.NumVersions.load(std::memory_order_relaxed);
  for (unsigned I = 0; I < N; ++I) {
    const hsched_version_desc &Known = *T.Versions[I].Desc;
    if (!std::strcmp(Known.linker_name, Desc.linker_name) && Known.device == Desc.device &&
        Known.device_type == Desc.device_type)
      return;
  }
  if (N == MaxVersions) {
    log(LogLevel::Warning, "version '%s' is left out: task '%s' has %u already", Desc.name, T.name(), N);
    return;
  }
  T.Versions[N].Desc = &Desc;
  T.Versions[N].Index = N;
  T.NumVersions.store(N + 1, std::memory_order_release);
  if (Desc.device < NotLookedFor.size() && NotLookedFor[Desc.device]) {
    NotLookedFor[Desc.device] = false;
    log(LogLevel::Warning,
        "version '%s' of task '%s' is not used: nothing asked for its kind of device when the first task was "
        "submitted, "
        "so none was looked for; load what brings it before that",
        Desc.name, T.name());
  }
}

void Registry::addMetadata(std::string_view Json) {
  std::lock_guard Guard(Lock);
  Metadata.push_back(Json);
}

bool Registry::wants(unsigned Device) {
  std::lock_guard Guard(Lock);
  for (const RegisteredType &T : Types)
    for (unsigned I = 0, N = T.numVersions(); I < N; ++I)
      if (T.Versions[I].Desc->device == Device)
        return true;
  NotLookedFor[Device] = true;
  return false;
}

std::vector<std::string_view> Registry::metadata() const {
  std::lock_guard Guard(Lock);
  return Metadata;
}

} // namespace hsched::rt
