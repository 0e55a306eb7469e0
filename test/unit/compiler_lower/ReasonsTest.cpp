// What is not followed, and the reason that is given for it: one function for each reason.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowered.h"

using namespace hsched::cc;

namespace {

constexpr const char *Source = R"code(
#include <array>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

struct S {
  int a, b;
  float *p;
};
struct Base {
  float v;
};
struct Derived : virtual Base {};
struct Guard {
  float *p;
  ~Guard();
};
struct Nothing {
  int none[0];
};
void opaque(float *);
float *found(float *);
void use(int S::*);
extern "C" {
enum CBLAS_ORDER { CblasRowMajor = 101 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111 };
void cblas_sgemv(CBLAS_ORDER, CBLAS_TRANSPOSE, int m, int n, float, const float *a, int lda, const float *x, int, float, float *y, int);
void cblas_sscal(int n, float, float *x, int);
}

void builtinReturns() { float *p = (float *)__builtin_frame_address(0); *p = 1; }
void builtinStores(float *x, float **t) { __atomic_store_n(t, x, __ATOMIC_SEQ_CST); }
void syncCounts(float *x) { int k = 0; __sync_fetch_and_add(&k, 5); x[k] = 1; }
void syncSwaps(float *x, float *y, float **t) { float *p = x; *__sync_lock_test_and_set(&p, y) = 1; __sync_lock_release(t); }
void notUnderstood() { char *c = (char *)__builtin_FILE(); *c = 1; }
void callReturns(float *x) { *found(x) = 1; }
void caught(float *x) { try { opaque(x); } catch (float *p) { *p = 1; } }
void variadic(int n, ...) { va_list l; va_start(l, n); float *p = va_arg(l, float *); *p = 1; va_end(l); }
void thrown(float *x) { throw x; }
void fromAsm() { float *p; asm("" : "=r"(p)); *p = 1; }
void libraryMoves(float **t) { float *p; memcpy(&p, t, sizeof p); p[0] = 1; }
void libraryPuts(float *x, float **t) { float *p = x; memcpy(t, &p, sizeof p); }
void libraryCalls(int n, float *x) { qsort(x, n, 4, (int (*)(const void *, const void *))+[](void *a, void *b) { *(float *)a = 1; return 0; }); }
void libraryCallsUnknown(int n, float *x, int (*c)(const void *, const void *)) { qsort(x, n, 4, c); }
void libraryReturns() { char *p = getenv("HOME"); *p = 1; }
void hugeRows(int n, float *x, float *y) { cblas_sgemv(CblasRowMajor, CblasNoTrans, n, n, 1, x, n * 3000000 * 1000000 * 1000000, y, 1, 0, y + n, 1); }
void hugeScale(int n, float *x) { cblas_sscal(n * 3000000 * 1000000 * 1000000, 2, x, 1); }
void steps(int n, float *x, const int *k) { float *p = x; for (int i = 0; i < n; ++i) { *p = 0; p += k[i]; } }
void oneOfTwo(int n, int m, float *x) { float *p = n ? x : x + m; for (int i = 0; i < n; ++i) { *p = 0; ++p; } }
void innerLoop(int n, float *x) { for (int i = 0; i < n; ++i) { float *p = x; while (*p) p += i; *p = 1; } }
void functionPointer(void (*g)()) { char *p = (char *)g; *p = 0; }
void chosenMember(S *s, int S::*m) { s->*m = 1; }
void memberPointer(int S::*m) { use(m); }
void memberPointerLoaded(int S::**m) { use(*m); }
void memberPointerMade() { int S::*m = &S::b; use(m); }
void atomicPointer(_Atomic(float *) p) { *p = 1; }
void atomicSteps(float *x) { _Atomic(float *) p = x; *p = 1; ++p; *p = 2; }
void noSize(Nothing *p, Nothing *q) { *p = *q; }
void swapped(std::vector<float> &v, std::vector<float> &w) { std::swap(v, w); }
void virtualBase(Derived *d) { Base *b = d; b->v = 1; }
void readByView(const char *p, char *q) { std::string_view v(p); std::string s(v); q[0] = s[0]; }
void filled(std::vector<float> &v) { v.assign(3, 1.0f); }
void pushed(float *x, std::vector<float *> &v) { v.push_back(x); }
void placed(std::vector<float> &v) { float &r = v.emplace_back(); r = 1; }
void calledThrough(float *x) { std::function<void()> g; g = [x] { *x = 1; }; g(); }
void mapped(float *x, std::map<int, float *> &m) { m.insert({1, x}); }
void chosenElement(float *x, int k) { std::map<int, float *> m; m[0] = x; m.at(k)[0] = 1; }
void handedOver(std::vector<float> &v, std::vector<float> &w) { w = std::move(v); }
void storageMoves(std::vector<float> *to, std::vector<float> *from) { *to = std::move(*from); (*to)[0] = 1; }
void inThread(float *x) { std::thread t(opaque, x); t.join(); }
void inAsync(float *x) { std::async(opaque, x).wait(); }
void destroyed(float *x) { Guard g{x}; }
void newOne(float *x, void *m) { struct K { float *q; }; new (m) K{x}; }
void newArray(int n, float *m) { new (m) float[n](); new (m + n) float[2]{1, 2}; }
void newObjects(int n, Base *m) { new (m) Base[n]; }
void newUnknown(int n, float *m, const int *k) { new (m) float[k[n]](); }
void newUncounted(double n, float *m) { new (m) float[int(n)](); }
void newPointers(float *x, void *m) { new (m) float *[2]{x, nullptr}; }
)code";

