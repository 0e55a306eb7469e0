// What the standard library writes of what it is handed, and pointers that take unusual ways: no write may get lost.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowered.h"

#include <set>

using namespace hsched::cc;

namespace {

constexpr const char *Source = R"code(
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <random>
#include <ranges>
#include <span>
#include <sstream>
#include <string>
#include <vector>

void extracted(int n, float *x) { std::ifstream f("x"); for (int i = 0; i < n; ++i) f >> x[i]; }
void extractedFromInput(float *x, float *y) { std::cin >> *x >> *y; }
void extractedString(std::string &s, const std::string &t, float *x) { std::istringstream f(t); f >> s >> *x; }
void line(std::istream &f, std::string &s) { std::getline(f, s); }
void readBytes(int n, double *x) { std::ifstream f("x"); f.read(reinterpret_cast<char *>(x), n * sizeof(double)); }
void characters(int n, char *x, char *y) { std::istringstream f("abc"); f.get(*x); f.getline(y, n); }
void seeds(int n, unsigned *x) { std::seed_seq s{1, 2, 3}; s.generate(x, x + n); }
void copied(const std::string &s, std::string_view v, char *x, char *y) { s.copy(x, 4); v.copy(y, 4); }
void swappedVectors(std::vector<int> &v, std::vector<int> &w) { v.swap(w); }
void swappedArrays(std::array<int, 4> &v, std::array<int, 4> &w) { v.swap(w); }
void swappedQueues(std::queue<int> &v, std::queue<int> &w) { v.swap(w); }
void spliced(std::list<int> &v, std::list<int> &w) { v.splice(v.begin(), w); }
void inserter(const int *x, int n, std::vector<int> &v) { std::copy(x, x + n, std::back_inserter(v)); }
void swappedPointers(float *x) { std::vector<float *> v{x}, w; v.swap(w); *w[0] = 1; }

struct Text { std::string s; int n; };
void movedPointer(std::unique_ptr<float> &p, std::unique_ptr<float> &q) { p = std::move(q); }
void movedMap(std::map<int, int> &m, std::map<int, int> &n) { m = std::move(n); }
void movedStruct(Text &x, Text &y, std::vector<Text> &v) { x = std::move(y); v.push_back(std::move(x)); }
void movedToLocal(Text &x, std::unique_ptr<float> &p) { Text t = std::move(x); std::unique_ptr<float> q(std::move(p)); }
void movedElements(std::string *x, std::string *y, int n) { std::move(x, x + n, y); }
void movedRange(std::vector<std::string> &v, std::string *x, int n) { v.insert(v.end(), std::make_move_iterator(x), std::make_move_iterator(x + n)); }
void movedNumbers(float *x, float *y, int n) { std::move(x, x + n, y); }

void inserted(std::vector<float> &v, float *x, int n) { v.insert(v.end(), x, x + n); v.assign(x, x + n); }
void constructed(float *x, float *y, int n) { std::vector<float> v(x, x + n); std::list<float> l(x, x + n); y[0] = l.front(); }
void emplaced(std::vector<std::pair<int, float>> &v, float *x, int n) { for (int i = 0; i < n; ++i) v.emplace_back(i, x[i]); }
void keyed(std::map<int, float> &m, float *x) { m.emplace(1, x[1]); m.try_emplace(2, x[2]); m.insert({3, x[3]}); }
void printed(std::ostream &o, float *x, std::string &s) { o << x[0] << s << std::endl; }
void locked(std::mutex &m, float *x) { std::lock_guard<std::mutex> l(m); *x = 1; }

void number(std::istream &f, float *x) { int k = 0; f >> k; x[k] = 1; }

struct Writes { float *p; Writes(float *p) : p(p) { *p = 1; } };
void emplacedWriter(float *x) { std::vector<Writes> v; v.emplace_back(x); }
void madeWriter(float *x) { auto k = std::make_unique<Writes>(x); }
struct Leaves { float *p; ~Leaves() { *p = 1; } };
void destroyedElement(float *x) { std::vector<Leaves> v; v.push_back({x}); }
void deletedMade(float *x) { auto k = std::make_unique<Leaves>(x); }
void uniqueDeleter(float *x) { std::unique_ptr<float, void (*)(float *)> p(x, [](float *q) { *q = 1; }); }
void resetDeleter(float *x) { std::unique_ptr<float, void (*)(float *)> p(nullptr, [](float *q) { *q = 1; }); p.reset(x); }
void sharedDeleter(float *x) { std::shared_ptr<float> p(x, [](float *q) { *q = 1; }); }
void guard(float *x) { std::shared_ptr<void> g(nullptr, [x](void *) { *x = 1; }); }
void resetGuard(float *x, float *y) { std::shared_ptr<float> g; g.reset(x, [y](float *) { *y = 1; }); }
void sharedAlias(float *x) { std::shared_ptr<float> p(std::make_shared<float>(1)), q(p, x); *q = 1; }
void comparing(int *x) { auto less = [x](int a, int b) { ++*x; return a < b; }; std::priority_queue<int, std::vector<int>, decltype(less)> q(less); q.push(1); }

void taken(int n, float *x) { for (float &v : std::span(x, n) | std::views::take(3)) v = 1; }
void optionalPointer(float *x) { std::optional<float *> o{x}; **o = 1; }
void optionalAssigned(float *x) { std::optional<float *> o; o = x; if (o) *o.value() = 1; }

void optionalNumber(std::optional<float> &o, float *x) { o = x[1]; }

struct Base { float *p; Base(float *p) : p(p) {} };
struct Derived : Base { using Base::Base; };
void inherited(float *x) { Derived d(x); *d.p = 1; }
struct Pointers : std::vector<float *> { using vector::vector; };
void inheritedStandard(float *x) { Pointers v(3, x); *v[0] = 1; }
struct A { float *p; };
struct B { float *q; };
struct Both : A, B { Both(const A &a, const B &b) : A(a), B(b) {} };
void bases(float *x, float *y) { A a{x}; B b{y}; Both c(a, b); *c.p = 1; *c.q = 2; }

void unionInteger(float *x) { union { float *p; unsigned long u; } v; v.p = x; *(float *)v.u = 1; }
void unionArithmetic(float *x) { union { float *p; unsigned long u; } v; v.p = x; *(float *)(v.u + 4) = 1; }
void bits(float *x) { auto u = std::bit_cast<std::uintptr_t>(x); *(float *)(u + 4) = 1; }
void bytes(float *x) { std::uintptr_t u; std::memcpy(&u, &x, sizeof x); *(float *)(u + 4) = 1; }void charByChar(float *x) { std::uintptr_t u; auto *p = reinterpret_cast<const char *>(&x); std::copy(p, p + 8, reinterpret_cast<char *>(&u)); *(float *)(u + 4) = 1; }
)code";

