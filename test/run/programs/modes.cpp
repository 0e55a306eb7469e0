// concurrent, commutative, reduction, if, final, cost: the serial program's results, whatever the settings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#pragma hsched task concurrent(sum)
void count(long by, long &sum) { __atomic_fetch_add(&sum, by, __ATOMIC_RELAXED); }

#pragma hsched task commutative(a, b)
void move(long by, long &a, long &b) {
  a -= by;
  b += by;
}

#pragma hsched task in(a) out(b) if(by > 2)
void copy(long by, const long &a, long &b) { b = a + by; }

#pragma hsched task out(r) final(n < 8) cost(n)
void fib(int n, long &r) {
  if (n < 2) {
    r = n;
    return;
  }
  long a, b;
  fib(n - 1, a);
  fib(n - 2, b);
#pragma hsched taskwait
  r = a + b;
}

// The same on statements and loops.
static void statements() {
  long a = 0, b = 0, c = 0, chunks = 0;
  unsigned all = ~0u, any = 0;
  int cells[64] = {};
  for (int i = 0; i < 200; ++i) {
#pragma hsched task commutative(a)
    a += i;
#pragma hsched task concurrent(b)
    __atomic_fetch_add(&b, i, __ATOMIC_RELAXED);
#pragma hsched task reduction(&: all) reduction(|: any)
    {
      all &= ~(1u << (i % 29));
      any |= 1u << (i % 7);
    }
  }
#pragma hsched taskloop grainsize(3) commutative(c) label("sum of a loop") if(sizeof(a) > 4) final(false) cost(777) priority(2)
  for (int i = 0; i < 400; ++i)
    c += i;
#pragma hsched taskloop grainsize(3) concurrent(b) final(true)
  for (int i = 0; i < 400; ++i)
    __atomic_fetch_add(&b, i, __ATOMIC_RELAXED);
#pragma hsched taskloop grainsize(4) inout(cells[i:1]) commutative(chunks) if(i > 20)
  for (int i = 0; i < 64; ++i) {
    cells[i] = i;
    chunks += i;
  }
#pragma hsched taskwait
  long sum = 0;
  for (int x : cells)
    sum += x;
  std::printf("%ld %ld %ld %x %x %ld %ld\n", a, b, c, all, any, sum, chunks);
}

int main() {
  statements();
  long sum = 0, a = 1000, b = 0, c = 7, d = 0;
  for (int round = 0; round < 5; ++round) {
    for (long i = 0; i < 40; ++i)
      count(i, sum);
    copy(round, sum, d);
    for (long i = 0; i < 40; ++i) {
      move(i, a, b);
      move(1, b, c);
      move(2, c, a);
    }
    copy(round + 10, d, c);
  }
  long f = 0;
  fib(20, f);
#pragma hsched taskwait
  std::printf("sum %ld a %ld b %ld c %ld d %ld fib %ld\n", sum, a, b, c, d, f);
}