const Parsed &source() {
  static const Parsed P(Source);
  return P;
}

std::string tree(const std::string &Name) {
  return print(Lowering(source().Unit->getASTContext()).lower(source().function(Name)));
}

TEST(LowerReasons, BuiltinReturns) {
  EXPECT_EQ(tree("builtinReturns"), "update anything maybe (it is returned by '__builtin_frame_address')\n");
}

TEST(LowerReasons, BuiltinStores) {
  EXPECT_EQ(tree("builtinStores"), "write t[0] atomic\n"
                                   "update x[0]\n"
                                   "update x[?] maybe (it is put into memory)\n");
}

TEST(LowerReasons, SyncCounts) { EXPECT_EQ(tree("syncCounts"), "write x[?] (subscript 'k' is not affine)\n"); }

TEST(LowerReasons, SyncSwaps) {
  EXPECT_EQ(tree("syncSwaps"), "update y[?] maybe (it is put into memory)\n"
                               "write x[0]\n"
                               "update t[0] atomic\n");
}

TEST(LowerReasons, NotUnderstood) {
  EXPECT_EQ(tree("notUnderstood"), "update anything maybe ('__builtin_FILE()' is not understood)\n");
}

TEST(LowerReasons, CallReturns) {
  EXPECT_EQ(tree("callReturns"), "update x[?] maybe ('x' is handed to 'found', whose body is not visible)\n"
                                 "update anything maybe ('found', whose body is not visible)\n"
                                 "update anything maybe (it is returned by 'found', whose body is not visible)\n"
                                 "write x[?] maybe (a subscript is not affine)\n");
}

TEST(LowerReasons, Caught) {
  EXPECT_EQ(tree("caught"), "if ?\n"
                            " update x[?] maybe ('x' is handed to 'opaque', whose body is not visible)\n"
                            " update anything maybe ('opaque', whose body is not visible)\n"
                            "if ?\n"
                            " update anything maybe (it comes from an exception)\n");
}

TEST(LowerReasons, Variadic) { EXPECT_EQ(tree("variadic"), "update anything maybe (a variadic argument)\n"); }

TEST(LowerReasons, Thrown) {
  EXPECT_EQ(tree("thrown"), "update x[?] maybe (it is thrown)\n"
                            "throw\n");
}

TEST(LowerReasons, FromAsm) {
  EXPECT_EQ(tree("fromAsm"), "update anything maybe (it comes from asm)\n"
                             "update anything maybe (asm)\n"
                             "update anything maybe (it comes from asm)\n");
}

