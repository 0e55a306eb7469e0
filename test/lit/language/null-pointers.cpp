// A section of a null pointer names nothing: its task is submitted, checked and run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++11 -O1 -Wall -Wextra -Werror %s -o %t && env HSCHED_OPENCL=0 %t
// RUN: env HSCHED_OPENCL=0 HSCHED_CHECK=1 %t
// RUN: %hsched-cc -O1 -g --hsched-check %s -o %t.checked && env HSCHED_OPENCL=0 %t.checked
// RUN: %hsched-c -x c -std=c11 -O1 -Wall -Wextra -Werror %s -o %t.c && env HSCHED_OPENCL=0 HSCHED_CHECK=1 %t.c
#include <stddef.h>
#ifdef __cplusplus
#include <vector>
#pragma hsched task
void resized(const std::vector<int> *v, int *y) {
  if (v)
    *y += int(v->size());
}
#endif

typedef struct {
  int a[4], b[4];
} pair;

#pragma hsched task
void from_first(int n, const int *x, int *y) {
  if (!x)
    return;
  for (int i = 0; i < n; ++i)
    y[i] += x[i];
}
#pragma hsched task
void from(int low, int n, const int *x, int *y) {
  if (x)
    for (int i = low; i < low + n; ++i)
      y[i - low] += x[i];
}
#pragma hsched task
void one(const int *x, int *y) {
  if (x)
    *y += *x;
}
#pragma hsched task in(p->b)inout(*y)
void member(const pair *p, int *y) {
  if (p)
    *y += p->b[1];
}
#pragma hsched task
void rows(int m, int n, int ld, const int *x, int *y) {
  if (x)
    for (int i = 0; i < m; ++i)
      for (int k = 0; k < n; ++k)
        y[i] += x[i * ld + k];
}
#pragma hsched task inout(x[5 : m][0 : 3])
void columns(int m, int (*x)[4000]) {
  if (x)
    for (int i = 5; i < m + 5; ++i)
      for (int k = 0; k < 3; ++k)
        x[i][k] = 1;
}

int main(void) {
  int y[4] = {1, 2, 3, 4}, n = 4, *x = NULL;
  from_first(n, NULL, y);
  from(100000, n, NULL, y);
  one(NULL, y);
  member(NULL, y);
  rows(3, n, 10000, NULL, y);
  columns(3, NULL);
#ifdef __cplusplus
  resized(NULL, y);
#endif
#pragma hsched task
  if (x)
    for (int i = 0; i < n; ++i)
      x[i] = 0;
#pragma hsched taskloop grainsize(2)
  for (int i = 0; i < n; ++i)
    if (x)
      x[i * 10000] = 0;
#pragma hsched taskwait
  return y[0] != 1 || y[3] != 4;
}
