// Tasks on statements in every place where one can stand, and with every kind of capture. Prints what it computes, so
// that it can be compared with the serial program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Recursion, with results in variables of the frame.
static long fib(int n) {
  if (n < 2)
    return n;
  long x, y;
#pragma hsched task out(x)
  x = fib(n - 1);
#pragma hsched task out(y)
  { y = fib(n - 2); }
#pragma hsched taskwait
  return x + y;
}

static long cutFib(int n) {
  if (n < 2)
    return n;
  long x, y;
#pragma hsched task out(x) final(n < 8) label("cut")
  x = cutFib(n - 1);
#pragma hsched task out(y) if(n > 4) cost(n)
  y = cutFib(n - 2);
#pragma hsched taskwait
  return x + y;
}

// Templates: types that only an instance knows.
template <class T> T total(T *p, int n) {
  T s = 0;
  for (int i = 0; i < n; ++i)
#pragma hsched task inout(s) in(p[i:1])
    s += p[i];
#pragma hsched taskwait
  return s;
}
template <class C> typename C::value_type ends(C &c) {
  typename C::value_type first{}, last{};
  auto at = c.begin();
#pragma hsched task out(first) in(c)
  first = *at;
  auto data = c.data(); // A pointer by way of 'auto': its value is what counts.
  auto n = c.size();
#pragma hsched task out(last) in([n]data)
  {
    auto copy = data[n - 1];
    last = copy;
  }
  data = nullptr;
#pragma hsched taskwait
  return first * 10 + last;
}
template <class... A> int packed(A... a) {
  int sum = 0;
#pragma hsched task inout(sum)
  sum += (0 + ... + a);
#pragma hsched taskwait
  return sum;
}

// Members: 'this' is a pointer.
struct Counter {
  int count = 0, step = 1;
  std::vector<int> log;
  void add(int by) {
#pragma hsched task inout(count) in(step)
    count += by * step;
#pragma hsched task in(count) inout(log, step)
    {
      log.push_back(count);
      remember();
    }
  }
  void remember() { ++step; }
  template <class T> void scale(T by) {
#pragma hsched task inout(this->count)
    this->count *= by;
  }
  static void twice(int &x) {
#pragma hsched task inout(x)
    x *= 2;
  }
};
template <class T> struct Cell {
  T value{};
  void set(T to) {
#pragma hsched task inout(value)
    {
      value = to;
      bump();
    }
  }
  void bump() { value += 1; }
};

struct Big {
  int numbers[16];
  std::string name;
};

static void captures() {
  int results[12] = {};
  // By value: what it is when the task is submitted.
  for (int i = 0; i < 3; ++i) {
    int square = i * i;
#pragma hsched task out(results[i:1])
    results[i] = square + i;
    square = -1;
  }
  Big big{{1, 2, 3}, "big"};
#pragma hsched task out(results[3])
  results[3] = big.numbers[2] + static_cast<int>(big.name.size());
  big.numbers[2] = 100;
  int array[3] = {5, 6, 7};
#pragma hsched task out(results[4])
  results[4] = array[0] + array[1] + array[2];
  array[0] = 0;
  int target = 8;
  int &reference = target;
#pragma hsched task out(results[5])
  results[5] = reference;
  target = 9;
#pragma hsched task inout(reference)
  reference += 1;
  constexpr int Size = 4;
  const int Other = 3;
#pragma hsched task out(results[6])
  {
    int local[Size] = {Other, 1, 1, 1};
    results[6] = std::accumulate(local, local + Size, std::max(Size, Other));
  }
  std::vector<int> vector{1, 2, 3};
#pragma hsched task out(results[7])
  {
    vector.push_back(4); // A copy, and only used here.
    results[7] = std::accumulate(vector.begin(), vector.end(), 0);
  }
  std::unique_ptr<int> owner = std::make_unique<int>(41);
#pragma hsched task inout(owner) out(results[8])
  {
    ++*owner;
    results[8] = *owner;
  }
  std::map<std::string, int> table{{"a", 1}};
#pragma hsched task inout(table)
  table["b"] = 2;
#pragma hsched task in(table) out(results[9])
  results[9] = static_cast<int>(table.size());
  auto [first, second] = std::pair(3, 4);
#pragma hsched task out(results[10])
  results[10] = first * second;
#pragma hsched task inout(second)
  second += 1;
  std::span<int> view(results);
#pragma hsched task inout(view[11:1])
  view[11] = 11;
  view = {};
#pragma hsched taskwait
  for (int r : results)
    std::printf("%d ", r);
  std::printf("target %d second %d\n", target, second);
}

