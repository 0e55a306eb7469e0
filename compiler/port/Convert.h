// From OpenMP's and OmpSs-2's pragmas to hsched's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PORT_CONVERT_H
#define HSCHED_PORT_CONVERT_H

#include <string>
#include <string_view>
#include <vector>

namespace hsched::port {

enum class Source { OpenMP, OmpSs };

struct Note {
  unsigned Line;
  std::string Text; // What is left to do there.
};

struct Converted {
  std::string Text;
  std::vector<Note> ByHand; // In the order of lines.
  unsigned NumPragmas = 0;  // Of the other language.
};

Converted convert(std::string_view Text, Source From);

} // namespace hsched::port
#endif
