// The samples cholesky, lu, clblast and jacobi on StarPU. Tiles, kernels, and calls of OpenBLAS, LAPACK and CLBlast are
// the same. bench/starpu.py compares both.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: starpu_samples cholesky|gemm size tile repetitions [contiguous]
//        starpu_samples lu|jacobi size tile repetitions [steps]
// contiguous: each tile is contiguous in host memory. The matrix is copied so before the measured time begins.
// Prints a line "repetition r: t ms" for each repetition. Exit code 1 tells that a result was wrong.
#include "StarPuSamples.h"

namespace {

using namespace starpu_samples;

// --- C += A * B, as samples/clblast

Codelet gemm(
    "h_gemm",
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s.m, s.n, s.k, 1.0f, host(b[0]), ld(b[0]), host(b[1]),
                  ld(b[1]), 1.0f, host(b[2]), ld(b[2]));
    },
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      product(s.m, s.n, s.k, false, 1.0f, part(b[0]), part(b[1]), 1.0f, part(b[2]));
    },
    {STARPU_R, STARPU_R, STARPU_RW});

Matrix random(int n, std::uint32_t seed) {
  Matrix x(std::size_t(n) * n);
  for (float &v : x) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(seed >> 8) / (1 << 23) - 1.0f;
  }
  return x;
}

bool close(double got, double expected, double scale) { return std::fabs(got - expected) <= 1e-4 * (scale + 1); }

int runGemm(int n, int tile, int reps, bool contiguous) {
  const Matrix first = random(n, 1), second = random(n, 2), zero(first.size());
  Tiled a(n, tile, contiguous), b(n, tile, contiguous), c(n, tile, contiguous);
  a.assign(first), b.assign(second);
  for (int r = 0; r < reps; ++r) {
    c.assign(zero);
    const auto start = Clock::now();
    const int count = (n + tile - 1) / tile;
    std::vector<starpu_data_handle_t> handles;
    for (Tiled *x : {&a, &b, &c})
      for (int i = 0; i < n; i += tile)
        for (int j = 0; j < n; j += tile)
          handles.push_back(x->handle(i, j));
    const auto at = [&](int matrix, int i, int j) { return handles[(std::size_t(matrix) * count + i) * count + j]; };
    const auto size = [&](int i) { return std::min(tile, n - i * tile); };
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j)
        for (int k = 0; k < count; ++k)
          submit(gemm, {size(i), size(j), size(k), 0}, {at(0, i, k), at(1, k, j), at(2, i, j)});
    for (starpu_data_handle_t handle : handles)
      starpu_data_unregister(handle);
    report(r + 1, start);
    for (int i = 0; i < n; i += std::max(1, n / 7)) { // Some elements.
      double sum = 0;
      for (int k = 0; k < n; ++k)
        sum += double(a.at(i, k)) * b.at(k, i);
      if (!close(c.at(i, i), sum, n))
        return 1;
    }
  }
  return 0;
}

// --- A = L * L^T, as samples/cholesky

Codelet potrf("h_potrf",
              [](void *b[], void *p) {
                const Args s = argsOf(p);
                float *a = host(b[0]), *inverse = host(b[1]);
                const int lda = ld(b[0]);
                int info = 0;
                spotrf_("U", &s.n, a, &lda, &info, 1);
                if (info)
                  fail("a tile of the diagonal is not positive definite");
                for (int at = 0; at < s.n; at += block) {
                  const int rows = std::min(block, s.n - at);
                  float *out = inverse + std::size_t(at) * block;
                  for (int i = 0; i < rows; ++i)
                    for (int j = 0; j < block; ++j)
                      out[std::size_t(i) * block + j] = j <= i ? a[std::size_t(at + i) * lda + at + j] : 0.0f;
                  strtri_("U", "N", &rows, out, &block, &info, 1, 1);
                }
              },
              nullptr, {STARPU_RW, STARPU_W});

