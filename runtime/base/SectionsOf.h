// The sections of a version that does not have the task's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_SECTIONSOF_H
#define HSCHED_BASE_SECTIONSOF_H

#include <hsched/abi.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace hsched::rt {

// True if V has sections of its own. Code of an older ABI has no such field.
inline bool hasOwnSections(const hsched_version_desc &V) {
  return V.struct_bytes >= offsetof(hsched_version_desc, sections) + sizeof(V.sections) && V.sections;
}

// Appends V's own sections for these arguments. Throws what their expressions throw, and std::bad_alloc.
inline void appendOwnSections(const hsched_version_desc &V, const void *Args, std::vector<hsched_access> &To) {
  V.sections(
      Args,
      [](void *List, const hsched_access *Section) {
        static_cast<std::vector<hsched_access> *>(List)->push_back(*Section);
      },
      &To);
}

// The task's section A if a version with the sections Own runs: a section of no bytes where one of Own replaces it.
inline hsched_access unlessReplaced(hsched_access A, std::span<const hsched_access> Own) {
  if (A.param != HSCHED_NO_PARAM &&
      std::ranges::any_of(Own, [&](const hsched_access &O) { return O.param == A.param; })) {
    A.bytes = A.rows = A.stride = 0;
    A.param = HSCHED_NO_PARAM;
    A.mode = HSCHED_IN;
  }
  return A;
}

} // namespace hsched::rt
#endif
