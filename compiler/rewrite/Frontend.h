// The contract between the driver and the front end: one C++ input goes in, generated C++ comes out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_REWRITE_FRONTEND_H
#define HSCHED_CC_REWRITE_FRONTEND_H

#include "model/Warnings.h"

#include <functional>
#include <string>
#include <vector>

namespace hsched::cc {

struct FrontendJob {
  std::string Input;
  bool C = false; ///< Else C++.
  /// Flags for parsing this input with Clang: -I -D -U -include -isystem -std, -f and -m flags that change meaning, -x.
  /// Neither a program name nor the input, nor -c -o -g -l -MD.
  std::vector<std::string> ClangArgs;
  std::vector<std::string> KernelDirs; ///< -I folders, absolute or as given.
  bool WantMetadata = false;
  WarningLevels Warnings; ///< Levels of hsched's own warnings.
  bool Check = false;     ///< For a checked program.
  bool Explain = false;   ///< Report inferred clauses, and why others are not inferred.
  std::string ResourceDir;
  bool Color = false;
  bool ParseableFixIts = false; ///< Print fix-its on separate lines, for programs.
  /// Whether the host compiler accepts the input as it is; asked if Clang does not. Empty: it does not either.
  std::function<bool()> HostAccepts;
  bool Only = false; ///< No other job follows: the process ends soon, so memory is not freed.
};

struct FrontendResult {
  bool Failed = false; ///< Set after errors, which the front end printed to stderr.
  bool HasDirectives = false;
  std::string Source;            ///< Generated C++; empty without directives.
  bool HasForcedHeaders = false; ///< Source begins with the headers named by -include: do not include them again.
  std::string Metadata;          ///< JSON.
  /// Paths as the user would name them, for dependency files.
  std::vector<std::string> InlinedHeaders, KernelFiles;
};

FrontendResult runFrontend(const FrontendJob &Job);

} // namespace hsched::cc

#endif
