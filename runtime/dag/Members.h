// Where the members of a structure are that a file passes by value.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_MEMBERS_H
#define HSCHED_DAG_MEMBERS_H

#include "dag/Document.h"
#include "dag/ElementType.h"

#include <vector>

namespace hsched::dag {

// One scalar or vector in a structure.
struct PlacedMember {
  const MemberDoc *Doc;
  ElementType Type;
  size_t Offset; // In bytes, from the beginning of the argument.
  size_t First;  // The index of its first lane in Doc->Values.
};

// Places the members of an argument, in ascending order. A member begins at its Offset, or else where C would place it:
// at the next multiple of its alignment. A member with an Offset does not align the structure, as if it were packed.
// Throws Error if the members do not fill the structure.
std::vector<PlacedMember> placeMembers(const ArgDoc &A);

// The alignment of a member without an Offset.
size_t alignmentOf(const MemberDoc &M);

// The same for one list of members: the size that they have together, rounded up to their alignment.
size_t sizeOf(const std::vector<MemberDoc> &Members);

} // namespace hsched::dag
#endif
