// What a function that calls itself does with what it is handed is the same for each caller, whether it is the first
// that is looked at or not, a function or a statement, outside of the recursion or in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 --hsched-explain -Wno-hsched -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
struct Node {
  Node *left, *right;
  int value;
};
void visit(Node *n) {
  if (!n)
    return;
  ++n->value;
  visit(n->left);
  visit(n->right);
}
// CHECK: remark: task 'first': inout(*r) is inferred
#pragma hsched task
void first(Node *r) { visit(r); }
// CHECK: remark: task 'second': inout(*r) is inferred
#pragma hsched task
void second(Node *r) { visit(r); }

void walk(Node *n) {
  if (!n)
    return;
  ++n->value;
  Node *l = n->left, *r = n->right;
// CHECK: remark: task 'walk:[[@LINE+1]]': inout(*l) is inferred
#pragma hsched task
  walk(l);
// CHECK: remark: task 'walk:[[@LINE+1]]': inout(*r) is inferred
#pragma hsched task
  walk(r);
#pragma hsched taskwait
}

// Each through the other.
void odd(Node *n);
void even(Node *n) {
  if (!n)
    return;
  n->value = 0;
  odd(n->left);
}
void odd(Node *n) {
  if (!n)
    return;
  n->value = 1;
  even(n->right);
}
// CHECK: remark: task 'both': inout(*a) is inferred
// CHECK: remark: task 'both': inout(*b) is inferred
#pragma hsched task
void both(Node *a, Node *b) {
  even(a);
  odd(b);
}
