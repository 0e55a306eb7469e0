// What members touch of their object: by the names that clauses use, whether named or left out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <vector>

struct Base {
  float weight[4];
};

struct Grid : Base {
  int n_ = 0;
  float v[16], w[16], m[4][8];
  float *data_ = nullptr;
  std::vector<float> list;
  struct {
    int deep;
  } inner;
  static constexpr int Size = 16;

// CHECK: [[@LINE+1]]:16: warning: task 'left' reads 'w', which no clause names: add in(w) [-Whsched-unnamed]
#pragma hsched task inout(v)
  void left() {
    for (int i = 0; i < 16; ++i)
      v[i] += w[i]; // CHECK: [[@LINE]]:{{[0-9]+}}: note: it is read here
  }
#pragma hsched task inout(v) in(w)
  void whole() {
    for (int i = 0; i < Size; ++i)
      v[i] += w[i];
  }
#pragma hsched task inout(this->v[0:8]) in((*this).w, weight)
  void spelled() {
    for (int i = 0; i < 8; ++i)
      this->v[i] += w[i] * weight[i % 4];
  }
// CHECK: [[@LINE+1]]:24: warning: task 'role' writes 'v', which its clause says is 'in': write 'inout' [-Whsched-role]
#pragma hsched task in(v) out(w)
  void role() {
    for (int i = 0; i < 16; ++i)
      w[i] = v[i]++; // CHECK: [[@LINE]]:{{[0-9]+}}: note: 'role' writes it here
  }
// CHECK: [[@LINE+1]]:25: warning: task 'some' does not overwrite all of 'v', which 'out' promises: what it leaves is lost [-Whsched-coverage]
#pragma hsched task out(v)
  void some() {
    for (int i = 1; i < 16; ++i)
      v[i] = 0; // CHECK: [[@LINE]]:{{[0-9]+}}: note: this is all that is surely written
  }
// CHECK: [[@LINE+1]]:24: warning: task 'outside' touches 'v' outside 'v[0:8]', the section that 'in' names [-Whsched-extent]
#pragma hsched task in(v[0:8]) out(w[0:9])
  void outside() {
    for (int i = 0; i <= 8; ++i)
      w[i] = v[i]; // CHECK: [[@LINE]]:{{[0-9]+}}: note: this access is outside
  }
  // Rows of a matrix, and what a pointer leads to: n_ is looked at when the task is submitted.
#pragma hsched task out(m[1:2]) inout([n_]data_)
  void rows() {
    for (int i = 1; i < 3; ++i)
      for (int j = 0; j < 8; ++j)
        m[i][j] = 1;
    for (int i = 0; i < n_; ++i)
      data_[i] += 1;
  }
// CHECK: [[@LINE+2]]:16: warning: task 'more' writes 'n_', which no clause names: add inout(n_) [-Whsched-unnamed]
// CHECK: [[@LINE+3]]:{{[0-9]+}}: note: it is written here
#pragma hsched task out([n_]data_)
  void more(int k) {
    ++n_;
    for (int i = 0; i < k; ++i)
      data_[i] = 0;
  }
// CHECK: [[@LINE+1]]:16: warning: task 'far' writes 'data_', which no clause names: add out([k]data_) [-Whsched-unnamed]
#pragma hsched task in(v)
  void far(int k) {
    for (int i = 0; i < k; ++i)
      data_[i] = v[0]; // CHECK: [[@LINE]]:{{[0-9]+}}: note: it is written here
  }
  // All of the object.
#pragma hsched task inout(*this)
  void all() {
    inner.deep = n_++;
    v[n_ & 15] = w[0];
  }
// CHECK: [[@LINE+1]]:24: warning: task 'none' writes 'v', which its clause says is 'in': write 'inout' [-Whsched-role]
#pragma hsched task in(*this)
  void none() {
    v[0] = 1; // CHECK: [[@LINE]]:{{[0-9]+}}: note: 'none' writes it here
  }
  // A parameter hides a member.
// CHECK: [[@LINE+1]]:16: warning: task 'hides' writes 'this->v', which no clause names: add inout(this->v) [-Whsched-unnamed]
#pragma hsched task in([4]v)
  void hides(const float *v) {
    for (int i = 0; i < 4; ++i)
      this->v[i] = v[i]; // CHECK: [[@LINE]]:{{[0-9]+}}: note: it is written here
  }
  // By way of another member, and of the object as a whole.
  void help() { w[0] = 1; }
  void unseen();
// CHECK: [[@LINE+1]]:16: warning: task 'through' writes 'w', which no clause names: add inout(w) [-Whsched-unnamed]
#pragma hsched task inout(v)
  void through() {
    v[0] = 1;
    help();
  }
// CHECK: note: it is written here
#pragma hsched task in(v)
  void opaque() {
    unseen();
  }
#pragma hsched task inout(list) in(v)
  void lists() {
    for (float &x : list)
      x += v[0];
  }
// CHECK: [[@LINE+1]]:16: warning: task 'lost' writes 'list', which no clause names
#pragma hsched task in(v)
  void lost() {
    for (float &x : list)
      x += v[0]; // CHECK: [[@LINE]]:{{[0-9]+}}: note: it is written here
  }
};

struct Counter {
  int seen = 0, other = 0;
  void run(int n, int *p) {
// CHECK: [[@LINE+1]]:16: warning: task 'Counter::run:[[@LINE+1]]' writes 'other', which no clause names: add inout(other) [-Whsched-unnamed]
#pragma hsched task inout(seen) in([n]p)
    for (int i = 0; i < n; ++i) {
      seen += p[i];
      ++other; // CHECK: [[@LINE]]:{{[0-9]+}}: note: it is written here
    }
  }
};
