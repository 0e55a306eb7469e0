/* Pairs of Gaussian random numbers, counted in square annuli: the structure of NPB's EP with OpenMP.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NK 1024
#define NQ 10
#define A 1220703125.0
#define S 271828183.0

static double x[2 * NK], qq[NQ], q[NQ];
#pragma omp threadprivate(x, qq)

/* One step of the generator x = a x mod 2^46. */
static double randlc(double *seed, double a) {
  const double r23 = 0x1p-23, t23 = 0x1p23, r46 = 0x1p-46, t46 = 0x1p46;
  double a1 = (double)(long)(r23 * a), a2 = a - t23 * a1;
  double x1 = (double)(long)(r23 * *seed), x2 = *seed - t23 * x1;
  double t1 = a1 * x2 + a2 * x1;
  double z = t1 - t23 * (double)(long)(r23 * t1);
  double t3 = t23 * z + a2 * x2;
  *seed = t3 - t46 * (double)(long)(r46 * t3);
  return r46 * *seed;
}

static void vranlc(int n, double *seed, double a, double y[]) {
  for (int i = 0; i < n; ++i)
    y[i] = randlc(seed, a);
}

int main(int argc, char **argv) {
  int np = argc > 1 ? atoi(argv[1]) : 512, i, k, l, ik, kk;
  double sx = 0, sy = 0, gc = 0, an = A, t1, t2, t3, t4, x1, x2;

  for (i = 0; i < 11; ++i)
    t2 = randlc(&an, an);

#pragma omp parallel default(shared) private(i, k, l, ik, kk, t1, t2, t3, t4, x1, x2)
  {
    for (i = 0; i < NQ; ++i)
      qq[i] = 0;
#pragma omp for reduction(+ : sx, sy) nowait
    for (k = 1; k <= np; ++k) {
      kk = k - 1;
      t1 = S;
      t2 = an;
      for (i = 1; i <= 100; ++i) {
        ik = kk / 2;
        if (2 * ik != kk)
          t3 = randlc(&t1, t2);
        if (ik == 0)
          break;
        t3 = randlc(&t2, t2);
        kk = ik;
      }
      vranlc(2 * NK, &t1, A, x);
      for (i = 0; i < NK; ++i) {
        x1 = 2 * x[2 * i] - 1;
        x2 = 2 * x[2 * i + 1] - 1;
        t1 = x1 * x1 + x2 * x2;
        if (t1 <= 1) {
          t2 = sqrt(-2 * log(t1) / t1);
          t3 = x1 * t2;
          t4 = x2 * t2;
          l = (int)(fabs(t3) > fabs(t4) ? fabs(t3) : fabs(t4));
          qq[l] += 1;
          sx += t3;
          sy += t4;
        }
      }
    }
    for (i = 0; i < NQ; ++i) {
#pragma omp atomic
      q[i] += qq[i];
    }
  }

  for (i = 0; i < NQ; ++i)
    gc += q[i];
  printf("pairs %.0f, sums %.9e %.9e\n", gc, sx, sy);
  for (i = 0; i < NQ; ++i)
    printf("%d %.0f\n", i, q[i]);
  return 0;
}