Codelet trsm(
    "h_trsm",
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      cblas_strsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, s.m, s.n, 1.0f, host(b[0]), ld(b[0]),
                  host(b[2]), ld(b[2]));
    },
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      cl_mem solved = temporary(std::size_t(s.m) * block);
      const Part factor = part(b[0]), inverses = part(b[1]), right = part(b[2]), x{solved, 0, block};
      for (int at = 0; at < s.n; at += block) {
        const int columns = std::min(block, s.n - at), rest = s.n - at - columns;
        product(s.m, columns, columns, true, 1.0f, right.at(0, at), inverses.at(at, 0), 0.0f, x);
        if (rest > 0)
          product(s.m, rest, columns, true, -1.0f, x, factor.at(at + columns, at), 1.0f, right.at(0, at + columns));
        copy(s.m, columns, x, right.at(0, at));
      }
      clReleaseMemObject(solved);
    },
    {STARPU_R, STARPU_R, STARPU_RW});

Codelet syrk(
    "h_syrk",
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, s.n, s.k, -1.0f, host(b[0]), ld(b[0]), 1.0f, host(b[1]),
                  ld(b[1]));
    },
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      product(s.n, s.n, s.k, true, -1.0f, part(b[0]), part(b[0]), 1.0f, part(b[1]));
    },
    {STARPU_R, STARPU_RW});

Codelet gemmt(
    "h_gemmt",
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, s.m, s.n, s.k, -1.0f, host(b[0]), ld(b[0]), host(b[1]),
                  ld(b[1]), 1.0f, host(b[2]), ld(b[2]));
    },
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      product(s.m, s.n, s.k, true, -1.0f, part(b[0]), part(b[1]), 1.0f, part(b[2]));
    },
    {STARPU_R, STARPU_R, STARPU_RW});

int runCholesky(int n, int tile, int reps, bool contiguous) {
  Matrix original = random(n, 1);
  Tiled a(n, tile, contiguous);
  for (int i = 0; i < n; ++i)
    original[std::size_t(i) * n + i] = static_cast<float>(n);
  for (int r = 0; r < reps; ++r) {
    a.assign(original);
    const int count = (n + tile - 1) / tile;
    Matrix inverses(std::size_t(count) * tile * block);
    const auto start = Clock::now();
    std::vector<starpu_data_handle_t> handles(std::size_t(count) * count), inverse;
    const auto size = [&](int i) { return std::min(tile, n - i * tile); };
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j <= i; ++j)
        handles[std::size_t(i) * count + j] = a.handle(i * tile, j * tile);
      inverse.push_back(handleOf(&inverses[std::size_t(i) * tile * block], block, block, size(i)));
    }
    const auto at = [&](int i, int j) { return handles[std::size_t(i) * count + j]; };
    for (int k = 0; k < count; ++k) {
      const int urgency = 2 * (count - k);
      submit(potrf, {0, size(k), 0, 0}, {at(k, k), inverse[k]}, urgency + 2);
      for (int i = k + 1; i < count; ++i)
        submit(trsm, {size(i), size(k), 0, 0}, {at(k, k), inverse[k], at(i, k)}, urgency + (i == k + 1));
      for (int i = k + 1; i < count; ++i) {
        submit(syrk, {0, size(i), size(k), 0}, {at(i, k), at(i, i)}, urgency - (i != k + 1));
        for (int j = k + 1; j < i; ++j)
          submit(gemmt, {size(i), size(j), size(k), 0}, {at(i, k), at(j, k), at(i, j)}, urgency - 1);
      }
    }
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j <= i; ++j)
        starpu_data_unregister(at(i, j));
      starpu_data_unregister(inverse[i]);
    }
    report(r + 1, start);
    for (int i = 0; i < n; i += std::max(1, n / 7))
      for (int j = 0; j <= i; j += std::max(1, n / 5)) {
        double sum = 0;
        for (int k = 0; k <= j; ++k)
          sum += double(a.at(i, k)) * a.at(j, k);
        if (!close(sum, original[std::size_t(i) * n + j], n))
          return 1;
      }
  }
  return 0;
}

// --- P * A = L * U, as samples/lu, column by column: a row of StarPU's matrices is a column

