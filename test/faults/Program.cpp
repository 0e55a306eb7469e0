// The program that is run with faults: tasks with a CPU version and an OpenCL kernel, through the C ABI.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: faults_program LAYER [WORD ...]
//   device  no CPU versions
//   rows    only tiles, on the device
//   large   more tasks and data
//   plain   kernels that take no offsets
//   body    copies by a version that is host code for the device
//   await   with "body": on a queue of its own
//   meet    with "rows": tiles are added to each other
// Prints "right" or "threw <what>", for the program and for its repetition. Then it prints the number of faults before
// the repetition, and of calls. Exit code 1: something was wrong.
#include "Faults.h"

#include <hsched/hsched.h>
#include <hsched/opencl.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

std::set<std::string> Words;
bool said(const char *Word) { return Words.contains(Word); }

// Y = k * y + x, or where Set y = k * x.
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
kernel void plain(global const ulong *x, global ulong *y, ulong n, ulong k, ulong set) {
  size_t i = get_global_id(0);
  if (i < n)
    y[i] = set ? k * x[i] : k * y[i] + x[i];
}
kernel void join(global const char *xs, global char *ys, ulong n, ulong rows, ulong pitch, ulong ox, ulong oy) {
  global const ulong *x = (global const ulong *)(xs + ox);
  global ulong *y = (global ulong *)(ys + oy);
  size_t i = get_global_id(0), r = get_global_id(1);
  if (i < n && r < rows)
    y[r * pitch + i] += x[r * pitch + i];
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

hsched_kernel_desc kernelDesc(const char *Name = "blend") {
  hsched_kernel_desc D = {};
  D.struct_bytes = sizeof(D);
  D.file = "mix.cl";
  D.name = D.entry = Name;
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
hsched_kernel_desc plainDesc() {
  hsched_kernel_desc D = kernelDesc("plain");
  D.flags = 0;
  return D;
}
const hsched_kernel_desc PlainKernel = plainDesc();
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
                                   nullptr,
                                   nullptr};
const hsched_version_desc OnDevice = {sizeof(hsched_version_desc),
                                      "faults_mix_cl",
                                      "mix_cl",
                                      __FILE__,
                                      __LINE__,
                                      HSCHED_DEVICE_OPENCL,
                                      HSCHED_TYPE_ANY,
                                      nullptr,
                                      &Kernel,
                                      nullptr,
                                      nullptr};
const hsched_version_desc OnDevicePlain = {sizeof(hsched_version_desc),
                                           "faults_mix_plain",
                                           "mix_plain",
                                           __FILE__,
                                           __LINE__,
                                           HSCHED_DEVICE_OPENCL,
                                           HSCHED_TYPE_ANY,
                                           nullptr,
                                           &PlainKernel,
                                           nullptr,
                                           nullptr};
hsched_task_type *Type;

// Y = x, enqueued by host code; "await": on a queue of its own.
void copyOnDevice(void *P) {
  auto &A = *static_cast<MixArgs *>(P);
  cl_mem From = hsched::opencl_buffer(A.X), To = hsched::opencl_buffer(A.Y);
  const size_t FromAt = hsched::opencl_offset(A.X) * sizeof(*A.X), ToAt = hsched::opencl_offset(A.Y) * sizeof(*A.Y);
  cl_command_queue Queue = hsched::opencl_queue();
  cl_int Code = CL_SUCCESS;
  if (!said("await")) {
    Code = clEnqueueCopyBuffer(Queue, From, To, FromAt, ToAt, A.N * sizeof(*A.X), 0, nullptr, nullptr);
    if (Code != CL_SUCCESS)
      throw std::runtime_error("no copy: " + std::to_string(Code));
    return;
  }
  cl_event There = nullptr, Done = nullptr;
  cl_command_queue Own = clCreateCommandQueue(hsched::opencl_context(), hsched::opencl_device(), 0, &Code);
  if (Code != CL_SUCCESS)
    throw std::runtime_error("no queue: " + std::to_string(Code));
  if ((Code = clEnqueueMarkerWithWaitList(Queue, 0, nullptr, &There)) == CL_SUCCESS) {
    clFlush(Queue);
    Code = clEnqueueCopyBuffer(Own, From, To, FromAt, ToAt, A.N * sizeof(*A.X), 1, &There, &Done);
    clReleaseEvent(There);
  }
  if (Code == CL_SUCCESS) {
    clFlush(Own);
    try {
      hsched::opencl_await(Done);
    } catch (...) {
      clFinish(Own);
      clReleaseEvent(Done);
      clReleaseCommandQueue(Own);
      throw;
    }
    clReleaseEvent(Done);
  }
  clReleaseCommandQueue(Own);
  if (Code != CL_SUCCESS)
    throw std::runtime_error("no copy: " + std::to_string(Code));
}
const hsched_task_desc CopyTask = {
    sizeof(hsched_task_desc), HSCHED_ABI_MAJOR, HSCHED_ABI_MINOR, "faults_copy", "copy", __FILE__, __LINE__, 0, nullptr,
    sizeof(MixArgs),          alignof(MixArgs), nullptr,          nullptr};
const hsched_version_desc CopyOnDevice = {sizeof(hsched_version_desc),
                                          "faults_copy_cl",
                                          "copy_cl",
                                          __FILE__,
                                          __LINE__,
                                          HSCHED_DEVICE_OPENCL,
                                          HSCHED_TYPE_ANY,
                                          copyOnDevice,
                                          nullptr,
                                          nullptr,
                                          nullptr};
hsched_task_type *CopyType;

// Y = 3 * y + column, in a tile.
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
  hsched_kernel_desc D = kernelDesc("tile");
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
const hsched_version_desc TileOnDevice = {sizeof(hsched_version_desc),
                                          "faults_tile",
                                          "tile_cl",
                                          __FILE__,
                                          __LINE__,
                                          HSCHED_DEVICE_OPENCL,
                                          HSCHED_TYPE_ANY,
                                          nullptr,
                                          &TileKernel,
                                          nullptr,
                                          nullptr};

// Adds a tile to another.
struct JoinArgs {
  const unsigned long *X;
  unsigned long *Y;
  unsigned long N, Rows, Pitch;
};
const hsched_task_desc JoinTask = {sizeof(hsched_task_desc),
                                   HSCHED_ABI_MAJOR,
                                   HSCHED_ABI_MINOR,
                                   "faults_join",
                                   "join",
                                   __FILE__,
                                   __LINE__,
                                   0,
                                   nullptr,
                                   sizeof(JoinArgs),
                                   alignof(JoinArgs),
                                   nullptr,
                                   nullptr};
hsched_kernel_desc joinDesc() {
  hsched_kernel_desc D = kernelDesc("join");
  D.fill = [](const void *P, hsched_ndrange *Range, hsched_kernel_arg *Out) {
    auto &A = *static_cast<const JoinArgs *>(P);
    Range->dims = 2;
    Range->global[0] = A.N;
    Range->global[1] = A.Rows;
    Out[0] = {HSCHED_ARG_BUFFER, 0, 0, nullptr, A.X, {}};
    Out[1] = {HSCHED_ARG_BUFFER, 1, 0, nullptr, A.Y, {}};
    const unsigned long *Values[] = {&A.N, &A.Rows, &A.Pitch};
    for (unsigned I = 0; I < 3; ++I)
      Out[2 + I] = {HSCHED_ARG_VALUE, 2 + I, sizeof(unsigned long), Values[I], nullptr, {}};
  };
  return D;
}
const hsched_kernel_desc JoinKernel = joinDesc();
const hsched_version_desc JoinOnDevice = {sizeof(hsched_version_desc),
                                          "faults_join",
                                          "join_cl",
                                          __FILE__,
                                          __LINE__,
                                          HSCHED_DEVICE_OPENCL,
                                          HSCHED_TYPE_ANY,
                                          nullptr,
                                          &JoinKernel,
                                          nullptr,
                                          nullptr};

// Two tiles of a matrix go to the device and come back, twice. On two devices each may have one, until they meet.
bool runRows() {
  const unsigned long High = said("large") ? 100 : 30, Lines = High + 10, Wide = said("large") ? 3000 : 24,
                      Pitch = 4 * Wide + 4, Begins[] = {3 * Pitch + 7, 5 * Pitch + 2 * Wide + 2};
  hsched_task_type *Tile = hsched_register_task(&TileTask), *Join = hsched_register_task(&JoinTask);
  hsched_register_version(TileTask.linker_name, &TileOnDevice);
  hsched_register_version(JoinTask.linker_name, &JoinOnDevice);
  std::vector<unsigned long> X(Lines * Pitch), Want(X.size());
  for (size_t I = 0; I < X.size(); ++I)
    X[I] = Want[I] = I + 1;
  hsched_access *Accesses;
  void *Args;
  auto tileAt = [&](unsigned long Begin, unsigned Mode, unsigned Param) {
    return hsched_access{X.data() + Begin, Wide * sizeof(X[0]), High, Pitch * sizeof(X[0]), Mode, Param};
  };
  bool Ok = true;
  for (int Round = 0; Round < 2; ++Round) {
    for (int Meeting = 0; Meeting < 3; ++Meeting) {
      for (unsigned long Begin : Begins) {
        hsched_task *T = hsched_task_begin(Tile, 1, &Accesses, &Args);
        new (Args) TileArgs{X.data() + Begin, Wide, High, Pitch};
        Accesses[0] = tileAt(Begin, HSCHED_INOUT, 0);
        hsched_task_submit(T, nullptr);
        for (unsigned long R = 0; R < High; ++R)
          for (unsigned long I = 0; I < Wide; ++I)
            Want[Begin + R * Pitch + I] = 3 * Want[Begin + R * Pitch + I] + I;
      }
      if (!said("meet"))
        break;
      const unsigned long From = Begins[Meeting % 2], To = Begins[1 - Meeting % 2];
      hsched_task *T = hsched_task_begin(Join, 2, &Accesses, &Args);
      new (Args) JoinArgs{X.data() + From, X.data() + To, Wide, High, Pitch};
      Accesses[0] = tileAt(From, HSCHED_IN, 0);
      Accesses[1] = tileAt(To, HSCHED_INOUT, 1);
      hsched_task_submit(T, nullptr);
      for (unsigned long R = 0; R < High; ++R)
        for (unsigned long I = 0; I < Wide; ++I)
          Want[To + R * Pitch + I] += Want[From + R * Pitch + I];
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

constexpr unsigned long Rows = 4;
unsigned long N = 1024;

// Rows begin where a device lets parts of buffers begin.
template <class T> struct PageAllocator {
  using value_type = T;
  static constexpr std::align_val_t Page{4096};
  PageAllocator() = default;
  template <class U> PageAllocator(const PageAllocator<U> &) {}
  T *allocate(size_t Count) { return static_cast<T *>(::operator new(Count * sizeof(T), Page)); }
  void deallocate(T *P, size_t) { ::operator delete(P, Page); }
  template <class U> bool operator==(const PageAllocator<U> &) const { return true; }
};
using Data = std::vector<unsigned long, PageAllocator<unsigned long>>; // Row after row.

void submit(const unsigned long *X, unsigned long *Y, unsigned long Count, unsigned long K, unsigned long Set) {
  hsched_access *Accesses;
  void *Args;
  hsched_task *T = hsched_task_begin(Set && K == 1 && said("body") ? CopyType : Type, 2, &Accesses, &Args);
  new (Args) MixArgs{X, Y, Count, K, Set};
  Accesses[0] = {X, Count * sizeof(*X), 1, 0, HSCHED_IN, 0};
  Accesses[1] = {Y, Count * sizeof(*Y), 1, 0, static_cast<unsigned>(Set ? HSCHED_OUT : HSCHED_INOUT), 1};
  hsched_task_submit(T, nullptr);
}

template <class Mix> void first(Data &D, Mix M) {
  auto Row = [&](unsigned long R) { return D.data() + R % Rows * N; };
  for (unsigned long R = 0; R < Rows; ++R)
    M(Row(R + 1), Row(R), N, 3 + R, 0);
  M(Row(3), Row(0), N, 1, 1);
  M(Row(0), Row(1), N, 2, 0);
  M(Row(1), Row(2) + N / 2, N / 2, 5, 0);
}
template <class Mix> void second(Data &D, Mix M) {
  auto Row = [&](unsigned long R) { return D.data() + R % Rows * N; };
  M(Row(0), Row(2), 2 * N, 3, 0); // Over what lay in blocks of its own until now.
  M(Row(3), Row(1), N, 2, 0);
  M(Row(2), Row(0), N, 1, 1);
}

unsigned (*Seen)();
unsigned (*Calls)();

// A task that keeps the only CPU worker busy while the device works. It also occupies the spare thread that takes the
// worker's seat while the main thread does not wait. Without a device, the main thread runs it at its submission.
std::atomic<bool> HoldStarted{false}, DevicesTurn{false};
const std::thread::id Main = std::this_thread::get_id();
void hold(void *) {
  HoldStarted.store(true);
  HoldStarted.notify_all();
  if (std::this_thread::get_id() != Main)
    DevicesTurn.wait(true);
}
const hsched_task_desc HoldTask = {sizeof(hsched_task_desc),
                                   HSCHED_ABI_MAJOR,
                                   HSCHED_ABI_MINOR,
                                   "faults_hold",
                                   "hold",
                                   __FILE__,
                                   __LINE__,
                                   0,
                                   nullptr,
                                   sizeof(char),
                                   alignof(char),
                                   nullptr,
                                   nullptr};
const hsched_version_desc HoldOnCpu = {sizeof(hsched_version_desc),
                                       "faults_hold",
                                       "hold",
                                       __FILE__,
                                       __LINE__,
                                       HSCHED_DEVICE_CPU,
                                       HSCHED_TYPE_ANY,
                                       hold,
                                       nullptr,
                                       nullptr,
                                       nullptr};
hsched_task_type *HoldType;

// Before tasks are submitted that the device is to have.
void holdCpu() {
  hsched_access *None;
  void *Args;
  HoldStarted.store(false);
  DevicesTurn.store(true);
  hsched_task_submit(hsched_task_begin(HoldType, 0, &None, &Args), nullptr);
  HoldStarted.wait(false);
}

// Lets the device take what it can, and then the CPU what is left. Before: the device's calls before the tasks were
// submitted. A device that cannot be opened, or has been given up, never makes another.
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
  DevicesTurn.store(false);
  DevicesTurn.notify_all();
}

bool run(Data &X) {
  Data Want(X.size());
  for (size_t I = 0; I < X.size(); ++I)
    X[I] = Want[I] = I + 1;
  first(Want, mix);
  second(Want, mix);
  try {
    holdCpu();
    unsigned Before = Calls();
    first(X, submit);
    letDevice(Before);
    hsched::taskwait_noflush();
    holdCpu();
    Before = Calls();
    second(X, submit);
    letDevice(Before);
    hsched::taskwait();
  } catch (const hsched::task_error &E) {
    std::printf("threw %s\n", E.what());
    bool Reached = E.cause().find("that is not here") == std::string::npos; // Else there is none to be named.
    if (E.task().empty() || E.device().empty() == Reached || E.cause().empty()) {
      std::printf("wrong: task '%s', device '%s', cause '%s'\n", E.task().c_str(), E.device().c_str(),
                  E.cause().c_str());
      return false;
    }
    try {
      hsched::taskwait(); // The wait before may have been the one without a flush.
    } catch (const hsched::task_error &) {
    }
    hsched::taskwait();
    return true;
  } catch (const std::runtime_error &E) { // A body's own.
    std::printf("threw %s\n", E.what());
    try {
      hsched::taskwait(); // What it had begun to write is lost.
    } catch (const hsched::task_error &) {
    }
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
  Words.insert(argv + 2, argv + argc);
  if (said("rows")) {
    bool Ok = runRows();
    std::printf("faults %u\ncalls %u\n", Seen(), Calls());
    return Ok ? 0 : 1;
  }
  if (said("large"))
    N = 3 << 17; // 3 MiB a row: more than a block of the staging ring.
  Type = hsched_register_task(&Task);
  CopyType = hsched_register_task(&CopyTask);
  HoldType = hsched_register_task(&HoldTask);
  hsched_register_version(HoldTask.linker_name, &HoldOnCpu);
  if (!said("device")) {
    hsched_register_version(Task.linker_name, &OnCpu);
    static hsched_version_desc Copy = OnCpu;
    Copy.linker_name = "faults_copy";
    Copy.name = "copy";
    hsched_register_version(CopyTask.linker_name, &Copy);
  }
  hsched_register_version(Task.linker_name, said("plain") ? &OnDevicePlain : &OnDevice);
  hsched_register_version(CopyTask.linker_name, &CopyOnDevice);
  Data X(Rows * N);
  bool Ok = run(X);
  // Faults of the first time only. On a busy machine the CPU runs so many tasks that the Nth call comes in the
  // repetition. But the repetition tests the state after a fault.
  unsigned FirstFaults = Seen(), FirstCalls = Calls();
  Ok = run(X) && Ok;
  std::printf("faults %u\ncalls %u\n", FirstFaults, FirstCalls);
  return Ok ? 0 : 1;
}
