// Means and medians of runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perfmodel/RunStats.h"

#include <algorithm>
#include <cmath>

namespace hsched::rt {

static double medianOf(std::span<const float> Values) {
  std::array<float, RunStats::MostRecent> Sorted;
  const size_t N = Values.size();
  std::ranges::copy(Values, Sorted.begin());
  std::sort(Sorted.begin(), Sorted.begin() + static_cast<ptrdiff_t>(N));
  return N % 2 ? Sorted[N / 2] : (double(Sorted[N / 2 - 1]) + Sorted[N / 2]) / 2;
}

void RunStats::add(double Ns) {
  ++Runs;
  const double Delta = Ns - MeanNs;
  MeanNs += Delta / static_cast<double>(Runs);
  M2 += Delta * (Ns - MeanNs);
  remember(Ns);
}

void RunStats::seed(uint64_t RunsBefore, std::span<const float> Recent) {
  for (float Ns : Recent)
    add(Ns);
  // The mean of the recent runs represents all of them.
  Runs = Stored = std::max<uint64_t>(RunsBefore, Recent.size());
}

void RunStats::remember(double Ns) {
  if (NumLast == MostRecent) {
    std::shift_left(Last.begin(), Last.end(), 1);
    --NumLast;
  }
  Last[NumLast++] = static_cast<float>(Ns);
  if (NumLast < 2 * ChangeAfter)
    return;
  // The new run is mostly like the one before the window: then no sort is needed.
  const float Like = Last[NumLast - ChangeAfter - 1];
  if (Ns <= Like * ChangeBy && Ns >= Like / ChangeBy)
    return;
  const std::span<const float> Before(Last.data(), NumLast - ChangeAfter), Now(Before.end(), ChangeAfter);
  const auto [Least, Most] = std::ranges::minmax(Now);
  // A median beyond a bound has half of its values beyond it. Counting them is cheaper than the sort, and tasks of
  // irregular programs come here with every other run.
  size_t Shorter = 0, Longer = 0;
  for (double Earlier : Before) {
    Shorter += Earlier * ChangeBy < Least;
    Longer += Earlier / ChangeBy > Most;
  }
  if (2 * std::max(Shorter, Longer) < Before.size())
    return;
  const double Old = medianOf(Before);
  if (Least > Old * ChangeBy || Most < Old / ChangeBy) {
    std::ranges::copy(Now, Last.begin());
    NumLast = ChangeAfter;
  }
}

double RunStats::deviationNs() const { return Runs < 2 ? 0 : std::sqrt(M2 / static_cast<double>(Runs - 1)); }

double RunStats::medianNs() const { return NumLast ? medianOf(recent()) : 0; }

} // namespace hsched::rt
