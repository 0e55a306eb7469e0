// The platform and its devices: those of all vendors, and "hsched auto".
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_DEVICE_H
#define HSCHED_ICD_DEVICE_H

#include "icd/Driver.h"

#include <atomic>
#include <mutex>

namespace hsched::icd {

class Platform;
struct DeviceProfile;

class Device : public Object {
public:
  static constexpr Kind Tag = Kind::Device;
  Device(Driver *Of, cl_device_id Id, Ref<Device> Parent);
  // Makes "hsched auto", which represents all devices and has the properties of the first. Its type is accelerator, so
  // programs that ask for CPUs or GPUs do not get it.
  explicit Device(const std::vector<Device *> &RealDevices);
  ~Device() override;

  bool isAuto() const { return !RealDevices.empty(); }
  void info(cl_device_info What, const Answer &To) const;
  const cl_icd_dispatch &cl() const { return table(Id); }
  template <class T> T number(cl_device_info What, T Otherwise = {}) const {
    T Value = Otherwise;
    return cl().clGetDeviceInfo(Id, What, sizeof(T), &Value, nullptr) == CL_SUCCESS ? Value : Otherwise;
  }
  std::string text(cl_device_info What) const;

  // For a vendor's device; queried once.
  struct Limits {
    size_t ItemSizes[3] = {1, 1, 1}, GroupSize = 0, Alignment = 1,
           Units = 1; // Alignment: of sub-buffers, in bytes.
    unsigned MHz = 0; // Some interpreters report 0 or 1.
    bool SharesHostMemory = false;
    bool UnevenGroups = false;                                 // Work-groups at the end of a launch may be smaller.
    uint64_t LocalBytes = UINT64_MAX, AllocBytes = UINT64_MAX; // The latter: of one memory object.
  };
  const Limits &limits() const;
  // Held around each function that enqueues. Only a device that runs in its callers locks anything. It is taken before
  // all other locks, because a command's end may call the program.
  std::unique_lock<std::recursive_mutex> inTurn() const {
    return RunsInCaller ? std::unique_lock(Turn) : std::unique_lock<std::recursive_mutex>();
  }

  // Takes note of the vendor's answer to a command. True: the vendor has said so that the device is not there.
  bool answered(cl_int Error) const {
    if (Error >= CL_SUCCESS) {
      if (Refusals.load(std::memory_order_relaxed))
        Refusals.store(0, std::memory_order_relaxed);
      return false;
    }
    if (Error == CL_DEVICE_NOT_AVAILABLE)
      Refusals.store(MostRefusals, std::memory_order_relaxed);
    else if (isRefusal(Error))
      Refusals.fetch_add(1, std::memory_order_relaxed);
    return Error == CL_DEVICE_NOT_AVAILABLE;
  }
  // The vendor has refused its last commands, so no queue is mapped to it. A command that it accepts ends this.
  bool isLost() const { return Refusals.load(std::memory_order_relaxed) >= MostRefusals; }
  // The error is the device's, and not the command's.
  static bool isRefusal(cl_int Error) { return Error == CL_DEVICE_NOT_AVAILABLE || Error == CL_OUT_OF_RESOURCES; }
  // Another device may accept the command.
  static bool isOfDevice(cl_int Error);

  Driver *const Of; // For "hsched auto" the driver of the first device.
  const cl_device_id Id;
  const Ref<Device> Parent; // For a sub-device.
  const std::vector<Device *> RealDevices;
  const cl_device_type Type;
  const unsigned Version;
  const bool OutOfOrder; // The vendor supports out-of-order queues.
  // Its commands run inside the functions that enqueue them: PoCL's "basic" device. In PoCL 3.1 a
  // command hangs if another thread enqueues it meanwhile behind such a command: it locks its own event twice.
  const bool RunsInCaller;
  const std::string Name;
  mutable std::atomic<const DeviceProfile *> Profile{nullptr}; // Null: not asked for, or it cannot be measured.
  // How it was made out of its parent, if the vendor would say something else.
  std::vector<cl_device_partition_property> PartitionType;
  const std::string Key; // Equal for devices with equal execution times; stable across runs.

private:
  // For "hsched auto": what all its devices have in common. False: the first one answers.
  bool common(cl_device_info What, const Answer &To) const;
  static constexpr unsigned MostRefusals = 3;
  mutable std::atomic<unsigned> Refusals{0}; // In a row.
  mutable std::once_flag QueriedOnce;
  mutable Limits Its;
  mutable std::recursive_mutex Turn;
};

class Platform : public Object {
public:
  static constexpr Kind Tag = Kind::Platform;
  static Platform &get();
  void info(cl_platform_info What, const Answer &To) const;

  // The devices that programs see, without sub-devices. With HSCHED_OPENCL_AUTO=1: only "hsched auto".
  const std::vector<Device *> &devices() const { return Visible; }
  const std::vector<Device *> &vendorDevices() const { return Real; }

private:
  Platform();
  std::vector<Device *> Real, Visible;
};

// True if every queue is scheduled: HSCHED_OPENCL_AUTO=1.
bool everythingIsAuto();

} // namespace hsched::icd
#endif
