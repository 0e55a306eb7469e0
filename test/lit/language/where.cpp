// Clause where: what is emitted, the metadata, and what is wrong with it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++11 -Wall -Wextra -Wpedantic -Werror -c %s -o %t.o
// RUN: %hsched-cc -std=c++11 --hsched-emit=source %s -o - | FileCheck %s --check-prefix=CODE
// RUN: %hsched-cc -std=c++11 --hsched-emit=json %s -o - | FileCheck %s --check-prefix=JSON
// RUN: %host-cxx -std=c++11 -Wno-unknown-pragmas -I %include -c %s -o %t.serial.o
// RUN: not %hsched-cc -DWRONG -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WRONG --implicit-check-not=error:
// RUN: not %hsched-cc -DTYPE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=TYPE
#include <hsched/hsched.h>

// CODE: const ::hsched_place hsched_at = ::hsched_gen_where(n > 9 ? hsched::gpus() : hsched::cpus());
// CODE: hsched_submit_options hsched_o = {sizeof hsched_o, {{.*}}, nullptr, &hsched_at};
// JSON: "where": "n > 9 ? hsched::gpus() : hsched::cpus()"
#pragma hsched task inout([n]x) where(n > 9 ? hsched::gpus() : hsched::cpus())
void f(int n, int *x) { x[0] += n; }

void g(int n, int *x, hsched::place there) {
  // CODE: ::hsched_gen_where(there)
#pragma hsched task inout(x[0]) where(there)
  x[0] += 1;
  // CODE: ::hsched_gen_where(hsched::device(1) | hsched::worker_at(0))
#pragma hsched taskloop inout(x[i]) where(hsched::device(1) | hsched::worker_at(0))
  for (int i = 0; i < n; ++i)
    x[i] += 1;
  hsched::on scope(hsched::preferably(hsched::accelerators()));
  f(n, x);
}

#ifdef WRONG
// WRONG: [[@LINE+1]]:43: error: clause 'where' is given twice
#pragma hsched task where(hsched::cpus()) where(hsched::gpus())
void a1(int n);
// WRONG: [[@LINE+1]]:21: error: clause 'where' is empty
#pragma hsched task where()
void a2(int n);
// WRONG: [[@LINE+1]]:27: error: unknown name 'm' in clause 'where': it is not a parameter of 'a3'
#pragma hsched task where(m)
void a3(int n);
// WRONG: note: the parameters of 'a3' are 'n'
// WRONG: [[@LINE+1]]:36: error: clause 'where' belongs to the main version: tasks have it, versions do not
#pragma hsched implements(f) where(hsched::cpus())
void f2(int n, int *x);
// WRONG: [[@LINE+1]]:25: error: clause 'where' does not belong to 'taskwait'
#pragma hsched taskwait where(hsched::cpus())
void a4(int n) {
  // WRONG: [[@LINE+1]]:26: error: clause 'where' belongs to tasks, and this 'for' makes none: name its data, or write 'taskloop'
#pragma hsched for where(hsched::cpus())
  for (int i = 0; i < n; ++i)
    (void)i;
}
#endif
#ifdef TYPE
// TYPE: hsched: where(e) takes a hsched::place, such as hsched::gpus()
#pragma hsched task where(n)
void a5(int n) { (void)n; }
#endif
