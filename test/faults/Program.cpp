// The program that is run with faults: tasks with a CPU version and an OpenCL kernel, through the C ABI.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: faults_program LAYER [device | rows]; "device": no CPU versions, "rows": nothing but tiles, on the device.
// Prints "right" or "threw <what>", for the program and for its repetition, then the number of faults that have
// happened before the repetition and of calls. Exit code 1: something was wrong.
#include "Faults.h"

#include <hsched/hsched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {

// y = k * y + x, or where Set y = k * x.
struct MixArgs {
  const unsigned long *X;
  unsigned long *Y;
  unsigned long N, K, Set;
};

void mix(const unsigned long *X, unsigned long *Y, unsigned long N, unsigned long K, unsigned long Set) {
  for (unsigned long I = 0; I < N; ++I)
    Y[I] = Set ? K * X[I] : K * Y[I] + X[I];
}

const char Source[] = R"(
kernel void blend(global const char *xs, global char *ys, ulong n, ulong k, ulong set, ulong ox, ulong oy) {
  global const ulong *x = (global const ulong *)(xs + ox);
  global ulong *y = (global ulong *)(ys + oy);
  size_t i = get_global_id(0);
  if (i < n)
    y[i] = set ? k * x[i] : k * y[i] + x[i];
}
kernel void tile(global char *ys, ulong n, ulong rows, ulong pitch, ulong oy) {
  global ulong *y = (global ulong *)(ys + oy);
  size_t i = get_global_id(0), r = get_global_id(1);
  if (i < n && r < rows)
    y[r * pitch + i] = 3 * y[r * pitch + i] + i;
})";

const hsched_task_desc Task = {
    sizeof(hsched_task_desc), HSCHED_ABI_MAJOR, HSCHED_ABI_MINOR, "faults_mix", "mix", __FILE__, __LINE__, 0, nullptr,
    sizeof(MixArgs),          alignof(MixArgs), nullptr,          nullptr};

hsched_kernel_desc kernelDesc() {
  hsched_kernel_desc D = {};
  D.struct_bytes = sizeof(D);
  D.file = "mix.cl";
  D.name = D.entry = "blend";
  D.source = Source;
  D.source_bytes = sizeof(Source) - 1;
  D.options = "";
  D.n_args = 5;
  D.flags = HSCHED_KERNEL_OFFSETS;
  D.fill = [](const void *P, hsched_ndrange *Range, hsched_kernel_arg *Out) {
    auto &A = *static_cast<const MixArgs *>(P);
    Range->dims = 1;
    Range->global[0] = A.N;
    Out[0] = {HSCHED_ARG_BUFFER, 0, 0, nullptr, A.X, {}};
    Out[1] = {HSCHED_ARG_BUFFER, 1, 0, nullptr, A.Y, {}};
    const unsigned long *Values[] = {&A.N, &A.K, &A.Set};
    for (unsigned I = 0; I < 3; ++I)
      Out[2 + I] = {HSCHED_ARG_VALUE, 2 + I, sizeof(unsigned long), Values[I], nullptr, {}};
  };
  return D;
}
const hsched_kernel_desc Kernel = kernelDesc();
const hsched_version_desc OnCpu = {sizeof(hsched_version_desc),
                                   "faults_mix",
                                   "mix",
                                   __FILE__,
                                   __LINE__,
                                   HSCHED_DEVICE_CPU,
                                   HSCHED_TYPE_ANY,
                                   [](void *P) {
                                     auto &A = *static_cast<MixArgs *>(P);
                                     mix(A.X, A.Y, A.N, A.K, A.Set);
                                   },
                                   nullptr,
                                   nullptr};
const hsched_version_desc OnDevice = {sizeof(hsched_version_desc), "faults_mix_cl", "mix_cl", __FILE__, __LINE__,
                                      HSCHED_DEVICE_OPENCL,        HSCHED_TYPE_ANY, nullptr,  &Kernel,  nullptr};
hsched_task_type *Type;

