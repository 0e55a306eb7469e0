// Registration.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Registry.h"
#include "api/EarlyOpening.h"
#include "base/Log.h"
#include "base/SectionsOf.h"

#include <cstddef>
#include <cstring>
#include <mutex>
#include <set>

#include <dlfcn.h>

namespace hsched::rt {

// Descriptors are kept by pointer, and tasks run code of their library, so the library must stay loaded even after
// dlclose.
static void keepLoaded(const void *Descriptor) {
  static std::mutex Lock;
  static auto *Known = new std::set<const void *>;
  Dl_info Where;
  if (!dladdr(Descriptor, &Where) || !Where.dli_fname)
    return;
  {
    std::lock_guard Guard(Lock);
    if (!Known->insert(Where.dli_fbase).second)
      return;
  }
  // Not found: the program itself.
  if (void *Library = dlopen(Where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
    dlclose(Library);
}

Registry &Registry::instance() {
  static auto *Made = new Registry; // Static objects of any unit use it, before and after this unit's.
  return *Made;
}

RegisteredType &Registry::find(std::string_view LinkerName) {
  if (auto It = ByName.find(LinkerName); It != ByName.end())
    return *It->second;
  RegisteredType &T = make(LinkerName);
  ByName.emplace(T.LinkerName, &T);
  return T;
}

RegisteredType &Registry::make(std::string_view LinkerName) {
  RegisteredType &T = Types.emplace_back();
  T.Id = NumIds++;
  T.LinkerName = LinkerName;
  return T;
}

static const void *libraryOf(const void *Of) {
  Dl_info Where;
  return dladdr(Of, &Where) ? Where.dli_fbase : nullptr;
}

static auto runOf(const hsched_task_desc &D) {
  return D.struct_bytes >= offsetof(hsched_task_desc, run) + sizeof D.run ? D.run : nullptr;
}

// True if two descriptions come from one line of a file. Libraries may have been compiled in different folders.
static bool samePlace(const char *FileA, unsigned LineA, const char *FileB, unsigned LineB, bool OneLibrary) {
  if (LineA != LineB || !FileA != !FileB)
    return false;
  std::string_view A = FileA ? FileA : "", B = FileB ? FileB : "";
  if (!OneLibrary) {
    A.remove_prefix(A.rfind('/') + 1);
    B.remove_prefix(B.rfind('/') + 1);
  }
  return A == B;
}

static bool samePlace(const hsched_task_desc &A, const hsched_task_desc &B) {
  return samePlace(A.file, A.line, B.file, B.line, libraryOf(&A) == libraryOf(&B));
}

// True for a template's instance, recognised by the compiler's name of the enclosing function.
static bool isInstance(const hsched_task_desc &D) {
  return std::string_view(D.linker_name).find("::hsched_key()") != std::string_view::npos;
}

// For equal linker names. Two descriptions of one place in one library are instances of a template for types local to
// units.
static bool sameTask(const hsched_task_desc &A, const hsched_task_desc &B) {
  if (A.n_params != B.n_params || A.args_bytes != B.args_bytes || A.args_align != B.args_align || !samePlace(A, B))
    return false;
  const auto RunA = runOf(A), RunB = runOf(B);
  return !RunA || !RunB || RunA == RunB || libraryOf(&A) != libraryOf(&B);
}

void Registry::warnOfTwo(const char *What, const char *Name, const char *FileA, unsigned LineA, const char *FileB,
                         unsigned LineB, const char *Outcome) {
  if (Logged.insert(std::string(What) + Name).second)
    log(LogLevel::Warning, "%s '%s' is defined at %s:%u and, in another way, at %s:%u: %s", What, Name,
        FileA ? FileA : "?", LineA, FileB ? FileB : "?", LineB, Outcome);
}

// Updates OnlyOnCpu and Quick. Lock is held.
static void settleOnly(RegisteredType &T) {
  const Version *Only = nullptr;
  bool Choice = !T.Refusal.empty() || !T.Desc;
  for (unsigned I = 0, N = T.numVersions(); I < N; ++I) {
    const hsched_version_desc &V = *T.Versions[I].Desc;
    if (T.Versions[I].Removed.load(std::memory_order_relaxed))
      continue;
    if (V.device != HSCHED_DEVICE_CPU || V.device_type > HSCHED_TYPE_CPU)
      continue;
    Choice = Choice || Only || !V.run || T.OwnSections.load(std::memory_order_relaxed);
    Only = &T.Versions[I];
  }
  T.OnlyOnCpu.store(Choice ? nullptr : Only, std::memory_order_release);
  T.Quick.store(Choice || T.RunTime ? nullptr : Only, std::memory_order_release);
}

void Registry::settle(RegisteredType &T) {
  std::lock_guard Guard(Lock);
  settleOnly(T);
}

// Removes versions that the filter excludes. A version in another library may be registered before the task's name.
void Registry::apply(RegisteredType &T) {
  if (!Filter.empty() && T.Desc)
    for (unsigned I = 0, N = T.numVersions(); I < N; ++I)
      if (Version &V = T.Versions[I]; !Filter.allows(T.name(), V.Desc->name) && !V.Removed.exchange(true))
        for (auto &Word : V.Disabled)
          Word.store(~uint64_t(0));
  settleOnly(T);
}

status Registry::restrict(const VersionFilter &To) {
  std::lock_guard Guard(Lock);
  Filter = To;
  std::string Unknown;
  for (const VersionFilter::Entry &E : Filter.entries()) {
    std::string Tasks, Versions;
    bool Found = false;
    for (const RegisteredType &T : Types) {
      if (!T.Desc)
        continue;
      Tasks += (Tasks.empty() ? "" : ", ") + std::string(T.name());
      for (unsigned I = 0, N = E.Task == T.name() ? T.numVersions() : 0; I < N; ++I) {
        Found |= E.Version == T.Versions[I].Desc->name;
        Versions += (Versions.empty() ? "" : ", ") + std::string(T.Versions[I].Desc->name);
      }
    }
    if (!Found && Unknown.empty())
      Unknown = Versions.empty() ? "there is no task '" + E.Task + "'; there are " + Tasks
                                 : "task '" + E.Task + "' has no version '" + E.Version + "'; it has " + Versions;
  }
  for (RegisteredType &T : Types)
    apply(T);
  return Unknown.empty() ? status() : status::error(errc::invalid_argument, "HSCHED_VERSIONS: " + Unknown);
}

RegisteredType &Registry::addTask(const hsched_task_desc &Desc) {
  keepLoaded(&Desc);
  std::lock_guard Guard(Lock);
  RegisteredType *Found = &find(Desc.linker_name);
  while (Found->Desc && !sameTask(*Found->Desc, Desc)) {
    if (!Found->Namesake) {
      const hsched_task_desc &Known = *Found->Desc;
      // Macros may expand one place differently in two units. For instances, the difference may also be in their types.
      const bool OneText = !isInstance(Desc) && libraryOf(&Known) == libraryOf(&Desc);
      if (OneText || !samePlace(Known, Desc))
        warnOfTwo(
            "task", Desc.name, Known.file, Known.line, Desc.file, Desc.line,
            "each call runs what its own unit was compiled with, and versions from elsewhere are the first one's");
      Found->Namesake = &make(Desc.linker_name);
    }
    Found = Found->Namesake;
  }
  RegisteredType &T = *Found;
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
  apply(T);
  return T;
}

void Registry::addVersion(const char *TaskLinkerName, const hsched_version_desc &Desc) {
  keepLoaded(&Desc);
  std::unique_lock Guard(Lock);
  RegisteredType *Found = &find(TaskLinkerName);
  for (RegisteredType *Other = Found; Other; Other = Other->Namesake)
    if (Desc.run && Other->Desc && runOf(*Other->Desc) == Desc.run)
      Found = Other;
  RegisteredType &T = *Found;
  unsigned N = T.NumVersions.load(std::memory_order_relaxed);
  for (unsigned I = 0; I < N; ++I) {
    const hsched_version_desc &Known = *T.Versions[I].Desc;
    if (!std::strcmp(Known.linker_name, Desc.linker_name) && Known.device == Desc.device &&
        Known.device_type == Desc.device_type) {
      if (!samePlace(Known.file, Known.line, Desc.file, Desc.line, libraryOf(&Known) == libraryOf(&Desc)))
        warnOfTwo("version", Desc.name, Known.file, Known.line, Desc.file, Desc.line, "the first is used");
      return;
    }
  }
  if (N == MaxVersions) {
    log(LogLevel::Warning, "version '%s' is left out: task '%s' has %u already", Desc.name, T.name(), N);
    return;
  }
  T.Versions[N].Desc = &Desc;
  T.Versions[N].Index = N;
  if (hasOwnSections(Desc))
    T.OwnSections.store(true, std::memory_order_release);
  T.NumVersions.store(N + 1, std::memory_order_release);
  apply(T);
  warnIfNotSearched(T, Desc);
  const std::string Task(T.name());
  Guard.unlock();
  early::noteVersion(Task.c_str(), Desc);
}

uint32_t Registry::nextId() {
  std::lock_guard Guard(Lock);
  return NumIds++;
}

void Registry::announce(const TaskType &Type, const hsched_version_desc &Version) {
  std::lock_guard Guard(Lock);
  if (Version.device < WantedElsewhere.size())
    WantedElsewhere[Version.device] = true;
  warnIfNotSearched(Type, Version);
}

void Registry::forgetFailures(unsigned FirstSlot, unsigned Slots) {
  std::lock_guard Guard(Lock);
  for (RegisteredType &T : Types)
    for (unsigned I = 0, N = T.numVersions(); I < N; ++I)
      for (unsigned Slot = T.Versions[I].Removed.load() ? FirstSlot + Slots : FirstSlot; Slot < FirstSlot + Slots;
           ++Slot)
        T.Versions[I].Disabled[Slot / 64].fetch_and(~(uint64_t(1) << (Slot % 64)), std::memory_order_relaxed);
}

void Registry::warnIfNotSearched(const TaskType &T, const hsched_version_desc &Desc) {
  if (Desc.device < NotSearched.size() && NotSearched[Desc.device]) {
    NotSearched[Desc.device] = false;
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
  if (WantedElsewhere[Device])
    return true;
  for (const RegisteredType &T : Types)
    for (unsigned I = 0, N = T.numVersions(); I < N; ++I)
      if (T.Versions[I].Desc->device == Device && !T.Versions[I].Removed.load())
        return true;
  NotSearched[Device] = true;
  return false;
}

std::vector<std::string_view> Registry::metadata() const {
  std::lock_guard Guard(Lock);
  return Metadata;
}

} // namespace hsched::rt
