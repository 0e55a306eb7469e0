// One runtime's side of the comparison: every pattern, over the adapter that BENCH_ADAPTER names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bench-<runtime> <pattern> <threads> [rounds [divisor]]
//
// Prints "<value> <ok or WRONG> <CPU time>", the value a median over the rounds: ns a task; for `metg` us of
// granularity; for `fibonacci` the time relative to the same calls without tasks; for `memory` bytes a task; for
// `readers` and `overlapping` a growth; for `cholesky` the speed relative to OpenBLAS's dpotrf with as many threads.
// The CPU time is the process's in ns a task, or 0: it means more than wall time on a machine that does other things as
// well. Prints "-" where the runtime cannot do the pattern.
#include BENCH_ADAPTER

#include "patterns/Backlog.h"
#include "patterns/Cholesky.h"
#include "patterns/Fibonacci.h"
#include "patterns/Grids.h"
#include "patterns/Simple.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace bench;

namespace {

struct Options {
  const char *Pattern;
  unsigned Threads;
  size_t Rounds, Divisor;
};

struct Outcome {
  double Value;
  bool Right;
  double CpuNs = 0;
};

template <class Pattern> Outcome nsPerTask(const Options &O) {
  Pattern P(O.Divisor);
  P.run(); // warms up
  std::vector<double> Rounds, Cpu;
  for (size_t I = 0; I < O.Rounds; ++I) {
    size_t Tasks = 0;
    double CpuBegin = cpuNs(), Ns = nsOf([&] { Tasks = P.run(); });
    Rounds.push_back(Ns / static_cast<double>(Tasks));
    Cpu.push_back((cpuNs() - CpuBegin) / static_cast<double>(Tasks));
  }
  return {median(Rounds), P.right(), median(Cpu)};
}

// In CPU time, which with one thread is wall time where nothing else runs.
Outcome fibonacci(const Options &O) {
  std::vector<double> Serial;
  for (size_t I = 0; I < 20; ++I) {
    uint64_t Result = 0;
    double Begin = cpuNs();
    Fibonacci::serial(Fibonacci::Of, &Result);
    Serial.push_back((cpuNs() - Begin) / 150049);
    if (Result != 46368)
      return {0, false};
  }
  Outcome Tasks = nsPerTask<Fibonacci>(O);
  if (O.Threads == 1)
    Tasks.Value = Tasks.CpuNs;
  return {Tasks.Value / median(Serial), Tasks.Right, Tasks.CpuNs};
}

// Task Bench: the granularity (wall time times threads, by tasks) at which work is done at half of the peak rate. Peak
// is the best rate that this runtime reached at any grain; grains halve until less than half of it is left.
Outcome metg(const Options &O) {
  using Pattern = StencilOf<true>;
  constexpr uint64_t Coarsest = 65536;
  double Alone = 0, Peak = 0; // iterations a ns of one thread
  for (int I = 0; I < 5; ++I)
    Alone = std::max(Alone, 1e6 / nsOf([] { (void)burn(1000000, 1); }));
  std::vector<std::pair<double, double>> Points; // rate of one thread, granularity in ns
  bool Right = true;
  for (uint64_t Grain = Coarsest; Grain >= 16; Grain /= 2) {
    Pattern::Grain = Grain;
    // About 40 ms of work a round, but enough steps to fill the pipeline.
    auto Steps = static_cast<size_t>(40e6 * Alone / static_cast<double>(Grain * Pattern::Width));
    Pattern P(1, std::clamp<size_t>(Steps, 16, 500) / 2 * 2);
    P.run();
    std::vector<double> Rounds;
    size_t Tasks = 0;
    for (size_t I = 0; I < O.Rounds; ++I)
      Rounds.push_back(nsOf([&] { Tasks = P.run(); }));
    double Granularity = median(Rounds) * O.Threads / static_cast<double>(Tasks);
    double Rate = static_cast<double>(Grain) / Granularity;
    Right &= P.right();
    Peak = std::max(Peak, Rate);
    Points.emplace_back(Rate, Granularity);
    if (Rate < Peak * 0.5)
      break;
  }
  for (size_t I = 0; I < Points.size(); ++I) {
    if (Points[I].first >= Peak * 0.5)
      continue;
    // Between the two grains on either side, on logarithms.
    auto [High, Above] = Points[I - 1];
    auto [Low, Below] = Points[I];
    double Share = (std::log(Peak * 0.5) - std::log(Low)) / (std::log(High) - std::log(Low));
    return {std::exp(std::log(Below) + Share * (std::log(Above) - std::log(Below))) / 1000, Right};
  }
  return {Points.back().second / 1000, Right}; // above a half at the finest grain too
}

Outcome memory() {
  Waiting W;
  double Bytes = W.bytesEach();
  return {Bytes, W.right()};
}

// How much more a task costs with a backlog of a million than with one of ten thousand. Only for a runtime whose
// sections are ranges, with one thread and no window.
template <class Pattern> Outcome growth() {
  bool Right = true;
  auto nsEach = [&](size_t Count) {
    Pattern P(Count);
    double Begin = cpuNs(); // one thread: the same as wall time where nothing else runs
    P.run();
    double Ns = (cpuNs() - Begin) / static_cast<double>(Count);
    Right &= P.right();
    return Ns;
  };
  std::vector<double> Few;
  for (int I = 0; I < 5; ++I)
    Few.push_back(nsEach(10000));
  return {nsEach(1000000) / median(Few), Right};
}

// For each of the rounds, before the runtime starts.
std::vector<double> dpotrfNs(const Options &O, Cholesky &C) {
  std::vector<double> Ns;
  C.referenceNs(static_cast<int>(O.Threads));
  for (size_t I = 0; I < O.Rounds; ++I)
    Ns.push_back(C.referenceNs(static_cast<int>(O.Threads)));
  return Ns;
}

Outcome cholesky(const Options &O, Cholesky &C, const std::vector<double> &DpotrfNs) {
  std::vector<double> Ns;
  C.adopt();
  C.ns();
  for (size_t I = 0; I < O.Rounds; ++I)
    Ns.push_back(C.ns());
  C.disown();
  return {median(DpotrfNs) / median(Ns), C.right()};
}

bool measure(const Options &O, Outcome &Result) {
  auto is = [&](const char *Name) { return std::strcmp(O.Pattern, Name) == 0; };
  if (is("independent"))
    Result = nsPerTask<Independent>(O);
  else if (is("chain"))
    Result = nsPerTask<Chain>(O);
  else if (is("stencil"))
    Result = nsPerTask<Stencil>(O);
  else if (is("fork-join"))
    Result = nsPerTask<ForkJoin>(O);
  else if (is("tree"))
    Result = nsPerTask<Tree>(O);
  else if (is("butterfly"))
    Result = nsPerTask<Butterfly>(O);
  else if (is("random"))
    Result = nsPerTask<RandomDag>(O);
  else if (is("metg"))
    Result = metg(O);
  else if (is("memory") && O.Threads > 1)
    Result = memory();
  else if (is("readers") && O.Threads == 1 && rt::TracksRanges)
    Result = growth<Readers>();
  else if (is("overlapping") && O.Threads == 1 && rt::TracksRanges)
    Result = growth<Overlapping>();
  else if (is("fibonacci")) {
    if constexpr (rt::NestedWaits)
      Result = fibonacci(O);
    else
      return false;
  } else
    return false;
  return true;
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 3) {
    std::fprintf(stderr, "usage: %s pattern threads [rounds [divisor]]\n", Argv[0]);
    return 2;
  }
  auto number = [&](int I, unsigned long Default) {
    return Argc > I ? std::max(1ul, std::strtoul(Argv[I], nullptr, 10)) : Default;
  };
  Options O{Argv[1], static_cast<unsigned>(number(2, 1)), number(3, 3), number(4, 1)};
  Outcome Result{};
  bool Able = true;
  if (std::strcmp(O.Pattern, Cholesky::Name) == 0) {
    Cholesky C;
    std::vector<double> DpotrfNs = dpotrfNs(O, C);
    rt::start(O.Threads);
    Result = cholesky(O, C, DpotrfNs);
  } else {
    rt::start(O.Threads);
    Able = measure(O, Result);
  }
  rt::stop();
  if (Able)
    std::printf("%.4f %s %.4f\n", Result.Value, Result.Right ? "ok" : "WRONG", Result.CpuNs);
  else
    std::printf("-\n");
  return Able && !Result.Right ? 1 : 0;
}
