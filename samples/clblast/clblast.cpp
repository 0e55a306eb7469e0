// C = A * B on row-major matrices of n * n floats. A task is a product of tiles. It has two versions, both calls of a
// library: OpenBLAS on the CPU, CLBlast on an OpenCL device. The runtime chooses at each call.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: clblast [--size n] [--tile b] [--reps r] [--versions all|blas|clblast].
// Standard output is the same for every build of this program and every choice of versions; speed goes to standard
// error. Exit code 1 tells that a result was wrong, 3 that a task could not be run.
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

// c += a * b. a has m * k, b has k * n and c has m * n elements. They are parts of matrices with leading dimensions lda,
// ldb and ldc. The serial program, and hsched on the CPU.
static void multiply(int m, int n, int k, const float *a, int lda, const float *b, int ldb, float *c, int ldc) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, a, lda, b, ldb, 1.0f, c, ldc);
}

#pragma hsched task
void gemm(int m, int n, int k, const float *a, int lda, const float *b, int ldb, float *c, int ldc) {
  multiply(m, n, k, a, lda, b, ldb, c, ldc);
}

// Only hsched's build needs CLBlast.
#ifdef __HSCHED__
#include "../common/Product.h"

// The tiles are packed: on the device a tile lies by itself, without the rest of its rows. The leading dimensions lda,
// ldb and ldc are those on the device. The offset gives the beginning of each.
static void enqueueProduct(int m, int n, int k, const float *a, int lda, const float *b, int ldb, float *c, int ldc) {
  samples::enqueueProduct(clblast::Layout::kRowMajor, clblast::Transpose::kNo, clblast::Transpose::kNo, m, n, k, 1.0f,
                          samples::devicePart(a, lda), samples::devicePart(b, ldb), 1.0f, samples::devicePart(c, ldc));
}

#pragma hsched implements(gemm) device(opencl) packed(a: lda, b: ldb, c: ldc)
void gemm_clblast(int m, int n, int k, const float *a, int lda, const float *b, int ldb, float *c, int ldc) {
  enqueueProduct(m, n, k, a, lda, b, ldb, c, ldc);
}

// The same work on the device alone, for --versions.
#pragma hsched task device(opencl) in(([m][lda]a)[0:m][0:k], ([k][ldb]b)[0:k][0:n]) inout(([m][ldc]c)[0:m][0:n]) \
    packed(a: lda, b: ldb, c: ldc)
void gemm_clblast_only(int m, int n, int k, const float *a, int lda, const float *b, int ldb, float *c, int ldc) {
  enqueueProduct(m, n, k, a, lda, b, ldb, c, ldc);
}
#else
static void gemm_clblast_only(int m, int n, int k, const float *a, int lda, const float *b, int ldb, float *c,
                              int ldc) {
  multiply(m, n, k, a, lda, b, ldb, c, ldc);
}
#endif

#pragma hsched task
void gemm_blas_only(int m, int n, int k, const float *a, int lda, const float *b, int ldb, float *c, int ldc) {
  multiply(m, n, k, a, lda, b, ldb, c, ldc);
}

namespace {

using Matrix = std::vector<float>;
using Vector = std::vector<double>;
using Gemm = void (*)(int, int, int, const float *, int, const float *, int, float *, int);

Matrix random(int n, std::uint32_t seed) {
  Matrix x(std::size_t(n) * n);
  for (float &v : x) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(seed >> 8) / (1 << 23) - 1.0f;
  }
  return x;
}

// x * v, and with the absolute values of x and v.
Vector times(const Matrix &x, const Vector &v, bool absolute) {
  const std::size_t n = v.size();
  Vector out(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double product = x[i * n + j] * v[j];
      out[i] += absolute ? std::fabs(product) : product;
    }
  return out;
}

// Freivalds' check: C * v against A * (B * v) in double precision, for a v of -1 and 1. Tolerance: an entry of C is a
// sum of n products in single precision, in any order. Its error is at most n * 2^-23 times the sum of the products'
// absolute values.
bool isProduct(const Matrix &a, const Matrix &b, const Matrix &c, int n) {
  Vector v(n);
  std::uint32_t seed = 4711;
  for (double &x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = seed >> 31 ? 1 : -1;
  }
  const Vector left = times(c, v, false), right = times(a, times(b, v, false), false),
               bound = times(a, times(b, v, true), true);
  for (int i = 0; i < n; ++i)
    if (!(std::fabs(left[i] - right[i]) <= n * std::ldexp(bound[i], -23)))
      return false;
  return true;
}

} // namespace

extern "C" void openblas_set_num_threads(int);

int main(int argc, char **argv) {
  samples::Options options(argc, argv, {"size", "tile", "reps", "versions"});
  const int n = options.number("size", 512);
  const int tile = std::min(options.number("tile", 256), n);
  const int reps = options.number("reps", 3);
  const std::string versions = options.text("versions", "all");
  const Gemm product = versions == "all"       ? gemm
                       : versions == "blas"    ? gemm_blas_only
                       : versions == "clblast" ? gemm_clblast_only
                                               : nullptr;
  if (!product)
    options.complain("--versions is one of all, blas, clblast");
  if (!options.ok())
    return 2;
  openblas_set_num_threads(1); // The runtime's workers are the threads.

  const Matrix a = random(n, 1), b = random(n, 2);
  Matrix c(a.size());
  const auto part = [=](int begin) { return std::min(tile, n - begin); };
  const auto at = [n](auto &x, int i, int j) { return &x[std::size_t(i) * n + j]; };
  std::vector<double> speeds;
  for (int r = 0; r < reps; ++r) {
    std::fill(c.begin(), c.end(), 0.0f);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < n; i += tile)
      for (int j = 0; j < n; j += tile)
        for (int k = 0; k < n; k += tile)
          product(part(i), part(j), part(k), at(a, i, k), n, at(b, k, j), n, at(c, i, j), n);
    try {
#pragma hsched taskwait
    } catch (const hsched::task_error &error) {
      std::printf("clblast: %s\n", error.what());
      return 3;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    speeds.push_back(2.0 * n * n * n / took.count() * 1e-9);
    std::fprintf(stderr, "clblast: n %d, tile %d, repetition %d: %.1f ms, %.1f GFLOP/s\n", n, tile, r + 1,
                 took.count() * 1e3, speeds.back());
    if (!isProduct(a, b, c, n)) {
      std::printf("clblast: WRONG: C is not A * B in repetition %d\n", r + 1);
      return 1;
    }
  }
  std::sort(speeds.begin(), speeds.end());
  std::fprintf(stderr, "clblast: best %.1f, median %.1f GFLOP/s\n", speeds.back(), speeds[speeds.size() / 2]);
  std::printf("clblast: n %d, tile %d, %d repetitions: correct\n", n, tile, reps);
  return 0;
}
