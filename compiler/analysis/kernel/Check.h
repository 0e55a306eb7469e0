// Compares what the host passes with what a kernel takes.
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
  std::string Spelling; // Of the type, for messages; empty for an expression.
  bool Pointer = false, PointeeConst = false;
  bool Local = false; // local(bytes)
  // The value's or the pointee's type in OpenCL C's words: "int", "uint", "float", "double", ...; "struct" for classes
  // and arrays, "void", or empty where it depends on template parameters.
  std::string Element;
  std::uint64_t Bytes = 0; // Of the value or the pointee; 0: unknown.
};

// Why Arg cannot be handed to Param, as a clause without a full stop; nothing where it can. Signedness may differ, a
// void pointer goes with every pointer, and float4 may be a host struct or array of the same size, or, behind a
// pointer, plain floats.
std::optional<std::string> mismatch(const KernelParam &Param, const HostArg &Arg);

// That Kernel takes another number of arguments than this; nothing where it takes as many.
std::optional<std::string> wrongCount(const KernelInfo &Kernel, std::size_t Passed);

// An ndrange clause as far as it is constant: no value where a size is an expression or is left to the runtime.
struct HostRange {
  unsigned Dims = 1;
  bool HasLocal = false;
  std::array<std::optional<std::uint64_t>, 3> Local;
};

struct RangeProblem {
  std::string Why;    // Text of a warning.
  std::string Locals; // The local sizes that set it right; empty where none do.
};

// What looks wrong about launching Kernel over Range.
std::vector<RangeProblem> checkRange(const KernelInfo &Kernel, const HostRange &Range);

} // namespace hsched::cc
#endif
