// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/regions/Prover.h"

#include <gtest/gtest.h>

namespace hsched::cc::regions {
namespace {

const Poly I = Poly::symbol(0), J = Poly::symbol(1), N = Poly::symbol(2), M = Poly::symbol(3), L = Poly::symbol(4);

TEST(Prover, Constants) {
  Prover P({}, {});
  EXPECT_TRUE(P.holdsAlways(0));
  EXPECT_TRUE(P.holdsAlways(7));
  EXPECT_FALSE(P.holdsAlways(-1));
  EXPECT_FALSE(P.holdsAlways(Poly::invalid()));
}

TEST(Prover, WhatIsNotKnownIsNotProved) {
  Prover P({}, {});
  EXPECT_FALSE(P.holdsAlways(N));
  EXPECT_FALSE(P.holdsAlways(-N));
  EXPECT_FALSE(P.holds(N, {M}));
  EXPECT_FALSE(P.contradictory({}));
  EXPECT_FALSE(P.contradictory({N - M, M - N}));
}

TEST(Prover, NonNegativeSymbolsAndTheirProducts) {
  Prover P({2, 3}, {});
  EXPECT_TRUE(P.holdsAlways(N));
  EXPECT_TRUE(P.holdsAlways(N * M + N + 1));
  EXPECT_FALSE(P.holdsAlways(N - 1));
  EXPECT_FALSE(P.holdsAlways(N * L));
}

TEST(Prover, ChainsOfFacts) {
  Prover P({}, {});
  EXPECT_TRUE(P.holds(N - I - 1, {N - J - 1, J - I}));
  EXPECT_TRUE(P.holds(N - 1, {I, N - 1 - I}));
  EXPECT_FALSE(P.holds(N - 2, {I, N - 1 - I}));
  EXPECT_TRUE(P.contradictory({I - 5, Poly(4) - I}));
  EXPECT_FALSE(P.contradictory({I - 5, Poly(5) - I}));
}

TEST(Prover, WeightsAreFractions) {
  Prover P({}, {});
  // 2 i <= n and 3 n <= 12 j: i <= 2 j.
  EXPECT_TRUE(P.holds(J * 2 - I, {N - I * 2, J * 12 - N * 3}));
  EXPECT_FALSE(P.holds(J * 2 - I - 1, {N - I * 2, J * 12 - N * 3}));
}

TEST(Prover, IntegersRoundOnlyTheQuestion) {
  Prover P({}, {});
  EXPECT_TRUE(P.holds(I - 1, {I * 2 - 1})); // The question's negation, i <= 0, contradicts 2 i >= 1.
}

TEST(Prover, ProductsOfTwoFacts) {
  Prover P({}, {});
  // (M - 1 - i) * n >= 0 and j < n: i * n + j < m * n.
  EXPECT_TRUE(P.holds(M * N - 1 - I * N - J, {M - 1 - I, N, N - 1 - J}));
  EXPECT_FALSE(P.holds(M * N - 1 - I * N - J, {M - 1 - I, N, N - J}));
  EXPECT_TRUE(P.holds((M - 1) * (L - N), {M - 1, L - N}));
  EXPECT_FALSE(P.holds((M - 1) * (L - N), {M - 1, L - N + 1}));
}

TEST(Prover, FactorsOfAProduct) {
  Prover P({2, 3}, {});
  EXPECT_TRUE(P.holds(N - 1, {N * M - 1}));
}

TEST(Prover, KnownFactsAreUsedWhereTheyMatter) {
  Prover P({}, {L - N, M - L});
  EXPECT_TRUE(P.holdsAlways(M - N));
  P.assume(N - 3);
  EXPECT_TRUE(P.holdsAlways(M - 3));
  EXPECT_FALSE(P.holdsAlways(M - 4));
}

TEST(Prover, BudgetEnds) {
  Prover P({}, {}, 1);
  EXPECT_TRUE(P.holds(N - 1, {N - 2}));
  EXPECT_TRUE(P.exhausted());
  EXPECT_FALSE(P.holds(N - 1, {N - 3}));
  EXPECT_TRUE(P.holds(N - 1, {N - 2})); // Remembered.
}

TEST(Prover, LargeNumbersAreNotTrusted) {
  Prover P({}, {});
  const Poly Big(INT64_MAX / 2);
  EXPECT_FALSE(P.holds(N * INT64_MAX, {N * INT64_MIN}));
  EXPECT_TRUE(P.holds(N, {N - Big}));
}

TEST(DividedWithRest, TakesWholeMultiples) {
  auto [Q, R] = dividedWithRest(I * N + J + N - 1, N);
  EXPECT_EQ(Q, I + 1);
  EXPECT_EQ(R, J - 1);
  auto [A, B] = dividedWithRest(I * 4 + J + 7, 4);
  EXPECT_EQ(A, I + 1);
  EXPECT_EQ(B, J + 3);
  auto [C, D] = dividedWithRest(Poly(-1), 4);
  EXPECT_EQ(C, Poly(-1));
  EXPECT_EQ(D, Poly(3));
  auto [E, F] = dividedWithRest(I * (N + 2) + N + 3 + J, N + 2);
  EXPECT_EQ(E, I + 1);
  EXPECT_EQ(F, J + 1);
  EXPECT_FALSE(dividedWithRest(N, 0).first.valid());
}

} // namespace
} // namespace hsched::cc::regions