TEST(LowerReasons, LibraryMoves) {
  EXPECT_EQ(tree("libraryMoves"), "read t[0]\n"
                                  "write t[?] maybe ('memcpy' hands it on)\n"
                                  "write t[...][?] maybe ('t[...]' is one of several arrays)\n");
}

TEST(LowerReasons, LibraryPuts) {
  EXPECT_EQ(tree("libraryPuts"), "write t[0]\n"
                                 "update x[?] maybe ('memcpy' puts it into memory)\n"
                                 "update x[?] maybe ('memcpy' puts it into memory)\n"
                                 "update t[?] maybe ('memcpy' puts it into memory)\n"
                                 "update t[...][?] maybe ('t[...]' is one of several arrays)\n"
                                 "update t[...][?] maybe ('t[...]' is one of several arrays)\n");
}

TEST(LowerReasons, LibraryCalls) {
  EXPECT_EQ(tree("libraryCalls"), "update x[0 : n]\n"
                                  "if ?\n"
                                  " write x[?] ('qsort' calls a function with it)\n"
                                  "if ?\n"
                                  " write x[?] ('qsort' calls a function with it)\n"
                                  "if ?\n"
                                  " write x[?] ('qsort' calls a function with it)\n");
}

TEST(LowerReasons, LibraryCallsUnknown) {
  EXPECT_EQ(tree("libraryCallsUnknown"), "update x[0 : n]\n"
                                         "update x[?] maybe ('qsort' hands it to a function that is not known)\n"
                                         "update anything maybe ('c' is a function pointer)\n"
                                         "update anything maybe (a function that is handed to 'qsort')\n");
}

TEST(LowerReasons, LibraryReturns) {
  EXPECT_EQ(tree("libraryReturns"), "update anything maybe (it is returned by 'getenv')\n");
}

TEST(LowerReasons, HugeRows) {
  EXPECT_EQ(tree("hugeRows"), "loop k [0, n)\n"
                              " read x[?] (a leading dimension is not affine)\n"
                              "read y[0 : n]\n"
                              "write y[n : n]\n");
}

TEST(LowerReasons, HugeScale) { EXPECT_EQ(tree("hugeScale"), "update x[?] (an extent is not known)\n"); }

TEST(LowerReasons, Steps) {
  EXPECT_EQ(tree("steps"), "loop i [0, n)\n"
                           " write x[?] ('p' changes in a way that is not affine)\n"
                           " read k[i]\n");
}

TEST(LowerReasons, OneOfTwo) {
  EXPECT_EQ(tree("oneOfTwo"), "loop i [0, n)\n"
                              " write x[?] ('p' changes from one iteration to the next in no regular way)\n");
}

TEST(LowerReasons, InnerLoop) {
  EXPECT_EQ(tree("innerLoop"), "loop i [0, n)\n"
                               " if ?\n"
                               "  read x[0]\n"
                               " loop p any breaks\n"
                               "  read x[?] (it is not known where the loop ends that changes 'p')\n"
                               " if ?\n"
                               "  read x[?] (it is not known where the loop ends that changes 'p')\n"
                               " write x[?] (a pointer changes from one iteration to the next in no regular way)\n");
}

TEST(LowerReasons, FunctionPointer) {
  EXPECT_EQ(tree("functionPointer"), "update anything maybe ('g' is a function pointer)\n");
}

TEST(LowerReasons, ChosenMember) {
  EXPECT_EQ(tree("chosenMember"), "write s[?] (a pointer to member chooses the member)\n");
}

TEST(LowerReasons, MemberPointer) {
  EXPECT_EQ(tree("memberPointer"), "update anything maybe (a pointer to member)\n"
                                   "update anything maybe ('use', whose body is not visible)\n");
}

TEST(LowerReasons, MemberPointerLoaded) {
  EXPECT_EQ(tree("memberPointerLoaded"), "read m[0]\n"
                                         "update anything maybe (a pointer to member)\n"
                                         "update anything maybe ('use', whose body is not visible)\n");
}

TEST(LowerReasons, MemberPointerMade) {
  EXPECT_EQ(tree("memberPointerMade"), "update anything maybe (a pointer to member)\n"
                                       "update anything maybe ('use', whose body is not visible)\n");
}

