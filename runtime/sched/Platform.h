// The workers that a policy chooses among.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_PLATFORM_H
#define HSCHED_SCHED_PLATFORM_H

#include "base/Ids.h"
#include "device/Device.h"
#include "graph/Placement.h"
#include "perfmodel/History.h"

#include <string>
#include <vector>

namespace hsched::rt {

// Something that runs one task version after another: a core, or a device.
struct Worker {
  WorkerId Id = 0;
  std::string Name; // "CPU 0", "NVIDIA H200 #0"
  DeviceKind Kind = DeviceKind::Cpu;
  DeviceType Type = DeviceType::Cpu;
  MemoryNode Node = HostNode;   // HostNode too for devices that share host memory
  Device *Dev = nullptr;        // null for CPU workers
  WorkerModel Model = CpuModel; // alike workers: what one of them has measured holds for the others
  // Its bit of Version::Disabled. Engines of one process have bits of their own.
  uint32_t FirstSlot = 0;
  uint32_t slot() const { return FirstSlot + Id; }
};

// Fixed before the first task runs. CPU workers come first; worker 0 is the main thread's.
struct Platform {
  std::vector<Worker> Workers;
  // What tells kinds of workers apart, by WorkerModel: the processor, or a device with its driver and its size. As many
  // as there are kinds; beyond MaxModels the last one stands for the rest.
  std::vector<std::string> Models;
  // That of workers that Identity describes: a new one, if there is none. Before the first task.
  WorkerModel modelOf(const std::string &Identity);

  // Whether W could run V if nothing failed: kind and type agree.
  static bool suits(const Worker &W, const Version &V) {
    return static_cast<unsigned>(W.Kind) == V.Desc->device &&
           (V.Desc->device_type == HSCHED_TYPE_ANY || V.Desc->device_type == static_cast<unsigned>(W.Type));
  }
  static bool usable(const Worker &W, const Version &V) { return suits(W, V) && !V.disabledOn(W.slot()); }
  // The same for T, which may be placed.
  static bool usable(const Worker &W, const Version &V, const Task &T) { return usable(W, V) && mayRunOn(T, W.Id); }
};

} // namespace hsched::rt
#endif
