// A program that uses the engine without hsched-cc.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsched/engine.h>

#include <cstdio>

int main() {
  hsched::engine &engine = hsched::engine::process();
  double x = 1;
  for (int i = 0; i < 10; ++i)
    engine.submit(hsched::submission().inout(&x, 1), [&x] { x *= 2; });
  engine.wait();
  std::puts(x == 1024 ? "correct" : "WRONG");
  return x != 1024;
}
