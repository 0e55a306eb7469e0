// From a function to what is inferred of it, as a caller of the analysis would.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_CORPUS_INFER_H
#define HSCHED_TEST_CORPUS_INFER_H

#include "analysis/lower/Lower.h"
#include "analysis/regions/Effects.h"

#include <memory>
#include <string>
#include <vector>

namespace hsched::cc::corpus {

struct InferredAccess {
  unsigned Root = 0;
  std::string Role; // "in", "out", "inout", "none"
  bool Whole = false;
  std::optional<Box> Section;
};

struct Inferred {
  AccessTree Tree;
  std::unique_ptr<Effects> E; // of Tree
  std::vector<InferredAccess> Accesses;
  bool Opaque = false; // memory that has no name is touched
};

// Roles and sections of all roots that a caller has to do with: no local memory of a kernel, no constant tables.
void conclude(Inferred &I, const clang::FunctionDecl &F);

std::string print(const InferredAccess &A, const AccessTree &T);

} // namespace hsched::cc::corpus
#endif
