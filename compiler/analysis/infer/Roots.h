// What a task does with each root of its tree: clauses that name it are checked, absent ones inferred, and data that no
// clause can name are told of.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_ROOTS_H
#define HSCHED_ANALYSIS_INFER_ROOTS_H

#include "analysis/bind/Internal.h"
#include "analysis/infer/Sharing.h"
#include "analysis/infer/Subject.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace hsched::cc {

struct Roots : BindContext {
  explicit Roots(const BindContext &C) : BindContext(C), Shared(C.Context) {}

  Sharing Shared;
  std::map<std::string, clang::QualType> Locals;   // Of a statement: variables with automatic storage.
  std::vector<const clang::ValueDecl *> SeenLater; // See BoundInline.

  template <unsigned N, class... Args>
  void remark(clang::SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
    if (Options.Explain)
      report(Diags, clang::DiagnosticsEngine::Remark, Loc, Format, Values...);
  }

  // Why an access cannot be told, as a note where it stands.
  void because(const Subject &S, clang::SourceLocation Loc, const std::string &Why);
  // Sections that are just what a body touches, by their places.
  std::set<clang::SourceLocation> Exact;
  // Whether without the clause just this would be inferred.
  bool asInferred(const Subject &S, unsigned Id, const Box &All, const Section &Written);
  // Whether there was something to say.
  bool check(const Subject &S, unsigned Id, const BoundFunction &Main, const BoundFunction *Version);
  enum class Verdict { Nothing, Inferred, Failed };
  // Adds the access that no clause names. F is the task.
  Verdict infer(const Subject &S, unsigned Id, BoundFunction &F, std::vector<AccessCode> &Found);
  // Where one section cannot hold all that the body touches, and a few can: adds an access for each. A is made but for
  // its section.
  bool inferPieces(const Subject &S, unsigned Id, BoundFunction &F, AccessCode A, clang::QualType T,
                   std::vector<AccessCode> &Found);
  // Data that the body touches and no clause can or does name.
  void unnamed(const Subject &S, unsigned Id, BoundFunction &F, const std::string &Why, const std::string &Clause);
  // A local variable that no clause names: a statement that is a task has a copy of its own.
  bool privateCopy(const Subject &S, unsigned Id) const;
  // Whether the root is a static of a function, or behind one, that is not in scope at the directive.
  bool hidden(const Subject &S, unsigned Id, const BoundFunction &F) const;
  // The variable that a statement has a copy of, no clause naming it, and that Id is in or behind; null: there is none.
  // Owned: what it owns is in it, what its pointers lead to is not.
  const Root *copied(const Subject &S, unsigned Id, const BoundFunction &F, bool Owned) const;
  // Whether the root is in what a statement has copies of: its variables, and what they own.
  bool own(const Subject &S, unsigned Id, const BoundFunction &F) const;
  // A change to what a copy owns is lost.
  void checkLost(const Subject &S, unsigned Id, const BoundFunction &F);
  // Whether a clause for what is behind a copied variable would have the task work on the variable itself.
  bool wouldRefer(const Subject &S, unsigned Id, const BoundFunction &F) const;
  // Whether clauses name the variable or member in pieces, as in out(matrix[i]), and allow there what is done with it.
  bool namedInPart(const Subject &S, unsigned Id) const;
  // The clause that would name the root; empty where there is none.
  std::string clauseNaming(const Subject &S, unsigned Id, const BoundFunction &F) const;
  // What a parameter leads to, of which clauses name parts, or what pointers in it lead to.
  void checkPieces(const Subject &S, unsigned Id, BoundFunction &F);
  Verdict root(const Subject &S, unsigned Id, BoundFunction &F, std::vector<AccessCode> &Found);
};

} // namespace hsched::cc
#endif
