// Visits of Clang's syntax tree.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_ANALYSIS_ASTVISITOR_H
#define HSCHED_CC_ANALYSIS_ASTVISITOR_H

namespace clang {
class Decl;
class Stmt;
} // namespace clang

namespace hsched::cc {

// Visits each declaration and each statement or expression of a tree, outer ones before inner ones, in their order in
// the text. Initialiser lists are visited in both forms. Clang's RecursiveASTVisitor does the same, but each class that
// derives from that template takes 8 s to compile; this one is compiled once.
class AstVisitor {
public:
  // Visits the node and what is inside it. Null: nothing. False: a visit ended all.
  bool visitAll(clang::Decl *D);
  bool visitAll(clang::Stmt *S);

protected:
  AstVisitor() = default;
  ~AstVisitor() = default;

  // False ends all visits.
  virtual bool visit(clang::Decl &) { return true; }
  virtual bool visit(clang::Stmt &) { return true; }
  // False: the node and what is inside it are left out.
  virtual bool enters(const clang::Decl &) { return true; }
  virtual bool enters(const clang::Stmt &) { return true; }
  // Whether implicit instantiations of templates are visited.
  virtual bool entersInstantiations() const { return false; }

private:
  class Walk;
};

} // namespace hsched::cc
#endif
