// Passes one annotated input to the host compiler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/DependencyFile.h"
#include "driver/Diagnostics.h"
#include "driver/Files.h"
#include "driver/HostCommand.h"
#include "driver/PreprocessedText.h"
#include "driver/Unit.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace hsched::cc {
namespace {

std::string temporary(Session &S, const std::string &Name) {
  std::string Path = S.Temporaries.path(Name);
  if (Path.empty())
    reportError(std::string("cannot make a temporary folder: ") + std::strerror(errno));
  return Path;
}

StringList extraFiles(const FrontendResult &Front, const GeneratedInput &Generated) {
  StringList Files = Front.InlinedHeaders;
  Files.insert(Files.end(), Front.KernelFiles.begin(), Front.KernelFiles.end());
  std::erase(Files, Generated.UserFile);
  return Files;
}

bool writeRules(const std::string &RulesFile, const std::string &Destination, const Session &S, const Unit &U,
                const GeneratedInput &Generated) {
  DependencyRewrite Rewrite;
  Rewrite.GeneratedFile = Generated.File;
  Rewrite.UserFile = Generated.UserFile;
  Rewrite.DotRemoved = needsDotRemoved(Generated);
  Rewrite.More = extraFiles(U.Front, Generated);
  Rewrite.Phony = S.Line.Dependencies.Phony;
  std::string Rules;
  if (!readFile(RulesFile, Rules)) {
    reportError("the host compiler wrote no dependencies for '" + U.Name + "'");
    return false;
  }
  return writeOrReport(Destination, rewriteDependencies(Rules, Rewrite));
}

bool writePreprocessed(const std::string &Text, const Session &S, const Unit &U, const GeneratedInput &Generated) {
  LineMarkers Markers;
  Markers.GeneratedFile = Generated.File;
  Markers.UserFile = Generated.UserFile;
  Markers.DotRemoved = needsDotRemoved(Generated);
  for (const Argument &A : S.Line.Arguments)
    if (A.Kind == ArgumentKind::Plain && (A.Words[0] == "-P" || A.Words[0] == "-dM"))
      Markers.None = true;
  if (!Markers.None)
    Markers.More = extraFiles(U.Front, Generated);
  return writeOrReport(S.Line.Output.empty() ? "-" : S.Line.Output, rewriteLineMarkers(Text, Markers));
}

} // namespace

int compile(Session &S, const Unit &U, const std::string &Object) {
  const CommandLine &Line = S.Line;
  std::string UserFile = U.Name;
  std::string Stem = withoutSuffix(U.Path == U.Name ? nameOf(U.Name) : "stdin");
  const bool C = isC(U.Input->InputLanguage);
  GeneratedInput Generated = {temporary(S, Stem + (C ? ".hsched.c" : ".hsched.cpp")),
                              UserFile,
                              U.Folder,
                              U.Front.HasForcedHeaders,
                              C,
                              false,
                              false};
  if (C && S.Host.IsClang && U.Front.Source.find("HSCHED_C_NESTS ") != std::string::npos) {
    reportError("tasks on statements and loops in C need gcc, which has nested functions: '" + U.Name +
                "' cannot be compiled by '" + S.Host.Words.back() + "'; tasks that are functions can");
    return 1;
  }
  // What C++98 allows and C++11 does not, such as an initialiser of a static const double in its class.
  Generated.Permissive = !C && U.Annotated && !S.Host.IsClang && !Line.DryRun &&
                         std::any_of(Line.Arguments.begin(), Line.Arguments.end(),
                                     [](const Argument &A) {
                                       return A.Kind == ArgumentKind::Plain && withCxx11(A.Words[0]) != A.Words[0];
                                     }) &&
                         hostAccepts(S, U);
  if (!U.Annotated) // In a checked program: passed unchanged.
    Generated.File = U.Path;
  else if (Generated.File.empty() || !writeOrReport(Generated.File, U.Front.Source))
    return 1;

  UnitOutputs Outputs = outputsOf(Line, S.Host.IsClang, U.Input->Value);
  std::string RulesFile = Outputs.DependencyFile.empty() ? "" : temporary(S, Stem + ".d");
  bool Preprocesses = Line.Last == Stage::Preprocess;
  std::string Output;
  if (Preprocesses)
    Output = temporary(S, Stem + (C ? ".i" : ".ii"));
  else if (Line.Last == Stage::Link)
    Output = Object;
  else if (Line.Last == Stage::Compile || Line.Last == Stage::Assemble)
    Output = Outputs.Output;

  int Code = S.run(compileCommand(S.Host, S.Home, Line, Generated, Output, RulesFile, Outputs.DefaultTarget));
  if (Code != 0 || Line.DryRun)
    return Code;
  if (Preprocesses) {
    std::string Text;
    if (!readFile(Output, Text)) {
      reportError("the host compiler wrote no preprocessed text for '" + U.Name + "'");
      return 1;
    }
    if (!writePreprocessed(Text, S, U, Generated))
      return 1;
  }
  return RulesFile.empty() || writeRules(RulesFile, Outputs.DependencyFile, S, U, Generated) ? 0 : 1;
}

} // namespace hsched::cc
