// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/regions/Owned.h"

namespace hsched::cc {

void foldOwned(AccessTree &Tree, const std::function<bool(unsigned)> &Named) {
  const std::size_t Count = Tree.Roots.size();
  std::vector<bool> Touched(Count);
  eachLeaf(Tree.Body, [&](Node &L) { Touched[L.A.RootId] = Touched[L.A.RootId] || !L.A.Guess; });
  std::vector<unsigned> Into(Count);
  std::vector<std::optional<Poly>> At(Count);
  for (unsigned Id = 0; Id != Count; ++Id) {
    unsigned Up = Into[Id] = Id;
    for (; Tree.Roots[Up].Owned && !Named(Up); Up = Tree.Roots[Up].Parent)
      At[Id] = Tree.Roots[Up].Owner;
    if (Named(Up) || (Tree.Roots[Up].K == Root::Param && Touched[Up] && At[Id]))
      Into[Id] = Up;
  }
  eachLeaf(Tree.Body, [&](Node &L) {
    Access &A = L.A;
    const unsigned From = A.RootId;
    if (Into[From] == From)
      return;
    A.RootId = Into[From];
    A.Low = At[From];
    A.Count = 1;
    A.Byte.reset();
    A.Partial = true;
    A.Maybe = A.Maybe || !A.Low || A.K == AccessKind::Write;
    if (A.Low)
      A.Why.clear();
    else if (A.Why.empty())
      A.Why = "'" + Tree.Roots[From].Name + "' is one of several arrays";
  });
}

} // namespace hsched::cc
