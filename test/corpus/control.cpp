// Control flow and aliases: early exits, guards, recursion, pointers that move, triangular loops, calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstdint>

// expect: inout([n]y)
void earlyExit(int n, float *y) {
  if (n > 1000)
    return;
  for (int i = 0; i < n; ++i)
    y[i] = 0;
}

// Nothing is missed when there is nothing.
// expect: out([n]y)
void emptyExit(int n, float *y) {
  if (n <= 0)
    return;
  for (int i = 0; i < n; ++i)
    y[i] = 0;
}

// expect: in([n]x) inout([n]y)
void stopsAtZero(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    if (x[i] == 0)
      break;
    y[i] = 1 / x[i];
  }
}

// expect: in([n]x) inout([n]y)
void skipsZero(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    if (x[i] == 0)
      continue;
    y[i] = 1 / x[i];
  }
}

// expect: in([n]x) out([n]y)
void throwsOnNegative(int n, const double *x, double *y) {
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0)
      throw 1;
    y[i] = std::sqrt(x[i]);
  }
}

// expect: out([n]y)
void countsDown(int n, float *y) {
  for (int i = n - 1; i >= 0; --i)
    y[i] = 1;
}

// expect: out([n]y)
void whileLoop(int n, float *y) {
  int i = 0;
  while (i < n) {
    y[i] = 2;
    ++i;
  }
}

// expect: out([n]y)
void movingPointer(int n, float *y) {
  float *const end = y + n;
  for (float *p = y; p < end; ++p)
    *p = 3;
}

// expect: in([n]x) out([n]y)
void twoMovingPointers(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    *y++ = *x++;
}

// expect: out([n]y)
void unrolledByFour(int n, float *y) {
  int i = 0;
  for (; i + 3 < n; i += 4) {
    y[i] = 0;
    y[i + 1] = 0;
    y[i + 2] = 0;
    y[i + 3] = 0;
  }
  for (; i < n; ++i)
    y[i] = 0;
}

// expect: in([std::max(n, middle)]x) out([std::max(n, middle)]y)
void twoHalves(int n, int middle, const float *x, float *y) {
  for (int i = 0; i < middle; ++i)
    y[i] = x[i];
  for (int i = middle; i < n; ++i)
    y[i] = -x[i];
}

// expect: out([std::min(n, m)]y)
void guarded(int n, int m, float *y) {
  for (int i = 0; i < n; ++i)
    if (i < m)
      y[i] = 0;
}

// expect: out([n]y)
void guardedBothWays(int n, int m, float *y) {
  for (int i = 0; i < n; ++i)
    if (i < m)
      y[i] = 0;
    else
      y[i] = 1;
}

// expect: in([n]x) inout([n]y)
void readsOwnOutput(int n, const float *x, float *y) {
  for (int i = 1; i < n; ++i)
    y[i] = y[i - 1] + x[i];
  y[0] = x[0];
}

// expect: in([n]x) out([n]y)
void readsOwnResult(int n, const float *x, float *y) {
  y[0] = x[0];
  for (int i = 1; i < n; ++i)
    y[i] = y[i - 1] + x[i];
}

// expect: in([n]a) in([n]b) out([n]y)
void choosesSource(int n, bool first, const float *a, const float *b, float *y) {
  const float *src = first ? a : b;
  for (int i = 0; i < n; ++i)
    y[i] = src[i];
}

// expect: inout([n]a) inout([n]b)
void choosesTarget(int n, bool first, float *a, float *b) {
  float *dst = first ? a : b;
  for (int i = 0; i < n; ++i)
    dst[i] = 0;
}

// expect: inout([n]a) inout([n]b)
void swapsPointers(int n, int steps, float *a, float *b) {
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < n; ++i)
      b[i] = 0.5f * a[i];
    float *t = a;
    a = b;
    b = t;
  }
}

static void helper(int n, const float *from, float *to) {
  for (int i = 0; i < n; ++i)
    to[i] = from[i];
}

// expect: in(x[n:n]) out([n]y)
void callsHelper(int n, const float *x, float *y) { helper(n, x + n, y); }

// expect: in([n]x) out([2*n]y)
void callsHelperTwice(int n, const float *x, float *y) {
  helper(n, x, y);
  helper(n, x, y + n);
}

