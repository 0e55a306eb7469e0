// The index of intervals against a plain map.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/IntervalIndex.h"
#include "base/Env.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

using namespace hsched::rt;

namespace {

struct Piece {
  uintptr_t Begin = 0, End = 0;
  Piece *Prev = nullptr, *Next = nullptr;
  int Mark = 0;
};
using Index = IntervalIndex<Piece>;
using Oracle = std::map<uintptr_t, uintptr_t>; // Beginning -> end.

Oracle::const_iterator endsAfter(const Oracle &O, uintptr_t Address) {
  auto It = O.upper_bound(Address);
  return It != O.begin() && std::prev(It)->second > Address ? std::prev(It) : It;
}

void expectSame(const Index &I, const Oracle &O) {
  ASSERT_EQ(I.size(), O.size());
  const Piece *Last = nullptr, *P = I.first();
  for (auto [Begin, End] : O) {
    ASSERT_NE(P, nullptr);
    ASSERT_EQ(P->Begin, Begin);
    ASSERT_EQ(P->End, End);
    ASSERT_EQ(P->Prev, Last);
    ASSERT_EQ(I.findBegin(Begin), P);
    Last = P;
    P = P->Next;
  }
  ASSERT_EQ(P, nullptr);
}

// Intervals come and go at random in [0, Space); what there is of them is compared after each round.
void randomly(uint64_t Seed, uintptr_t Space, int Actions) {
  std::mt19937_64 Random(Seed);
  auto below = [&](uint64_t N) { return std::uniform_int_distribution<uint64_t>(0, N - 1)(Random); };
  Index I;
  Oracle O;
  for (int A = 0; A < Actions; ++A) {
    uintptr_t Address = below(Space);
    auto Known = endsAfter(O, Address);
    Piece *Found = I.find(Address);
    ASSERT_EQ(Found == nullptr, Known == O.end()) << "at " << Address;
    if (Found) {
      ASSERT_EQ(Found->Begin, Known->first);
      ASSERT_EQ(Found->End, Known->second);
    }
    if (below(3) == 0)
      I.stay(Found);
    bool Inside = Found && Found->Begin <= Address;
    switch (below(8)) {
    default: // Fill a gap.
      if (!Inside) {
        uintptr_t End = std::min<uintptr_t>(Address + 1 + below(Space / 50 + 1), Found ? Found->Begin : Space);
        I.insert(Address, End, Found);
        O.emplace(Address, End);
      }
      break;
    case 0: // Cut.
      if (Inside && Found->Begin < Address) {
        I.insert(Address, Found->End, Found->Next);
        O.emplace(Address, Found->End);
        Found->End = O[Found->Begin] = Address;
      }
      break;
    case 1: // Take out a few.
      for (uint64_t N = below(20); Found && N > 0; --N) {
        O.erase(Found->Begin);
        Found = I.erase(*Found);
      }
      break;
    case 2:
      if (below(50) == 0) {
        uint64_t Keep = below(3);
        I.eraseIf([&](Piece &P) { return P.Begin % 3 != Keep; });
        std::erase_if(O, [&](const auto &Entry) { return Entry.first % 3 != Keep; });
      }
    }
    if (A % 500 == 0)
      expectSame(I, O);
  }
  expectSame(I, O);
  I.clear();
  EXPECT_EQ(I.first(), nullptr);
  EXPECT_EQ(I.find(0), nullptr);
}

TEST(IntervalIndex, AgreesWithAMap) {
  uint64_t Seed = envUnsigned("HSCHED_TEST_SEED", std::random_device()(), 0, UINT64_MAX);
  std::printf("HSCHED_TEST_SEED=%llu\n", static_cast<unsigned long long>(Seed));
  for (uintptr_t Space : {10, 1000, 100000, 1 << 30})
    randomly(Seed, Space, 30000);
}

// Block by block in either direction, and from the middle outwards: blocks split in each of the ways they can.
TEST(IntervalIndex, InOrder) {
  constexpr uintptr_t N = 2000;
  for (int Way = 0; Way < 3; ++Way) {
    Index I;
    Oracle O;
    for (uintptr_t K = 0; K < N; ++K) {
      uintptr_t At = 8 * (Way == 0 ? K : Way == 1 ? N - 1 - K : K % 2 ? N / 2 + K / 2 : N / 2 - 1 - K / 2);
      I.insert(At, At + 4, I.find(At));
      O.emplace(At, At + 4);
    }
    expectSame(I, O);
    for (uintptr_t K = 0; K < N; ++K) {
      EXPECT_EQ(I.find(8 * K + 3)->Begin, 8 * K);
      const Piece *After = I.find(8 * K + 4);
      EXPECT_EQ(After ? After->Begin : 0, K + 1 < N ? 8 * (K + 1) : 0);
    }
    while (Piece *P = I.first())
      I.erase(*P);
    EXPECT_EQ(I.size(), 0u);
    I.insert(8, 12, nullptr);
    EXPECT_EQ(I.find(0)->Begin, 8u);
  }
}

} // namespace