// Statements of all kinds.
static int statements(int n) {
  int a[10] = {};
#pragma hsched task out(a[0])
  if (n > 2)
    a[0] = 1;
  else
    a[0] = 2;
#pragma hsched task inout(a[1])
  for (int i = 0; i < n; ++i) {
    if (i == 2)
      continue;
    if (i == 5)
      break;
    a[1] += i;
  }
#pragma hsched task out(a[2])
  switch (n) {
  case 7:
    a[2] = 70;
    break;
  default:
    a[2] = 1;
  }
#pragma hsched task inout(a[3])
  do {
    ++a[3];
  } while (a[3] < n);
#pragma hsched task out(a[4])
  try {
    throw n;
  } catch (int caught) {
    a[4] = caught;
  }
#pragma hsched task inout(a[5])
  {
    auto square = [](int x) { return x * x; };
    int i = 0;
  again:
    a[5] += square(i);
    if (++i < 3)
      goto again;
  }
#pragma hsched task inout(a[6])
  for (int x : {1, 2, 3})
    a[6] += x;
  // Where a directive is not inside braces.
  if (n > 100)
#pragma hsched task out(a[7])
    a[7] = 1;
  else
#pragma hsched task out(a[7])
    a[7] = 2;
  switch (n) {
  case 7:
#pragma hsched task out(a[8])
    a[8] = 8;
    break;
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
#pragma hsched task inout(a[9])
      a[9] = a[9] * 3 + i + j;
#pragma hsched taskwait
  return std::accumulate(a, a + 10, 0, [](int sum, int x) { return sum * 7 + x; });
}

// Loops over what is captured: by value over a copy, by reference over a copy or the variable itself.
static int first_plus_size(std::vector<int> &v) { return v[0] + static_cast<int>(v.size()); }
static int ranges() {
  int coef[3] = {1, 2, 3}, own[3] = {1, 1, 1}, sums[4] = {};
  std::vector<int> vector{4, 5};
  std::map<int, int> table{{1, 2}, {3, 4}};
  std::pair<int, int> pair(7, 8);
#pragma hsched task inout(sums[0])
  for (int c : coef)
    sums[0] += c;
#pragma hsched task inout(sums[1])
  {
    for (int &c : coef)
      sums[1] += c;
    for (auto &c : vector)
      sums[1] = sums[1] * 10 + c;
  }
#pragma hsched task inout(sums[2])
  {
    for (auto &[key, value] : table)
      sums[2] += key * value;
    auto &[first, second] = pair;
    sums[2] += first * second + first_plus_size(vector);
  }
#pragma hsched task inout(own) inout(vector)
  {
    for (int &c : own)
      c *= 3;
    for (auto &c : vector)
      c += own[0];
  }
  coef[0] = 100;
  table[1] = 100;
  pair = {};
#pragma hsched task in(own) in(vector) inout(sums[3])
  for (int c : own)
    for (int d : vector)
      sums[3] += c * d;
#pragma hsched taskwait
  return sums[0] + 10 * sums[1] + 100000 * sums[2] + 7 * sums[3] + coef[1] + table[3] + pair.first + vector[1];
}

// Tasks in tasks, tasks in lambdas, lambdas in tasks.
static int nested(int n) {
  int total = 0;
#pragma hsched task inout(total)
  {
    int part[4] = {};
    for (int i = 0; i < 4; ++i)
#pragma hsched task out(part[i:1])
    {
      int inner = 0;
#pragma hsched task inout(inner)
      inner = n * i;
#pragma hsched taskwait
      part[i] = inner;
    }
#pragma hsched taskwait
    for (int p : part)
      total += p;
  }
  auto add = [&total](int by) {
#pragma hsched task inout(total)
    total += by;
  };
  add(5);
  [&, n] {
#pragma hsched task inout(total)
    {
      auto twice = [&](int x) { return x * 2 + n; };
      total = twice(total);
    }
  }();
  [by = n + 1, &total](auto more) {
#pragma hsched task inout(total)
    total += by + static_cast<int>(more);
  }(2.5);
  struct Local {
    int *where;
    void run(int by) {
#pragma hsched task inout(*where)
      *where += by;
    }
  };
  Local{&total}.run(3);
#pragma hsched taskwait
  return total;
}

static int exceptions() {
  int seen = 0;
  for (int i = 0; i < 2; ++i) {
    try {
#pragma hsched task
      if (i == 1)
        throw std::runtime_error("from a block");
#pragma hsched taskwait
      seen += 1;
    } catch (const std::runtime_error &e) {
      seen += std::string(e.what()) == "from a block" ? 10 : 1000;
    }
  }
  return seen;
}

#define ADD(x, y) x += y
#define TWICE(statement) \
  statement;             \
  statement
static int macros() {
  int x = 1;
#pragma hsched task inout(x)
  ADD(x, 3);
#pragma hsched task inout(x)
  {
    TWICE(ADD(x, 10));
  }
#pragma hsched taskwait
  return x;
}

extern "C" void fromC(int n, int *p) {
#pragma hsched task inout([n]p)
  for (int i = 0; i < n; ++i)
    p[i] *= 2;
}

// A function that is a task has tasks inside.
#pragma hsched task inout([n]p)
void outer(int n, int *p) {
  for (int i = 0; i < n; i += 2)
#pragma hsched task inout(p[i:2])
  {
    p[i] += 1;
    p[i + 1] += 2;
  }
#pragma hsched taskwait
}

// What is inferred over captured references is called as they are.
struct Shape { int rows, cols; };
static int references(const int &n, Shape &s, int *p, int *q) {
  int &more = s.cols;
#pragma hsched task
  for (int i = 0; i < n; ++i)
    p[i] = i;
#pragma hsched task
  for (int i = 0; i < s.rows; ++i)
    q[i] = p[i] + more;
#pragma hsched taskwait
  return p[n - 1] + q[s.rows - 1];
}

// Rows and elements of what is not a variable of the function: the numbers that pick them are copied.
namespace board {
double table[8][8][2];
int cells[16];
} // namespace board
static int &cellOf(int i) { return board::cells[15 - i]; }
static int parts() {
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
#pragma hsched task out(board::table[i][j])
      board::table[i][j][0] = board::table[i][j][1] = i * j;
  for (int i = 0; i < 16; ++i) {
#pragma hsched task out(board::cells[i])
    board::cells[i] = i;
#pragma hsched task inout((&board::cells[0] + i)[0:1])
    board::cells[i] *= 3;
  }
  for (int i = 0; i < 16; ++i) {
#pragma hsched task inout(cellOf(i))
    cellOf(i) += i;
  }
#pragma hsched taskloop inout(board::table[i]) grainsize(3)
  for (int i = 0; i < 8; ++i)
    board::table[i][7][1] += i;
  int last = 0;
  for (int i = 0; i < 16; ++i) {
    int &each = board::cells[i];
#pragma hsched task in(each) inout(last)
    last = last * 3 % 1009 + each;
  }
#pragma hsched taskwait
  double sum = last;
  for (auto &row : board::table)
    for (auto &pair : row)
      sum += pair[0] * 2 + pair[1];
  return static_cast<int>(sum);
}

int main() {
  std::printf("parts %d\n", parts());
  std::printf("fib %ld %ld\n", fib(15), cutFib(16));
  double d[] = {1, 2, 3};
  long l[] = {4, 5};
  std::printf("total %g %ld\n", total(d, 3), total(l, 2));
  std::vector<int> v{7, 8, 9};
  std::array<double, 2> a{1.5, 2.5};
  std::printf("ends %d %g\n", ends(v), ends(a));
  std::printf("packed %d\n", packed(1, 2L, short(3)));
  Counter c;
  c.add(1), c.add(2), c.scale(3), c.add(4);
  int twice = 4;
  Counter::twice(twice);
  Cell<int> ci;
  Cell<double> cd;
  ci.set(3), cd.set(2.5);
#pragma hsched taskwait
  std::printf("counter %d %zu %d twice %d cells %d %g\n", c.count, c.log.size(), c.log.back(), twice, ci.value, cd.value);
  captures();
  std::printf("statements %d %d\n", statements(7), statements(1));
  std::printf("ranges %d\n", ranges());
  std::printf("nested %d\n", nested(3));
  std::printf("exceptions %d\n", exceptions());
  std::printf("macros %d\n", macros());
  int many[30], others[30], number = 30;
  Shape shape{20, 7};
  std::printf("references %d\n", references(number, shape, many, others));
  int p[4] = {1, 2, 3, 4};
  fromC(4, p);
  outer(4, p);
#pragma hsched taskwait
  std::printf("c %d %d %d %d\n", p[0], p[1], p[2], p[3]);
}
