// Access trees in the form that the analyses work on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against AccessTree: every loop has a counter of its own that goes up by 1, and says as conditions which values it
// takes; no polynomial mentions anything that is not a Value or the counter of a loop around it (what did is
// unbounded, Anywhere or not Exact); what follows a Stop is gone, and what is reached only where a branch did not stop
// stands inside the other branch, so that the branch's condition holds for it.
#ifndef HSCHED_ANALYSIS_REGIONS_NORMAL_H
#define HSCHED_ANALYSIS_REGIONS_NORMAL_H

#include "analysis/regions/Prover.h"
#include "model/AccessTree.h"

#include <functional>

namespace hsched::cc::regions {

struct Step {
  Node::Kind K = Node::Seq;
  std::vector<Step> Children; // As of Node; of If always two.
  unsigned Id = 0;            // Of each node another.

  // Loop.
  SymbolId Counter = 0;
  bool Bounded = false, Parallel = false, Breaks = false;
  Polys Range;              // Bounded: Counter takes exactly the values for which these are >= 0.
  Poly First;               // Bounded: the first of them.
  std::optional<Poly> Last; // The last, where a polynomial tells it.

  Polys When; // If.
  bool Exact = false;

  // Leaf.
  unsigned RootId = 0;
  AccessKind Kind = AccessKind::Read;
  std::optional<Poly> Low;
  Poly Count = 1;
  std::optional<Poly> Byte; // As of Access.
  Poly Bytes = 0;
  bool Sure = true;  // Is made whenever control comes by.
  bool Whole = true; // Of whole elements.
  const Access *A = nullptr;

  bool Throws = false; // Stop.
  bool Stops = false;  // Some path through it ends the call, or the work-item that it is in.
  clang::SourceLocation Loc;

  bool reads() const { return K == Node::Leaf && Kind != AccessKind::Write; }
  bool writes() const { return K == Node::Leaf && Kind != AccessKind::Read; }
};

// Conditions of an If that hold for its first child (Branch 0) or its second.
Polys conditionsOf(const Step &If, unsigned Branch);

struct NormalTree {
  Step Body;
  unsigned Steps = 0;       // Ids given.
  SymbolId FirstCounter;    // Symbols from here on are counters, those before are the tree's Values.
  SymbolId Next;            // The first symbol not in use.
  bool TooLarge = false;    // Body is empty: nothing can be said.
  std::set<SymbolId> Sizes; // Values that a loop's length is a positive multiple of: supposed not to be negative.

  bool isCounter(SymbolId S) const { return S >= FirstCounter; }
  bool hasCounters(const Poly &P) const;
  bool known(const Poly &P) const; // Of Values alone.
  std::vector<bool> Value;         // By the tree's symbols.
};

NormalTree normalize(const AccessTree &Tree);

} // namespace hsched::cc::regions
#endif
