// Sets of elements, and whether some of them hold another.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_REGION_H
#define HSCHED_ANALYSIS_REGIONS_REGION_H

#include "analysis/regions/Prover.h"
#include "model/AccessTree.h"

namespace hsched::cc::regions {

// The elements Index for all values of Free for which the conditions hold. Other symbols in it are what they are
// around: Values, and counters of loops that are still running.
struct Region {
  unsigned RootId = 0;
  Poly Index;
  std::vector<SymbolId> Free;
  Polys Conditions;
};

// Makes and compares regions. Where it cannot say how a set looks it takes a smaller one: a region made here holds at
// most what was asked for, and contains() is right to say yes.
class Regions {
public:
  Regions(Prover &P, SymbolId &Next) : P(P), Next(Next) {}

  SymbolId fresh() { return Next++; }

  // Elements Low .. Low + Count - 1.
  Region range(unsigned RootId, const Poly &Low, const Poly &Count);
  Region ofBox(const Box &B);

  // The same elements, where Facts hold and B is not empty: the innermost dimension of B, if it is contiguous, in as
  // many as the strides of Like divide it into.
  Box cut(const Box &B, const std::vector<const Region *> &Like, const Polys &Facts);

  // The union over all values of S for which Range holds, S being no longer a symbol outside. Nothing: not expressible.
  std::optional<Region> over(const Region &R, SymbolId S, const Polys &Range);

  // The same set with symbols of its own in place of R's Free.
  Region renamed(const Region &R);

  // Neighbouring single elements become one region each.
  void coalesce(std::vector<Region> &All);

  // Whether each element of What, the values of its own symbols and those around being such that Facts hold, is in one
  // of the regions.
  bool contains(const std::vector<const Region *> &All, const Poly &Index, const Polys &Facts, unsigned Depth = 4);

private:
  Prover &P;
  SymbolId &Next;
  std::map<Poly, std::map<Polys, std::vector<Region>>> ViewMemo;

  // {Conditions without S} that hold only where a value of S makes all of them hold.
  std::optional<Polys> eliminated(const Polys &Conditions, SymbolId S);
  // The region, and with dimensions that follow one another without a gap made one, as far as that goes.
  const std::vector<Region> &views(const Region &R);
  std::optional<Region> merged(const Region &R, SymbolId Outer, SymbolId Inner, const Poly &Ratio);
  // When Index is an element of R, told without R's Free; nothing: one cannot say. What R's Index begins with is taken
  // apart into rows and columns, or all of it is columns (n - 1 is the last one, and not the one before the next row).
  std::optional<Polys> membership(const Region &R, const Poly &Index, bool Columns) const;
  bool containsWithin(const std::vector<const Region *> &All, const Poly &Index, const Polys &Facts, unsigned Depth,
                      unsigned &Left);
};

} // namespace hsched::cc::regions
#endif
