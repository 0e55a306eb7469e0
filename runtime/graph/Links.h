// What the graph's two sources share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_GRAPH_LINKS_H
#define HSCHED_GRAPH_LINKS_H

#include "graph/TaskGraph.h"

namespace hsched::rt {

// The address of this one on a stack of successors: the task is complete.
extern SuccessorLink ClosedStack;

} // namespace hsched::rt
#endif
