// Runs another program to its end.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_PROCESS_H
#define HSCHED_BASE_PROCESS_H

#include <string>
#include <vector>

namespace hsched::rt {

struct Finished {
  int Code = -1; // -1: it could not be started, or was killed.
  std::string Out, Err;
};

// Words[0] is searched in PATH if it has no slash. Standard input is empty. MostBytes of each output are kept.
Finished runProcess(const std::vector<std::string> &Words, size_t MostBytes = size_t(64) << 20);

} // namespace hsched::rt
#endif
