// What hsched-info finds out, and the two ways in which it says so.
//
//   collect -> Info -> writeText | writeJson
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_INFO_INFO_H
#define HSCHED_TOOLS_INFO_INFO_H

#include "device/Device.h"
#include "device/Machine.h"
#include "device/Topology.h"
#include "perfmodel/Links.h"

#include <optional>
#include <string>
#include <vector>

namespace hsched::info {

struct BackendInfo {
  std::string Name, Plugin; // Its file.
  std::string Problem;      // Why it has no devices; empty: it works.
};

struct DeviceFacts {
  rt::DeviceInfo Info;
  bool Used = false; // By programs, as the environment is.
  unsigned Queues = 0;
  std::optional<rt::LinkTimes> Links; // Null for devices that share host memory, and where nothing could be measured.
};

// From one device to another, both with memory of their own.
struct WayFacts {
  size_t From = 0, To = 0; // Of Info::Devices.
  bool Direct = false;     // Else through host memory.
  bool Measured = false;   // Else the sum of both links.
  rt::LinkCost Cost;
};

struct Info {
  rt::Machine Machine;
  rt::Topology Usable; // By this process.
  std::string Cache;   // The folder; empty: none.
  std::vector<BackendInfo> Backends;
  std::vector<DeviceFacts> Devices;
  std::vector<WayFacts> Ways;          // By From, then To.
  std::string Selection, BadSelection; // HSCHED_OPENCL's value, and what is wrong with it
};

// Asks machine and backends. Links that were never measured are, and all with Calibrate.
Info collect(bool Calibrate);

std::string writeText(const Info &I);
// As docs/info.schema.json has it.
std::string writeJson(const Info &I);

} // namespace hsched::info
#endif
