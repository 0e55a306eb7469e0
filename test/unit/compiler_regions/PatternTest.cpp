// Common shapes of task bodies, each with the boxes, roles and coverage that it has: none may be answered with less.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Builder.h"

#include <functional>

namespace hsched::cc {
namespace {

using namespace test;

// What is expected of root 0 of a tree: its box, and whether the call overwrites it.
struct Expected {
  Box All;
  bool ReadFirst;
  Answer Out;
  std::vector<Poly> Assumed = {};
};

struct Pattern {
  const char *Name;
  std::function<Expected(Builder &)> Make;
};

// Where conditions are written as in C.
Poly less(const Poly &A, const Poly &B) { return B - A - 1; }
Poly atLeast(const Poly &A, const Poly &B) { return A - B; }

const Pattern Patterns[] = {
    {"saxpy_y",
     [](Builder &T) {
       auto y = T.param("y"), x = T.param("x");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) { T.read(x, i), T.update(y, i); });
       return Expected{line(0, n), true, Answer::No};
     }},
    {"saxpy_x",
     [](Builder &T) {
       auto x = T.param("x"), y = T.param("y");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) { T.read(x, i), T.update(y, i); });
       return Expected{line(0, n), false, Answer::No};
     }},
    {"matmul_c",
     [](Builder &T) {
       auto c = T.param("c"), a = T.param("a"), b = T.param("b");
       Poly m = T.value("m"), n = T.value("n"), k = T.value("k");
       T.loop(0, m, [&](Poly i) {
         T.loop(0, n, [&](Poly j) {
           T.write(c, i * n + j);
           T.loop(0, k, [&](Poly l) { T.read(a, i * k + l), T.read(b, l * n + j), T.update(c, i * n + j); });
         });
       });
       return Expected{line(0, m * n), false, Answer::Yes};
     }},
    {"matmul_a",
     [](Builder &T) {
       auto a = T.param("a");
       Poly m = T.value("m"), n = T.value("n"), k = T.value("k");
       T.loop(0, m, [&](Poly i) { T.loop(0, n, [&](Poly) { T.loop(0, k, [&](Poly l) { T.read(a, i * k + l); }); }); });
       return Expected{line(0, m * k), false, Answer::No};
     }},
    {"matmul_accumulating",
     [](Builder &T) {
       auto c = T.param("c");
       Poly n = T.value("n");
       T.loop(0, n,
              [&](Poly i) { T.loop(0, n, [&](Poly j) { T.loop(0, n, [&](Poly) { T.update(c, i * n + j); }); }); });
       return Expected{line(0, n * n), true, Answer::No};
     }},
    {"matmul_zeroed_before",
     [](Builder &T) {
       auto c = T.param("c");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.write(c, i * n + j); }); });
       T.loop(0, n, [&](Poly i) {
         T.loop(0, n, [&](Poly k) { T.loop(0, n, [&](Poly j) { T.read(c, i * n + k), T.update(c, i * n + j); }); });
       });
       return Expected{line(0, n * n), false, Answer::Yes};
     }},
    {"matmul_tiled_guarded",
     [](Builder &T) {
       auto c = T.param("c");
       Poly n = T.value("n");
       T.loop(
           0, n,
           [&](Poly ii) {
             T.loop(
                 0, n,
                 [&](Poly jj) {
                   T.loop(ii, ii + 64, [&](Poly i) {
                     T.when({less(i, n)}, [&] {
                       T.loop(jj, jj + 64, [&](Poly j) { T.when({less(j, n)}, [&] { T.write(c, i * n + j); }); });
                     });
                   });
                 },
                 64);
           },
           64);
       return Expected{line(0, n * n), false, Answer::Yes};
     }},
    {"tiled_by_symbol",
     [](Builder &T) {
       auto c = T.param("c");
       Poly nt = T.value("nt"), t = T.value("t");
       T.loop(0, nt, [&](Poly ti) { T.loop(0, t, [&](Poly i) { T.write(c, ti * t + i); }); });
       return Expected{line(0, nt * t), false, Answer::Yes};
     }},
    {"tile_with_lda",
     [](Builder &T) {
       auto a = T.param("a");
       Poly m = T.value("m"), n = T.value("n"), lda = T.value("lda");
       T.loop(0, m, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.write(a, i * lda + j); }); });
       return Expected{box(0, {{m, lda}, {n, 1}}), false, Answer::Yes};
     }},
    {"tile_by_rows_of_memset",
     [](Builder &T) {
       auto a = T.param("a");
       Poly m = T.value("m"), n = T.value("n"), lda = T.value("lda");
       T.loop(0, m, [&](Poly i) { T.write(a, i * lda, n); });
       return Expected{box(0, {{m, lda}, {n, 1}}), false, Answer::Yes};
     }},
    {"tile_at_an_offset",
     [](Builder &T) {
       auto a = T.param("a");
       Poly m = T.value("m"), n = T.value("n"), lda = T.value("lda"), r = T.value("r"), c = T.value("c");
       T.loop(r, r + m, [&](Poly i) { T.loop(c, c + n, [&](Poly j) { T.write(a, i * lda + j); }); });
       return Expected{box(r * lda + c, {{m, lda}, {n, 1}}), false, Answer::Yes};
     }},
    {"stencil_x",
     [](Builder &T) {
       auto x = T.param("x"), y = T.param("y");
       Poly n = T.value("n");
       T.loop(1, n - 1, [&](Poly i) { T.read(x, i - 1), T.read(x, i), T.read(x, i + 1), T.write(y, i); });
       return Expected{line(0, n), false, Answer::No};
     }},
    {"stencil_y",
     [](Builder &T) {
       auto y = T.param("y");
       Poly n = T.value("n");
       T.loop(1, n - 1, [&](Poly i) { T.write(y, i); });
       return Expected{line(1, n - 2), false, Answer::Yes};
     }},
    {"halo_outside",
     [](Builder &T) {
       auto x = T.param("x");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) { T.read(x, i - 1), T.read(x, i), T.read(x, i + 1); });
       return Expected{line(-1, n + 2), false, Answer::No};
     }},
    {"stencil_2d_five_points",
     [](Builder &T) {
       auto a = T.param("a");
       Poly m = T.value("m"), n = T.value("n");
       T.loop(1, m - 1, [&](Poly i) {
         T.loop(1, n - 1, [&](Poly j) {
           T.read(a, (i - 1) * n + j), T.read(a, (i + 1) * n + j), T.read(a, i * n + j - 1), T.read(a, i * n + j + 1),
               T.read(a, i * n + j);
         });
       });
       return Expected{line(0, m * n), false, Answer::No};
     }},
    {"stencil_2d_interior",
     [](Builder &T) {
       auto b = T.param("b");
       Poly m = T.value("m"), n = T.value("n");
       T.loop(1, m - 1, [&](Poly i) { T.loop(1, n - 1, [&](Poly j) { T.write(b, i * n + j); }); });
       return Expected{box(n + 1, {{m - 2, n}, {n - 2, 1}}), false, Answer::Yes};
     }},
    {"stencil_3d_seven_points",
     [](Builder &T) {
       auto a = T.param("a");
       Poly d = T.value("d"), h = T.value("h"), w = T.value("w");
       T.loop(1, d - 1, [&](Poly z) {
         T.loop(1, h - 1, [&](Poly y) {
           T.loop(1, w - 1, [&](Poly x) {
             for (int o : {-1, 1})
               T.read(a, ((z + o) * h + y) * w + x), T.read(a, (z * h + y + o) * w + x),
                   T.read(a, (z * h + y) * w + x + o);
           });
         });
       });
       return Expected{line(0, d * h * w), false, Answer::No};
     }},
    {"tile_stencil_with_lda",
     [](Builder &T) {
       auto a = T.param("a");
       Poly m = T.value("m"), n = T.value("n"), lda = T.natural("lda");
       T.loop(0, m, [&](Poly i) {
         T.loop(0, n, [&](Poly j) {
           for (int o : {-1, 1})
             T.read(a, (i + o) * lda + j), T.read(a, i * lda + j + o);
         });
       });
       return Expected{box(-lda - 1, {{m + 2, lda}, {n + 2, 1}}), false, Answer::No};
     }},
    {"triangular_lower_reads",
     [](Builder &T) {
       auto l = T.param("l");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) { T.loop(0, i + 1, [&](Poly j) { T.read(l, i * n + j); }); });
       return Expected{line(0, n * n), false, Answer::No};
     }},
    {"triangular_lower_writes",
     [](Builder &T) {
       auto l = T.param("l");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) { T.loop(0, i + 1, [&](Poly j) { T.write(l, i * n + j); }); });
       return Expected{line(0, n * n), false, Answer::No};
     }},
    {"triangular_both",
     [](Builder &T) {
       auto l = T.param("l");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) {
         T.loop(0, i + 1, [&](Poly j) { T.write(l, i * n + j); });
         T.loop(i + 1, n, [&](Poly j) { T.write(l, i * n + j); });
       });
       return Expected{line(0, n * n), false, Answer::Yes};
     }},
    {"symmetric_from_one_triangle",
     [](Builder &T) {
       auto l = T.param("l");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) { T.loop(i, n, [&](Poly j) { T.write(l, i * n + j), T.write(l, j * n + i); }); });
       return Expected{line(0, n * n), false, Answer::Yes};
     }},
    {"strided_by_constant",
     [](Builder &T) {
       auto x = T.param("x");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) { T.write(x, i * 4); });
       return Expected{box(0, {{n, 4}}), false, Answer::Yes};
     }},
    {"strided_by_increment",
     [](Builder &T) {
       auto x = T.param("x");
       Poly n = T.value("n"), inc = T.natural("incx");
       T.loop(0, n, [&](Poly i) { T.update(x, i * inc); });
       return Expected{box(0, {{n, inc}}), true, Answer::No};
     }},
    {"step_of_two",
     [](Builder &T) {
       auto x = T.param("x");
       Poly n = T.value("n");
       T.loop(0, n * 2, [&](Poly i) { T.write(x, i); }, 2);
       return Expected{box(0, {{n, 2}}), false, Answer::Yes};
     }},
    {"step_that_may_not_divide",
     [](Builder &T) {
       auto x = T.param("x");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) { T.write(x, i); }, 2);
       return Expected{line(0, n), false, Answer::No};
     }},
    {"interleaved_pairs",
     [](Builder &T) {
       auto x = T.param("x");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) { T.write(x, i * 2), T.write(x, i * 2 + 1); });
       return Expected{line(0, n * 2), false, Answer::Yes};
     }},
    {"unrolled_with_rest",
     [](Builder &T) {
       auto x = T.param("x");
       Poly n = T.value("n"), q = T.value("n / 4") * 4;
       T.Tree.Facts = {n - q, q + 3 - n};
       T.loop(0, q, [&](Poly i) { T.write(x, i), T.write(x, i + 1), T.write(x, i + 2), T.write(x, i + 3); }, 4);
       T.loop(q, n, [&](Poly i) { T.write(x, i); });
       return Expected{line(0, n), false, Answer::Yes, {q}};
     }},
    {"reverse",
     [](Builder &T) {
       auto y = T.param("y");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) { T.write(y, n - 1 - i); });
       return Expected{line(0, n), false, Answer::Yes};
     }},
    {"reduction_into_first",
     [](Builder &T) {
       auto y = T.param("y"), x = T.param("x");
       Poly n = T.value("n");
       T.write(y, 0);
       T.loop(0, n, [&](Poly i) { T.read(x, i), T.update(y, 0); });
       return Expected{box(0), false, Answer::Yes};
     }},
    {"reduction_onto_first",
     [](Builder &T) {
       auto y = T.param("y");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly) { T.update(y, 0); });
       return Expected{box(0), true, Answer::No};
     }},
    {"row_sums",
     [](Builder &T) {
       auto y = T.param("y");
       Poly m = T.value("m"), n = T.value("n");
       T.loop(0, m, [&](Poly i) {
         T.write(y, i);
         T.loop(0, n, [&](Poly) { T.update(y, i); });
       });
       return Expected{line(0, m), false, Answer::Yes};
     }},
    {"prefix_sum",
     [](Builder &T) {
       auto y = T.param("y");
       Poly n = T.natural("n") + 1;
       T.write(y, 0);
       T.loop(1, n, [&](Poly i) { T.read(y, i - 1), T.write(y, i); });
       return Expected{line(0, n), false, Answer::Yes};
     }},
    {"convolution_1d_x",
     [](Builder &T) {
       auto x = T.param("x");
       Poly n = T.value("n"), k = T.value("k");
       T.loop(0, n, [&](Poly i) { T.loop(0, k, [&](Poly j) { T.read(x, i + j); }); });
       return Expected{line(0, n + k - 1), false, Answer::No};
     }},
    {"convolution_2d_in",
     [](Builder &T) {
       auto in = T.param("in");
       Poly h = T.value("h"), w = T.value("w"), k = T.value("k"), W = T.value("W");
       T.loop(0, h, [&](Poly y) {
         T.loop(0, w, [&](Poly x) {
           T.loop(0, k, [&](Poly ky) { T.loop(0, k, [&](Poly kx) { T.read(in, (y + ky) * W + x + kx); }); });
         });
       });
       return Expected{box(0, {{h + k - 1, W}, {w + k - 1, 1}}), false, Answer::No};
     }},
    {"convolution_2d_in_whole_rows",
     [](Builder &T) {
       auto in = T.param("in");
       Poly h = T.value("h"), w = T.value("w");
       T.loop(0, h - 2, [&](Poly y) {
         T.loop(0, w - 2, [&](Poly x) {
           T.loop(0, 3, [&](Poly ky) { T.loop(0, 3, [&](Poly kx) { T.read(in, (y + ky) * w + x + kx); }); });
         });
       });
       return Expected{line(0, h * w), false, Answer::No};
     }},
    {"convolution_2d_out",
     [](Builder &T) {
       auto out = T.param("out");
       Poly h = T.value("h"), w = T.value("w"), k = T.value("k");
       T.loop(0, h, [&](Poly y) {
         T.loop(0, w, [&](Poly x) {
           T.write(out, y * w + x);
           T.loop(0, k, [&](Poly) { T.loop(0, k, [&](Poly) { T.update(out, y * w + x); }); });
         });
       });
       return Expected{line(0, h * w), false, Answer::Yes};
     }},
    {"transpose_b",
     [](Builder &T) {
       auto b = T.param("b");
       Poly m = T.value("m"), n = T.value("n");
       T.loop(0, m, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.write(b, j * m + i); }); });
       return Expected{line(0, m * n), false, Answer::Yes};
     }},
    {"kernel_with_guard",
     [](Builder &T) {
       auto y = T.param("y");
       Poly n = T.value("n"), R = T.natural("(n + 63) / 64 * 64");
       T.Tree.Facts = {R - n, n + 63 - R};
       T.parallel(R, [&](Poly i) { T.when({less(i, n)}, [&] { T.write(y, i); }); });
       return Expected{line(0, n), false, Answer::Yes};
     }},
    {"kernel_with_return",
     [](Builder &T) {
       auto y = T.param("y");
       Poly n = T.value("n"), R = T.natural("(n + 63) / 64 * 64");
       T.Tree.Facts = {R - n, n + 63 - R};
       T.parallel(R, [&](Poly i) {
         T.when({atLeast(i, n)}, [&] { T.stop(); });
         T.write(y, i);
       });
       return Expected{line(0, n), false, Answer::Yes};
     }},
    {"kernel_2d_with_guard",
     [](Builder &T) {
       auto c = T.param("c");
       Poly w = T.value("w"), h = T.value("h"), W = T.natural("W"), H = T.natural("H");
       T.Tree.Facts = {W - w, w + 15 - W, H - h, h + 15 - H};
       T.parallel(W, [&](Poly x) {
         T.parallel(H, [&](Poly y) { T.when({less(x, w), less(y, h)}, [&] { T.write(c, y * w + x); }); });
       });
       return Expected{line(0, h * w), false, Answer::Yes};
     }},
    {"kernel_flat_guard",
     [](Builder &T) {
       auto c = T.param("c");
       Poly n = T.value("n"), g = T.natural("groups"), l = T.natural("local");
       T.Tree.Facts = {g * l - n};
       T.parallel(g, [&](Poly i) {
         T.parallel(l, [&](Poly j) { T.when({less(i * l + j, n)}, [&] { T.write(c, i * l + j); }); });
       });
       return Expected{line(0, n), false, Answer::Yes};
     }},
    {"kernel_matmul",
     [](Builder &T) {
       auto c = T.param("c");
       Poly m = T.value("m"), n = T.value("n"), k = T.value("k");
       T.parallel(m, [&](Poly i) {
         T.parallel(n, [&](Poly j) {
           T.write(c, i * n + j);
           T.loop(0, k, [&](Poly) { T.update(c, i * n + j); });
         });
       });
       return Expected{line(0, m * n), false, Answer::Yes};
     }},
    {"kernel_update",
     [](Builder &T) {
       auto y = T.param("y");
       Poly n = T.value("n");
       T.parallel(n, [&](Poly i) { T.update(y, i); });
       return Expected{line(0, n), true, Answer::No};
     }},
    {"memset_all",
     [](Builder &T) {
       auto y = T.param("y");
       Poly n = T.value("n");
       T.write(y, 0, n);
       T.loop(0, n, [&](Poly i) { T.update(y, i); });
       return Expected{line(0, n), false, Answer::Yes};
     }},
    {"edges_apart",
     [](Builder &T) {
       auto y = T.param("y");
       Poly n = T.natural("n") + 1;
       T.write(y, 0), T.write(y, n - 1);
       T.loop(1, n - 1, [&](Poly i) { T.write(y, i); });
       return Expected{line(0, n), false, Answer::Yes};
     }},
    {"planes_of_one_array",
     [](Builder &T) {
       auto p = T.param("p");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) { T.write(p, i), T.write(p, i + n), T.write(p, i + n * 2); });
       return Expected{line(0, n * 3), false, Answer::Yes};
     }},
    {"small_matrix",
     [](Builder &T) {
       auto p = T.param("p");
       T.loop(0, 4, [&](Poly i) { T.loop(0, 4, [&](Poly j) { T.write(p, i * 4 + j); }); });
       return Expected{line(0, 16), false, Answer::Yes};
     }},
    {"boundary_by_else",
     [](Builder &T) {
       auto y = T.param("y");
       Poly n = T.value("n");
       T.loop(0, n, [&](Poly i) { T.when({i - 1, n - 2 - i}, [&] { T.write(y, i); }, [&] { T.write(y, i); }); });
       return Expected{line(0, n), false, Answer::Yes};
     }},
    {"early_return_for_empty",
     [](Builder &T) {
       auto y = T.param("y");
       Poly n = T.value("n");
       T.when({-n}, [&] { T.stop(); });
       T.loop(0, n, [&](Poly i) { T.write(y, i); });
       return Expected{line(0, n), false, Answer::Yes};
     }},
    {"batched",
     [](Builder &T) {
       auto c = T.param("c");
       Poly b = T.value("b"), m = T.value("m"), n = T.value("n");
       T.loop(0, b, [&](Poly l) {
         T.loop(0, m, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.write(c, l * m * n + i * n + j); }); });
       });
       return Expected{line(0, b * m * n), false, Answer::Yes};
     }},
};

