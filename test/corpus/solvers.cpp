// Tridiagonal systems, factorizations of tiles, substitutions, iterations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

// expect: in(a[1:n-1]) inout([n]b) inout([n]d) in(c[0:n-1])
void thomas(int n, const double *a, double *b, const double *c, double *d) {
  for (int i = 1; i < n; ++i) {
    const double m = a[i] / b[i - 1];
    b[i] -= m * c[i - 1];
    d[i] -= m * d[i - 1];
  }
  d[n - 1] /= b[n - 1];
  for (int i = n - 2; i >= 0; --i)
    d[i] = (d[i] - c[i] * d[i + 1]) / b[i];
}

// expect: in([n][n]l) inout([n]x)
void forwardSubstitution(int n, const double *l, double *x) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j)
      x[i] -= l[i * n + j] * x[j];
    x[i] /= l[i * n + i];
  }
}

// expect: in([n][n]u) inout([n]x)
void backSubstitution(int n, const double *u, double *x) {
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j)
      x[i] -= u[i * n + j] * x[j];
    x[i] /= u[i * n + i];
  }
}

// expect: inout([n][n]a)
void luInPlace(int n, double *a) {
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; ++j)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

// The pivot row depends on the values.
// expect: inout(a[?]) out([n]pivots)
void luPivoted(int n, double *a, int *pivots) {
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[p * n + k]))
        p = i;
    pivots[k] = p;
    for (int j = 0; j < n; ++j) {
      const double t = a[k * n + j];
      a[k * n + j] = a[p * n + j];
      a[p * n + j] = t;
    }
    for (int i = k + 1; i < n; ++i) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; ++j)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
  }
}

// expect: inout([n][n]a)
void cholesky(int n, double *a) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k)
      a[j * n + j] -= a[j * n + k] * a[j * n + k];
    a[j * n + j] = std::sqrt(a[j * n + j]);
    for (int i = j + 1; i < n; ++i) {
      for (int k = 0; k < j; ++k)
        a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= a[j * n + j];
    }
  }
}

// expect: in([b][b]l) inout([b][b]a)
void trsmTile(int b, const float *l, float *a) {
  for (int i = 0; i < b; ++i)
    for (int j = 0; j < b; ++j) {
      float s = a[i * b + j];
      for (int k = 0; k < j; ++k)
        s -= a[i * b + k] * l[j * b + k];
      a[i * b + j] = s / l[j * b + j];
    }
}

// expect: in([b][b]a) inout([b][b]c)
void syrkTile(int b, const float *a, float *c) {
  for (int i = 0; i < b; ++i)
    for (int j = 0; j <= i; ++j)
      for (int k = 0; k < b; ++k)
        c[i * b + j] -= a[i * b + k] * a[j * b + k];
}

// expect: in(a<i0*n+k0; bs x n, bs>) in(a2<k0*n+j0; bs x n, bs>) inout(c<i0*n+j0; bs x n, bs>)
void updateBlock(int n, int bs, int i0, int j0, int k0, const double *a, const double *a2, double *c) {
  for (int i = i0; i < i0 + bs; ++i)
    for (int j = j0; j < j0 + bs; ++j)
      for (int k = k0; k < k0 + bs; ++k)
        c[i * n + j] -= a[i * n + k] * a2[k * n + j];
}

// A Householder vector in place; beta is left alone when there is nothing to reflect.
// expect: inout([n]x) out([1]tau)
void house(int n, double *x, double *tau) {
  double s = 0;
  for (int i = 1; i < n; ++i)
    s += x[i] * x[i];
  if (s == 0) {
    *tau = 0;
    return;
  }
  const double alpha = std::sqrt(x[0] * x[0] + s), v0 = x[0] + alpha;
  *tau = v0 / alpha;
  for (int i = 1; i < n; ++i)
    x[i] /= v0;
  x[0] = -alpha;
}

// expect: in([m]v) inout([m][n]a)
void applyReflector(int m, int n, const double *v, double tau, double *a) {
  for (int j = 0; j < n; ++j) {
    double s = 0;
    for (int i = 0; i < m; ++i)
      s += v[i] * a[i * n + j];
    s *= tau;
    for (int i = 0; i < m; ++i)
      a[i * n + j] -= s * v[i];
  }
}

// expect: inout([m][n]q) out([n][n]r)
void gramSchmidt(int m, int n, double *q, double *r) {
  for (int i = 0; i < n * n; ++i)
    r[i] = 0;
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) {
      for (int i = 0; i < m; ++i)
        r[k * n + j] += q[i * n + k] * q[i * n + j];
      for (int i = 0; i < m; ++i)
        q[i * n + j] -= r[k * n + j] * q[i * n + k];
    }
    for (int i = 0; i < m; ++i)
      r[j * n + j] += q[i * n + j] * q[i * n + j];
    r[j * n + j] = std::sqrt(r[j * n + j]);
    for (int i = 0; i < m; ++i)
      q[i * n + j] /= r[j * n + j];
  }
}

// One step of conjugate gradients behind the product.
// expect: in([n]p) in([n]ap) inout([n]x) inout([n]r) inout(rr)
void cgStep(int n, const double *p, const double *ap, double *x, double *r, double &rr) {
  double pap = 0;
  for (int i = 0; i < n; ++i)
    pap += p[i] * ap[i];
  const double alpha = rr / pap;
  double now = 0;
  for (int i = 0; i < n; ++i) {
    x[i] += alpha * p[i];
    r[i] -= alpha * ap[i];
    now += r[i] * r[i];
  }
  rr = now;
}

// expect: in([n][n]a) in([n]b) in([n]x) out([n]next)
void jacobiStep(int n, const double *a, const double *b, const double *x, double *next) {
  for (int i = 0; i < n; ++i) {
    double s = b[i];
    for (int j = 0; j < n; ++j)
      if (j != i)
        s -= a[i * n + j] * x[j];
    next[i] = s / a[i * n + i];
  }
}

// expect: inout([n]x) out([1]steps)
void newton(int n, double *x, int *steps) {
  int most = 0;
  for (int i = 0; i < n; ++i) {
    double v = x[i];
    int k = 0;
    while (std::fabs(v * v - 2) > 1e-12 && k < 100) {
      v -= (v * v - 2) / (2 * v);
      ++k;
    }
    x[i] = v;
    if (k > most)
      most = k;
  }
  *steps = most;
}

// expect: out([n][n]a)
void identity(int n, double *a) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[i * n + j] = i == j ? 1.0 : 0.0;
}

// The upper triangle alone is written.
// expect: inout([n][n]a)
void zeroUpper(int n, double *a) {
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      a[i * n + j] = 0;
}

// Both triangles: all of it.
// expect: in([n][n]lower) out([n][n]full)
void symmetrize(int n, const double *lower, double *full) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      full[i * n + j] = lower[i * n + j];
      full[j * n + i] = lower[i * n + j];
    }
}
