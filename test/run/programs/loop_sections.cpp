// Lists and tiles of more than two ranges on statements and taskloops, also such as differ from chunk to chunk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <vector>
constexpr int M = 6, N = 24;
int main() {
  std::vector<int> grid(M * N, 1), line(N), triangle(N * N), far(N);
  int *g = grid.data(), *t = triangle.data();
  static int cube[5][12][10];
  std::vector<std::vector<int>> rows(M, std::vector<int>(N, 2));
  // A column of every iteration, as a list: of a chunk, a tile of columns.
  for (int round = 0; round < 3; ++round) {
#pragma hsched taskloop grainsize(3) inout({g[k * N + i : 1], k = 0; M})
    for (int i = 0; i < N; ++i) for (int k = 0; k < M; ++k) g[k * N + i] = g[k * N + i] * 3 + i - k;
    // Every second row, later ones first.
#pragma hsched taskloop grainsize(1) inout({g[i * N : N], k = 0; 1})
    for (int i = M - 2; i >= 0; i -= 2) for (int j = 0; j < N; ++j) g[i * N + j] -= j;
  }
  // The variable decides the values of the list.
#pragma hsched taskloop grainsize(4) in({g[j], j = i * M; M}) out(line[i])
  for (int i = 0; i < N; ++i) { line[i] = 0; for (int j = i * M; j < i * M + M; ++j) line[i] += g[j]; }
#pragma hsched taskloop grainsize(4) in({line[j], j = 0; i}) inout(far[i])
  for (int i = 0; i < N; ++i) for (int j = 0; j < i; ++j) far[i] += line[j];
  // A triangle: the first row is empty.
#pragma hsched taskloop grainsize(5) inout(t[i * N : i]) in([N]line)
  for (int i = 0; i < N; ++i) for (int j = 0; j < i; ++j) t[i * N + j] += line[j] - i;
#pragma hsched taskloop grainsize(5) inout(t[i * N : i])
  for (int i = N - 1; i >= 0; --i) for (int j = 0; j < i; ++j) t[i * N + j] *= 2;
  // Tiles of three ranges.
  for (int round = 0; round < 3; ++round) {
#pragma hsched taskloop grainsize(2) inout(cube[1:3][i:2][4:3])
    for (int i = 0; i < 10; i += 2)
      for (int a = 1; a < 4; ++a) for (int b = i; b < i + 2; ++b) for (int c = 4; c < 7; ++c) cube[a][b][c] += a * b + c;
#pragma hsched taskloop grainsize(2) inout(cube[i:1][2:3][3:5])
    for (int i = 0; i < 5; ++i)
      for (int b = 2; b < 5; ++b) for (int c = 3; c < 8; ++c) cube[i][b][c] = cube[i][b][c] * 2 + i;
#pragma hsched task inout(cube[0:2][1:4][2:6])
    for (int a = 0; a < 2; ++a) for (int b = 1; b < 5; ++b) for (int c = 2; c < 8; ++c) cube[a][b][c] -= b;
  }
  // Rows of their own, on a statement and on a loop.
  for (int from = 0; from < 3; ++from) {
#pragma hsched task inout({rows[r], r = from; 2 : 2})
    for (int r = from; r < from + 4; r += 2) for (int &x : rows[r]) x = x * 5 - r;
#pragma hsched taskloop grainsize(5) inout({rows[r][i], r = 0; M})
    for (int i = 0; i < N; ++i) for (int r = 0; r < M; ++r) rows[r][i] += i;
  }
#pragma hsched taskwait on({rows[r], r = 0; M}, cube[:][:][:])
#pragma hsched taskwait
  for (const std::vector<int> *v : {&grid, &line, &far, &triangle}) {
    unsigned long h = 17;
    for (int x : *v) h = h * 31 + unsigned(x);
    std::printf("%lu ", h);
  }
  unsigned long h = 17;
  for (auto &plane : cube) for (auto &row : plane) for (int x : row) h = h * 31 + unsigned(x);
  for (auto &row : rows) for (int x : row) h = h * 31 + unsigned(x);
  std::printf("%lu\n", h);
}
