/* Strassen's product, a task for each of its seven products and each sum: the structure of KASTORS's strassen-task-dep.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>

#define CUTOFF 64

static void plain(int n, const double *a, int la, const double *b, int lb, double *c, int lc) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      c[i * lc + j] = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        c[i * lc + j] += a[i * la + k] * b[k * lb + j];
}
static void add(int n, const double *a, int la, double sign, const double *b, int lb, double *c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      c[i * n + j] = a[i * la + j] + sign * b[i * lb + j];
}

static void strassen(int n, const double *a, int la, const double *b, int lb, double *c, int lc) {
  if (n <= CUTOFF) {
    plain(n, a, la, b, lb, c, lc);
    return;
  }
  const int h = n / 2, hh = h * h;
  const double *a12 = a + h, *a21 = a + h * la, *a22 = a21 + h, *b12 = b + h, *b21 = b + h * lb, *b22 = b21 + h;
  double *s = malloc((size_t)hh * 17 * sizeof *s), *m = s + 10 * hh;
#pragma omp task depend(out : s[0 : hh])
  add(h, a, la, 1, a22, la, s);
#pragma omp task depend(out : s[hh : hh])
  add(h, b, lb, 1, b22, lb, s + hh);
#pragma omp task depend(out : s[2 * hh : hh])
  add(h, a21, la, 1, a22, la, s + 2 * hh);
#pragma omp task depend(out : s[3 * hh : hh])
  add(h, b12, lb, -1, b22, lb, s + 3 * hh);
#pragma omp task depend(out : s[4 * hh : hh])
  add(h, b21, lb, -1, b, lb, s + 4 * hh);
#pragma omp task depend(out : s[5 * hh : hh])
  add(h, a, la, 1, a12, la, s + 5 * hh);
#pragma omp task depend(out : s[6 * hh : hh])
  add(h, a21, la, -1, a, la, s + 6 * hh);
#pragma omp task depend(out : s[7 * hh : hh])
  add(h, b, lb, 1, b12, lb, s + 7 * hh);
#pragma omp task depend(out : s[8 * hh : hh])
  add(h, a12, la, -1, a22, la, s + 8 * hh);
#pragma omp task depend(out : s[9 * hh : hh])
  add(h, b21, lb, 1, b22, lb, s + 9 * hh);
#pragma omp task depend(in : s[0 : hh], s[hh : hh]) depend(out : m[0 : hh])
  strassen(h, s, h, s + hh, h, m, h);
#pragma omp task depend(in : s[2 * hh : hh]) depend(out : m[hh : hh])
  strassen(h, s + 2 * hh, h, b, lb, m + hh, h);
#pragma omp task depend(in : s[3 * hh : hh]) depend(out : m[2 * hh : hh])
  strassen(h, a, la, s + 3 * hh, h, m + 2 * hh, h);
#pragma omp task depend(in : s[4 * hh : hh]) depend(out : m[3 * hh : hh])
  strassen(h, a22, la, s + 4 * hh, h, m + 3 * hh, h);
#pragma omp task depend(in : s[5 * hh : hh]) depend(out : m[4 * hh : hh])
  strassen(h, s + 5 * hh, h, b22, lb, m + 4 * hh, h);
#pragma omp task depend(in : s[6 * hh : hh], s[7 * hh : hh]) depend(out : m[5 * hh : hh])
  strassen(h, s + 6 * hh, h, s + 7 * hh, h, m + 5 * hh, h);
#pragma omp task depend(in : s[8 * hh : hh], s[9 * hh : hh]) depend(out : m[6 * hh : hh])
  strassen(h, s + 8 * hh, h, s + 9 * hh, h, m + 6 * hh, h);
#pragma omp taskwait
  for (int i = 0; i < h; ++i)
    for (int j = 0; j < h; ++j) {
      const int at = i * h + j;
      c[i * lc + j] = m[at] + m[3 * hh + at] - m[4 * hh + at] + m[6 * hh + at];
      c[i * lc + h + j] = m[2 * hh + at] + m[4 * hh + at];
      c[(h + i) * lc + j] = m[hh + at] + m[3 * hh + at];
      c[(h + i) * lc + h + j] = m[at] - m[hh + at] + m[2 * hh + at] + m[5 * hh + at];
    }
  free(s);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 512;
  double *a = malloc((size_t)n * n * sizeof *a), *b = malloc((size_t)n * n * sizeof *a);
  double *c = malloc((size_t)n * n * sizeof *a), sum = 0;
  for (int i = 0; i < n * n; ++i) {
    a[i] = i * 31 % 17 - 8;
    b[i] = i * 29 % 13 - 6;
  }
#pragma omp parallel
#pragma omp single
  strassen(n, a, n, b, n, c, n);
  for (int i = 0; i < n * n; ++i)
    sum += (i % 11 - 5) * c[i];
  printf("sum %.6f\n", sum);
  return 0;
}