TEST(LowerReasons, AtomicPointer) { EXPECT_EQ(tree("atomicPointer"), "write p[0]\n"); }

TEST(LowerReasons, AtomicSteps) {
  EXPECT_EQ(tree("atomicSteps"), "write x[0]\n"
                                 "write x[1]\n");
}

TEST(LowerReasons, NoSize) {
  EXPECT_EQ(tree("noSize"), "read q[?] (the size of '*p = *q' is not known)\n"
                            "write p[?] (the size of '*p = *q' is not known)\n");
}

TEST(LowerReasons, Swapped) {
  EXPECT_EQ(tree("swapped"), "update v[?] maybe (the container is assigned or its size changes)\n"
                             "update w[?] maybe ('v' puts its address into memory)\n"
                             "update w[?] maybe (the container is assigned or its size changes)\n"
                             "update v[?] maybe ('w' puts its address into memory)\n");
}

TEST(LowerReasons, VirtualBase) { EXPECT_EQ(tree("virtualBase"), "write d[?] (a virtual base class is in the way)\n"); }

TEST(LowerReasons, ReadByView) {
  EXPECT_EQ(tree("readByView"), "read p[?] maybe (how much of 'v' is read is not known)\n"
                                "write q[0]\n");
}

TEST(LowerReasons, Filled) {
  EXPECT_EQ(tree("filled"), "update v[?] maybe ('assign' may change the size of the container)\n"
                            "update v[?] maybe ('v.size()' changes in a way that is not affine)\n");
}

TEST(LowerReasons, Pushed) {
  EXPECT_EQ(tree("pushed"), "read x[?] maybe (how much of 'x' is read is not known)\n"
                            "update v[?] maybe ('push_back' may change the size of the container)\n"
                            "update v[?] maybe ('v.size()' changes in a way that is not affine)\n"
                            "update x[?] maybe (its address is put into a container)\n");
}

TEST(LowerReasons, Placed) {
  EXPECT_EQ(tree("placed"), "update v[?] maybe ('emplace_back' may change the size of the container)\n"
                            "update v[?] maybe ('v.size()' changes in a way that is not affine)\n"
                            "write v[?] ('emplace_back' returns a place in the container)\n");
}

TEST(LowerReasons, CalledThrough) {
  EXPECT_EQ(tree("calledThrough"), "update x[?] maybe (it is called through 'function')\n"
                                   "update anything maybe (a call through 'function')\n");
}

TEST(LowerReasons, ChosenElement) {
  EXPECT_EQ(tree("chosenElement"), "read x[?] maybe ('map::at' chooses the elements)\n"
                                   "write x[0] maybe\n"
                                   "write anything maybe (memory behind pointers in memory)\n");
}

TEST(LowerReasons, HandedOver) {
  EXPECT_EQ(tree("handedOver"), "read v[?] ('v.size()' changes in a way that is not affine)\n"
                                "update v[?] maybe (what 'std::move(v)' holds is handed over)\n"
                                "update w[?] maybe ('operator=' may change the size of the container)\n"
                                "update w[?] maybe ('w.size()' changes in a way that is not affine)\n");
}

TEST(LowerReasons, StorageMoves) {
  EXPECT_EQ(tree("storageMoves"), "read from[0]\n"
                                  "read *from[?] maybe (the storage of '*from' changes)\n"
                                  "update from[0] maybe\n"
                                  "write to[0]\n"
                                  "write *to[?] maybe (the storage of '*to' changes)\n"
                                  "write *to[?] maybe (the storage of '*to' changes)\n");
}

TEST(LowerReasons, Mapped) {
  EXPECT_EQ(tree("mapped"), "update m[0] partial maybe\n"
                            "update x[?] maybe (its address is put into memory)\n");
}

TEST(LowerReasons, InThread) {
  EXPECT_EQ(tree("inThread"), "update x[?] maybe ('x' is handed to a thread)\n"
                              "update anything maybe ('x' is handed to a thread)\n"
                              "read x[?] maybe (how much of 'x' is read is not known)\n");
}

