// A function's static that it hands out is written by its callers. Its initialiser is no change: all wait for that.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <map>
#include <vector>
static int *handle() {
  static int s;
  return &s;
}
// CHECK: warning: task 'writes' writes 's', which no clause names: no clause can name a static of a function
#pragma hsched task
void writes(int v) { *handle() = v; }
// CHECK: warning: task 'reads' reads 's', which no clause names: no clause can name a static of a function
#pragma hsched task
void reads(int *x) { *x = *handle(); }
static int &cell(int i) {
  static int cells[10];
  return cells[i];
}
// CHECK: warning: task 'sets' writes 'cells', which no clause names: no clause can name a static of a function
#pragma hsched task
void sets(int v) { cell(3) = v; }
std::vector<double> build();
static double lookUp(int i) {
  static std::vector<double> lut = build();
  return lut[i];
}
#pragma hsched task
void looks(double *x) { *x = lookUp(3); }
static const std::vector<double> &table() {
  static std::vector<double> all = build();
  return all;
}
#pragma hsched task
void tables(double *x) { *x = table()[3]; }
static double mapped(int i) {
  static std::map<int, double> map = {{1, 2}};
  return map.find(i)->second;
}
#pragma hsched task
void maps(double *x) { *x = mapped(3); }
