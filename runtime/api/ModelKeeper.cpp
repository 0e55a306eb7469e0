// Matches entries of files with the program's tasks and the machine's devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/ModelKeeper.h"

#include "base/Hash.h"
#include "base/Log.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <link.h>
#include <span>
#include <string_view>
#include <utility>

namespace hsched::rt {

namespace {

// "cpu: AMD EPYC 9B14": the system's name of the processor, or its architecture without a name.
std::string processor() {
  std::ifstream Info("/proc/cpuinfo");
  for (std::string Line; std::getline(Info, Line);)
    if (Line.rfind("model name", 0) == 0)
      if (size_t At = Line.find(": "); At != std::string::npos)
        return "cpu: " + Line.substr(At + 2);
  return "cpu: of this machine";
}

struct BuildId {
  uintptr_t Of; // An address in the module searched for.
  std::string Found;

  static int look(dl_phdr_info *Module, size_t, void *Data) {
    auto &Me = *static_cast<BuildId *>(Data);
    const std::span Headers(Module->dlpi_phdr, Module->dlpi_phnum);
    auto begin = [&](const ElfW(Phdr) & P) { return Module->dlpi_addr + P.p_vaddr; };
    if (std::ranges::none_of(Headers, [&](const ElfW(Phdr) & P) {
          return P.p_type == PT_LOAD && Me.Of >= begin(P) && Me.Of < begin(P) + P.p_memsz;
        }))
      return 0;
    for (const ElfW(Phdr) & P : Headers)
      if (P.p_type == PT_NOTE)
        Me.read(reinterpret_cast<const char *>(begin(P)), P.p_memsz);
    return 1;
  }

  void read(const char *Notes, size_t Bytes) {
    const auto round = [](size_t N) { return (N + 3) / 4 * 4; };
    while (Bytes >= sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) Note;
      std::memcpy(&Note, Notes, sizeof(Note));
      const size_t All = sizeof(Note) + round(Note.n_namesz) + round(Note.n_descsz);
      if (All > Bytes)
        return;
      const char *Name = Notes + sizeof(Note);
      if (Note.n_type == NT_GNU_BUILD_ID && Note.n_namesz == 4 && std::memcmp(Name, "GNU", 4) == 0)
        for (size_t I = 0; I < Note.n_descsz; ++I) {
          char Hex[3];
          std::snprintf(Hex, sizeof(Hex), "%02x", static_cast<unsigned char>(Name[4 + I]));
          Found += Hex;
        }
      Notes += All;
      Bytes -= All;
    }
  }
};

// Hints name a task or version by the user's or the linker's name.
bool named(const std::string &By, const std::string &Linker, const std::string &User) {
  return By == Linker || By == User;
}

void warn(const status &Problem, const char *Variable) {
  log(LogLevel::Warning, "%s: %s; it is ignored", Variable, Problem.message().c_str());
}

} // namespace

std::string codeOf(const hsched_version_desc &Version) {
  if (const hsched_kernel_desc *K = Version.kernel) {
    uint64_t H = fnv1a({});
    for (std::string_view Part :
         {std::string_view(K->source, K->source_bytes), std::string_view(K->options), std::string_view(K->entry)})
      H = fnv1a({"", 1}, fnv1a(Part, H));
    char Hex[17];
    std::snprintf(Hex, sizeof(Hex), "%016" PRIx64, H);
    return Hex;
  }
  BuildId Id{reinterpret_cast<uintptr_t>(Version.run), ""};
  dl_iterate_phdr(BuildId::look, &Id);
  return Id.Found;
}

ModelKeeper::ModelKeeper(std::string KeptPath, const std::string &HintPath, Platform &M)
    : Path(std::move(KeptPath)), Machine(M), Cpu(processor()) {
  auto read = [](const std::string &Path, const char *Variable, bool MayBeMissing) {
    ModelFile File;
    if (Path.empty())
      return File.Entries;
    if (status Read = File.read(Path); !Read.ok() && !(MayBeMissing && Read.code() == errc::not_found))
      warn(Read, Variable);
    return std::move(File.Entries);
  };
  Kept = read(Path, "HSCHED_MODELS", true);
  Hints = read(HintPath, "HSCHED_HINTS", false);
  for (const std::vector<ModelEntry> &From : {Kept, Hints})
    for (const ModelEntry &E : From)
      if (E.Device.find(": ") != std::string::npos && E.Device.rfind("cpu: ", 0) != 0)
        Devices.emplace(E.Device, Machine.modelOf(E.Device));
}