const Parsed &unit() {
  static const Parsed P(Source);
  return P;
}

std::string tree(const std::string &Name) {
  return print(Lowering(unit().Unit->getASTContext()).lower(unit().function(Name)));
}

// Parameters that are written, or what lies behind them.
std::string written(const std::string &Name) {
  const AccessTree T = Lowering(unit().Unit->getASTContext()).lower(unit().function(Name));
  std::set<std::string> Names;
  const std::function<void(const Node &)> Walk = [&](const Node &N) {
    if (N.K == Node::Leaf && N.A.K != AccessKind::Read) {
      unsigned R = N.A.RootId;
      while (T.Roots[R].K == Root::Indirect)
        R = T.Roots[R].Parent;
      if (T.Roots[R].K == Root::Param)
        Names.insert(T.Roots[R].Name);
    }
    for (const Node &C : N.Children)
      Walk(C);
  };
  Walk(T.Body);
  std::string All;
  for (const std::string &N : Names)
    All += (All.empty() ? "" : " ") + N;
  return All;
}

TEST(LowerStandardArguments, StreamsFillWhatTheyAreGiven) {
  EXPECT_EQ(tree("extracted"), "loop i [0, n)\n"
                               " update x[i] maybe\n");
  EXPECT_EQ(tree("readBytes"), "update x[0 : n] maybe\n");
  EXPECT_EQ(written("extractedFromInput"), "x y");
  EXPECT_EQ(written("extractedString"), "s x");
  EXPECT_EQ(written("line"), "f s");
  EXPECT_EQ(written("characters"), "x y");
}

TEST(LowerStandardArguments, MembersFillBuffers) {
  EXPECT_EQ(written("seeds"), "x");
  EXPECT_EQ(written("copied"), "x y");
}

TEST(LowerStandardArguments, MembersChangeTheOther) {
  EXPECT_EQ(written("swappedVectors"), "v w");
  EXPECT_EQ(written("swappedArrays"), "v w");
  EXPECT_EQ(written("swappedQueues"), "v w");
  EXPECT_EQ(written("spliced"), "v w");
  EXPECT_EQ(written("inserter"), "v");
}