// A task on several tiles of one column, which lie below each other in host memory: CPU only.
Codelet panel("h_panel",
              [](void *b[], void *p) {
                const Args s = argsOf(p);
                float *a = host(b[2]), *inverse = host(b[0]);
                int *moves = reinterpret_cast<int *>(host(b[1])), info = 0;
                const int lda = ld(b[2]);
                std::vector<int> pivots(s.n), at(s.m);
                sgetrf_(&s.m, &s.n, a, &lda, pivots.data(), &info);
                if (info)
                  fail("the matrix is singular");
                std::iota(at.begin(), at.end(), 0);
                for (int i = 0; i < std::min(s.m, s.n); ++i)
                  std::swap(at[i], at[pivots[i] - 1]);
                std::fill_n(moves, 1 + 4 * s.n, 0);
                for (int i = 0; i < s.m; ++i)
                  if (at[i] != i) {
                    moves[1 + moves[0]] = i;
                    moves[1 + 2 * s.n + moves[0]++] = at[i];
                  }
                for (int from = 0; from < s.n; from += block) {
                  const int columns = std::min(block, s.n - from);
                  float *out = inverse + std::size_t(from) * block;
                  for (int j = 0; j < columns; ++j)
                    for (int i = 0; i < block; ++i)
                      out[std::size_t(j) * block + i] = i == j ? 1.0f
                                                        : i > j && i < columns
                                                            ? a[std::size_t(from + j) * lda + from + i]
                                                            : 0.0f;
                  strtri_("L", "U", &columns, out, &block, &info, 1, 1);
                }
              },
              nullptr, {});
Codelet exchange("h_exchange",
                 [](void *b[], void *p) {
                   const Args s = argsOf(p);
                   const int *moves = reinterpret_cast<int *>(host(b[0])), *to = moves + 1, *from = to + 2 * s.k;
                   std::vector<float> taken(2 * std::size_t(s.k));
                   float *a = host(b[1]);
                   for (int j = 0; j < s.n; ++j, a += ld(b[1])) {
                     for (int i = 0; i < moves[0]; ++i)
                       taken[i] = a[from[i]];
                     for (int i = 0; i < moves[0]; ++i)
                       a[to[i]] = taken[i];
                   }
                 },
                 nullptr, {});
Codelet solve(
    "h_solve",
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      cblas_strsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, s.m, s.n, 1.0f, host(b[0]), ld(b[0]),
                  host(b[2]), ld(b[2]));
    },
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      cl_mem solved = temporary(std::size_t(s.n) * block);
      const Part factor = part(b[0]), inverses = part(b[1]), right = part(b[2]), x{solved, 0, block};
      for (int at = 0; at < s.m; at += block) {
        const int rows = std::min(block, s.m - at), rest = s.m - at - rows;
        product(s.n, rows, rows, false, 1.0f, right.at(0, at), inverses.at(at, 0), 0.0f, x);
        if (rest > 0)
          product(s.n, rest, rows, false, -1.0f, x, factor.at(at, at + rows), 1.0f, right.at(0, at + rows));
        copy(s.n, rows, x, right.at(0, at));
      }
      clReleaseMemObject(solved);
    },
    {STARPU_R, STARPU_R, STARPU_RW});
Codelet update(
    "h_update",
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, s.m, s.n, s.k, -1.0f, host(b[0]), ld(b[0]), host(b[1]),
                  ld(b[1]), 1.0f, host(b[2]), ld(b[2]));
    },
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      product(s.n, s.m, s.k, false, -1.0f, part(b[1]), part(b[0]), 1.0f, part(b[2]));
    },
    {STARPU_R, STARPU_R, STARPU_RW});

