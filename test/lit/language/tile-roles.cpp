// Roles of hsched::tile parameters: what the body does with all of a tile's elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 --hsched-explain -I %include -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <hsched/hsched.h>

#include <algorithm>
#include <cstring>

using hsched::tile;

// CHECK: task 'copy': in(a) is inferred
// CHECK: task 'copy': out(b) is inferred
#pragma hsched task
void copy(tile<const double> a, tile<double> b) {
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t j = 0; j < b.columns(); ++j)
      b(i, j) = a(i, j);
}
// CHECK: task 'brackets': in(a) is inferred
// CHECK: task 'brackets': out(b) is inferred
#pragma hsched task
void brackets(tile<double> a, tile<double> b) {
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t j = 0; j < b.columns(); ++j)
      b[i][j] = a[i][j];
}
// CHECK: task 'rows': out(b) is inferred
#pragma hsched task
void rows(tile<float> b, float v) {
  for (std::size_t i = 0; i < b.rows(); ++i) {
    float *row = b[i];
    for (std::size_t j = 0; j < b.columns(); ++j)
      row[j] = v;
  }
}
// CHECK: task 'data': out(b) is inferred
#pragma hsched task
void data(tile<float> b, float v) {
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t j = 0; j < b.columns(); ++j)
      b.data()[i * b.stride() + j] = v;
}
// CHECK: task 'filled': out(b) is inferred
#pragma hsched task
void filled(tile<double> b) {
  for (std::size_t i = 0; i < b.rows(); ++i)
    std::fill(b[i], b[i] + b.columns(), 0.0);
}
// CHECK: task 'cleared': out(b) is inferred
#pragma hsched task
void cleared(tile<double> b) {
  for (std::size_t i = 0; i < b.rows(); ++i)
    std::memset(b[i], 0, b.columns() * sizeof(double));
}
// CHECK: task 'multiply': in(a) is inferred
// CHECK: task 'multiply': in(b) is inferred
// CHECK: task 'multiply': out(c) is inferred
#pragma hsched task
void multiply(tile<const double> a, tile<const double> b, tile<double> c) {
  for (std::size_t i = 0; i < c.rows(); ++i)
    for (std::size_t j = 0; j < c.columns(); ++j) {
      double s = 0;
      for (std::size_t k = 0; k < a.columns(); ++k)
        s += a(i, k) * b(k, j);
      c(i, j) = s;
    }
}
// CHECK: task 'reference': out(b) is inferred
#pragma hsched task
void reference(tile<double> &b) {
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t j = 0; j < b.columns(); ++j)
      b(i, j) = 1;
}
// CHECK: task 'declared': out(b) is as written
#pragma hsched task out(b)
void declared(const tile<double> &b) {
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t j = 0; j < b.columns(); ++j)
      b(i, j) = 1;
}

// Not all of it, or not before it is read.
// CHECK: task 'scaled': inout(b) is inferred
#pragma hsched task
void scaled(tile<double> b) {
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t j = 0; j < b.columns(); ++j)
      b(i, j) *= 2;
}
// CHECK: task 'triangle': inout(b) is inferred
#pragma hsched task
void triangle(tile<double> b) {
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      b(i, j) = 0;
}
// CHECK: task 'inner': inout(b) is inferred
#pragma hsched task
void inner(tile<double> b) {
  for (std::size_t i = 1; i < b.rows(); ++i)
    for (std::size_t j = 0; j < b.columns(); ++j)
      b(i, j) = 0;
}
// CHECK: task 'another': inout(b) is inferred
#pragma hsched task
void another(std::size_t n, tile<double> b) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      b(i, j) = 0;
}
// CHECK: task 'transposed': inout(b) is inferred
#pragma hsched task
void transposed(tile<double> b) {
  for (std::size_t i = 0; i < b.columns(); ++i)
    for (std::size_t j = 0; j < b.rows(); ++j)
      b(i, j) = 0;
}
// CHECK: task 'sometimes': inout(b) is inferred
#pragma hsched task
void sometimes(tile<double> b, bool really) {
  for (std::size_t i = 0; really && i < b.rows(); ++i)
    for (std::size_t j = 0; j < b.columns(); ++j)
      b(i, j) = 0;
}
// CHECK: task 'exchanged': inout(b) is inferred
#pragma hsched task
void exchanged(tile<double> b, double *p) {
  b = tile<double>(b.data(), 1, b.columns(), b.stride());
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t j = 0; j < b.columns(); ++j)
      b(i, j) = *p;
}
// What 'another' loops over may be as long: no warning.
#pragma hsched task out(b)
void sameLength(std::size_t n, tile<double> b) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      b(i, j) = 0;
}
// CHECK: warning: task 'lies' writes 'b', which its clause says is 'in': write 'inout'
#pragma hsched task in(b)
void lies(tile<double> b) {
  for (std::size_t i = 0; i < b.rows(); ++i)
    b(i, 0) = 1;
}
// CHECK: warning: task 'readsFirst' reads 'b', which its clause says is 'out': write 'inout'
#pragma hsched task out(b)
void readsFirst(tile<double> b) {
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t j = 0; j < b.columns(); ++j)
      b(i, j) += 1;
}
