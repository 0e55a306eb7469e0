// Conjugate gradients on a sparse matrix. A block of rows depends on just those blocks of the vector that its elements refer
// to, which a list names. The whole solver is submitted at once: scalars go from task to task, the host does not wait.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: cg [--side n] [--block n] [--iterations n] [--out picture.png], with side^2 unknowns.
#include "../common/Timer.h"
#include "Matrix.h"

// Block b of q. The list names the blocks of p that its rows refer to. No task writes the matrix, so no clause names it.
#pragma hsched task in({p[a->first(a->needs[b][k]) : a->length(a->needs[b][k])], k = 0; a->neighbours(b)}) \
    out(q[a->first(b) : a->length(b)]) reduction(+ : pq)
void multiply(const cg::Matrix *a, int b, const double *p, double *q, double &pq) {
  pq += cg::multiplyRows(a->first(b), a->length(b), a->begin.data(), a->column.data(), a->value.data(), p, q);
}

#pragma hsched task reduction(+ : next)
void advance(int n, const double *rr, const double *pq, const double *p, const double *q, double *x, double *r,
             double &next) {
  next += cg::advanceRows(n, *rr / *pq, p, q, x, r);
}

#pragma hsched task
void turn(int n, const double *next, const double *rr, const double *r, double *p) {
  cg::turnRows(n, *next / *rr, r, p);
}

int main(int argc, char **argv) {
  const cg::Setup s(argc, argv);
  if (!s.good)
    return 2;
  const cg::Matrix a(s);
  std::vector<double> r = cg::rightSide(s, a), p = r, q(s.n), x(s.n);
  std::vector<cg::Scalars> scalar(s.iterations + 1);
  for (double v : r)
    scalar[0].rr += v * v;
  samples::Timer timer;

  for (int it = 0; it < s.iterations; ++it) {
    cg::Scalars &now = scalar[it], &next = scalar[it + 1];
    for (int b = 0; b < s.blocks(); ++b)
      multiply(&a, b, p.data(), q.data(), now.pq);
    for (int b = 0; b < s.blocks(); ++b) {
      const int from = b * s.block;
      advance(s.length(b), &now.rr, &now.pq, &p[from], &q[from], &x[from], &r[from], next.rr);
    }
    for (int b = 0; b < s.blocks(); ++b)
      turn(s.length(b), &next.rr, &now.rr, &r[b * s.block], &p[b * s.block]);
  }
#pragma hsched taskwait
  timer.stop();
  return cg::report(s, x);
}