class Common : public testing::TestWithParam<Pattern> {};

TEST_P(Common, IsAnsweredExactly) {
  Builder T;
  const Expected E = GetParam().Make(T);
  const Effects F = T.effects();
  EXPECT_BOX(T, F.of(0).All, std::optional(E.All));
  EXPECT_EQ(F.of(0).ReadFirst, E.ReadFirst);
  EXPECT_EQ(F.overwrites(0, E.All), E.Out);
  EXPECT_EQ(F.inside(0, E.All), Answer::Yes);
  EXPECT_EQ(F.of(0).Assumed, E.Assumed);
}

TEST(StridedByIncrement, OfEitherSignHasNoBox) {
  Builder T;
  auto x = T.param("x");
  Poly n = T.value("n"), inc = T.value("incx");
  T.loop(0, n, [&](Poly i) { T.write(x, i * inc); });
  const Effects F = T.effects();
  EXPECT_BOX(T, F.of(0).All, std::optional<Box>());
  EXPECT_EQ(F.of(0).Why, "stride 'incx' may be negative");
  EXPECT_TRUE(F.of(0).WhyLoc.isValid());
}

TEST(StridedByIncrement, IsFollowedWhereItIsTested) {
  Builder T;
  auto x = T.param("x");
  Poly n = T.value("n"), inc = T.value("incx");
  T.when({-inc}, [&] { T.stop(); });
  T.loop(0, n, [&](Poly i) { T.write(x, i * inc); });
  const Effects F = T.effects();
  EXPECT_BOX(T, F.of(0).All, std::optional(box(0, {{n, inc}})));
  EXPECT_TRUE(F.of(0).Assumed.empty());
}

INSTANTIATE_TEST_SUITE_P(Pattern, Common, testing::ValuesIn(Patterns),
                         [](const auto &Info) { return std::string(Info.param.Name); });

} // namespace
} // namespace hsched::cc
