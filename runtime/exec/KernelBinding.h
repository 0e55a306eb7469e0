// A task's kernel arguments with the host's addresses translated to a device's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_KERNELBINDING_H
#define HSCHED_EXEC_KERNELBINDING_H

#include "exec/PackedTiles.h"

#include <cstddef>
#include <span>
#include <vector>

namespace hsched::rt {

class KernelBinding {
public:
  // InPlace: the device works on host memory, which is wrapped. Otherwise Acquired says where the data are. Holds
  // pointers into itself and into the task's arguments: it must not move, and its spans must not outlive the task. May
  // be reused.
  status bind(const Task &T, const hsched_kernel_desc &Desc, const Acquisition &Acquired, Device &Dev, bool InPlace);

  const hsched_ndrange &range() const { return Range; }
  // Arguments with host addresses.
  std::span<const hsched_kernel_arg> filled() const { return Filled; }
  std::span<const BoundArg> args() const { return Args; }
  // Releases the buffers.
  void clear() { Args.clear(); }
  // True if there is no work item: nothing is launched.
  bool empty() const;

private:
  status fill(const Task &T, const hsched_kernel_desc &Desc, const Acquisition &Acquired, bool InPlace);
  status place(const Task &T, const hsched_kernel_desc &Desc, const hsched_kernel_arg &Arg, const Acquisition &Acquired,
               Device &Dev, bool InPlace, BoundArg &Out);

  hsched_ndrange Range{};
  std::vector<hsched_packed_place> Places;
  std::vector<unsigned long long> Leading;
  std::vector<hsched_kernel_arg> Filled;
  std::vector<BoundArg> Args;
};

} // namespace hsched::rt
#endif
