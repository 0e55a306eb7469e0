/* V cycles of multigrid for Poisson's equation on a periodic cube: the structure of NPB's MG with OpenMP.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define M 136 /* The longest line. */

/* Copies the faces of a periodic cube. */
static void comm3(void *ou, int n1, int n2, int n3) {
  double(*u)[n2][n1] = (double(*)[n2][n1])ou;
  int i1, i2, i3;
#pragma omp parallel for default(shared) private(i1, i2, i3)
  for (i3 = 1; i3 < n3 - 1; ++i3) {
    for (i2 = 1; i2 < n2 - 1; ++i2) {
      u[i3][i2][0] = u[i3][i2][n1 - 2];
      u[i3][i2][n1 - 1] = u[i3][i2][1];
    }
    for (i1 = 0; i1 < n1; ++i1) {
      u[i3][0][i1] = u[i3][n2 - 2][i1];
      u[i3][n2 - 1][i1] = u[i3][1][i1];
    }
  }
#pragma omp parallel for default(shared) private(i1, i2)
  for (i2 = 0; i2 < n2; ++i2)
    for (i1 = 0; i1 < n1; ++i1) {
      u[0][i2][i1] = u[n3 - 2][i2][i1];
      u[n3 - 1][i2][i1] = u[1][i2][i1];
    }
}

static void resid(void *ou, void *ov, void * or, int n1, int n2, int n3, double a[4]) {
  double(*u)[n2][n1] = (double(*)[n2][n1])ou;
  double(*v)[n2][n1] = (double(*)[n2][n1])ov;
  double(*r)[n2][n1] = (double(*)[n2][n1]) or ;
  int i3, i2, i1;
  double u1[M], u2[M];
#pragma omp parallel for default(shared) private(i1, i2, i3, u1, u2)
  for (i3 = 1; i3 < n3 - 1; ++i3)
    for (i2 = 1; i2 < n2 - 1; ++i2) {
      for (i1 = 0; i1 < n1; ++i1) {
        u1[i1] = u[i3][i2 - 1][i1] + u[i3][i2 + 1][i1] + u[i3 - 1][i2][i1] + u[i3 + 1][i2][i1];
        u2[i1] = u[i3 - 1][i2 - 1][i1] + u[i3 - 1][i2 + 1][i1] + u[i3 + 1][i2 - 1][i1] + u[i3 + 1][i2 + 1][i1];
      }
      for (i1 = 1; i1 < n1 - 1; ++i1)
        r[i3][i2][i1] = v[i3][i2][i1] - a[0] * u[i3][i2][i1] - a[2] * (u2[i1] + u1[i1 - 1] + u1[i1 + 1]) -
                        a[3] * (u2[i1 - 1] + u2[i1 + 1]);
    }
  comm3(or, n1, n2, n3);
}

static void psinv(void * or, void *ou, int n1, int n2, int n3, double c[4]) {
  double(*r)[n2][n1] = (double(*)[n2][n1]) or ;
  double(*u)[n2][n1] = (double(*)[n2][n1])ou;
  int i3, i2, i1;
  double r1[M], r2[M];
#pragma omp parallel for default(shared) private(i1, i2, i3, r1, r2)
  for (i3 = 1; i3 < n3 - 1; ++i3)
    for (i2 = 1; i2 < n2 - 1; ++i2) {
      for (i1 = 0; i1 < n1; ++i1) {
        r1[i1] = r[i3][i2 - 1][i1] + r[i3][i2 + 1][i1] + r[i3 - 1][i2][i1] + r[i3 + 1][i2][i1];
        r2[i1] = r[i3 - 1][i2 - 1][i1] + r[i3 - 1][i2 + 1][i1] + r[i3 + 1][i2 - 1][i1] + r[i3 + 1][i2 + 1][i1];
      }
      for (i1 = 1; i1 < n1 - 1; ++i1)
        u[i3][i2][i1] += c[0] * r[i3][i2][i1] + c[1] * (r[i3][i2][i1 - 1] + r[i3][i2][i1 + 1] + r1[i1]) +
                         c[2] * (r2[i1] + r1[i1 - 1] + r1[i1 + 1]);
    }
  comm3(ou, n1, n2, n3);
}

