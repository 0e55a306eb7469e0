// Prediction of a graph's time with a configuration, from isolated times of kernels and transfers. For --tune
// --simulate.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_RUN_MODEL_H
#define HSCHED_TOOLS_RUN_MODEL_H

#include <cstdint>
#include <vector>

namespace hsched::run {

struct ModelDevice {
  // Between host memory and its own; 0: it uses host memory.
  double UpSecondsPerByte = 0, DownSecondsPerByte = 0;
  double UpLatency = 0, DownLatency = 0; // Seconds per transfer.
  double Overlap = 1;                    // Upper bound of the throughput gain from several queues.
  double Overhead = 0;                   // Seconds per kernel.
  unsigned Queues = 1;
};

// A part of a datum that a memory holds completely or not at all. Fragments are disjoint.
struct ModelFragment {
  uint64_t Bytes = 0;
  bool Result = false; // It is copied home at the end.
};

struct ModelLaunch {
  std::vector<double> Seconds;         // By device, in isolation; negative: it cannot run there.
  std::vector<uint32_t> Before;        // Predecessors, as indices of launches.
  std::vector<uint32_t> Reads, Writes; // Indices of fragments.
};

// Launches that go to one device together.
struct ModelUnit {
  std::vector<uint32_t> Launches; // In an order that satisfies Before.
  std::vector<unsigned> Devices;  // Allowed devices; at least one.
  double Rank = 0;                // The greatest goes first; ties: the first in order.
};

struct Model {
  std::vector<ModelDevice> Devices;
  std::vector<ModelFragment> Fragments; // All in host memory at the beginning.
  std::vector<ModelLaunch> Launches;
  std::vector<ModelUnit> Units;
  // True: a device runs one unit at a time, which begins when all its predecessors outside have ended (clustering).
  // False: a unit begins at once, on the device with the earliest finish.
  bool Exclusive = true;
};

// Seconds from the first submission until results are home. Negative: a unit can run nowhere, or there is a cycle. A
// device has one stream for each direction. Kernels use its queues in rotation; concurrent ones share the device.
double simulate(const Model &M);

} // namespace hsched::run
#endif
