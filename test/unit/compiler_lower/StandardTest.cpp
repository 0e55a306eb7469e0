// What is known of the C++ library's types and small functions, and expressions that are seldom written.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowered.h"

using namespace hsched::cc;

namespace {

constexpr const char *Source = R"code(
#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

void viewOfPointer(int n, float *x) { std::span<float> s(x, n); s[1] = 0; s.back() = 1; }
void viewOfArray(float (&x)[8]) { std::span<float> s(x); for (float &v : s) v = 0; }
void viewOfRange(int n, float *x) { std::span<float> s(x, x + n); s.front() = s[s.size() - 1]; }
void viewOfFixed(float *x) { std::span<float, 4> s(x, 4); for (std::size_t i = 0; i < s.size(); ++i) s[i] = 1; }
void viewOfView(std::span<float> x) { std::span<const float> s(x); float sum = 0; for (float v : s) sum += v; x[0] = sum; }
void viewOfVector(std::vector<float> &x) { std::span<float> s(x); s[0] = 1; std::span<float> none; }
void owned(int n, float *x) { std::unique_ptr<float *> p(new float *(x)); (*p)[n] = 1; }
void shared(float *x) { auto p = std::make_shared<float *>(x); **p = 1; }
void atomicPointer(float *x) { std::atomic<float *> a(x); *a.load() = 1; }
void atomicNumber(float *x) { std::atomic<int> a(1); std::atomic<int> b; x[a] = 1; }
void reference(int n, int *x) { std::atomic_ref<int> r(x[n]); r.fetch_add(1); }
void difference(std::vector<float> &v, float *x) { auto a = v.begin(); auto b = a + 3; x[b - a] = 1; if (a != b) *b = 2; }
void sumOfIterator(std::vector<float> &v) { auto a = 2 + v.begin(); *a = 1; }
void joined(std::string &s, const std::string &t) { s[0] = (s + t)[0]; if (s == t) s[1] = 'a'; }
void clamped(int n, float *x) { x[std::clamp(n, 0, 7)] = 1; }
void least(int n, int m, float *x) { for (int i = 0; i < std::min(n, m); ++i) x[i] = 1; }
void exchanged(float *x, float *y) { float *p = x; float *q = std::exchange(p, y); *q = 1; *p = 2; }
void swapped(float *x, float *y) { float *p = x, *q = y; std::swap(p, q); *q = 1; }
void freeOfArray(float (&x)[8]) { for (auto p = std::begin(x); p != std::end(x); ++p) *p = 0; }
void freeOfVector(std::vector<float> &x) { for (std::size_t i = 0; i < std::size(x); ++i) std::data(x)[i] = 0; if (!std::empty(x)) *std::begin(x) = 1; }
void stepped(int n, float *x) { *std::next(x, n) = 1; *std::prev(x + n) = 2; x[std::distance(x, x + 3)] = 3; }
void steppedIterator(std::vector<float> &v) { *std::next(v.begin()) = 1; *std::prev(v.begin() + 4, 2) = 2; auto d = std::distance(v.begin(), v.begin() + 3); v[d] = 3; }
void made(int n, float *x) { auto p = std::make_unique<float[]>(n); p[0] = x[0]; x[1] = p[0]; }
void madeOfPointer(float *x) { struct K { float *p; }; auto p = std::make_unique<K>(x); *p->p = 1; }
void movedPointer(float *x) { float *p = x; float *q = std::move(p); *q = 1; *std::addressof(x[2]) = 3; std::as_const(x[3]); }
void vectors(int n, float a) { typedef float V __attribute__((ext_vector_type(4))); V v = {a, a, a, a}; v.xy = v.yx; v[n] = 1; }
void vectorMemory(int n, float *x) { typedef float V __attribute__((ext_vector_type(4))); V *v = (V *)x; v[n].x = 1; v[n + 1] = v[n]; v[0].zw = 2; }
void complexParts(int n, _Complex float *z) { __real__ z[n] = 1; __imag__ z[n] = __real__ z[n]; }
void choose(int n, float *x, float *y) { *__builtin_choose_expr(1, x, y) = 1; *_Generic(n, int: x, default: y) = 2; *(x ?: y) = 3; }
void statements(int n, float *x) { *({ float *p = x + n; p; }) = 1; x[({ int k = 2; k; })] = 3; }
void literals(float *x) { x[sizeof(int)] = 'a'; x[alignof(double)] = true; const char *s = "abc"; x[0] = s[1]; x[1] = (float[]){1, 2}[1]; x[2] = __func__[0]; }
void logical(int n, int m, float *x) { x[n && m] = 1; x[!0] = 2; x[!n] = 3; x[1 || n] = 4; }
void bits(int n, float *x) { x[~0 + 3] = 1; x[-(-n)] = 2; x[+n] = 3; x[n << 1] = 4; x[n & 7] = 5; }
void local(int n, float *x) { float *a = (float *)__builtin_alloca(n * 4); a[0] = x[0]; x[1] = a[0]; }
void unreachable(int n, float *x) { if (n < 0) __builtin_unreachable(); x[n] = 1; }
void assumed(int n, float *x) { __builtin_assume(n > 0); x[__builtin_constant_p(3)] = 1; }
void aligned(int n, float *x) { float *p = (float *)__builtin_assume_aligned(x, 16); p[n] = 1; float *q = std::assume_aligned<16>(x); q[0] = 2; }
void dynamicCast(int n) { struct B { virtual ~B() {} float v; }; struct D : B { float w; }; D d; B *b = &d; if (D *e = dynamic_cast<D *>(b)) e->w = 1; }
void atomicSteps(float *x, float *y) { std::atomic<float *> p(x); ++p; *p.load() = 1; std::atomic<float *> q(x); *q.exchange(y) = 2; *q.load() = 3; }
void atomicRefs(int n, float *x) { std::atomic_ref<float> r(x[n]); r = 1; float v = r; r += 2; }
void sharedElements(int n, std::shared_ptr<float[]> p, float *x) { p[n] = 1; std::shared_ptr<float[]> q(x); q[n] = 2; *q.get() = 3; }
void sharedOne(std::shared_ptr<float> p) { *p = 1; }
)code";

