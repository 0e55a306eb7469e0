// What a chunk of a taskloop touches, from what its iterations do: never less, and exact where it is one section.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsched/gen.h>

#include <gtest/gtest.h>

#include <set>

namespace {

using Bytes = std::set<size_t>;
unsigned char Memory[4096];

void add(Bytes &To, const hsched_gen_section &S) {
  for (size_t R = 0; R < S.hsched_rows; ++R)
    for (size_t B = 0; B < S.hsched_bytes; ++B)
      To.insert(static_cast<size_t>(static_cast<const unsigned char *>(S.hsched_base) - Memory) + R * S.hsched_stride +
                B);
}

void add(Bytes &To, hsched_gen_box Box) {
  size_t Pieces = Box.hsched_fold();
  for (size_t I = 0; I < Pieces; ++I)
    add(To, Box.hsched_piece(I));
}

hsched_gen_section row(long Low, long Length) {
  return hsched_gen_range(&Memory[0], Low, hsched_gen_count(Length), hsched_gen_first());
}

// What n iterations touch and what is found from the first and the last one.
template <class F> void expectUnion(long N, F Of, bool Exact) {
  Bytes Touched, Found;
  for (long I = 0; I < N; ++I)
    add(Touched, Of(I));
  hsched_gen_union U = hsched_gen_unite(Of(0), Of(N - 1), static_cast<hsched_gen_number>(N));
  add(Found, U.hsched_all);
  for (size_t B : Touched)
    ASSERT_TRUE(Found.count(B)) << "byte " << B << " is missing";
  EXPECT_EQ(Touched == Found, Exact);
  EXPECT_TRUE(U.hsched_gaps || Exact);
}

// The section is i / 2 rows of 8 bytes, from row i - 20 on. In the first iterations it is empty.
hsched_gen_section rowsFrom(long I) {
  const hsched_gen_reach R = hsched_gen_reach(8 * (I - 20)).hsched_along(I / 2, 8).hsched_along(8, 1);
  return hsched_gen_range(&Memory[2048], R.hsched_low(1), hsched_gen_count(R.hsched_count(1)), hsched_gen_first());
}

template <class F> void expectTiles(long N, F Of, bool Exact) {
  Bytes Touched, Found;
  for (long I = 0; I < N; ++I)
    add(Touched, Of(I));
  hsched_gen_tiles T = hsched_gen_repeat(Of(0), Of(N - 1), static_cast<hsched_gen_number>(N));
  EXPECT_EQ(T.hsched_alike, Exact);
  if (T.hsched_alike)
    add(Found, T.hsched_box);
  else
    add(Found, T.hsched_hull.hsched_all);
  for (size_t B : Touched)
    ASSERT_TRUE(Found.count(B)) << "byte " << B << " is missing";
  EXPECT_EQ(Touched == Found, Exact);
  EXPECT_TRUE(T.hsched_hull.hsched_gaps || Exact);
}

// (2^62 + 1) * 4 bytes are 4 in 64 bits. Such a number comes from a branch that does not run.
TEST(Sections, OfMoreBytesThanFitAreTheMost) {
  int *P = reinterpret_cast<int *>(Memory);
  const hsched_gen_section S = hsched_gen_range(P, 0, (size_t(1) << 62) + 1, hsched_gen_first());
  EXPECT_EQ(S.hsched_bytes, ~size_t(0) >> 2);
}

TEST(LoopSections, SideBySide) {
  expectUnion(5, [](long I) { return row(I * 10, 10); }, true);
  expectUnion(5, [](long I) { return row(100 - I * 10, 10); }, true);
  expectUnion(5, [](long I) { return row(I * 10, 12); }, true);
}

TEST(LoopSections, Apart) {
  expectUnion(5, [](long I) { return row(I * 10, 3); }, true);
  expectUnion(1, [](long I) { return row(I * 10, 3); }, true);
}

// The first row of a triangle is empty, and so may the last one be.
TEST(LoopSections, Triangles) {
  expectUnion(5, [](long I) { return row(I * 16, I); }, false);
  expectUnion(5, [](long I) { return row(I * 16, 4 - I); }, false);
  expectUnion(5, [](long I) { return row(I * 16 + 7, 3 - I); }, false);
  expectUnion(5, [](long I) { return row(200 - I * 16, I - 2); }, false);
  expectUnion(2, [](long I) { return row(I * 16, I); }, true);
  expectUnion(2, [](long I) { return row(I * 16, 1 - I); }, true);
}

TEST(LoopSections, RowsOfTilesThatGrow) {
  auto tile = [](long Rows, long Columns) {
    return hsched_gen_one(hsched_gen_tile(&Memory[0], hsched_gen_shape<2>{{30, 32}},
                                          hsched_gen_part(2, hsched_gen_count(Rows)),
                                          hsched_gen_part(1, hsched_gen_count(Columns))));
  };
  expectUnion(4, [&](long I) { return tile(I, 3); }, false);
  expectUnion(4, [&](long I) { return tile(3 - I, 3); }, false);
}

TEST(LoopSections, TilesOfThreeRanges) {
  auto cube = [](long X, long Y, long Z, long Length) {
    return hsched_gen_tile(&Memory[0], hsched_gen_shape<3>{{8, 16, 16}}, hsched_gen_part(X, 2), hsched_gen_part(Y, 3),
                           hsched_gen_part(Z, hsched_gen_count(Length)));
  };
  expectTiles(5, [&](long I) { return cube(I, 2, 3, 4); }, true);
  expectTiles(5, [&](long I) { return cube(5 - I, 2, 3, 4); }, true);
  expectTiles(4, [&](long I) { return cube(1, 3 * I, 3, 4); }, true);
  expectTiles(4, [&](long I) { return cube(1, 2 * I, I, 4); }, true);
  expectTiles(3, [&](long I) { return cube(1, 2, 5 * I, 4); }, true);
  expectTiles(3, [&](long) { return cube(1, 2, 3, 4); }, true);
  expectTiles(4, [&](long I) { return cube(I, 2, 3, 4 - I); }, false);
  expectTiles(4, [&](long I) { return cube(I, 2, 3, 1 - I); }, false);
}

TEST(LoopSections, AnEmptyFirstIterationHasAPlace) {
  for (long N : {2, 3, 5, 12})
    expectUnion(N, rowsFrom, N == 2);
}

} // namespace
