// Clauses that bodies contradict.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_CHECKS_H
#define HSCHED_ANALYSIS_INFER_CHECKS_H

#include "analysis/infer/Subject.h"

namespace hsched::cc {

// A task that is a statement has no directive on a declaration: Annotated is the function that contains it.
inline bool isStatement(const BoundFunction &F) { return F.Written.empty(); }

// In messages: a function's name, or the place of a statement.
inline std::string calledSo(const BoundFunction &F) {
  return isStatement(F) ? F.Task.Name : F.Annotated->getNameAsString();
}

// Tells where what is declared for root Id of this body is not true, and returns whether there was something to tell.
// Main is where the clauses stand; Version, where it is not null, is the version whose body this is.
bool checkClauses(const BindContext &C, const Subject &S, unsigned Id, const BoundFunction &Main,
                  const BoundFunction *Version);

} // namespace hsched::cc
#endif
