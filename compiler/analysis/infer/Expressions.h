// Text of clauses to Clang's expressions, in which each name is the declaration that it means where the clauses stand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's parser is done when clauses are compared with bodies, and never saw them: a directive stands in front of its
// function. So expressions are parsed here; Clang's semantic analysis makes them, with overloads, conversions and
// constants. They are then lowered as bodies are.
#ifndef HSCHED_ANALYSIS_INFER_EXPRESSIONS_H
#define HSCHED_ANALYSIS_INFER_EXPRESSIONS_H

#include "analysis/Names.h"
#include "model/Directive.h"

#include <optional>

namespace hsched::cc {

class Expressions {
public:
  // Of clauses on the function that Called is about, in terms of Body's parameters, and of the arguments of Body's
  // template where it is an instance.
  Expressions(clang::Sema &S, const Names &Called, const clang::FunctionDecl &Clauses, const clang::FunctionDecl &Body);

  // The number that Text is, as an rvalue, or null: it is none, is not understood, or means something else in each
  // round of one of the generators of Of.
  const clang::Expr *number(llvm::StringRef Text, const Section &Of) const;

  // Every expression in Clauses that is a number, by its text once each name in it has its one spelling.
  Lowering::Asked all(Names &Called, const std::vector<AccessCode> &Clauses) const;

private:
  clang::Sema &S;
  const Names &Called;
  const clang::FunctionDecl &Clauses, &Body;
};

// What the instance In has for a number that its template, or its class's, is over.
std::optional<std::int64_t> argumentOf(const clang::NonTypeTemplateParmDecl &P, const clang::FunctionDecl &In);

} // namespace hsched::cc
#endif
