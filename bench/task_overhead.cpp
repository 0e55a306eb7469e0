// What a task without work costs, from submission to completion, and what memory many of them take.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   task_overhead            100,000 tasks, one inout each on distinct data: the median of 11 rounds
//   task_overhead --many     10 million of them as well, and the peak of resident memory
//   task_overhead --chain    the same 100,000 on one datum, each after the last
//
// Speaks the C ABI as generated code does. HSCHED_NCPU=1 unless it is set.
#include <hsched/abi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include <sys/resource.h>

namespace {

struct Args {
  long *Datum;
};

void runNothing(void *) {}

const char *const ParamNames[] = {"datum"};
const hsched_task_desc Task = {sizeof(hsched_task_desc),
                               HSCHED_ABI_MAJOR,
                               HSCHED_ABI_MINOR,
                               "bench_nothing",
                               "nothing",
                               __FILE__,
                               __LINE__,
                               1,
                               ParamNames,
                               sizeof(Args),
                               alignof(Args),
                               nullptr};
const hsched_version_desc Version = {sizeof(hsched_version_desc), "bench_nothing", "nothing",  __FILE__, __LINE__,
                                     HSCHED_DEVICE_CPU,           HSCHED_TYPE_ANY, runNothing, nullptr};

hsched_task_type *Type;

void submit(long *Datum) {
  hsched_access *Accesses;
  void *Packed;
  hsched_task *T = hsched_task_begin(Type, 1, &Accesses, &Packed);
  new (Packed) Args{Datum};
  Accesses[0] = {Datum, sizeof(*Datum), 1, 0, HSCHED_INOUT, 0};
  hsched_task_submit(T, nullptr);
}

using Clock = std::chrono::steady_clock;

double nsPerTask(std::vector<long> &Data, size_t NumTasks, bool Chain) {
  auto Begin = Clock::now();
  for (size_t I = 0; I < NumTasks; ++I)
    submit(&Data[Chain ? 0 : I % Data.size()]);
  hsched_taskwait(0);
  return std::chrono::duration<double, std::nano>(Clock::now() - Begin).count() / static_cast<double>(NumTasks);
}

long peakKilobytes() {
  rusage Usage;
  getrusage(RUSAGE_SELF, &Usage);
  return Usage.ru_maxrss;
}

} // namespace

int main(int Argc, char **Argv) {
  setenv("HSCHED_NCPU", "1", 0);
  bool Many = Argc > 1 && !std::strcmp(Argv[1], "--many");
  bool Chain = Argc > 1 && !std::strcmp(Argv[1], "--chain");
  Type = hsched_register_task(&Task);
  hsched_register_version(Task.linker_name, &Version);

  constexpr size_t NumTasks = 100000, Rounds = 11;
  std::vector<long> Data(NumTasks);
  nsPerTask(Data, 1000, Chain); // start-up
  std::array<double, Rounds> Ns;
  for (double &Round : Ns)
    Round = nsPerTask(Data, NumTasks, Chain);
  std::ranges::sort(Ns);
  std::printf("%zu tasks, %s: median %.0f ns a task (least %.0f, most %.0f) over %zu rounds\n", NumTasks,
              Chain ? "one chain" : "one inout each on distinct data", Ns[Rounds / 2], Ns.front(), Ns.back(), Rounds);
  std::printf("peak resident memory %ld KiB\n", peakKilobytes());
  if (Many) {
    constexpr size_t Million10 = 10000000;
    Data.assign(Million10, 0);
    long Before = peakKilobytes();
    double Each = nsPerTask(Data, Million10, false);
    std::printf("%zu tasks on distinct data: %.0f ns a task; peak resident memory %ld KiB, %ld KiB of it the data\n",
                Million10, Each, peakKilobytes(), static_cast<long>(Million10 * sizeof(long) / 1024));
    std::printf("growth beyond what was resident before: %ld KiB\n", peakKilobytes() - Before);
  }
  return 0;
}
