// What a task without work costs, from submission to completion, and what memory many of them take.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   task_overhead            100,000 tasks, one inout each on distinct data: the median of 11 rounds
//   task_overhead --many     10 million of them as well, and the peak of resident memory
//   task_overhead --chain    the same 100,000 on one datum, each after the last
//   task_overhead --tiles    10,000 tasks, two in and one inout each, all of them tiles of one matrix; then the same
//                            with every tile contiguous. Handed over one by one (HSCHED_BUNDLE=0), two workers
//   task_overhead --submitters N   N threads submit at once, 20,000 tasks each on data of their own;
//                            nanoseconds a task and thread, for 1 thread and for N
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
#include <latch>
#include <new>
#include <thread>
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
                               nullptr,
                               nullptr};
const hsched_version_desc Version = {sizeof(hsched_version_desc),
                                     "bench_nothing",
                                     "nothing",
                                     __FILE__,
                                     __LINE__,
                                     HSCHED_DEVICE_CPU,
                                     HSCHED_TYPE_ANY,
                                     runNothing,
                                     nullptr,
                                     nullptr,
                                     nullptr};

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

// 128 x 128 of 4096 x 4096 doubles, at random. No task touches them, so the matrix is not allocated.
double nsPerTiledTask(bool Contiguous) {
  constexpr size_t Tile = 128, Tiles = 32, Bytes = Tile * sizeof(double), Pitch = Tiles * Bytes, NumTasks = 10000;
  constexpr uintptr_t Matrix = 1 << 20;
  unsigned Random = 1;
  auto any = [&](unsigned Mode) -> hsched_access {
    auto next = [&Random] { return (Random = Random * 1664525 + 1013904223) >> 16 & (Tiles - 1); };
    uintptr_t I = next(), J = next();
    if (Contiguous)
      return {reinterpret_cast<void *>(Matrix + (I * Tiles + J) * Tile * Bytes), Tile * Bytes, 1, 0, Mode, 0};
    return {reinterpret_cast<void *>(Matrix + I * Tile * Pitch + J * Bytes), Bytes, Tile, Pitch, Mode, 0};
  };
  auto Begin = Clock::now();
  for (size_t I = 0; I < NumTasks; ++I) {
    hsched_access *Accesses;
    void *Packed;
    hsched_task *T = hsched_task_begin(Type, 3, &Accesses, &Packed);
    new (Packed) Args{nullptr};
    Accesses[0] = any(HSCHED_IN);
    Accesses[1] = any(HSCHED_IN);
    Accesses[2] = any(HSCHED_INOUT);
    hsched_task_submit(T, nullptr);
  }
  hsched_taskwait(HSCHED_WAIT_NOFLUSH);
  return std::chrono::duration<double, std::nano>(Clock::now() - Begin).count() / NumTasks;
}

int tiles() {
  constexpr size_t Rounds = 11;
  std::array<std::array<double, Rounds>, 2> Ns;
  for (size_t R = 0; R < Rounds; ++R)
    for (size_t Contiguous : {0, 1})
      Ns[Contiguous][R] = nsPerTiledTask(Contiguous);
  for (size_t Contiguous : {0, 1}) {
    std::ranges::sort(Ns[Contiguous]);
    std::printf("10000 tasks on %s tiles: median %.0f ns a task (least %.0f, most %.0f) over %zu rounds\n",
                Contiguous ? "contiguous" : "strided", Ns[Contiguous][Rounds / 2], Ns[Contiguous].front(),
                Ns[Contiguous].back(), Rounds);
  }
  return 0;
}

// The slowest thread's.
double nsPerSubmission(unsigned Threads, std::vector<std::vector<long>> &Data) {
  constexpr size_t NumTasks = 20000;
  std::latch Start(Threads);
  std::vector<double> Ns(Threads);
  std::vector<std::thread> All;
  for (unsigned I = 0; I < Threads; ++I)
    All.emplace_back([&, I] {
      Data[I].assign(NumTasks, 0);
      Start.arrive_and_wait();
      auto Begin = Clock::now();
      for (long &Datum : Data[I])
        submit(&Datum);
      Ns[I] = std::chrono::duration<double, std::nano>(Clock::now() - Begin).count() / NumTasks;
    });
  for (std::thread &T : All)
    T.join();
  hsched_taskwait(0);
  return *std::ranges::max_element(Ns);
}

int submitters(unsigned Threads) {
  constexpr size_t Rounds = 11;
  std::array<std::array<double, Rounds>, 2> Ns;
  std::vector<std::vector<long>> Data(Threads);
  nsPerSubmission(Threads, Data); // start-up
  for (size_t R = 0; R < Rounds; ++R) {
    Ns[0][R] = nsPerSubmission(1, Data);
    Ns[1][R] = nsPerSubmission(Threads, Data);
  }
  for (size_t Which : {0, 1}) {
    std::ranges::sort(Ns[Which]);
    std::printf("%u threads submit: median %.0f ns a task and thread (least %.0f, most %.0f) over %zu rounds\n",
                Which ? Threads : 1, Ns[Which][Rounds / 2], Ns[Which].front(), Ns[Which].back(), Rounds);
  }
  return 0;
}

long peakKilobytes() {
  rusage Usage;
  getrusage(RUSAGE_SELF, &Usage);
  return Usage.ru_maxrss;
}

} // namespace

int main(int Argc, char **Argv) {
  bool Tiles = Argc > 1 && !std::strcmp(Argv[1], "--tiles");
  bool Submitters = Argc > 2 && !std::strcmp(Argv[1], "--submitters");
  setenv("HSCHED_NCPU", Tiles ? "2" : "1", 0);
  if (Tiles || Submitters)
    setenv("HSCHED_BUNDLE", "0", 0);
  if (Submitters)
    setenv("HSCHED_WINDOW", "10000000", 0);
  bool Many = Argc > 1 && !std::strcmp(Argv[1], "--many");
  bool Chain = Argc > 1 && !std::strcmp(Argv[1], "--chain");
  Type = hsched_register_task(&Task);
  hsched_register_version(Task.linker_name, &Version);
  if (Tiles)
    return tiles();
  if (Submitters)
    return submitters(std::max(2, std::atoi(Argv[2])));

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
