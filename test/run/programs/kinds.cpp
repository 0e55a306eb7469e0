// More kinds of tasks: explicit specializations, constexpr functions, versions of member templates of class templates.
// Also free functions as versions of members, statements in lambdas outside of functions, and more kinds of parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <vector>

#pragma hsched task inout(*x)
template <class T> void change(T *x, T by) { *x = *x * T(2) + by; }
#pragma hsched task inout(x[0:2])
template <> void change<short>(short *x, short by) { x[0] = short(x[0] + by); x[1] = short(x[1] - by); }
#pragma hsched task inout(*x)
template <> void change(char *x, char by);
template <> void change<char>(char *x, char by) { *x = char(*x + by + 1); }
#pragma hsched implements(change)
static void changeShort(short *x, short by) { x[0] = short(x[0] + by); x[1] = short(x[1] - by); }
// The specialization alone is a task.
template <class T> void plain(T *x) { *x += 1; }
#pragma hsched task inout(*x)
template <> void plain<double>(double *x) { *x += 0.5; }

#pragma hsched task inout([n]x)
constexpr void addTo(int n, int *x, int by = 1) {
  for (int i = 0; i < n; ++i)
    x[i] += by;
}
#pragma hsched task inout(*x)
template <class T> constexpr void square(T *x) { *x = *x * *x; }
static constexpr int computed() {
  int x[3] = {1, 2, 3};
  addTo(3, x, 4);
  square(&x[1]);
  return x[0] * 1000 + x[1] * 10 + x[2];
}
constexpr int Computed = computed();
static_assert(Computed == 5367);

template <class T> struct Box {
  T value{};
#pragma hsched task inout(value)
  template <class U> void take(U u) { value = T(value * 3 + T(u)); }
#pragma hsched implements(take)
  template <class U> void takeAgain(U u) { value = T(value * 3 + T(u)); }
#pragma hsched task inout(*x)
  template <class U> static void step(U *x, T by) { *x = U(*x * 2 + U(by)); }
#pragma hsched implements(step)
  template <class U> static void stepAgain(U *x, T by) { *x = U(*x * 2 + U(by)); }
#pragma hsched task inout(value)
  constexpr void twice() { value = T(value * 2); }
};
constexpr Box<int> doubled() { Box<int> b{21}; b.twice(); return b; }
static_assert(doubled().value == 42);

namespace shop {
struct Till {
  std::vector<int> coins;
  long sum = 0;
#pragma hsched task in(coins) inout(sum)
  void count(int times);
#pragma hsched task in(coins) out(*to)
  void most(int *to) const;
};
void Till::count(int times) { for (int c : coins) sum += long(c) * times; }
void Till::most(int *to) const { *to = 0; for (int c : coins) if (c > *to) *to = c; }
#pragma hsched implements(Till::count)
static void countAgain(Till &till, int times) { for (int c : till.coins) till.sum += long(c) * times; }
#pragma hsched implements(Till::most)
static void mostAgain(const Till &till, int *to) { *to = 0; for (int c : till.coins) if (c > *to) *to = c; }
}

static auto halve = [](int n, int *x) {
  for (int i = 0; i < n; ++i) {
#pragma hsched task inout(x[i])
    x[i] /= 2;
  }
#pragma hsched taskloop grainsize(2) inout(x[i:1])
  for (int i = 0; i < n; ++i)
    x[i] += i;
#pragma hsched taskwait
};
struct Holder {
  std::function<void(int *)> run = [](int *x) {
#pragma hsched task inout(*x)
    *x += 100;
#pragma hsched taskwait
  };
};

// Parameters.
struct Plan { const int *from; int n; int weights[3]; };
#pragma hsched task in(plan.from[0:plan.n]) inout(*sum)
static void follow(Plan plan, long *sum) {
  for (int i = 0; i < plan.n; ++i)
    *sum += long(plan.from[i]) * plan.weights[i % 3];
}
#pragma hsched task inout(total)
static void later(int &total, std::function<int(int)> f, int a = 2, int b = 3);
static void later(int &total, std::function<int(int)> f, int a, int b) { total = f(total) + a * b; }
struct Rows { enum { Count = 4 }; static constexpr unsigned Width = 2; };
#pragma hsched task inout(m[0:Rows::Count / 2][0:Rows::Width])
template <unsigned W> void corner(int (&m)[Rows::Count][W], int by) {
  for (int i = 0; i < Rows::Count / 2; ++i)
    for (unsigned j = 0; j < Rows::Width; ++j)
      m[i][j] += by;
}
extern "C" {
#pragma hsched task in(a[0:n]) inout(b[0:n])
void plainC(int n, const double *__restrict a, double *__restrict b);
}
void plainC(int n, const double *__restrict a, double *__restrict b) {
  for (int i = 0; i < n; ++i)
    b[i] = b[i] * 0.5 + a[i];
}

int main() {
  int i1 = 1; short s[2] = {1, 2}; char c = 'a'; double d = 1; float f = 2;
  int list[5] = {1, 2, 3, 4, 5}; long big = 2;
  for (int i = 0; i < 6; ++i) {
    change(&i1, i);
    change(s, short(i));
    change(&c, char(1));
    plain(&d);
    plain(&f);
    addTo(5, list, i);
    addTo(3, list);
    square(&big);
#pragma hsched taskwait
    if (i == 2) big = 0;
  }
  Box<int> bi; Box<float> bf; int k = 1; double e = 1;
  for (int i = 0; i < 5; ++i) {
    bi.take(i); bi.take(i * 0.5); bf.take(i); bi.twice();
    Box<int>::step(&k, i); Box<float>::step(&e, 1.5f);
  }
  shop::Till till; till.coins = {5, 1, 9, 2};
  int most = -1;
  for (int i = 0; i < 4; ++i) { till.count(i); till.most(&most); }
#pragma hsched taskwait
  halve(5, list);
  Holder h; h.run(&i1);
  int numbers[6] = {1, 2, 3, 4, 5, 6}; long sum = 0; int total = 1; const int offset = 4;
  int m[4][3] = {}, w[4][2] = {}; double a[3] = {1, 2, 3}, b[3] = {};
  for (int i = 0; i < 4; ++i) {
    follow({numbers + i, 3, {1, i, 2}}, &sum);
    later(total, [&offset](int v) { return v * 2 - offset; });
    later(total, [&](int v) { return v + i; }, i);
#pragma hsched taskwait
    corner(m, i); corner(w, 2 * i);
    plainC(3, a, b);
  }
#pragma hsched taskwait
  std::printf("%d %d %d %c %g %g\n", i1, s[0], s[1], c, d, double(f));
  for (int x : list) std::printf("%d ", x);
  std::printf("%ld %d\n%d %g %d %g\n%ld %d\n", big, Computed, bi.value, double(bf.value), k, e, till.sum, most);
  std::printf("%ld %d %d %d %g %g\n", sum, total, m[1][1], w[1][1], b[0], b[2]);
}
