/* Jacobi's method by tiles: the structure of KASTORS's jacobi-task-dep with OpenMP.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>

static void copy_block(int nx, int ny, int block_x, int block_y, double *u_, double *unew_, int block_size) {
  double(*u)[nx][ny] = (double(*)[nx][ny])u_, (*unew)[nx][ny] = (double(*)[nx][ny])unew_;
  for (int i = block_x * block_size; i < (block_x + 1) * block_size; ++i)
    for (int j = block_y * block_size; j < (block_y + 1) * block_size; ++j)
      (*u)[i][j] = (*unew)[i][j];
}

static void compute_estimate(int block_x, int block_y, double *u_, double *unew_, double *f_, double dx, double dy,
                             int nx, int ny, int block_size) {
  double(*f)[nx][ny] = (double(*)[nx][ny])f_, (*u)[nx][ny] = (double(*)[nx][ny])u_,
  (*unew)[nx][ny] = (double(*)[nx][ny])unew_;
  for (int i = block_x * block_size; i < (block_x + 1) * block_size; ++i)
    for (int j = block_y * block_size; j < (block_y + 1) * block_size; ++j)
      if (i == 0 || j == 0 || i == nx - 1 || j == ny - 1)
        (*unew)[i][j] = (*f)[i][j];
      else
        (*unew)[i][j] =
            0.25 * ((*u)[i - 1][j] + (*u)[i][j + 1] + (*u)[i][j - 1] + (*u)[i + 1][j] + (*f)[i][j] * dx * dy);
}

static void sweep(int nx, int ny, double dx, double dy, double *f_, int itold, int itnew, double *u_, double *unew_,
                  int block_size) {
  int it, block_x, block_y;
  const int max_blocks_x = nx / block_size, max_blocks_y = ny / block_size;
#pragma omp parallel shared(u_, unew_, f_) private(block_x, block_y, it)                                               \
    firstprivate(nx, ny, dx, dy, itold, itnew, block_size)
#pragma omp single
  for (it = itold + 1; it <= itnew; it++) {
    for (block_x = 0; block_x < max_blocks_x; block_x++)
      for (block_y = 0; block_y < max_blocks_y; block_y++) {
#pragma omp task shared(u_, unew_) firstprivate(block_x, block_y, block_size, nx, ny)                                  \
    depend(in : unew_[block_x * block_size * ny + block_y * block_size])                                               \
    depend(out : u_[block_x * block_size * ny + block_y * block_size])
        copy_block(nx, ny, block_x, block_y, u_, unew_, block_size);
      }
    for (block_x = 0; block_x < max_blocks_x; block_x++)
      for (block_y = 0; block_y < max_blocks_y; block_y++) {
        int xdm1 = block_x == 0 ? 0 : 1, xdp1 = block_x == max_blocks_x - 1 ? 0 : 1;
        int ydm1 = block_y == 0 ? 0 : 1, ydp1 = block_y == max_blocks_y - 1 ? 0 : 1;
#pragma omp task shared(u_, unew_, f_) firstprivate(dx, dy, nx, ny, block_size, block_x, block_y)                      \
    depend(out : unew_[block_x * block_size * ny + block_y * block_size])                                              \
    depend(in : f_[block_x * block_size * ny + block_y * block_size],                                                  \
               u_[block_x * block_size * ny + block_y * block_size],                                                   \
               u_[(block_x - xdm1) * block_size * ny + block_y * block_size],                                          \
               u_[block_x * block_size * ny + (block_y + ydp1) * block_size],                                          \
               u_[block_x * block_size * ny + (block_y - ydm1) * block_size],                                          \
               u_[(block_x + xdp1) * block_size * ny + block_y * block_size])
        compute_estimate(block_x, block_y, u_, unew_, f_, dx, dy, nx, ny, block_size);
      }
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 512, bs = argc > 2 ? atoi(argv[2]) : 128, steps = argc > 3 ? atoi(argv[3]) : 20;
  double *u = calloc((size_t)n * n, sizeof *u), *unew = calloc((size_t)n * n, sizeof *u);
  double *f = malloc((size_t)n * n * sizeof *f), sum = 0;
  for (int i = 0; i < n * n; ++i)
    f[i] = unew[i] = (i * 37 % 101) / 50.0 - 1;
  sweep(n, n, 1.0 / (n - 1), 1.0 / (n - 1), f, 0, steps, u, unew, bs);
  for (int i = 0; i < n * n; ++i)
    sum += (i % 7 + 1) * unew[i];
  printf("sum %.12e\n", sum);
  return 0;
}
