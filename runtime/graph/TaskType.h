// A task type as the program registered it: a name and versions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_GRAPH_TASKTYPE_H
#define HSCHED_GRAPH_TASKTYPE_H

#include <hsched/abi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace hsched::rt {

inline constexpr unsigned MaxVersions = 32; // Limit of versions of one task type.
inline constexpr unsigned MaxWorkers = 512;

// One version. Index is its position in its TaskType: dense, in order of registration.
struct Version {
  const hsched_version_desc *Desc = nullptr;
  unsigned Index = 0;
  // For a type made at run time: the program removed the version. It is Disabled everywhere.
  std::atomic<bool> Removed{false};
  // Bit w set: the version failed on the device of the worker with slot w and is not used there again. Any thread.
  std::array<std::atomic<uint64_t>, MaxWorkers / 64> Disabled{};

  bool disabledOn(uint32_t Slot) const {
    return Disabled[Slot / 64].load(std::memory_order_relaxed) >> (Slot % 64) & 1;
  }
  // True if this call disabled it.
  bool disableOn(uint32_t Slot) {
    uint64_t Bit = uint64_t(1) << (Slot % 64);
    return !(Disabled[Slot / 64].fetch_or(Bit, std::memory_order_relaxed) & Bit);
  }

  // Bit w set: the kernel is being built for the device of the worker with slot w. Meanwhile the worker gets no task of
  // this version. Any thread.
  std::array<std::atomic<uint64_t>, MaxWorkers / 64> Unbuilt{};
  bool unbuiltOn(uint32_t Slot) const { return Unbuilt[Slot / 64].load(std::memory_order_acquire) >> (Slot % 64) & 1; }
  // True if the bit changed.
  bool setUnbuilt(uint32_t Slot, bool Is) {
    uint64_t Bit = uint64_t(1) << (Slot % 64);
    return Is ? !(Unbuilt[Slot / 64].fetch_or(Bit) & Bit) : (Unbuilt[Slot / 64].fetch_and(~Bit) & Bit) != 0;
  }
};

} // namespace hsched::rt

// The ABI's opaque type. Versions may still be added while tasks run (a library loaded later): readers load NumVersions
// with acquire and see complete versions only.
struct hsched_task_type {
  const hsched_task_desc *Desc = nullptr; // Null until the main version's unit registered it.
  uint32_t Id = 0;                        // Dense, from 0: index for tables.
  std::string LinkerName;
  std::atomic<unsigned> NumVersions{0};
  // The only version that CPU workers can run. Null: there is none, or more than one. Only a registry sets it.
  std::atomic<const hsched::rt::Version *> OnlyOnCpu{nullptr};
  // The same for tasks that are calls or items of bundles. Null also for types made at run time.
  std::atomic<const hsched::rt::Version *> Quick{nullptr};
  // Recent mean time of runs on CPU workers; 0: none yet. Only of runs without a choice.
  std::atomic<uint32_t> Nanoseconds{0};
  // Versions below this index: the default engine has been asked to build their kernels.
  std::atomic<unsigned> BuildRequested{0};
  // Some task was submitted with options that exclude bundles.
  std::atomic<bool> Unbundled{false};
  // Some version has sections of its own.
  std::atomic<bool> OwnSections{false};
  std::array<hsched::rt::Version, hsched::rt::MaxVersions> Versions;

  const char *name() const { return Desc ? Desc->name : LinkerName.c_str(); }
  unsigned numVersions() const { return NumVersions.load(std::memory_order_acquire); }
};

namespace hsched::rt {
using TaskType = ::hsched_task_type;
}
#endif
