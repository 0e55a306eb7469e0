// Conjugate gradients on a 27-point operator, its rows made one by one: the structure of HPCCG and MiniFE with OpenMP.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct HPC_Sparse_Matrix {
  int local_nrow = 0;
  std::vector<int> nnz_in_row;
  std::vector<const double *> ptr_to_vals_in_row;
  std::vector<const int *> ptr_to_inds_in_row;
  std::vector<double> list_of_vals;
  std::vector<int> list_of_inds;
};

static void generate_matrix(int nx, int ny, int nz, HPC_Sparse_Matrix &A, std::vector<double> &b) {
  const int nrow = A.local_nrow = nx * ny * nz;
  A.nnz_in_row.resize(nrow);
  A.ptr_to_vals_in_row.resize(nrow);
  A.ptr_to_inds_in_row.resize(nrow);
  A.list_of_vals.resize(27l * nrow);
  A.list_of_inds.resize(27l * nrow);
  b.resize(nrow);
#pragma omp parallel for
  for (int row = 0; row < nrow; ++row) {
    const int ix = row % nx, iy = row / nx % ny, iz = row / (nx * ny);
    double *vals = A.list_of_vals.data() + 27l * row;
    int *inds = A.list_of_inds.data() + 27l * row, n = 0;
    A.ptr_to_vals_in_row[row] = vals;
    A.ptr_to_inds_in_row[row] = inds;
    for (int sz = -1; sz <= 1; ++sz)
      for (int sy = -1; sy <= 1; ++sy)
        for (int sx = -1; sx <= 1; ++sx) {
          if (ix + sx < 0 || ix + sx >= nx || iy + sy < 0 || iy + sy >= ny || iz + sz < 0 || iz + sz >= nz)
            continue;
          const int col = row + sz * nx * ny + sy * nx + sx;
          vals[n] = col == row ? 27 : -1;
          inds[n++] = col;
        }
    A.nnz_in_row[row] = n;
    b[row] = 27.0 - (n - 1);
  }
}

static int ddot(const int n, const double *const x, const double *const y, double *const result) {
  double local_result = 0;
  if (y == x)
#pragma omp parallel for reduction(+ : local_result)
    for (int i = 0; i < n; i++)
      local_result += x[i] * x[i];
  else
#pragma omp parallel for reduction(+ : local_result)
    for (int i = 0; i < n; i++)
      local_result += x[i] * y[i];
  *result = local_result;
  return 0;
}

static int waxpby(const int n, const double alpha, const double *const x, const double beta, const double *const y,
                  double *const w) {
  if (alpha == 1.0) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      w[i] = x[i] + beta * y[i];
  } else {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      w[i] = alpha * x[i] + beta * y[i];
  }
  return 0;
}

static int HPC_sparsemv(const HPC_Sparse_Matrix *A, const double *const x, double *const y) {
  const int nrow = A->local_nrow;
#pragma omp parallel for
  for (int i = 0; i < nrow; i++) {
    double sum = 0.0;
    const double *const cur_vals = A->ptr_to_vals_in_row[i];
    const int *const cur_inds = A->ptr_to_inds_in_row[i];
    const int cur_nnz = A->nnz_in_row[i];
    for (int j = 0; j < cur_nnz; j++)
      sum += cur_vals[j] * x[cur_inds[j]];
    y[i] = sum;
  }
  return 0;
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? std::atoi(argv[1]) : 40, max_iter = argc > 2 ? std::atoi(argv[2]) : 60;
  HPC_Sparse_Matrix A;
  std::vector<double> b;
  generate_matrix(nx, nx, nx, A, b);
  const int n = A.local_nrow;
  std::vector<double> x(n), r(n), p(n), Ap(n);
  double rtrans = 0, oldrtrans = 0, alpha = 0, normr = 0;
  waxpby(n, 1.0, x.data(), 0.0, x.data(), p.data());
  HPC_sparsemv(&A, p.data(), Ap.data());
  waxpby(n, 1.0, b.data(), -1.0, Ap.data(), r.data());
  ddot(n, r.data(), r.data(), &rtrans);
  for (int k = 1; k < max_iter; ++k) {
    if (k == 1) {
      waxpby(n, 1.0, r.data(), 0.0, r.data(), p.data());
    } else {
      oldrtrans = rtrans;
      ddot(n, r.data(), r.data(), &rtrans);
      waxpby(n, 1.0, r.data(), rtrans / oldrtrans, p.data(), p.data());
    }
    normr = std::sqrt(rtrans);
    if (normr < 1e-12)
      break;
    HPC_sparsemv(&A, p.data(), Ap.data());
    ddot(n, p.data(), Ap.data(), &alpha);
    alpha = rtrans / alpha;
    waxpby(n, 1.0, x.data(), alpha, p.data(), x.data());
    waxpby(n, 1.0, r.data(), -alpha, Ap.data(), r.data());
  }
  double worst = 0;
  for (double v : x)
    worst = std::fmax(worst, std::fabs(v - 1));
  std::printf("small residual %d, worst difference below 1e-6 %d\n", normr < 1e-6, worst < 1e-6);
  std::printf("residual %.6e\n", normr);
}
