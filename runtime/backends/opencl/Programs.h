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
  std::mutex Lock;  // From the first argument set to the enqueue.
  std::string Name; // As the user named it.
  unsigned Args = 0;
  bool TakesOffsets = false;             // One more argument for each buffer, see HSCHED_KERNEL_OFFSETS.
  size_t MaxGroup = 0;                   // work-items of a group, here; 0: unknown.
  uint64_t LocalBytes = 0;               // Local memory of its own.
  std::array<size_t, 3> RequiredLocal{}; // All zero where the source requires none.

  // An argument as it was last set. With Lock held.
  struct SetArg {
    static constexpr size_t MostBytes = 16;
    size_t Bytes = 0;    // 0: not known.
    uint64_t Serial = 0; // Of the buffer that it is; 0: it is none.
    bool Local = false;  // Memory of so many bytes.
    std::array<unsigned char, MostBytes> Value{};
  };
  std::vector<SetArg> Last; // By index.
};

// Any thread.
class ProgramCache {
public:
  // What is built is kept on Disk, and taken from there the next time.
  ProgramCache(cl::Context Context, cl::Device Device, std::string DeviceName,
               DiskCache Disk = DiskCache::ofUser("programs", MostBytesOnDisk))
      : Context(std::move(Context)), Device(std::move(Device)), DeviceName(std::move(DeviceName)),
        Disk(std::move(Disk)) {}

  // As Device::kernel. A program is built by whoever asks first, the others wait; one that does not build is not tried
  // again.
  status kernel(const hsched_kernel_desc &Desc, KernelRef &Out);

  // How many programs have been compiled from their sources here.
  unsigned compiled() const { return Compiled.load(std::memory_order_relaxed); }
  // What Desc's program is kept under: its source, the options, the device and its driver. Empty where it is not to be
  // kept, because its source may name files whose contents nobody here sees.
  std::string diskKey(const hsched_kernel_desc &Desc) const;

  static constexpr uint64_t MostBytesOnDisk = uint64_t(256) << 20;

private:
  struct Program {
    std::mutex Lock; // All below.
    bool Tried = false;
    bool FromDisk = false;
    status Result;
    cl::Program Native;
    std::map<std::string, std::shared_ptr<ClKernel>> Kernels; // By entry, name and whether it takes offsets.
  };

  // Looks up without copying a source.
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
  std::mutex Lock; // Of the map, not of its programs.
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Program>, Less> Programs; // By options and source.
};

// Who made a binary and for what: another's may be refused, or worse, be taken.
struct BinaryOrigin {
  std::string Platform, PlatformVersion, Vendor, Name, Version, Driver, Extensions; // As OpenCL reports them.
};
BinaryOrigin originOf(const cl::Device &Device);
// What a binary is kept under.
std::string binaryKey(const BinaryOrigin &From, std::string_view Options, std::string_view Source);

// Whether a source, or options, may have files read that are not part of it.
bool mayInclude(std::string_view Source, std::string_view Options);

// A build log in at most Bytes bytes, whole lines, blank lines at both ends taken away.
std::string trimLog(const std::string &Log, size_t Bytes = 4000);

} // namespace hsched::rt::opencl
#endif
