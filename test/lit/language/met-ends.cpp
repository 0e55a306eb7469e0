// A loop that ends at i == n goes on beyond n if n is below its start, until another exit ends it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc --hsched-explain -fsyntax-only %s 2>&1 | FileCheck %s

// Without another exit the program is wrong where n is negative.
// CHECK-NOT: task 'whole': the section
// CHECK: task 'whole': out([n]x) is inferred
#pragma hsched task
void whole(int *x, int n) {
  for (int i = 0; i != n; ++i)
    x[i] = 1;
}

// CHECK: task 'until': the section that is inferred for 'x' holds all of it only where n >= 0
// CHECK: task 'until': the section that is inferred for 'd' holds all of it only where n >= 0
// CHECK: task 'until': inout([n]x) is inferred
// CHECK: task 'until': in([n]d) is inferred
#pragma hsched task
void until(int *x, const int *d, int n) {
  for (int i = 0; i != n; ++i) {
    if (d[i])
      break;
    x[i] = 1;
  }
}

// CHECK: task 'both': the section that is inferred for 'x' holds all of it only where n >= 0
// CHECK: task 'both': inout([(n > 1 ? n : 1)]x) is inferred
#pragma hsched task
void both(int *x, int n) {
  for (int i = 0; i != n && x[i]; ++i)
    x[i] = 1;
}

// CHECK: task 'pointers': the section that is inferred for 'x' holds all of it only where n - m >= 0
// CHECK: task 'pointers': inout(x[m:n - m]) is inferred
#pragma hsched task
void pointers(int *x, int m, int n) {
  for (int *p = x + m; p != x + n; ++p) {
    if (*p == 3)
      return;
    *p = 1;
  }
}

// What is known to be above the start needs no assumption.
// CHECK-NOT: task '{{.*}}': the section that
// CHECK: task 'known': inout([n]x) is inferred
#pragma hsched task
void known(int *x, unsigned n) {
  for (unsigned i = 0; i != n; ++i) {
    if (x[i])
      break;
    x[i] = 1;
  }
}

// CHECK: task 'tested': inout(x[m:n - m]) is inferred
#pragma hsched task
void tested(int *x, int m, int n) {
  if (m < n)
    for (int i = m; i != n; ++i) {
      if (x[i])
        break;
      x[i] = 1;
    }
}

// CHECK: task 'triangle': inout([n]x) is inferred
#pragma hsched task
void triangle(int *x, int n) {
  for (int j = 0; j < n; ++j)
    for (int i = j; i != n; ++i) {
      if (x[i])
        break;
      x[i] = 1;
    }
}

// Passing n by: the step, the start, or an argument leads there.
// CHECK: error: the extent of 'x' cannot be inferred: it is not known where the loop ends that changes 'i'
#pragma hsched task
void over(int *x, int n) {
  for (int i = 0; i != n; i += 2) {
    if (x[i])
      break;
    x[i] = 1;
  }
}

// CHECK: error: the extent of 'x' cannot be inferred: it is not known whether the loop around subscript 'i' meets its end
#pragma hsched task
void unordered(int *x, int n, int m) {
  for (int j = 0; j < n; ++j)
    for (int i = j; i != m; ++i) {
      if (x[i])
        break;
      x[i] = 1;
    }
}

static int find(const int *d, int n) {
  for (int i = 0; i != n; ++i)
    if (d[i] == 3)
      return i;
  return -1;
}

// CHECK: error: the extent of 'd' cannot be inferred: it is not known where the loop ends that changes 'i'
#pragma hsched task
void unlimited(int *x, const int *d) {
  *x = find(d, -1);
}

// A step of unknown sign may lead away from the end.
// CHECK: error: the extent of 'x' cannot be inferred: it is not known where the loop ends that changes 'i'
#pragma hsched task
void away(int *x, const int *d, int n, int s) {
  for (int i = 0; i < n; i += s) {
    if (*d == 3)
      return;
    x[i] = 1;
  }
}

// CHECK: error: the extent of 'x' cannot be inferred
#pragma hsched task
void last(int *x, const int *d, int n, int s) {
  int i = 0;
  do {
    if (*d == 3)
      return;
    x[i] = 1;
    i += s;
  } while (i < n);
}

// From an unknown element to a known end.
// CHECK: error: the extent of 'x' cannot be inferred: 'i' changes in a way that is not affine
#pragma hsched task
void rest(int *x, int n) {
  for (int i = 1; i < n; i *= 3)
    __builtin_memset(x + i, 0, (n - i) * sizeof(int));
}

