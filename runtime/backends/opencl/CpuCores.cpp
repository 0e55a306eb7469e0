// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/CpuCores.h"

#include "backends/opencl/Errors.h"
#include "backends/opencl/SubDevices.h"
#include "base/Log.h"

#include <algorithm>

namespace hsched::rt::opencl {

// From so many cores on, a few missing ones cost a CPU device little.
static constexpr size_t ManyCores = 10;

std::vector<unsigned> coresForDevice(const std::vector<unsigned> &Cores, unsigned WorkersWanted,
                                     unsigned NeededForParts, unsigned Others) {
  size_t All = Cores.size();
  if (WorkersWanted && Others && All >= ManyCores)
    WorkersWanted += std::min(Others + 1, static_cast<unsigned>(All / 4));
  if (All < 2)
    return {};
  size_t NumCores = WorkersWanted == 0 ? All / 2 : WorkersWanted < All ? All - WorkersWanted : 1;
  NumCores = std::min(std::max<size_t>(NumCores, NeededForParts), All);
  return {Cores.end() - static_cast<std::ptrdiff_t>(NumCores), Cores.end()};
}

cl::Device partOf(const cl::Device &Whole, unsigned Units) {
  if (Units == 0 || Whole.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>() <= Units)
    return Whole;
  std::vector<cl::Device> Parts;
  cl_int Code = createParts(Whole,
                            {CL_DEVICE_PARTITION_BY_COUNTS, static_cast<cl_device_partition_property>(Units),
                             CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0},
                            Parts);
  if (Code != CL_SUCCESS || Parts.size() != 1) {
    log(LogLevel::Warning, "OpenCL device %s cannot be split (%s): it may compete with CPU workers for their cores",
        Whole.getInfo<CL_DEVICE_NAME>().c_str(), describeError(Code).c_str());
    return Whole;
  }
  return Parts[0];
}

} // namespace hsched::rt::opencl
