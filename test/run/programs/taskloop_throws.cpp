// Iterations of a taskloop that throw. The wait throws the exception of one of them. All chunks run that do not depend
// on the chunk of this iteration. No copy of a variable is left.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>

static std::atomic<int> alive{0};
struct Counted {
  Counted() { ++alive; }
  Counted(const Counted &) { ++alive; }
  ~Counted() { --alive; }
};

// Throws in iteration `where` of `n`, in chunks of `grain`; how many iterations were run.
static int loop(int n, int grain, int where, int (&x)[64]) {
  static std::atomic<int> run;
  run = 0;
  Counted copied;
  for (int &v : x)
    v = 0;
  bool thrown = false;
  try {
#pragma hsched taskloop grainsize(grain) inout(x[i:1])
    for (int i = 0; i < n; ++i) {
      Counted local = copied;
      if (i == where)
        throw std::out_of_range("iteration " + std::to_string(i));
      x[i] = i + 1;
      ++run;
    }
    // Reads what the loop writes: cancelled where that chunk threw.
#pragma hsched taskloop grainsize(grain) inout(x[i:1])
    for (int i = 0; i < n; ++i)
      x[i] += 100;
#pragma hsched taskwait
  } catch (const std::out_of_range &e) {
    thrown = e.what() == "iteration " + std::to_string(where);
  }
  bool right = thrown == (where < n);
  for (int i = 0; i < n; ++i) {
    const bool hit = where < n && i / grain == where / grain;
    right &= x[i] == (hit ? (i < where ? i + 1 : 0) : i + 101);
  }
  std::printf("%d of %d in chunks of %d, %d throws: %s\n", run.load(), n, grain, where, right ? "right" : "wrong");
  return right ? run.load() : -1;
}

int main() {
  int x[64];
  bool right = loop(64, 8, 64, x) == 64; // None throws.
  right &= loop(64, 8, 0, x) == 56;      // The first of a chunk.
  right &= loop(64, 8, 12, x) == 60;     // In the middle of one.
  right &= loop(64, 64, 63, x) == 63;    // The last of the only one.
  right &= loop(10, 3, 9, x) == 9;       // In the rest.
  // No task throws any more, and nothing is left.
#pragma hsched taskwait
  std::printf("%d objects are left\n", alive.load());
  return right && alive == 0 ? 0 : 1;
}
