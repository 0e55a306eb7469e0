// Output of hsched-explain.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_EXPLAIN_TABLES_H
#define HSCHED_TOOLS_EXPLAIN_TABLES_H

#include "trace/Assessment.h"

#include <string>

namespace hsched::explain {

// The run against its bounds, regret by type of task, and the Most tasks with the greatest regret.
std::string summary(const rt::record::Record &R, const rt::record::Assessment &A, unsigned Most);
// Why task T (index in R.Tasks) ran where it did, and a table of its candidates.
std::string task(const rt::record::Record &R, const rt::record::Assessment &A, size_t T);
// The same as summary, as JSON.
std::string json(const rt::record::Record &R, const rt::record::Assessment &A, unsigned Most);

// Simulated makespan of the run under each policy, with all times known, the best first. Whole records only.
status replays(const rt::record::Record &R, std::string &Text);

} // namespace hsched::explain
#endif
