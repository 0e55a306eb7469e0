// How long a graph takes with a configuration, from what its kernels and transfers took alone. For --tune --simulate.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_RUN_MODEL_H
#define HSCHED_TOOLS_RUN_MODEL_H

#include <cstdint>
#include <vector>

namespace hsched::run {

struct ModelDevice {
  // Between host memory and its own; 0: it works on host memory.
  double UpSecondsPerByte = 0, DownSecondsPerByte = 0;
  double UpLatency = 0, DownLatency = 0; // Seconds a transfer.
  double Overlap = 1;                    // Times as much work a second with several queues as with one, at most.
  double Overhead = 0;                   // Seconds a kernel.
  unsigned Queues = 1;
};

// A part of a datum that is whole in a memory or not there. Fragments do not overlap.
struct ModelFragment {
  uint64_t Bytes = 0;
  bool Result = false; // Comes home at the end.
};

struct ModelLaunch {
  std::vector<double> Seconds;         // By device, alone; negative: it cannot run there.
  std::vector<uint32_t> Before;        // Launches.
  std::vector<uint32_t> Reads, Writes; // Fragments.
};

// What goes to a device as a whole.
struct ModelUnit {
  std::vector<uint32_t> Launches; // In an order that Before allows.
  std::vector<unsigned> Devices;  // That it may go to; at least one.
  double Rank = 0;                // The greatest goes first; of equal ones the first here.
};

struct Model {
  std::vector<ModelDevice> Devices;
  std::vector<ModelFragment> Fragments; // At the beginning in host memory.
  std::vector<ModelLaunch> Launches;
  std::vector<ModelUnit> Units;
  // True: a device has one unit at a time, which begins when all outside of it that it needs has ended (clustering).
  // False: a unit begins at once, and goes to the device where it ends first.
  bool Exclusive = true;
};

// Seconds from the first submission until results are home; negative: a unit can run nowhere, or units wait for each
// other. A device has a stream for each direction. Kernels go to its queues in turn, and those that overlap share it.
double simulate(const Model &M);

} // namespace hsched::run
#endif
