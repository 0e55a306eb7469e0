// Sections inferred from pointers to arrays without their borders, and from loops that share a range. They are ordered
// with tasks that touch only the first or the last element. Prints what is there, as the serial program does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

constexpr int N = 12, M = 8;

// Takes its time, so that who does not wait for it comes before it.
#pragma hsched task out(*p)
void slow(double *p) {
  volatile double s = 0;
  for (int k = 0; k < 3000000; ++k)
    s = s + 1e-6 * k;
  *p = s > 0 ? 5 : 4;
}
#pragma hsched task
void halo(int n, const double (*a)[M], double (*b)[M]) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < M - 1; ++j)
      b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
}
#pragma hsched task
void column(int n, double (*a)[M]) {
  for (int i = 0; i < n; ++i)
    a[i][2] = 2 * i;
}
#pragma hsched task
void element(int i, double (*a)[M]) { a[i][M - 1] += 1; }
#pragma hsched task
void parts(int n, double *y, int a) {
  for (int i = a; i < n; ++i)
    y[i] += 1;
  for (int i = 0; i < a; ++i)
    y[i] += 2;
}

int main() {
  static double a[N][M], b[N][M];
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j)
      a[i][j] = i * j, b[i][j] = -1;
  slow(&a[0][1]);
  slow(&a[N - 1][M - 2]);
  halo(N, a, b);
  slow(&b[3][0]); // Beside what is written, in a row that is.
  column(N, a);
  slow(&a[4][2]);
  halo(N, a, b);
  slow(&a[7][M - 1]);
  element(7, a);
  element(7, a);
  column(0, a);
  double y[8] = {};
  slow(&y[0]);
  slow(&y[5]);
  parts(6, y, 4);
  slow(&y[6]);
  parts(6, y, 0);
  parts(8, y, 8);
#pragma hsched taskwait
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j)
      std::printf("%g %g ", a[i][j], b[i][j]);
  for (double v : y)
    std::printf("%g ", v);
  std::puts("");
}
