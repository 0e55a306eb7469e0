// Sections inferred where rows go backwards, where numbers wrap around at 0, and where products are longer than an int.
// Two tasks are ordered if and only if they share an element. Prints what is read, as the serial program does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

// Rows, ld apart.
#pragma hsched task
void rows(int m, int n, int ld, long *a) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      a[i * ld + j] = 10 * i + j;
}
// Short rows with a stride of either sign.
#pragma hsched task
void pairs(int n, int inc, long *y) {
  for (int i = 0; i < n; ++i) {
    y[2 * i * inc] = i;
    y[2 * i * inc + 1] = -i;
  }
}
// More dimensions than a tile has; a distance that is a sum; elements that hold several.
#pragma hsched task
void cube(int m, int n, int k, int l1, int l2, long *a) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int q = 0; q < k; ++q)
        a[i * l1 + j * l2 + q] = 100 * i + 10 * j + q;
}
#pragma hsched task
void sums(int m, int n, int ld, long *a) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      a[i * (ld + 1) + j] = 10 * i + j;
}
#pragma hsched task
void inner(int m, int n, int ld, long (*a)[3]) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int q = 0; q < 3; ++q)
        a[i * ld + j][q] = 10 * i + j + q;
}
// Rows that are written out.
#pragma hsched task out(([m][ld]a)[0:m][0:n])
void written(int m, int n, int ld, long *a) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      a[i * ld + j] = 10 * i + j;
}
#pragma hsched task in([n]x) inout(*sum)
void look(int n, const long *x, long *sum) {
  for (int i = 0; i < n; ++i)
    *sum = *sum * 7 + x[i];
}

// Nothing where n is 0.
#pragma hsched task
void strided(unsigned n, unsigned inc, long *y) {
  for (unsigned i = 0; i < n; ++i)
    y[i * inc] = i;
}
#pragma hsched task
void tail(std::size_t n, long *y) {
  for (std::size_t i = 1; i < n; ++i)
    y[i] = 1;
}
#pragma hsched task
void grid(int m, int n, unsigned ld, unsigned plane, long *y) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < 2; ++k)
        y[i * plane + j * ld + k] = 1;
}
// 2^32 elements, none of which is touched.
#pragma hsched task
void product(int m, int n, bool really, long *y) {
  if (really)
    for (std::size_t i = 0; i < static_cast<std::size_t>(m) * static_cast<std::size_t>(n); ++i)
      y[i] = 1;
}
// With two negative numbers there are no rows and no elements, but the loop runs.
#pragma hsched task
void nest(int m, int n, long *y) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      y[i * n + j] = 1;
}
#pragma hsched task
void later(int m, int n, long *y) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      y[5 + i * n + j] = 1;
}
#pragma hsched task
void loop(int m, int n, long *y) {
  for (int i = 0; i < m * n; ++i)
    y[i] = i;
}
// Bounds that conditions choose, of numbers whose types do not mix, and of a product that is longer than an int.
#pragma hsched task
void chosen(int n, unsigned m, long *y) {
  for (long i = 0; i < std::max<long>(n, m); ++i)
    y[i] = i;
}
#pragma hsched task
void shorter(int n, unsigned m, long *y) {
  for (long i = 0; i < std::min<long>(n, m); ++i)
    y[i] = i;
}
#pragma hsched task
void longer(int n, int m, long *y) {
  const long k = static_cast<long>(n) * m;
  for (long i = 0; i < (k > 100 ? 2 : 0); ++i)
    y[i] = i;
}
// A column of rows of 4, and the first elements of them.
#pragma hsched task
void column(int n, int c, long (*a)[4]) {
  for (int i = 0; i < n; ++i)
    a[i][c] = i;
}
#pragma hsched task
void flat(int n, long (*a)[4]) {
  long *p = a[0];
  for (int i = 0; i < n; ++i)
    p[i] = i;
}

int main() {
  std::vector<long> a(100, -1);
  long sum = 0;
  // Each is read whole, and in the part that only the last rows lie in.
  rows(4, 3, -5, &a[20]);
  look(3, &a[5], &sum);
  pairs(4, -3, &a[40]);
  look(2, &a[22], &sum);
  cube(2, 2, 2, -10, 4, &a[60]);
  look(2, &a[50], &sum);
  sums(3, 2, -5, &a[70]);
  look(2, &a[62], &sum);
  inner(3, 1, -2, reinterpret_cast<long(*)[3]>(&a[92]));
  look(3, &a[80], &sum);
  written(2, 2, -2, &a[97]);
  look(2, &a[95], &sum);
#pragma hsched taskwait
  std::printf("%ld\n", sum);
  sum = 0;
  chosen(-1, 3, &a[0]);
  look(2, &a[1], &sum);
  longer(1 << 16, 1 << 16, &a[10]);
  look(1, &a[11], &sum);
  column(3, 2, reinterpret_cast<long(*)[4]>(&a[20]));
  look(1, &a[30], &sum);
  flat(7, reinterpret_cast<long(*)[4]>(&a[40]));
  look(2, &a[45], &sum);
#pragma hsched taskwait
  std::printf("%ld\n", sum);
  sum = 0;
  nest(3, 4, &a[10]);
  look(2, &a[21], &sum);
  loop(-3, -4, &a[10]);
  look(2, &a[20], &sum);
#pragma hsched taskwait
  std::printf("%ld\n", sum);
  // These share nothing with anyone.
  std::vector<long> b(100, 2);
  long other = 0;
  strided(0, 3, &b[10]);
  look(1, &b[20], &other);
  tail(0, &b[10]);
  look(1, &b[21], &other);
  grid(3, 0, 4, 10, &b[30]);
  look(1, &b[40], &other);
#pragma hsched taskwait
  later(-3, -4, &b[25]);
  look(1, &b[41], &other);
#pragma hsched taskwait
  shorter(-1, 3, &b[70]);
  look(1, &b[70], &other);
#pragma hsched taskwait
  product(1 << 16, 1 << 16, false, &b[50]);
  look(1, &b[60], &other);
#pragma hsched taskwait
  std::printf("%ld\n", other);
}
