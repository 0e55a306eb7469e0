// The workers of an engine.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_PLATFORM_H
#define HSCHED_SCHED_PLATFORM_H

#include "base/Ids.h"
#include "device/Device.h"
#include "graph/Placement.h"
#include "perfmodel/History.h"

#include <atomic>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hsched::rt {

// A worker: a core or a device, which runs one task version after another.
struct Worker {
  WorkerId Id = 0;
  std::string Name; // "CPU 0", "NVIDIA H200 #0".
  DeviceKind Kind = DeviceKind::Cpu;
  DeviceType Type = DeviceType::Cpu;
  MemoryNode Node = HostNode; // HostNode also for devices that share host memory.
  Device *Dev = nullptr;      // Null for CPU workers.
  ModelId Model = CpuModel;   // Kind of worker: measurements of one hold for the others.
  // First slot of the engine in Version::Disabled: engines of one process use different bits.
  uint32_t FirstSlot = 0;
  uint32_t slot() const { return FirstSlot + Id; }
  // Number of CPU workers' cores that the device computes on. 0: it has its own.
  unsigned SharedCores = 0;
};

// A list of workers to which one thread may append while others read: published entries keep their address.
class WorkerList {
public:
  WorkerList() = default;
  WorkerList(const WorkerList &Other) : Store(Other.Store), Count(Other.size()) {}
  WorkerList &operator=(const WorkerList &) = delete;

  // Reserves capacity. Needed before the first append if others read concurrently.
  void reserve(size_t Most) { Store.reserve(Most); }
  size_t capacity() const { return Store.capacity(); }
  void push_back(Worker W) {
    append(std::move(W));
    publish();
  }
  // Call before any other thread reads.
  void pop_back() {
    Store.pop_back();
    publish();
  }
  // One thread appends. Others see new entries after publish.
  Worker &append(Worker W) { return Store.emplace_back(std::move(W)); }
  void publish() { Count.store(Store.size(), std::memory_order_release); }
  std::span<const Worker> appended() const { return {Store.data(), Store.size()}; } // By the appending thread.

  size_t size() const { return Count.load(std::memory_order_acquire); }
  bool empty() const { return size() == 0; }
  const Worker &operator[](size_t I) const { return Store.data()[I]; }
  Worker &operator[](size_t I) { return Store.data()[I]; }
  const Worker *begin() const { return Store.data(); }
  const Worker *end() const { return Store.data() + size(); }
  Worker *begin() { return Store.data(); }
  Worker *end() { return Store.data() + size(); }

private:
  std::vector<Worker> Store;
  std::atomic<size_t> Count{0};
};

// CPU workers come first and exist before the first task runs. Worker 0 is the main thread's. Devices may be added
// later.
struct Platform {
  WorkerList Workers;
  // Identities of kinds of workers, by ModelId: the processor, or a device with its driver and size. Kinds beyond
  // AnyDevice share the last entry.
  std::vector<std::string> Models;
  // The ModelId for Identity; adds it if it is new. By the appending thread, before it
  // publishes.
  ModelId modelOf(const std::string &Identity);
  // Empty: no name.
  std::string nameOf(ModelId M) const { return M != CpuModel && M < Models.size() ? Models[M] : std::string(); }

  // True if W can run V unless something fails: kind and type agree.
  static bool suits(const Worker &W, const Version &V) {
    return static_cast<unsigned>(W.Kind) == V.Desc->device &&
           (V.Desc->device_type == HSCHED_TYPE_ANY || V.Desc->device_type == static_cast<unsigned>(W.Type));
  }
  // True if W can run V now, or as soon as V's kernel is built.
  static bool willBeUsable(const Worker &W, const Version &V) { return suits(W, V) && !V.disabledOn(W.slot()); }
  static bool usable(const Worker &W, const Version &V) { return willBeUsable(W, V) && !V.unbuiltOn(W.slot()); }
  // True if W can run version V of T, which may have a placement.
  static bool usable(const Worker &W, const Version &V, const Task &T) { return usable(W, V) && mayRunOn(T, W.Id); }
};

} // namespace hsched::rt
#endif