int runLu(int n, int tile, int reps) {
  panel.nbuffers = exchange.nbuffers = STARPU_VARIABLE_NBUFFERS;
  const int count = (n + tile - 1) / tile;
  const Matrix original = random(n, 1);
  for (int r = 0; r < reps; ++r) {
    Matrix a = original, inverses(std::size_t(count) * tile * block), moved(std::size_t(count) * (1 + 4 * tile));
    const auto start = Clock::now();
    const auto size = [&](int i) { return std::min(tile, n - i * tile); };
    std::vector<starpu_data_handle_t> tiles, inverse, moves;
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < count; ++j)
        tiles.push_back(handleOf(&a[std::size_t(j) * tile * n + std::size_t(i) * tile], n, size(i), size(j)));
      inverse.push_back(handleOf(&inverses[std::size_t(i) * tile * block], block, block, size(i)));
      moves.push_back(handleOf(&moved[std::size_t(i) * (1 + 4 * tile)], 1 + 4 * size(i), 1 + 4 * size(i), 1));
    }
    const auto at = [&](int i, int j) { return tiles[std::size_t(i) * count + j]; };
    const auto onColumn = [&](Codelet &codelet, Args args, std::vector<starpu_data_descr> on, int k, int j,
                              int priority) {
      for (int i = k; i < count; ++i)
        on.push_back({at(i, j), STARPU_RW});
      Args *copied = static_cast<Args *>(std::malloc(sizeof(Args)));
      *copied = args;
      if (starpu_task_insert(&codelet, STARPU_CL_ARGS, copied, sizeof(Args), STARPU_DATA_MODE_ARRAY, on.data(),
                             static_cast<int>(on.size()), STARPU_PRIORITY, priority, 0))
        fail("a task cannot be run");
    };
    for (int k = 0; k < count; ++k) {
      const int rows = n - k * tile, width = size(k);
      onColumn(panel, {rows, width, 0, 0}, {{inverse[k], STARPU_W}, {moves[k], STARPU_W}}, k, k, 3 * count);
      for (int j = k + 1; j < count; ++j) {
        const int urgency = 2 * count - j - k;
        onColumn(exchange, {rows, size(j), width, 0}, {{moves[k], STARPU_R}}, k, j, urgency);
        submit(solve, {width, size(j), 0, 0}, {at(k, k), inverse[k], at(k, j)}, urgency);
        for (int i = k + 1; i < count; ++i)
          submit(update, {size(i), size(j), width, 0}, {at(i, k), at(k, j), at(i, j)}, urgency);
      }
      for (int j = 0; j < k; ++j)
        onColumn(exchange, {rows, size(j), width, 0}, {{moves[k], STARPU_R}}, k, j, 0);
    }
    for (auto *each : {&tiles, &inverse, &moves})
      for (starpu_data_handle_t handle : *each)
        starpu_data_unregister(handle);
    report(r + 1, start);
    std::vector<int> from(n); // The row of the matrix that is row i of L * U.
    std::iota(from.begin(), from.end(), 0);
    for (int k = 0; k < count; ++k) {
      const int *m = reinterpret_cast<const int *>(&moved[std::size_t(k) * (1 + 4 * tile)]);
      const std::vector<int> before = from;
      for (int i = 0; i < m[0]; ++i)
        from[k * tile + m[1 + i]] = before[k * tile + m[1 + 2 * size(k) + i]];
    }
    for (int i = 0; i < n; i += std::max(1, n / 7))
      for (int j = 0; j < n; j += std::max(1, n / 5)) {
        double sum = 0;
        for (int k = 0; k <= std::min(i, j); ++k)
          sum += (k == i ? 1.0 : double(a[std::size_t(k) * n + i])) * a[std::size_t(j) * n + k];
        if (!close(sum, original[std::size_t(j) * n + from[i]], n))
          return 1;
      }
  }
  return 0;
}

// --- Jacobi's method, as samples/jacobi

