// A static of a function has no name where the clauses of a task stand: nothing is proposed that does not compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <mutex>
#include <shared_mutex>
// CHECK: [[@LINE+1]]:16: warning: task 'counts' writes 'k', which no clause names: no clause can name a static of a function: make it a variable of a namespace or a parameter [-Whsched-unnamed]
#pragma hsched task
void counts(double *x) {
  static int k;
  k++;
  x[0] = k;
}
inline int next() {
  static int last;
  return ++last;
}
// CHECK: warning: task 'calls' writes 'last', which no clause names: no clause can name a static of a function
#pragma hsched task
void calls(int *x) { *x = next(); }
double *room();
// CHECK: warning: task 'behind' writes 'p', which no clause names: no clause can name a static of a function
#pragma hsched task
void behind() {
  static double *p;
  p[0] = 1;
}
#pragma hsched task
void ofThread(double *x) {
  thread_local int k;
  static thread_local int l;
  static const int fixed[2] = {1, 2};
  x[0] = ++k + ++l + fixed[k & 1];
}
void statements() {
  static int seen;
// CHECK: warning: task 'statements:[[@LINE+1]]' writes 'seen', which no clause names: add inout(seen) [-Whsched-unnamed]
#pragma hsched task
  ++seen;
#pragma hsched task inout(seen)
  ++seen;
// CHECK: warning: task 'statements:[[@LINE+1]]' writes 'inner', which no clause names: no clause can name a static of a function
#pragma hsched task
  {
    static int inner;
    ++inner;
  }
#pragma hsched taskwait
}
// What tasks synchronize by is no data.
std::mutex guard;
std::shared_mutex door;
#pragma hsched task
void locks(double *x) {
  static std::mutex own;
  std::lock_guard<std::mutex> one(guard), other(own);
  guard.try_lock();
  std::shared_lock in(door);
  *x += 1;
}