ModelKeeper::Names ModelKeeper::namesOf(const TaskType &Type) {
  Names N{Type.LinkerName.empty() ? Type.name() : Type.LinkerName, Type.name(), {}};
  for (unsigned V = 0, Count = Type.numVersions(); V < Count; ++V) {
    const hsched_version_desc &D = *Type.Versions[V].Desc;
    const std::string Name = D.name ? D.name : "";
    N.Versions.push_back({D.linker_name && *D.linker_name ? D.linker_name : Name, Name, codeOf(D)});
  }
  return N;
}

std::vector<HistoryRow> ModelKeeper::before(const TaskType &Type) {
  const Names N = namesOf(Type);
  std::vector<HistoryRow> Rows;
  auto add = [&](const ModelEntry &E, unsigned V, ModelId Model) {
    if (std::ranges::any_of(
            Rows, [&](const HistoryRow &R) { return R.Size == E.Size && R.Version == V && R.Model == Model; }))
      return; // Measurements take precedence over hints.
    RunStats Stats;
    Stats.seed(E.Runs, E.Recent);
    Rows.push_back({Type.Id, E.Size, V, Model, Stats});
  };
  for (unsigned V = 0; V < N.Versions.size(); ++V) {
    const Names::OfVersion &Of = N.Versions[V];
    for (const ModelEntry &E : Kept) {
      if (E.Task != N.Task || E.Version != Of.Version || E.Code != Of.Code)
        continue;
      if (E.Device == Cpu)
        add(E, V, CpuModel);
      else if (auto It = Devices.find(E.Device); It != Devices.end())
        add(E, V, It->second);
    }
  }
  for (unsigned V = 0; V < N.Versions.size(); ++V)
    for (const ModelEntry &E : Hints) {
      const Names::OfVersion &Of = N.Versions[V];
      if (!named(E.Task, N.Task, N.Name) || !named(E.Version, Of.Version, Of.Name) ||
          !(E.Code.empty() || E.Code == Of.Code))
        continue;
      if (Type.Versions[V].Desc->device == HSCHED_DEVICE_CPU) {
        if (E.Device.empty() || E.Device == "cpu" || E.Device == Cpu)
          add(E, V, CpuModel);
      } else if (E.Device.empty() || E.Device == "opencl")
        add(E, V, AnyDevice);
      else if (auto It = Devices.find(E.Device); It != Devices.end())
        add(E, V, It->second);
    }
  std::lock_guard Guard(Lock);
  Types.insert_or_assign(Type.Id, N);
  return Rows;
}

void ModelKeeper::save(const History &Recorded) {
  if (Path.empty())
    return;
  std::vector<ModelEntry> New;
  std::lock_guard Guard(Lock);
  for (const HistoryRow &Row : Recorded.rows()) {
    const auto It = Types.find(Row.Type);
    const uint64_t Runs = Row.Stats.Runs - Row.Stats.Stored;
    if (Runs == 0 || It == Types.end() || Row.Version >= It->second.Versions.size())
      continue;
    const Names::OfVersion &Of = It->second.Versions[Row.Version];
    ModelEntry E;
    E.Task = It->second.Task;
    E.TaskName = It->second.Name;
    E.Version = Of.Version;
    E.VersionName = Of.Name;
    E.Code = Of.Code;
    E.Device = Row.Model == CpuModel ? Cpu : Machine.Models.at(Row.Model);
    E.Size = Row.Size;
    E.Runs = Runs;
    const std::span<const float> Recent = Row.Stats.recent();
    const auto Newest = static_cast<size_t>(std::min<uint64_t>(Runs, Recent.size()));
    E.Recent.assign(Recent.end() - static_cast<ptrdiff_t>(Newest), Recent.end());
    New.push_back(std::move(E));
  }
  if (status Written = updateModels(Path, New); !Written.ok())
    log(LogLevel::Warning, "HSCHED_MODELS: %s", Written.message().c_str());
}

} // namespace hsched::rt
