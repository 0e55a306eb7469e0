// Visits of Clang's syntax tree, by RecursiveASTVisitor.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AstVisitor.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace hsched::cc {

class AstVisitor::Walk : public RecursiveASTVisitor<Walk> {
public:
  explicit Walk(AstVisitor &To) : To(To) {}

  bool shouldVisitTemplateInstantiations() const { return To.entersInstantiations(); }
  bool TraverseDecl(Decl *D) { return !D || !To.enters(*D) || RecursiveASTVisitor::TraverseDecl(D); }
  bool dataTraverseStmtPre(Stmt *S) { return To.enters(*S); }
  bool VisitDecl(Decl *D) { return To.visit(*D); }
  bool VisitStmt(Stmt *S) { return To.visit(*S); }

private:
  AstVisitor &To;
};

bool AstVisitor::visitAll(Decl *D) { return Walk(*this).TraverseDecl(D); }
bool AstVisitor::visitAll(Stmt *S) { return Walk(*this).TraverseStmt(S); }

} // namespace hsched::cc
