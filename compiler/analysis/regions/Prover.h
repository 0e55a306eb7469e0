// Whether polynomials are never negative, given others that are not.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A question is turned round: P >= 0 follows from facts if the facts and -P - 1 >= 0 (values are integers) contradict
// each other, that is, if sums and products of them add up to a negative constant. Such a sum is looked for by linear
// programming in exact fractions over the monomials (Farkas' lemma; with the products of two facts, Handelman's
// theorem), so "yes" is a proof. "No" says only that none was found.
#ifndef HSCHED_ANALYSIS_REGIONS_PROVER_H
#define HSCHED_ANALYSIS_REGIONS_PROVER_H

#include "model/Poly.h"

#include <climits>
#include <map>
#include <set>
#include <vector>

namespace hsched::cc::regions {

using Polys = std::vector<Poly>; // Facts, or conditions: each is >= 0.

// The Q and R with P = Q * D + R in which R has no term that the first term of D divides; coefficients are divided
// rounding down. D is not zero.
std::pair<Poly, Poly> dividedWithRest(const Poly &P, const Poly &D);

// -P - 1 >= 0: what holds where P >= 0 does not.
Poly negation(const Poly &P);

// Concatenation.
Polys operator+(Polys A, const Polys &B);

class Prover {
public:
  // NonNegative: symbols that are >= 0. Budget bounds the work of all questions together: contradictions looked for,
  // and more for those that take long (see Work). When it is used up nothing more is proved.
  Prover(std::set<SymbolId> NonNegative, Polys Facts, unsigned Budget = 20000);

  bool contradictory(const Polys &Facts);        // No values satisfy them.
  bool holds(const Poly &P, const Polys &Facts); // P >= 0.
  bool holdsAlways(const Poly &P) { return holds(P, {}); }
  // Until the next call, no more than so much of the budget may be used.
  void begin(unsigned AtMost) { Now = AtMost; }
  bool exhausted() const { return Left == 0 || Now == 0; }
  // What has been done of Budget; the same for the same questions.
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

// The most symbols that one of its terms multiplies.
std::size_t degree(const Poly &P);
// Greater strides first: n * m before n before 8 before 1. Any order is right; this one finds the rows first.
bool wider(const Poly &A, const Poly &B);

} // namespace hsched::cc::regions
#endif
