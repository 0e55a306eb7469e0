// The platform and its devices: those of all vendors, and "hsched auto".
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_DEVICE_H
#define HSCHED_ICD_DEVICE_H

#include "icd/Driver.h"

namespace hsched::icd {

class Platform;

class Device : public Object {
public:
  static constexpr Kind Tag = Kind::Device;
  Device(Driver *Of, cl_device_id Id, Ref<Device> Parent);
  // "hsched auto", which stands for all of them: it answers as the first of them does. Beside them it is an
  // accelerator, so that a program that asks for CPUs or GPUs gets those alone.
  explicit Device(const std::vector<Device *> &StandsFor);
  ~Device() override;

  bool isAuto() const { return !StandsFor.empty(); }
  void info(cl_device_info What, const Answer &To) const;
  const cl_icd_dispatch &cl() const { return table(Id); }
  template <class T> T number(cl_device_info What, T Otherwise = {}) const {
    T Value = Otherwise;
    return cl().clGetDeviceInfo(Id, What, sizeof(T), &Value, nullptr) == CL_SUCCESS ? Value : Otherwise;
  }
  std::string text(cl_device_info What) const;

  Driver *const Of; // Of a vendor; for "hsched auto" that of the first device.
  const cl_device_id Id;
  const Ref<Device> Parent; // Of a sub-device.
  const std::vector<Device *> StandsFor;
  const cl_device_type Type;
  const unsigned Version;
  const bool OutOfOrder; // The vendor's queues can be.
  const std::string Key; // The same for devices that take the same time, in every run.
};

class Platform : public Object {
public:
  static constexpr Kind Tag = Kind::Platform;
  static Platform &get();
  void info(cl_platform_info What, const Answer &To) const;

  // What programs see, without sub-devices. HSCHED_OPENCL_AUTO=1: "hsched auto" alone.
  const std::vector<Device *> &devices() const { return Visible; }
  const std::vector<Device *> &vendorDevices() const { return Real; }

private:
  Platform();
  std::vector<Device *> Real, Visible;
};

// Every queue is scheduled: HSCHED_OPENCL_AUTO=1.
bool everythingIsAuto();

} // namespace hsched::icd
#endif
