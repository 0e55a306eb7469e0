// Structs, members, globals and what pointers in memory lead to.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowered.h"

using namespace hsched::cc;

namespace {

TEST(LowerStructs, ByReference) {
  EXPECT_EQ(lowered("struct S { int n; float a; float v[4]; float *p; }; void g(S &s) { for (int i = 0; i < s.n; ++i) "
                    "s.p[i] = s.v[2]; }",
                    "g"),
            "read s[0] partial\n"
            "loop i [0, s.n)\n"
            " read s[0] partial\n"
            " read s[0] partial\n"
            " read s[0] partial\n"
            " write s.p[i]\n");
}

TEST(LowerStructs, ByPointer) {
  EXPECT_EQ(
      lowered("struct S { int n; float a; float v[4]; float *p; }; void g(S *s) { s->a = 1; s->v[1] = s[2].a; }", "g"),
      "write s[0] partial\n"
      "read s[2] partial\n"
      "write s[0] partial\n");
}

TEST(LowerStructs, ByValue) {
  EXPECT_EQ(lowered("struct S { int n; float a; float v[4]; float *p; }; void g(S s) { for (int i = 0; i < s.n; ++i) "
                    "s.p[i] = s.v[2]; s.n = 0; }",
                    "g"),
            "loop i [0, s.n)\n"
            " write s.p[i]\n");
}

TEST(LowerStructs, WholeCopy) {
  EXPECT_EQ(lowered("struct S { int n; float a; float v[4]; float *p; }; void g(S *d, const S *s) { *d = *s; }", "g"),
            "read s[0]\n"
            "write d[0]\n"
            "update s->p[?] maybe ('*d = *s' puts its address into memory)\n");
}

TEST(LowerStructs, BoundChanges) {
  EXPECT_EQ(lowered("struct S { int n; float a; float v[4]; float *p; }; void g(S *s) { for (int i = 0; i < s->n; ++i) "
                    "s->n += 1; }",
                    "g"),
            "read s[0] partial\n"
            "loop i any breaks\n"
            " read s[0] partial\n"
            " update s[0] partial\n");
}

TEST(LowerStructs, PointerChanges) {
  EXPECT_EQ(
      lowered("struct S { int n; float a; float v[4]; float *p; }; void g(S *s, float *q) { s->p = q; s->p[0] = 1; }",
              "g"),
      "write s[0] partial\n"
      "update q[?] maybe ('s->p' puts its address into memory)\n"
      "read s[0] partial\n"
      "write s->p[?] maybe (the pointer 's->p' changes)\n"
      "update anything maybe (the pointer 's->p' changes)\n");
}

TEST(LowerStructs, ArrayOf) {
  EXPECT_EQ(lowered("struct S { int n; float a; float v[4]; float *p; }; void g(S *s, int n) { for (int i = 0; i < n; "
                    "++i) { s[i].a = 0; s[i].v[3] = 1; } }",
                    "g"),
            "loop i [0, n)\n"
            " write s[i] partial\n"
            " write s[i] partial\n");
}

TEST(LowerStructs, LocalView) {
  EXPECT_EQ(lowered("struct S { int n; float a; float v[4]; float *p; }; void g(float *x, int n) { S s{n, 0, {}, x}; "
                    "for (int i = 0; i < s.n; ++i) s.p[i] = 0; }",
                    "g"),
            "loop i [0, n)\n"
            " write x[i]\n");
}

TEST(LowerStructs, Union) {
  EXPECT_EQ(lowered("union U { int i; float f; }; void g(U *u) { u[1].f = 0; }", "g"), "write u[1]\n");
}

TEST(LowerStructs, Base) {
  EXPECT_EQ(lowered("struct B { int b; }; struct D : B { int d; }; void g(D *d) { d->b = 1; static_cast<B *>(d)[0].b = "
                    "2; d->d = 3; }",
                    "g"),
            "write d[0] partial\n"
            "write d[0] partial\n"
            "write d[0]\n")
      << "with the last member all of it is written";
}

TEST(LowerStructs, BitField) {
  EXPECT_EQ(lowered("struct F { int a : 3, b : 5; }; void g(F *f) { f->b = 1; }", "g"), "write f[0] partial\n");
}

TEST(LowerStructs, DoublePointer) {
  EXPECT_EQ(
      lowered(
          "void g(float **a, int n, int m) { for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) a[i][j] = 0; }",
          "g"),
      "loop i [0, n)\n"
      " loop j [0, m)\n"
      "  read a[i]\n"
      "  write a[...][?] maybe ('a[...]' is one of several arrays)\n");
}

TEST(LowerStructs, List) {
  EXPECT_EQ(lowered("struct L { int v; L *next; }; void g(L *l) { for (; l; l = l->next) l->v = 0; }", "g"),
            "loop l any breaks\n"
            " if ?\n"
            "  write l[0] partial maybe\n"
            "  write anything maybe (memory behind pointers in memory)\n"
            "  read l[0] partial maybe\n"
            "  read anything maybe (memory behind pointers in memory)\n");
}

TEST(LowerStructs, Matrix) {
  EXPECT_EQ(
      lowered("void g(float (*a)[8], int n) { for (int i = 0; i < n; ++i) for (int j = 0; j < 8; ++j) a[i][j] = 0; }",
              "g"),
      "loop i [0, n)\n"
      " loop j [0, 8)\n"
      "  write a[j + 8 * i]\n");
}

TEST(LowerStructs, ArrayReference) {
  EXPECT_EQ(lowered("void g(float (&a)[8]) { for (float &v : a) v = 0; }", "g"), "loop __begin1' [0, 8)\n"
                                                                                 " write a[__begin1']\n");
}

TEST(LowerStructs, Scalar) {
  EXPECT_EQ(lowered("void g(int &r, const int &c) { r = c; }", "g"), "read c[0]\n"
                                                                     "write r[0]\n");
}

TEST(LowerStructs, Binding) {
  EXPECT_EQ(
      lowered("struct P { float *a; int n; }; void g(P p) { auto [a, n] = p; a[n] = 0; auto &[b, k] = p; b[k] = 1; }",
              "g"),
      "write p.a[p.n]\n"
      "write p.a[p.n]\n");
}

TEST(LowerStructs, This) {
  EXPECT_EQ(lowered("struct T { float *d; int n; void g() { for (int i = 0; i < n; ++i) d[i] = 0; n = 0; } };", "g"),
            "read n[0]\n"
            "loop i any breaks\n"
            " read n[0]\n"
            " read d[0]\n"
            " write d[i]\n"
            "write n[0]\n");
}

TEST(LowerStructs, ConstMember) {
  EXPECT_EQ(lowered("struct T { float d[4]; float g(int i) const { return d[i]; } };", "g"), "read d[i]\n"
                                                                                             "stop\n");
}

TEST(LowerStructs, Destructor) {
  EXPECT_EQ(lowered("struct G { float *p; ~G() { *p = 0; } }; void g(float *x) { G a{x}; x[1] = 0; }", "g"),
            "write x[1]\n"
            "if ?\n"
            " write x[0]\n");
}

TEST(LowerStructs, Global) {
  EXPECT_EQ(lowered("int count; static float table[16]; const int fixed[2] = {1, 2}; void g(float *y) { for (int i = "
                    "0; i < count; ++i) y[i] = table[i]; y[0] = fixed[1]; }",
                    "g"),
            "read count[0]\n"
            "loop i [0, count)\n"
            " read count[0]\n"
            " read table[i]\n"
            " write y[i]\n"
            "read fixed[1]\n"
            "write y[0]\n");
}

TEST(LowerStructs, GlobalChanges) {
  EXPECT_EQ(lowered("int count; void g(float *y) { for (int i = 0; i < count; ++i) y[i] = 0; count = 3; }", "g"),
            "read count[0]\n"
            "loop i any breaks\n"
            " read count[0]\n"
            " write y[i]\n"
            "write count[0]\n");
}

TEST(LowerStructs, StaticLocal) {
  EXPECT_EQ(lowered("void g(float *y) { static int calls; y[0] = ++calls; }", "g"), "update calls[0]\n"
                                                                                    "write y[0]\n");
}

TEST(LowerStructs, GlobalPointer) {
  EXPECT_EQ(lowered("float *data; void g(int n) { for (int i = 0; i < n; ++i) data[i] = 0; }", "g"),
            "loop i [0, n)\n"
            " read data[0]\n"
            " write data[i]\n");
}

bool holds(const std::string &Text, const std::string &What) { return Text.find(What) != std::string::npos; }

// What an earlier round made is still there when 'new' makes the next.
TEST(LowerStructs, NewInALoop) {
  std::string Tree =
      lowered("void g(int n, float *x) { float **last = nullptr; for (int i = 0; i < n; ++i) { float **p "
              "= new float *; if (last) **last = 0; *p = x; last = p; } }",
              "g");
  EXPECT_TRUE(holds(Tree, "write x[")) << Tree;
}

TEST(LowerStructs, Temporaries) {
  for (const char *Body : {"G{x};", "G{x}, y[0] = 1;", "y[0] = G{x}.value();", "const G &g = G{x}; y[0] = 1;",
                           "if (G{x}.value() > 0) y[0] = 1;", "take(G{x});", "return void(G{x});"}) {
    std::string Tree =
        lowered("struct G { float *p; G(float *p) : p(p) {} ~G() { *p = 0; } float value() const; }; void "
                "take(const G &); void g(float *x, float *y) { " +
                    std::string(Body) + " }",
                "g");
    EXPECT_TRUE(holds(Tree, "write x[0]")) << Body << "\n" << Tree;
  }
}

TEST(LowerStructs, BitFieldInitializers) {
  std::string Tree =
      lowered("void *operator new(decltype(sizeof 0), void *p) noexcept; struct S { int a : 3; int b : 5; "
              "S(int v) : a(v) {} }; void g(S *s) { new (s) S(1); }",
              "g");
  EXPECT_TRUE(holds(Tree, "write s[0] partial")) << Tree;
}

// A loop that is left by something else than its condition may go the other way.
TEST(LowerStructs, StepsThatMayBeNegative) {
  EXPECT_FALSE(
      holds(lowered("void g(int n, int s, float *y) { for (int i = n - 1; i < n; i += s) { y[i] = 0; if (i == 0) "
                    "break; } }",
                    "g"),
            "loop i ["));
  EXPECT_FALSE(
      holds(lowered("void g(int n, int s, float *y) { for (int i = 0; i < n; i += s) y[i] = 0; }", "g"), "y[?]"));
  EXPECT_FALSE(holds(lowered("void g(unsigned long n, unsigned long s, float *y) { for (unsigned long i = 0; i < n; i "
                             "+= s) { y[i] = 0; if (y[i + 1] > 0) break; } }",
                             "g"),
                     "y[?]"));
}

// Members go by their own names; the object as a whole is all of them.
TEST(LowerStructs, Members) {
  EXPECT_EQ(lowered("struct B { float w; }; struct T : B { float v[4]; int n; void set(int i) { v[i] = w; } void g() { "
                    "for (int i = 0; i < n; ++i) set(i); } };",
                    "g"),
            "read n[0]\n"
            "loop i [0, n)\n"
            " read n[0]\n"
            " read w[0]\n"
            " write v[i]\n");
  std::string Whole = lowered("struct T { float v; int n; void g(T *o) { *o = *this; *this = o[1]; n = 0; } };", "g");
  EXPECT_TRUE(holds(Whole, "read *this[0]") && holds(Whole, "write *this[0]") &&
              holds(Whole, "write v[?] maybe (the object is accessed as a whole)"))
      << Whole;
  // What the object as a whole is given may change every member.
  std::string Changed =
      lowered("struct T { float v[4]; int n; void g(T *o, float *y) { *this = *o; for (int i = 0; i < n; "
              "++i) y[i] = 0; } };",
              "g");
  EXPECT_FALSE(holds(Changed, "loop i [0, n)")) << Changed;
}

} // namespace
