// Kinds of functions: variadic templates, extents that are deduced, lambdas and function pointers as arguments, __func__.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdio>
#include <memory>
#include <string>

#pragma hsched task inout(*sum) in(x...)
template <class T, class... A> void add(T *sum, T by, const A &...x) {
  const T list[] = {by, static_cast<T>(x)...};
  for (T v : list)
    *sum += v;
}
#pragma hsched implements(add)
template <class T, class... A> void add2(T *sum, T by, const A &...x) {
  T all = by;
  ((all += static_cast<T>(x)), ...);
  *sum += all;
}

#pragma hsched task inout([n]p...)
template <class... P> void fill(int n, P *...p) {
  for (int i = 0; i < n; ++i)
    ((p[i] += static_cast<P>(i)), ...);
}

#pragma hsched task out(*out)
template <class... A> void texts(std::string *out, A... parts) {
  *out = (std::string() + ... + parts);
}

#pragma hsched task inout(x)
template <int N> void whole(float (&x)[N]) {
  for (float &v : x)
    v += N;
}
#pragma hsched task inout(x)
template <class T, std::size_t N> void array(std::array<T, N> &x, T by = T(2)) {
  for (T &v : x)
    v *= by;
}

#pragma hsched task inout([n]x)
template <class F> void each(F body, int n, int *x) {
  for (int i = 0; i < n; ++i)
    x[i] = body(x[i]);
}
static int twice(int v) { return 2 * v; }

struct Pair {
  int a;
  double b;
};
#pragma hsched task in(*p) inout(*q) label("restricted")
extern "C" void restricted(const Pair *__restrict const p, Pair *__restrict q, Pair by, const int &times) {
  q->a += (p->a + by.a) * times;
  q->b += p->b * by.b;
  auto inner = [] { return __func__; };
  std::printf("%s in %s\n", inner(), __func__);
}

#pragma hsched task inout(*sum)
static void owned(std::unique_ptr<int> p, long *sum) {
  *sum += *p;
}

constexpr int Fixed = 6;
#pragma hsched task inout(t[0:Fixed / 2])
static void fixed(int (&t)[Fixed]) {
  for (int i = 0; i < Fixed / 2; ++i)
    t[i] += sizeof(__func__);
}

int main() {
  long sum = 0;
  int one = 1;
  short two = 2;
  for (int i = 0; i < 10; ++i) {
    add(&sum, 5L);
    add(&sum, 1L, one);
    add(&sum, 1L, one, two);
  }
#pragma hsched taskwait
  std::printf("sum %ld\n", sum);
  int a[7] = {};
  double b[7] = {};
  for (int i = 0; i < 5; ++i) {
    fill(7, a, b);
    fill(3, b);
    fill(2);
  }
  std::string s, t;
  texts(&s, std::string("a"), std::string("bc"), 'd');
  texts(&t);
#pragma hsched taskwait
  std::printf("fill %d %g, '%s' '%s'\n", a[6], b[2], s.c_str(), t.c_str());

  float x[4] = {1, 2, 3, 4}, y[2] = {5, 6};
  std::array<long, 3> z = {1, 2, 3};
  for (int i = 0; i < 4; ++i) {
    whole(x);
    whole(y);
    array(z);
    array(z, 3L);
  }
  int factor = 3;
  for (int i = 0; i < 3; ++i) {
    each([factor](int v) { return v * factor + 1; }, 7, a);
    each(twice, 7, a);
    each(&twice, 5, a + 2);
    each<int (*)(int)>([](int v) { return v - 1; }, 7, a);
  }
#pragma hsched taskwait
  std::printf("%g %g %ld\n", x[3], y[1], z[2]);
  for (int v : a)
    std::printf("%d ", v);
  std::printf("\n");

  Pair p = {1, 2.5}, q = {3, 4.5};
  for (int i = 0; i < 3; ++i)
    restricted(&p, &q, {i, 0.5}, factor);
  for (int i = 0; i < 4; ++i)
    owned(std::make_unique<int>(i), &sum);
  int f[Fixed] = {};
  for (int i = 0; i < 4; ++i)
    fixed(f);
#pragma hsched taskwait
  std::printf("%d %g %ld %d %d\n", q.a, q.b, sum, f[2], f[3]);
  return 0;
}
