// The compiler that makes objects and links them: HSCHED_CXX or g++, of hsched-c HSCHED_CC or gcc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_HOSTCOMPILER_H
#define HSCHED_CC_DRIVER_HOSTCOMPILER_H

#include "driver/CommandLine.h"

namespace hsched::cc {

/// The file that execvp would run, links resolved; empty when there is none.
std::string programFile(const std::string &Name);

struct HostCompiler {
  StringList Words; ///< Launcher and program, such as {"ccache", "g++"}
  bool IsClang = false;

  /// Setting is what --hsched-host says; if it is empty, the environment's HSCHED_CXX, or HSCHED_CC. Error is not empty
  /// when that cannot be used; Self is hsched-cc's own path, which may not be its own host.
  static HostCompiler choose(const std::string &Setting, bool ForC, const std::string &Self, std::string &Error);

  /// GCC's folder of libraries and headers of its own; empty with Clang or when it cannot be told.
  std::string gccInstallDir() const;
};

/// Where hsched's own files lie, seen from the running hsched-cc.
struct Installation {
  std::string Executable; ///< Links resolved; empty when it cannot be told.
  std::string IncludeDir;
  std::string LibraryDir;

  static Installation ofThisProgram();

  /// -isystem for the public headers, after the user's own; nothing where the compiler looks anyway.
  StringList includeFlags() const;
  /// What a link needs to find the runtime, now and when the program starts. The library is dropped when nothing
  /// refers to it.
  StringList linkFlags(const CommandLine &Line, bool HasAnnotatedInput) const;
};

} // namespace hsched::cc

#endif