starpu_opencl_program sweepProgram;
Codelet sweep(
    "h_sweep",
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      const int rows = s.m, columns = s.n;
      const float *u = host(b[0]), *above = host(b[1]) + columns, *below = host(b[2]);
      const float *left = host(b[3]) + 2 * columns + rows, *right = host(b[4]) + 2 * columns;
      float *next = host(b[5]), *edges = host(b[6]);
      for (int y = 0; y < rows; ++y) {
        const float *here = u + std::size_t(y) * columns;
        const float *north = y > 0 ? here - columns : above, *south = y + 1 < rows ? here + columns : below;
        float *to = next + std::size_t(y) * columns;
        for (int x = 1; x + 1 < columns; ++x)
          to[x] = 0.25f * ((north[x] + south[x]) + (here[x - 1] + here[x + 1]));
        for (int x : {0, columns - 1})
          to[x] = 0.25f * ((north[x] + south[x]) +
                           ((x > 0 ? here[x - 1] : left[y]) + (x + 1 < columns ? here[x + 1] : right[y])));
        edges[2 * columns + y] = to[0];
        edges[2 * columns + rows + y] = to[columns - 1];
      }
      std::copy_n(next, columns, edges);
      std::copy_n(next + std::size_t(rows - 1) * columns, columns, edges + columns);
    },
    [](void *b[], void *p) {
      const Args s = argsOf(p);
      cl_kernel kernel;
      cl_command_queue q;
      starpu_opencl_load_kernel(&kernel, &q, &sweepProgram, "sweep_tile",
                                starpu_worker_get_devid(starpu_worker_get_id()));
      clSetKernelArg(kernel, 0, sizeof(int), &s.m);
      clSetKernelArg(kernel, 1, sizeof(int), &s.n);
      for (unsigned i = 0; i < 7; ++i) {
        const Part of = part(b[i]);
        clSetKernelArg(kernel, 2 + i, sizeof(cl_mem), &of.memory);
      }
      const std::size_t local[] = {64, 4}, global[] = {std::size_t(s.n + 63) / 64 * 64, std::size_t(s.m + 3) / 4 * 4};
      clEnqueueNDRangeKernel(q, kernel, 2, nullptr, global, local, 0, nullptr, nullptr);
      starpu_opencl_release_kernel(kernel);
    },
    {STARPU_R, STARPU_R, STARPU_R, STARPU_R, STARPU_R, STARPU_W, STARPU_W});

