// Programs built for one device, and their kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_PROGRAMS_H
#define HSCHED_BACKENDS_OPENCL_PROGRAMS_H

#include "backends/opencl/ClHeader.h"
#include "base/DiskCache.h"
#include "device/Device.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace hsched::rt::opencl {

struct ClKernel final : Kernel {
  cl::Kernel Native;
  std::mutex Lock;  // Held from the first argument set to the enqueue.
  std::string Name; // As the user named it.
  unsigned Args = 0;
  bool TakesOffsets = false;             // Takes one more argument for each buffer, see HSCHED_KERNEL_OFFSETS.
  size_t MaxGroup = 0;                   // Limit of work-items in a group on this device; 0: unknown.
  uint64_t LocalBytes = 0;               // Statically used local memory.
  std::array<size_t, 3> RequiredLocal{}; // All zero if the source requires none.

  // An argument as it was last set. With Lock held.
  struct SetArg {
    static constexpr size_t MostBytes = 16;
    size_t Bytes = 0;    // 0: unknown.
    uint64_t Serial = 0; // Serial of the buffer; 0: no buffer.
    bool Local = false;  // Local memory of that size.
    std::array<unsigned char, MostBytes> Value{};
  };
  std::vector<SetArg> Last; // By index.
};

// Any thread.
class ProgramCache {
public:
  // Built programs are kept on Disk and loaded from there.
  ProgramCache(cl::Context Context, cl::Device Device, std::string DeviceName,
               DiskCache Disk = DiskCache::ofUser("programs", MostBytesOnDisk))
      : Context(std::move(Context)), Device(std::move(Device)), DeviceName(std::move(DeviceName)),
        Disk(std::move(Disk)) {}

  // As Device::kernel. The first caller builds a program, others wait. A failed build is not
  // retried.
  status kernel(const hsched_kernel_desc &Desc, KernelRef &Out);

  // As Device::preload.
  void preload(const hsched_kernel_desc &Desc);

  // Number of programs compiled from source.
  unsigned compiled() const { return Compiled.load(std::memory_order_relaxed); }
  // The cache key of Desc's program: source, options, device and driver. Empty if it must not be cached, because its
  // source may include other files.
  std::string diskKey(const hsched_kernel_desc &Desc) const;

  static constexpr uint64_t MostBytesOnDisk = uint64_t(256) << 20;

private:
  struct Program {
    std::mutex Lock; // Guards all below.
    bool BuildAttempted = false;
    bool FromDisk = false;
    status Result;
    cl::Program Native;
    std::map<std::string, std::shared_ptr<ClKernel>> Kernels; // Keyed by entry, name and whether it takes offsets.
  };

  // Allows lookups without a copy of the source.
  struct Less {
    using is_transparent = void;
    using View = std::pair<std::string_view, std::string_view>;
    bool operator()(const View &A, const View &B) const { return A < B; }
  };

  status build(const hsched_kernel_desc &Desc, Program &P);
  status compile(const hsched_kernel_desc &Desc, Program &P);
  bool loadBinary(const hsched_kernel_desc &Desc, const std::string &Key, Program &P);
  void keepBinary(const std::string &Key, const Program &P);
  status create(const hsched_kernel_desc &Desc, Program &P, std::shared_ptr<ClKernel> &Out);

  const cl::Context Context;
  const cl::Device Device;
  const std::string DeviceName;
  const DiskCache Disk;
  std::atomic<unsigned> Compiled{0};
  std::mutex Lock; // Guards the map, not its programs.
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Program>, Less> Programs; // By options and source.
};

// Origin of a binary. A binary of another origin may be refused or, worse, be accepted.
struct BinaryOrigin {
  std::string Platform, PlatformVersion, Vendor, Name, Version, Driver, Extensions; // All as reported by OpenCL.
};
BinaryOrigin originOf(const cl::Device &Device);
// Cache key of a binary.
std::string binaryKey(const BinaryOrigin &From, std::string_view Options, std::string_view Source);

// True if a source or its options may include other files.
bool mayInclude(std::string_view Source, std::string_view Options);

// A build log cut to whole lines of at most Bytes bytes in all, without blank lines at both ends.
std::string trimLog(const std::string &Log, size_t Bytes = 4000);

} // namespace hsched::rt::opencl
#endif
