// Types of elements and arguments, with OpenCL C's names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_ELEMENTTYPE_H
#define HSCHED_DAG_ELEMENTTYPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hsched::dag {

struct ElementType {
  enum Kind : uint8_t { Signed, Unsigned, Floating, Raw };
  Kind K = Raw;
  unsigned ScalarBytes = 1;
  unsigned Lanes = 1; // Raw: number of bytes of the structure.

  // Bytes of an element in memory: three lanes take the space of four.
  size_t bytes() const { return size_t(ScalarBytes) * (Lanes == 3 && K != Raw ? 4 : Lanes); }
  // NumPy's name of the scalar type: "<f4". Raw: "|V24".
  std::string numpy() const;

  bool operator==(const ElementType &) const = default;
};

// "float", "unsigned int", "double4", "size_t", "struct 24" (bytes); nullopt for an unknown type. "half" is 16 bits.
std::optional<ElementType> elementType(std::string_view Name);

} // namespace hsched::dag
#endif
