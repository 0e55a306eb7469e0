// Tiles that kernels take packed, beside tasks that name the same bytes in other shapes.
// Prints checksums that do not depend on who compiled it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: packed [figures | backwards]    figures: kernels alone multiply, and the bytes that were moved are printed
//                                        backwards: they do, of tiles whose rows are before one another
#include "packed.h"

#include <cstring>

// As a BLAS has it: pointers to tiles, and a leading dimension for each, of several types.
#pragma hsched task in(([n][lda]a)[0:n][0:n], ([n][ldb]b)[0:n][0:n]) inout(([n][ldc]c)[0:n][0:n])
void multiply(int n, const unsigned *a, int lda, const unsigned *b, long ldb, unsigned *c, short ldc);
#pragma hsched implements(multiply) device(opencl) kernel("packed.cl") ndrange(n, n; 8, 8) \
    options("-DLDC=short") packed(a: lda, b: ldb) packed(c: ldc)
void multiply_cl(int n, const unsigned *a, int lda, const unsigned *b, long ldb, unsigned *c, short ldc);
void multiply(int n, const unsigned *a, int lda, const unsigned *b, long ldb, unsigned *c, short ldc) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        c[i * ldc + j] += a[i * lda + k] * b[k * ldb + j];
}

#ifdef __HSCHED__
#pragma hsched task device(opencl) kernel("packed.cl", "multiply") ndrange(n, n; 8, 8) packed(a: lda, b: ldb, c: ldc) \
    in(([n][lda]a)[0:n][0:n], ([n][ldb]b)[0:n][0:n]) inout(([n][ldc]c)[0:n][0:n])
void multiplyThere(int n, const unsigned *a, int lda, const unsigned *b, long ldb, unsigned *c, int ldc);
#else
static void multiplyThere(int n, const unsigned *a, int lda, const unsigned *b, long ldb, unsigned *c, int ldc) {
  multiply(n, a, lda, b, ldb, c, ldc);
}
#endif

// The matrix, and where in it the tile is: the device's arithmetic is the host's with another leading dimension.
#pragma hsched task inout(([rows][ld]m)[i:high][j:wide])
void scale(int rows, unsigned ld, unsigned *m, int i, int j, int high, int wide, unsigned by);
#pragma hsched implements(scale) kernel("packed.cl") ndrange(wide, high) args(m, ld, i, j, by) packed(m: ld)
void scale_cl(int rows, unsigned ld, unsigned *m, int i, int j, int high, int wide, unsigned by);
void scale(int, unsigned ld, unsigned *m, int i, int j, int high, int wide, unsigned by) {
  for (int r = i; r < i + high; ++r)
    for (int c = j; c < j + wide; ++c)
      m[static_cast<unsigned>(r) * ld + static_cast<unsigned>(c)] =
          m[static_cast<unsigned>(r) * ld + static_cast<unsigned>(c)] * by + static_cast<unsigned>(c);
}

// Halos: the parameter points behind the tile's beginning.
#pragma hsched task in(([1][ld]from)[-1:n + 2][-1:n + 2]) out(([n][ldTo]to)[0:n][0:n])
void blur(int n, const unsigned *from, int ld, unsigned *to, int ldTo);
#pragma hsched implements(blur) kernel("packed.cl") ndrange(n, n) args(from, ld, to, ldTo) packed(from: ld, to: ldTo)
void blur_cl(int n, const unsigned *from, int ld, unsigned *to, int ldTo);
void blur(int n, const unsigned *from, int ld, unsigned *to, int ldTo) {
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c)
      to[r * ldTo + c] = from[(r - 1) * ld + c - 1] + from[(r + 1) * ld + c + 1] + from[(r - 1) * ld + c + 1] +
                         from[(r + 1) * ld + c - 1] + 4 * from[r * ld + c];
}

// A template, arrays of arrays, arguments that are computed: addresses with the host's leading dimension, others with
// the device's.
#pragma hsched task inout(t[i:n][i:n])
template <int Columns> void negate(unsigned (*t)[Columns], int i, int n, int ld);
#pragma hsched implements(negate) kernel("packed.cl") ndrange(n, n) packed(t: ld) \
    args(&t[0][0] + i * ld + i, ld, local(ld * sizeof(unsigned)), ld + 0)
