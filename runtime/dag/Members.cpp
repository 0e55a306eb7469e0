// Places the members of structures.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Members.h"
#include "dag/Fields.h"

#include <algorithm>

namespace hsched::dag {
namespace {

size_t roundUp(size_t N, size_t To) { return (N + To - 1) / To * To; }

size_t alignmentOf(const std::vector<MemberDoc> &Members) {
  size_t Align = 1;
  for (const MemberDoc &M : Members)
    if (!M.Offset)
      Align = std::max(Align, alignmentOf(M));
  return Align;
}

// The alignment of a member's elements.
size_t alignmentOf(const MemberDoc &M, const ElementType &T) {
  if (T.K != ElementType::Raw)
    return T.bytes();
  size_t Align = 1;
  for (const std::vector<MemberDoc> &Element : M.Elements)
    Align = std::max(Align, alignmentOf(Element));
  return Align;
}

} // namespace

size_t alignmentOf(const MemberDoc &M) { return alignmentOf(M, typeOf(M.Type)); }

namespace {

// The number of elements. Throws Error.
size_t countOf(const MemberDoc &M, const ElementType &T) {
  if (T.K == ElementType::Raw) {
    if (M.Elements.empty())
      M.Type.At.fail("a member of type " + quote(M.Type.S) +
                     " has members of its own, as in [\"struct 8\", [[\"int\", 1], [\"float\", 2]]]");
    return M.Elements.size();
  }
  if (!M.Elements.empty())
    M.Type.At.fail("a member of type " + quote(M.Type.S) +
                   " is not a structure and has no members: write plain values");
  if (M.Values.size() % T.Lanes)
    M.Type.At.fail("a member of type " + quote(M.Type.S) + " has " + std::to_string(T.Lanes) + " values, not " +
                   std::to_string(M.Values.size()));
  return M.Values.size() / T.Lanes;
}

class Placement {
public:
  // Whole: the size of the structure that begins at byte Base.
  void place(const std::vector<MemberDoc> &Members, size_t Base, size_t Whole, const Place &At) {
    size_t End = 0;
    for (const MemberDoc &M : Members) {
      const ElementType T = typeOf(M.Type);
      const size_t Count = countOf(M, T);
      if (M.Offset && *M.Offset < End)
        M.Type.At.fail("a member begins at byte " + std::to_string(*M.Offset) +
                       ", but the one before it ends at byte " + std::to_string(End));
      End = M.Offset ? static_cast<size_t>(*M.Offset) : roundUp(End, alignmentOf(M, T));
      for (size_t I = 0; I < Count; ++I, End += T.bytes()) {
        if (End > Whole || T.bytes() > Whole - End)
          M.Type.At.fail("the structure's members have more than its " + std::to_string(Whole) + " bytes");
        if (T.K == ElementType::Raw)
          place(M.Elements[I], Base + End, T.bytes(), M.Type.At);
        else
          Out.push_back({&M, T, Base + End, I * T.Lanes});
      }
    }
    if (End = roundUp(End, alignmentOf(Members)); End != Whole)
      At.fail("the structure's members have " + std::to_string(End) + " bytes, not " + std::to_string(Whole));
  }

  std::vector<PlacedMember> Out;
};

} // namespace

std::vector<PlacedMember> placeMembers(const ArgDoc &A) {
  Placement P;
  P.place(A.Members, 0, typeOf(A.Type).bytes(), A.At);
  return std::move(P.Out);
}

size_t sizeOf(const std::vector<MemberDoc> &Members) {
  size_t End = 0;
  for (const MemberDoc &M : Members) {
    const ElementType T = typeOf(M.Type);
    End = (M.Offset ? static_cast<size_t>(*M.Offset) : roundUp(End, alignmentOf(M, T))) + countOf(M, T) * T.bytes();
  }
  return roundUp(End, alignmentOf(Members));
}

} // namespace hsched::dag
