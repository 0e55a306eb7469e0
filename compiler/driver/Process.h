// Child processes and what must not outlive this one: a folder of temporary files.
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

/// As above; standard output goes to Output, standard error nowhere.
int runCaptured(const StringList &Words, std::string &Output);

/// Becomes the program, without a return unless it cannot be started (which is reported): 127.
int becomeProgram(const StringList &Words);

/// One folder under TMPDIR, made when the first file is named and removed with all named files at the end.
class TemporaryFiles {
public:
  TemporaryFiles();
  ~TemporaryFiles();
  TemporaryFiles(const TemporaryFiles &) = delete;
  TemporaryFiles &operator=(const TemporaryFiles &) = delete;

  /// A path of its own for a file whose name ends with Name. Empty, with errno set, when no folder can be made.
  std::string path(const std::string &Name);
  /// Removes all at once; for use ahead of becomeProgram.
  void removeAll();
};

} // namespace hsched::cc

#endif
