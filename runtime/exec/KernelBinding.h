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
  // Where InPlace, the device works on host memory, which is wrapped; otherwise Held says where the data is. Holds
  // pointers into the task's arguments and itself: it must not move, and what it says must not outlive the task. May be
  // used again.
  status bind(const Task &T, const hsched_kernel_desc &Desc, const Acquisition &Held, Device &Dev, bool InPlace);

  const hsched_ndrange &range() const { return Range; }
  // As the host sees them.
  std::span<const hsched_kernel_arg> filled() const { return Filled; }
  std::span<const BoundArg> args() const { return Args; }
  // Lets go of the buffers.
  void clear() { Args.clear(); }
  // No work item at all: there is nothing to launch.
  bool empty() const;

private:
  status fill(const Task &T, const hsched_kernel_desc &Desc, const Acquisition &Held, bool InPlace);
  status place(const Task &T, const hsched_kernel_desc &Desc, const hsched_kernel_arg &Arg, const Acquisition &Held,
               Device &Dev, bool InPlace, BoundArg &Out);

  hsched_ndrange Range{};
  std::vector<hsched_packed_place> Places;
  std::vector<unsigned long long> Leading;
  std::vector<hsched_kernel_arg> Filled;
  std::vector<BoundArg> Args;
};

} // namespace hsched::rt
#endif
