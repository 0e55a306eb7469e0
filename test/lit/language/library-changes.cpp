// Members that find elements of containers have other classes' names, too, and change what is read from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning:
#include <future>
#include <istream>
#include <list>
#include <unordered_map>
// CHECK: remark: task 'reads': inout(s) is inferred
#pragma hsched task
void reads(std::istream &s, int *x) { *x = s.get(); }
// CHECK: remark: task 'gets': inout(f) is inferred
#pragma hsched task
void gets(std::future<int> &f, int *x) { *x = f.get(); }
// CHECK: warning: task 'says' writes 's', which its clause says is 'in': write 'inout' [-Whsched-role]
#pragma hsched task in(s) out(*x)
void says(std::istream &s, int *x) { *x = s.get(); }
// CHECK: remark: task 'looks': in(l) is inferred
#pragma hsched task
void looks(std::list<int> &l, int *x) { *x = l.begin() == l.end(); }
// CHECK: remark: task 'finds': in(m) is inferred
#pragma hsched task
void finds(std::unordered_map<int, int> &m, int *x) { *x = m.find(3) == m.end(); }
