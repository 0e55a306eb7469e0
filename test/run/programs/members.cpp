// Tasks that are members: virtual ones, of class templates, over data that are members; versions of them; a kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
int main() {
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
