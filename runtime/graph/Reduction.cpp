// Private copies of reduced sections.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Groups.h"

#include <algorithm>
#include <new>

namespace hsched::rt {
namespace {

// The alignment of copies: the address is congruent to the original's modulo this.
std::align_val_t alignmentFor(const hsched_reduction_op &Op) {
  return std::align_val_t(std::max<size_t>(Op.element_align, 64));
}

size_t leadOf(const hsched_reduction_op &Op, const Access &A) {
  return beginOf(A) % static_cast<size_t>(alignmentFor(Op));
}

size_t hullBytes(const Access &A) { return endOf(A) - beginOf(A); }

} // namespace

PrivateCopy::PrivateCopy(const hsched_reduction_op &Op, const Access &What) : Op(Op), What(What) {
  size_t Lead = leadOf(Op, What);
  Memory = static_cast<char *>(::operator new(Lead + hullBytes(What), alignmentFor(Op))) + Lead;
  auto *Original = static_cast<const char *>(What.base);
  try {
    for (; Made < What.rows; ++Made)
      Op.init(row(Made), Original + (row(Made) - Memory), elements());
  } catch (...) {
    destroyRows();
    throw;
  }
}

PrivateCopy::~PrivateCopy() { destroyRows(); }

void PrivateCopy::destroyRows() noexcept {
  if (Op.destroy)
    while (Made > 0)
      Op.destroy(row(--Made), elements());
  ::operator delete(Memory - leadOf(Op, What), alignmentFor(Op));
}

Access PrivateCopy::section() const {
  Access A = What;
  A.base = Memory;
  A.mode = HSCHED_INOUT;
  return A;
}

void PrivateCopy::combineInto(const Access &Original) {
  auto *Into = const_cast<char *>(static_cast<const char *>(Original.base));
  for (size_t R = 0; R < What.rows; ++R)
    Op.combine(Into + (row(R) - Memory), row(R), elements());
}

} // namespace hsched::rt
