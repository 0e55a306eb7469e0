// Sections that are tiles: of arrays, of shaped pointers, of more dimensions; overlapping ones, and waits on one.
// Prints checksums that do not depend on who compiled it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdio>
#include <vector>

constexpr int Rows = 48, Columns = 40;
using Row = unsigned[Columns];

template <class T> static void show(const char *what, const T *p, int n) {
  unsigned long h = 14695981039346656037ul;
  for (int i = 0; i < n; ++i)
    h = (h ^ p[i]) * 1099511628211ul;
  std::printf("%s %016lx\n", what, h);
}

// A tile of a matrix behind a pointer, with a kernel.
#pragma hsched task inout(([rows][ld]a)[i:m][j:n])
void scale(int rows, int ld, unsigned *a, int i, int j, int m, int n, unsigned by);
#pragma hsched implements(scale) device(opencl) kernel("tiles.cl", "scale") ndrange(n, m) args(a, ld, i, j, by)
void scale_cl(int rows, int ld, unsigned *a, int i, int j, int m, int n, unsigned by);
void scale(int, int ld, unsigned *a, int i, int j, int m, int n, unsigned by) {
  for (int r = i; r < i + m; ++r)
    for (int c = j; c < j + n; ++c)
      a[r * ld + c] = a[r * ld + c] * by + static_cast<unsigned>(c);
}

// One tile from its neighbour, of the same matrix: both as wide as they are, no more.
#pragma hsched task in(([rows][ld]a)[i:m][j:n]) out(([rows][ld]a)[i:m][k:n])
void copyTile(int rows, int ld, unsigned *a, int i, int j, int k, int m, int n);
void copyTile(int, int ld, unsigned *a, int i, int j, int k, int m, int n) {
  for (int r = i; r < i + m; ++r)
    for (int c = 0; c < n; ++c)
      a[r * ld + k + c] = a[r * ld + j + c] + 1;
}
#pragma hsched implements(copyTile) kernel("tiles.cl", "copyTile") ndrange(n, m) args(a, a, ld, i, j, k)
void copyTile_cl(int rows, int ld, unsigned *a, int i, int j, int k, int m, int n);

// Arrays: a pointer to rows, a reference, std::array; defaults; one column; OmpSs's ';'.
#pragma hsched task inout(a[i:m][j:n])
void addRows(Row *a, int i, int j, int m, int n) {
  for (int r = i; r < i + m; ++r)
    for (int c = j; c < j + n; ++c)
      a[r][c] += static_cast<unsigned>(r);
}
#pragma hsched task in(a[:][from]) inout(a[:][to])
void addColumn(unsigned (&a)[Rows][Columns], int from, int to) {
  for (int r = 0; r < Rows; ++r)
    a[r][to] += a[r][from] * 3;
}
using Grid = std::array<std::array<unsigned, Columns>, Rows>;
#pragma hsched task inout(g[i:][:n]) in(g[i - 1][0; n])
void fold(Grid &g, std::size_t i, std::size_t n) {
  for (std::size_t r = i; r < Rows; ++r)
    for (std::size_t c = 0; c < n; ++c)
      g[r][c] += g[i - 1][c];
}

// Three dimensions: more than one access.
#pragma hsched task inout(([p][m][n]v)[1 : p - 2][1 : m - 2][k])
void plane(int p, int m, int n, unsigned *v, int k) {
  for (int x = 1; x < p - 1; ++x)
    for (int y = 1; y < m - 1; ++y)
      v[(x * m + y) * n + k] += static_cast<unsigned>(x * y);
}
#pragma hsched task inout(v[0:2][1:2][2:2]) in(v[2][:][:])
void corner(unsigned (*v)[4][5]) {
  for (int x = 0; x < 2; ++x)
    for (int y = 1; y < 3; ++y)
      for (int z = 2; z < 4; ++z)
        v[x][y][z] += v[2][y + 1][z];
}

