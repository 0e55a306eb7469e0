// A kernel's access tree in the words of the function that is that kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_KERNELWORDS_H
#define HSCHED_ANALYSIS_INFER_KERNELWORDS_H

#include "model/AccessTree.h"
#include "model/Kernel.h"
#include "model/Program.h"

#include <string>
#include <vector>

namespace hsched::cc {

// A parameter of the function: what the kernel's pointers mean there.
struct HostParam {
  std::string Name;
  std::string Element;       // As Root::Element.
  unsigned ElementBytes = 0; // Of what it leads to; 0: unknown.
  bool Object = false;       // As Root::Object.
  bool NonNegative = false;  // An unsigned number.
};

// Kernel's tree, its parameters replaced by the arguments of Code and its global sizes by Code's ndrange. Where the
// ndrange has local sizes, the global one is rounded up: it becomes the given one plus a symbol of its own, which is
// not negative, and which nobody can write in a clause (its spelling has a '?').
AccessTree inWordsOfHost(const KernelInfo &Kernel, const KernelCode &Code, const std::vector<HostParam> &Params);

} // namespace hsched::cc
#endif
