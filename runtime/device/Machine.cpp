// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/Machine.h"

#include <algorithm>
#include <hwloc.h>
#include <unistd.h>

namespace hsched::rt {

static unsigned count(hwloc_topology_t Top, hwloc_obj_type_t Type) {
  int N = hwloc_get_nbobjs_by_type(Top, Type);
  return static_cast<unsigned>(std::max(N, 0));
}

static uint64_t physicalBytes() {
  const long Pages = sysconf(_SC_PHYS_PAGES), Bytes = sysconf(_SC_PAGESIZE);
  return Pages > 0 && Bytes > 0 ? static_cast<uint64_t>(Pages) * static_cast<uint64_t>(Bytes) : 0;
}

static void describe(hwloc_topology_t Top, Machine &M) {
  M.Packages = count(Top, HWLOC_OBJ_PACKAGE);
  M.Cores = count(Top, HWLOC_OBJ_CORE);
  M.Threads = count(Top, HWLOC_OBJ_PU);
  hwloc_obj_t Root = hwloc_get_root_obj(Top);
  // Memory can be added to a running machine; the nodes' sizes may then be outdated.
  M.MemoryBytes = std::max<uint64_t>(Root->total_memory, physicalBytes());
  hwloc_obj_t Package = hwloc_get_obj_by_type(Top, HWLOC_OBJ_PACKAGE, 0);
  for (hwloc_obj_t Place : {Package, Root})
    if (const char *Name = Place && M.Cpu.empty() ? hwloc_obj_get_info_by_name(Place, "CPUModel") : nullptr)
      M.Cpu = Name;
  const hwloc_obj_type_t Types[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE};
  unsigned Level = 1;
  for (hwloc_obj_type_t Type : Types) {
    if (hwloc_obj_t First = hwloc_get_obj_by_type(Top, Type, 0))
      M.Caches.push_back({Level, First->attr->cache.size, count(Top, Type)});
    ++Level;
  }
  for (hwloc_obj_t Node = nullptr; (Node = hwloc_get_next_obj_by_type(Top, HWLOC_OBJ_NUMANODE, Node));) {
    Machine::Numa N = {Node->os_index, Node->attr->numanode.local_memory, {}};
    if (Node->cpuset) {
      unsigned Core = 0;
      hwloc_bitmap_foreach_begin(Core, Node->cpuset) { N.Cores.push_back(Core); }
      hwloc_bitmap_foreach_end();
    }
    M.NumaNodes.push_back(std::move(N));
  }
}

Machine describeMachine() {
  Machine M;
  hwloc_topology_t Top;
  if (hwloc_topology_init(&Top) != 0)
    return M;
  // The description must not depend on this process's restrictions.
  hwloc_topology_set_flags(Top, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(Top) == 0)
    describe(Top, M);
  hwloc_topology_destroy(Top);
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
