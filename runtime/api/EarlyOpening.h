// Devices that are opened when the program starts, before its first task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   a version for OpenCL devices is registered -> its thread: driver, contexts, queues, kernels that are kept on disk
//   the first task -> atFirstTask -> take: the engine's devices, if the settings are still the same
//
// It begins where an earlier run of the program tells that it pays (StartCost), or where HSCHED_EARLY asks for it.
// A process that was forked meanwhile has no devices: drivers do not work in it.
#ifndef HSCHED_API_EARLYOPENING_H
#define HSCHED_API_EARLYOPENING_H

#include "api/Settings.h"
#include "base/Clock.h"
#include "device/Device.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hsched::rt {

// Options for OpenCL devices of an engine with these settings on these cores. Observed: something observes tasks.
BackendOptions optionsFor(const Settings &S, const std::vector<unsigned> &Cores, bool Observed);

namespace early {

// Task's version V has been registered. Any thread. Does not wait for the opening: a library's constructor may call it.
void noteVersion(const char *Task, const hsched_version_desc &V);

enum class Phase : uint8_t {
  None,      // No devices are opened early, or with settings that have changed since.
  Underway,  // They are being opened.
  Locked,    // The same, but take() must not be called on this thread: see mustNotWait.
  Open,      // take() returns them at once.
  ForkedAway // See forkedAway.
};
struct FirstTask {
  Phase Now = Phase::None;
  bool Steady = false; // As in StartCost.
};
// The default engine is being made: nothing begins any more. Once, on its thread.
FirstTask atFirstTask();

struct Devices {
  std::vector<std::unique_ptr<Device>> Found;
  status Loaded;                   // As of loadBackends.
  Duration Open{0}, Preloading{0}; // Time for opening, and for loading kernels.
  std::string Machine;             // Machine::key() if a device has links; else empty.
};
// Returns the devices when they have been opened, once. Null: none are opened early, or they were opened with other
// settings, and are closed.
std::optional<Devices> take(const BackendOptions &Options);

// True if devices are being opened and the calling thread may hold the dynamic loader's lock. A library's constructor
// then submits a task or makes an engine. It must not wait for take() or loadBackends.
bool mustNotWait();
// True in a process whose parent had opened devices early, or was doing so, when it forked. It must not open any:
// drivers do not work in it.
bool forkedAway();

} // namespace early
} // namespace hsched::rt
#endif
