// Finds the function behind each function directive, and the place of each taskwait.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_FUNCTIONS_H
#define HSCHED_ANALYSIS_FUNCTIONS_H

#include "model/Directive.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hsched::cc {

// A declaration outside functions, keyed by its begin in the file.
struct Site {
  clang::SourceLocation Begin; // In its file.
  const clang::Decl *D;
  const clang::FunctionDecl *Function; // Null if it is no function.
  const clang::FunctionTemplateDecl *Template;
};

// All declarations of user files at namespace and class scope; system headers are skipped.
class Sites {
public:
  explicit Sites(clang::ASTContext &Context);
  // The first declaration that begins behind Loc in the same file.
  const Site *after(clang::SourceLocation Loc) const;
  // The function whose body contains Loc. Outside of functions: the lambda's call operator.
  const clang::FunctionDecl *around(clang::SourceLocation Loc) const;

private:
  clang::ASTContext &Context;
  std::map<clang::FileID, std::map<unsigned, Site>> ByFile; // Keyed by offset.
  std::vector<const clang::FunctionDecl *> Lambdas;         // In the initialisers of variables and members.
  void visit(const clang::DeclContext *DC);
  void addLambdas(const clang::Stmt *S);
  void add(const clang::Decl *D);
};

// The place of the statement of a directive inside a function.
struct StatementPlace {
  bool Valid = false;                         // It is a direct child of a compound statement.
  std::vector<const clang::VarDecl *> Locals; // Variables declared before it.
  std::set<std::string> Names;                // Names declared before it.
};
StatementPlace placeOf(clang::ASTContext &Context, const clang::FunctionDecl *F, clang::SourceLocation Loc);

} // namespace hsched::cc
#endif