// Every other block, through one parameter.
#pragma hsched task inout({v[b * bs:bs], b = first; n : 2})
void blocks(unsigned *v, int first, int n, int bs) {
  for (int b = 0; b < n; ++b)
    for (int i = 0; i < bs; ++i)
      v[(first + 2 * b) * bs + i] += static_cast<unsigned>(i + b);
}
#pragma hsched implements(blocks) kernel("tiles.cl", "blocks") ndrange(bs, n)
void blocks_cl(unsigned *v, int first, int n, int bs);

int main() {
  std::vector<unsigned> a(Rows * Columns);
  for (unsigned i = 0; i < a.size(); ++i)
    a[i] = i * 2654435761u;
  for (unsigned round = 0; round < 3; ++round) {
    for (int i = 0; i < Rows; i += 16)
      for (int j = 0; j < Columns; j += 10)
        scale(Rows, Columns, a.data(), i, j, 16, 10, round + 3);
    // Halos: tiles that overlap those before in part.
    for (int i = 8; i + 16 <= Rows; i += 16)
      for (int j = 5; j + 10 <= Columns; j += 10)
        scale(Rows, Columns, a.data(), i, j, 16, 10, round + 5);
    for (int i = 0; i < Rows; i += 16)
      copyTile(Rows, Columns, a.data(), i, 0, 20, 16, 20);
#pragma hsched taskwait on(([Rows][Columns]a.data())[0:16][20:20])
    show("tile", &a[20], 20);
    show("tile", &a[15 * Columns + 20], 20);
  }
#pragma hsched taskwait
  show("matrix", a.data(), Rows * Columns);

  static unsigned b[Rows][Columns];
  for (int i = 0; i < Rows * Columns; ++i)
    b[i / Columns][i % Columns] = static_cast<unsigned>(i);
  for (int i = 0; i < Rows; i += 12)
    for (int j = 0; j < Columns; j += 8)
      addRows(b, i, j, 12, 8);
  for (int c = 1; c < Columns; ++c)
    addColumn(b, c - 1, c);
#pragma hsched taskwait on(b[:][Columns - 1])
  std::printf("column %u\n", b[7][Columns - 1]);
#pragma hsched taskwait
  for (const Row &r : b)
    show("array", r, Columns);

  static Grid g;
  for (std::size_t r = 0; r < Rows; ++r)
    for (std::size_t c = 0; c < Columns; ++c)
      g[r][c] = static_cast<unsigned>(r + c);
  for (std::size_t i = 1; i < 9; ++i)
    fold(g, i, 4 * i);
#pragma hsched taskwait on(g[3:3][:])
  show("rows", g[3].data(), Columns);
#pragma hsched taskwait
  for (const auto &r : g)
    show("grid", r.data(), Columns);

  std::vector<unsigned> v(6 * 7 * 5, 1);
  for (int k = 0; k < 5; ++k)
    plane(6, 7, 5, v.data(), k);
  for (int k = 4; k > 0; --k)
    plane(6, 7, 5, v.data(), k);
#pragma hsched taskwait on(([6][7][5]v.data())[:][:][2])
  std::printf("plane %u\n", v[(2 * 7 + 3) * 5 + 2]);
#pragma hsched taskwait
  show("cube", v.data(), 6 * 7 * 5);
  for (int i = 0; i < 8; ++i)
    blocks(v.data(), i % 2, 7, 15);
#pragma hsched taskwait on({v[15 * b : 15], b = 0; 3})
  show("blocks", v.data(), 45);
#pragma hsched taskwait
  show("blocks", v.data(), 6 * 7 * 5);
  static unsigned w[3][4][5];
  for (int i = 0; i < 60; ++i)
    w[i / 20][i / 5 % 4][i % 5] = static_cast<unsigned>(i * i);
  for (int i = 0; i < 4; ++i)
    corner(w);
#pragma hsched taskwait
  for (const auto &m : w)
    for (const auto &r : m)
      show("corner", r, 5);
  return 0;
}
