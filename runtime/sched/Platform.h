// The workers that a policy chooses among.
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

// Something that runs one task version after another: a core, or a device.
struct Worker {
  WorkerId Id = 0;
  std::string Name; // "CPU 0", "NVIDIA H200 #0".
  DeviceKind Kind = DeviceKind::Cpu;
  DeviceType Type = DeviceType::Cpu;
  MemoryNode Node = HostNode; // HostNode too for devices that share host memory.
  Device *Dev = nullptr;      // Null for CPU workers.
  ModelId Model = CpuModel;   // Alike workers: what one of them has measured holds for the others.
  // Its bit of Version::Disabled. Engines of one process have bits of their own.
  uint32_t FirstSlot = 0;
  uint32_t slot() const { return FirstSlot + Id; }
  // How many of the CPU workers' cores the device computes on; 0: none, it has its own.
  unsigned SharedCores = 0;
};

// Workers, which may be added at the end while other threads read: what they can see stays where it is.
class WorkerList {
public:
  WorkerList() = default;
  WorkerList(const WorkerList &Other) : Store(Other.Store), Count(Other.size()) {}
  WorkerList &operator=(const WorkerList &) = delete;

  // Before the first is added, where others read while more are: how many there will be at most.
  void reserve(size_t Most) { Store.reserve(Most); }
  size_t capacity() const { return Store.capacity(); }
  void push_back(Worker W) {
    append(std::move(W));
    publish();
  }
  // Before any other thread reads.
  void pop_back() {
    Store.pop_back();
    publish();
  }
  // One thread adds. What it appends, others see once it publishes.
  Worker &append(Worker W) { return Store.emplace_back(std::move(W)); }
  void publish() { Count.store(Store.size(), std::memory_order_release); }
  std::span<const Worker> appended() const { return {Store.data(), Store.size()}; } // By the thread that adds.

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

// CPU workers come first, and are there before the first task runs; worker 0 is the main thread's. Devices may come
// later.
struct Platform {
  WorkerList Workers;
  // What tells kinds of workers apart, by ModelId: the processor, or a device with its driver and its size. As many
  // as there are kinds; beyond AnyDevice the last one stands for the rest.
  std::vector<std::string> Models;
  // That of workers that Identity describes: a new one, if there is none. By the thread that adds workers, before it
  // publishes them.
  ModelId modelOf(const std::string &Identity);
  // Empty: it has none.
  std::string nameOf(ModelId M) const { return M != CpuModel && M < Models.size() ? Models[M] : std::string(); }

  // Whether W could run V if nothing failed: kind and type agree.
  static bool suits(const Worker &W, const Version &V) {
    return static_cast<unsigned>(W.Kind) == V.Desc->device &&
           (V.Desc->device_type == HSCHED_TYPE_ANY || V.Desc->device_type == static_cast<unsigned>(W.Type));
  }
  // The same, now or as soon as V's kernel is built.
  static bool willBeUsable(const Worker &W, const Version &V) { return suits(W, V) && !V.disabledOn(W.slot()); }
  static bool usable(const Worker &W, const Version &V) { return willBeUsable(W, V) && !V.unbuiltOn(W.slot()); }
  // The same for T, which may be placed.
  static bool usable(const Worker &W, const Version &V, const Task &T) { return usable(W, V) && mayRunOn(T, W.Id); }
};

} // namespace hsched::rt
#endif
