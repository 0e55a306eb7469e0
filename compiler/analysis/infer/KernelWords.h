// Translates a kernel's access tree to the parameters of its function.
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

// A parameter of the function.
struct HostParam {
  std::string Name;
  std::string Element;       // As Root::Element.
  unsigned ElementBytes = 0; // Bytes of the element it leads to; 0: unknown.
  bool Object = false;       // As Root::Object.
  bool NonNegative = false;  // An unsigned number.
};

// Kernel's tree, its parameters replaced by the arguments of Code and its global sizes by Code's ndrange. If the
// ndrange has local sizes, a global size is rounded up. It becomes the given size plus a new non-negative symbol, which
// no clause can name (its spelling has a '?').
AccessTree inWordsOfHost(const KernelInfo &Kernel, const KernelCode &Code, const std::vector<HostParam> &Params);

} // namespace hsched::cc
#endif
