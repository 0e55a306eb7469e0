// Costs that the scheduler compares without having measured them: from benchmarks of devices, or their properties.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_COSTS_H
#define HSCHED_ICD_COSTS_H

#include "icd/Command.h"
#include "icd/DeviceProfile.h"

#include <limits>
#include <string>

namespace hsched::icd {

constexpr double Never = std::numeric_limits<double>::infinity();

// Work of a kernel of which nothing is known: a million items that read and write a megabyte.
constexpr Work Typical{1 << 20, 1 << 20, 1 << 20};

// The key of a kernel's times on a device.
std::string keyOf(const Command &C, const Device &D);
// Launches whose sizes count as one.
unsigned sizeClass(double Items);
// Operations a second at most, by the device's properties, for a kernel of so many items.
double peak(const Device &D, double Items);
// Rank of a device without measurements, larger is better: by its properties, and the resource that bounds the queue.
double staticWeight(const Device &D, cl_ulong Sched);
// Seconds of a kernel that has not run: by the devices' benchmarks, or by their properties.
double staticSeconds(const Work &W, const Device &D, cl_ulong Sched, bool Profiled);
Work workOf(const Command &C);
// The relation of two devices' times for a kernel that need not have run on any.
double relation(const Command &C, const Device &Of, const Device &To, bool Profiled);
// An interpreter may say that it is of all types.
bool isGpu(const Device &D);

} // namespace hsched::icd
#endif
