// Conjugate gradients, as CG of the NAS Parallel Benchmarks: an iterative program with data shared by its queues.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   cg [--size N] [--queues N] [--iterations N] [--repeat N] [--off | --compare]
//
// Solves A x = b for a sparse, symmetric, positive definite matrix of N rows (default 16384). Each queue has a share of
// the rows. An iteration has three epochs; between them the host adds up the queues' scalar products. All queues read
// the vector p, and each writes a part of it: a sub-buffer.
#include "common.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace {

const char *Source = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define WIDTH 64
// The sum of the group's values, at its first work-item.
void sum(local double *part, double mine, global double *out) {
  int me = get_local_id(0);
  part[me] = mine;
  for (int span = WIDTH / 2; span; span /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < span)
      part[me] += part[me + span];
  }
  if (me == 0)
    out[get_group_id(0)] = part[0];
}
// q = A p for the rows from `first` on, and p q.
kernel __attribute__((reqd_work_group_size(WIDTH, 1, 1)))
void product(global const int *begin, global const int *column, global const double *value, global const double *p,
             global double *q, global double *pq, int first) {
  local double part[WIDTH];
  int row = get_global_id(0);
  double s = 0;
  for (int i = begin[row]; i < begin[row + 1]; ++i)
    s += value[i] * p[column[i]];
  q[row] = s;
  sum(part, s * p[first + row], pq);
}
// x += alpha p, r -= alpha q, and r r.
kernel __attribute__((reqd_work_group_size(WIDTH, 1, 1)))
void advance(global double *x, global double *r, global const double *p, global const double *q, double alpha,
          global double *rr) {
  local double part[WIDTH];
  int row = get_global_id(0);
  x[row] += alpha * p[row];
  double v = r[row] - alpha * q[row];
  r[row] = v;
  sum(part, v * v, rr);
}
// p = r + beta p.
kernel void direction(global const double *r, global double *p, double beta) {
  int row = get_global_id(0);
  p[row] = r[row] + beta * p[row];
}
)";

// Rows with the same columns relative to the diagonal; a_ij = a_ji.
struct Matrix {
  std::vector<int> Begin, Column;
  std::vector<double> Value;
  explicit Matrix(int N) {
    const int Offsets[] = {1, 7, 64, 501, 1023};
    auto At = [](int I, int J) {
      unsigned H = static_cast<unsigned>(std::min(I, J)) * 2654435761u + static_cast<unsigned>(std::max(I, J)) * 40503u;
      return -0.1 - 0.9 * static_cast<double>(H >> 8) / (1 << 24);
    };
    Begin.push_back(0);
    for (int I = 0; I != N; ++I) {
      double Sum = 1;
      for (int O : Offsets)
        for (int J : {I - O, I + O})
          if (J >= 0 && J < N) {
            Column.push_back(J);
            Value.push_back(At(I, J));
            Sum -= Value.back();
          }
      Column.push_back(I); // Makes the matrix diagonally dominant.
      Value.push_back(Sum);
      Begin.push_back(static_cast<int>(Column.size()));
    }
  }
};

using Vector = std::vector<double>;
double dot(const Vector &A, const Vector &B) { return std::inner_product(A.begin(), A.end(), B.begin(), 0.0); }

Vector serial(const Matrix &A, const Vector &B, int Iterations) {
  size_t N = B.size();
  Vector X(N), R = B, P = B, Q(N);
  double Rr = dot(R, R);
  for (int It = 0; It != Iterations; ++It) {
    for (size_t I = 0; I != N; ++I) {
      Q[I] = 0;
      for (int E = A.Begin[I]; E != A.Begin[I + 1]; ++E)
        Q[I] += A.Value[static_cast<size_t>(E)] * P[static_cast<size_t>(A.Column[static_cast<size_t>(E)])];
    }
    double Alpha = Rr / dot(P, Q);
    for (size_t I = 0; I != N; ++I) {
      X[I] += Alpha * P[I];
      R[I] -= Alpha * Q[I];
    }
    double Next = dot(R, R), Beta = Next / Rr;
    Rr = Next;
    for (size_t I = 0; I != N; ++I)
      P[I] = R[I] + Beta * P[I];
  }
  return X;
}

// The rows of one queue.
struct Share {
  cl_mem Begin, Column, Value, Q, X, R, P, Sums;
  Vector Host;
};

} // namespace

