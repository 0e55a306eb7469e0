// P * A = L * U with partial pivoting, for a matrix of n * n floats in ordinary column-major memory. Columns are factored
// in panels by LAPACK on the CPU, over all rows that are left. Exchanging rows, solving and updating have OpenBLAS
// versions, and OpenCL versions: a kernel, and bodies that enqueue products of CLBlast's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: lu [--size n] [--tile b] [--reps r]
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
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
void sgetrf_(const int *m, const int *n, float *a, const int *lda, int *pivots, int *info);
void strtri_(const char *uplo, const char *diag, const int *n, float *a, const int *lda, int *info, std::size_t,
             std::size_t);
void openblas_set_num_threads(int);
}

// The diagonal blocks of a factor are inverted, so many columns at a time: with them a device solves by products alone.
constexpr int block = 256;

// What the exchanges of a panel of LAPACK's do all in all: moves[0] rows move, to the rows moves[1 ...], from the rows
// moves[1 + 2 * width ...].
static void listMoves(int rows, int width, const int *pivots, int *moves) {
  std::vector<int> at(rows); // Which row is here now.
  std::iota(at.begin(), at.end(), 0);
  for (int i = 0; i < std::min(rows, width); ++i)
    std::swap(at[i], at[pivots[i] - 1]);
  std::fill_n(moves, 1 + 4 * width, 0);
  for (int i = 0; i < rows; ++i)
    if (at[i] != i) {
      moves[1 + moves[0]] = i;
      moves[1 + 2 * width + moves[0]++] = at[i];
    }
}

// Columns of all matrices are ld elements apart. Factors rows * width elements; the rows below pivots change places.
#pragma hsched task inout(([width][ld]a)[0:width][0:rows]) out([width * 256]inverse, [1 + 4 * width]moves) \
    priority(urgency)
void panel(int rows, int width, int ld, float *a, float *inverse, int *moves, int urgency) {
  (void)urgency;
  std::vector<int> pivots(width);
  int info = 0;
  sgetrf_(&rows, &width, a, &ld, pivots.data(), &info);
  if (info != 0)
    throw std::runtime_error("the matrix is singular");
  listMoves(rows, width, pivots.data(), moves);
  for (int at = 0; at < width; at += block) {
    const int columns = std::min(block, width - at);
    float *out = inverse + std::size_t(at) * block;
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < block; ++i)
        out[std::size_t(j) * block + i] =
            i == j ? 1.0f : i > j && i < columns ? a[std::size_t(at + j) * ld + at + i] : 0.0f;
    strtri_("L", "U", &columns, out, &block, &info, 1, 1);
  }
}

// The rows of other columns change places as the panel's did.
#pragma hsched task in([1 + 4 * width]moves) inout(([columns][ld]a)[0:columns][0:rows]) priority(urgency)
void exchange(int rows, int columns, int width, int ld, const int *moves, float *a, int urgency) {
  (void)rows, (void)urgency;
  std::vector<float> taken(2 * std::size_t(width));
  const int *to = moves + 1, *from = moves + 1 + 2 * width;
  for (int j = 0; j < columns; ++j, a += ld) {
    for (int i = 0; i < moves[0]; ++i)
      taken[i] = a[from[i]];
    for (int i = 0; i < moves[0]; ++i)
      a[to[i]] = taken[i];
  }
}

#pragma hsched implements(exchange) device(opencl) kernel("lu.cl", "permute") ndrange(64 * columns; 64) \
    args(columns, width, ld, moves, a, local(8 * width))
void exchange_cl(int rows, int columns, int width, int ld, const int *moves, float *a, int urgency);

// b = l^-1 * b, where l is the panel's unit lower triangle of width * width elements.
#pragma hsched task in([width * 256]inverse) priority(urgency)
void solve(int width, int columns, int ld, const float *l, const float *inverse, float *b, int urgency) {
  (void)inverse, (void)urgency;
  cblas_strsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, width, columns, 1.0f, l, ld, b, ld);
}

// c -= l * u, where l has rows * width elements and u width * columns.
#pragma hsched task priority(urgency)
void update(int rows, int columns, int width, int ld, const float *l, const float *u, float *c, int urgency) {
  (void)urgency;
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, columns, width, -1.0f, l, ld, u, ld, 1.0f, c, ld);
}

// Only hsched's build needs CLBlast.
#ifdef __HSCHED__
#include "../common/Product.h"

namespace {

// Part of a matrix in device memory: where it begins, and how far apart its columns are, in elements.
struct Part : samples::DevicePart {
  Part at(int row, int column) const { return {{memory, offset + std::size_t(column) * ld + std::size_t(row), ld}}; }
};

Part part(const float *p, int ld) { return {samples::devicePart(p, ld)}; }

// c = alpha * a * b + beta * c. A kernel that fails fails the task.
void product(int m, int n, int k, float alpha, Part a, Part b, float beta, Part c) {
  samples::enqueueProduct(clblast::Layout::kColMajor, clblast::Transpose::kNo, clblast::Transpose::kNo, m, n, k, alpha, a, b,
                          beta, c);
}

} // namespace

// CLBlast's own trsm waits for the device before it returns, which keeps it from what comes behind it.
#pragma hsched implements(solve) device(opencl)
void solve_clblast(int width, int columns, int ld, const float *l, const float *inverse, float *b, int urgency) {
  (void)urgency;
  cl_command_queue queue = hsched::opencl_queue();
  cl_mem solved = samples::Scratch::get(queue, 1, sizeof(float) * std::size_t(columns) * block);
  const Part factor = part(l, ld), inverses = part(inverse, block), right = part(b, ld), x{{solved, 0, block}};
  for (int at = 0; at < width; at += block) {
    const int rows = std::min(block, width - at), rest = width - at - rows;
    product(rows, columns, rows, 1.0f, inverses.at(0, at), right.at(at, 0), 0.0f, x);
    if (rest > 0)
      product(rest, columns, rows, -1.0f, factor.at(at + rows, at), x, 1.0f, right.at(at + rows, 0));
    const Part to = right.at(at, 0);
    samples::ok(clblast::Omatcopy<float>(clblast::Layout::kColMajor, clblast::Transpose::kNo, std::size_t(rows),
                                std::size_t(columns), 1.0f, x.memory, x.offset, x.ld, to.memory, to.offset, to.ld,
                                &queue, nullptr));
  }
}

