// Initial contents of data, output of results, and comparison with references.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_DATA_H
#define HSCHED_DAG_DATA_H

#include "dag/Graph.h"

#include <cstddef>
#include <string>

namespace hsched::dag {

// All functions throw Error with a place in the file of kernels.

// Fills N.Bytes bytes.
void fill(const Datum &N, std::byte *Memory);
// Writes them in NumPy's format.
void save(const Datum &N, const std::byte *Memory, const std::string &File);
// Compares them with N.ExpectFile. Returns the greatest relative error.
double compare(const Datum &N, const std::byte *Memory);

} // namespace hsched::dag
#endif
