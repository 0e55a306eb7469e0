// Memory that a called function allocates, in loops and several times: the analysis of the loop ends, and what the memory leads
// to is not forgotten.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++17 -fsyntax-only --hsched-explain %s 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <cstdlib>
#include <memory>
#include <vector>
struct Node {
  float *to = nullptr;
  std::vector<int> more;
};
static Node *make(float *to) {
  Node *made = new Node;
  made->to = to;
  made->more.resize(3);
  return made;
}
static float *room(int n) { return static_cast<float *>(std::malloc(n * sizeof(float))); }
static float *row() { return new float[4]; }
static std::unique_ptr<Node> owned() { return std::make_unique<Node>(); }

// CHECK: remark: task 'loop': out([n]q) is inferred
#pragma hsched task
void loop(int n, float *q) {
  for (int k = 0; k < n; ++k) {
    float *a = room(4), *b = row();
    a[0] = b[0] = k;
    q[k] = a[0];
    delete[] b;
    std::free(a);
  }
}
// CHECK: remark: task 'later': inout([n]q) is inferred
#pragma hsched task
void later(int n, float *q) {
  for (int k = 0; k < n; ++k) {
    Node *made = make(q);
    q[k] += 1;
    delete made;
    owned()->more.push_back(k);
  }
}
// One may be the other: both parameters are changed.
// CHECK-DAG: remark: task 'both': inout(*y) is inferred
// CHECK-DAG: remark: task 'both': inout(*z) is inferred
#pragma hsched task
void both(float *y, float *z) {
  Node *one = make(y), *other = make(z);
  *one->to = 1;
  delete one;
  delete other;
}
// CHECK: remark: task 'statement:[[@LINE+2]]': out([n]q) is inferred
void statement(int n, float *q) {
#pragma hsched task
  for (int k = 0; k < n; ++k)
    q[k] = *row();
}
