// The host compiler's command lines, made from the user's. Pure.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_HOSTCOMMAND_H
#define HSCHED_CC_DRIVER_HOSTCOMMAND_H

#include "driver/CommandLine.h"
#include "driver/HostCompiler.h"

#include <map>

namespace hsched::cc {

/// -D__HSCHED__=...
std::string versionDefinition();

/// The user's command line without hsched-cc's own words, plus the definition, the public headers and, when
/// linking, the runtime. Objects replace inputs that are already compiled. Only, unless null, is the one input to
/// keep.
StringList forwardCommand(const HostCompiler &Host, const Installation &Home, const CommandLine &Line,
                          const std::map<const Argument *, std::string> &Objects, const Argument *Only);

/// The names of files that the host compiler derives from the user's command line.
struct UnitOutputs {
  std::string Output;         ///< The file of -c or -S; otherwise the file of -o, or empty.
  std::string DependencyFile; ///< Empty: none; "-": standard output.
  std::string DefaultTarget;  ///< Target of the rule in it.
};
UnitOutputs outputsOf(const CommandLine &Line, bool HostIsClang, const std::string &UserFile);

struct GeneratedInput {
  std::string File;              ///< The generated source.
  std::string UserFile;          ///< The file that it replaces.
  std::string Folder;            ///< Base of quoted includes.
  bool HasForcedHeaders = false; ///< It contains the headers named by -include.
  bool C = false;                ///< Else C++.
  bool Original = false;         ///< It is the user's own text: the standard stays as asked for.
  bool Permissive = false;       ///< What is an error only from C++11 on is none.
};

/// Compiles one generated source to Output (empty for SyntaxOnly and Dependencies), and writes the rules for make to
/// RulesFile unless that is empty.
StringList compileCommand(const HostCompiler &Host, const Installation &Home, const CommandLine &Line,
                          const GeneratedInput &Input, const std::string &Output, const std::string &RulesFile,
                          const std::string &DefaultTarget);

/// True if headers next to the user's file get a "./" that they would not have without the generated file.
bool needsDotRemoved(const GeneratedInput &Input);

} // namespace hsched::cc

#endif
