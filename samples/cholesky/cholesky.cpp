// A = L * L^T for a symmetric positive definite matrix of n * n floats in row-major memory. The lower triangle is read
// and overwritten, by one task a tile and step. Each task has two versions. One calls OpenBLAS or LAPACK. The other
// enqueues products of CLBlast's, or for tiles of the diagonal the kernels of Factor.h. The runtime chooses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: cholesky [--size n] [--tile b] [--reps r]
// Standard output is the same for every build of this program; speed goes to standard error. Exit code 1 tells that a
// result was wrong, 3 that a task could not be run.
#include "../common/Options.h"

#include <hsched/hsched.h>

#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
void spotrf_(const char *uplo, const int *n, float *a, const int *lda, int *info, std::size_t);
void strtri_(const char *uplo, const char *diag, const int *n, float *a, const int *lda, int *info, std::size_t,
             std::size_t);
void openblas_set_num_threads(int);
}

// The diagonal blocks of a factor are inverted, so many columns at a time: with them a device solves by products alone.
constexpr int block = 256;

// Rows of all matrices are ld elements apart. Row by row is what LAPACK calls the upper triangle of the transpose.
#pragma hsched task inout(([n][ld]a)[0:n][0:n]) out([n * 256]inverse) priority(urgency)
void potrf(int n, int ld, float *a, float *inverse, int urgency) {
  (void)urgency;
  int info = 0;
  spotrf_("U", &n, a, &ld, &info, 1);
  if (info != 0)
    throw std::runtime_error("a tile of the diagonal is not positive definite");
  for (int at = 0; at < n; at += block) {
    const int rows = std::min(block, n - at);
    float *out = inverse + std::size_t(at) * block;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < block; ++j)
        out[std::size_t(i) * block + j] = j <= i ? a[std::size_t(at + i) * ld + at + j] : 0.0f;
    strtri_("U", "N", &rows, out, &block, &info, 1, 1);
  }
}

// b = b * l^-T, where l is a factor of n * n elements and b has m * n.
#pragma hsched task in([n * 256]inverse) priority(urgency)
void trsm(int m, int n, int ld, const float *l, const float *inverse, float *b, int urgency) {
  (void)inverse, (void)urgency;
  cblas_strsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, n, 1.0f, l, ld, b, ld);
}

// The lower triangle of c -= a * a^T, where a has n * k elements.
#pragma hsched task priority(urgency)
void syrk(int n, int k, int ld, const float *a, float *c, int urgency) {
  (void)urgency;
  cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, k, -1.0f, a, ld, 1.0f, c, ld);
}

// c -= a * b^T, where a has m * k elements and b n * k.
#pragma hsched task priority(urgency)
void gemm(int m, int n, int k, int ld, const float *a, const float *b, float *c, int urgency) {
  (void)urgency;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, -1.0f, a, ld, b, ld, 1.0f, c, ld);
}

// Only hsched's build needs CLBlast.
#ifdef __HSCHED__
#include "../common/Product.h"
#include "Factor.h"

namespace {

// Part of a matrix in device memory: where it begins, and how far apart its rows are, in elements.
struct Part : samples::DevicePart {
  Part at(int row, int column) const { return {{memory, offset + std::size_t(row) * ld + std::size_t(column), ld}}; }
};

Part part(const float *p, int ld) { return {samples::devicePart(p, ld)}; }

// c = alpha * a * b^T + beta * c. A kernel that fails fails the task.
void product(int m, int n, int k, float alpha, Part a, Part b, float beta, Part c) {
  samples::enqueueProduct(clblast::Layout::kRowMajor, clblast::Transpose::kNo, clblast::Transpose::kYes, m, n, k, alpha, a, b,
                          beta, c);
}

} // namespace

#pragma hsched implements(potrf) device(opencl)
void potrf_cl(int n, int ld, float *a, float *inverse, int urgency) {
  (void)urgency;
  static_assert(block == 256); // As in Factor.h.
  cl_event done = samples::enqueueFactor(hsched::opencl_queue(), n, hsched::opencl_buffer(a), hsched::opencl_offset(a),
                                         cl_ulong(ld), hsched::opencl_buffer(inverse), hsched::opencl_offset(inverse));
  hsched::opencl_await(done);
  clReleaseEvent(done);
}

// CLBlast's own trsm and syrk wait for the device before they return, which keeps it from what comes behind them.
#pragma hsched implements(trsm) device(opencl)
void trsm_clblast(int m, int n, int ld, const float *l, const float *inverse, float *b, int urgency) {
  (void)urgency;
  cl_command_queue queue = hsched::opencl_queue();
  cl_mem solved = samples::Scratch::get(queue, 1, sizeof(float) * std::size_t(m) * block);
  const Part factor = part(l, ld), inverses = part(inverse, block), right = part(b, ld), x{{solved, 0, block}};
  for (int at = 0; at < n; at += block) {
    const int columns = std::min(block, n - at), rest = n - at - columns;
    product(m, columns, columns, 1.0f, right.at(0, at), inverses.at(at, 0), 0.0f, x);
    if (rest > 0)
      product(m, rest, columns, -1.0f, x, factor.at(at + columns, at), 1.0f, right.at(0, at + columns));
    const Part to = right.at(0, at);
    samples::ok(clblast::Omatcopy<float>(clblast::Layout::kRowMajor, clblast::Transpose::kNo, std::size_t(m),
                                std::size_t(columns), 1.0f, x.memory, x.offset, x.ld, to.memory, to.offset, to.ld,
                                &queue, nullptr));
  }
}

