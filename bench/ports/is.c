/* Ranks of integer keys, by a histogram for each thread: the structure of NPB's IS with OpenMP.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_KEY 2048

static int num_keys, *key_array, *key_buff2;
static int *bucket_ptrs[256];
static int key_buff1[MAX_KEY];

static void create_seq(void) {
  unsigned seed = 314159;
  for (int i = 0; i < num_keys; ++i) {
    unsigned sum = 0;
    for (int k = 0; k < 4; ++k) {
      seed = seed * 1664525u + 1013904223u;
      sum += seed >> 21;
    }
    key_array[i] = (int)(sum / 4);
  }
}

static void rank(int iteration) {
  int i, k;
  key_array[iteration] = iteration;
  key_array[iteration + 10] = MAX_KEY - iteration - 1;

#pragma omp parallel private(i, k)
  {
    int myid = omp_get_thread_num(), num_procs = omp_get_num_threads();
    int *work_buff = bucket_ptrs[myid];
    for (i = 0; i < MAX_KEY; ++i)
      work_buff[i] = 0;
#pragma omp for
    for (i = 0; i < num_keys; ++i) {
      key_buff2[i] = key_array[i];
      ++work_buff[key_buff2[i]];
    }
#pragma omp for
    for (i = 0; i < MAX_KEY; ++i) {
      key_buff1[i] = 0;
      for (k = 0; k < num_procs; ++k)
        key_buff1[i] += bucket_ptrs[k][i];
    }
  }
  for (i = 1; i < MAX_KEY; ++i)
    key_buff1[i] += key_buff1[i - 1];
}

int main(int argc, char **argv) {
  unsigned long check = 0;
  int i, errors = 0;
  num_keys = argc > 1 ? atoi(argv[1]) : 1 << 20;
  key_array = malloc(num_keys * sizeof(int));
  key_buff2 = malloc(num_keys * sizeof(int));
  for (i = 0; i < 256; ++i)
    bucket_ptrs[i] = malloc(MAX_KEY * sizeof(int));
  create_seq();
  for (i = 1; i <= 10; ++i)
    rank(i);
  for (i = num_keys - 1; i >= 0; --i)
    key_array[--key_buff1[key_buff2[i]]] = key_buff2[i];
#pragma omp parallel for reduction(+ : errors)
  for (i = 1; i < num_keys; ++i)
    if (key_array[i - 1] > key_array[i])
      ++errors;
  for (i = 0; i < num_keys; ++i)
    check = check * 31 + (unsigned)key_array[i];
  printf("errors %d check %lu\n", errors, check);
  return 0;
}
