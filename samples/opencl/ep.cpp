// A program shaped like EP of the NAS Parallel Benchmarks: counts pairs of normally distributed numbers by square
// annuli.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   ep [--log-pairs M] [--queues N] [--repeat N] [--off | --compare]
//
// Each queue computes its share of 2^M pairs (default M = 20). Only ten counts and two sums for each work-item are
// transferred, so computation dominates. The queues are compute-bound: their kernel is measured on each device by a few
// work-groups (minikernels). The lines marked with (*) are MultiCL's change: without them every queue stays
// on the first device.
//
// The generator is x' = 5^13 x mod 2^46, from 271828183, as in the benchmark. With --log-pairs 24 the sums are those
// published for class S.
#include "common.h" // (*) includes <CL/cl_hsched.h>.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>

namespace {

constexpr uint64_t Mask = (uint64_t(1) << 46) - 1, Seed = 271828183, Factor = 1220703125;
constexpr size_t Sums = 12; // Ten counts and two sums.

const char *Source = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define MASK ((1UL << 46) - 1)
double next(ulong *x) {
  *x = 1220703125UL * *x & MASK;
  return *x * 0x1p-46;
}
// Each work-item: `pairs` pairs, from the one with number (first + its id) * pairs on.
kernel void ep(global double *out, ulong first, uint pairs) {
  size_t me = get_global_id(0);
  ulong x = 271828183UL, step = 1220703125UL;
  for (ulong n = 2 * (first + me) * pairs; n; n >>= 1) { // x = seed * factor^n
    if (n & 1)
      x = step * x & MASK;
    step = step * step & MASK;
  }
  double sum[12]; // Ten counts and two sums.
  for (int i = 0; i < 12; ++i)
    sum[i] = 0;
  for (uint i = 0; i < pairs; ++i) {
    double a = 2 * next(&x) - 1, b = 2 * next(&x) - 1, t = a * a + b * b;
    if (t <= 1) {
      double r = sqrt(-2 * log(t) / t), gx = a * r, gy = b * r;
      int l = (int)fmax(fabs(gx), fabs(gy));
      for (int k = 0; k < 10; ++k)
        sum[k] += k == l;
      sum[10] += gx;
      sum[11] += gy;
    }
  }
  for (int i = 0; i < 12; ++i)
    out[me * 12 + i] = sum[i];
}
)";

struct Result {
  double Of[Sums] = {};
  bool equals(const Result &O) const {
    for (size_t I = 0; I != Sums; ++I)
      if (I < 10 ? Of[I] != O.Of[I] : std::fabs(Of[I] - O.Of[I]) > 1e-8 * std::fabs(O.Of[I]) + 1e-9)
        return false;
    return true;
  }
};

Result serial(uint64_t Pairs) {
  Result R;
  uint64_t X = Seed;
  auto Next = [&] {
    X = Factor * X & Mask;
    return static_cast<double>(X) * 0x1p-46;
  };
  for (uint64_t I = 0; I != Pairs; ++I) {
    double A = 2 * Next() - 1, B = 2 * Next() - 1, T = A * A + B * B;
    if (T > 1)
      continue;
    double Root = std::sqrt(-2 * std::log(T) / T), Gx = A * Root, Gy = B * Root;
    R.Of[static_cast<size_t>(std::fmax(std::fabs(Gx), std::fabs(Gy)))] += 1;
    R.Of[10] += Gx;
    R.Of[11] += Gy;
  }
  return R;
}

} // namespace

int main(int Argc, char **Argv) {
  const long LogPairs = sample::option(Argc, Argv, "--log-pairs", 20L);
  const size_t NumQueues = static_cast<size_t>(sample::option(Argc, Argv, "--queues", 4L));
  const cl_uint PerItem = 1u << std::min(10L, LogPairs / 2);
  const uint64_t Items = (uint64_t(1) << LogPairs) / PerItem, Share = Items / NumQueues;
  if (!Share || Items % NumQueues) {
    std::fprintf(stderr, "ep: the queues do not share 2^%ld pairs evenly\n", LogPairs);
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
                                     cl_queue_properties(Mapped ? CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED | CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED // (*)
                                            : CL_QUEUE_SCHED_OFF_HSCHED),
                                     0};
    cl_command_queue Q = clCreateCommandQueueWithProperties(In.Context, On, P, &Error);
    sample::check(Error, "queue");
    return Q;
  };
  In.build(Source, "");
  cl_kernel Ep = In.kernel("ep");
  std::vector<cl_mem> Out;
  for (size_t Q = 0; Q != NumQueues; ++Q)
    Out.push_back(In.buffer(Share * Sums * sizeof(double)));

  const Result Wanted = serial(uint64_t(1) << LogPairs);
  if (LogPairs == 24) {
    Result Published = Wanted;
    Published.Of[10] = -3.247834652034740e3;
    Published.Of[11] = -6.958407078382297e3;
    std::printf("ep: the serial sums are %s of class S\n", Wanted.equals(Published) ? "those" : "NOT those");
  }
  auto Run = [&](const sample::Queues &Q, sample::Clock &Time) {
    std::vector<std::vector<double>> Parts(NumQueues, std::vector<double>(Share * Sums));
    Time.begin();
    for (size_t I = 0; I != NumQueues; ++I) {
      sample::arguments(Ep, Out[I], cl_ulong(Share * I), PerItem);
      sample::launch(Q[I], Ep, {Share}, {std::gcd(Share, uint64_t(64))});
      sample::read(Q[I], Out[I], Parts[I], false);
    }
    for (cl_command_queue Its : Q)
      sample::check(clFlush(Its), "flush");
    for (cl_command_queue Its : Q)
      sample::check(clFinish(Its), "finish");
    Time.end();
    Result Sum;
    for (const auto &P : Parts)
      for (size_t I = 0; I != P.size(); ++I)
        Sum.Of[I % Sums] += P[I];
    return Sum.equals(Wanted);
  };
  return sample::drive(Argc, Argv, "ep", In, NumQueues, Make, Run);
}
