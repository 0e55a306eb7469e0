// Execution times, measured: OmpSs's TaskVersionSet table.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: Planas et al., "Self-adaptive OmpSs tasks in heterogeneous environments", table I: for each task and data-set
// size, each version's mean execution time and number of executions. Means are arithmetic over all executions, for
// ever.
#ifndef HSCHED_PERFMODEL_HISTORY_H
#define HSCHED_PERFMODEL_HISTORY_H

#include "base/Clock.h"
#include "base/SizeClass.h"
#include "graph/TaskType.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hsched::rt {

// Mean and spread of one version's runs at one size. Welford's recurrences.
struct RunStats {
  uint64_t Runs = 0;
  double MeanNs = 0;
  double M2 = 0; // sum of squared deviations, ns^2

  void add(double Ns) {
    ++Runs;
    double Delta = Ns - MeanNs;
    MeanNs += Delta / static_cast<double>(Runs);
    M2 += Delta * (Ns - MeanNs);
  }
  // Sample standard deviation in ns; 0 below two runs.
  double deviationNs() const;
};

struct HistoryRow {
  const TaskType *Type;
  SizeClass Size;
  unsigned Version;
  RunStats Stats;
};

// Thread-safe.
class History {
public:
  History();
  ~History();
  void record(const TaskType &Type, SizeClass Size, unsigned Version, Duration Ran);
  // Zero runs when nothing is known.
  RunStats lookup(const TaskType &Type, SizeClass Size, unsigned Version) const;
  // Differs from what it was before wherever lookup may answer otherwise now. Read before a look-up, it says later
  // whether that one still holds.
  uint64_t changes() const;
  // Everything, ordered by task id, size, version.
  std::vector<HistoryRow> rows() const;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace hsched::rt
#endif
