// Data of hsched-info, and its two output formats.
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
  std::string Name, Plugin; // Name, and file of the plugin.
  std::string Problem;      // Why it has no devices. Empty: it works.
};

struct DeviceFacts {
  rt::DeviceInfo Info;
  bool Used = false; // Used by programs in this environment.
  unsigned Queues = 0;
  std::optional<rt::LinkTimes> Links; // Null for devices that share host memory, or without a measurement.
};

// The route between two devices with their own memory.
struct RouteFacts {
  size_t From = 0, To = 0; // Indices in Info::Devices.
  bool Direct = false;     // False: through host memory.
  bool Measured = false;   // False: the sum of both links.
  rt::LinkCost Cost;
};

struct Info {
  rt::Machine Machine;
  rt::Topology Usable; // Cores usable by this process.
  std::string Cache;   // Cache folder; empty: none.
  std::vector<BackendInfo> Backends;
  std::vector<DeviceFacts> Devices;
  std::vector<RouteFacts> Ways;        // Ordered by From, then To.
  std::string Selection, BadSelection; // HSCHED_OPENCL's value, and what is wrong with it
};

// Queries machine and backends. Measures unmeasured links; with Calibrate all links.
Info collect(bool Calibrate);

std::string writeText(const Info &I);
// Output in the format of docs/info.schema.json.
std::string writeJson(const Info &I);

} // namespace hsched::info
#endif
