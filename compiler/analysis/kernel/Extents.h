// Proved roles and extents of a kernel's buffers, for a launch with as many work-items as the kernel's guards
// admit.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_ANALYSIS_KERNELEXTENTS_H
#define HSCHED_COMPILER_ANALYSIS_KERNELEXTENTS_H

#include "model/Kernel.h"

namespace hsched::cc {

// Computes GlobalSize, and for each buffer Read, Written, Overwritten, Elements, Section and Why, from Kernel's tree.
// No effect without a complete tree. Needs no AST.
void findExtents(KernelInfo &Kernel);

// Computes HoldsWhere from Kernel's tree with numbers. No effect without one.
void findNumbers(KernelInfo &Kernel);

} // namespace hsched::cc
#endif
