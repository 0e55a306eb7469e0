// A kernel's specification as PySchedCL has it, in its paper and in its published files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_SPECIFICATION_H
#define HSCHED_DAG_SPECIFICATION_H

#include "dag/Document.h"

namespace hsched::dag {

struct Specification {
  KernelDoc Kernel;
  std::vector<EdgeDoc> From; // To is left to the caller, who knows the id.
  Text Task;                 // Number of its component.
};

Specification readSpecification(const Value &V, std::vector<std::string> &Notes);

// "0 2 -> 2 0" or "0 2->2 0".
EdgeDoc readEdge(std::string_view Line, Place At);
// What no edge leads to begins as random numbers, as in PySchedCL.
void beginAtRandom(Document &D);

} // namespace hsched::dag
#endif
