// Running a graph on the engine of this process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_RUN_H
#define HSCHED_DAG_RUN_H

#include "dag/Graph.h"

#include <hsched/select.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace hsched::dag {

// How kernels are dispatched.
enum class Dispatch {
  Engine,     // All kernels are submitted at once. The engine's policy chooses; components stay together.
  Clustering, // PySchedCL's clustering: a component has a device to itself. The ready component with the greatest rank
              // goes first.
  Eager,      // PySchedCL's second experiment: kernel by kernel, to whichever device is free.
  Heft        // PySchedCL's third experiment: to the device with the earliest predicted finish.
};

struct RunOptions {
  Dispatch How = Dispatch::Engine;
  hsched_select_function Select = nullptr; // For Clustering: replaces the choice.
  std::string SelectFile;                  // For messages.
  // The number of components that a device runs side by side, each on a queue of its own, by kind of device
  // (HSCHED_TYPE_...). Kinds without one, for Clustering: a component at a time, on all queues, as in the paper. For
  // Engine with one device it counts for kernels that edges connect; the engine chooses if there is none.
  std::map<unsigned, unsigned> Beside;
  unsigned Repeat = 1;
  std::map<uint32_t, const void *> InitialContents; // By datum: initial content that replaces the file's.
  std::map<uint32_t, void *> Destinations;          // By datum: address that receives the final content.
  std::map<std::string, std::string> Map;           // A device of the file -> the device used for it.
  std::function<void(unsigned Run, size_t Done, size_t Of)> Progress; // Called on any thread. Null: none.
};

struct Traffic {
  std::string Device;
  uint64_t InputBytes = 0, OutputBytes = 0, DeviceBytes = 0;
  uint64_t Inputs = 0, Outputs = 0, DeviceCopies = 0;
};

struct RunReport {
  std::vector<double> Seconds;       // By run, without initialisation of data.
  std::vector<Traffic> Moved;        // Sum over all runs.
  std::vector<std::string> Devices;  // Names of all devices.
  std::vector<unsigned> DeviceTypes; // HSCHED_TYPE_..., of each
  std::vector<std::string> PlacedOn; // By kernel, in the last run, if this chose. Parts are joined by '+'.
  unsigned Ahead = 0;                // Number of components submitted before the preceding one had ended.
  std::map<std::string, double>
      Errors; // The greatest relative error of each compared result, beyond the absolute tolerance.
};

// The devices that a file's word selects: a type, a number, a part of a name. Empty: all.
std::vector<unsigned> devicesMeant(std::string Word, const std::map<std::string, std::string> &Map,
                                   const std::vector<std::string> &Names, const std::vector<unsigned> &Types);

// Runs it, writes results to files, compares. Throws Error. Not thread-safe.
RunReport run(const Graph &G, const RunOptions &Options);

} // namespace hsched::dag
#endif
