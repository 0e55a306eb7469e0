// Versions with a body that take tiles packed, beside tasks that name the same bytes in other shapes.
// Prints checksums that do not depend on who compiled it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: packed_bodies [figures|alone]
//   figures    bodies alone copy tiles, and the bytes that were moved are printed
//   alone      bodies copy a matrix tile by tile, on the device alone
#include "packed.h"

#include <cstring>
#include <stdexcept>

#ifdef __HSCHED__
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <hsched/opencl.h>

// Rows of n elements, which are as far apart in the buffers as they are said to be. Addresses are of tiles' first
// elements, and those are what a device knows.
static void enqueue(int rows, int n, const unsigned *from, long ldFrom, unsigned *to, long ldTo) {
  const std::size_t size = sizeof(unsigned);
  for (int r = 0; r < rows; ++r)
    if (clEnqueueCopyBuffer(hsched::opencl_queue(), hsched::opencl_buffer(from), hsched::opencl_buffer(to),
                            (hsched::opencl_offset(from) + static_cast<std::size_t>(r * ldFrom)) * size,
                            (hsched::opencl_offset(to) + static_cast<std::size_t>(r * ldTo)) * size,
                            static_cast<std::size_t>(n) * size, 0, nullptr, nullptr) != CL_SUCCESS)
      throw std::runtime_error("clEnqueueCopyBuffer fails");
}
#endif
static void copyRows(int rows, int n, const unsigned *from, long ldFrom, unsigned *to, long ldTo) {
  for (int r = 0; r < rows; ++r)
    std::memmove(to + r * ldTo, from + r * ldFrom, static_cast<std::size_t>(n) * sizeof(unsigned));
}

// A leading dimension for each, of several types.
#pragma hsched task in(([n][ldFrom]from)[0:n][0:n]) out(([n][ldTo]to)[0:n][0:n])
void move(int n, const unsigned *from, const int &ldFrom, unsigned *to, const short ldTo);
void move(int n, const unsigned *from, const int &ldFrom, unsigned *to, const short ldTo) {
  copyRows(n, n, from, ldFrom, to, ldTo);
}

// One for both; tiles that are as wide, and one that is wider.
#pragma hsched task in(([rows][ld]from)[0:rows][0:n]) inout(([rows][ld]to)[0:rows][0:wide])
void moveAlike(int rows, int n, int wide, const unsigned *from, unsigned *to, long ld);
void moveAlike(int rows, int n, int, const unsigned *from, unsigned *to, long ld) {
  copyRows(rows, n, from, ld, to, ld);
}

// The matrices, and where in them the tiles are: the body's arithmetic is the host's with the device's leading
// dimension. A halo, so that a parameter points behind a tile's beginning.
#pragma hsched task in(([Size][ld]m)[i:n][j:n]) inout(([1][ldTo]to)[-1:n + 2][-1:n + 2])
void movePart(const unsigned *m, unsigned ld, int i, int j, int n, unsigned *to, int ldTo);
void movePart(const unsigned *m, unsigned ld, int i, int j, int n, unsigned *to, int ldTo) {
  copyRows(n, n, m + static_cast<unsigned>(i) * ld + static_cast<unsigned>(j), static_cast<long>(ld), to, ldTo);
}

// Templates, whose types tell where rows are: addresses are the host's, and ld is the device's. A parameter pack.
#pragma hsched task in(from[i:n][j:n]) out(to[j:n][i:n])
template <int Columns, class... Rest>
void transposed(unsigned (*from)[Columns], unsigned (*to)[Columns], int i, int j, int n, int ldFrom, int ldTo,
                Rest... rest);
template <int Columns, class... Rest>
void transposed(unsigned (*from)[Columns], unsigned (*to)[Columns], int i, int j, int n, int, int, Rest...) {
  copyRows(n, n, &from[i][j], Columns, &to[j][i], Columns);
}

// A member, and a version of it that is none. A view that knows where its rows are on the host.
struct Board {
  unsigned *data;
  int ld;
#pragma hsched task in(tile) out(([n][Size]to)[0:n][0:n])
  void put(hsched::tile<unsigned> tile, int apart, unsigned *to, int apartTo, int n);
};
void Board::put(hsched::tile<unsigned> tile, int, unsigned *to, int apartTo, int n) {
  copyRows(n, n, &tile(0, 0), Size, to, apartTo);
}

