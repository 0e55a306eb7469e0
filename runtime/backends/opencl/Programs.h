// Programs built for one device, and their kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_PROGRAMS_H
#define HSCHED_BACKENDS_OPENCL_PROGRAMS_H

#include "backends/opencl/ClHeader.h"
#include "device/Device.h"

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace hsched::rt::opencl {

struct ClKernel final : Kernel {
  cl::Kernel Native;
  std::mutex Lock;  // from the first argument set to the enqueue
  std::string Name; // as the user named it
  unsigned Args = 0;
  bool TakesOffsets = false;             // one more argument for each buffer, see HSCHED_KERNEL_OFFSETS
  size_t MaxGroup = 0;                   // work-items of a group, here; 0: unknown
  uint64_t LocalBytes = 0;               // local memory of its own
  std::array<size_t, 3> RequiredLocal{}; // all zero where the source requires none
};

// Any thread.
class ProgramCache {
public:
  ProgramCache(cl::Context Context, cl::Device Device, std::string DeviceName)
      : Context(std::move(Context)), Device(std::move(Device)), DeviceName(std::move(DeviceName)) {}

  // As Device::kernel. A program is built by whoever asks first, the others wait; one that does not build is not tried
  // again.
  status kernel(const hsched_kernel_desc &Desc, KernelRef &Out);

private:
  struct Program {
    std::mutex Lock; // all below
    bool Tried = false;
    status Result;
    cl::Program Native;
    std::map<std::string, std::shared_ptr<ClKernel>> Kernels; // by entry, name and whether it takes offsets
  };

  // Looks up without copying a source.
  struct Less {
    using is_transparent = void;
    using View = std::pair<std::string_view, std::string_view>;
    bool operator()(const View &A, const View &B) const { return A < B; }
  };

  status build(const hsched_kernel_desc &Desc, Program &P);
  status create(const hsched_kernel_desc &Desc, Program &P, std::shared_ptr<ClKernel> &Out);

  const cl::Context Context;
  const cl::Device Device;
  const std::string DeviceName;
  std::mutex Lock; // of the map, not of its programs
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Program>, Less> Programs; // by options and source
};

// A build log in at most Bytes bytes, whole lines, blank lines at both ends taken away.
std::string trimLog(const std::string &Log, size_t Bytes = 4000);

} // namespace hsched::rt::opencl
#endif
