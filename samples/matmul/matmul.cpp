// C = A * B on n * n floats, stored tile by tile. A task is a product of tiles. It has three versions, as in the OmpSs
// paper: C++, BLAS and an OpenCL kernel. The runtime chooses at each call.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: matmul [--size n] [--tile b] [--reps r] [--versions all|cpp|blas|opencl]. Tile rounds size up to a multiple.
// Standard output is the same for every build of this program and every choice of versions; speed goes to standard
// error. Exit code 1 tells that a result was wrong.
#include "../common/Options.h"

#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

// c += a * b for tiles of b * b floats, row by row.
static void multiplyTile(int n, const float *__restrict a, const float *__restrict b, float *__restrict c) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      const float x = a[i * n + k];
      for (int j = 0; j < n; ++j)
        c[i * n + j] += x * b[k * n + j];
    }
}

static void multiplyTileBlas(int n, const float *a, const float *b, float *c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, a, n, b, n, 1.0f, c, n);
}

// The task and its versions. The main version is plain C++.
#pragma hsched task
void gemm(int n, const float *a, const float *b, float *c) { multiplyTile(n, a, b, c); }

#pragma hsched implements(gemm) device(cpu)
void gemm_blas(int n, const float *a, const float *b, float *c) { multiplyTileBlas(n, a, b, c); }

#pragma hsched implements(gemm) device(opencl) kernel("matmul.cl", "gemm") \
    ndrange((n + 127) / 128 * 16, (n + 63) / 64 * 8; 16, 8) options("-DTM=64 -DTN=128 -DTK=16")
void gemm_cl(int n, const float *a, const float *b, float *c);

// The same work with one version each, for --versions.
#pragma hsched task
void gemm_cpp_only(int n, const float *a, const float *b, float *c) { multiplyTile(n, a, b, c); }

#pragma hsched task
void gemm_blas_only(int n, const float *a, const float *b, float *c) { multiplyTileBlas(n, a, b, c); }

#ifdef __HSCHED__
#pragma hsched task device(opencl) kernel("matmul.cl", "gemm") in([n * n]a, [n * n]b) inout([n * n]c) \
    ndrange((n + 127) / 128 * 16, (n + 63) / 64 * 8; 16, 8) options("-DTM=64 -DTN=128 -DTK=16")
void gemm_opencl_only(int n, const float *a, const float *b, float *c);
#else
static void gemm_opencl_only(int n, const float *a, const float *b, float *c) { multiplyTile(n, a, b, c); }
#endif

namespace {

// A square matrix of tiles, each contiguous. Entries are small integers, so every sum below is exact in float (up to
// n = 2^21), in any order of the additions. All versions agree to the last bit.
struct TiledMatrix {
  int tiles, tile;
  std::vector<float> data;

  TiledMatrix(int tiles, int tile) : tiles(tiles), tile(tile), data(std::size_t(tiles) * tiles * tile * tile) {}
  float *at(int i, int j) { return &data[(std::size_t(i) * tiles + j) * tile * tile]; }

  void fill(std::uint32_t seed) {
    for (float &v : data) {
      seed = seed * 1664525u + 1013904223u;
      v = static_cast<float>(static_cast<int>(seed >> 24) % 5 - 2);
    }
  }

  // This * v, in exact integer arithmetic.
  std::vector<std::int64_t> times(const std::vector<std::int64_t> &v) {
    std::vector<std::int64_t> out(v.size());
    for (int ti = 0; ti < tiles; ++ti)
      for (int tj = 0; tj < tiles; ++tj) {
        const float *t = at(ti, tj);
        for (int i = 0; i < tile; ++i)
          for (int j = 0; j < tile; ++j)
            out[std::size_t(ti) * tile + i] +=
                static_cast<std::int64_t>(t[i * tile + j]) * v[std::size_t(tj) * tile + j];
      }
    return out;
  }
};

using Gemm = void (*)(int, const float *, const float *, float *);

Gemm chooseGemm(const std::string &versions) {
  if (versions == "all")
    return gemm;
  if (versions == "cpp")
    return gemm_cpp_only;
  if (versions == "blas")
    return gemm_blas_only;
  if (versions == "opencl")
    return gemm_opencl_only;
  return nullptr;
}

} // namespace

extern "C" void openblas_set_num_threads(int);

int main(int argc, char **argv) {
  samples::Options options(argc, argv, {"size", "tile", "reps", "versions"});
  const int size = options.number("size", 512);
  const int tile = std::min(options.number("tile", 128), size);
  const int reps = options.number("reps", 3);
  const Gemm multiply = chooseGemm(options.text("versions", "all"));
  if (!multiply)
    options.complain("--versions is one of all, cpp, blas, opencl");
  if (!options.ok())
    return 2;
  openblas_set_num_threads(1); // The runtime's workers are the threads.

  const int tiles = (size + tile - 1) / tile, n = tiles * tile;
  TiledMatrix a(tiles, tile), b(tiles, tile), c(tiles, tile);
  a.fill(1);
  b.fill(2);

  // Freivalds' check: C * v against A * (B * v) for a random v. Both sides are exact, and a wrong C passes with a
  // probability below one in a million.
  std::vector<std::int64_t> v(n);
  std::uint64_t seed = 12345;
  for (std::int64_t &x : v) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x = static_cast<std::int64_t>(seed >> 44);
  }
  const std::vector<std::int64_t> expected = a.times(b.times(v));

  std::vector<double> speeds;
  for (int r = 0; r < reps; ++r) {
    std::fill(c.data.begin(), c.data.end(), 0.0f);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < tiles; ++i)
      for (int j = 0; j < tiles; ++j)
        for (int k = 0; k < tiles; ++k)
          multiply(tile, a.at(i, k), b.at(k, j), c.at(i, j));
    try {
#pragma hsched taskwait
    } catch (const std::exception &error) {
      std::printf("matmul: %s\n", error.what());
      return 3;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    speeds.push_back(2.0 * n * n * n / took.count() * 1e-9);
    std::fprintf(stderr, "matmul: n %d, tile %d, repetition %d: %.1f ms, %.1f GFLOP/s\n", n, tile, r + 1,
                 took.count() * 1e3, speeds.back());
    if (c.times(v) != expected) {
      std::printf("matmul: WRONG: C is not A * B in repetition %d\n", r + 1);
      return 1;
    }
  }
  std::sort(speeds.begin(), speeds.end());
  std::fprintf(stderr, "matmul: best %.1f, median %.1f GFLOP/s\n", speeds.back(), speeds[speeds.size() / 2]);

  double sum = 0;
  for (float x : c.data)
    sum += x;
  std::printf("matmul: n %d, tile %d, %d repetitions, sum of C %.0f: correct\n", n, tile, reps, sum);
  return 0;
}
