// Output and one-line error messages of tools.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_COMMON_SAY_H
#define HSCHED_TOOLS_COMMON_SAY_H

#include <cstdio>
#include <string>

namespace hsched::tools {

// The program's name, with which messages begin. Defined in its main file.
extern const char ToolName[];

// Returns the exit status: 2 for wrong input or a wrong command line, 1 for other errors.
inline int fail(const std::string &Why, int Status = 2) {
  std::fprintf(stderr, "%s: error: %s\n", ToolName, Why.c_str());
  return Status;
}

// Returns the exit status. Write errors, such as a full disk, are reported.
inline int print(const std::string &Text) {
  return std::fputs(Text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0 ? 0
                                                                           : fail("the output cannot be written", 1);
}

} // namespace hsched::tools
#endif
