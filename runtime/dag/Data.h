// What data begin as, where they go, and what they are compared with.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_DATA_H
#define HSCHED_DAG_DATA_H

#include "dag/Graph.h"

#include <cstddef>
#include <string>

namespace hsched::dag {

// Each throws Error, with the place in the file of kernels.

// Fills N.Bytes bytes.
void fill(const Datum &N, std::byte *Memory);
// Writes them as NumPy does.
void save(const Datum &N, const std::byte *Memory, const std::string &File);
// Compares them with N.ExpectFile. Returns the greatest relative error that was seen.
double compare(const Datum &N, const std::byte *Memory);

} // namespace hsched::dag
#endif