// A recursive function's ranges rest on no assumption.
// CHECK: error: the extent of 'd' cannot be inferred
#pragma hsched task
void halves(int *x, const int *d, int n) {
  if (n < 2) {
    *x += find(d, n);
    return;
  }
  halves(x, d, n / 2);
  halves(x, d + n / 2, n - n / 2);
}

// The counter's last value rests on the same assumption.
// CHECK: task 'behind': the section that is inferred for 'x' holds all of it only where n >= 0
// CHECK: task 'behind': inout([n]x) is inferred
#pragma hsched task in([64]d)
void behind(int *x, const int *d, int n) {
  int i;
  for (i = 0; i != n; ++i)
    if (d[i])
      break;
  for (int j = 0; j < i; ++j)
    x[j] = 1;
}

// What contradicts the code around is no assumption.
// CHECK: error: the extent of 'x' cannot be inferred: it is not known whether the loop around subscript 'i' meets its end
#pragma hsched task in([64]d)
void beyond(int *x, const int *d, int n) {
  if (n < 0) {
    for (int i = 0; i != n; ++i) {
      if (d[i])
        return;
      x[i] = 1;
    }
  }
}

// Numbers that wrap come back to the end.
// CHECK: task 'narrow': the section that is inferred for 'x' holds all of it only where n - a >= 0
// CHECK: task 'narrow': inout(x[a:n - a]) is inferred
#pragma hsched task
void narrow(int *x, unsigned char a, unsigned char n) {
  for (unsigned char i = a; i != n; ++i)
    x[i] = 1;
}

// CHECK: task 'shorts': the section that is inferred for 'x' holds all of it only where n >= 0
#pragma hsched task
void shorts(int *x, short n) {
  for (short i = 0; i != n; ++i)
    x[i] = 1;
}

// CHECK: task 'once': the section that is inferred for 'x' holds all of it only where n - 1 >= 0
#pragma hsched task
void once(int *x, unsigned n) {
  unsigned i = 0;
  do
    x[i] = 1;
  while (++i != n);
}

// CHECK: error: the extent of 'x' cannot be inferred
#pragma hsched task
void thirds(int *x, unsigned char n) {
  for (unsigned char i = 0; i != n; i += 3)
    x[i] = 1;
}

// From 0, down to 0, and numbers of 64 bits.
// CHECK-NOT: the section that
// CHECK: task 'common': out([n]x) is inferred
#pragma hsched task
void common(int *x, unsigned n) {
  for (unsigned i = 0; i != n; ++i)
    x[i] = 1;
}

// CHECK-NOT: the section that
// CHECK: task 'down': out([n]x) is inferred
#pragma hsched task
void down(int *x, unsigned n) {
  while (n != 0)
    x[--n] = 1;
}

// CHECK-NOT: the section that
// CHECK: task 'wide': out(x[a:n - a]) is inferred
#pragma hsched task
void wide(int *x, unsigned long a, unsigned long n) {
  for (unsigned long i = a; i != n; ++i)
    x[i] = 1;
}

// An exception that is caught ends the loop.
void opaque(int) noexcept(false);
// CHECK: task 'caught': the section that is inferred for 'x' holds all of it only where n >= 0
#pragma hsched task
void caught(int *x, int n) {
  try {
    for (int i = 0; i != n; ++i) {
      opaque(i);
      x[i] = 1;
    }
  } catch (...) {
  }
}

// CHECK-NOT: task 'uncaught': the section
// CHECK: task 'uncaught': {{.*}}x{{.*}} is inferred
#pragma hsched task
void uncaught(int *x, int n) {
  try {
    for (int i = 0; i != n; ++i)
      x[i] = 1;
    opaque(n);
  } catch (...) {
  }
}

// What is the same in each iteration does not rest on where the loop ends.
// CHECK-NOT: task 'same': the section that is inferred for 'found'
// CHECK: task 'same': inout(*found) is inferred
#pragma hsched task in([m + 1]row)
void same(int *found, const int *row, int m, int lo) {
  for (int j = 0; j < m; ++j)
    for (int i = lo; i != j; ++i) {
      if (*found)
        break;
      ++*found;
    }
}

// CHECK-NOT: task 'outer': the section that
// CHECK: task 'outer': inout([m]x) is inferred
#pragma hsched task
void outer(int *x, int m, int lo) {
  for (int j = 0; j < m; ++j)
    for (int i = lo; i != j; ++i) {
      if (x[j])
        break;
      ++x[j];
    }
}

// It may run where n < 0, so that x[0] is read first.
// CHECK: task 'read': inout(*x) is inferred
#pragma hsched task
void read(int *x, int *y, int n) {
  if (n > 0)
    *x = 1;
  for (int i = 0; i != n; ++i) {
    *y += *x;
    if (*y > 7)
      break;
  }
}
