// The data of a launch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Minikernel.h"

#include <algorithm>
#include <cstring>

namespace hsched::icd {
namespace {

// The value of an integer argument. The size of its type is known to the vendor, its sign to hsched-kinfo, so a value
// that depends on the sign is unknown.
std::optional<int64_t> integer(const Argument &A) {
  if (A.What != Argument::Bytes || A.Data.empty() || A.Data.size() > sizeof(int64_t))
    return std::nullopt;
  uint64_t Bits = 0;
  std::memcpy(&Bits, A.Data.data(), A.Data.size());
  if (Bits >> (A.Data.size() * 8 - 1))
    return std::nullopt;
  return static_cast<int64_t>(Bits);
}

} // namespace

void Kernel::touch(Touch &For, const Bound &B, const Sizes *Of, bool Known) const {
  auto Writes = [&](size_t I) { return !Formals[I].OnlyRead && !(B.Objects[I]->Flags & CL_MEM_READ_ONLY); };
  LaunchValues V;
  Known = Known && Extents && Of && Of->items() > 0;
  for (cl_uint D = 0; Known && D != 3; ++D) {
    const bool Is = D < Of->Dimensions;
    Known = !Is || !Of->Offset[D];
    V.Global[D] = Is ? Of->Global[D] : 1;
    V.Local[D] = Of->HasLocal ? (Is ? Of->Local[D] : 1) : 0;
  }
  if (Known) {
    V.Argument = [&](unsigned I) { return I < B.Values->size() ? integer((*B.Values)[I]) : std::nullopt; };
    Known = Extents->holdFor(V);
  }
  // The analysis takes different arguments for different memory.
  auto IsShared = [&](size_t I) {
    for (size_t J = 0; J != B.Objects.size(); ++J)
      if (J != I && B.Objects[J] && &B.Objects[J]->root() == &B.Objects[I]->root() && (Writes(I) || Writes(J)))
        return true;
    return false;
  };
  for (size_t I = 0; Known && I != B.Objects.size(); ++I)
    Known = !B.Objects[I] || !IsShared(I);
  for (size_t I = 0; I != B.Objects.size(); ++I) {
    if (!B.Objects[I])
      continue;
    Memory &M = *B.Objects[I];
    if (Formals[I].IsUnused && M.isBuffer()) { // It has to be there, with any contents: one byte moves.
      For.uses(M, 0, 1, true, false);
      continue;
    }
    std::optional<ByteRange> R;
    if (Known && M.isBuffer())
      for (const Extent &E : Extents->All)
        if (E.Argument == I)
          R = bytesOf(E, V);
    if (R && R->First <= M.bytes() && R->Bytes <= M.bytes() - R->First)
      For.uses(M, R->First, R->Bytes, !R->Overwritten || !Writes(I), Writes(I));
    else
      For.uses(M, true, Writes(I));
  }
}

} // namespace hsched::icd
