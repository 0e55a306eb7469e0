// What bodies do, against what directives say: absent clauses are inferred, and those that lie are told of.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   body or kernel --lower/--> AccessTree --regions/--> Effects --infer/--> accesses of the task, warnings,
//   --hsched-explain
#ifndef HSCHED_ANALYSIS_INFER_INFER_H
#define HSCHED_ANALYSIS_INFER_INFER_H

#include "analysis/bind/Internal.h"
#include "analysis/lower/Lower.h"
#include "analysis/regions/Effects.h"

#include <memory>

namespace hsched::cc {

// The bodies of one translation unit's tasks and versions. Not thread-safe.
class Inference {
public:
  explicit Inference(const BindContext &C);
  ~Inference();

  // Compares a main version's body with its clauses, and adds an access for what its parameters lead to and no clause
  // names. Reports; sets F.Bad where an extent cannot be inferred. Nothing happens where no body is visible.
  void inferTask(BoundFunction &F);

  // The same for a task that is a statement: what the pointers that it captures lead to. Statements in templates are
  // left alone: what they mean is not known before there are instances.
  void inferStatement(BoundInline &B);

  // Compares a version's body with the accesses of its main version.
  void checkVersion(BoundFunction &F);

  // The same for a kernel: Tree is its tree in the words of the version's parameters. At translates a place in the tree
  // to one that diagnostics can show.
  void inferKernelTask(BoundFunction &F, AccessTree Tree,
                       std::function<clang::SourceLocation(clang::SourceLocation)> At);
  void checkKernelVersion(BoundFunction &F, AccessTree Tree,
                          std::function<clang::SourceLocation(clang::SourceLocation)> At);

  // Reports what depends on all tasks. Last.
  void finish();

  // Whether a body that has been looked at touches all of S, which a clause names, and nothing else of what it is in.
  bool touchesExactly(const Section &S) const;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace hsched::cc
#endif
