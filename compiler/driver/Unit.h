// One C++ input on its way: from the user's file through the front end to the host compiler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_UNIT_H
#define HSCHED_CC_DRIVER_UNIT_H

#include "driver/CommandLine.h"
#include "driver/HostCompiler.h"
#include "driver/Process.h"
#include "rewrite/Frontend.h"

namespace hsched::cc {

/// What all inputs of one run share.
struct Session {
  CommandLine Line;
  HostCompiler Host;
  Installation Home;
  TemporaryFiles Temporaries;

  /// Prints the command under -v and -###, then runs it; an overlong one goes through a response file.
  int run(StringList Command);
};

struct Unit {
  const Argument *Input = nullptr;
  std::string Path;   ///< What is read: the user's file, or a copy of standard input.
  std::string Name;   ///< As the user knows it, "<stdin>" for standard input.
  std::string Folder; ///< Where quoted includes begin.
  bool Failed = false;
  bool Annotated = false; ///< Front.Source takes the file's place.
  FrontendResult Front;
};

/// Decides whether the input has directives, and generates its source if so. Clang's answer to an input that cannot
/// be read is left to the host compiler.
void analyze(Session &S, Unit &U);

/// Compiles an annotated unit as far as Line.Last says, where Link stops at an object. Object is that object's path
/// when linking, and not used otherwise. The result is an exit code.
int compile(Session &S, const Unit &U, const std::string &Object);

/// Writes what --hsched-emit asks for; an exit code.
int emit(const Session &S, const Unit &U);

/// Writes what --hsched-keep and --hsched-metadata ask for; an exit code.
int writeExtras(const Session &S, const Unit &U);

/// Writes a file or reports why it cannot be.
bool writeOrReport(const std::string &Path, const std::string &Text);

} // namespace hsched::cc

#endif
