// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/AreaBound.h"

#include <algorithm>
#include <limits>

namespace hsched::rt {
namespace {

constexpr double Infinite = std::numeric_limits<double>::infinity();

// Share: by kind, p[k] Workers[k]; their sum is 1.
double dual(const std::vector<WorkClass> &Classes, const std::vector<uint64_t> &Workers,
            const std::vector<double> &Share) {
  double Sum = 0;
  for (const WorkClass &C : Classes) {
    double Least = Infinite;
    for (size_t K = 0; K < Workers.size(); ++K)
      if (C.Time[K] >= 0 && Workers[K])
        Least = std::min(Least, Share[K] / static_cast<double>(Workers[K]) * C.Time[K]);
    if (Least < Infinite)
      Sum += Least * static_cast<double>(C.Tasks);
  }
  return Sum;
}

// The greatest dual if kinds Used[From...] share Left. The dual is concave, and so is its maximum over some of the
// shares. Steps: of each search; about two halve the interval.
double search(const std::vector<WorkClass> &Classes, const std::vector<uint64_t> &Workers,
              const std::vector<size_t> &Used, size_t From, double Left, unsigned Steps, std::vector<double> &Share) {
  if (From + 1 == Used.size()) {
    Share[Used[From]] = Left;
    return dual(Classes, Workers, Share);
  }
  double Best = 0;
  auto at = [&](double Part) {
    Share[Used[From]] = Part;
    const double Value = search(Classes, Workers, Used, From + 1, Left - Part, Steps, Share);
    Best = std::max(Best, Value);
    return Value;
  };
  double Low = 0, High = Left;
  for (unsigned Step = 0; Step < Steps; ++Step) {
    const double A = Low + (High - Low) / 3, B = High - (High - Low) / 3;
    if (at(A) < at(B))
      Low = A;
    else
      High = B;
  }
  return Best;
}

} // namespace

double areaBound(const std::vector<WorkClass> &Classes, const std::vector<uint64_t> &Workers) {
  std::vector<size_t> Used;
  for (size_t K = 0; K < Workers.size(); ++K)
    if (Workers[K])
      Used.push_back(K);
  if (Used.empty())
    return 0;
  // Beyond four kinds, the last ones have fixed shares: still a bound, but not the greatest.
  constexpr size_t MostSearched = 4;
  std::vector<double> Share(Workers.size(), 0);
  double Left = 1;
  while (Used.size() > MostSearched) {
    Share[Used.back()] = 1.0 / static_cast<double>(Workers.size());
    Left -= Share[Used.back()];
    Used.pop_back();
  }
  constexpr unsigned Steps[] = {0, 0, 80, 45, 22};
  return search(Classes, Workers, Used, 0, Left, Steps[Used.size()], Share);
}

} // namespace hsched::rt