int main(int Argc, char **Argv) {
  const size_t N = static_cast<size_t>(sample::option(Argc, Argv, "--size", 16384L));
  const size_t NumQueues = static_cast<size_t>(sample::option(Argc, Argv, "--queues", 2L));
  const int Iterations = static_cast<int>(sample::option(Argc, Argv, "--iterations", 15L));
  const size_t Rows = N / NumQueues, Groups = Rows / 64;
  if (!Groups || N % (64 * NumQueues)) {
    std::fprintf(stderr, "cg: each queue needs a multiple of 64 rows\n");
    return 2;
  }
  auto Devices = sample::devices();
  cl_int Error;
  const cl_context_properties Scheduler[] = {CL_CONTEXT_SCHEDULER_HSCHED, CL_CONTEXT_SCHEDULER_AUTOFIT_HSCHED, 0}; // (*)
  sample::Session In(Devices, clCreateContext(Scheduler, static_cast<cl_uint>(Devices.size()), Devices.data(), nullptr,
                                              nullptr, &Error));
  sample::check(Error, "context");
  auto Make = [&](cl_device_id On, bool Mapped) {
    const cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, // (*)
                                     cl_queue_properties(Mapped ? CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED | CL_QUEUE_SCHED_ITERATIVE_HSCHED // (*)
                                            : CL_QUEUE_SCHED_OFF_HSCHED),
                                     0};
    cl_command_queue Q = clCreateCommandQueueWithProperties(In.Context, On, P, &Error);
    sample::check(Error, "queue");
    return Q;
  };
  In.build(Source, "");
  cl_kernel Product = In.kernel("product"), Step = In.kernel("advance"), Direction = In.kernel("direction");

  const Matrix A(static_cast<int>(N));
  Vector B(N);
  for (size_t I = 0; I != N; ++I)
    B[I] = 1 + static_cast<double>(I % 13) / 13;
  const Vector Wanted = serial(A, B, Iterations);
  cl_mem P = In.buffer(N * sizeof(double), B.data());
  std::vector<Share> All;
  for (size_t K = 0; K != NumQueues; ++K) {
    size_t First = K * Rows, FirstEntry = static_cast<size_t>(A.Begin[First]),
           Entries = static_cast<size_t>(A.Begin[First + Rows]) - FirstEntry, Bytes = Rows * sizeof(double);
    std::vector<int> Begin(A.Begin.begin() + static_cast<long>(First), A.Begin.begin() + static_cast<long>(First + Rows) + 1);
    for (int &E : Begin)
      E -= static_cast<int>(FirstEntry);
    All.push_back({In.buffer(Begin.size() * sizeof(int), Begin.data()),
                   In.buffer(Entries * sizeof(int), &A.Column[FirstEntry]),
                   In.buffer(Entries * sizeof(double), &A.Value[FirstEntry]), In.buffer(Bytes), In.buffer(Bytes),
                   In.buffer(Bytes), In.part(P, First * sizeof(double), Bytes), In.buffer(Groups * sizeof(double)),
                   Vector(Groups)});
  }

  auto Run = [&](const sample::Queues &Q, sample::Clock &Time) {
    const Vector Zeros(Rows);
    for (size_t K = 0; K != NumQueues; ++K) {
      const Vector Mine(B.begin() + static_cast<long>(K * Rows), B.begin() + static_cast<long>((K + 1) * Rows));
      sample::write(Q[K], All[K].X, Zeros);
      sample::write(Q[K], All[K].R, Mine);
      sample::write(Q[K], All[K].P, Mine);
    }
    auto Sums = [&] { // End of an epoch: the partial sums of each queue's groups.
      for (size_t K = 0; K != NumQueues; ++K)
        sample::read(Q[K], All[K].Sums, All[K].Host, false);
      for (cl_command_queue Its : Q)
        sample::check(clFlush(Its), "flush");
      double Sum = 0;
      for (size_t K = 0; K != NumQueues; ++K) {
        sample::check(clFinish(Q[K]), "finish");
        Sum += std::accumulate(All[K].Host.begin(), All[K].Host.end(), 0.0);
      }
      return Sum;
    };
    double Rr = dot(B, B);
    Time.begin();
    for (int It = 0; It != Iterations; ++It) {
      for (size_t K = 0; K != NumQueues; ++K) {
        const Share &S = All[K];
        sample::arguments(Product, S.Begin, S.Column, S.Value, P, S.Q, S.Sums, static_cast<int>(K * Rows));
        sample::launch(Q[K], Product, {Rows}, {64});
      }
      const double Alpha = Rr / Sums();
      for (size_t K = 0; K != NumQueues; ++K) {
        const Share &S = All[K];
        sample::arguments(Step, S.X, S.R, S.P, S.Q, Alpha, S.Sums);
        sample::launch(Q[K], Step, {Rows}, {64});
      }
      const double Next = Sums(), Beta = Next / Rr;
      Rr = Next;
      for (size_t K = 0; K != NumQueues; ++K) {
        sample::arguments(Direction, All[K].R, All[K].P, Beta);
        sample::launch(Q[K], Direction, {Rows}, {64});
      }
      for (cl_command_queue Its : Q)
        sample::check(clFlush(Its), "flush");
      for (cl_command_queue Its : Q) // All queues read what the others have written.
        sample::check(clFinish(Its), "finish");
    }
    Time.end();
    Vector X(N), Mine(Rows);
    for (size_t K = 0; K != NumQueues; ++K) {
      sample::read(Q[K], All[K].X, Mine);
      std::copy(Mine.begin(), Mine.end(), X.begin() + static_cast<long>(K * Rows));
    }
    double Largest = 0;
    for (size_t I = 0; I != N; ++I)
      Largest = std::max(Largest, std::fabs(X[I] - Wanted[I]));
    return Largest < 1e-9;
  };
  return sample::drive(Argc, Argv, "cg", In, NumQueues, Make, Run);
}
