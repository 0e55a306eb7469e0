// C++: references, arrays, containers, spans, templates, lambdas, algorithms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstring>
#include <functional>
#include <istream>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

// expect: inout(v)
void doubleAll(std::vector<double> &v) {
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] *= 2;
}

// expect: in(x) out(sum)
void sumVector(const std::vector<float> &x, float &sum) {
  float s = 0;
  for (float e : x)
    s += e;
  sum = s;
}

// expect: in(x) inout(y)
void axpySpan(float a, std::span<const float> x, std::span<float> y) {
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] += a * x[i];
}

// expect: out(y)
void fillSpan(std::span<double> y, double value) {
  for (double &e : y)
    e = value;
}

// expect: out(a)
void zeroArray(std::array<float, 16> &a) {
  for (int i = 0; i < 16; ++i)
    a[i] = 0;
}

// expect: in(a) inout(b)
void addArrays(const std::array<double, 8> &a, std::array<double, 8> &b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    b[i] += a[i];
}

// expect: in(x) out(y)
void copyReferences(const double (&x)[32], double (&y)[32]) {
  for (int i = 0; i < 32; ++i)
    y[i] = x[i];
}

// expect: inout(a) inout(b)
void exchangeScalars(int &a, int &b) {
  const int t = a;
  a = b;
  b = t;
}

// expect: inout(counter)
void count(int &counter) { ++counter; }

template <class T> static void axpyOf(int n, T a, const T *x, T *y) {
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// expect: in([n]x) inout([n]y)
void callsTemplate(int n, const double *x, double *y) { axpyOf(n, 2.0, x, y); }

template <class F> static void forRange(int n, F f) {
  for (int i = 0; i < n; ++i)
    f(i);
}

// expect: in([n]x) out([n]y)
void callsLambda(int n, const float *x, float *y) {
  forRange(n, [=](int i) { y[i] = 2 * x[i]; });
}

// expect: in([n]x) out([n]y)
void lambdaInPlace(int n, const float *x, float *y) {
  const auto square = [&](int i) { return x[i] * x[i]; };
  for (int i = 0; i < n; ++i)
    y[i] = square(i);
}

// expect: inout([n]x)
void generic(int n, double *x) {
  auto twice = [](auto &e) { e *= 2; };
  for (int i = 0; i < n; ++i)
    twice(x[i]);
}

// expect: out([n]x)
void fillRange(int n, double *x) { std::fill(x, x + n, 1.0); }

// expect: out([n]x)
void fillCount(int n, float *x) { std::fill_n(x, n, 0.0f); }

// expect: in([n]x) out([n]y)
void copyRange(int n, const int *x, int *y) { std::copy(x, x + n, y); }

// expect: in(x[lo:len]) out(y[lo:len])
void copyPart(const int *x, int *y, int lo, int len) { std::copy_n(x + lo, len, y + lo); }

// expect: in([n]x) out([n]y)
void transformUnary(int n, const float *x, float *y) {
  std::transform(x, x + n, y, [](float e) { return e * e; });
}

// expect: in([n]x) in([n]y) out([n]z)
void transformBinary(int n, const float *x, const float *y, float *z) {
  std::transform(x, x + n, y, z, std::plus<float>());
}

// expect: in([n]x) out([1]sum)
void accumulateRange(int n, const double *x, double *sum) { *sum = std::accumulate(x, x + n, 0.0); }

// expect: in([n]x) in([n]y) out(s)
void innerProduct(int n, const double *x, const double *y, double &s) { s = std::inner_product(x, x + n, y, 0.0); }

// expect: inout([n]x)
void sortRange(int n, int *x) { std::sort(x, x + n); }

// expect: inout([n]x)
void sortDescending(int n, float *x) {
  std::sort(x, x + n, [](float a, float b) { return a > b; });
}

// expect: out([n]x)
void iota(int n, int *x) { std::iota(x, x + n, 0); }

// expect: inout([n]x)
void forEach(int n, double *x) {
  std::for_each(x, x + n, [](double &e) { e += 1; });
}

// expect: inout([n]x)
void reverseRange(int n, char *x) { std::reverse(x, x + n); }

// expect: in([n]x) out([n]sums)
void partialSums(int n, const int *x, int *sums) { std::partial_sum(x, x + n, sums); }

// expect: in([n]x) out(largest)
void largest(int n, const float *x, float &largest) { largest = *std::max_element(x, x + n); }

// expect: inout([n]x) inout([n]y)
void swapRanges(int n, double *x, double *y) {
  for (int i = 0; i < n; ++i)
    std::swap(x[i], y[i]);
}

// expect: in([n]z) out([n]magnitude)
void magnitudes(int n, const std::complex<double> *z, double *magnitude) {
  for (int i = 0; i < n; ++i)
    magnitude[i] = std::abs(z[i]);
}

// expect: in([n]w) inout([n]z)
void twiddle(int n, const std::complex<float> *w, std::complex<float> *z) {
  for (int i = 0; i < n; ++i)
    z[i] *= w[i];
}

// expect: in([n]x) inout(total)
void addAtomically(int n, const int *x, std::atomic<int> &total) {
  int s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  total.fetch_add(s);
}

// A local container is nobody else's.
// expect: inout([n]x)
void throughTemporary(int n, float *x) {
  std::vector<float> t(n);
  for (int i = 0; i < n; ++i)
    t[i] = x[n - 1 - i];
  for (int i = 0; i < n; ++i)
    x[i] = t[i];
}

// expect: in(p) in(p.first[0:n]) out(p.second[0:n])
void pairOfPointers(int n, const std::pair<const float *, float *> &p) {
  for (int i = 0; i < n; ++i)
    p.second[i] = p.first[i];
}

template <int N> static void unrolled(const float *x, float *y) {
  for (int i = 0; i < N; ++i)
    y[i] = x[i] + 1;
}

// expect: in([8]x) out([8]y)
void instance(const float *x, float *y) { unrolled<8>(x, y); }

// expect: out([4]q)
void constantSubscripts(float *q, float a) {
  q[0] = a;
  q[1] = q[0];
  q[2] = q[1] * a;
  q[3] = -q[2];
}

// expect: inout(v) inout(w)
void swappedByMember(std::vector<float> &v, std::vector<float> &w) { v.swap(w); }

// expect: inout(in) inout([n]x)
void readFrom(std::istream &in, int n, float *x) {
  for (int i = 0; i < n; ++i)
    in >> x[i];
}

// expect: in(s) inout([4]to)
void copiedOut(const std::string &s, char *to) { s.copy(to, 4); }

// expect: inout(v) in([n]x)
void appended(std::vector<float> &v, const float *x, int n) { v.insert(v.end(), x, x + n); }

// expect: out(x)
void throughOptional(float &x) {
  std::optional<float *> p{&x};
  **p = 1;
}