std::string tree(const std::string &Name) {
  static const Parsed P(Source);
  return print(Lowering(P.Unit->getASTContext()).lower(P.function(Name)));
}

TEST(LowerStandard, ViewOfPointer) {
  EXPECT_EQ(tree("viewOfPointer"), "write x[1]\n"
                                   "write x[n - 1]\n");
}

TEST(LowerStandard, ViewOfArray) {
  EXPECT_EQ(tree("viewOfArray"), "loop __begin1' [0, 8)\n"
                                 " write x[__begin1']\n");
}

TEST(LowerStandard, ViewOfRange) {
  EXPECT_EQ(tree("viewOfRange"), "read x[n - 1]\n"
                                 "write x[0]\n");
}

TEST(LowerStandard, ViewOfFixed) {
  EXPECT_EQ(tree("viewOfFixed"), "loop i [0, 4)\n"
                                 " write x[i]\n");
}

TEST(LowerStandard, ViewOfView) {
  EXPECT_EQ(tree("viewOfView"), "loop __begin1' [0, x.size())\n"
                                " read x[__begin1']\n"
                                "write x[0]\n");
}

TEST(LowerStandard, ViewOfVector) { EXPECT_EQ(tree("viewOfVector"), "write x[0]\n"); }

TEST(LowerStandard, Owned) { EXPECT_EQ(tree("owned"), "write x[n]\n"); }

TEST(LowerStandard, Shared) {
  EXPECT_EQ(tree("shared"), "read x[?] maybe (how much of 'x' is read is not known)\n"
                            "write x[0] maybe\n");
}

TEST(LowerStandard, AtomicPointer) { EXPECT_EQ(tree("atomicPointer"), "write x[0]\n"); }

TEST(LowerStandard, AtomicNumber) { EXPECT_EQ(tree("atomicNumber"), "write x[?] (subscript 'a' is not affine)\n"); }

TEST(LowerStandard, Reference) { EXPECT_EQ(tree("reference"), "update x[n] atomic\n"); }

TEST(LowerStandard, Difference) {
  EXPECT_EQ(tree("difference"), "write x[3]\n"
                                "write v[3]\n");
}

TEST(LowerStandard, SumOfIterator) { EXPECT_EQ(tree("sumOfIterator"), "write v[2]\n"); }

TEST(LowerStandard, Joined) {
  EXPECT_EQ(tree("joined"), "read s[0 : s.size()]\n"
                            "read t[0 : t.size()]\n"
                            "write s[0]\n"
                            "read s[0 : s.size()]\n"
                            "read t[0 : t.size()]\n"
                            "if ?\n"
                            " write s[1]\n");
}

TEST(LowerStandard, Clamped) { EXPECT_EQ(tree("clamped"), "write x[((n > 0 ? n : 0) < 7 ? (n > 0 ? n : 0) : 7)]\n"); }

TEST(LowerStandard, Least) {
  EXPECT_EQ(tree("least"), "loop i [0, (n < m ? n : m))\n"
                           " write x[i]\n");
}

TEST(LowerStandard, Exchanged) {
  EXPECT_EQ(tree("exchanged"), "write x[0]\n"
                               "write y[0]\n");
}

TEST(LowerStandard, Swapped) { EXPECT_EQ(tree("swapped"), "write x[0]\n"); }

