// Structures in OpenCL kernels: plain values. analysis/kernel/Structures fills them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_MODEL_KERNELSTRUCTURE_H
#define HSCHED_COMPILER_MODEL_KERNELSTRUCTURE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hsched::cc {

struct KernelMember {
  std::string Name;                  // Empty: an anonymous structure or union.
  std::string Element;               // As KernelParam::Element; for an array the type of its elements.
  std::vector<std::uint64_t> Sizes;  // For an array: its sizes, outermost first.
  std::uint64_t Offset = 0;          // In bytes, from the beginning of the structure.
  std::uint64_t Bytes = 0;           // All elements of an array. 0 for an array without a size.
  std::optional<unsigned> Structure; // For a structure: its index in KernelInfo::Structures. Empty: unknown layout.
};

struct KernelStructure {
  std::string Name; // As KernelParam::Element: "struct S", "union U".
  bool Union = false, Packed = false;
  std::string File;
  unsigned Line = 0;
  std::uint64_t Bytes = 0, Alignment = 1;
  std::vector<KernelMember> Members; // In the order of the declaration.
};

} // namespace hsched::cc
#endif
