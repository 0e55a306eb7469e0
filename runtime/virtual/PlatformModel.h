// Model of a simulated machine: workers with speeds, links with latency and bandwidth, memories with sizes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_VIRTUAL_PLATFORMMODEL_H
#define HSCHED_VIRTUAL_PLATFORMMODEL_H

#include "base/Clock.h"
#include "device/Device.h"
#include <hsched/status.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hsched::rt::virt {

// Speed of a kind of worker for one task type.
struct Speed {
  struct Point {
    double Bytes;     // Bytes of the task's data.
    double PerSecond; // Units of work, or bytes, per second.
  };
  bool OfBytes = false;      // PerSecond counts bytes of the task's data, else units of its work.
  Duration Overhead{0};      // Added to each task.
  std::vector<Point> Points; // Increasing in Bytes; at least one.

  // Linear interpolation in the logarithm of the size; constant outside of the points.
  double perSecond(uint64_t Bytes) const;
  // Time of a task with this work and data. At least 1 ns.
  Duration time(double Work, uint64_t Bytes) const;
};

struct WorkerKind {
  std::string Name;
  DeviceKind Device = DeviceKind::Cpu;
  DeviceType Type = DeviceType::Cpu;
  uint64_t MemoryBytes = 0;         // 0: it uses host memory.
  double CopyBytesPerSecond = 1e11; // Rate of copies within its memory.
  unsigned InFlight = 16;           // Limit of tasks on a device with its own memory.
  unsigned Units = 0;               // Compute units of a device; 0: unknown.
  Duration Opens{0};                // Time from the program's begin until the device can run tasks.
  // Extra time of a device's first run of each version and size, as with libraries that build kernels then. If not 0,
  // that run is not recorded in the history, as the executor does for versions with a body.
  Duration FirstRun{0};
  // By task type; "*": all others. Null: it cannot run that type.
  std::map<std::string, std::optional<Speed>> Speeds;
  // Time from the first task on a device until its first transfer or run can begin, as with kernels that are built
  // then.
  Duration SetUp{0};
  // False: a device's transfers and runs take turns, as those of an OpenCL device whose threads are CPU cores.
  bool Overlaps = true;
  // From one task's end to the next one's begin; from the time when a task could begin, if the worker was idle.
  Duration Between{0}, Wakes{0};

  // Null: it cannot run tasks of that type.
  const Speed *speedOf(const std::string &Task) const;
};

// Concurrent transfers share a link fairly.
struct LinkModel {
  std::string Name;
  double ToDeviceBytesPerSecond = 0, ToHostBytesPerSecond = 0;
  Duration Latency{0};
  bool Duplex = true; // False: both directions share ToDeviceBytesPerSecond.
  // Rates that policies assume. 0: the real ones.
  double AssumedToDevice = 0, AssumedToHost = 0;
};

struct WorkerModel {
  std::string Name;
  unsigned Kind = 0;
  std::vector<unsigned> Way; // The links from host memory to its own memory, in order. Empty without its own memory.
};

struct PlatformModel {
  std::string Name;
  std::vector<std::string> Sources; // Sources of the figures.
  // Time of a submission on the main thread, which is worker 0 and runs tasks when it has nothing to submit.
  Duration Submission{0};
  // True: data go between devices along the links that their routes do not share. False: through host
  // memory.
  bool Peers = true;
  std::vector<WorkerKind> Kinds;
  std::vector<LinkModel> Links;
  std::vector<WorkerModel> Workers; // CPU workers first; at least one of these.

  // Latency and bandwidth between two workers' memories without other transfers. Host memory: that of a CPU
  // worker.
  struct Path {
    std::vector<unsigned> Up, Down; // Links towards the host, and from it.
  };
  Path path(unsigned From, unsigned To) const;
};

// Reads a platform from a JSON file; docs/simulation.md has the format. An error message is one line: file, field, and
// the expected form.
status readPlatform(const std::string &File, PlatformModel &Out);
// The same from Text. Name stands for the file in messages.
status parsePlatform(const std::string &Text, const std::string &Name, PlatformModel &Out);

} // namespace hsched::rt::virt
#endif
