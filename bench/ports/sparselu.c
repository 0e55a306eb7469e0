/* LU factorisation of a matrix of blocks, some of which are absent: the structure of KASTORS's sparselu with OpenMP.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>

static float *allocate_clean_block(int bs) { return calloc((size_t)bs * bs, sizeof(float)); }

static void lu0(float *diag, int bs) {
  for (int k = 0; k < bs; ++k)
    for (int i = k + 1; i < bs; ++i) {
      diag[i * bs + k] /= diag[k * bs + k];
      for (int j = k + 1; j < bs; ++j)
        diag[i * bs + j] -= diag[i * bs + k] * diag[k * bs + j];
    }
}
static void fwd(const float *diag, float *col, int bs) {
  for (int j = 0; j < bs; ++j)
    for (int k = 0; k < bs; ++k)
      for (int i = k + 1; i < bs; ++i)
        col[i * bs + j] -= diag[i * bs + k] * col[k * bs + j];
}
static void bdiv(const float *diag, float *row, int bs) {
  for (int i = 0; i < bs; ++i)
    for (int k = 0; k < bs; ++k) {
      row[i * bs + k] /= diag[k * bs + k];
      for (int j = k + 1; j < bs; ++j)
        row[i * bs + j] -= row[i * bs + k] * diag[k * bs + j];
    }
}
static void bmod(const float *row, const float *col, float *inner, int bs) {
  for (int i = 0; i < bs; ++i)
    for (int j = 0; j < bs; ++j)
      for (int k = 0; k < bs; ++k)
        inner[i * bs + j] -= row[i * bs + k] * col[k * bs + j];
}

static void genmat(float *M[], int matrix_size, int bs) {
  int init_val = 1325;
  for (int ii = 0; ii < matrix_size; ++ii)
    for (int jj = 0; jj < matrix_size; ++jj) {
      const int null_entry = (ii < jj && ii % 3 != 0) || (ii > jj && jj % 3 != 0);
      if (null_entry && ii != jj && ii != jj - 1 && jj != ii - 1) {
        M[ii * matrix_size + jj] = NULL;
        continue;
      }
      float *p = M[ii * matrix_size + jj] = allocate_clean_block(bs);
      for (int i = 0; i < bs * bs; ++i) {
        init_val = (3125 * init_val) % 65536;
        p[i] = (float)((init_val - 32768.0) / 16384.0);
      }
      for (int i = 0; ii == jj && i < bs; ++i)
        p[i * bs + i] += 4 * bs;
    }
}

static void sparselu_par_call(float **BENCH, int matrix_size, int submatrix_size) {
  int ii, jj, kk;
#pragma omp parallel private(kk, ii, jj) shared(BENCH)
#pragma omp single
  for (kk = 0; kk < matrix_size; kk++) {
    float *diag = BENCH[kk * matrix_size + kk];
#pragma omp task firstprivate(kk) shared(BENCH) depend(inout : diag[0 : submatrix_size * submatrix_size])
    lu0(diag, submatrix_size);
    for (jj = kk + 1; jj < matrix_size; jj++)
      if (BENCH[kk * matrix_size + jj] != NULL) {
        float *col = BENCH[kk * matrix_size + jj];
#pragma omp task firstprivate(kk, jj) shared(BENCH) depend(in : diag[0 : submatrix_size * submatrix_size])             \
    depend(inout : col[0 : submatrix_size * submatrix_size])
        fwd(diag, col, submatrix_size);
      }
    for (ii = kk + 1; ii < matrix_size; ii++)
      if (BENCH[ii * matrix_size + kk] != NULL) {
        float *row = BENCH[ii * matrix_size + kk];
#pragma omp task firstprivate(kk, ii) shared(BENCH) depend(in : diag[0 : submatrix_size * submatrix_size])             \
    depend(inout : row[0 : submatrix_size * submatrix_size])
        bdiv(diag, row, submatrix_size);
      }
    for (ii = kk + 1; ii < matrix_size; ii++)
      if (BENCH[ii * matrix_size + kk] != NULL)
        for (jj = kk + 1; jj < matrix_size; jj++)
          if (BENCH[kk * matrix_size + jj] != NULL) {
            if (BENCH[ii * matrix_size + jj] == NULL)
              BENCH[ii * matrix_size + jj] = allocate_clean_block(submatrix_size);
            float *row = BENCH[ii * matrix_size + kk], *col = BENCH[kk * matrix_size + jj];
            float *inner = BENCH[ii * matrix_size + jj];
#pragma omp task firstprivate(kk, jj, ii) shared(BENCH) depend(in : row[0 : submatrix_size * submatrix_size])          \
    depend(in : col[0 : submatrix_size * submatrix_size]) depend(inout : inner[0 : submatrix_size * submatrix_size])
            bmod(row, col, inner, submatrix_size);
          }
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 16, bs = argc > 2 ? atoi(argv[2]) : 48;
  float **M = malloc((size_t)n * n * sizeof *M);
  double sum = 0;
  genmat(M, n, bs);
  sparselu_par_call(M, n, bs);
  for (int i = 0; i < n * n; ++i)
    for (int k = 0; M[i] && k < bs * bs; ++k)
      sum += (k % 7 + 1) * M[i][k];
  printf("sum %.10e\n", sum);
  return 0;
}
