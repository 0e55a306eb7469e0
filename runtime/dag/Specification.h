// Reader of PySchedCL's kernel specifications, as in its paper and its published files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_SPECIFICATION_H
#define HSCHED_DAG_SPECIFICATION_H

#include "dag/Document.h"

namespace hsched::dag {

struct Specification {
  KernelDoc Kernel;
  std::vector<EdgeDoc> From; // The caller sets To, because it knows the id.
  Text Task;                 // Number of its component.
};

Specification readSpecification(const Value &V, std::vector<std::string> &Notes);

// "0 2 -> 2 0" or "0 2->2 0".
EdgeDoc readEdge(std::string_view Line, Place At);
// Inputs without an edge start with random numbers, as in PySchedCL.
void beginAtRandom(Document &D);

} // namespace hsched::dag
#endif
