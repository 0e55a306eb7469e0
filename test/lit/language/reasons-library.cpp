// Why it is not known which part of memory a body touches: the libraries of C and C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -ferror-limit=0 --hsched-explain -Wno-hsched -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

extern "C" {
enum CBLAS_ORDER { CblasRowMajor = 101 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111 };
void cblas_sgemv(CBLAS_ORDER, CBLAS_TRANSPOSE, int, int, float, const float *, int, const float *, int, float, float *, int);
void cblas_sscal(int, float, float *, int);
}
using Compare = int (*)(const void *, const void *);
struct Item {
  float *p;
};
struct Leaves {
  float *p;
  ~Leaves() { *p = 1; }
};
struct Nothing {
  int none[0];
};
void opaque(float *);

// C.
#pragma hsched task
void loads(float **t) {
  float *p;
  std::memcpy(&p, t, sizeof p);
  p[0] = 1;
}
// CHECK: [[@LINE-6]]:16: error: the extent of 't' cannot be inferred: 'memcpy' hands it on; write it, for example inout([<count>]t)
// CHECK: [[@LINE-3]]:3: note: 'memcpy' hands it on
// CHECK: [[@LINE-8]]:16: remark: task 'loads': of 't[...]' it is not known which part is touched
// CHECK: [[@LINE-5]]:3: note: 't[...]' is one of several arrays
#pragma hsched task
void stores(float *x, float **t) {
  float *p = x;
  std::memcpy(t, &p, sizeof p);
}
// CHECK: [[@LINE-5]]:16: error: the extent of 'x' cannot be inferred: 'memcpy' puts it into memory; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:3: note: 'memcpy' puts it into memory
// CHECK: [[@LINE-7]]:16: error: the extent of 't' cannot be inferred: 'memcpy' puts it into memory; write it, for example inout([<count>]t)
// CHECK: [[@LINE-5]]:3: note: 'memcpy' puts it into memory
// CHECK: [[@LINE-9]]:16: remark: task 'stores': of 't[...]' it is not known which part is touched
// CHECK: [[@LINE-7]]:3: note: 't[...]' is one of several arrays
#pragma hsched task
void bytes(float *x) {
  unsigned long u;
  std::memcpy(&u, &x, sizeof x);
  *(float *)(u + 4) = 1;
}
// CHECK: [[@LINE-6]]:16: error: the extent of 'x' cannot be inferred: 'memcpy' copies its bytes; write it, for example inout([<count>]x)
// CHECK: [[@LINE-4]]:3: note: 'memcpy' copies its bytes
// CHECK: [[@LINE-8]]:16: remark: task 'bytes': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-5]]:3: note: '(float *)(u + 4)' is a pointer made of an integer
#pragma hsched task
void copies(char *p, const char *q) { std::strcpy(p, q); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'p' cannot be inferred: how much of it 'strcpy' touches is not known; write it, for example inout([<count>]p)
// CHECK: [[@LINE-2]]:39: note: how much of it 'strcpy' touches is not known
// CHECK: [[@LINE-4]]:16: remark: 'q' is read up to a zero, and is not tracked unless a task of this file may write it
#pragma hsched task
void returns() { *std::getenv("HOME") = 1; }
// CHECK: [[@LINE-2]]:16: remark: task 'returns': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-2]]:18: note: it is returned by 'getenv'
#pragma hsched task
void sorts(int n, float *x) {
  std::qsort(x, n, 4, (Compare)+[](void *a, void *) { return int(*(float *)a = 1); });
}
// CHECK: [[@LINE-4]]:16: error: the extent of 'x' cannot be inferred: 'qsort' calls a function with it; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:66: note: 'qsort' calls a function with it
#pragma hsched task
void sortsBy(int n, float *x, Compare c) { std::qsort(x, n, 4, c); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: 'qsort' hands it to a function that is not known; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:44: note: 'qsort' hands it to a function that is not known
// CHECK: [[@LINE-4]]:16: remark: task 'sortsBy': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-4]]:44: note: 'c' is a function pointer
#pragma hsched task
void sortsByNone(int n, float *x) {
  Compare c = nullptr;
  std::qsort(x, n, 4, c);
}
// CHECK: [[@LINE-5]]:16: error: the extent of 'x' cannot be inferred: 'qsort' hands it to a function that is not known; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:3: note: 'qsort' hands it to a function that is not known
// CHECK: [[@LINE-7]]:16: remark: task 'sortsByNone': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-5]]:3: note: a function that is handed to 'qsort'
#pragma hsched task
void hugeRows(int n, float *x, const float *y, float *z) {
  cblas_sgemv(CblasRowMajor, CblasNoTrans, n, n, 1, x, n * 3000000 * 1000000 * 1000000, y, 1, 0, z, 1);
}
// CHECK: [[@LINE-4]]:16: error: the extent of 'x' cannot be inferred: a leading dimension is not affine; write it, for example in([<count>]x)
// CHECK: [[@LINE-3]]:3: note: a leading dimension is not affine
#pragma hsched task
void hugeScale(int n, float *x) { cblas_sscal(n * 3000000 * 1000000 * 1000000, 2, x, 1); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: an extent is not known; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:35: note: an extent is not known

// Pointers that other objects keep, and what may use them.
#pragma hsched task
void put(float *x, std::vector<Item> &v) { v.push_back(Item{x}); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: its address is put into a container; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:46: note: its address is put into a container
// CHECK: [[@LINE-4]]:16: remark: task 'put': of 'v' it is not known which part is touched
// CHECK: [[@LINE-4]]:46: note: 'push_back' may change the size of the container
#pragma hsched task
void mapped(float *x, std::map<int, float *> &m) { m.insert({1, x}); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: its address is put into memory; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:54: note: its address is put into memory
#pragma hsched task
void chosen(int k, float *x) {
  std::map<int, float *> m;
  m[0] = x;
  m.at(k)[0] = 1;
}
// CHECK: [[@LINE-6]]:16: error: the extent of 'x' cannot be inferred: 'map::at' chooses the elements; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:5: note: 'map::at' chooses the elements
// CHECK: [[@LINE-8]]:16: remark: task 'chosen': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-5]]:3: note: memory behind pointers in memory
#pragma hsched task
void called(float *x) {
  std::function<void()> g;
  g = [x] { *x = 1; };
  g();
}
// CHECK: [[@LINE-6]]:16: error: the extent of 'x' cannot be inferred: it is called through 'function'; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:3: note: it is called through 'function'
// CHECK: [[@LINE-8]]:16: remark: task 'called': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-5]]:3: note: a call through 'function'
#pragma hsched task
void calledWith(std::function<void(float *)> &g, float *x) { g(x); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: 'x' is handed to 'function::operator()'; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:62: note: 'x' is handed to 'function::operator()'
// CHECK: [[@LINE-4]]:16: remark: task 'calledWith': of 'g[...]' it is not known which part is touched
// CHECK: [[@LINE-4]]:62: note: 'g[...]' is one of several arrays
// CHECK: [[@LINE-6]]:16: remark: task 'calledWith': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-6]]:62: note: a call through 'function'
#pragma hsched task
void compares(int *x) {
  auto less = [x](int a, int b) { return ++*x, a < b; };
  std::priority_queue<int, std::vector<int>, decltype(less)> q(less);
}
// CHECK: [[@LINE-5]]:16: error: the extent of 'x' cannot be inferred: 'less' is handed to 'priority_queue'; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:64: note: 'less' is handed to 'priority_queue'
#pragma hsched task
void inThread(float *x) {
  std::thread t(opaque, x);
  t.join();
}
// CHECK: [[@LINE-5]]:16: error: the extent of 'x' cannot be inferred: 'x' is handed to a thread; write it, for example inout([<count>]x)
// CHECK: [[@LINE-4]]:15: note: 'x' is handed to a thread
// CHECK: [[@LINE-7]]:16: remark: task 'inThread': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-6]]:25: note: 'x' is handed to a thread
#pragma hsched task
void inAsync(float *x) { std::async(opaque, x).wait(); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: it is handed to a thread; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:26: note: it is handed to a thread
// CHECK: [[@LINE-4]]:16: remark: task 'inAsync': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-4]]:26: note: a thread
#pragma hsched task
void withDeleter(float *x) { std::unique_ptr<float, void (*)(float *)> p(x, [](float *q) { *q = 1; }); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: a deleter has it; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:72: note: a deleter has it
#pragma hsched task
void deleted(float *x) { std::shared_ptr<float[]> p(x); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: a smart pointer deletes it; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:51: note: a smart pointer deletes it
#pragma hsched task
void destroyed(float *x) {
  std::vector<Leaves> v;
  v.push_back({x});
}
// CHECK: [[@LINE-5]]:16: error: the extent of 'x' cannot be inferred: what is in a 'vector' is destroyed; write it, for example inout([<count>]x)
// CHECK: [[@LINE-4]]:23: note: what is in a 'vector' is destroyed

struct Pointers : std::vector<float *> {
  using vector::vector;
};
#pragma hsched task
void constructed(float *x) {
  Pointers v(3, x);
  *v[0] = 1;
}
// CHECK: [[@LINE-5]]:16: error: the extent of 'x' cannot be inferred: it is handed to a constructor of 'vector'; write it, for example inout([<count>]x)
// CHECK: [[@LINE-8]]:17: note: it is handed to a constructor of 'vector'
#pragma hsched task
void atomicSteps(float *x) {
  std::atomic<float *> p(x);
  *p.fetch_add(1) = 1;
}
// CHECK: [[@LINE-5]]:16: error: the extent of 'x' cannot be inferred: an atomic operation changes it; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:3: note: an atomic operation changes it

// Containers.
#pragma hsched task
void read(const char *p, char *q) {
  std::string_view v(p);
  std::string s(v);
  q[0] = s[0];
}
// CHECK: [[@LINE-6]]:16: error: the extent of 'p' cannot be inferred: how much of 'v' is read is not known; write it, for example in([<count>]p)
// CHECK: [[@LINE-4]]:17: note: how much of 'v' is read is not known
#pragma hsched task
void filled(std::vector<float> &v) { v.assign(3, 1.0f); }
// CHECK: [[@LINE-2]]:16: remark: task 'filled': of 'v' it is not known which part is touched
// CHECK: [[@LINE-2]]:40: note: 'assign' may change the size of the container
#pragma hsched task
void exchanged(std::vector<float> &v, std::vector<float> &w) { std::swap(v, w); }
// CHECK: [[@LINE-2]]:16: remark: task 'exchanged': of 'v' it is not known which part is touched
// CHECK: [[@LINE-2]]:74: note: the container is assigned or its size changes
// CHECK: [[@LINE-4]]:16: remark: task 'exchanged': of 'w' it is not known which part is touched
// CHECK: [[@LINE-4]]:74: note: 'v' puts its address into memory
#pragma hsched task
void swapped(float *x, std::vector<float *> &w) {
  std::vector<float *> v{x};
  v.swap(w);
}
// CHECK: [[@LINE-5]]:16: error: the extent of 'x' cannot be inferred: 'swap' puts it into memory; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:10: note: 'swap' puts it into memory
// CHECK: [[@LINE-7]]:16: remark: task 'swapped': of 'w' it is not known which part is touched
// CHECK: [[@LINE-5]]:10: note: 'swap' may change the size of the container
// CHECK: [[@LINE-9]]:16: remark: task 'swapped': of 'w[0]' it is not known which part is touched
// CHECK: [[@LINE-7]]:10: note: the pointer 'w[0]' changes
// CHECK: [[@LINE-11]]:16: remark: task 'swapped': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-9]]:10: note: the pointer 'w[0]' changes
#pragma hsched task
void handedOver(std::vector<Nothing> &v, std::vector<Nothing> &w) { w = std::move(v); }
// CHECK: [[@LINE-2]]:16: remark: task 'handedOver': of 'v' it is not known which part is touched
// CHECK: [[@LINE-2]]:73: note: what 'std::move(v)' holds is handed over
// CHECK: [[@LINE-4]]:16: remark: task 'handedOver': of 'w' it is not known which part is touched
// CHECK: [[@LINE-4]]:71: note: 'operator=' may change the size of the container
#pragma hsched task
void moved(std::vector<float> **v) {
  *v[0] = std::move(*v[1]);
  (*v[0])[0] = 1;
}
// CHECK: [[@LINE-5]]:16: remark: task 'moved': of '*(*v)' it is not known which part is touched
// CHECK: [[@LINE-4]]:9: note: the storage of '*(*v)' changes
// CHECK: [[@LINE-7]]:16: remark: task 'moved': of '*v[1]' it is not known which part is touched
// CHECK: [[@LINE-6]]:11: note: the storage of '*v[1]' changes
#pragma hsched task
void placeIn(int n, float *x) {
  std::span<float> s(x, n);
  *s.rbegin() = 1;
}
// CHECK: [[@LINE-5]]:16: error: the extent of 'x' cannot be inferred: 'rbegin' returns a place in the container; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:3: note: 'rbegin' returns a place in the container

struct View {
  std::span<float> s;

#pragma hsched task
  void whole(const View *o) {
    s[0] = 1;
    *this = *o;
  }
};
// CHECK: [[@LINE-6]]:16: remark: task 'View::whole': of 's' it is not known which part is touched
// CHECK: [[@LINE-4]]:11: note: the object is accessed as a whole
