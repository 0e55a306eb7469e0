// Of a kernel's buffers: roles and extents, proved, for a launch that has as many work-items as the kernel's guards let
// through.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_ANALYSIS_KERNELEXTENTS_H
#define HSCHED_COMPILER_ANALYSIS_KERNELEXTENTS_H

#include "model/Kernel.h"

namespace hsched::cc {

// Fills in GlobalSize, and of each buffer Read, Written, Overwritten, Elements, Section and Why, from Kernel's tree.
// Where there is none, or one that is not complete, Kernel stays as it is. Needs no AST.
void findExtents(KernelInfo &Kernel);

} // namespace hsched::cc
#endif
