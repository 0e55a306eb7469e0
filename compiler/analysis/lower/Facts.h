// What lowering notes about roots and symbols beside the access tree.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_ANALYSIS_LOWER_FACTS_H
#define HSCHED_CC_ANALYSIS_LOWER_FACTS_H

#include "model/AccessTree.h"

#include "clang/AST/Expr.h"

#include <set>

namespace hsched::cc {

// A place that can be named: which one it is, and its text at the clauses.
struct Named {
  AccessPath Path = {};
  std::string Text = {};
  bool empty() const { return Text.empty(); }
};

// Facts about a root that are not in the tree.
struct RootFacts {
  clang::QualType Type;                     // Type of an element; null: unknown.
  clang::QualType Row;                      // For Indirect: the pointer's target, if that is an array.
  std::uint64_t Bytes = 1;                  // Bytes of an element; 1 if unknown.
  Named Base;                               // The object, or the pointer to element 0. No text: it cannot be named.
  bool Many = false;                        // Summary root: stands for several arrays.
  std::int64_t Cell = -1;                   // For Indirect: the pointer's byte offset in the parent; -1: anywhere.
  bool Constant = false;                    // Never changes.
  bool Copied = false;                      // A statement's own copy of a variable.
  std::optional<Poly> Owner;                // For owned memory: its owner's place in the parent. Invalid: several.
  const clang::VarDecl *Variable = nullptr; // For a Global.
};
// Facts about a symbol that are not in the tree.
struct SymbolFacts {
  std::set<SymbolId> From;  // Symbols in its definition.
  int RootId = -1;          // The root from which it is loaded; -1: none.
  Poly Offset, Bytes;       // The place of that load.
  bool OfContainer = false; // The size of a container that is root RootId.
  bool Ranged = false;      // Unknown value in [Low, High).
  bool OrLow = false;       // Or Low, if High <= Low.
  Poly Low, High;
  std::optional<Poly> Meets;          // Its value, or range if Ranged, is right only if this is >= 0.
  const clang::Expr *Limit = nullptr; // For a loop's bound: the expression that the condition compares with.
  std::vector<Poly> Greatest;         // Unknown maximum of these.
  bool MayBeNegative = false;         // It is not a size.
  bool Large = false;                 // It may be a number without a sign that does not fit in int.
  bool Huge = false;                  // It may be one of 64 bits that does not fit in long long.
};

} // namespace hsched::cc
#endif
