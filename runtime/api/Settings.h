// Settings from the environment. docs/runtime.md describes the variables; base/Log.h and the backends read others.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_SETTINGS_H
#define HSCHED_API_SETTINGS_H

#include "api/VersionFilter.h"

#include <cstdint>
#include <optional>
#include <string>

namespace hsched::rt {

struct Settings {
  unsigned Ncpu = 0;                  // HSCHED_NCPU; 0: as many as there are cores left
  std::string Scheduler = "adaptive"; // HSCHED_SCHED: known to exist, or the file of a plug-in
  VersionFilter Versions;             // HSCHED_VERSIONS
  unsigned Lambda = 3;                // HSCHED_LAMBDA
  unsigned Window = 4096;             // HSCHED_WINDOW
  uint32_t BundleBelow = 2000;        // HSCHED_BUNDLE
  unsigned InFlight = 0;              // HSCHED_INFLIGHT; 0: as suits the device
  bool BindMain = false;              // HSCHED_PIN: the main thread to a core
  std::string OpenCL;                 // HSCHED_OPENCL; "0": none
  // HSCHED_DEVICES: when devices are opened. Auto: where they are needed or pay, Beside where OpenCL selects some.
  enum class Devices : uint8_t { Auto, Beside, First } When = Devices::Auto;
  std::optional<bool> Early; // HSCHED_EARLY: devices are opened when the program starts. Null: an earlier run decides.
  std::optional<bool> Calibrate;    // HSCHED_CALIBRATE: measure links now, or never; null: when there is time
  unsigned Sim = 0;                 // HSCHED_SIM: simulated devices
  uint64_t DeviceMemoryBytes = 0;   // HSCHED_DEVICE_MEMORY: bytes, with K, M or G...
  unsigned DeviceMemoryPercent = 0; // The same as a percentage.
  unsigned WatchdogSeconds = 0;     // HSCHED_WATCHDOG; 0: none
  bool Statistics = false;          // HSCHED_STATS
  bool FullStatistics = false;      // HSCHED_STATS=full.
  bool RegretStatistics = false;    // HSCHED_STATS=regret.
  unsigned ProgressSeconds = 0;     // HSCHED_PROGRESS; 0: no lines
  bool Hosted = false;              // An engine beside the default one.
  bool Bind = false;                // HSCHED_PIN: CPU workers to cores of their own
  // HSCHED_TRACE, HSCHED_GRAPH, HSCHED_EXPLAIN, HSCHED_RECORD, HSCHED_RECORD_DATA; empty: none.
  std::string TracePath, GraphPath, ExplainPath, RecordPath, RecordDataPath;
  std::string PlatformPath; // HSCHED_PLATFORM: tasks are simulated there as well; empty: they are not
  // Files of execution times: HSCHED_MODELS, which is updated, and HSCHED_HINTS. Empty: none.
  std::string ModelPath, HintPath;
};

// Reads all settings. An invalid value gives a warning.
Settings readSettings();
// Reads only what the opening of devices depends on. Warnings are left to readSettings, except for those that are given
// once.
Settings readDeviceSettings();
// True if some setting needs an observer of tasks.
bool wantsObservers();

} // namespace hsched::rt
#endif
