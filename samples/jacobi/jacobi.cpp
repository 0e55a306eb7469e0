// Jacobi's method for Laplace's equation on a square, in tiles of two dimensions. There is a task for each tile and step.
// It reads its own tile and one edge of each neighbour. Two grids in turns, no wait between steps.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: jacobi [--size n] [--tile b] [--steps s] [--reps r]. The grid has n * n elements within a border.
// Standard output is the same for every build of this program and every device; speed goes to standard error. Exit code
// 1 tells that a result was wrong, 3 that a task could not be run.
#include "../common/Options.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

// One step of a tile. edges: of next, its first row, its last row, its first column, its last column.
#pragma hsched task in([rows * columns]u, [columns]above, [columns]below, [rows]left, [rows]right) \
    out([rows * columns]next, [2 * (rows + columns)]edges)
void sweep(int rows, int columns, const float *u, const float *above, const float *below, const float *left,
           const float *right, float *next, float *edges) {
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
}

#pragma hsched implements(sweep) device(opencl) kernel("jacobi.cl") ndrange(columns, rows; 64, 4)
void sweep_cl(int rows, int columns, const float *u, const float *above, const float *below, const float *left,
              const float *right, float *next, float *edges);

namespace {

// The initial grid: hot above and on the left, cold below and on the right. Inside, each element differs, so a misplaced
// one shows. Rows and columns from -1 to n.
float initial(int y, int x, int n) {
  if (y < 0)
    return 1.0f;
  if (x < 0)
    return 0.5f;
  return y == n || x == n ? 0.0f : static_cast<float>((y * 7 + x * 3) % 16) / 16;
}

// Tiles, each contiguous, and their edges, each tile's contiguous.
struct Tiles {
  int n, tile, count;
  std::vector<float> data, edges;
  Tiles(int n, int tile)
      : n(n), tile(tile), count((n + tile - 1) / tile), data(std::size_t(n) * n),
        edges(std::size_t(4) * tile * count * count) {}
  int size(int i) const { return std::min(tile, n - i * tile); } // Size of the tiles of row or column i.
  float *at(int i, int j) { return &data[std::size_t(i) * tile * n + std::size_t(size(i)) * j * tile]; }
  float *edgesOf(int i, int j) { return &edges[std::size_t(4) * tile * (std::size_t(i) * count + j)]; }
  float *north(int i, int j) { return edgesOf(i, j); }
  float *south(int i, int j) { return edgesOf(i, j) + size(j); }
  float *west(int i, int j) { return edgesOf(i, j) + 2 * size(j); }
  float *east(int i, int j) { return edgesOf(i, j) + 2 * size(j) + size(i); }

  template <class Fn> void forEach(Fn Do) { // Do(row, column, the element) of the grid
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j)
        for (int y = 0; y < size(i); ++y)
          for (int x = 0; x < size(j); ++x)
            Do(i * tile + y, j * tile + x, at(i, j)[std::size_t(y) * size(j) + x]);
  }
  void fill() {
    forEach([&](int y, int x, float &v) { v = initial(y, x, n); });
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j) {
        for (int x = 0; x < size(j); ++x) {
          north(i, j)[x] = initial(i * tile, j * tile + x, n);
          south(i, j)[x] = initial(i * tile + size(i) - 1, j * tile + x, n);
        }
        for (int y = 0; y < size(i); ++y) {
          west(i, j)[y] = initial(i * tile + y, j * tile, n);
          east(i, j)[y] = initial(i * tile + y, j * tile + size(j) - 1, n);
        }
      }
  }
};

// The whole grid by one thread, with the same operations on the same numbers. Rows of n + 2 elements.
std::vector<float> reference(int n, int steps) {
  const std::size_t ld = std::size_t(n) + 2;
  std::vector<float> now(ld * ld), next;
  for (int y = -1; y <= n; ++y)
    for (int x = -1; x <= n; ++x)
      now[std::size_t(y + 1) * ld + std::size_t(x + 1)] = initial(y, x, n);
  next = now;
  for (int s = 0; s < steps; ++s, std::swap(now, next))
    for (std::size_t y = 1; y + 1 < ld; ++y)
      for (std::size_t i = y * ld + 1; i < (y + 1) * ld - 1; ++i)
        next[i] = 0.25f * ((now[i - ld] + now[i + ld]) + (now[i - 1] + now[i + 1]));
  return now;
}

} // namespace

int main(int argc, char **argv) {
  samples::Options options(argc, argv, {"size", "tile", "steps", "reps"});
  const int n = options.number("size", 512);
  const int tile = std::min(options.number("tile", 128), n);
  const int steps = options.number("steps", 20);
  const int reps = options.number("reps", 3);
  if (!options.ok())
    return 2;

  const std::vector<float> expected = reference(n, steps);
  const std::vector<float> hot(tile, 1.0f), warm(tile, 0.5f), cold(tile, 0.0f);
  Tiles first(n, tile), second(n, tile);
  std::vector<double> speeds;
  for (int r = 0; r < reps; ++r) {
    first.fill();
    std::fill(second.data.begin(), second.data.end(), -1.0f);
    Tiles *now = &first, *next = &second;
    const int last = first.count - 1;
    const auto start = std::chrono::steady_clock::now();
    for (int s = 0; s < steps; ++s, std::swap(now, next))
      for (int i = 0; i <= last; ++i)
        for (int j = 0; j <= last; ++j)
          sweep(now->size(i), now->size(j), now->at(i, j), i > 0 ? now->south(i - 1, j) : hot.data(),
                i < last ? now->north(i + 1, j) : cold.data(), j > 0 ? now->east(i, j - 1) : warm.data(),
                j < last ? now->west(i, j + 1) : cold.data(), next->at(i, j), next->edgesOf(i, j));
    try {
#pragma hsched taskwait
    } catch (const std::exception &error) {
      std::printf("jacobi: %s\n", error.what());
      return 3;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    speeds.push_back(4.0 * n * n * steps / took.count() * 1e-9);
    std::fprintf(stderr, "jacobi: n %d, tile %d, %d steps, repetition %d: %.1f ms, %.2f GFLOP/s\n", n, tile, steps,
                 r + 1, took.count() * 1e3, speeds.back());
    bool wrong = false;
    now->forEach([&](int y, int x, float v) {
      wrong |= v != expected[std::size_t(y + 1) * (std::size_t(n) + 2) + std::size_t(x + 1)];
    });
    if (wrong) {
      std::printf("jacobi: WRONG: the grid differs from that of one thread in repetition %d\n", r + 1);
      return 1;
    }
  }
  std::sort(speeds.begin(), speeds.end());
  std::fprintf(stderr, "jacobi: best %.2f, median %.2f GFLOP/s\n", speeds.back(), speeds[speeds.size() / 2]);
  double sum = 0;
  for (float v : expected)
    sum += v;
  std::printf("jacobi: %d x %d, tiles of %d, %d steps, mean %.9f: correct\n", n, n, tile, steps,
              sum / static_cast<double>(expected.size()));
  return 0;
}