// y = 3 * y + column, in a tile.
struct TileArgs {
  unsigned long *Y;
  unsigned long N, Rows, Pitch;
};
const hsched_task_desc TileTask = {sizeof(hsched_task_desc),
                                   HSCHED_ABI_MAJOR,
                                   HSCHED_ABI_MINOR,
                                   "faults_tile",
                                   "tile",
                                   __FILE__,
                                   __LINE__,
                                   0,
                                   nullptr,
                                   sizeof(TileArgs),
                                   alignof(TileArgs),
                                   nullptr,
                                   nullptr};
hsched_kernel_desc tileDesc() {
  hsched_kernel_desc D = kernelDesc();
  D.name = D.entry = "tile";
  D.n_args = 4;
  D.fill = [](const void *P, hsched_ndrange *Range, hsched_kernel_arg *Out) {
    auto &A = *static_cast<const TileArgs *>(P);
    Range->dims = 2;
    Range->global[0] = A.N;
    Range->global[1] = A.Rows;
    Out[0] = {HSCHED_ARG_BUFFER, 0, 0, nullptr, A.Y, {}};
    const unsigned long *Values[] = {&A.N, &A.Rows, &A.Pitch};
    for (unsigned I = 0; I < 3; ++I)
      Out[1 + I] = {HSCHED_ARG_VALUE, 1 + I, sizeof(unsigned long), Values[I], nullptr, {}};
  };
  return D;
}
const hsched_kernel_desc TileKernel = tileDesc();
const hsched_version_desc TileOnDevice = {
    sizeof(hsched_version_desc), "faults_tile",   "tile_cl", __FILE__,    __LINE__,
    HSCHED_DEVICE_OPENCL,        HSCHED_TYPE_ANY, nullptr,   &TileKernel, nullptr};

// Two tiles of a matrix go to the device and come back, twice.
bool runRows() {
  constexpr unsigned long Pitch = 100, Lines = 40, Wide = 24, High = 30;
  hsched_task_type *Tile = hsched_register_task(&TileTask);
  hsched_register_version(TileTask.linker_name, &TileOnDevice);
  std::vector<unsigned long> X(Lines * Pitch), Want(X.size());
  for (size_t I = 0; I < X.size(); ++I)
    X[I] = Want[I] = I + 1;
  bool Ok = true;
  for (int Round = 0; Round < 2; ++Round) {
    for (unsigned long Begin : {3 * Pitch + 7, 5 * Pitch + 50}) {
      hsched_access *Accesses;
      void *Args;
      hsched_task *T = hsched_task_begin(Tile, 1, &Accesses, &Args);
      new (Args) TileArgs{X.data() + Begin, Wide, High, Pitch};
      Accesses[0] = {X.data() + Begin, Wide * sizeof(X[0]), High, Pitch * sizeof(X[0]), HSCHED_INOUT, 0};
      hsched_task_submit(T, nullptr);
      for (unsigned long R = 0; R < High; ++R)
        for (unsigned long I = 0; I < Wide; ++I)
          Want[Begin + R * Pitch + I] = 3 * Want[Begin + R * Pitch + I] + I;
    }
    try {
      hsched::taskwait();
    } catch (const hsched::task_error &E) {
      std::printf("threw %s\n", E.what());
      return true;
    }
    Ok = Ok && X == Want;
    std::printf("%s\n", X == Want ? "right" : "wrong");
  }
  return Ok;
}

constexpr unsigned long Rows = 4, N = 1024;
using Data = std::vector<unsigned long>; // row after row

void submit(const unsigned long *X, unsigned long *Y, unsigned long Count, unsigned long K, unsigned long Set) {
  hsched_access *Accesses;
  void *Args;
  hsched_task *T = hsched_task_begin(Type, 2, &Accesses, &Args);
  new (Args) MixArgs{X, Y, Count, K, Set};
  Accesses[0] = {X, Count * sizeof(*X), 1, 0, HSCHED_IN, 0};
  Accesses[1] = {Y, Count * sizeof(*Y), 1, 0, static_cast<unsigned>(Set ? HSCHED_OUT : HSCHED_INOUT), 1};
  hsched_task_submit(T, nullptr);
}

