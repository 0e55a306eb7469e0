// The conditions under which unsigned integers do not wrap around, and launches that may be larger.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo --json %s | FileCheck %s

// CHECK-LABEL: "name": "all"
// CHECK: "mayBeLarger": true
// CHECK-NEXT: "holdsWhere": []
kernel void all(global float *y) { y[get_global_id(0)] = 1; }

// CHECK-LABEL: "name": "below"
// CHECK: "holdsWhere": [
// CHECK: "n - 1"
kernel void below(global float *y, uint n) {
  uint i = get_global_id(0);
  if (i < n - 1)
    y[i] = 1;
}

// CHECK-LABEL: "name": "longer"
// CHECK: "holdsWhere": [
// CHECK: "n - 2"
kernel void longer(global float *y, uint n) {
  size_t i = get_global_id(0);
  if (i < (ulong)(n - 2) + 2)
    y[i] = 1;
}

// The condition before it makes sure of it.
// CHECK-LABEL: "name": "behind"
// CHECK: "holdsWhere": [
// CHECK-NOT: "get_global_size(0) - 1"
// CHECK-NOT: "-1"
// CHECK: ]
kernel void behind(global float *y, global const float *x, int n) {
  size_t i = get_global_id(0);
  if (i > 0 && i < n)
    y[i] = x[i - 1];
}

// A negative n is a large number.
// CHECK-LABEL: "name": "of_int"
// CHECK: "holdsWhere": [
// CHECK: "n"
kernel void of_int(global float *y, int n) {
  size_t i = get_global_id(0);
  if (i < n)
    y[i] = 1;
}

// CHECK-LABEL: "name": "beside"
// CHECK: "mayBeLarger": false
kernel void beside(global float *y, int n) {
  int i = get_global_id(0);
  if (i < n)
    y[i + get_global_size(0)] = 1;
}

// An integer in memory that cancels out.
// CHECK-LABEL: "name": "cancels"
// CHECK: "holdsWhere": [
// CHECK: "(*x) - 1"
// CHECK-LABEL: "name": "hash"
kernel void cancels(global float *y, global const uint *x) {
  uint v = x[0];
  if (v - 1 < v)
    y[get_global_id(0)] = 1;
}

// What only computes needs no condition.
// CHECK: "holdsWhere": []
kernel void hash(global uint *y) { y[get_global_id(0)] = 2654435761u * (uint)(get_global_id(0) + 1); }

// CHECK-LABEL: "name": "bounded"
// CHECK: "holdsWhere": [
// CHECK: "n - 1"
kernel void bounded(global float *y, uint n) {
  for (uint k = 0; k < n - 1; ++k)
    y[k] = 1;
}

// Subscripts are as long as addresses.
// CHECK-LABEL: "name": "in_front"
// CHECK-NOT: "holdsWhere"
// CHECK-LABEL: "name": "product"
kernel void in_front(global float *y) {
  uint i = get_global_id(0);
  y[i - 1] = 1;
}

// CHECK: "holdsWhere": [
// CHECK: "n + 4294967295 - n * n"
kernel void product(global float *y, uint n) {
  uint i = get_global_id(0);
  if (i < n)
    y[i * n] = 1;
}

// CHECK-LABEL: "name": "moved"
// CHECK: "holdsWhere": [
// CHECK: "-n"
kernel void moved(global float *y, uint n) {
  uint i = get_global_id(0);
  global float *p = y + (i - n);
  if (i < n)
    p[n] = 1;
}

// A shift of an unknown number. The quotient of a division by 1 is known.
// CHECK-LABEL: "name": "halves"
// CHECK: "holdsWhere": []
kernel void halves(global float *y, ulong n) {
  float s = 0;
  for (; n; n >>= 1)
    s += n & 1;
  y[get_global_id(0)] = s;
}

// CHECK-LABEL: "name": "cancelled"
// CHECK-NOT: "holdsWhere"
// CHECK-LABEL: "name": "end"
kernel void cancelled(global float *y, ulong n) {
  for (; n; n >>= 1)
    if (n + 5 > n)
      y[get_global_id(0)] = 1;
}
kernel void end(void) {}

// The condition holds for 0, where i - 1 is the greatest number. Roles hold for all launches.
// CHECK-LABEL: "name": "before"
// CHECK: "role": "inout"
kernel void before(global int *y) {
  uint i = get_global_id(0);
  if (i - 1 > i)
    y[i] = 1;
}

// CHECK-LABEL: "name": "none"
// CHECK: "role": "inout"
kernel void none(global int *y, uint n) {
  for (uint k = n - 1; k < n - 4; ++k)
    y[k] = 1;
}

// The factors of mul24 and mad24 have 24 bits.
// CHECK-LABEL: "name": "factors"
// CHECK: "holdsWhere": [
// CHECK-DAG: "8388607 - w"
// CHECK-DAG: "8388608 - get_global_size(1)"
// CHECK: ]
kernel void factors(global float *y, int w) {
  int x = get_global_id(0), r = get_global_id(1);
  if (x < w)
    y[mad24(r, w, x)] = 1;
}

// CHECK-LABEL: "name": "unknown_factor"
// CHECK-NOT: "holdsWhere"
// CHECK-LABEL: "name": "least"
kernel void unknown_factor(global float *y, uint w) {
  for (; w; w >>= 1)
    y[get_global_id(0) + mul24(w, 2u) - 2 * w] = 1;
}

// It is not known which of the two is less.
// CHECK: "holdsWhere": [
// CHECK: "n + 2147483648"
kernel void least(global float *y, global const float *x, int n) {
  y[get_global_id(0)] = x[min((int)get_global_id(0), n)];
}
