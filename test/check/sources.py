"""Programs of cases.py.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
MEMORY = """#include <cstdio>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>
#pragma hsched task inout(m)
void note(std::map<int, int> &m, int k) { ++m[k]; }
#pragma hsched task in(m) out(*sum)
void add(const std::map<int, int> &m, int *sum) {
  *sum = 0;
  for (const auto &[k, n] : m)
    *sum += n;
}
#pragma hsched task inout(*l)
void turn(std::list<int> *l) {
  l->push_back(l->front());
  l->pop_front();
}
#pragma hsched task inout(u)
void write(std::unordered_map<int, std::string> &u) { u[1] += "a text that is longer than the object"; }
#pragma hsched task out(*sum)
void copied(std::vector<int> v, std::map<int, int> m, std::string text, int *sum) {
  *sum = 0;
  for (int &each : v)
    *sum += ++each;
  for (auto &[k, n] : m)
    *sum += ++n;
  text[0] = 'x';
  v.push_back(*sum);
  text += text;
}
struct Big {
  std::vector<double> v;
  Big() : v(4) {}
};
#pragma hsched declare reduction(join : Big : omp_out.v[0] += omp_in.v[0])
#pragma hsched task in([n]x) reduction(join : b)
void reduced(int n, const double *x, Big &b) {
  for (int i = 0; i < n; ++i)
    b.v[0] += x[i];
}
struct Holder {
  std::map<int, int> m;
#pragma hsched task inout(m)
  void add() { ++m[1]; }
  void statement() {
#pragma hsched task inout(m)
    ++m[1];
#pragma hsched taskwait
  }
};
int *elsewhere;
#pragma hsched task in(m)
void wrong(const std::map<int, int> &m) {
  const_cast<std::map<int, int> &>(m).begin()->second = 3;
  if (elsewhere)
    *elsewhere = 4;
}
double x[64];
int sum, other, some[4];
int main(int, char **) {
  std::map<int, int> m = {{1, 2}, {3, 4}}, forCopies = m;
  std::list<int> l = {1, 2, 3};
  std::unordered_map<int, std::string> u = {{1, "a text that is longer than the object"}};
  std::vector<int> v(20, 1);
  Big b;
  Holder h;
  h.m = m;
  for (int i = 0; i < 4; ++i) {
    note(m, i);
    add(m, &sum);
    turn(&l);
    write(u);
    copied(v, forCopies, "a text that is longer than the object", &other);
    reduced(16, x + 16 * i, b);
    h.add();
  }
  h.statement();
#pragma hsched for reduction(join : b)
  for (int i = 0; i < 64; ++i)
    b.v[0] += 1;
#ifdef WRONG
  elsewhere = some;
  wrong(m);
#pragma hsched taskwait
#endif
#pragma hsched taskwait
  std::printf("%d %d %g\\n", sum, other, b.v[0]);
}
"""

ROWS = """#pragma hsched task inout([n]a)
void rows(int n, double (*a)[8]) {
  for (int i = 0; i < n + OVER; ++i)
    a[i][2] += 1;
}
#pragma hsched task inout(c[1:n])
void cubes(int n, float (*c)[4][5]) { c[n + OVER][3][1 + OVER] = 1; }
double a[10][8];
float c[10][4][5];
int main() {
  rows(4, a);
  cubes(3, c);
#pragma hsched taskwait
}
"""
