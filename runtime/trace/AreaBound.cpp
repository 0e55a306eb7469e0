// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/AreaBound.h"

#include <algorithm>
#include <limits>

namespace hsched::rt {
namespace {

constexpr double Infinite = std::numeric_limits<double>::infinity();

// Share: of each kind, p[k] Workers[k]; they add up to 1.
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

// Moves what kinds A and B have of Share between them to where the dual, which is concave, is greatest.
double balance(const std::vector<WorkClass> &Classes, const std::vector<uint64_t> &Workers, std::vector<double> &Share,
               size_t A, size_t B) {
  const double Both = Share[A] + Share[B];
  auto at = [&](double PartOfA) {
    Share[A] = PartOfA * Both;
    Share[B] = Both - Share[A];
    return dual(Classes, Workers, Share);
  };
  double From = 0, To = 1;
  for (unsigned Step = 0; Step < 60; ++Step) {
    const double Left = From + (To - From) / 3, Right = To - (To - From) / 3;
    if (at(Left) < at(Right))
      From = Left;
    else
      To = Right;
  }
  return at((From + To) / 2);
}

} // namespace

double areaBound(const std::vector<WorkClass> &Classes, const std::vector<uint64_t> &Workers) {
  const size_t Kinds = Workers.size();
  std::vector<double> Share(Kinds, 0);
  size_t There = static_cast<size_t>(std::ranges::count_if(Workers, [](uint64_t N) { return N != 0; }));
  for (size_t K = 0; K < Kinds; ++K)
    Share[K] = Workers[K] ? 1.0 / static_cast<double>(There) : 0;
  double Best = dual(Classes, Workers, Share);
  for (unsigned Round = 0; Round < 20; ++Round) {
    const double Before = Best;
    for (size_t A = 0; A < Kinds; ++A)
      for (size_t B = A + 1; B < Kinds; ++B)
        if (Workers[A] && Workers[B]) {
          const std::vector<double> Was = Share;
          if (double Now = balance(Classes, Workers, Share, A, B); Now >= Best)
            Best = Now;
          else
            Share = Was;
        }
    if (Best <= Before * (1 + 1e-9))
      break;
  }
  return Best;
}

} // namespace hsched::rt