TEST(LowerStandardArguments, WhatIsMovedFromChanges) {
  EXPECT_EQ(written("movedPointer"), "p q");
  EXPECT_EQ(written("movedMap"), "m n");
  EXPECT_EQ(written("movedStruct"), "v x y");
  EXPECT_EQ(written("movedToLocal"), "p x");
  EXPECT_EQ(written("movedElements"), "x y");
  EXPECT_EQ(written("movedRange"), "v x");
  EXPECT_EQ(written("movedNumbers"), "y");
}

TEST(LowerStandardArguments, TheOtherHasWhatTheObjectHad) { EXPECT_EQ(written("swappedPointers"), "x"); }

TEST(LowerStandardArguments, ReadArgumentsAreNotWritten) {
  EXPECT_EQ(written("inserted"), "v");
  EXPECT_EQ(written("constructed"), "y");
  EXPECT_EQ(written("emplaced"), "v");
  EXPECT_EQ(written("keyed"), "m");
  EXPECT_EQ(written("printed"), "o");
  EXPECT_EQ(written("locked"), "x");
}

TEST(LowerStandardArguments, ANumberThatWasReadIsNotKnown) {
  EXPECT_EQ(tree("number"), "update f[0] partial maybe\n"
                            "write x[?] (subscript 'k' is not affine)\n");
}

TEST(LowerStandardArguments, ElementsHaveConstructorsAndDestructors) {
  EXPECT_EQ(written("emplacedWriter"), "x");
  EXPECT_EQ(written("madeWriter"), "x");
  EXPECT_EQ(tree("destroyedElement"), "if ?\n"
                                      " if ?\n"
                                      "  write x[0]\n"
                                      "update x[?] maybe (what is in a 'vector' is destroyed)\n");
  EXPECT_EQ(written("deletedMade"), "x");
}

TEST(LowerStandardArguments, DeletersAndCallablesAreCalled) {
  EXPECT_EQ(tree("uniqueDeleter"), "update x[?] maybe (a deleter has it)\n");
  EXPECT_EQ(written("resetDeleter"), "x");
  EXPECT_EQ(written("sharedDeleter"), "x");
  EXPECT_EQ(written("guard"), "x");
  EXPECT_EQ(written("resetGuard"), "x y");
  EXPECT_EQ(written("sharedAlias"), "x");
  EXPECT_EQ(written("comparing"), "x");
}

TEST(LowerStandardArguments, ViewsOfViews) { EXPECT_EQ(written("taken"), "x"); }

TEST(LowerStandardArguments, InheritedConstructors) {
  EXPECT_EQ(tree("inherited"), "write x[0]\n");
  EXPECT_EQ(tree("inheritedStandard"), "update x[?] maybe (it is handed to a constructor of 'vector')\n");
  EXPECT_EQ(written("optionalPointer"), "x");
  EXPECT_EQ(written("optionalAssigned"), "x");
  EXPECT_EQ(tree("optionalNumber"), "read std::in_place[0]\nread std::in_place[0]\nread x[1]\nwrite o[0]\n");
}

TEST(LowerStandardArguments, EachBaseClassKeepsWhatItHas) { EXPECT_EQ(written("bases"), "x y"); }

TEST(LowerStandardArguments, PointersAsIntegers) {
  EXPECT_EQ(tree("unionInteger"), "update x[?] maybe (it is read as an integer)\n"
                                  "update anything maybe ('(float *)v.u' is a pointer made of an integer)\n"
                                  "write x[?] maybe (it is made of an integer)\n");
  EXPECT_EQ(written("unionArithmetic"), "x");
  EXPECT_EQ(written("bits"), "x");
  EXPECT_EQ(tree("bytes"), "update x[?] maybe ('memcpy' copies its bytes)\n"
                           "update anything maybe ('(float *)(u + 4)' is a pointer made of an integer)\n");
  EXPECT_EQ(written("charByChar"), "x");
}

// An enqueued block runs as other work-items than the kernel's.
TEST(LowerStandardArguments, BlocksHaveWhatTheyCapture) {
  const std::string Enqueued = kernel("kernel void k(global int *a, int n) { enqueue_kernel(get_default_queue(), "
                                      "CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ a[0] = n; }); }",
                                      {"n"});
  EXPECT_NE(Enqueued.find("update a[?] maybe ('a' is captured by a block)"), std::string::npos) << Enqueued;
  const std::string Called = kernel("kernel void k(global int *a, global int *b) { int (^f)(int) = ^(int i) { a[i] = "
                                    "b[i]; return 1; }; f(get_global_id(0)); }",
                                    {"n"});
  EXPECT_NE(Called.find("update a[?] maybe ('a' is captured by a block)"), std::string::npos) << Called;
}

} // namespace