// All of c: what is above its diagonal is not used.
#pragma hsched implements(syrk) device(opencl)
void syrk_clblast(int n, int k, int ld, const float *a, float *c, int urgency) {
  (void)urgency;
  product(n, n, k, -1.0f, part(a, ld), part(a, ld), 1.0f, part(c, ld));
}

#pragma hsched implements(gemm) device(opencl)
void gemm_clblast(int m, int n, int k, int ld, const float *a, const float *b, float *c, int urgency) {
  (void)urgency;
  product(m, n, k, -1.0f, part(a, ld), part(b, ld), 1.0f, part(c, ld));
}
#endif

namespace {

using Vector = std::vector<double>;

// Random entries of [-1, 1) below a diagonal that dominates.
void fill(std::vector<float> &a, int n) {
  std::uint32_t seed = 1;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      seed = seed * 1664525u + 1013904223u;
      const float v = static_cast<float>(seed >> 8) / (1 << 23) - 1.0f;
      a[std::size_t(i) * n + j] = i == j ? static_cast<float>(n) : v;
    }
}

// Computes x * v or x^T * v for a lower triangular matrix, optionally with absolute values of the entries.
Vector times(const std::vector<float> &x, const Vector &v, bool transposed, bool absolute) {
  const std::size_t n = v.size();
  Vector out(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double e = absolute ? std::fabs(x[i * n + j]) : x[i * n + j];
      out[transposed ? j : i] += e * v[transposed ? i : j];
    }
  return out;
}

// Compares A * v, from A's lower triangle, with L * (L^T * v). Tolerance: an entry of A is a sum of up to n products in
// single precision. Its error is at most n * 2^-23 times the sum of the products' absolute values. The inverted blocks
// add as much again: a dominant diagonal bounds their condition.
bool isFactor(const Vector &product, const std::vector<float> &l, const Vector &v) {
  const Vector got = times(l, times(l, v, true, false), false, false),
               bound = times(l, times(l, Vector(v.size(), 1.0), true, true), false, true);
  for (std::size_t i = 0; i < v.size(); ++i)
    if (!(std::fabs(got[i] - product[i]) <= static_cast<double>(v.size()) * std::ldexp(bound[i], -22)))
      return false;
  return true;
}

} // namespace

int main(int argc, char **argv) {
  samples::Options options(argc, argv, {"size", "tile", "reps"});
  const int n = options.number("size", 512);
  const int tile = std::min(options.number("tile", 128), n);
  const int reps = options.number("reps", 3);
  if (!options.ok())
    return 2;
  openblas_set_num_threads(1); // The runtime's workers are the threads.

  std::vector<float> a(std::size_t(n) * n);
  const int tiles = (n + tile - 1) / tile;
  std::vector<float> inverses(std::size_t(tiles) * tile * block);
  const auto size = [=](int i) { return std::min(tile, n - i * tile); };
  const auto at = [&](int i, int j) { return &a[std::size_t(i) * tile * n + std::size_t(j) * tile]; };
  const auto inverse = [&](int i) { return &inverses[std::size_t(i) * tile * block]; };
  std::vector<double> speeds;
  Vector v(n), product;
  std::uint32_t seed = 4711;
  for (double &x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = seed >> 31 ? 1 : -1;
  }
  for (int r = 0; r < reps; ++r) {
    fill(a, n);
    if (product.empty()) {
      product = times(a, v, false, false);
      const Vector upper = times(a, v, true, false);
      for (int i = 0; i < n; ++i)
        product[i] += upper[i] - a[std::size_t(i) * n + i] * v[i];
    }
    const auto start = std::chrono::steady_clock::now();
    // Whatever the next tile of the diagonal waits for goes first.
    for (int k = 0; k < tiles; ++k) {
      potrf(size(k), n, at(k, k), inverse(k), 3 * tiles);
      for (int i = k + 1; i < tiles; ++i)
        trsm(size(i), size(k), n, at(k, k), inverse(k), at(i, k), 3 * tiles - 2 * (i - k));
      for (int i = k + 1; i < tiles; ++i) {
        syrk(size(i), size(k), n, at(i, k), at(i, i), 3 * tiles - 2 * (i - k));
        for (int j = k + 1; j < i; ++j)
          gemm(size(i), size(j), size(k), n, at(i, k), at(j, k), at(i, j), 3 * tiles - 2 * (i - k) - (j - k));
      }
    }
    try {
#pragma hsched taskwait
    } catch (const std::exception &error) {
      std::printf("cholesky: %s\n", error.what());
      return 3;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    speeds.push_back(1.0 / 3 * n * n * n / took.count() * 1e-9);
    std::fprintf(stderr, "cholesky: n %d, tile %d, repetition %d: %.1f ms, %.1f GFLOP/s\n", n, tile, r + 1,
                 took.count() * 1e3, speeds.back());
    if (!isFactor(product, a, v)) {
      std::printf("cholesky: WRONG: L * L^T is not A in repetition %d\n", r + 1);
      return 1;
    }
  }
  std::sort(speeds.begin(), speeds.end());
  std::fprintf(stderr, "cholesky: best %.1f, median %.1f GFLOP/s\n", speeds.back(), speeds[speeds.size() / 2]);
  std::printf("cholesky: n %d, tile %d, %d repetitions: correct\n", n, tile, reps);
  return 0;
}
