// Access trees in the form that the analyses work on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normal form of an AccessTree. Every loop has its own counter, which increases by 1 and whose values are given by
// conditions. Polynomials contain only Values and counters of enclosing loops (anything else is unbounded, Anywhere or
// not Exact). Code behind a Stop is removed. Code that is reached only if a branch did not stop is moved into the other
// branch, so that branch's condition holds for it.
#ifndef HSCHED_ANALYSIS_REGIONS_NORMAL_H
#define HSCHED_ANALYSIS_REGIONS_NORMAL_H

#include "analysis/regions/Prover.h"
#include "model/AccessTree.h"

#include <functional>

namespace hsched::cc::regions {

struct Step {
  Node::Kind K = Node::Seq;
  std::vector<Step> Children; // As in Node; an If always has two.
  unsigned Id = 0;            // Unique in the tree.

  // For Loop.
  SymbolId Counter = 0;
  bool Bounded = false, Parallel = false, Breaks = false;
  Polys Range;              // If Bounded: Counter takes exactly the values for which these are >= 0.
  Poly First;               // If Bounded: the first value.
  std::optional<Poly> Last; // The last value, if it is a polynomial.

  Polys When; // For If.
  bool Exact = false, Given = false, Assumed = false;
  std::optional<SymbolId> Number; // As in Node.

  // For Leaf.
  unsigned RootId = 0;
  AccessKind Kind = AccessKind::Read;
  std::optional<Poly> Low;
  Poly Count = 1;
  std::optional<Poly> Byte; // As in Access.
  Poly Bytes = 0;
  bool Sure = true;  // It is executed whenever control reaches it.
  bool Whole = true; // It accesses whole elements.
  const Access *A = nullptr;

  bool Throws = false; // For Stop.
  bool Stops = false;  // Some path in it ends the call, or the work-item around it.
  clang::SourceLocation Loc;

  bool reads() const { return K == Node::Leaf && Kind != AccessKind::Write; }
  bool writes() const { return K == Node::Leaf && Kind != AccessKind::Read; }
};

// Conditions of an If that hold for its first child (Branch 0) or its second.
Polys conditionsOf(const Step &If, unsigned Branch);

struct NormalTree {
  Step Body;
  unsigned Steps = 0;       // Number of ids given.
  SymbolId FirstCounter;    // Symbols from here on are counters; those before are the tree's.
  SymbolId Next;            // The first symbol not in use.
  bool TooLarge = false;    // Body is empty: nothing is known.
  std::set<SymbolId> Sizes; // Values of which a loop's length is a positive multiple: assumed not negative.

  bool isCounter(SymbolId S) const { return S >= FirstCounter; }
  bool hasCounters(const Poly &P) const;
  bool known(const Poly &P) const; // True if it contains only Values.
  std::vector<bool> Value;         // By the tree's symbols: true for a Value.
};

NormalTree normalize(const AccessTree &Tree);

} // namespace hsched::cc::regions
#endif
