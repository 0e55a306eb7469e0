// The same with OpenMP: three parallel loops for each iteration.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/Timer.h"
#include "Matrix.h"

int main(int argc, char **argv) {
  const cg::Setup s(argc, argv);
  if (!s.good)
    return 2;
  const cg::Matrix a(s);
  std::vector<double> r = cg::rightSide(s, a), p = r, q(s.n), x(s.n);
  double rr = 0;
  for (double v : r)
    rr += v * v;
  samples::Timer timer;

  for (int it = 0; it < s.iterations; ++it) {
    double pq = 0, next = 0;
#pragma omp parallel for reduction(+ : pq)
    for (int b = 0; b < s.blocks(); ++b)
      pq += cg::multiplyRows(b * s.block, s.length(b), a.begin.data(), a.column.data(), a.value.data(), p.data(), q.data());
#pragma omp parallel for reduction(+ : next)
    for (int b = 0; b < s.blocks(); ++b) {
      const int from = b * s.block;
      next += cg::advanceRows(s.length(b), rr / pq, &p[from], &q[from], &x[from], &r[from]);
    }
#pragma omp parallel for
    for (int b = 0; b < s.blocks(); ++b)
      cg::turnRows(s.length(b), next / rr, &r[b * s.block], &p[b * s.block]);
    rr = next;
  }
  timer.stop();
  return cg::report(s, x);
}
