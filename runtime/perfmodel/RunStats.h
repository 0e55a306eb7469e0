// Statistics of run times: of one version, on one kind of worker, for one size class.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PERFMODEL_RUNSTATS_H
#define HSCHED_PERFMODEL_RUNSTATS_H

#include <array>
#include <cstdint>
#include <span>

namespace hsched::rt {

// Two estimates. The mean of all runs with its variance by Welford's recurrences, as in the OmpSs paper.
// And the median of the recent runs, which is robust against one disturbed run and follows lasting
// changes.
struct RunStats {
  static constexpr unsigned MostRecent = 16;
  static constexpr unsigned ChangeAfter = 4; // This many successive runs that differ by ChangeBy are a lasting change.
  static constexpr double ChangeBy = 1.5;

  uint64_t Runs = 0;
  uint64_t Stored = 0; // Runs that come from a file of earlier program runs.
  double MeanNs = 0;
  double M2 = 0; // Sum of squared deviations, ns^2.

  void add(double Ns);
  // Starts with RunsBefore earlier runs, the last of which were Recent, the oldest first. Only for an object without
  // runs.
  void seed(uint64_t RunsBefore, std::span<const float> Recent);

  // Sample standard deviation in ns; 0 below two runs.
  double deviationNs() const;
  // Median of the recent runs in ns; 0 without any.
  double medianNs() const;
  // The last runs, the oldest first, at most MostRecent. Fewer after a lasting change.
  std::span<const float> recent() const { return {Last.data(), NumLast}; }

private:
  std::array<float, MostRecent> Last{}; // Times in ns.
  unsigned NumLast = 0;

  void remember(double Ns);
};

} // namespace hsched::rt
#endif
