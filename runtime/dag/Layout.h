// The layout of kernels' structures, as hsched-kinfo reports it, and the members of a file beside it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_LAYOUT_H
#define HSCHED_DAG_LAYOUT_H

#include "dag/Document.h"
#include "dag/ElementType.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hsched::dag {

struct LayoutMember {
  std::string Name, Type;
  size_t Count = 1; // Elements of an array.
  size_t Offset = 0, Bytes = 0;
  std::optional<size_t> Structure; // Its index.
};

struct StructureLayout {
  std::string Name, File;
  unsigned Line = 0;
  bool Union = false;
  size_t Bytes = 0;
  std::vector<LayoutMember> Members;
};

using Layouts = std::vector<StructureLayout>;

// The text of one scalar of a structure: Name is its path, "p_in_x"; empty for bytes whose meaning a file cannot tell,
// and for scalars of long arrays. Offset: from the beginning of the argument. Nothing: the file's format has no such
// value.
using ScalarText = std::function<std::optional<std::string>(const std::string &Name, ElementType, size_t Offset)>;

// The members that a file gives for a structure. Prefix begins the names. Nothing: a scalar has no text, or the
// structure is nested too deeply.
std::optional<std::vector<MemberDoc>> membersOf(const Layouts &All, size_t Index, const std::string &Prefix,
                                                const ScalarText &Text);

// An integer in a structure, no element of an array: its path is "n" or "in.width".
struct NamedInteger {
  std::string Path;
  ElementType Type;
  size_t Offset;
};
std::vector<NamedInteger> integersOf(const Layouts &All, size_t Index);

// Replaces the members in one of kinfo's expressions. Symbol: the text for "p.in.width", empty for a path that remains.
std::string replaceMembers(const std::string &Text, const std::function<std::string(const std::string &)> &Symbol);

// How the members of a value differ from the kernel's structure: "has member 'c' of type 'char' at byte 4, not 'int'".
// Nothing: they do not. A file may give all bytes as uchar instead.
struct MemberDifference {
  Place At;
  std::string What;
};
std::optional<MemberDifference> compareMembers(const ArgDoc &Arg, const Layouts &All, size_t Index);

// True if the scalars of a value that is no structure are those of the kernel's structure.
bool isLike(const ElementType &T, const Layouts &All, size_t Index);

// What a file should have for a structure: "type": ..., "value": .... Name: of the argument; File: the kernel's.
std::string wantedValue(const Layouts &All, size_t Index, const std::string &Name, const std::string &File);

} // namespace hsched::dag
#endif