static float square(float v) { return v * v; }

// expect: inout([n]x)
void callsPure(int n, float *x) {
  for (int i = 0; i < n; ++i)
    x[i] = square(x[i]);
}

// expect: inout(x[?])
void quickSort(float *x, int lo, int hi) {
  if (lo >= hi)
    return;
  const float p = x[(lo + hi) / 2];
  int i = lo, j = hi;
  while (i <= j) {
    while (x[i] < p)
      ++i;
    while (x[j] > p)
      --j;
    if (i <= j) {
      const float t = x[i];
      x[i++] = x[j];
      x[j--] = t;
    }
  }
  quickSort(x, lo, j);
  quickSort(x, i, hi);
}

// What recursion covers is not computed.
// expect: in(x[?]) inout(sum)
void sumRecursively(const double *x, int lo, int hi, double &sum) {
  if (hi - lo == 1) {
    sum += x[lo];
    return;
  }
  const int mid = (lo + hi) / 2;
  sumRecursively(x, lo, mid, sum);
  sumRecursively(x, mid, hi, sum);
}

void declaredOnly(const float *from, float *to, int n);

// expect: in(x[?]) inout(y[?]) opaque
void callsDeclared(int n, const float *x, float *y) { declaredOnly(x, y, n); }

// expect: in(x[?]) inout(y[?]) opaque
void callsThroughPointer(int n, void (*f)(const float *, float *, int), const float *x, float *y) { f(x, y, n); }

static float table[256];
static int calls;

// expect: in([n]index) in(table) out([n]y)
void usesGlobal(int n, const unsigned char *index, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = table[index[i]];
}

// expect: out([n]y) inout(calls)
void countsCalls(int n, float *y) {
  ++calls;
  for (int i = 0; i < n; ++i)
    y[i] = 0;
}

// expect: in([n]x) out([n]y)
void switches(int n, int mode, const float *x, float *y) {
  switch (mode) {
  case 0:
    for (int i = 0; i < n; ++i)
      y[i] = x[i];
    break;
  case 1:
    for (int i = 0; i < n; ++i)
      y[i] = 2 * x[i];
    break;
  default:
    for (int i = 0; i < n; ++i)
      y[i] = 0;
  }
}

// expect: in([n]x) inout([n]y)
void switchesWithoutDefault(int n, int mode, const float *x, float *y) {
  switch (mode) {
  case 0:
    for (int i = 0; i < n; ++i)
      y[i] = x[i];
    break;
  case 1:
    for (int i = 0; i < n; ++i)
      y[i] = 2 * x[i];
  }
}

// expect: in(x<0; n x n+1>) out([n]d)
void diagonal(int n, const float *x, float *d) {
  for (int i = 0; i < n; ++i)
    d[i] = x[i * n + i];
}

// expect: out([n*(n+1)/2]packed)
void packedTriangle(int n, float *packed) {
  for (int i = 0, k = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j, ++k)
      packed[k] = i == j;
}

// expect: in([n]bits) out([n]f)
void reinterprets(int n, const std::uint32_t *bits, float *f) {
  for (int i = 0; i < n; ++i) {
    const float *p = reinterpret_cast<const float *>(&bits[i]);
    f[i] = *p;
  }
}

// expect: none(x) out([n]y)
void ignores(int n, const float *x, float *y) {
  (void)x;
  for (int i = 0; i < n; ++i)
    y[i] = 0;
}

// expect: inout([n]x)
void doWhile(int n, float *x) {
  int i = 0;
  do {
    x[i] += 1;
    ++i;
  } while (i < n);
}

// expect: in([steps]dt) inout([n]x)
void timeSteps(int n, int steps, const float *dt, float *x) {
  for (int s = 0; s < steps; ++s)
    for (int i = 0; i < n; ++i)
      x[i] += dt[s] * x[i];
}

// expect: out([n][m]y)
void collapsed(int n, int m, float *y) {
  for (int k = 0; k < n * m; ++k) {
    const int i = k / m, j = k % m;
    y[i * m + j] = i + j;
  }
}

// expect: out([n]y)
void blocked(int n, float *y) {
  for (int b = 0; b < n; b += 64) {
    const int end = b + 64 < n ? b + 64 : n;
    for (int i = b; i < end; ++i)
      y[i] = 0;
  }
}
