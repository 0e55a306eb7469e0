// What the directory of data costs a task. The device is simulated, and its transfers take no time. Measured with one
// thread, and with several that have data and devices of their own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   data_overhead [tasks] [rounds] [which]     20,000 tasks and 7 rounds unless told
//
// Figures are medians, in nanoseconds a task: acquire, launched and release of one datum of 256 bytes, which
//   recurs: is on the device already, one of 64;
//   comes: is read, and is there for the first time;
//   evicts: takes the place of another one that was changed on the device.
// With which of them, only that, on one thread: to count instructions.
#include "Measure.h"

#include "backends/sim/Sim.h"
#include "data/Directory.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

using namespace hsched::rt;

namespace {

constexpr size_t DatumBytes = 256;

struct Machine {
  Machine(unsigned Count, uint64_t Bytes) {
    sim::SimOptions O;
    O.MemoryBytes = Bytes;
    O.Mode = sim::SimMode::Virtual;
    O.Costs.UploadNsPerByte = O.Costs.DownloadNsPerByte = O.Costs.CopyNsPerByte = 0;
    std::vector<NodeInfo> Nodes{{nullptr, 0}};
    for (unsigned I = 0; I < Count; ++I) {
      O.Time = std::make_shared<ManualClock>();
      Devices.push_back(std::make_unique<sim::SimDevice>(I, O));
      Nodes.push_back({Devices.back().get(), I + 1});
      // What stands for all kernels is over.
      BufferRef Mem;
      EventRef Done;
      char Byte = 0;
      if (!Devices.back()->allocate(1, Mem).ok() || !Devices.back()->write(Mem, 0, &Byte, 1, {}, Done).ok() ||
          !Done->wait().ok())
        std::abort();
      Kernels.push_back(std::move(Done));
    }
    Dir = std::make_unique<Directory>(std::move(Nodes), Time, nullptr);
  }
  void run(char *Datum, unsigned Mode, MemoryNode Node) {
    Access A{Datum, DatumBytes, 1, DatumBytes, Mode, HSCHED_NO_PARAM};
    Task T;
    T.AccessList = &A;
    T.NumAccesses = 1;
    Acquisition Acquired;
    if (!Dir->acquire(T, Node, Acquired).ok())
      std::abort();
    Dir->launched(T, Acquired, Kernels[Node - 1]);
    Dir->release(T, Acquired, false);
  }
  SteadyClock Time;
  std::vector<std::unique_ptr<sim::SimDevice>> Devices;
  std::vector<EventRef> Kernels;
  std::unique_ptr<Directory> Dir;
};

template <class F> double measure(unsigned Threads, size_t Tasks, size_t Rounds, uint64_t Bytes, F Each) {
  std::vector<double> Found;
  for (size_t Round = 0; Round < Rounds; ++Round) {
    std::vector<std::vector<char>> Data(Threads, std::vector<char>(Tasks * DatumBytes));
    Machine M(Threads, Bytes);
    auto Begin = bench::Clock::now();
    std::vector<std::thread> All;
    for (unsigned I = 0; I < Threads; ++I)
      All.emplace_back([&, I] {
        for (size_t T = 0; T < Tasks; ++T)
          Each(M, Data[I].data(), T, MemoryNode(I + 1));
      });
    for (std::thread &T : All)
      T.join();
    Found.push_back(bench::nsSince(Begin) / double(Tasks));
  }
  return bench::median(std::move(Found));
}

} // namespace

int main(int Argc, char **Argv) {
  const size_t Tasks = Argc > 1 ? std::strtoull(Argv[1], nullptr, 10) : 20000;
  const size_t Rounds = Argc > 2 ? std::strtoull(Argv[2], nullptr, 10) : 7;
  const uint64_t Much = Tasks * DatumBytes * 4 + (1 << 20), Little = 64 * 512;
  const std::string Which = Argc > 3 ? Argv[3] : "";
  const auto recurs = [](Machine &M, char *Data, size_t T, MemoryNode Node) {
    M.run(Data + T % 64 * DatumBytes, HSCHED_INOUT, Node);
  };
  const auto comes = [](Machine &M, char *Data, size_t T, MemoryNode Node) {
    M.run(Data + T * DatumBytes, HSCHED_IN, Node);
  };
  const auto evicts = [=](Machine &M, char *Data, size_t T, MemoryNode Node) {
    M.run(Data + T * 7 % std::min<size_t>(Tasks, 4096) * DatumBytes, HSCHED_INOUT, Node);
  };
  for (unsigned Threads = 1; Threads <= (Which.empty() ? 2 : 1); ++Threads) {
    std::printf("%u thread%s:", Threads, Threads > 1 ? "s" : "");
    if (Which.empty() || Which == "recurs")
      std::printf(" recurs %.0f", measure(Threads, Tasks, Rounds, Much, recurs));
    if (Which.empty() || Which == "comes")
      std::printf(" comes %.0f", measure(Threads, Tasks, Rounds, Much, comes));
    if (Which.empty() || Which == "evicts")
      std::printf(" evicts %.0f", measure(Threads, Tasks, Rounds, Little, evicts));
    std::printf(" ns a task\n");
  }
}
