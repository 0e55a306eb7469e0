// Why it is not known which part of memory a body touches: pointers, and calls that nobody can look into.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -ferror-limit=0 --hsched-explain -Wno-hsched -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#include <new>

struct S {
  int a, b;
};
struct Base {
  float v;
};
struct Derived : virtual Base {};
struct Guard {
  float *p;
  ~Guard();
};
struct Nothing {
  int none[0];
};
struct Virtual {
  virtual void put(float *p) { *p = 0; }
};
void use(int S::*);
__attribute__((pure)) float *pure();
void keep(float **);
void later();

// Numbers that are pointers.
#pragma hsched task
void castToInteger(float *x) { *(float *)((unsigned long)x + 8) = 1; }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: 'x' is cast to an integer; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:43: note: 'x' is cast to an integer
// CHECK: [[@LINE-4]]:16: remark: task 'castToInteger': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-4]]:32: note: '(float *)((unsigned long)x + 8)' is a pointer made of an integer
#pragma hsched task
void castBack(unsigned long u) { *(float *)u = 1; }
// CHECK: [[@LINE-2]]:16: remark: task 'castBack': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-2]]:34: note: '(float *)u' is a pointer made of an integer
#pragma hsched task
void readAsInteger(float *x) {
  union { float *p; unsigned long u; } v;
  v.p = x;
  *(float *)v.u = 1;
}
// CHECK: [[@LINE-6]]:16: error: the extent of 'x' cannot be inferred: it is read as an integer; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:15: note: it is read as an integer
// CHECK: [[@LINE-8]]:16: remark: task 'readAsInteger': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-5]]:3: note: '(float *)v.u' is a pointer made of an integer
#pragma hsched task
void madeOfInteger(float *x) {
  union { float *p; unsigned u; } v;
  v.p = x;
  *(float *)v.u = 1;
}
// CHECK: [[@LINE-6]]:16: error: the extent of 'x' cannot be inferred: it is made of an integer; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:3: note: it is made of an integer
// CHECK: [[@LINE-8]]:16: remark: task 'madeOfInteger': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-5]]:3: note: '(float *)v.u' is a pointer made of an integer

