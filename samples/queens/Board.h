// Queens on a board that do not attack each other, for all programs of this sample.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_QUEENS_BOARD_H
#define HSCHED_SAMPLES_QUEENS_BOARD_H

#include "../common/Options.h"
#include "../common/Png.h"

#include <atomic>
#include <cstdio>
#include <vector>

namespace queens {

// The squares that the queens above a row attack in it: a bit for each column.
struct Attacked {
  unsigned columns = 0, left = 0, right = 0;
  unsigned all() const { return columns | left | right; }
  Attacked below(unsigned queen) const {
    return {columns | queen, (left | queen) << 1, (right | queen) >> 1};
  }
};

// The number of ways to fill the rows from `row` on.
inline long count(int n, int row, Attacked at) {
  if (row == n)
    return 1;
  long ways = 0;
  for (unsigned free = ~at.all() & ((1u << n) - 1); free; free &= free - 1)
    ways += count(n, row + 1, at.below(free & -free));
  return ways;
}

// The positions of the queens in the lexicographically first solution. The queen of row 0 is in `first`.
inline bool solve(int n, int row, Attacked at, std::vector<int> &columns) {
  if (row == n)
    return true;
  for (int c = 0; c < n; ++c)
    if (!(at.all() >> c & 1)) {
      columns[row] = c;
      if (solve(n, row + 1, at.below(1u << c), columns))
        return true;
    }
  return false;
}

struct Setup {
  int n, depth;
  std::string out;
  bool good;

  Setup(int argc, char **argv) {
    samples::Options options(argc, argv, {"size", "depth", "out"});
    n = options.number("size", 13);
    depth = options.number("depth", 4);
    out = options.text("out", "");
    if (n > 16)
      options.complain("--size is 16 at most");
    good = options.ok();
  }
};

inline int report(const Setup &s, long ways, long boards) {
  static const long known[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
  if (!s.out.empty()) {
    std::vector<int> columns(s.n);
    if (solve(s.n, 0, {}, columns)) {
      const int side = 20;
      std::vector<unsigned char> picture(std::size_t(s.n) * side * s.n * side);
      for (int y = 0; y < s.n * side; ++y)
        for (int x = 0; x < s.n * side; ++x) {
          const int row = y / side, dx = 2 * (x % side) - side + 1, dy = 2 * (y % side) - side + 1;
          const bool queen = columns[row] == x / side && dx * dx + dy * dy < side * side / 2;
          picture[std::size_t(y) * s.n * side + x] = queen ? 20 : (row + x / side) % 2 ? 170 : 235;
        }
      if (!samples::Png::write(s.out, s.n * side, s.n * side, picture))
        std::fprintf(stderr, "queens: cannot write '%s'\n", s.out.c_str());
    }
  }
  const bool good = ways == known[s.n];
  std::printf("queens: %d queens in %ld ways, %ld boards that end before row %d: %s\n", s.n, ways, boards, s.depth,
              good ? "correct" : "WRONG");
  return good ? 0 : 1;
}

} // namespace queens
#endif
