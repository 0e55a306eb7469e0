// Runs dag.json, whose result is compared with four.npy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsched/dag.h>

#include <cstdio>
#include <cstring>

int main() try {
  hsched::dag::settings how;
  how.devices = {{"gpu", "any"}};
  hsched::dag::graph graph("dag.json", how);
  std::printf("%s\n", graph.run().seconds.size() == 1 ? "correct" : "wrong");
} catch (const hsched::dag::error &error) {
  std::printf("%s: %s\n", std::strstr(error.what(), "no OpenCL device") ? "correct" : "wrong", error.what());
}
