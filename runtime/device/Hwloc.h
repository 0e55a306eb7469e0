// The functions of hwloc that are used. hwloc is loaded when it is asked for the first time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose threads are not bound does not need hwloc, and loading it with the program takes 0.1 ms
// (docs/decisions/0070). Functions that hwloc's header defines inline call these: use the members here instead.
#ifndef HSCHED_DEVICE_HWLOC_H
#define HSCHED_DEVICE_HWLOC_H

#include <hwloc.h>
#include <hwloc/distances.h>

namespace hsched::rt {

static_assert(HWLOC_API_VERSION >> 16 == 2, "Hwloc.cpp names the library of hwloc 2");

struct Hwloc {
  decltype(&hwloc_topology_init) Init;
  decltype(&hwloc_topology_set_synthetic) SetSynthetic;
  decltype(&hwloc_topology_set_flags) SetFlags;
  decltype(&hwloc_topology_load) Load;
  decltype(&hwloc_topology_destroy) Destroy;
  decltype(&hwloc_get_type_depth) Depth;
  decltype(&hwloc_get_nbobjs_by_depth) Count;
  decltype(&hwloc_get_obj_by_depth) Object;
  decltype(&hwloc_bitmap_isset) IsSet;
  decltype(&hwloc_bitmap_next) Next;
  decltype(&hwloc_distances_get_by_type) Distances;
  decltype(&hwloc_distances_release) Release;

  // Null: there is no hwloc, or not all of these functions. Thread-safe.
  static const Hwloc *find();

  unsigned count(hwloc_topology_t Top, hwloc_obj_type_t Type) const {
    const int At = Depth(Top, Type);
    return At == HWLOC_TYPE_DEPTH_UNKNOWN || At == HWLOC_TYPE_DEPTH_MULTIPLE ? 0 : Count(Top, At);
  }
  // Null: there is no such object.
  hwloc_obj_t object(hwloc_topology_t Top, hwloc_obj_type_t Type, unsigned I) const {
    return I < count(Top, Type) ? Object(Top, Depth(Top, Type), I) : nullptr;
  }
};

} // namespace hsched::rt
#endif
