// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/regions/InBytes.h"

#include <algorithm>

namespace hsched::cc {

void toBytes(AccessTree &Tree, const std::function<bool(unsigned Root)> &Of) {
  auto bytes = [&](unsigned Id) { return Poly(std::max(Tree.Roots[Id].ElementBytes, 1u)); };
  eachLeaf(Tree.Body, [&](Node &L) {
    Access &A = L.A;
    if (!Of(A.RootId))
      return;
    const bool Whole = A.Low && !A.Partial;
    std::optional<Poly> Low = A.Byte ? A.Byte : Whole ? std::optional(*A.Low * bytes(A.RootId)) : std::nullopt;
    const Poly Count = A.Byte ? A.Bytes : A.Count * bytes(A.RootId);
    if (Low && (!Low->valid() || !Count.valid()))
      Low.reset();
    A.Partial = !Low;
    A.Count = Low ? Count : Poly(1);
    A.Low = std::move(Low);
    A.Byte.reset();
  });
  for (unsigned Id = 0; Id != Tree.Roots.size(); ++Id)
    if (Root &R = Tree.Roots[Id]; Of(Id)) {
      if (R.Count)
        R.Count = *R.Count * bytes(Id);
      if (R.Count && !R.Count->valid())
        R.Count.reset();
      R.ElementBytes = 1;
      R.PartlyUnwritten = false;
    }
}

} // namespace hsched::cc
