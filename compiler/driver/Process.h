// Child processes, and temporary files, which must not outlive this process.
//
// One thread only. A signal that ends the process (interrupt, termination, hang-up) ends the running child first and
// removes the temporary files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_PROCESS_H
#define HSCHED_CC_DRIVER_PROCESS_H

#include "driver/CommandLine.h"

namespace hsched::cc {

/// Runs a program found along PATH and waits. The result is its exit code, 128 + n when signal n ended it, 127 when it
/// could not be started (which is reported).
int runProgram(const StringList &Words);

/// As above; captures standard output in Output and discards standard error.
int runCaptured(const StringList &Words, std::string &Output);

/// Replaces this process by the program. Returns 127 only if it cannot be started (which is reported).
int execProgram(const StringList &Words);

/// One folder under TMPDIR, made when the first file is named and removed with all named files at the end.
class TemporaryFiles {
public:
  TemporaryFiles();
  ~TemporaryFiles();
  TemporaryFiles(const TemporaryFiles &) = delete;
  TemporaryFiles &operator=(const TemporaryFiles &) = delete;

  /// A path of its own for a file whose name ends with Name. Empty, with errno set, when no folder can be made.
  std::string path(const std::string &Name);
  /// Removes all files now. Call before execProgram.
  void removeAll();
};

} // namespace hsched::cc

#endif
