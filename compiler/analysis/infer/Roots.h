// Analysis of each root of a task's tree. It checks the clauses that name the root and infers absent ones. It warns
// about data that no clause can name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_ROOTS_H
#define HSCHED_ANALYSIS_INFER_ROOTS_H

#include "analysis/bind/Internal.h"
#include "analysis/infer/Questions.h"
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
  StaticChanges OfStatics;
  std::map<std::string, clang::QualType> Locals;   // For a statement: automatic variables.
  std::vector<const clang::ValueDecl *> ReadAfter; // See BoundInline.
  std::string Variable;                            // The counter of a taskloop.

  template <unsigned N, class... Args>
  void remark(clang::SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
    if (Options.Explain)
      report(Diags, clang::DiagnosticsEngine::Remark, Loc, Format, Values...);
  }

  // Adds a note at the access: the reason why it is unknown.
  void noteReason(const Subject &S, clang::SourceLocation Loc, const std::string &Why);
  // Places of sections that are exactly the accessed ones.
  std::set<clang::SourceLocation> Exact;
  // True if exactly this section would be inferred without the clause.
  bool equalsInferred(const Subject &S, unsigned Id, const Box &All, const Section &Written);
  // Checks the clauses of a root. True if something was reported.
  bool check(const Subject &S, unsigned Id, const BoundFunction &Main, const BoundFunction *Version);
  enum class Verdict { Nothing, Inferred, Failed };
  // Infers the access that no clause names. F is the task.
  Verdict infer(const Subject &S, unsigned Id, BoundFunction &F, std::vector<AccessCode> &Found);
  std::string ofIterations(const Subject &S, unsigned Id) const;
  // Adds several accesses if no single section contains all accessed elements. A is complete except for its
  // section.
  bool inferPieces(const Subject &S, unsigned Id, BoundFunction &F, AccessCode A, clang::QualType T,
                   std::vector<AccessCode> &Found);
  // Warns about data that the body accesses and no clause names or can name.
  void unnamed(const Subject &S, unsigned Id, BoundFunction &F, const std::string &Why, const std::string &Clause);
  // True for a local variable that no clause names: a statement task has its own copy.
  bool privateCopy(const Subject &S, unsigned Id) const;
  // True if the root is, or is behind, a function's static variable that is not in scope at the directive.
  bool hidden(const Subject &S, unsigned Id, const BoundFunction &F) const;
  // The variable without a clause that a statement copies, and that contains or leads to Id; null: none. Owned: only
  // memory that the variable owns, not memory behind its pointers.
  const Root *copied(const Subject &S, unsigned Id, const BoundFunction &F, bool Owned) const;
  // True if the root is in a statement's copies: its variables, and what they own.
  bool own(const Subject &S, unsigned Id, const BoundFunction &F) const;
  // True if N, a number in memory, is the task's own, or a variable that is defined in this unit. The latter is added
  // to Counting: it changes before the task runs only if a task writes it.
  bool constant(const Subject &S, const Symbol &N, const BoundFunction &F, std::vector<std::string> &Counting);
  // Reports later that the extent of Name cannot be inferred if one of Counting is not constant.
  void keepConstant(const Subject &S, const BoundFunction &F, const std::string &Name, const std::string &Clause,
                    const std::vector<std::string> &Counting);
  void noExtent(clang::SourceLocation Loc, const std::string &Name, const std::string &Why, const std::string &Clause);
  // Warns about changes to memory owned by a copy, which are lost.
  void checkLost(const Subject &S, unsigned Id, const BoundFunction &F);
  // True if a clause for memory behind a copied variable would make the task use the variable itself.
  bool wouldUseVariable(const Subject &S, unsigned Id, const BoundFunction &F) const;
  // True if clauses name parts of the variable or member, as in out(matrix[i]), with sufficient roles.
  bool namedInPart(const Subject &S, unsigned Id) const;
  // The clause that would name the root. Empty: none.
  std::string clauseNaming(const Subject &S, unsigned Id, const BoundFunction &F) const;
  // Checks memory behind a parameter of which clauses name parts, or memory behind pointers in it.
  void checkPieces(const Subject &S, unsigned Id, BoundFunction &F);
  Verdict root(const Subject &S, unsigned Id, BoundFunction &F, std::vector<AccessCode> &Found);
};

} // namespace hsched::cc
#endif
