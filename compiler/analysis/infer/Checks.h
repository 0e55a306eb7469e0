// Checks of clauses against bodies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_CHECKS_H
#define HSCHED_ANALYSIS_INFER_CHECKS_H

#include "analysis/infer/Sharing.h"

namespace hsched::cc {

// A task that is a statement has no directive on a declaration: Annotated is the function that contains it.
inline bool isStatement(const BoundFunction &F) { return F.Written.empty(); }

// The name in messages: of a function, or the place of a statement.
inline std::string calledSo(const BoundFunction &F) {
  return isStatement(F) ? F.Task.Name : F.Annotated->getNameAsString();
}

// Reports clauses for root Id that this body contradicts. True: something was reported. Main: the function with the
// clauses. Version: the version whose body this is, or null. Reads of members that no clause names go to Shared.
bool checkClauses(const BindContext &C, const Subject &S, unsigned Id, const BoundFunction &Main,
                  const BoundFunction *Version, Sharing &Shared);

} // namespace hsched::cc
#endif
