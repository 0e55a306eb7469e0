// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Mapper.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace hsched::icd {
namespace {

constexpr size_t MostCombinations = 4096;

using Matrix = std::vector<std::vector<double>>;

// The end of the last queue, and the total time.
std::pair<double, double> costOf(const Matrix &Seconds, std::vector<double> Load, const std::vector<size_t> &To) {
  double Sum = 0;
  for (size_t Q = 0; Q != To.size(); ++Q) {
    Load[To[Q]] += Seconds[Q][To[Q]];
    Sum += Seconds[Q][To[Q]];
  }
  double Last = 0;
  for (size_t Q = 0; Q != To.size(); ++Q)
    Last = std::max(Last, Load[To[Q]]);
  return {Last, Sum};
}

std::vector<size_t> tryAll(const Matrix &Seconds, const std::vector<double> &Load) {
  std::vector<size_t> To(Seconds.size(), 0), Best = To;
  auto Least = costOf(Seconds, Load, To);
  for (;;) {
    size_t Q = 0;
    while (Q != To.size() && ++To[Q] == Load.size())
      To[Q++] = 0;
    if (Q == To.size())
      return Best;
    if (auto Cost = costOf(Seconds, Load, To); Cost < Least) {
      Least = Cost;
      Best = To;
    }
  }
}

} // namespace

std::vector<size_t> mapQueues(const Matrix &Seconds, const std::vector<double> &Load) {
  size_t Queues = Seconds.size(), Devices = Load.size();
  if (!Queues || Devices < 2)
    return std::vector<size_t>(Queues, 0);
  if (static_cast<double>(Queues) * std::log(static_cast<double>(Devices)) <= std::log(double(MostCombinations)) + 1e-9)
    return tryAll(Seconds, Load);

  auto Shortest = [&](size_t Q) { return *std::min_element(Seconds[Q].begin(), Seconds[Q].end()); };
  std::vector<size_t> Order(Queues), To(Queues, 0);
  std::iota(Order.begin(), Order.end(), size_t(0));
  std::stable_sort(Order.begin(), Order.end(), [&](size_t A, size_t B) { return Shortest(A) > Shortest(B); });
  std::vector<double> Busy = Load;
  for (size_t Q : Order) {
    for (size_t D = 1; D != Devices; ++D)
      if (Busy[D] + Seconds[Q][D] < Busy[To[Q]] + Seconds[Q][To[Q]])
        To[Q] = D;
    Busy[To[Q]] += Seconds[Q][To[Q]];
  }
  auto Least = costOf(Seconds, Load, To);
  auto Improves = [&](const std::vector<size_t> &Other) {
    auto Cost = costOf(Seconds, Load, Other);
    if (!(Cost < Least))
      return false;
    Least = Cost;
    To = Other;
    return true;
  };
  for (bool Better = true; Better;) {
    Better = false;
    for (size_t Q = 0; Q != Queues; ++Q) {
      for (size_t D = 0; D != Devices; ++D) {
        auto Other = To;
        Other[Q] = D;
        Better |= Improves(Other);
      }
      for (size_t R = 0; R != Q; ++R) {
        auto Other = To;
        std::swap(Other[Q], Other[R]);
        Better |= Improves(Other);
      }
    }
  }
  return To;
}

} // namespace hsched::icd
