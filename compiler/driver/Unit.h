// Processing of one C++ input: from the user's file through the front end to the host compiler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_UNIT_H
#define HSCHED_CC_DRIVER_UNIT_H

#include "driver/CommandLine.h"
#include "driver/HostCompiler.h"
#include "driver/Process.h"
#include "rewrite/Frontend.h"

namespace hsched::cc {

/// State shared by all inputs of one run.
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
  std::string Path;   ///< The file that is read: the user's, or a copy of standard input.
  std::string Name;   ///< The user's name for it; "<stdin>" for standard input.
  std::string Folder; ///< Base of quoted includes.
  bool Failed = false;
  bool Annotated = false; ///< Front.Source replaces the file.
  FrontendResult Front;
};

/// Whether the host compiler accepts the input as it is. It says nothing.
bool hostAccepts(const Session &S, const Unit &U);

/// Decides whether the input has directives, and generates its source if so. The host compiler reports an input that
/// cannot be read.
void analyze(Session &S, Unit &U);

/// Compiles an annotated unit up to stage Line.Last; Link stops at an object. Object: that object's path, used only
/// when linking. Returns an exit code.
int compile(Session &S, const Unit &U, const std::string &Object);

/// Writes the output of --hsched-emit. Returns an exit code.
int emit(const Session &S, const Unit &U);

/// Writes the outputs of --hsched-keep and --hsched-metadata. Returns an exit code.
int writeExtras(const Session &S, const Unit &U);

/// Writes a file, or reports the error.
bool writeOrReport(const std::string &Path, const std::string &Text);

} // namespace hsched::cc

#endif
