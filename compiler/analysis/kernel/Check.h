// Compares host arguments with a kernel's parameters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_ANALYSIS_KERNELCHECK_H
#define HSCHED_COMPILER_ANALYSIS_KERNELCHECK_H

#include "model/Kernel.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hsched::cc {

// One argument on the host's side: a parameter of the version or an expression of args().
struct HostArg {
  std::string Spelling; // Spelling of the type, for messages; empty for an expression.
  bool Pointer = false, PointeeConst = false;
  bool Local = false; // local(bytes)
  // The value's or the pointee's type with OpenCL C's name: "int", "uint", "float", "double", ... Classes and arrays
  // are "struct". Empty if the type depends on template parameters.
  std::string Element;
  std::uint64_t Bytes = 0; // Size of the value or the pointee; 0: unknown.
};

// The reason why Arg cannot be passed to Param, as a clause without a full stop. Nothing: it can. Signedness may
// differ, and a void pointer goes with every pointer. For float4 the host may have a struct or an array of the same
// size. A pointer to float4 also takes a pointer to float.
std::optional<std::string> mismatch(const KernelParam &Param, const HostArg &Arg);

// The error if Kernel takes another number of arguments. Nothing: the number fits.
std::optional<std::string> wrongCount(const KernelInfo &Kernel, std::size_t Passed);

// The constant parts of an ndrange clause: no value for a size that is an expression or is left to the runtime.
struct HostRange {
  unsigned Dims = 1;
  bool HasLocal = false;
  std::array<std::optional<std::uint64_t>, 3> Local;
};

struct RangeProblem {
  std::string Why;    // Text of a warning.
  std::string Locals; // Local sizes that correct the problem; empty: none.
};

// Suspicious properties of a launch of Kernel over Range.
std::vector<RangeProblem> checkRange(const KernelInfo &Kernel, const HostRange &Range);

} // namespace hsched::cc
#endif
