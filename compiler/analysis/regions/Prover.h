// Proves that a polynomial is not negative, given others that are not negative.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proof by contradiction: P >= 0 follows from facts if they contradict -P - 1 >= 0, since values are integers. They do
// if sums and products of them give a negative constant. Linear programming in exact fractions over the monomials
// searches such a sum (Farkas' lemma; with products of two facts, Handelman's theorem). So "yes" is a proof. "No" means
// only that no proof was found.
#ifndef HSCHED_ANALYSIS_REGIONS_PROVER_H
#define HSCHED_ANALYSIS_REGIONS_PROVER_H

#include "model/Poly.h"

#include <climits>
#include <map>
#include <set>
#include <vector>

namespace hsched::cc::regions {

using Polys = std::vector<Poly>; // Facts, or conditions: each is >= 0.

// Polynomial division: the Q and R with P = Q * D + R where no term of R is divisible by the first term of D.
// Coefficients are divided rounding down. D is not zero.
std::pair<Poly, Poly> dividedWithRest(const Poly &P, const Poly &D);

// The negation of P >= 0: -P - 1 >= 0.
Poly negation(const Poly &P);

// Concatenation.
Polys operator+(Polys A, const Polys &B);

class Prover {
public:
  // NonNegative: symbols that are >= 0. Budget bounds the total work: attempted contradictions, with a higher cost for
  // long ones (see Work). When it is exhausted, nothing more is proved.
  Prover(std::set<SymbolId> NonNegative, Polys Facts, unsigned Budget = 20000);

  bool contradictory(const Polys &Facts);        // True if no values satisfy them.
  bool holds(const Poly &P, const Polys &Facts); // True if P >= 0 is proved.
  bool holdsAlways(const Poly &P) { return holds(P, {}); }
  // Limits the budget until the next call to AtMost.
  void begin(unsigned AtMost) { Now = AtMost; }
  bool exhausted() const { return Left == 0 || Now == 0; }
  // Budget used so far. Deterministic.
  unsigned spent() const { return Spent; }
  void assume(const Poly &P) {
    Known.push_back(P);
    Memo.clear();
  }

private:
  std::set<SymbolId> NonNegative;
  Polys Known;
  unsigned Left, Now = UINT_MAX, Spent = 0;
  std::map<Polys, bool> Memo;

  bool search(Polys Facts, std::size_t &Cells) const;
  void spend(std::size_t Units);
};

// The greatest number of symbols in one of its terms.
std::size_t degree(const Poly &P);
// Order of strides, greater first: n * m before n before 8 before 1. Any order is correct; this one finds rows first.
bool wider(const Poly &A, const Poly &B);

} // namespace hsched::cc::regions
#endif
