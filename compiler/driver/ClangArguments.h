// Clang's arguments for parsing an input of the host compiler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_CLANGARGUMENTS_H
#define HSCHED_CC_DRIVER_CLANGARGUMENTS_H

#include "driver/CommandLine.h"

namespace hsched::cc {

struct ClangSettings {
  std::string GccInstallDir; ///< Empty: Clang detects it.
  bool HostIsClang = false;
  StringList Before; ///< In front of the user's words: definitions.
  StringList After;  ///< Behind the user's words: include folders.
};

/// Flags only, neither program nor input. A pure function. Only flags that change the meaning are passed, because the
/// command line may have flags that only GCC knows.
StringList clangArguments(const CommandLine &Line, const Argument &Input, const ClangSettings &Settings);

/// The user's -I folders, in order.
StringList includeDirs(const CommandLine &Line);

} // namespace hsched::cc

#endif
