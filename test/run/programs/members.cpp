// Tasks that are members: virtual ones, of class templates, over data that are members; versions of them; a kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdio>
#include <vector>
struct Base {
  virtual ~Base() = default;
  std::vector<int> v = std::vector<int>(64, 1);
#pragma hsched task inout(v)
  virtual void step(int by);
};
void Base::step(int by) { for (int &x : v) x += by; }
class Derived final : public Base {
  int *data_; int n_;
public:
  explicit Derived(int n) : data_(new int[n]), n_(n) { for (int i = 0; i < n; ++i) data_[i] = i; }
  ~Derived() { delete[] data_; }
  Derived(const Derived &) = delete;
#pragma hsched task inout(v[0:8]) inout([n_]data_)
  virtual void step(int by = 3) override final { for (int i = 0; i < 8; ++i) v[i] *= by; for (int i = 0; i < n_; ++i) data_[i] += v[0]; }
#pragma hsched task in([n_]data_, v) out(*r)
  void sum(long *r) const & noexcept { *r = 0; for (int i = 0; i < n_; ++i) *r += data_[i]; for (int x : v) *r += x; }
#pragma hsched task inout([n_]data_)
  void triple(int by) { for (int i = 0; i < n_; ++i) data_[i] *= by; }
#pragma hsched implements(triple) device(opencl) kernel("members.cl") ndrange(n_) args(data_, by, n_)
  void triple_cl(int by);
#pragma hsched implements(sum)
  void sum2(long *r) const { *r = 0; for (int x : v) *r += x; for (int i = 0; i < n_; ++i) *r += data_[i]; }
  int *data() { return data_; }
};
template <class T> struct Box {
  T x, y[4];
#pragma hsched task inout(*this)
  void twice();
#pragma hsched task inout(x) in([4]y)
  template <class U> void add(U by) { for (T e : y) x += e * static_cast<T>(by); }
#pragma hsched implements(twice)
  void twice_b() { x += x; for (T &e : y) e += e; }
};
template <class T> void Box<T>::twice() { x *= 2; for (T &e : y) e *= 2; }
// Members that take objects of their own class, which is not complete before its end.
struct Vec {
  double v[3];
  double rows[2][3] = {};
#pragma hsched task inout(v)
  void add(Vec by) { for (int i = 0; i < 3; ++i) v[i] += by.v[i]; }
#pragma hsched task inout(v)
  void addAll(const std::vector<Vec> all, std::array<Vec, 2> more) {
    for (const Vec &each : all) for (int i = 0; i < 3; ++i) v[i] += each.v[i] - more[1].v[i];
  }
#pragma hsched task inout(*o)
  static void mix(int k, Vec by, Vec *o) { o->v[0] += k * by.v[1]; }
#pragma hsched task inout(v)
  template <class U, class... More> void addSome(U u, Vec by, More... more) { v[1] += u * by.v[2] + (more + ...); }
#pragma hsched task out(rows[i])
  void row(int i) { for (int j = 0; j < 3; ++j) rows[i][j] = i + j; }
  void fill() {
    for (int i = 0; i < 2; ++i) {
#pragma hsched task out(rows[i])
      for (double &each : rows[i]) each = 10 + i;
    }
#pragma hsched taskwait
  }
  struct Inner {
    int k;
#pragma hsched task in(k) inout(o)
    void scale(Vec by, Inner other, Vec &o) { o.v[2] *= by.v[0] + k * other.k; }
  };
};
static void vectors() {
  Vec a{{1, 2, 3}}, b{{4, 5, 6}}, o{};
  o.add(b), o.addAll({a, b}, {a, b}), Vec::mix(3, a, &o), o.addSome(2, b, 1, 2.5f);
  Vec::Inner{2}.scale(a, {3}, o);
  a.fill(), b.row(0), b.row(1);
#pragma hsched taskwait
  std::printf("%g %g %g %g %g\n", o.v[0], o.v[1], o.v[2], a.rows[1][2], b.rows[1][2]);
}
int main() {
  vectors();
  Derived d(10); Base &b = d;
  long r, q;
  for (int i = 0; i < 5; ++i) { b.step(2); d.Base::step(1); d.sum(&r); d.step(); d.triple(i - 2); d.sum(&q); }
#pragma hsched taskwait on(r)
  std::printf("%ld\n", r);
#pragma hsched taskwait
  std::printf("%ld %d\n", q, d.data()[3]);
  Box<double> x{1, {1, 2, 3, 4}};
  for (int i = 0; i < 5; ++i) { x.twice(); x.add(1); x.add(2.5f); }
#pragma hsched taskwait
  std::printf("%g %g\n", x.x, x.y[2]);
}