template <int Columns> void negate_cl(unsigned (*t)[Columns], int i, int n, int ld);
template <int Columns> void negate(unsigned (*t)[Columns], int i, int n, int) {
  for (int r = i; r < i + n; ++r)
    for (int c = i; c < i + n; ++c)
      t[r][c] = ~t[r][c];
}

// Members: a matrix that knows its leading dimension, and a strided view.
struct Board {
  unsigned *data;
  int ld;
#pragma hsched task inout(tile)
  void add(hsched::tile<unsigned> tile, int apart, unsigned by);
#pragma hsched implements(add) kernel("packed.cl", "addRows") ndrange(tile.columns(), tile.rows()) packed(tile: apart) \
    args(tile, apart, by)
  void add_cl(hsched::tile<unsigned> tile, int apart, unsigned by);
};
void Board::add(hsched::tile<unsigned> tile, int, unsigned by) {
  for (std::size_t r = 0; r < tile.rows(); ++r)
    for (std::size_t c = 0; c < tile.columns(); ++c)
      tile(r, c) += by;
}

// Rows of the matrix, with the host's strides.
#pragma hsched task inout([n]x)
void mix(int n, unsigned *x, unsigned by);
#pragma hsched implements(mix) kernel("packed.cl", "addRows") ndrange(n, 1) args(x, n, by)
void mix_cl(int n, unsigned *x, unsigned by);
void mix(int n, unsigned *x, unsigned by) {
  for (int i = 0; i < n; ++i)
    x[i] += by;
}

int main(int argc, char **argv) {
  Matrix a(Size * Size), b(Size * Size), c(Size * Size);
  fill(a, b);
  if (argc > 1 && std::strcmp(argv[1], "figures") == 0) {
    // One row of tiles of C: A's row once, all of B, and C's row comes home.
    for (int j = 0; j < Tiles; ++j)
      for (int k = 0; k < Tiles; ++k)
        multiplyThere(Tile, at(a, 1, k), Size, at(b, k, j), Size, at(c, 1, j), Size);
#pragma hsched taskwait
    show("product", c);
    showTraffic();
    return 0;
  }
  if (argc > 1 && std::strcmp(argv[1], "backwards") == 0) {
    const int last = (Tile - 1) * Size;
    for (int k = 0; k < Tiles; ++k) {
      multiplyThere(Tile, at(a, 1, k) + last, -Size, at(b, k, 2) + last, -Size, at(c, 1, 2) + last, -Size);
      multiplyThere(Tile, at(a, 2, k), Size, at(b, k, 2) + last, -Size, at(c, 2, 2) + last, -Size);
    }
#pragma hsched taskwait
    show("backwards", c);
    return 0;
  }
  for (int i = 0; i < Tiles; ++i)
    for (int j = 0; j < Tiles; ++j)
      for (int k = 0; k < Tiles; ++k)
        multiply(Tile, at(a, i, k), Size, at(b, k, j), Size, at(c, i, j), Size);
#pragma hsched taskwait
  show("product", c);
  for (unsigned round = 0; round < 4; ++round) {
    scale(Size, Size, c.data(), 40, 24, 100, 60, round);
    scale(Size, Size, c.data(), 100, 60, 100, 60, 2 * round); // Overlaps it.
    mix(Size, at(c, 3, 0), round);                            // A row across both.
    blur(Tile, at(c, 2, 2), Size, at(a, 5, 5), Size);
    negate(reinterpret_cast<unsigned(*)[Size]>(a.data()), 150, 50, Size);
    Board{a.data(), Size}.add(hsched::tile<unsigned>(at(a, 4, 4), Tile, Tile, Size), Size, round);
    multiply(Tile, at(a, 5, 5), Size, at(a, 4, 4), Size, at(c, 2, 2), Size);
    multiply(Tile, at(a, 5, 5), Size, at(a, 5, 5), Size, at(c, 2, 2), Size);
  }
#pragma hsched taskwait
  show("a", a);
  show("c", c);
}
