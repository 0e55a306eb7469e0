// Calls of BLAS and LAPACK, atomics and builtins.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The prototypes, as cblas.h and lapacke.h have them, so that neither need be there.
extern "C" {
enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 };
enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 };
enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 };
enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 };
void cblas_daxpy(int n, double alpha, const double *x, int incx, double *y, int incy);
double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);
void cblas_dcopy(int n, const double *x, int incx, double *y, int incy);
void cblas_dgemv(CBLAS_ORDER, CBLAS_TRANSPOSE, int m, int n, double alpha, const double *a, int lda, const double *x,
                 int incx, double beta, double *y, int incy);
void cblas_dgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int m, int n, int k, double alpha, const double *a,
                 int lda, const double *b, int ldb, double beta, double *c, int ldc);
void cblas_dsyrk(CBLAS_ORDER, CBLAS_UPLO, CBLAS_TRANSPOSE, int n, int k, double alpha, const double *a, int lda,
                 double beta, double *c, int ldc);
void cblas_dtrsm(CBLAS_ORDER, CBLAS_SIDE, CBLAS_UPLO, CBLAS_TRANSPOSE, CBLAS_DIAG, int m, int n, double alpha,
                 const double *a, int lda, double *b, int ldb);
int LAPACKE_dpotrf(int order, char uplo, int n, double *a, int lda);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
}

// expect: in([n]x) inout([n]y)
void blasAxpy(int n, double a, const double *x, double *y) { cblas_daxpy(n, a, x, 1, y, 1); }

// expect: in([n]x) in([n]y) out([1]r)
void blasDot(int n, const double *x, const double *y, double *r) { *r = cblas_ddot(n, x, 1, y, 1); }

// expect: in([n]x) out([n]y)
void blasCopy(int n, const double *x, double *y) { cblas_dcopy(n, x, 1, y, 1); }

// expect: in([ts*ts]a) in([ts*ts]b) inout([ts*ts]c)
void blasGemm(int ts, const double *a, const double *b, double *c) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, ts, ts, ts, -1.0, a, ts, b, ts, 1.0, c, ts);
}

// beta is zero: the product alone.
// expect: in(a<0; m x lda, k>) in(b<0; k x ldb, n>) out(c<0; m x ldc, n>)
void blasProduct(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0, a, lda, b, ldb, 0.0, c, ldc);
}

// expect: in([ts*ts]a) inout([ts*ts]c)
void blasSyrk(int ts, const double *a, double *c) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, ts, ts, -1.0, a, ts, 1.0, c, ts);
}

// expect: in([ts*ts]l) inout([ts*ts]b)
void blasTrsm(int ts, const double *l, double *b) {
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, ts, ts, 1.0, l, ts, b, ts);
}

// expect: inout([ts*ts]a)
void lapackPotrf(int ts, double *a) { LAPACKE_dpotrf(CblasColMajor, 'L', ts, a, ts); }

// expect: in([m*n]a) in([n]x) inout([m]y)
void blasGemv(int m, int n, const double *a, const double *x, double *y) {
  cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, 1.0, a, n, x, 1, 1.0, y, 1);
}

// Numbers by reference: the sections are more than is asked for.
// expect: in(a[?]) in(b[?]) inout(c[?])
void fortranGemm(int n, const double *a, const double *b, double *c) {
  const double one = 1;
  dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &one, c, &n);
}

// expect: in([n]data) inout(bins[?])
void atomicHistogram(int n, const int *data, int *bins) {
  for (int i = 0; i < n; ++i)
    __atomic_fetch_add(&bins[data[i]], 1, __ATOMIC_RELAXED);
}

// expect: in([n]x) inout([1]sum)
void syncSum(int n, const int *x, int *sum) {
  for (int i = 0; i < n; ++i)
    __sync_fetch_and_add(sum, x[i]);
}

// expect: in([n]x) out([n]y)
void builtinCopy(unsigned long n, const float *x, float *y) { __builtin_memcpy(y, x, n * sizeof(float)); }

// expect: in([n]x) out([n]y)
void assumesAligned(int n, const float *x, float *y) {
  const float *xa = (const float *)__builtin_assume_aligned(x, 64);
  float *ya = (float *)__builtin_assume_aligned(y, 64);
  for (int i = 0; i < n; ++i)
    if (__builtin_expect(xa[i] > 0, 1))
      ya[i] = xa[i];
    else
      ya[i] = 0;
}
