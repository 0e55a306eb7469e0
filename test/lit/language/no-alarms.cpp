// Clauses of published C programs that are right: no warning.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-c -x c -std=gnu17 -fopenmp -c %s -o %t.o 2>&1 | count 0
// RUN: %hsched-cc -c %s -o %t.o 2>&1 | count 0
// RUN: not %hsched-c -x c -std=gnu17 -DWRONG -Werror=hsched -c %s -o %t.o 2>&1 | FileCheck %s
// Members of C's structs: J points into J_buf, and the clause names a part of the struct.
typedef struct {
  float *J_buf, *J;
  int n, gc[2][2];
} Grid;
void setUp(Grid *g) { g->J = g->J_buf + g->gc[0][0] + 1; }
#pragma hsched task inout(g->J_buf[0; g->n])
void smooth(Grid *g) {
  for (int i = 0; i < g->n - 1; ++i)
    g->J[i] += 1;
}
// A function that calls itself hands its input to one whose body is elsewhere: a guess contradicts no clause.
void leaf(float *to, float *from, int n);
static void halves(float *to, float *from, int n) {
  if (n < 8) {
    leaf(to, from, n);
#ifdef WRONG
    from[0] = 0;
#endif
    return;
  }
  // CHECK: no-alarms.cpp:[[@LINE+1]]:{{.*}} writes 'from', which its clause says is 'in'
#pragma hsched task in(*from) inout(*to)
  halves(to, from, n / 2);
#pragma hsched taskwait
}
void top(float *to, float *from, int n) { halves(to, from, n); }
// Each task inside has its own variables, so the threads of the loop around share none.
void use(int, int);
void count(int n, const int *a) {
  int len, i;
#pragma hsched for
  for (int k = 0; k < n; ++k) {
#ifdef WRONG
    // CHECK: no-alarms.cpp:[[@LINE+1]]:{{.*}} every iteration changes 'len'
    len = a[k];
    use(len, 0);
#endif
#pragma hsched task private(len, i)
    {
      for (i = 0, len = 0; i < n; i++)
        if (a[i])
          len++;
      use(k, len);
    }
  }
}

// For n = 1, where n * n - 1 numbers are none, n / 2 is 0.
#pragma hsched task in(x[-1:n * n])
void half(const int *x, int n) {
  int sum = 0;
  for (int i = n; i > 0; i--)
    for (int j = i; j >= n; j--)
      for (int k = 0; k < n / 2; ++k)
        sum += x[k];
  (void)sum;
}

#ifdef __cplusplus
// The number that is assigned to 'length' is no pointer to 'letters', so that the task does not write them.
extern "C" unsigned long strlen(const char *);
static char letters[] = "abc";
#pragma hsched task
void measure(unsigned long &length) { length = strlen(letters); }
#endif
