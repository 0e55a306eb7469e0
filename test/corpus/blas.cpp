// Vectors and matrices, as BLAS has them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstddef>

// expect: in([n]x) inout([n]y)
void axpy(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// expect: in([n]x) out([n]y)
void scaledCopy(int n, double a, const double *__restrict x, double *__restrict y) {
  for (int i = 0; i < n; i++)
    y[i] = a * x[i];
}

// expect: inout([n]x)
void scale(std::size_t n, double a, double *x) {
  for (std::size_t i = 0; i != n; ++i)
    x[i] *= a;
}

// expect: in([n]x) in([n]y) out(result)
void dot(int n, const double *x, const double *y, double &result) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * y[i];
  result = s;
}

// expect: in([n]x) out([1]norm)
void norm2(long n, const float *x, float *norm) {
  float s = 0;
  for (long i = 0; i < n; ++i)
    s += x[i] * x[i];
  *norm = std::sqrt(s);
}

// expect: inout([n]x) inout([n]y)
void swapVectors(int n, float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    const float t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

// expect: inout([n]x) inout([n]y)
void rotate(int n, double *x, double *y, double c, double s) {
  for (int i = 0; i < n; ++i) {
    const double xi = x[i], yi = y[i];
    x[i] = c * xi + s * yi;
    y[i] = c * yi - s * xi;
  }
}

// expect: in(x<0; n x 2>) inout(y<0; n x 3>)
void axpyStrided(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[3 * i] += a * x[2 * i];
}

// expect: in(x<0; n x incx>) out([n]y)
void gatherColumn(int n, const float *x, int incx, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i * incx];
}

// expect: in(x<0; n x incx>) out([n]y)
void gatherForward(int n, const float *x, unsigned incx, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i * std::size_t(incx)];
}

// expect: in(x<0; n x incx>) out([n]y)
void gatherChecked(int n, const float *x, int incx, float *y) {
  for (int i = 0; i < n; ++i)
    if (incx > 0)
      y[i] = x[i * incx];
    else
      y[i] = 0;
}

// expect: in(a<k; n x n, 1>) out([n]y)
void columnOfSquare(int n, int k, const float *a, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = a[i * n + k];
}

// expect: in([m][n]a) in([n]x) out([m]y)
void matrixVector(int m, int n, const double *a, const double *x, double *y) {
  for (int i = 0; i < m; ++i) {
    double s = 0;
    for (int j = 0; j < n; ++j)
      s += a[i * n + j] * x[j];
    y[i] = s;
  }
}

// expect: in(a<0; m x lda, n>) in([n]x) inout([m]y)
void gemv(int m, int n, double alpha, const double *a, int lda, const double *x, double beta, double *y) {
  for (int i = 0; i < m; ++i) {
    double s = 0;
    const double *row = a + i * lda;
    for (int j = 0; j < n; ++j)
      s += row[j] * x[j];
    y[i] = alpha * s + beta * y[i];
  }
}

// y is zeroed before it is added to.
// expect: in([m][n]a) in([m]x) out([n]y)
void gemvTransposed(int m, int n, const float *a, const float *x, float *y) {
  for (int j = 0; j < n; ++j)
    y[j] = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      y[j] += a[i * n + j] * x[i];
}

// expect: in([m]x) in([n]y) inout(a<0; m x lda, n>)
void ger(int m, int n, double alpha, const double *x, const double *y, double *a, int lda) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      a[i * lda + j] += alpha * x[i] * y[j];
}

// expect: in([m][k]a) in([k][n]b) out([m][n]c)
void matmul(int m, int n, int k, const float *a, const float *b, float *c) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float s = 0;
      for (int p = 0; p < k; ++p)
        s += a[i * k + p] * b[p * n + j];
      c[i * n + j] = s;
    }
}

// expect: in(a<0; m x lda, k>) in(b<0; k x ldb, n>) inout(c<0; m x ldc, n>)
void gemm(int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb, double *c, int ldc) {
  for (int i = 0; i < m; ++i)
    for (int p = 0; p < k; ++p)
      for (int j = 0; j < n; ++j)
        c[i * ldc + j] += alpha * a[i * lda + p] * b[p * ldb + j];
}

// The element is zeroed in the loop in which it is summed.
// expect: in([n][n]a) in([n][n]b) out([n][n]c)
void matmulSquare(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i * n + j] = 0;
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

// expect: in([256*256]a) in([256*256]b) inout([256*256]c)
void tileProduct(const float (*a)[256], const float (*b)[256], float (*c)[256]) {
  for (int i = 0; i < 256; ++i)
    for (int k = 0; k < 256; ++k)
      for (int j = 0; j < 256; ++j)
        c[i][j] += a[i][k] * b[k][j];
}

// expect: in([m][n]a) out([n][m]t)
void transpose(int m, int n, const float *a, float *t) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      t[j * m + i] = a[i * n + j];
}

// expect: inout([n][n]a)
void transposeInPlace(int n, float *a) {
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      float t = a[i * n + j];
      a[i * n + j] = a[j * n + i];
      a[j * n + i] = t;
    }
}

// expect: in([m*n]a) in([m*n]b) out([m*n]c)
void addMatrices(int m, int n, const double *a, const double *b, double *c) {
  const int all = m * n;
  for (int i = 0; i < all; ++i)
    c[i] = a[i] + b[i];
}

// expect: in(x[?]) out([1]index)
void indexOfLargest(int n, const float *x, int *index) {
  int best = 0;
  for (int i = 1; i < n; ++i)
    if (std::fabs(x[i]) > std::fabs(x[best]))
      best = i;
  *index = best;
}
