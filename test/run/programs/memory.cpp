// Sections larger than the device's memory: another version runs, or the wait names task, device and bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: memory both|kernel
#include <hsched/hsched.h>

#include <cstdio>
#include <cstring>
#include <vector>

#pragma hsched task inout([n]x)
void twice(int n, int *x) {
  for (int i = 0; i < n; ++i)
    x[i] *= 2;
}

#pragma hsched implements(twice) device(opencl) kernel("memory.cl", "twice") ndrange(n; 64)
void twice_cl(int n, int *x);

#ifdef __HSCHED__
#pragma hsched task device(opencl) kernel("memory.cl", "twice") ndrange(n; 64) inout([n]x)
void twiceOnDevice(int n, int *x);
#else
static void twiceOnDevice(int n, int *x) { twice(n, x); }
#endif

int main(int argc, char **argv) {
  const bool kernelOnly = argc > 1 && std::strcmp(argv[1], "kernel") == 0;
  std::vector<int> x(1 << 20, 1); // 4 MiB.
  for (int r = 0; r < 10; ++r)
    kernelOnly ? twiceOnDevice(1 << 20, x.data()) : twice(1 << 20, x.data());
  try {
#pragma hsched taskwait
  } catch (const hsched::task_error &error) {
    std::printf("%s\n", error.what());
    return 3;
  }
  for (int v : x)
    if (v != 1 << 10)
      return 1;
  std::puts("correct");
  return 0;
}