int runJacobi(int n, int tile, int reps, int steps) {
  if (n % tile)
    fail("jacobi's tile has to divide its size");
  // samples/jacobi/jacobi.cl with whole neighbours' edges: the kernel adds the offsets that the sample's sections have.
  starpu_opencl_load_opencl_from_string(
      "kernel void sweep_tile(int rows, int columns, global const float *u, global const float *a, global const float "
      "*b,"
      " global const float *l, global const float *r, global float *next, global float *edges) {"
      " const int x = get_global_id(0), y = get_global_id(1); if (x >= columns || y >= rows) return;"
      " global const float *above = a + columns, *below = b, *left = l + 2 * columns + rows, *right = r + 2 * columns;"
      " global const float *at = u + (size_t)y * columns + x;"
      " const float n = y > 0 ? at[-columns] : above[x], s = y + 1 < rows ? at[columns] : below[x];"
      " const float w = x > 0 ? at[-1] : left[y], e = x + 1 < columns ? at[1] : right[y];"
      " const float v = 0.25f * ((n + s) + (w + e)); next[(size_t)y * columns + x] = v;"
      " if (y == 0) edges[x] = v; if (y == rows - 1) edges[columns + x] = v;"
      " if (x == 0) edges[2 * columns + y] = v; if (x == columns - 1) edges[2 * columns + rows + y] = v; }",
      &sweepProgram, nullptr);
  const int count = n / tile, edge = 4 * tile;
  const auto value = [&](int y, int x) {
    return y < 0 ? 1.0f : x < 0 ? 0.5f : y == n || x == n ? 0.0f : static_cast<float>((y * 7 + x * 3) % 16) / 16;
  };
  const std::size_t wide = std::size_t(n) + 2;
  Matrix now(wide * wide), then;
  for (int y = -1; y <= n; ++y)
    for (int x = -1; x <= n; ++x)
      now[std::size_t(y + 1) * wide + std::size_t(x + 1)] = value(y, x);
  then = now;
  for (int s = 0; s < steps; ++s, std::swap(now, then))
    for (std::size_t y = 1; y + 1 < wide; ++y)
      for (std::size_t i = y * wide + 1; i < (y + 1) * wide - 1; ++i)
        then[i] = 0.25f * ((now[i - wide] + now[i + wide]) + (now[i - 1] + now[i + 1]));

  Matrix tiles[2], edges[2], borders(4 * std::size_t(edge));
  for (int g = 0; g < 2; ++g)
    tiles[g].resize(std::size_t(n) * n), edges[g].resize(std::size_t(edge) * count * count);
  std::fill_n(borders.begin(), edge, 1.0f), std::fill_n(borders.begin() + edge, edge, 0.5f);
  for (int r = 0; r < reps; ++r) {
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j) {
        float *t = &tiles[0][(std::size_t(i) * count + j) * tile * tile],
              *e = &edges[0][(std::size_t(i) * count + j) * edge];
        for (int y = 0; y < tile; ++y)
          for (int x = 0; x < tile; ++x)
            t[std::size_t(y) * tile + x] = value(i * tile + y, j * tile + x);
        for (int x = 0; x < tile; ++x) {
          e[x] = t[x], e[tile + x] = t[std::size_t(tile - 1) * tile + x];
          e[2 * tile + x] = t[std::size_t(x) * tile], e[3 * tile + x] = t[std::size_t(x) * tile + tile - 1];
        }
      }
    const auto start = Clock::now();
    std::vector<starpu_data_handle_t> tile_of[2], edge_of[2], border;
    for (int g = 0; g < 2; ++g)
      for (int i = 0; i < count * count; ++i) {
        tile_of[g].push_back(handleOf(&tiles[g][std::size_t(i) * tile * tile], tile, tile, tile));
        edge_of[g].push_back(handleOf(&edges[g][std::size_t(i) * edge], edge, edge, 1));
      }
    for (int b = 0; b < 3; ++b)
      border.push_back(handleOf(&borders[std::size_t(b) * edge], edge, edge, 1));
    const int last = count - 1;
    for (int s = 0; s < steps; ++s) {
      const int g = s % 2;
      const auto &e = edge_of[g];
      for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
          const int at = i * count + j;
          submit(sweep, {tile, tile, 0, 0},
                 {tile_of[g][at], i > 0 ? e[at - count] : border[0], i < last ? e[at + count] : border[2],
                  j > 0 ? e[at - 1] : border[1], j < last ? e[at + 1] : border[2], tile_of[1 - g][at],
                  edge_of[1 - g][at]});
        }
    }
    for (int g = 0; g < 2; ++g)
      for (int i = 0; i < count * count; ++i)
        starpu_data_unregister(tile_of[g][i]), starpu_data_unregister(edge_of[g][i]);
    for (starpu_data_handle_t handle : border)
      starpu_data_unregister(handle);
    report(r + 1, start);
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        if (tiles[steps % 2][(std::size_t(y / tile) * count + x / tile) * tile * tile + std::size_t(y % tile) * tile +
                             std::size_t(x % tile)] != now[std::size_t(y + 1) * wide + std::size_t(x + 1)])
          return 1;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 5)
    fail("cholesky|lu|gemm|jacobi size tile repetitions [contiguous | steps]");
  const std::string what = argv[1];
  const int n = std::atoi(argv[2]), tile = std::min(std::atoi(argv[3]), n), reps = std::atoi(argv[4]);
  const bool contiguous = argc > 5 && !std::strcmp(argv[5], "contiguous");
  openblas_set_num_threads(1);
  if (starpu_init(nullptr))
    fail("StarPU does not start");
  const int code = what == "cholesky" ? runCholesky(n, tile, reps, contiguous)
                   : what == "lu"     ? runLu(n, tile, reps)
                   : what == "gemm"   ? runGemm(n, tile, reps, contiguous)
                   : what == "jacobi" ? runJacobi(n, tile, reps, argc > 5 ? std::atoi(argv[5]) : 20)
                                      : 2;
  std::fprintf(stderr, "starpu_samples: %u CPU workers, %u OpenCL workers%s\n", starpu_cpu_worker_get_count(),
               starpu_opencl_worker_get_count(), code ? ", WRONG" : "");
  starpu_shutdown();
  return code;
}