#ifdef __HSCHED__
#pragma hsched implements(move) device(opencl) packed(from: ldFrom) packed(to: ldTo)
void moveThere(int n, const unsigned *from, const int &ldFrom, unsigned *to, const short ldTo) {
  enqueue(n, n, from, ldFrom, to, ldTo);
}
#pragma hsched implements(moveAlike) device(opencl) packed(from, to: ld)
void moveAlikeThere(int rows, int n, int, const unsigned *from, unsigned *to, long ld) {
  enqueue(rows, n, from, ld, to, ld);
}
#pragma hsched implements(movePart) device(opencl) packed(m: ld, to: ldTo)
void movePartThere(const unsigned *m, unsigned ld, int i, int j, int n, unsigned *to, int ldTo) {
  const std::size_t size = sizeof(unsigned);
  const unsigned *from = m + static_cast<unsigned>(i) * ld + static_cast<unsigned>(j);
  unsigned *corner = to - ldTo - 1;
  for (int r = 0; r < n; ++r)
    if (clEnqueueCopyBuffer(hsched::opencl_queue(), hsched::opencl_buffer(from), hsched::opencl_buffer(corner),
                            (hsched::opencl_offset(from) + static_cast<unsigned>(r) * ld) * size,
                            (hsched::opencl_offset(corner) + static_cast<std::size_t>((r + 1) * ldTo + 1)) * size,
                            static_cast<std::size_t>(n) * size, 0, nullptr, nullptr) != CL_SUCCESS)
      throw std::runtime_error("clEnqueueCopyBuffer fails");
}
#pragma hsched implements(transposed) device(opencl) packed(from: ldFrom, to: ldTo)
template <int Columns, class... Rest>
void transposedThere(unsigned (*from)[Columns], unsigned (*to)[Columns], int i, int j, int n, int ldFrom, int ldTo,
                     Rest...) {
  enqueue(n, n, &from[i][j], ldFrom, &to[j][i], ldTo);
}
#pragma hsched implements(Board::put) device(opencl) packed(tile: apart, to: apartTo)
void putThere(Board &, hsched::tile<unsigned> tile, int apart, unsigned *to, int apartTo, int n) {
  enqueue(n, n, &tile(0, 0), apart, to, apartTo);
}

// Main versions that are bodies.
#pragma hsched task device(opencl) in(([n][ld]from)[0:n][0:n]) out(([n][ld]to)[0:n][0:n]) packed(from, to: ld)
void moveOnly(int n, const unsigned *from, unsigned *to, int ld) { enqueue(n, n, from, ld, to, ld); }
#else
static void moveOnly(int n, const unsigned *from, unsigned *to, int ld) { copyRows(n, n, from, ld, to, ld); }
#endif

// Rows of a matrix, with the host's strides.
#pragma hsched task inout([n]x)
void mix(int n, unsigned *x, unsigned by);
void mix(int n, unsigned *x, unsigned by) {
  for (int i = 0; i < n; ++i)
    x[i] = x[i] * 3 + by;
}
// A tile with the host's strides on the device.
#pragma hsched task in(([Tile][Size]from)[0:Tile][0:Tile]) out(([Tile][Size]to)[0:Tile][0:Tile])
void moveLoose(const unsigned *from, unsigned *to);
void moveLoose(const unsigned *from, unsigned *to) { copyRows(Tile, Tile, from, Size, to, Size); }
#ifdef __HSCHED__
#pragma hsched implements(moveLoose) device(opencl)
void moveLooseThere(const unsigned *from, unsigned *to) { enqueue(Tile, Tile, from, Size, to, Size); }
#endif

int main(int argc, char **argv) {
  Matrix a(Size * Size), b(Size * Size), c(Size * Size);
  fill(a, b);
  if (argc > 1) {
    if (std::strcmp(argv[1], "figures") == 0) { // A row of tiles.
      for (int j = 0; j < Tiles; ++j)
        moveOnly(Tile, at(a, 3, j), at(c, 5, j), Size);
    } else { // All of them.
      for (int i = 0; i < Tiles; ++i)
        for (int j = 0; j < Tiles; ++j)
          moveOnly(Tile, at(a, i, j), at(c, Tiles - 1 - j, i), Size);
    }
#pragma hsched taskwait
    show("moved", c);
    showTraffic();
    return 0;
  }
  for (int round = 0; round < 20; ++round) {
    const int i = round % (Tiles - 1), j = round * 3 % (Tiles - 1);
    move(Tile, at(a, i, j), Size, at(c, j, i), Size);
    moveAlike(Tile, Tile, Tile, at(b, i, j), at(c, i, 7 - j), Size);
    moveAlike(Tile, Tile / 2, Tile, at(a, i + 1, j), at(c, 7 - i, j), Size); // Tiles of two widths.
    moveAlike(1, Tile, Tile, at(b, j, i), at(c, j, 7 - i), Size);            // A single row.
    movePart(c.data(), Size, i * 10, j * 7, 40, at(a, 2, 3) + round, Size);  // Across tiles.
    moveLoose(at(b, j, 2), at(a, i, 5));
    moveAlike(Tile, Tile, Tile, at(a, i, 5), at(b, j, 7), Size); // One lies there with the host's strides.
    transposed(reinterpret_cast<unsigned(*)[Size]>(b.data()), reinterpret_cast<unsigned(*)[Size]>(c.data()), 100 + round,
               20, 30, Size, Size, 1, 2.0);
    Board{a.data(), Size}.put(hsched::tile<unsigned>(at(b, 4, 4), Tile, Tile, Size), Size, at(a, 6, 6), Size, Tile);
    mix(Size, at(c, i, 0) + Size * round, static_cast<unsigned>(round)); // A row across all of them.
    mix(Size, at(b, 4, 0), static_cast<unsigned>(round));
    if (round % 5 == 4) {
#pragma hsched taskwait
    }
  }
#pragma hsched taskwait
  show("a", a);
  show("b", b);
  show("c", c);
}