#pragma hsched implements(update) device(opencl)
void update_clblast(int rows, int columns, int width, int ld, const float *l, const float *u, float *c, int urgency) {
  (void)urgency;
  product(rows, columns, width, -1.0f, part(l, ld), part(u, ld), 1.0f, part(c, ld));
}
#endif

namespace {

using Vector = std::vector<double>;

// Random entries of [-1, 1): nearly every pivot is another row.
void fill(std::vector<float> &a) {
  std::uint32_t seed = 1;
  for (float &v : a) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(seed >> 8) / (1 << 23) - 1.0f;
  }
}

enum Triangle { UnitLower, Upper, Whole };
// Computes x * v for one triangle of x, optionally with absolute values of the entries.
Vector times(const std::vector<float> &x, const Vector &v, Triangle part, bool absolute) {
  const std::size_t n = v.size();
  Vector out(n);
  for (std::size_t j = 0; j < n; ++j) {
    const std::size_t first = part == UnitLower ? j : 0, end = part == Upper ? j + 1 : n;
    for (std::size_t i = first; i < end; ++i) {
      const double e = part == UnitLower && i == j ? 1 : x[j * n + i];
      out[i] += (absolute ? std::fabs(e) : e) * v[j];
    }
  }
  return out;
}

// Compares A * v, with its rows exchanged, with L * (U * v). Tolerance: an entry of A is a sum of up to n products in
// single precision. Its error is at most n * 2^-23 times the sum of the products' absolute values. Solving with inverted
// blocks adds as much again. A pivot is the greatest of its column, so no entry of L is greater than 1.
bool isFactor(const Vector &product, const std::vector<float> &lu, const Vector &v) {
  const std::size_t n = v.size();
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j + 1; i < n; ++i)
      if (!(std::fabs(lu[j * n + i]) <= 1.0f))
        return false;
  const Vector got = times(lu, times(lu, v, Upper, false), UnitLower, false),
               bound = times(lu, times(lu, Vector(n, 1.0), Upper, true), UnitLower, true);
  for (std::size_t i = 0; i < n; ++i)
    if (!(std::fabs(got[i] - product[i]) <= static_cast<double>(n) * std::ldexp(bound[i], -22)))
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
  std::vector<int> allMoves(std::size_t(tiles) * (1 + 4 * tile));
  const auto size = [=](int i) { return std::min(tile, n - i * tile); };
  const auto at = [&](int i, int j) { return &a[std::size_t(j) * tile * n + std::size_t(i) * tile]; };
  const auto inverse = [&](int k) { return &inverses[std::size_t(k) * tile * block]; };
  const auto moves = [&](int k) { return &allMoves[std::size_t(k) * (1 + 4 * tile)]; };
  std::vector<double> speeds;
  Vector v(n), product;
  std::uint32_t seed = 4711;
  for (double &x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = seed >> 31 ? 1 : -1;
  }
  for (int r = 0; r < reps; ++r) {
    fill(a);
    product = times(a, v, Whole, false);
    const auto start = std::chrono::steady_clock::now();
    // The columns of the next panel go first.
    for (int k = 0; k < tiles; ++k) {
      const int rows = n - k * tile, width = size(k);
      panel(rows, width, n, at(k, k), inverse(k), moves(k), 3 * tiles);
      for (int j = k + 1; j < tiles; ++j) {
        const int urgency = 2 * tiles - j - k;
        exchange(rows, size(j), width, n, moves(k), at(k, j), urgency);
        solve(width, size(j), n, at(k, k), inverse(k), at(k, j), urgency);
        for (int i = k + 1; i < tiles; ++i)
          update(size(i), size(j), width, n, at(i, k), at(k, j), at(i, j), urgency);
      }
      for (int j = 0; j < k; ++j) // L's columns, which no other task waits for.
        exchange(rows, size(j), width, n, moves(k), at(k, j), 0);
    }
    try {
#pragma hsched taskwait
    } catch (const std::exception &error) {
      std::printf("lu: %s\n", error.what());
      return 3;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    speeds.push_back(2.0 / 3 * n * n * n / took.count() * 1e-9);
    std::fprintf(stderr, "lu: n %d, tile %d, repetition %d: %.1f ms, %.1f GFLOP/s\n", n, tile, r + 1,
                 took.count() * 1e3, speeds.back());
    for (int k = 0; k < tiles; ++k) {
      const Vector before(product.begin() + std::ptrdiff_t(k) * tile, product.end());
      for (int i = 0; i < moves(k)[0]; ++i)
        product[std::size_t(k) * tile + moves(k)[1 + i]] = before[moves(k)[1 + 2 * size(k) + i]];
    }
    if (!isFactor(product, a, v)) {
      std::printf("lu: WRONG: L * U is not P * A in repetition %d\n", r + 1);
      return 1;
    }
  }
  std::sort(speeds.begin(), speeds.end());
  std::fprintf(stderr, "lu: best %.1f, median %.1f GFLOP/s\n", speeds.back(), speeds[speeds.size() / 2]);
  std::printf("lu: n %d, tile %d, %d repetitions: correct\n", n, tile, reps);
  return 0;
}
