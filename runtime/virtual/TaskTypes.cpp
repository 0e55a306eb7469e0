// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "virtual/Program.h"

#include <algorithm>

namespace hsched::rt::virt {

TaskTypes::Entry &TaskTypes::add(const std::string &Name) {
  Entry &E = Types.emplace_back();
  E.Name = Name;
  E.Desc.struct_bytes = sizeof(E.Desc);
  E.Desc.linker_name = E.Desc.name = E.Name.c_str();
  E.Desc.file = "";
  E.Desc.args_bytes = sizeof(Args);
  E.Desc.args_align = alignof(Args);
  E.Type.Desc = &E.Desc;
  E.Type.Id = static_cast<uint32_t>(Types.size() - 1);
  E.Type.LinkerName = Name;
  return E;
}

void TaskTypes::addVersion(Entry &E, const std::string &Name, unsigned Device, unsigned Type) {
  const std::string &Called = E.VersionNames.emplace_back(Name);
  const auto N = static_cast<unsigned>(E.Versions.size());
  E.Versions.push_back({sizeof(hsched_version_desc), E.Name.c_str(), Called.c_str(), "", 0, Device, Type, nullptr,
                        nullptr, nullptr, nullptr});
  E.Type.Versions[N].Desc = &E.Versions.back();
  E.Type.Versions[N].Index = N;
  E.Type.NumVersions.store(N + 1, std::memory_order_release);
}

TaskTypes::TaskTypes(const PlatformModel &Platform, const std::vector<std::string> &Names) {
  for (const std::string &Name : Names) {
    Entry &E = add(Name);
    for (const WorkerModel &W : Platform.Workers) {
      const WorkerKind &K = Platform.Kinds[W.Kind];
      E.Speeds.push_back(K.speedOf(Name));
      const auto Device = static_cast<unsigned>(K.Device), Type = static_cast<unsigned>(K.Type);
      if (E.Speeds.back() && std::ranges::none_of(E.Versions, [&](const hsched_version_desc &V) {
            return V.device == Device && V.device_type == Type;
          }))
        addVersion(E, Name + "_" + K.Name, Device, Type);
    }
    // Some kinds with one device and type may have no speed.
    for (unsigned V = 0; V < E.Type.numVersions(); ++V)
      for (WorkerId W = 0; W < Platform.Workers.size(); ++W)
        if (!E.Speeds[W])
          (void)E.Type.Versions[V].disableOn(W);
  }
}

TaskTypes::TaskTypes(const PlatformModel &Platform, const std::vector<TypeSpec> &Specs) {
  for (const TypeSpec &Spec : Specs) {
    Entry &E = add(Spec.Name);
    E.Speeds.resize(Platform.Workers.size(), nullptr);
    for (const VersionSpec &V : Spec.Versions) {
      E.FirstRuns.push_back(V.FirstRun);
      addVersion(E, V.Name, V.OnDevice ? HSCHED_DEVICE_OPENCL : HSCHED_DEVICE_CPU, HSCHED_TYPE_ANY);
    }
    for (unsigned V = 0; V < E.Type.numVersions(); ++V)
      for (WorkerId W = 0; W < Platform.Workers.size(); ++W)
        if (!Spec.Versions[V].Kinds[Platform.Workers[W].Kind])
          (void)E.Type.Versions[V].disableOn(W);
  }
}

} // namespace hsched::rt::virt
