// A task that throws: its dependants are cancelled, others finish, the wait throws what was thrown.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <stdexcept>

#pragma hsched task inout([1]x)
void add(int by, int *x) {
  if (by < 0)
    throw std::invalid_argument("by is negative");
  *x += by;
}

#pragma hsched task in([1]x) inout([1]y)
void addTo(const int *x, int *y) { *y += *x; }

int main() {
  int a = 1, b = 10, c = 100;
  bool thrown = false;
  try {
    add(1, &a);    // A = 2.
    add(-1, &a);   // Throws.
    addTo(&a, &b); // Cancelled.
    addTo(&b, &b); // Cancelled.
    for (int i = 0; i < 10; ++i)
      add(5, &c); // Independent.
#pragma hsched taskwait
  } catch (const std::invalid_argument &error) {
    thrown = true;
    std::printf("caught: %s\n", error.what());
  }
  std::printf("a %d, b %d, c %d\n", a, b, c);
  if (!thrown || a != 2 || b != 10 || c != 150)
    return 1;

  // The error has been reported once; the same data can be used again.
  add(3, &a);
  addTo(&a, &b);
#pragma hsched taskwait
  std::printf("a %d, b %d\n", a, b);
  return a == 5 && b == 15 ? 0 : 1;
}
