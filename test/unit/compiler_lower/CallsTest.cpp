// Calls: bodies that are analysed, and prototypes that are classified.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowered.h"

using namespace hsched::cc;

namespace {

TEST(LowerCalls, Inlined) {
  EXPECT_EQ(body("add(y + 4, x, n / 2);",
                 "static void add(float *d, const float *a, int k) { for (int i = 0; i < k; ++i) d[i] += a[i]; }"),
            "loop i [0, (n / 2))\n"
            " read x[i]\n"
            " update y[i + 4]\n");
}

TEST(LowerCalls, Nested) {
  EXPECT_EQ(body("b(y, n);", "static void a(float *p) { p[1] = 0; } static void b(float *p, int k) { a(p + k); }"),
            "write y[n + 1]\n");
}

TEST(LowerCalls, Returned) {
  EXPECT_EQ(body("*at(y, n) = at(x, m)[1];", "static float *at(float *p, int k) { return p + k; }"), "read x[m + 1]\n"
                                                                                                     "write y[n]\n");
}

TEST(LowerCalls, ReturnsReference) {
  EXPECT_EQ(body("at(y, n) = at(x, m);", "static float &at(float *p, int k) { return p[k]; }"), "read x[m]\n"
                                                                                                "write y[n]\n");
}

TEST(LowerCalls, EarlyReturnInside) {
  EXPECT_EQ(body("a(y, n); y[0] = 1;", "static void a(float *p, int k) { if (k < 0) return; p[k] = 0; }"),
            "if n >= 0\n"
            " write y[n]\n"
            "write y[0]\n");
}

TEST(LowerCalls, OutParameter) {
  EXPECT_EQ(body("int a, b; both(n, &a, b); y[a] = 0; y[b] = 0;",
                 "static void both(int k, int *a, int &b) { *a = k + 1; b = k + 2; }"),
            "write y[n + 1]\n"
            "write y[n + 2]\n");
}

TEST(LowerCalls, Opaque) {
  EXPECT_EQ(body("op(y, x);", "void op(float *, const float *);"),
            "update y[?] maybe ('y' is handed to 'op', whose body is not visible)\n"
            "read x[?] maybe ('x' is handed to 'op', whose body is not visible)\n"
            "update anything maybe ('op', whose body is not visible)\n");
}

TEST(LowerCalls, OpaqueByValue) {
  EXPECT_EQ(body("y[0] = op(x[0]);", "float op(float);"), "read x[0]\n"
                                                          "update anything maybe ('op', whose body is not visible)\n"
                                                          "write y[0]\n");
}

TEST(LowerCalls, OpaqueKeeps) {
  EXPECT_EQ(body("float *p = y; keep(&p); later(); p[0] = 1;", "void keep(float **); void later();"),
            "update y[?] maybe ('&p' is handed to 'keep', whose body is not visible)\n"
            "update anything maybe ('keep', whose body is not visible)\n"
            "update anything maybe ('later', whose body is not visible)\n"
            "update anything maybe (it may be changed by 'later', whose body is not visible)\n"
            "write y[0] maybe\n");
}

TEST(LowerCalls, OpaqueChangesLocal) {
  EXPECT_EQ(body("int k = 3; get(&k); y[k] = 0;", "void get(int *);"),
            "update anything maybe ('get', whose body is not visible)\n"
            "write y[?] (subscript 'k' is not affine)\n");
}

TEST(LowerCalls, PureAttribute) {
  EXPECT_EQ(body("y[0] = count(x);", "__attribute__((pure)) int count(const float *);"),
            "read x[?] maybe ('x' is handed to 'count', whose body is not visible)\n"
            "write y[0]\n");
}

TEST(LowerCalls, FunctionPointer) {
  EXPECT_EQ(body("void (*p)(float *) = nullptr; if (n) p = (void (*)(float *))x; p(y);"),
            "update x[?] maybe (the object is handed to a function pointer)\n"
            "update y[?] maybe ('y' is handed to a function pointer)\n"
            "update anything maybe (a function pointer)\n");
}

TEST(LowerCalls, KnownFunctionPointer) {
  EXPECT_EQ(body("auto p = &z; p(y);", "static void z(float *p) { p[1] = 0; }"), "write y[1]\n");
}

TEST(LowerCalls, Lambda) {
  EXPECT_EQ(body("auto put = [&](int k) { y[k] = x[k]; }; for (int i = 0; i < n; ++i) put(i);"), "loop i [0, n)\n"
                                                                                                 " read x[i]\n"
                                                                                                 " write y[i]\n");
}

TEST(LowerCalls, LambdaByValue) {
  EXPECT_EQ(body("auto put = [=](int k) mutable { y[k] = n; ++n; }; put(3); y[n] = 0;"), "write y[3]\n"
                                                                                         "write y[n]\n");
}

TEST(LowerCalls, LambdaInit) { EXPECT_EQ(body("auto put = [p = y + n]() { p[1] = 0; }; put();"), "write y[n + 1]\n"); }

TEST(LowerCalls, LambdaGeneric) {
  EXPECT_EQ(body("auto put = [](auto *p, int k) { p[k] = 0; }; put(y, n);"), "write y[n]\n");
}

TEST(LowerCalls, Template) {
  EXPECT_EQ(
      body("put<float, 8>(y);", "template <class T, int K> void put(T *p) { for (int i = 0; i < K; ++i) p[i] = 0; }"),
      "loop i [0, 8)\n"
      " write y[i]\n");
}

TEST(LowerCalls, Virtual) {
  EXPECT_EQ(body("V *v = (V *)x; v->put(y);", "struct V { virtual void put(float *p) { *p = 0; } };"),
            "update x[?] maybe (the object is handed to the virtual function 'put')\n"
            "update y[?] maybe ('y' is handed to the virtual function 'put')\n"
            "update anything maybe (the virtual function 'put')\n");
}

TEST(LowerCalls, VirtualKnown) {
  EXPECT_EQ(body("V v; v.put(y);", "struct V { virtual void put(float *p) { *p = 0; } };"), "write y[0]\n");
}

TEST(LowerCalls, Recursion) {
  EXPECT_EQ(body("walk(y, n);", "static void walk(float *p, int k) { if (k > 0) { p[k] = 0; walk(p, k - 1); } }"),
            "if n - 1 >= 0\n"
            " write y[n]\n"
            " write y[?] maybe ('walk' calls itself)\n");
}

TEST(LowerCalls, MutualRecursion) {
  EXPECT_EQ(body("a(y, x, n);",
                 "static void b(float *p, const float *q, int k); static void a(float *p, const float *q, int k) { if "
                 "(k) b(p, q, k - 1); } static void b(float *p, const float *q, int k) { p[k] = q[k]; a(p, q, k); }"),
            "if n >= 0 && -n >= 0\n"
            "else\n"
            " read x[n - 1]\n"
            " write y[n - 1]\n"
            " write y[?] maybe ('a' calls itself)\n"
            " read x[?] maybe ('a' calls itself)\n");
}

TEST(LowerCalls, DefaultArgument) {
  EXPECT_EQ(body("put(y);", "static void put(float *p, int k = 5) { p[k] = 0; }"), "write y[5]\n");
}

TEST(LowerCalls, Variadic) {
  EXPECT_EQ(body("log(\"%p\", y);", "void log(const char *, ...);"),
            "update y[?] maybe ('y' is handed to 'log', whose body is not visible)\n"
            "update anything maybe ('log', whose body is not visible)\n");
}

TEST(LowerCalls, Operator) {
  EXPECT_EQ(body("V v{y}; v[n] = x[0];", "struct V { float *p; float &operator[](int i) { return p[i]; } };"),
            "read x[0]\n"
            "write y[n]\n");
}

TEST(LowerCalls, Constructor) {
  EXPECT_EQ(body("V v(y, n); v.put();",
                 "struct V { float *p; int k; V(float *q, int n) : p(q + 1), k(n) {} void put() { p[k] = 0; } };"),
            "write y[n + 1]\n");
}

TEST(LowerCalls, New) {
  EXPECT_EQ(body("float *t = new float[n]; t[0] = x[0]; y[0] = t[0]; delete[] t;"), "read x[0]\n"
                                                                                    "write y[0]\n");
}

TEST(LowerCalls, NoReturn) {
  EXPECT_EQ(body("if (n < 0) fail(); y[0] = 1;", "[[noreturn]] void fail();"),
            "if -n - 1 >= 0\n"
            " update anything maybe ('fail', whose body is not visible)\n"
            " throw\n"
            "write y[0]\n");
}

} // namespace