TEST(LowerReasons, InAsync) {
  EXPECT_EQ(tree("inAsync"), "update x[?] maybe (it is handed to a thread)\n"
                             "update anything maybe (a thread)\n");
}

TEST(LowerReasons, Destroyed) {
  EXPECT_EQ(tree("destroyed"), "update x[?] maybe (the destructor of 'Guard' is not visible)\n");
}

TEST(LowerReasons, NewOne) {
  EXPECT_EQ(tree("newOne"), "write m[0 : 8]\n"
                            "update x[?] maybe ('x' puts its address into memory)\n");
}

TEST(LowerReasons, NewArray) {
  EXPECT_EQ(tree("newArray"), "write m[0 : n]\n"
                              "write m[n : 2]\n");
}

TEST(LowerReasons, NewObjects) { EXPECT_EQ(tree("newObjects"), "write m[0 : n] maybe\n"); }

TEST(LowerReasons, NewUnknown) {
  EXPECT_EQ(tree("newUnknown"), "read k[n]\n"
                                "write m[0 : k[n]]\n");
}

TEST(LowerReasons, NewPointers) {
  EXPECT_EQ(tree("newPointers"), "update x[?] maybe ('new (m) float *[2]{x, nullptr}' puts its address into memory)\n"
                                 "write m[0 : 16]\n");
}

TEST(LowerReasons, NewUncounted) {
  EXPECT_EQ(tree("newUncounted"), "write m[?] (how many elements are made is not known)\n");
}

// Only the prototype of a function without a body is known.
TEST(LowerReasons, NoBody) {
  EXPECT_EQ(lowered("void f(float *x, const float *y);"), "incomplete\n"
                                                          "update x[?] maybe ('f', whose body is not visible)\n"
                                                          "read y[?] maybe ('f', whose body is not visible)\n"
                                                          "update anything maybe ('f', whose body is not visible)\n");
}

// A template's pattern does what its instances do.
TEST(LowerReasons, Pattern) {
  const Parsed P("template <class T> void f(T *x) { g(x); } template <class T> void g(T) {}");
  const clang::FunctionDecl *Pattern = nullptr;
  for (const clang::Decl *D : P.Unit->getASTContext().getTranslationUnitDecl()->decls())
    if (const auto *T = llvm::dyn_cast<clang::FunctionTemplateDecl>(D); T && T->getName() == "f")
      Pattern = T->getTemplatedDecl();
  ASSERT_TRUE(Pattern);
  Lowering L(P.Unit->getASTContext());
  EXPECT_EQ(print(L.lower(*Pattern)), "incomplete\n"
                                      "update x[?] maybe ('f', whose body is not visible)\n"
                                      "update anything maybe ('f', whose body is not visible)\n");
  const std::string Statement = print(L.lower(*Pattern->getBody()));
  EXPECT_NE(Statement.find("maybe (a part of it is not understood)"), std::string::npos) << Statement;
}

// Callees are analysed at each call: 10 levels of 10 calls each would take too long.
TEST(LowerReasons, TooLarge) {
  std::string Code = "void f0(float *x) { *x += 1; }\n", Calls;
  for (int Level = 1; Level != 10; ++Level) {
    Calls.clear();
    for (int I = 0; I != 10; ++I)
      Calls += "f" + std::to_string(Level - 1) + "(x + " + std::to_string(I) + "); ";
    Code += "void f" + std::to_string(Level) + "(float *x) { " + Calls + "}\n";
  }
  EXPECT_EQ(lowered(Code + "void f(float *x) { f9(x); }"),
            "incomplete\n"
            "update x[?] maybe ('f' is too large to be looked into)\n"
            "update anything maybe ('f' is too large to be looked into)\n");
}

// What a function that calls itself does with a pointer is not known in detail, be it only that it is returned.
TEST(LowerReasons, Returned) {
  EXPECT_EQ(lowered("float *f(int n, float *x) { return n ? x : f(n - 1, x + 1); }"),
            "if n >= 0 && -n >= 0\n"
            " update x[?] maybe ('f' calls itself)\n update anything maybe ('f' calls itself)\nstop\n");
}

} // namespace
