// A sparse, symmetric, positive definite matrix without a regular pattern: the graph of a plane grid with chords of random
// length. And the numerics of conjugate gradients, for all programs of this sample.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_CG_MATRIX_H
#define HSCHED_SAMPLES_CG_MATRIX_H

#include "../common/Options.h"
#include "../common/Png.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

namespace cg {

struct Setup {
  int side, n, block, iterations;
  std::string out;
  bool good;

  Setup(int argc, char **argv) {
    samples::Options options(argc, argv, {"side", "block", "iterations", "out"});
    side = options.number("side", 256);
    block = options.number("block", 4096);
    iterations = options.number("iterations", 60);
    out = options.text("out", "");
    n = side * side;
    if (side < 2 || side > 4096)
      options.complain("--side is from 2 to 4096");
    if (block > n)
      block = n;
    good = options.ok();
  }
  int blocks() const { return (n + block - 1) / block; }
  int length(int b) const { return (b + 1) * block < n ? block : n - b * block; }
};

// Rows in compressed form, in blocks. needs[b] are the blocks of the vector that block b's rows refer to.
struct Matrix {
  int n, block;
  std::vector<int> begin, column;
  std::vector<double> value;
  std::vector<std::vector<int>> needs;

  explicit Matrix(const Setup &s) : n(s.n), block(s.block) {
    std::vector<std::set<int>> edges(s.n);
    const auto connect = [&](int i, int j) {
      if (i != j) {
        edges[i].insert(j);
        edges[j].insert(i);
      }
    };
    std::uint32_t state = 12345;
    for (int i = 0; i < s.n; ++i) {
      if (i % s.side + 1 < s.side)
        connect(i, i + 1);
      if (i + s.side < s.n)
        connect(i, i + s.side);
      state = state * 1664525u + 1013904223u;
      if (state >> 30 == 0) // A chord for each fourth node, at most 40 rows of the grid long.
        connect(i, std::min(s.n - 1, i + static_cast<int>((state >> 8) % (40u * s.side))));
    }
    begin.push_back(0);
    needs.resize(s.blocks());
    std::vector<std::set<int>> found(s.blocks());
    for (int i = 0; i < s.n; ++i) {
      column.push_back(i);
      value.push_back(double(edges[i].size()) + 0.05);
      found[i / s.block].insert(i / s.block);
      for (int j : edges[i]) {
        column.push_back(j);
        value.push_back(-1);
        found[i / s.block].insert(j / s.block);
      }
      begin.push_back(static_cast<int>(column.size()));
    }
    for (int b = 0; b < s.blocks(); ++b)
      needs[b].assign(found[b].begin(), found[b].end());
  }
  int first(int b) const { return b * block; }
  int length(int b) const { return std::min(block, n - b * block); }
  int neighbours(int b) const { return static_cast<int>(needs[b].size()); }
};

// The scalars of an iteration. Each is written once and then read.
struct Scalars {
  double rr = 0; // Square of the residual before the iteration.
  double pq = 0; // Product of direction and image.
};

// q = A p for rows [from, from + n); returns their part of the product of p and q.
inline double multiplyRows(int from, int n, const int *begin, const int *column, const double *value, const double *p,
                           double *q) {
  double sum = 0;
  for (int i = from; i < from + n; ++i) {
    double qi = 0;
    for (int k = begin[i]; k < begin[i + 1]; ++k)
      qi += value[k] * p[column[k]];
    q[i] = qi;
    sum += p[i] * qi;
  }
  return sum;
}

// x += alpha p, r -= alpha q; returns the part of the residual's square.
inline double advanceRows(int n, double alpha, const double *p, const double *q, double *x, double *r) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
    sum += r[i] * r[i];
  }
  return sum;
}

inline void turnRows(int n, double beta, const double *r, double *p) {
  for (int i = 0; i < n; ++i)
    p[i] = r[i] + beta * p[i];
}

// The solution that is looked for, and its right-hand side.
inline double solution(int i) { return 1 + i % 7; }
inline std::vector<double> rightSide(const Setup &s, const Matrix &a) {
  std::vector<double> b(s.n);
  for (int i = 0; i < s.n; ++i)
    for (int k = a.begin[i]; k < a.begin[i + 1]; ++k)
      b[i] += a.value[k] * solution(a.column[k]);
  return b;
}

// The matrix as a picture: the darker, the more elements.
inline void save(const Setup &s, const Matrix &a) {
  const int size = std::min(256, s.n);
  std::vector<int> count(std::size_t(size) * size);
  const auto pixel = [&](int row) { return static_cast<int>(static_cast<long>(row) * size / s.n); };
  for (int i = 0; i < s.n; ++i)
    for (int k = a.begin[i]; k < a.begin[i + 1]; ++k)
      ++count[std::size_t(pixel(i)) * size + pixel(a.column[k])];
  std::vector<std::uint8_t> picture;
  for (int c : count)
    picture.push_back(static_cast<std::uint8_t>(c ? 200 - std::min(200, 25 * static_cast<int>(std::log2(c))) : 255));
  if (!samples::Png::write(s.out, size, size, picture))
    std::fprintf(stderr, "cg: cannot write '%s'\n", s.out.c_str());
}

// Sums are rounded in another order in each run, so that no digits are printed that depend on it.
inline int report(const Setup &s, const std::vector<double> &x) {
  if (!s.out.empty())
    save(s, Matrix(s));
  double worst = 0;
  for (int i = 0; i < s.n; ++i)
    worst = std::max(worst, std::fabs(x[i] - solution(i)));
  std::fprintf(stderr, "cg: the largest error is %.3g\n", worst);
  if (!(worst < 1e-3)) {
    std::printf("cg: WRONG: %d unknowns, %d iterations: the largest error is %g\n", s.n, s.iterations, worst);
    return 1;
  }
  std::printf("cg: %d unknowns, %d iterations, no error above 0.001: correct\n", s.n, s.iterations);
  return 0;
}

} // namespace cg
#endif