TEST(LowerStandard, FreeOfArray) {
  EXPECT_EQ(tree("freeOfArray"), "loop p' [0, 8)\n"
                                 " write x[p']\n");
}

TEST(LowerStandard, FreeOfVector) {
  EXPECT_EQ(tree("freeOfVector"), "loop i [0, x.size())\n"
                                  " write x[i]\n"
                                  "if ?\n"
                                  " write x[0]\n");
}

TEST(LowerStandard, Stepped) {
  EXPECT_EQ(tree("stepped"), "write x[n]\n"
                             "write x[n - 1]\n"
                             "write x[3]\n");
}

TEST(LowerStandard, SteppedIterator) {
  EXPECT_EQ(tree("steppedIterator"), "write v[1]\n"
                                     "write v[2]\n"
                                     "write v[3]\n");
}

TEST(LowerStandard, Made) {
  EXPECT_EQ(tree("made"), "read x[0]\n"
                          "write x[1]\n");
}

TEST(LowerStandard, MadeOfPointer) {
  EXPECT_EQ(tree("madeOfPointer"), "read x[?] maybe (how much of 'x' is read is not known)\n"
                                   "write x[0] maybe\n");
}

TEST(LowerStandard, MovedPointer) {
  EXPECT_EQ(tree("movedPointer"), "write x[0]\n"
                                  "write x[2]\n");
}

TEST(LowerStandard, Vectors) { EXPECT_EQ(tree("vectors"), ""); }

TEST(LowerStandard, VectorMemory) {
  EXPECT_EQ(tree("vectorMemory"), "write x[4 * n] partial\n"
                                  "read x[4 * n : 4]\n"
                                  "write x[4 * n + 4 : 4]\n"
                                  "write x[0 : 4] partial\n");
}

TEST(LowerStandard, ComplexParts) {
  EXPECT_EQ(tree("complexParts"), "write z[n] partial\n"
                                  "read z[n] partial\n"
                                  "write z[n]\n");
}

TEST(LowerStandard, Choose) {
  EXPECT_EQ(tree("choose"), "write x[0]\n"
                            "write x[0]\n"
                            "write x[0] maybe\n"
                            "write y[0] maybe\n");
}

TEST(LowerStandard, Statements) {
  EXPECT_EQ(tree("statements"), "write x[n]\n"
                                "write x[2]\n");
}

TEST(LowerStandard, Literals) {
  EXPECT_EQ(tree("literals"), "write x[4]\n"
                              "write x[8]\n"
                              "write x[0]\n"
                              "write x[1]\n"
                              "write x[2]\n");
}

TEST(LowerStandard, Logical) {
  EXPECT_EQ(tree("logical"), "write x[?] (subscript 'n && m' is not affine)\n"
                             "write x[1]\n"
                             "write x[?] (subscript '!n' is not affine)\n"
                             "write x[1]\n");
}

TEST(LowerStandard, Bits) {
  EXPECT_EQ(tree("bits"), "write x[2]\n"
                          "write x[n]\n"
                          "write x[n]\n"
                          "write x[2 * n]\n"
                          "write x[(n & 7)]\n");
}

TEST(LowerStandard, Local) {
  EXPECT_EQ(tree("local"), "read x[0]\n"
                           "write x[1]\n");
}

TEST(LowerStandard, Unreachable) {
  EXPECT_EQ(tree("unreachable"), "if -n - 1 >= 0\n"
                                 " throw\n"
                                 "write x[n]\n");
}

TEST(LowerStandard, Assumed) {
  EXPECT_EQ(tree("assumed"), "write x[?] (subscript '__builtin_constant_p(3)' is not affine)\n");
}

TEST(LowerStandard, Aligned) {
  EXPECT_EQ(tree("aligned"), "write x[n]\n"
                             "write x[0]\n");
}

TEST(LowerStandard, DynamicCast) { EXPECT_EQ(tree("dynamicCast"), ""); }

TEST(LowerStandard, AtomicSteps) {
  EXPECT_EQ(tree("atomicSteps"), "write x[?] (an atomic operation changes it)\n"
                                 "write x[0] maybe\n"
                                 "write y[0] maybe\n"
                                 "write y[0]\n");
}

TEST(LowerStandard, AtomicRefs) {
  EXPECT_EQ(tree("atomicRefs"), "write x[n] atomic\n"
                                "read x[n] atomic\n"
                                "update x[n] atomic\n");
}

TEST(LowerStandard, SharedElements) {
  EXPECT_EQ(tree("sharedElements"), "write p[n]\n"
                                    "update x[?] maybe (a smart pointer deletes it)\n"
                                    "write x[n]\n"
                                    "write x[0]\n");
}

TEST(LowerStandard, SharedOne) { EXPECT_EQ(tree("sharedOne"), "write p[0]\n"); }

} // namespace