template <class Mix> void first(Data &D, Mix M) {
  auto Row = [&](unsigned long R) { return D.data() + R % Rows * N; };
  for (unsigned long R = 0; R < Rows; ++R)
    M(Row(R + 1), Row(R), N, 3 + R, 0);
  M(Row(3), Row(0), N, 7, 1);
  M(Row(0), Row(1), N, 2, 0);
  M(Row(1), Row(2) + N / 2, N / 2, 5, 0);
}
template <class Mix> void second(Data &D, Mix M) {
  auto Row = [&](unsigned long R) { return D.data() + R % Rows * N; };
  M(Row(0), Row(2), 2 * N, 3, 0); // over what lay in blocks of its own until now
  M(Row(3), Row(1), N, 2, 0);
  M(Row(2), Row(0), N, 1, 1);
}

unsigned (*Seen)();
unsigned (*Calls)();

// The only CPU worker is this thread, once it waits: until then, the device takes what it can. Before: its calls before
// the tasks were submitted. A device that cannot be opened, or has been given up, never makes another.
void letDevice(unsigned Before) {
  using Clock = std::chrono::steady_clock;
  for (auto Until = Clock::now() + std::chrono::milliseconds(300); Calls() == Before && Clock::now() < Until;)
    std::this_thread::yield();
  unsigned Last = Calls();
  for (auto Since = Clock::now(); Clock::now() - Since < std::chrono::milliseconds(5);) {
    std::this_thread::yield();
    if (unsigned Now = Calls(); Now != Last) {
      Last = Now;
      Since = Clock::now();
    }
  }
}

bool run(Data &X) {
  Data Want(X.size());
  for (size_t I = 0; I < X.size(); ++I)
    X[I] = Want[I] = I + 1;
  first(Want, mix);
  second(Want, mix);
  try {
    unsigned Before = Calls();
    first(X, submit);
    letDevice(Before);
    hsched::taskwait_noflush();
    Before = Calls();
    second(X, submit);
    letDevice(Before);
    hsched::taskwait();
  } catch (const hsched::task_error &E) {
    std::printf("threw %s\n", E.what());
    bool Reached = E.cause().find("that is not here") == std::string::npos; // else there is none to be named
    if (E.task().empty() || E.device().empty() == Reached || E.cause().empty()) {
      std::printf("wrong: task '%s', device '%s', cause '%s'\n", E.task().c_str(), E.device().c_str(),
                  E.cause().c_str());
      return false;
    }
    try {
      hsched::taskwait(); // the wait before may have been the one without a flush
    } catch (const hsched::task_error &) {
    }
    hsched::taskwait();
    return true;
  }
  if (X != Want) {
    size_t At = static_cast<size_t>(std::ranges::mismatch(X, Want).in1 - X.begin());
    std::printf("wrong: element %zu is %lu, not %lu\n", At, X[At], Want[At]);
    return false;
  }
  std::printf("right\n");
  return true;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  setenv("OPENCL_LAYERS", argv[1], 1);
  // The loader opens it again and finds this one.
  void *Layer = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!Layer) {
    std::printf("%s\n", dlerror());
    return 2;
  }
  Seen = reinterpret_cast<unsigned (*)()>(dlsym(Layer, "hsched_test_faults_seen"));
  Calls = reinterpret_cast<unsigned (*)()>(dlsym(Layer, "hsched_test_faults_calls"));
  if (argc > 2 && std::strcmp(argv[2], "rows") == 0) {
    bool Ok = runRows();
    std::printf("faults %u\ncalls %u\n", Seen(), Calls());
    return Ok ? 0 : 1;
  }
  Type = hsched_register_task(&Task);
  if (argc < 3 || std::strcmp(argv[2], "device") != 0)
    hsched_register_version(Task.linker_name, &OnCpu);
  hsched_register_version(Task.linker_name, &OnDevice);
  Data X(Rows * N);
  bool Ok = run(X);
  // Of the first time: on a busy machine the CPU does so much of it that an Nth call comes in the repetition, which is
  // to be what follows a fault.
  unsigned FirstFaults = Seen(), FirstCalls = Calls();
  Ok = run(X) && Ok;
  std::printf("faults %u\ncalls %u\n", FirstFaults, FirstCalls);
  return Ok ? 0 : 1;
}
