// Matrices of tiles, for packed.cpp and packed_bodies.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <hsched/hsched.h>
#include <vector>

constexpr int Size = 256, Tile = 32, Tiles = Size / Tile;
using Matrix = std::vector<unsigned>;

inline void show(const char *what, const Matrix &m) {
  unsigned long h = 14695981039346656037ul;
  for (unsigned x : m)
    h = (h ^ x) * 1099511628211ul;
  std::printf("%s %016lx\n", what, h);
}

inline void fill(Matrix &a, Matrix &b) {
  for (unsigned i = 0; i < Size * Size; ++i) {
    a[i] = i * 2654435761u;
    b[i] = i * i + 7;
  }
}

// The first element of a tile.
inline unsigned *at(Matrix &m, int i, int j) { return &m[static_cast<unsigned>(i * Tile * Size + j * Tile)]; }

inline void showTraffic() {
  for (const hsched::traffic &t : hsched::traffic_counters())
    std::printf("in %llu in %llu, out %llu in %llu\n", t.input_bytes, t.inputs, t.output_bytes, t.outputs);
}
