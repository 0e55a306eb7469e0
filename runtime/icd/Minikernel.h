// Minikernels: estimates of a kernel's time on a device, from a few of its work-groups.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A minikernel has the configuration of the whole launch. It computes only the first work-groups, at least one for each
// compute unit. Their number grows until the time can be measured and grows with it. It writes to copies of the memory
// objects, so the program sees nothing of it. Which kernels allow this is the result of hsched-kinfo's analysis.
#ifndef HSCHED_ICD_MINIKERNEL_H
#define HSCHED_ICD_MINIKERNEL_H

#include "icd/Kernel.h"

namespace hsched::icd {

class Queue;

// Sizes of a launch. A missing offset is 0.
struct Sizes {
  cl_uint Dimensions = 1;
  size_t Offset[3] = {}, Global[3] = {1, 1, 1}, Local[3] = {};
  bool HasLocal = false;
  double items() const {
    return static_cast<double>(Global[0]) * static_cast<double>(Global[1]) * static_cast<double>(Global[2]);
  }
  // With the configuration for a device instead, if the kernel has one.
  Sizes on(const Kernel &K, const Device *D) const;
};

class Minikernel {
public:
  Minikernel(Ref<Kernel> Of, Kernel::Bound Args, const Sizes &Whole)
      : Of(std::move(Of)), Args(std::move(Args)), Whole(Whole) {}

  // The predicted time in seconds of C, which is this launch, on a device. Negative: it cannot be predicted. Runs
  // kernels and waits for them. The commands before C must have ended.
  double seconds(const Command &C, Device &D) const;

private:
  const Ref<Kernel> Of;
  const Kernel::Bound Args;
  const Sizes Whole;
};

// The prediction from measured times, as a pure part of seconds(). Run(N) computes the first N or slightly more groups,
// sets N to their number and returns the seconds. All: the number of groups. Base: the time of a run without groups.
// Parallel: groups that run at the same time at least. MayShare: more may, so that the time must be seen to grow.
double extrapolate(size_t All, double Base, size_t Parallel, bool MayShare, const std::function<double(size_t &)> &Run);

} // namespace hsched::icd
#endif
