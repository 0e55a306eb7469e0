// What objects of the standard library have for themselves, reached through pointers to them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// expect: in([1]text) out([1]to)
void assign(const std::string *text, std::string *to) { *to = *text; }

// expect: out([1]to)
void assignLetters(std::string *to) { *to = "text"; }

// expect: out([1]to)
void assignByName(std::string *to, int n) { to->assign(n, ' '); }

// expect: in([n]p) out([1]to)
void assignRange(int n, const int *p, std::vector<int> *to) { *to = std::vector<int>(p, p + n); }

// expect: inout([1]to)
void append(std::string *to) { *to += "more"; }

// expect: in([n]x) inout([1]to)
void pushEach(int n, const float *x, std::vector<float> *to) {
  for (int i = 0; i < n; ++i)
    to->push_back(x[i]);
}

// expect: inout([1]v)
void addToElement(std::vector<int> *v, int i, int by) { (*v)[i] += by; }

// expect: in([1]v) out([1]sum)
void sumElements(const std::vector<double> *v, double *sum) {
  double s = 0;
  for (std::size_t i = 0; i < v->size(); ++i)
    s += (*v)[i];
  *sum = s;
}

// expect: in([n]v) out([n]to)
void assignEach(int n, const std::string *v, std::string *to) {
  for (int i = 0; i < n; ++i)
    to[i] = v[i];
}

// expect: in(v[i:1]) out(to[j:1])
void assignOne(int i, int j, const std::string *v, std::string *to) { to[j] = v[i]; }

// expect: inout([1]words)
void count(std::map<std::string, int> *words, int by) { (*words)["word"] += by; }

// expect: inout([1]m)
void enter(std::unordered_map<int, double> *m, int k, double v) { m->insert({k, v}); }

// expect: inout([1]d)
void rotate(std::deque<int> *d) {
  d->push_back(d->front());
  d->pop_front();
}

// expect: inout([1]s)
void insertInto(std::set<long> *s, long k) { s->insert(k); }

// expect: inout([1]v)
void nested(std::vector<std::vector<std::string>> *v) { (*v)[0][1] = "x"; }

// expect: inout([1]from) out([1]to)
void move(std::string *from, std::string *to) { *to = std::move(*from); }

struct Record {
  std::string name;
  std::vector<double> data;
};

// expect: inout([1]r)
void members(Record *r, int i) {
  r->name = "x";
  r->data[i] = 3;
}
