/* A program in C: a function, a statement and a loop. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception.
 * */
#include <stdio.h>

#pragma hsched task
static void fill(int n, int *restrict x) {
  for (int i = 0; i < n; ++i)
    x[i] = i - 1;
}

int main(void) {
  int x[1000], sum = 0;
  fill(1000, x);
#pragma hsched task inout(x)
  for (int i = 0; i < 1000; ++i)
    ++x[i];
#pragma hsched taskwait
#pragma hsched for reduction(+ : sum)
  for (int i = 0; i < 1000; ++i)
    sum += x[i];
  printf("sum %d\n", sum);
  return 0;
}
