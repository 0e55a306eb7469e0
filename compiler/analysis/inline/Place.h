// The statement that a directive inside a function stands on, and what surrounds it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INLINE_PLACE_H
#define HSCHED_ANALYSIS_INLINE_PLACE_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Stmt.h"

#include <string>
#include <vector>

namespace hsched::cc {

struct InlinePlace {
  const clang::Stmt *Target = nullptr;         // The statement that follows; null: none does.
  std::vector<const clang::Stmt *> Around;     // Statements that contain it, outermost first.
  std::vector<const clang::ValueDecl *> Scope; // Variables and bindings that can be named there; inner ones later.
  std::vector<const clang::FunctionDecl *>
      Functions;          // That contain it: the outermost, then lambdas and local classes'.
  bool Dependent = false; // In a template: types may be known at instantiation alone.

  // The innermost variable of that name; null where there is none.
  const clang::ValueDecl *find(llvm::StringRef Name) const;
};

// Of a directive that ends at Loc in the body of F.
InlinePlace inlinePlaceOf(clang::ASTContext &Context, const clang::FunctionDecl *F, clang::SourceLocation Loc);

// Behind the last character of S, its ';' included; invalid where the text does not end with S: in a macro.
clang::SourceLocation endOfStatement(clang::ASTContext &Context, const clang::Stmt *S);

} // namespace hsched::cc
#endif
