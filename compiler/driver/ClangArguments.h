// What Clang is told when it parses an input that the host compiler will compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_CLANGARGUMENTS_H
#define HSCHED_CC_DRIVER_CLANGARGUMENTS_H

#include "driver/CommandLine.h"

namespace hsched::cc {

struct ClangSettings {
  std::string GccInstallDir; ///< Empty: Clang finds one itself.
  bool HostIsClang = false;
  StringList Before; ///< Ahead of the user's: definitions.
  StringList After;  ///< Behind the user's: include folders.
};

/// Flags alone, neither program nor input. Pure. Only what changes meaning goes to Clang; the rest of the command line
/// may hold what only GCC knows.
StringList clangArguments(const CommandLine &Line, const Argument &Input, const ClangSettings &Settings);

/// The user's -I folders, in order.
StringList includeDirs(const CommandLine &Line);

} // namespace hsched::cc

#endif
