// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/Machine.h"
#include "device/Hwloc.h"

#include <algorithm>
#include <string_view>
#include <unistd.h>

namespace hsched::rt {

static uint64_t physicalBytes() {
  const long Pages = sysconf(_SC_PHYS_PAGES), Bytes = sysconf(_SC_PAGESIZE);
  return Pages > 0 && Bytes > 0 ? static_cast<uint64_t>(Pages) * static_cast<uint64_t>(Bytes) : 0;
}

static const char *modelOf(hwloc_obj_t Place) {
  for (unsigned I = 0; I < Place->infos_count; ++I)
    if (std::string_view(Place->infos[I].name) == "CPUModel")
      return Place->infos[I].value;
  return nullptr;
}

static void describe(const Hwloc &H, hwloc_topology_t Top, Machine &M) {
  M.Packages = H.count(Top, HWLOC_OBJ_PACKAGE);
  M.Cores = H.count(Top, HWLOC_OBJ_CORE);
  M.Threads = H.count(Top, HWLOC_OBJ_PU);
  hwloc_obj_t Root = H.Object(Top, 0, 0);
  // Memory can be added to a running machine; the nodes' sizes may then be outdated.
  M.MemoryBytes = std::max<uint64_t>(Root->total_memory, physicalBytes());
  hwloc_obj_t Package = H.object(Top, HWLOC_OBJ_PACKAGE, 0);
  for (hwloc_obj_t Place : {Package, Root})
    if (const char *Name = Place && M.Cpu.empty() ? modelOf(Place) : nullptr)
      M.Cpu = Name;
  const hwloc_obj_type_t Types[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE};
  unsigned Level = 1;
  for (hwloc_obj_type_t Type : Types) {
    if (hwloc_obj_t First = H.object(Top, Type, 0))
      M.Caches.push_back({Level, First->attr->cache.size, H.count(Top, Type)});
    ++Level;
  }
  for (unsigned I = 0; hwloc_obj_t Node = H.object(Top, HWLOC_OBJ_NUMANODE, I); ++I) {
    Machine::Numa N = {Node->os_index, Node->attr->numanode.local_memory, {}};
    if (Node->cpuset)
      for (int Core = -1; (Core = H.Next(Node->cpuset, Core)) >= 0;)
        N.Cores.push_back(static_cast<unsigned>(Core));
    M.NumaNodes.push_back(std::move(N));
  }
}

Machine describeMachine() {
  Machine M;
  hwloc_topology_t Top;
  const Hwloc *H = Hwloc::find();
  if (!H || H->Init(&Top) != 0)
    return M;
  // The description must not depend on this process's restrictions.
  H->SetFlags(Top, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (H->Load(Top) == 0)
    describe(*H, Top, M);
  H->Destroy(Top);
  return M;
}

std::string Machine::key() const {
  std::string Key = Cpu;
  auto add = [&](const char *What, uint64_t N) { Key.append(", ").append(std::to_string(N)).append(What); };
  add(" packages", Packages);
  add(" cores", Cores);
  add(" threads", Threads);
  add(" memories", NumaNodes.size());
  for (const Cache &C : Caches) {
    add(" caches", C.Number);
    add(" bytes", C.Bytes);
  }
  return Key;
}

} // namespace hsched::rt
