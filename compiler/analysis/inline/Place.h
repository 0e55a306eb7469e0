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
  const clang::Stmt *Target = nullptr;         // The statement that follows; null: none.
  std::vector<const clang::Stmt *> Around;     // Enclosing statements, outermost first.
  std::vector<const clang::ValueDecl *> Scope; // Variables and bindings in scope; inner ones later.
  // Types, enumerators, functions, aliases and what using declarations bring in; inner ones later.
  std::vector<const clang::NamedDecl *> Types;
  std::vector<const clang::NamedDecl *> All;           // Scope and Types, inner ones later.
  std::vector<const clang::NamespaceDecl *> Nominated; // By using directives of the functions.
  // Enclosing functions: the outermost, then lambdas and local classes' functions.
  std::vector<const clang::FunctionDecl *> Functions;
  bool Dependent = false; // In a template: types may be known only at instantiation.

  // The innermost variable of that name, or null.
  const clang::ValueDecl *find(llvm::StringRef Name) const;
};

// The place of a directive that ends at Loc in the body of F.
InlinePlace inlinePlaceOf(clang::ASTContext &Context, const clang::FunctionDecl *F, clang::SourceLocation Loc);

// The location behind S and its ';'. Invalid if S ends inside a macro.
clang::SourceLocation endOfStatement(clang::ASTContext &Context, const clang::Stmt *S);

} // namespace hsched::cc
#endif
