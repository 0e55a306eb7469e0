/* The smallest eigenvalue of a sparse matrix by conjugate gradients: the structure of NPB's CG with OpenMP.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NONZER 11

static int n, *rowstr, *colidx;
static double *a, *x, *z, *p, *q, *r;
static double d, sum, rho, rho0, alpha, beta;

/* A symmetric matrix that is diagonally dominant. */
static void makea(void) {
  int i, k, nza = 0;
  for (i = 0; i < n; ++i) {
    rowstr[i] = nza;
    for (k = 1; k <= NONZER / 2; ++k) {
      const int step = k * k * 37 + k;
      colidx[nza] = (i + step) % n;
      a[nza++] = -1.0 / (k + 1);
      colidx[nza] = (i + n - step % n) % n;
      a[nza++] = -1.0 / (k + 1);
    }
    colidx[nza] = i;
    a[nza++] = 4 + 1.0 / (1 + i % 7);
  }
  rowstr[n] = nza;
}

/* Called by all threads of a parallel region. */
static void conj_grad(double *rnorm) {
  int cgit, j, k;
#pragma omp single nowait
  {
    d = sum = rho = 0;
  }
#pragma omp for
  for (j = 0; j < n; ++j) {
    q[j] = z[j] = 0;
    r[j] = p[j] = x[j];
  }
#pragma omp for reduction(+ : rho)
  for (j = 0; j < n; ++j)
    rho += r[j] * r[j];

  for (cgit = 1; cgit <= 25; ++cgit) {
#pragma omp single
    {
      rho0 = rho;
      d = rho = 0;
    }
#pragma omp for private(k)
    for (j = 0; j < n; ++j) {
      double suml = 0;
      for (k = rowstr[j]; k < rowstr[j + 1]; ++k)
        suml += a[k] * p[colidx[k]];
      q[j] = suml;
    }
#pragma omp for reduction(+ : d)
    for (j = 0; j < n; ++j)
      d += p[j] * q[j];
#pragma omp single
    alpha = rho0 / d;
#pragma omp for reduction(+ : rho)
    for (j = 0; j < n; ++j) {
      z[j] += alpha * p[j];
      r[j] -= alpha * q[j];
      rho += r[j] * r[j];
    }
#pragma omp single
    beta = rho / rho0;
#pragma omp for
    for (j = 0; j < n; ++j)
      p[j] = r[j] + beta * p[j];
  }

#pragma omp for private(k)
  for (j = 0; j < n; ++j) {
    double suml = 0;
    for (k = rowstr[j]; k < rowstr[j + 1]; ++k)
      suml += a[k] * z[colidx[k]];
    r[j] = suml;
  }
#pragma omp for reduction(+ : sum)
  for (j = 0; j < n; ++j)
    sum += (x[j] - r[j]) * (x[j] - r[j]);
#pragma omp single
  *rnorm = sqrt(sum);
}

int main(int argc, char **argv) {
  int j, it, niter = argc > 2 ? atoi(argv[2]) : 5;
  double rnorm = 0, zeta = 0, norm_temp1 = 0, norm_temp2 = 0;
  n = argc > 1 ? atoi(argv[1]) : 14000;
  rowstr = malloc((n + 1) * sizeof *rowstr);
  colidx = malloc((size_t)n * NONZER * sizeof *colidx);
  a = malloc((size_t)n * NONZER * sizeof *a);
  x = malloc(n * sizeof *x);
  z = malloc(n * sizeof *z);
  p = malloc(n * sizeof *p);
  q = malloc(n * sizeof *q);
  r = malloc(n * sizeof *r);
  makea();
  for (j = 0; j < n; ++j)
    x[j] = 1;

#pragma omp parallel default(shared) private(it, j)
  for (it = 1; it <= niter; ++it) {
    conj_grad(&rnorm);
#pragma omp single
    norm_temp1 = norm_temp2 = 0;
#pragma omp for reduction(+ : norm_temp1, norm_temp2)
    for (j = 0; j < n; ++j) {
      norm_temp1 += x[j] * z[j];
      norm_temp2 += z[j] * z[j];
    }
#pragma omp single
    {
      norm_temp2 = 1 / sqrt(norm_temp2);
      zeta = 10 + 1 / norm_temp1;
    }
#pragma omp for
    for (j = 0; j < n; ++j)
      x[j] = norm_temp2 * z[j];
  }
  printf("zeta %.10f residual %.3e\n", zeta, rnorm < 1e-9 ? 0 : rnorm);
  return 0;
}
