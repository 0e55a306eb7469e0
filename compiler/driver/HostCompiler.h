// The compiler that makes objects and links them: HSCHED_CXX or g++; for hsched-c, HSCHED_CC or gcc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_HOSTCOMPILER_H
#define HSCHED_CC_DRIVER_HOSTCOMPILER_H

#include "driver/CommandLine.h"

namespace hsched::cc {

/// The file that execvp would run, with links resolved. Empty if there is none.
std::string programFile(const std::string &Name);

struct HostCompiler {
  StringList Words; ///< Launcher and program, such as {"ccache", "g++"}
  bool IsClang = false;

  /// Setting: the value of --hsched-host; if empty, HSCHED_CXX or HSCHED_CC is used. Error is set if that is unusable.
  /// Self: hsched-cc's own path, which must not be the host.
  static HostCompiler choose(const std::string &Setting, bool ForC, const std::string &Self, std::string &Error);

  /// GCC's folder of its own libraries and headers. Empty with Clang or if unknown.
  std::string gccInstallDir() const;
};

/// The places of hsched's own files, relative to the running hsched-cc.
struct Installation {
  std::string Executable; ///< Links resolved. Empty: unknown.
  std::string IncludeDir;
  std::string LibraryDir;

  static Installation ofThisProgram();

  /// -isystem for the public headers, after the user's own; empty if the compiler already searches there.
  StringList includeFlags() const;
  /// What a link needs to find the runtime, now and when the program starts. The library is dropped if nothing refers
  /// to it.
  StringList linkFlags(const CommandLine &Line, bool HasAnnotatedInput) const;
};

} // namespace hsched::cc

#endif
