// Loads hwloc.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/Hwloc.h"

#include <dlfcn.h>

namespace hsched::rt {

template <class F> static bool get(void *Library, F &Out, const char *Name) {
  Out = reinterpret_cast<F>(dlsym(Library, Name));
  return Out != nullptr;
}

const Hwloc *Hwloc::find() {
  static Hwloc H;
  static const bool Found = [] {
    void *L = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL); // It stays loaded.
    return L && get(L, H.Init, "hwloc_topology_init") && get(L, H.SetSynthetic, "hwloc_topology_set_synthetic") &&
           get(L, H.SetFlags, "hwloc_topology_set_flags") && get(L, H.Load, "hwloc_topology_load") &&
           get(L, H.Destroy, "hwloc_topology_destroy") && get(L, H.Depth, "hwloc_get_type_depth") &&
           get(L, H.Count, "hwloc_get_nbobjs_by_depth") && get(L, H.Object, "hwloc_get_obj_by_depth") &&
           get(L, H.IsSet, "hwloc_bitmap_isset") && get(L, H.Next, "hwloc_bitmap_next") &&
           get(L, H.Distances, "hwloc_distances_get_by_type") && get(L, H.Release, "hwloc_distances_release");
  }();
  return Found ? &H : nullptr;
}

} // namespace hsched::rt
