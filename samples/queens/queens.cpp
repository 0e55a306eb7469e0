// Counts the ways to place n queens so that none attacks another: a tree of tasks on statements. Rows above --depth are
// tasks, the boards below are counted in place.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: queens [--size n] [--depth rows] [--out board.png]
#include "../common/Timer.h"
#include "Board.h"

using queens::Attacked;

// Each free square of the row is a task. It runs in place if the rest is short; its own submissions are then plain
// calls.
static void place(int n, int row, int depth, Attacked at, std::atomic<long> &ways, std::atomic<long> &ended) {
  const unsigned free = ~at.all() & ((1u << n) - 1);
  if (!free)
    ended.fetch_add(row < depth, std::memory_order_relaxed);
  long here = 0;
#pragma hsched taskgroup
  for (unsigned left = free; left; left &= left - 1) {
    const unsigned queen = left & -left;
    // The sums are atomic, so no order is needed: `ways` is updated here, `ended` is only passed on.
#pragma hsched task firstprivate(at, queen) private(here) shared(ways) unused(ended) if(row < depth) final(row + 1 >= depth)
    if (row + 1 < depth) {
      place(n, row + 1, depth, at.below(queen), ways, ended);
    } else {
      here = queens::count(n, row + 1, at.below(queen));
      ways.fetch_add(here, std::memory_order_relaxed);
    }
  }
}

int main(int argc, char **argv) {
  const queens::Setup s(argc, argv);
  if (!s.good)
    return 2;
  std::atomic<long> ways{0}, ended{0};
  samples::Timer timer;
  place(s.n, 0, s.depth, {}, ways, ended);
  timer.stop();
  return queens::report(s, ways, ended);
}
