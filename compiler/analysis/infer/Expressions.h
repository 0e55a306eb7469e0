// Parses clause text to Clang's expressions, with names resolved at the clause.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's parser has finished when clauses are compared with bodies, and it never sees clauses. So expressions are
// parsed here, and Clang's semantic analysis builds them, with overloads, conversions and constants. They are then
// lowered like bodies.
#ifndef HSCHED_ANALYSIS_INFER_EXPRESSIONS_H
#define HSCHED_ANALYSIS_INFER_EXPRESSIONS_H

#include "analysis/Names.h"
#include "model/Directive.h"

#include <optional>

namespace hsched::cc {

class Expressions {
public:
  // For clauses on the function of Called, in terms of Body's parameters and of the template arguments if Body is an
  // instance.
  Expressions(clang::Sema &S, const Names &Called, const clang::FunctionDecl &Clauses, const clang::FunctionDecl &Body);

  // The number Text as an rvalue. Null: it is not a number, is not understood, or varies with a generator of
  // Of.
  const clang::Expr *number(llvm::StringRef Text, const Section &Of) const;

  // The same of any type that is known. Its value may depend on template parameters.
  const clang::Expr *value(llvm::StringRef Text, const Section &Of) const;

  // The type of the expression Text, of an array too. Null: it is not understood.
  clang::QualType typeOf(llvm::StringRef Text, const Section &Of) const;

  // Reason why Text has no meaning, or why it is no number if Number. Empty: it is right, or not understood.
  std::string problem(llvm::StringRef Text, const Section &Of, bool Number) const;

  // The type that Text denotes. Null: none.
  clang::QualType type(llvm::StringRef Text) const;

  // Text with its macros expanded, or Text itself if one of them is not understood.
  std::string expanded(llvm::StringRef Text) const;

  // True if a macro of Text may expand to the identifier Name.
  bool yields(llvm::StringRef Text, llvm::StringRef Name) const;
  // A macro of Text that is not understood, if the expansion may contain the identifier Name. Empty: there is none.
  std::string unclearMacro(llvm::StringRef Text, llvm::StringRef Name) const;

  // All numeric expressions in Clauses, by their text with normalised names.
  Lowering::ClauseValues all(Names &Called, const std::vector<AccessCode> &Clauses) const;

private:
  clang::Sema &S;
  const Names &Called;
  const clang::FunctionDecl &Clauses, &Body;
};

} // namespace hsched::cc
#endif
