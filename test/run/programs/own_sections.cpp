// Versions with sections of their own: whole rows where the task names a block, and more of a table than the task.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: own_sections [figures]
#include <hsched/hsched.h>

#include <cstdio>
#include <cstring>
#include <vector>

enum { rows = 32, width = 64 };

// The first n columns. The version for devices copies whole rows: contiguous memory takes one transfer.
#pragma hsched task in([n]factor) inout(([m][ld]a)[0:m][0:n])
void scale(int m, int n, int ld, const int *factor, int *a) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      a[i * ld + j] *= factor[j];
}
#pragma hsched implements(scale) device(opencl) kernel("own_sections.cl") ndrange(k, rows) in(by[0:k]) inout([rows * w]x)
void scale_rows(int rows, int k, int w, const int *by, int *x);

// A version for the CPU that rewrites whole rows, those of other tasks too, with what they hold.
#pragma hsched implements(scale) inout([m * ld]a)
void scale_whole(int m, int n, int ld, const int *factor, int *a) {
  std::vector<int> row(static_cast<size_t>(ld));
  for (int i = 0; i < m; ++i) {
    std::memcpy(row.data(), a + i * ld, row.size() * sizeof(int));
    for (int j = 0; j < n; ++j)
      row[static_cast<size_t>(j)] *= factor[j];
    std::memcpy(a + i * ld, row.data(), row.size() * sizeof(int));
  }
}

// The other columns.
#pragma hsched task inout(([m][ld]a)[0:m][from:ld - from])
void shift(int m, int from, int ld, int by, int *a) {
  for (int i = 0; i < m; ++i)
    for (int j = from; j < ld; ++j)
      a[i * ld + j] += by;
}

int main(int argc, char **) {
  std::vector<int> a(rows * width), factor(width, 3);
  for (int i = 0; i < rows * width; ++i)
    a[static_cast<size_t>(i)] = i;
  const int n = 16, steps = argc > 1 ? 1 : 8;
  for (int step = 0; step < steps; ++step) {
    scale(rows, n, width, factor.data(), a.data());
    shift(rows, n, width, step, a.data());
  }
#pragma hsched taskwait
  unsigned sum = 0;
  for (int v : a)
    sum = sum * 31 + static_cast<unsigned>(v);
  std::printf("%08x\n", sum);
  if (argc > 1) {
    unsigned long long in = 0, out = 0;
    for (const hsched::traffic &t : hsched::traffic_counters()) {
      in += t.input_bytes;
      out += t.output_bytes;
    }
    std::printf("in %llu, out %llu\n", in, out);
  }
}
