// Sets of elements, and containment in a union of them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_REGION_H
#define HSCHED_ANALYSIS_REGIONS_REGION_H

#include "analysis/regions/Prover.h"
#include "model/AccessTree.h"

namespace hsched::cc::regions {

// The set of elements Index for all values of Free that satisfy the conditions. Other symbols are parameters: Values,
// and counters of enclosing loops.
struct Region {
  unsigned RootId = 0;
  Poly Index;
  std::vector<SymbolId> Free;
  Polys Conditions;
};

// Makes and compares regions. If a set is not expressible, a subset is used: a region never contains more than
// requested, and a "yes" of contains() is correct.
class Regions {
public:
  Regions(Prover &P, SymbolId &Next) : P(P), Next(Next) {}

  SymbolId fresh() { return Next++; }

  // The elements Low .. Low + Count - 1.
  Region range(unsigned RootId, const Poly &Low, const Poly &Count);
  Region ofBox(const Box &B);

  // The same elements, under Facts and for non-empty B: a contiguous innermost dimension is split by the strides of
  // Like.
  Box cut(const Box &B, const std::vector<const Region *> &Like, const Polys &Facts);

  // The union over all values of S for which Range holds; S is then no parameter. Nothing: not expressible.
  std::optional<Region> over(const Region &R, SymbolId S, const Polys &Range);

  // The same set with fresh symbols in place of R's Free.
  Region renamed(const Region &R);

  // Merges adjacent single elements.
  void coalesce(std::vector<Region> &All);

  // True if, under Facts, each element Index is in one of the
  // regions.
  bool contains(const std::vector<const Region *> &All, const Poly &Index, const Polys &Facts, unsigned Depth = 4);

private:
  Prover &P;
  SymbolId &Next;
  std::map<Poly, std::map<Polys, std::vector<Region>>> ViewMemo;

  // Conditions without S that imply that some value of S satisfies all of Conditions.
  std::optional<Polys> eliminated(const Polys &Conditions, SymbolId S);
  // The region, and forms of it in which adjacent dimensions without gaps are merged.
  const std::vector<Region> &views(const Region &R);
  std::optional<Region> merged(const Region &R, SymbolId Outer, SymbolId Inner, const Poly &Ratio);
  // Conditions under which Index is in R, without R's Free. Nothing: not expressible. The offset of R's Index is
  // decomposed into rows and columns. With Columns it counts as columns only: n - 1 is the last column, not one before
  // the next row.
  std::optional<Polys> membership(const Region &R, const Poly &Index, bool Columns) const;
  bool containsWithin(const std::vector<const Region *> &All, const Poly &Index, const Polys &Facts, unsigned Depth,
                      unsigned &Left);
};

} // namespace hsched::cc::regions
#endif
