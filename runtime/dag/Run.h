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

// Which kernel goes where, and when.
enum class Dispatch {
  Engine,     // All kernels are submitted at once; the engine's policy chooses, components stay together.
  Clustering, // PySchedCL's: a component has its device for itself; of those that are ready the one of greatest rank.
  Eager,      // PySchedCL's second experiment: kernel by kernel, to whichever device is free.
  Heft        // Its third: to the device where the kernel is expected to end first.
};

struct RunOptions {
  Dispatch How = Dispatch::Engine;
  hsched_select_function Select = nullptr; // Clustering: who chooses instead.
  std::string SelectFile;                  // For messages.
  unsigned Repeat = 1;
  std::map<std::string, std::string> Map;                             // A device of the file -> what is taken for it.
  std::function<void(unsigned Run, size_t Done, size_t Of)> Progress; // On any thread; null: none.
};

struct Traffic {
  std::string Device;
  uint64_t InputBytes = 0, OutputBytes = 0, DeviceBytes = 0;
  uint64_t Inputs = 0, Outputs = 0, DeviceCopies = 0;
};

struct RunReport {
  std::vector<double> Seconds;          // Of each run, without what data begin as.
  std::vector<Traffic> Moved;           // In all runs together.
  std::vector<std::string> Devices;     // That there are.
  std::vector<unsigned> DeviceTypes;    // HSCHED_TYPE_..., of each
  std::vector<std::string> PlacedOn;    // By kernel, in the last run, where this chose; parts with '+' between.
  unsigned Ahead = 0;                   // Components that were submitted before the one in front of them had ended.
  std::map<std::string, double> Errors; // The greatest relative error of each result that was compared.
};

// The devices, of those that there are, that a file's word means: a type, a number, a part of a name; empty: all.
std::vector<unsigned> devicesMeant(std::string Word, const std::map<std::string, std::string> &Map,
                                   const std::vector<std::string> &Names, const std::vector<unsigned> &Types);

// Runs it, writes results to their files, compares. Throws Error. Not from two threads at a time.
RunReport run(const Graph &G, const RunOptions &Options);

} // namespace hsched::dag
#endif
