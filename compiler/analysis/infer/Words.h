// Clause expressions to polynomials over a tree's symbols, and boxes back to sections as people write them.
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

// Reads expressions in the words of one function. Symbols that the tree does not know yet are added to it.
class Words {
public:
  // What a name stands for where it is a constant: a constexpr variable, an enumerator, a macro that is a number.
  using Constants = std::function<std::optional<std::int64_t>(llvm::StringRef)>;
  // The name that the tree uses for a name of the clause: parameters may be called differently where the clause
  // stands and where the body does.
  using Renaming = std::function<std::string(llvm::StringRef)>;

  Words(AccessTree &Tree, Constants ConstantOf, Renaming InTree)
      : Tree(Tree), ConstantOf(std::move(ConstantOf)), InTree(std::move(InTree)) {}

  // Sums and products become terms; everything else, n / 2 or f(n), is a symbol of that spelling. Nothing for what is
  // no expression of integers: strings, lambdas, braces, assignments.
  std::optional<Poly> poly(llvm::StringRef Text);

  // The symbol of an opaque expression that has the same value during the whole call.
  SymbolId symbol(llvm::StringRef Spelling);

private:
  AccessTree &Tree;
  Constants ConstantOf;
  Renaming InTree;
};

// Where the clause of a section may be written: the text of Box as a section of the pointer or array that Base names.
// PerElement: elements of the box in one of Base's, when it points to arrays, which are named whole. Nothing where it
// cannot be written so that it names every element of the box. Exact is set to whether it names no others.
//
// The text is right where strides are not negative. Wide, where it is given, spells what is evaluated instead, and that
// names every element of the box whatever the signs, and none where a dimension is empty.
using Speller = std::function<std::string(const Poly &)>;
std::optional<Section> sectionOf(const Box &B, const std::string &Base, std::int64_t PerElement, const Speller &Spell,
                                 bool &Exact, const Speller &Wide = {});

// Expressions that differ in nothing else are the same.
std::string withoutBlanks(llvm::StringRef Text);

// Text with each name in it as Means has it. Before: the character in front where the name is a member's, '.' or '>' of
// '->', or is qualified, ':'; else 0.
std::string withNames(llvm::StringRef Text, llvm::function_ref<std::string(llvm::StringRef Name, char Before)> Means);

// How many elements lie between the first and the last of B, both counted; invalid where that is unknown.
Poly spanOf(const Box &B);

} // namespace hsched::cc
#endif
