// Passes one C++ input through the front end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Unit.h"

#include "driver/ClangArguments.h"
#include "driver/Diagnostics.h"
#include "driver/DirectiveScan.h"
#include "driver/Files.h"
#include "driver/HostCommand.h"
#include "driver/Process.h"
#include "driver/Version.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace hsched::cc {
namespace {

bool terminalHasColor() {
  const char *Terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) && Terminal && std::strcmp(Terminal, "dumb") != 0;
}

FrontendJob jobFor(const Session &S, const Unit &U) {
  ClangSettings Settings;
  Settings.GccInstallDir = S.Host.gccInstallDir();
  Settings.HostIsClang = S.Host.IsClang;
  Settings.Before = {versionDefinition()};
  Settings.After = S.Home.includeFlags();
  if (U.Path != U.Name)
    Settings.Before.insert(Settings.Before.end(), {"-iquote", U.Folder});

  FrontendJob Job;
  Job.Input = U.Path;
  Job.C = isC(U.Input->InputLanguage);
  Job.ClangArgs = clangArguments(S.Line, *U.Input, Settings);
  Job.KernelDirs = includeDirs(S.Line);
  Job.Explain = S.Line.Explain;
  Job.Check = S.Line.Check;
  Job.WantMetadata = S.Line.WantMetadata || S.Line.Emit == EmitKind::Json;
  Job.Warnings = WarningLevels(S.Line.WarningFlags);
  Job.ResourceDir = ClangResourceDir;
  Job.Only = std::count_if(S.Line.Arguments.begin(), S.Line.Arguments.end(), [](const Argument &A) {
               return A.Kind == ArgumentKind::Input && A.InputLanguage != Language::Other;
             }) == 1;
  Job.Color = S.Line.Color.value_or(terminalHasColor());
  Job.ParseableFixIts = S.Line.ParseableFixIts;
  return Job;
}

/// "dir/name" of the output without its suffix; without an output, in the current folder.
std::string besideOutput(const Session &S, const Unit &U) {
  std::string Stem = withoutSuffix(U.Name == "<stdin>" ? "stdin" : nameOf(U.Name));
  const std::string &Output = S.Line.Output;
  if (Output.empty() || Output == "-" || Output == "/dev/null")
    return Stem;
  if (S.Line.Last == Stage::Compile || S.Line.Last == Stage::Assemble)
    return withoutSuffix(Output);
  return Output.find('/') == std::string::npos ? Stem : parentOf(Output) + "/" + Stem;
}

/// The generated text names standard input, not the copy that the front end read.
void renameCopy(std::string &Text, const Unit &U) {
  for (size_t At = 0; (At = Text.find(U.Path, At)) != std::string::npos; At += U.Name.size())
    Text.replace(At, U.Path.size(), U.Name);
}

} // namespace

bool writeOrReport(const std::string &Path, const std::string &Text) {
  if (writeFile(Path, Text))
    return true;
  reportError("cannot write '" + Path + "': " + std::strerror(errno));
  return false;
}

bool hostAccepts(const Session &S, const Unit &U) {
  GeneratedInput As = {U.Path, U.Name, U.Folder, false, isC(U.Input->InputLanguage), /*Original=*/true, false};
  CommandLine Line = S.Line;
  Line.Last = Stage::SyntaxOnly;
  StringList Command = compileCommand(S.Host, S.Home, Line, As, "", "", "");
  Command.insert(Command.begin() + static_cast<std::ptrdiff_t>(S.Host.Words.size()), "-w");
  std::string Said;
  return runCaptured(Command, Said) == 0;
}

void analyze(Session &S, Unit &U) {
  // Metadata is requested separately: it exists for files without directives too.
  bool MetadataAsked = S.Line.WantMetadata || S.Line.Emit == EmitKind::Json;
  if (access(U.Path.c_str(), R_OK) != 0 || (!MetadataAsked && !mayHaveDirectives(U.Path, U.Folder, *U.Input, S.Line)))
    return;
  FrontendJob Job = jobFor(S, U);
  if (!S.Line.DryRun)
    Job.HostAccepts = [&] { return hostAccepts(S, U); };
  U.Front = runFrontend(Job);
  U.Failed = U.Front.Failed;
  U.Annotated = !U.Failed && U.Front.HasDirectives;
  if (U.Path != U.Name) {
    renameCopy(U.Front.Source, U);
    renameCopy(U.Front.Metadata, U);
  }
}

int emit(const Session &S, const Unit &U) {
  std::string Text;
  if (S.Line.Emit == EmitKind::Json) {
    Text = U.Front.Metadata.empty() ? "{}\n" : U.Front.Metadata;
  } else if (U.Annotated) {
    Text = U.Front.Source;
  } else if (!readFile(U.Path, Text)) {
    reportError("cannot read '" + U.Name + "': " + std::strerror(errno));
    return 1;
  }
  return writeOrReport(S.Line.Output.empty() ? "-" : S.Line.Output, Text) ? 0 : 1;
}

int writeExtras(const Session &S, const Unit &U) {
  bool Done = true;
  if (S.Line.Keep && U.Annotated) {
    std::string Path = besideOutput(S, U) + (isC(U.Input->InputLanguage) ? ".hsched.c" : ".hsched.cpp");
    Done &= writeOrReport(Path, U.Front.Source);
    if (Done)
      reportNote("generated source of '" + U.Name + "' kept in '" + Path + "'");
  }
  if (S.Line.WantMetadata) {
    const std::string &File = S.Line.MetadataFile;
    Done &= writeOrReport(File.empty() ? besideOutput(S, U) + ".hsched.json" : File,
                          U.Front.Metadata.empty() ? "{}\n" : U.Front.Metadata);
  }
  return Done ? 0 : 1;
}

} // namespace hsched::cc
