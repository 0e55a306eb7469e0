// What the library reads up to a zero, and what a stream shows: no alarm, unless a task may write it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
std::string title = "abc";
const char *name = "x";
void statements(const char *y, char *z, const unsigned char *u, const int *numbers, void *there, int n,
                std::shared_ptr<int> shared) {
#pragma hsched task
  std::cout << "x" << y << z << u << n << '\n';
#pragma hsched task
  std::cerr << numbers << there << shared << std::endl;
#pragma hsched task
  std::cout << *numbers << title << name << "\n" << title.size();
#pragma hsched task
  std::wcout << y;
#pragma hsched task
  std::cout.write(y, n).put('x') << y[0];
#pragma hsched task
  if (*y == 'x')
    std::printf("%s %zu\n", y, std::strlen(z));
#pragma hsched task
  { std::string s(y); s += z; std::cout << (s == y); }
#pragma hsched taskwait
}
#pragma hsched task
void shows(const char *text) { std::clog << "it is " << text; }
void call() { shows("a"); }

// A task writes the text.
#pragma hsched task inout([n]to)
void fill(char *to, int n) {
  for (int i = 0; i < n; ++i)
    to[i] = 'x';
}
#pragma hsched task inout([n]to)
void fillOther(char *to, int n) {
  for (int i = 0; i < n; ++i)
    to[i] = 'x';
}
// CHECK: :[[@LINE+1]]:16: error: the extent of 'text' cannot be inferred: how much of 'text' is read is not known; write it, for example in([strlen(text) + 1]text)
#pragma hsched task
void shown(const char *text) { std::cout << text; }
#pragma hsched task
void never(const char *text) { std::cout << text; }
void both() {
  char letters[20], others[20];
  fill(letters, 20);
  fillOther(others, 20);
  shown(letters);
  never(name);
// CHECK: :[[@LINE+2]]:16: error: the extent of 'there' cannot be inferred: how much of 'there' is read is not known; write it, for example in([strlen(there) + 1]there)
  char *there = others + 2;
#pragma hsched task
  std::cout << there;
#pragma hsched taskwait
}
#pragma hsched task in([strlen(text) + 1]text)
void named(const char *text) { std::cout << text; }

// Its elements are read one by one, too: as many as the clause has to say.
// CHECK: :[[@LINE+1]]:16: error: the extent of 'text' cannot be inferred: {{.*}}; write it, for example in([strlen(text) + 1]text)
#pragma hsched task
void counts(const char *text, int n, int *sum) {
  for (int i = 0; i < n; ++i)
    *sum += text[i];
  std::cout << text;
}

// A variable that a task writes is printed with another one, which none writes.
std::string changed, constant = "c";
#pragma hsched task inout(changed)
void changes() { changed += "x"; }
// CHECK: :[[@LINE+1]]:16: warning: task 'prints' reads 'changed', which no clause names: add in(changed) [-Whsched-unnamed]
#pragma hsched task
void prints() { std::cout << changed << constant << '\n'; }
