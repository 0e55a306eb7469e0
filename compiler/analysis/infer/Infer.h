// Inference: infers absent clauses from bodies, and warns about clauses that bodies contradict.
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

  // Compares a main version's body with its clauses. Adds accesses for memory behind parameters that no clause names.
  // Reports errors; sets F.Bad if an extent cannot be inferred. No effect without a visible body.
  void inferTask(BoundFunction &F);

  // The same for a statement task: memory behind captured pointers. Statements in templates are analysed only as
  // instances.
  void inferStatement(BoundInline &B);

  // Compares a version's body with the accesses of its main version.
  void checkVersion(BoundFunction &F);

  // The same for a kernel. Tree: its tree in terms of the version's parameters. At: translates a place in the tree to
  // one for diagnostics.
  void inferKernelTask(BoundFunction &F, AccessTree Tree,
                       std::function<clang::SourceLocation(clang::SourceLocation)> At);
  void checkKernelVersion(BoundFunction &F, AccessTree Tree,
                          std::function<clang::SourceLocation(clang::SourceLocation)> At);

  // Reports what depends on all tasks. Call it last.
  void finish();

  // True if an analysed body accesses all of S, which a clause names, and nothing else of the object around it.
  bool touchesExactly(const Section &S) const;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace hsched::cc
#endif
