// What is known of the times of one version's runs, on one kind of worker, for tasks of one size.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PERFMODEL_RUNSTATS_H
#define HSCHED_PERFMODEL_RUNSTATS_H

#include <array>
#include <cstdint>
#include <span>

namespace hsched::rt {

// Two estimates side by side. The mean of all runs, for ever, with its spread by Welford's recurrences: what the OmpSs
// paper takes. And the median of the recent runs, which one run that was disturbed does not change, and which follows
// a change for good.
struct RunStats {
  static constexpr unsigned MostRecent = 16;
  static constexpr unsigned ChangeAfter = 4; // So many runs in a row that differ by ChangeBy mean a change.
  static constexpr double ChangeBy = 1.5;

  uint64_t Runs = 0;
  uint64_t Stored = 0; // Of Runs: from a file of earlier runs of the program.
  double MeanNs = 0;
  double M2 = 0; // Sum of squared deviations, ns^2.

  void add(double Ns);
  // Runs of before, of which the last were Recent, the oldest first. For an object without runs.
  void seed(uint64_t RunsBefore, std::span<const float> Recent);

  // Sample standard deviation in ns; 0 below two runs.
  double deviationNs() const;
  // Median of the recent runs in ns; 0 without any.
  double medianNs() const;
  // The last runs, the oldest first: as many as there are, at most MostRecent. Fewer after a change.
  std::span<const float> recent() const { return {Last.data(), NumLast}; }

private:
  std::array<float, MostRecent> Last{}; // Ns.
  unsigned NumLast = 0;

  void remember(double Ns);
};

} // namespace hsched::rt
#endif