/* From a fine grid to one of half as many points in each direction, and back. */
static void rprj3(void * or, int m1k, int m2k, int m3k, void *os, int m1j, int m2j, int m3j) {
  double(*r)[m2k][m1k] = (double(*)[m2k][m1k]) or ;
  double(*s)[m2j][m1j] = (double(*)[m2j][m1j])os;
  int j3, j2, j1;
#pragma omp parallel for default(shared) private(j1, j2, j3)
  for (j3 = 1; j3 < m3j - 1; ++j3)
    for (j2 = 1; j2 < m2j - 1; ++j2)
      for (j1 = 1; j1 < m1j - 1; ++j1) {
        double sum = 0;
        int k, i3 = 2 * j3 - 1, i2 = 2 * j2 - 1, i1 = 2 * j1 - 1;
        for (k = 0; k < 8; ++k)
          sum += r[i3 + (k >> 2)][i2 + (k >> 1 & 1)][i1 + (k & 1)];
        s[j3][j2][j1] = 0.5 * sum;
      }
  comm3(os, m1j, m2j, m3j);
  (void)m3k;
}

static void interp(void *oz, int mm1, int mm2, int mm3, void *ou, int n1, int n2, int n3) {
  double(*z)[mm2][mm1] = (double(*)[mm2][mm1])oz;
  double(*u)[n2][n1] = (double(*)[n2][n1])ou;
  int i3, i2, i1;
#pragma omp parallel for default(shared) private(i1, i2, i3) collapse(2)
  for (i3 = 1; i3 < n3 - 1; ++i3)
    for (i2 = 1; i2 < n2 - 1; ++i2)
      for (i1 = 1; i1 < n1 - 1; ++i1)
        u[i3][i2][i1] += z[(i3 + 1) / 2][(i2 + 1) / 2][(i1 + 1) / 2];
  comm3(ou, n1, n2, n3);
  (void)mm3;
}

static void norm2u3(void * or, int n1, int n2, int n3, double *rnm2, double *rnmu) {
  double(*r)[n2][n1] = (double(*)[n2][n1]) or ;
  double s = 0, a, max_rnmu = 0;
  int i3, i2, i1;
#pragma omp parallel for default(shared) private(i1, i2, i3, a) reduction(+ : s) reduction(max : max_rnmu)
  for (i3 = 1; i3 < n3 - 1; ++i3)
    for (i2 = 1; i2 < n2 - 1; ++i2)
      for (i1 = 1; i1 < n1 - 1; ++i1) {
        s += pow(r[i3][i2][i1], 2.0);
        a = fabs(r[i3][i2][i1]);
        max_rnmu = a > max_rnmu ? a : max_rnmu;
      }
  *rnmu = max_rnmu;
  *rnm2 = sqrt(s / ((double)(n1 - 2) * (n2 - 2) * (n3 - 2)));
}

int main(int argc, char **argv) {
  int lt = argc > 1 ? atoi(argv[1]) : 6, nit = argc > 2 ? atoi(argv[2]) : 4, k, it, i;
  double a[4] = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12}, c[4] = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};
  double *u[10], *r[10], *v, rnm2, rnmu;
  int n[10];
  for (k = 1; k <= lt; ++k) {
    n[k] = (1 << k) + 2;
    u[k] = calloc((size_t)n[k] * n[k] * n[k], sizeof(double));
    r[k] = calloc((size_t)n[k] * n[k] * n[k], sizeof(double));
  }
  v = calloc((size_t)n[lt] * n[lt] * n[lt], sizeof(double));
  for (i = 0; i < 20; ++i) {
    const size_t m = n[lt], at = ((i * 7919u) % (m - 2) + 1) * m * m + ((i * 104729u) % (m - 2) + 1) * m +
                                 (i * 1299709u) % (m - 2) + 1;
    v[at] = i % 2 ? 1 : -1;
  }
  comm3(v, n[lt], n[lt], n[lt]);
  resid(u[lt], v, r[lt], n[lt], n[lt], n[lt], a);
  for (it = 0; it < nit; ++it) {
    for (k = lt; k > 1; --k)
      rprj3(r[k], n[k], n[k], n[k], r[k - 1], n[k - 1], n[k - 1], n[k - 1]);
    memset(u[1], 0, (size_t)n[1] * n[1] * n[1] * sizeof(double));
    psinv(r[1], u[1], n[1], n[1], n[1], c);
    for (k = 2; k <= lt; ++k) {
      if (k < lt)
        memset(u[k], 0, (size_t)n[k] * n[k] * n[k] * sizeof(double));
      interp(u[k - 1], n[k - 1], n[k - 1], n[k - 1], u[k], n[k], n[k], n[k]);
      resid(u[k], k == lt ? v : r[k], r[k], n[k], n[k], n[k], a);
      psinv(r[k], u[k], n[k], n[k], n[k], c);
    }
    resid(u[lt], v, r[lt], n[lt], n[lt], n[lt], a);
  }
  norm2u3(r[lt], n[lt], n[lt], n[lt], &rnm2, &rnmu);
  printf("norms %.10e %.10e\n", rnm2, rnmu);
  return 0;
}