// What comes from elsewhere, or goes there.
#pragma hsched task
void builtin() { *(float *)__builtin_frame_address(0) = 1; }
// CHECK: [[@LINE-2]]:16: remark: task 'builtin': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-2]]:18: note: it is returned by '__builtin_frame_address'
#pragma hsched task
void notUnderstood() { *(char *)__builtin_FILE() = 1; }
// CHECK: [[@LINE-2]]:16: remark: task 'notUnderstood': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-2]]:24: note: '__builtin_FILE()' is not understood
#pragma hsched task
void thrown(int n, float *x) {
  try {
    if (n)
      throw x;
  } catch (float *p) {
    *p = 1;
  }
}
// CHECK: [[@LINE-9]]:16: error: the extent of 'x' cannot be inferred: it is thrown; write it, for example inout([<count>]x)
// CHECK: [[@LINE-6]]:7: note: it is thrown
// CHECK: [[@LINE-11]]:16: remark: task 'thrown': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-6]]:5: note: it comes from an exception
#pragma hsched task
void toAsm(float *x) { asm volatile("" ::"r"(x) : "memory"); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: it is handed to asm; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:24: note: it is handed to asm
// CHECK: [[@LINE-4]]:16: remark: task 'toAsm': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-4]]:24: note: asm
#pragma hsched task
void fromAsm() {
  float *p;
  asm("" : "=r"(p));
  *p = 1;
}
// CHECK: [[@LINE-6]]:16: remark: task 'fromAsm': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-4]]:17: note: it comes from asm
#pragma hsched task
void stored(float *x, float **t) { __atomic_store_n(t, x, __ATOMIC_SEQ_CST); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: it is put into memory; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:36: note: it is put into memory
#pragma hsched task
void swapped(float *x, float **t) { __sync_lock_test_and_set(t, x); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: it is put into memory; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:37: note: it is put into memory
#pragma hsched task
void assigned(float *x, float **t) { *t = x; }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: '*t' puts its address into memory; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:38: note: '*t' puts its address into memory
#pragma hsched task
void placed(float *x, float **m) { new (m) float *[2]{x, nullptr}; }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: 'new (m) float *[2]{x, nullptr}' puts its address into memory; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:36: note: 'new (m) float *[2]{x, nullptr}' puts its address into memory

// Calls.
#pragma hsched task
void calledVirtually(Virtual *v, float *y) { v->put(y); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'v' cannot be inferred: the object is handed to the virtual function 'put'; write it, for example inout([<count>]v)
// CHECK: [[@LINE-2]]:49: note: the object is handed to the virtual function 'put'
// CHECK: [[@LINE-4]]:16: error: the extent of 'y' cannot be inferred: 'y' is handed to the virtual function 'put'; write it, for example inout([<count>]y)
// CHECK: [[@LINE-4]]:49: note: 'y' is handed to the virtual function 'put'
// CHECK: [[@LINE-6]]:16: remark: task 'calledVirtually': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-6]]:49: note: the virtual function 'put'
#pragma hsched task
void calledByPointer(void (*g)(float *), float *x) { g(x); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: 'x' is handed to a function pointer; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:54: note: 'x' is handed to a function pointer
// CHECK: [[@LINE-4]]:16: remark: task 'calledByPointer': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-4]]:54: note: 'g' is a function pointer
#pragma hsched task
void functionPointer(void (*g)()) { *(char *)g = 0; }
// CHECK: [[@LINE-2]]:16: remark: task 'functionPointer': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-2]]:37: note: 'g' is a function pointer
#pragma hsched task
void returned() { *pure() = 1; }
// CHECK: [[@LINE-2]]:16: remark: task 'returned': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-2]]:19: note: it is returned by 'pure', whose body is not visible
#pragma hsched task
void changed(int n) {
  float z = 0, *p = &z;
  for (int i = 0; i < n; ++i) {
    *p = 1;
    keep(&p);
    later();
  }
}
// CHECK: [[@LINE-9]]:16: remark: task 'changed': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-6]]:5: note: it may be changed by 'later', whose body is not visible
#pragma hsched task
void destroyed(float *x) { Guard g{x}; }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: the destructor of 'Guard' is not visible; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:34: note: the destructor of 'Guard' is not visible

// Members, bases, sizes.
#pragma hsched task
void chosenMember(S *s, int S::*m) { s->*m = 1; }
// CHECK: [[@LINE-2]]:16: error: the extent of 's' cannot be inferred: a pointer to member chooses the member; write it, for example inout([<count>]s)
// CHECK: [[@LINE-2]]:39: note: a pointer to member chooses the member
#pragma hsched task
void handedMember(int S::*m) { use(m); }
// CHECK: [[@LINE-2]]:16: remark: task 'handedMember': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-2]]:32: note: a pointer to member
#pragma hsched task
void loadedMember(int S::**m) { use(*m); }
// CHECK: [[@LINE-2]]:16: remark: task 'loadedMember': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-2]]:33: note: a pointer to member
#pragma hsched task
void madeMember() {
  int S::*m = &S::b;
  use(m);
}
// CHECK: [[@LINE-5]]:16: remark: task 'madeMember': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-3]]:3: note: a pointer to member
#pragma hsched task
void virtualBase(Derived *d) { static_cast<Base *>(d)->v = 1; }
// CHECK: [[@LINE-2]]:16: error: the extent of 'd' cannot be inferred: a virtual base class is in the way; write it, for example inout([<count>]d)
// CHECK: [[@LINE-2]]:56: note: a virtual base class is in the way
#pragma hsched task
void noSize(Nothing *p, const Nothing *q) { *p = *q; }
// CHECK: [[@LINE-2]]:16: error: the extent of 'p' cannot be inferred: the size of '*p = *q' is not known; write it, for example inout([<count>]p)
// CHECK: [[@LINE-2]]:48: note: the size of '*p = *q' is not known
// CHECK: [[@LINE-4]]:16: error: the extent of 'q' cannot be inferred: the size of '*p = *q' is not known; write it, for example in([<count>]q)
// CHECK: [[@LINE-4]]:48: note: the size of '*p = *q' is not known
#pragma hsched task
void noStep(Nothing *p) { ++p, *p = Nothing(); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'p' cannot be inferred: a subscript is not affine; write it, for example inout([<count>]p)
// CHECK: [[@LINE-2]]:35: note: a subscript is not affine
#pragma hsched task
void newUncounted(double n, float *m) { new (m) float[int(n)](); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'm' cannot be inferred: how many elements are made is not known; write it, for example inout([<count>]m)
// CHECK: [[@LINE-2]]:41: note: how many elements are made is not known
#pragma hsched task
void several(int n, float **a) {
  for (int i = 0; i < n; ++i)
    a[i][0] = 0;
}
// CHECK: [[@LINE-5]]:16: remark: task 'several': of 'a[...]' it is not known which part is touched
// CHECK: [[@LINE-3]]:5: note: 'a[...]' is one of several arrays

// Pointers that move.
#pragma hsched task
void steps(int n, float *x, const int *k) {
  float *p = x;
  for (int i = 0; i < n; ++i) {
    *p = 0;
    p += k[i];
  }
}
// CHECK: [[@LINE-8]]:16: error: the extent of 'x' cannot be inferred: 'p' changes in a way that is not affine; write it, for example inout([<count>]x)
// CHECK: [[@LINE-5]]:5: note: 'p' changes in a way that is not affine
#pragma hsched task
void oneOfTwo(int n, int m, float *x) {
  float *p = n ? x : x + m;
  for (int i = 0; i < n; ++i)
    *p++ = 0;
}
// CHECK: [[@LINE-6]]:16: error: the extent of 'x' cannot be inferred: 'p' changes from one iteration to the next in no regular way; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:5: note: 'p' changes from one iteration to the next in no regular way
#pragma hsched task
void inner(int n, float *x, const int *k) {
  for (int i = 0; i < n; ++i) {
    float *p = x;
    for (int j = 0; j < k[i]; ++j)
      p += i;
    *p = 1;
  }
}
// CHECK: [[@LINE-9]]:16: error: the extent of 'x' cannot be inferred: a pointer changes from one iteration to the next in no regular way; write it, for example inout([<count>]x)
// CHECK: [[@LINE-4]]:5: note: a pointer changes from one iteration to the next in no regular way
