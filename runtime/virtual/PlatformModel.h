// A machine that is simulated: workers with speeds, links with latency and bandwidth, memories with sizes.
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

// How fast a kind of worker does one type of task.
struct Speed {
  struct Point {
    double Bytes;     // Of the task's data.
    double PerSecond; // Units of work, or bytes.
  };
  bool OfBytes = false;      // PerSecond counts bytes of the task's data, else units of its work.
  Duration Overhead{0};      // Of each task.
  std::vector<Point> Points; // By Bytes, increasing; at least one.

  // Linear in the logarithm of the size between two points, constant outside of them.
  double perSecond(uint64_t Bytes) const;
  // How long a task takes with so much work and so much data. At least a nanosecond.
  Duration time(double Work, uint64_t Bytes) const;
};

struct WorkerKind {
  std::string Name;
  DeviceKind Device = DeviceKind::Cpu;
  DeviceType Type = DeviceType::Cpu;
  uint64_t MemoryBytes = 0;         // 0: it works on host memory.
  double CopyBytesPerSecond = 1e11; // Of copies within its memory.
  unsigned InFlight = 16;           // Tasks that a device with memory of its own has at once.
  unsigned Units = 0;               // Compute units of a device; 0: not known.
  Duration Opens{0};                // From the program's begin until a device can run tasks.
  // What a device's first run of each version and size takes beyond its time, as with libraries that build their
  // kernels then. If not 0, that run is left out of the history, as the executor does for versions with a body.
  Duration FirstRun{0};
  // By type of task. "*": of all others. Null: it cannot run that type.
  std::map<std::string, std::optional<Speed>> Speeds;

  // Null: it cannot run tasks of that type.
  const Speed *speedOf(const std::string &Task) const;
};

// Links are shared fairly by the transfers that use them at the same time.
struct LinkModel {
  std::string Name;
  double ToDeviceBytesPerSecond = 0, ToHostBytesPerSecond = 0;
  Duration Latency{0};
  bool Duplex = true; // False: both directions share ToDeviceBytesPerSecond.
};

struct WorkerModel {
  std::string Name;
  unsigned Kind = 0;
  std::vector<unsigned> Way; // The links between host memory and its own, from the host on; empty where it has none.
};

struct PlatformModel {
  std::string Name;
  std::vector<std::string> Sources; // Where the figures come from.
  // What a submission costs the main thread, which is worker 0 and works where it has nothing to submit.
  Duration Submission{0};
  // Whether data go from one device to another along the links that their ways do not have in common. Else they go
  // through host memory.
  bool Peers = true;
  std::vector<WorkerKind> Kinds;
  std::vector<LinkModel> Links;
  std::vector<WorkerModel> Workers; // CPU workers first; at least one of these.

  // Latency and bandwidth from one worker's memory to another one's, if nothing else travels. Host memory: a CPU
  // worker's.
  struct Path {
    std::vector<unsigned> Up, Down; // Links that data pass to the host, and from it.
  };
  Path path(unsigned From, unsigned To) const;
};

// Reads a platform from a file of JSON, as docs/simulation.md has it. The message of a failure is one line: file,
// field, and what to write there.
status readPlatform(const std::string &File, PlatformModel &Out);
// The same from Text. Name stands for the file in messages.
status parsePlatform(const std::string &Text, const std::string &Name, PlatformModel &Out);

} // namespace hsched::rt::virt
#endif
