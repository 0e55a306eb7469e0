// Functions and types of libraries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowered.h"

using namespace hsched::cc;

namespace {

TEST(LowerLibrary, Memset) {
  EXPECT_EQ(body("std::memset(y, 0, n * sizeof(float));", "#include <cstring>"), "write y[0 : n]\n");
}

TEST(LowerLibrary, Memcpy) {
  EXPECT_EQ(body("memcpy(y + 1, x, n * sizeof *x);", "#include <cstring>"), "read x[0 : n]\n"
                                                                            "write y[1 : n]\n");
}

TEST(LowerLibrary, MemcpyBytes) {
  EXPECT_EQ(body("memcpy(y, x, n);", "#include <cstring>"), "read x[?] (the bytes accessed are not whole elements)\n"
                                                            "write y[?] (the bytes accessed are not whole elements)\n");
}

TEST(LowerLibrary, Fill) { EXPECT_EQ(body("std::fill(y, y + n, 0.f);", "#include <algorithm>"), "write y[0 : n]\n"); }

TEST(LowerLibrary, FillN) {
  EXPECT_EQ(body("std::fill_n(y, n, x[0]);", "#include <algorithm>"), "read x[0]\n"
                                                                      "write y[0 : n]\n");
}

TEST(LowerLibrary, Copy) {
  EXPECT_EQ(body("std::copy(x, x + n, y + 2);", "#include <algorithm>"), "read x[0 : n]\n"
                                                                         "write y[2 : n]\n");
}

TEST(LowerLibrary, Transform) {
  EXPECT_EQ(body("std::transform(x, x + n, y, [](float v) { return 2 * v; });", "#include <algorithm>"),
            "loop __first' [0, n)\n"
            " read x[__first']\n"
            " write y[__first']\n");
}

TEST(LowerLibrary, ForEach) {
  EXPECT_EQ(body("std::for_each(y, y + n, [&](float &v) { v = x[0]; });", "#include <algorithm>"),
            "loop __first' [0, n)\n"
            " read x[0]\n"
            " write y[__first']\n");
}

TEST(LowerLibrary, Accumulate) {
  EXPECT_EQ(body("y[0] = std::accumulate(x, x + n, 0.f);", "#include <numeric>"), "read x[0 : n]\n"
                                                                                  "write y[0]\n");
}

TEST(LowerLibrary, Swap) {
  EXPECT_EQ(body("float *a = x, *b = y; std::swap(a, b); *a = *b;", "#include <utility>"), "read x[0]\n"
                                                                                           "write y[0]\n");
}

TEST(LowerLibrary, Min) {
  EXPECT_EQ(body("for (int i = 0; i < std::min(n, m); ++i) y[i] = std::max(x[i], 0.f);", "#include <algorithm>"),
            "loop i [0, (n < m ? n : m))\n"
            " read x[i]\n"
            " write y[i]\n");
}

TEST(LowerLibrary, Vector) {
  EXPECT_EQ(lowered("#include <vector>\nvoid g(std::vector<float> &v, const std::vector<float> &w) { for (std::size_t "
                    "i = 0; i < v.size(); ++i) v[i] = w[i]; }",
                    "g"),
            "loop i [0, v.size())\n"
            " read w[i]\n"
            " write v[i]\n");
}

TEST(LowerLibrary, VectorRange) {
  EXPECT_EQ(lowered("#include <vector>\nvoid g(std::vector<float> &v) { for (float &e : v) e = 0; }", "g"),
            "loop __begin1' [0, v.size())\n"
            " write v[__begin1']\n");
}

TEST(LowerLibrary, VectorGrows) {
  EXPECT_EQ(lowered("#include <vector>\nvoid g(std::vector<float> &v, int n) { for (int i = 0; i < n; ++i) "
                    "v.push_back(0); v[0] = v.size(); }",
                    "g"),
            "loop i [0, n)\n"
            " update v[?] maybe ('push_back' may change the size of the container)\n"
            " update v[?] maybe ('v.size()' changes in a way that is not affine)\n"
            "write v[0]\n");
}

TEST(LowerLibrary, VectorLocal) {
  EXPECT_EQ(body("std::vector<float> t(x, x + n); t[0] = 1; y[0] = t[0];", "#include <vector>"), "read x[0 : n]\n"
                                                                                                 "write y[0]\n");
}

TEST(LowerLibrary, Span) {
  EXPECT_EQ(lowered("#include <span>\nvoid g(std::span<float> s, std::span<const float, 4> t) { for (auto &e : s) e = "
                    "t[1]; s.subspan(2)[1] = 0; s.back() = 0; }",
                    "g"),
            "loop __begin1' [0, s.size())\n"
            " read t[1]\n"
            " write s[__begin1']\n"
            "write s[3]\n"
            "write s[s.size() - 1]\n");
}

TEST(LowerLibrary, SpanLocal) {
  EXPECT_EQ(body("std::span<float> s(y, n); for (float &e : s) e = 0;", "#include <span>"), "loop __begin1' [0, n)\n"
                                                                                            " write y[__begin1']\n");
}

TEST(LowerLibrary, Array) {
  EXPECT_EQ(lowered("#include <array>\nvoid g(std::array<float, 8> &a) { a.fill(0); a[3] = a.front(); }", "g"),
            "write a[0 : 8]\n"
            "read a[0]\n"
            "write a[3]\n");
}

TEST(LowerLibrary, UniquePtr) {
  EXPECT_EQ(lowered("#include <memory>\nvoid g(const std::unique_ptr<float[]> &p, int n) { p[n] = 0; }", "g"),
            "read p[0]\n"
            "write p[n]\n");
}

// What they had is given back, or handed out.
TEST(LowerLibrary, UniquePtrThatLosesWhatItHad) {
  const std::string Head = "#include <memory>\nvoid g(std::unique_ptr<int> &p, std::shared_ptr<int> *s) { ";
  EXPECT_EQ(lowered(Head + "p.reset(); }", "g"), "update p[0]\n");
  EXPECT_EQ(lowered(Head + "p = nullptr; }", "g"), "update p[0]\n");
  EXPECT_EQ(lowered(Head + "s[2].reset(); }", "g"), "update s[2]\n");
  EXPECT_EQ(lowered(Head + "(void)p.release(); }", "g"), "read p[0]\nwrite p[0]\n");
}

// What is called may be a lambda that changes what it has captured.
TEST(LowerLibrary, FunctionsChangeWithWhatTheyHold) {
  const std::string Head = "#include <functional>\nvoid g(std::function<void()> &f, const std::function<void()> &c) { ";
  EXPECT_NE(lowered(Head + "f(); }", "g").find("update f[0]"), std::string::npos);
  EXPECT_NE(lowered(Head + "(&f)->operator()(); }", "g").find("update f[0]"), std::string::npos);
  EXPECT_NE(lowered(Head + "c(); }", "g").find("read c[0]"), std::string::npos);
}

TEST(LowerLibrary, Atomic) {
  EXPECT_EQ(lowered("#include <atomic>\nvoid g(std::atomic<int> &a, std::atomic<int> *b) { a.fetch_add(1); "
                    "b[2].store(a.load()); ++*b; }",
                    "g"),
            "update a[0] atomic\n"
            "read a[0] atomic\n"
            "write b[2] atomic\n"
            "update b[0] atomic\n");
}

TEST(LowerLibrary, Complex) {
  EXPECT_EQ(lowered("#include <complex>\nvoid g(std::complex<float> *y, const std::complex<float> *x, int n) { for "
                    "(int i = 0; i < n; ++i) y[i] += x[i] * 2.f; }",
                    "g"),
            "loop i [0, n)\n"
            " read x[i]\n"
            " update y[i]\n");
}

TEST(LowerLibrary, Map) {
  EXPECT_EQ(
      lowered("#include <map>\nvoid g(std::map<int, float> &m, const std::map<int, float> &c) { m[1] = c.at(2); }",
              "g"),
      "read c[0] partial maybe\n"
      "read c[...][?] maybe ('c[...]' is one of several arrays)\n"
      "update m[0] partial maybe\n"
      "write m[...][?] maybe ('m[...]' is one of several arrays)\n");
}

TEST(LowerLibrary, MemberVector) {
  EXPECT_EQ(lowered("#include <vector>\nstruct M { std::vector<float> d; int n; }; void g(M &m) { for (std::size_t i = "
                    "0; i < m.d.size(); ++i) m.d[i] = m.n; }",
                    "g"),
            "loop i [0, m.d.size())\n"
            " read m[0] partial\n"
            " write m.d[i]\n");
}

TEST(LowerLibrary, Qsort) {
  EXPECT_EQ(lowered("#include <cstdlib>\nstatic int cmp(const void *a, const void *b) { return *(const int *)a - "
                    "*(const int *)b; } void g(int *p, int n) { qsort(p, n, sizeof *p, cmp); }",
                    "g"),
            "update p[0 : n]\n");
}

TEST(LowerLibrary, Math) {
  EXPECT_EQ(body("y[0] = std::sqrt(x[0]) + sinf(x[1]); int e; y[1] = frexpf(x[2], &e);", "#include <cmath>"),
            "read x[0]\n"
            "read x[1]\n"
            "write y[0]\n"
            "read x[2]\n"
            "write y[1]\n");
}

TEST(LowerLibrary, BuiltinExpect) {
  EXPECT_EQ(body("if (__builtin_expect(n > 0, 1)) y[0] = 1;"), "if n - 1 >= 0\n"
                                                               " write y[0]\n");
}

TEST(LowerLibrary, Prefetch) { EXPECT_EQ(body("__builtin_prefetch(x + 4); y[0] = 1;"), "write y[0]\n"); }

TEST(LowerLibrary, AtomicBuiltin) { EXPECT_EQ(body("__sync_fetch_and_add((int *)y, 1);"), "update y[0] atomic\n"); }

} // namespace
