// Translates clause expressions to polynomials over a tree's symbols, and boxes to section text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_WORDS_H
#define HSCHED_ANALYSIS_INFER_WORDS_H

#include "model/AccessTree.h"
#include "model/Directive.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace hsched::cc {

// Reads expressions in terms of one function. Adds new symbols to the tree.
class Words {
public:
  // The value of a name that is a constant: a constexpr variable, an enumerator, a numeric macro.
  using Constants = std::function<std::optional<std::int64_t>(llvm::StringRef)>;
  // The tree's name for a name in the clause: clause and body may name parameters
  // differently.
  using Renaming = std::function<std::string(llvm::StringRef)>;

  Words(AccessTree &Tree, Constants ConstantOf, Renaming InTree)
      : Tree(Tree), ConstantOf(std::move(ConstantOf)), InTree(std::move(InTree)) {}

  // Sums and products become terms. Everything else, such as n / 2 or f(n), becomes a symbol with that spelling.
  // Nothing if it is no integer expression: strings, lambdas, braces, assignments.
  std::optional<Poly> poly(llvm::StringRef Text);

  // The symbol of an opaque expression that has the same value during the whole call.
  SymbolId symbol(llvm::StringRef Spelling);

private:
  AccessTree &Tree;
  Constants ConstantOf;
  Renaming InTree;
};

// The text of Box as a section of the pointer or array that Base names. PerElement: elements of the box in one of
// Base's, if it points to arrays, which are named whole. Nothing if no text names every element. Exact: set to true if
// it names no others.
//
// The text is correct for non-negative strides. Wide, if given, spells the evaluated form: it names every element for
// any sign of the strides, and none if a dimension is empty.
using Speller = std::function<std::string(const Poly &)>;
std::optional<Section> sectionOf(const Box &B, const std::string &Base, std::int64_t PerElement, const Speller &Spell,
                                 bool &Exact, const Speller &Wide = {});

// Text without blanks, to compare expressions.
std::string withoutBlanks(llvm::StringRef Text);

// Text with each name replaced by Means(name, Before). Before: the preceding '.', '>' (of '->') or ':' of a member or
// qualified name; else 0.
std::string withNames(llvm::StringRef Text, llvm::function_ref<std::string(llvm::StringRef Name, char Before)> Means);

// Number of elements from the first to the last of B, inclusive. Invalid: unknown.
Poly spanOf(const Box &B);

} // namespace hsched::cc
#endif
