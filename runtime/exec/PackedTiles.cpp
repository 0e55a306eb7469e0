// The layout of packed tiles that versions receive.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/PackedTiles.h"

#include <cstddef>

namespace hsched::rt {

PackedParams packedOf(const hsched_kernel_desc *Desc) {
  if (!Desc || Desc->struct_bytes < offsetof(hsched_kernel_desc, fill_packed) + sizeof(Desc->fill_packed) ||
      !Desc->fill_packed)
    return {};
  const bool Says = Desc->struct_bytes >= offsetof(hsched_kernel_desc, leading_params) + sizeof(Desc->leading_params);
  return {{Desc->packed, Desc->n_packed}, Says ? Desc->leading_params : nullptr};
}

const hsched_packed_body *packedBodyOf(const hsched_version_desc &Desc) {
  const bool Says = Desc.struct_bytes >= offsetof(hsched_version_desc, packed_body) + sizeof(Desc.packed_body);
  return Says && !Desc.kernel ? Desc.packed_body : nullptr;
}

PackedParams packedOf(const hsched_version_desc &Desc) {
  if (const hsched_packed_body *Body = packedBodyOf(Desc))
    return {{Body->packed, Body->n_packed}, Body->leading_params};
  return packedOf(Desc.kernel);
}

status findPacked(const Task &T, PackedParams Packed, const Acquisition &Acquired, bool InPlace,
                  std::vector<hsched_packed_place> &Out) {
  Out.assign(Packed.size(), hsched_packed_place{});
  // True if a tile with P's leading dimension has another layout than on the host.
  auto moved = [&](size_t P) {
    for (size_t I = 0; I < T.NumAccesses && !InPlace; ++I)
      if (const size_t Q = Packed.indexOf(T.AccessList[I]); Q < Packed.size() && Acquired.Placements[I].Stride)
        if (Q == P || Packed.together(P, Q))
          return true;
    return false;
  };
  for (size_t I = 0; I < T.NumAccesses; ++I) {
    const Access &A = T.AccessList[I];
    const size_t P = Packed.indexOf(A);
    if (P == Packed.size() || A.rows < 2 || beginOf(A) == endOf(A))
      continue;
    const uint64_t Here = InPlace ? 0 : Acquired.Placements[I].Stride, Stride = Here ? Here : A.stride;
    if (!Here && Packed.together(P) && !moved(P))
      continue; // The program passes the layout of all of them.
    if (Stride % Packed[P].element_bytes)
      return status::error(errc::unsupported, "rows of a tile are " + std::to_string(Stride) +
                                                  " bytes apart, which is not a whole number of elements");
    Out[P] = {A.base, A.stride, Stride / Packed[P].element_bytes};
  }
  for (size_t P = 0; P < Packed.size(); ++P)
    for (size_t Q = 0; Q < Packed.size() && Out[P].leading; ++Q) {
      if (Q == P || !Packed.together(P, Q))
        continue;
      if (Out[Q].leading && Out[Q].leading != Out[P].leading)
        return status::error(errc::internal, "rows of tiles with one leading dimension are differently far apart");
      Out[Q].leading = Out[P].leading;
    }
  return {};
}

} // namespace hsched::rt
