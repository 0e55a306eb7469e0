// Conversion of OpenMP's and OmpSs-2's pragmas to hsched's.
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
  std::string Text;      // The work that is left there, or what was left out.
  bool NeedsHand = true; // False: the result is right as it is.
};

struct Converted {
  std::string Text;
  std::vector<Note> Notes; // Ordered by line.
  unsigned NumPragmas = 0; // Number of pragmas of the other language.
};

Converted convert(std::string_view Text, Source From);

} // namespace hsched::port
#endif
