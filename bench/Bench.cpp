// One runtime's side of the comparison: every pattern, over the adapter that BENCH_ADAPTER names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bench-<runtime> <pattern> <threads> [rounds [divisor]]
//   bench-<runtime> version
//
// Prints "<value> <ok or WRONG> <CPU time> [<name>=<figure>]...". The value is a median over the rounds, in ns a task
// unless listed here:
//   `metg`                     us of granularity
//   `fibonacci`                the time relative to the same calls without tasks
//   `memory`                   bytes a task
//   `live-data`                bytes a datum
//   `readers`, `overlapping`   a growth
//   `cholesky`                 the speed relative to OpenBLAS's dpotrf with as many threads
//   `idle`                     percent of a core; rounds are seconds
//
// The CPU time is the process's in ns a task, or 0. Compare it, and not wall time, on a machine with other load. `metg`
// adds the curve, "<grain>=<ns of granularity>". `work` adds the ns that a task's work takes alone. Prints "-" if the
// runtime cannot do the pattern.
#include BENCH_ADAPTER

#include "patterns/Accesses.h"
#include "patterns/Backlog.h"
#if BENCH_BLAS
#include "patterns/Cholesky.h"
#endif
#include "patterns/Fibonacci.h"
#include "patterns/Grids.h"
#include "patterns/Idle.h"
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
  std::string More = {};
};

template <class Pattern> Outcome nsPerTask(const Options &O) {
  Pattern P(O.Divisor);
  P.run(); // Warms up.
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

// Task Bench: the granularity (wall time times threads, by tasks) at which work is done at half of the peak rate. Here
// the peak is the best rate that this runtime reached at any grain. The whole curve is for compare.py, which knows the
// best of all runtimes. Grains halve until less than a third of the rate is left, since another's peak may be higher.
Outcome metg(const Options &O) {
  using Pattern = StencilOf<Work::Iterations>;
  constexpr uint64_t Coarsest = 65536;
  double Alone = 0, Peak = 0; // Iterations a ns of one thread.
  for (int I = 0; I < 5; ++I)
    Alone = std::max(Alone, 1e6 / nsOf([] { (void)burn(1000000, 1); }));
  Outcome Result{0, true};
  std::vector<std::pair<double, double>> Points; // Rate of one thread, granularity in ns.
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
    Result.Right &= P.right();
    Peak = std::max(Peak, Rate);
    Points.emplace_back(Rate, Granularity);
    Result.More += " " + std::to_string(Grain) + "=" + std::to_string(Granularity);
    if (Rate < Peak / 3)
      break;
  }
  for (size_t I = 1; I < Points.size(); ++I) {
    auto [High, Above] = Points[I - 1];
    auto [Low, Below] = Points[I];
    if (Low >= Peak * 0.5 || High < Peak * 0.5)
      continue;
    // Between the two grains on either side, on logarithms.
    double Share = (std::log(Peak * 0.5) - std::log(Low)) / (std::log(High) - std::log(Low));
    Result.Value = std::exp(std::log(Below) + Share * (std::log(Above) - std::log(Below))) / 1000;
    return Result;
  }
  Result.Value = Points.back().second / 1000; // Above a half at the finest grain too.
  return Result;
}

// The stencil with tasks of 1 us each.
Outcome work(const Options &O) {
  using Pattern = StencilOf<Work::Ticks>;
  Pattern::Grain = static_cast<uint64_t>(ticksOfNs(1000));
  constexpr int Times = 2000;
  double Alone = nsOf([] {
                   for (int I = 0; I < Times; ++I)
                     spin(Pattern::Grain);
                 }) /
                 Times;
  Outcome Result = nsPerTask<Pattern>(O);
  Result.More = " alone=" + std::to_string(Alone);
  return Result;
}

Outcome idle(const Options &O) {
  Idle I(static_cast<double>(O.Rounds));
  I.run();
  return {I.worst(), I.right(), 0, I.text()};
}

Outcome liveData(const Options &O) {
  LiveData L(O.Divisor);
  double Bytes = L.bytesEach();
  return {Bytes, L.right()};
}

Outcome memory() {
  Waiting W;
  double Bytes = W.bytesEach();
  return {Bytes, W.right()};
}

// How much more a task costs with a backlog of a million than with one of ten thousand. Only for a runtime whose
// sections are ranges, with two threads and no window.
template <class Pattern> Outcome growth() {
  bool Right = true;
  auto nsEach = [&](size_t Count) {
    Pattern P(Count);
    double Begin = cpuNs();
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

#if BENCH_BLAS
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
#endif

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
  else if (is("work"))
    Result = work(O);
  else if (is("idle"))
    Result = idle(O);
  else if (is("memory") && O.Threads > 1)
    Result = memory();
  else if (is("live-data") && O.Threads > 1 && rt::TracksData)
    Result = liveData(O);
  else if (is("readers") && O.Threads == 2 && rt::TracksRanges)
    Result = growth<Readers>();
  else if (is("overlapping") && O.Threads == 2 && rt::TracksRanges)
    Result = growth<Overlapping>();
  else if (is("fibonacci")) {
    if constexpr (rt::NestedWaits)
      Result = fibonacci(O);
    else
      return false;
  } else
    return withAccesses(O.Pattern, [&]<class Pattern>() { Result = nsPerTask<Pattern>(O); });
  return true;
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc == 2 && std::strcmp(Argv[1], "version") == 0) {
    std::printf("%s\n", rt::version().c_str());
    return 0;
  }
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
#if BENCH_BLAS
  if (std::strcmp(O.Pattern, Cholesky::Name) == 0) {
    Cholesky C;
    std::vector<double> DpotrfNs = dpotrfNs(O, C);
    rt::start(O.Threads);
    Result = cholesky(O, C, DpotrfNs);
  } else
#endif
  {
    rt::start(O.Threads);
    Able = measure(O, Result);
  }
  rt::stop();
  if (Able)
    std::printf("%.4f %s %.4f%s\n", Result.Value, Result.Right ? "ok" : "WRONG", Result.CpuNs, Result.More.c_str());
  else
    std::printf("-\n");
  return Able && !Result.Right ? 1 : 0;
}
