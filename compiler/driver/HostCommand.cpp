// The host compiler's command lines, made from the user's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/HostCommand.h"

#include "driver/Files.h"
#include "driver/Version.h"

#include <algorithm>

namespace hsched::cc {
namespace {

void append(StringList &To, const StringList &From) { To.insert(To.end(), From.begin(), From.end()); }

/// Options that make the host compiler write more files beside the output, named after the output.
bool writesAuxiliaryFiles(const CommandLine &Line) {
  static const char *const Prefixes[] = {"-save-temps", "--save-temps",     "-gsplit-dwarf",  "--coverage",
                                         "-coverage",   "-ftest-coverage",  "-fprofile-arcs", "-fstack-usage",
                                         "-fdump-",     "-fcallgraph-info", "-fopt-info",     "-fprofile-generate"};
  return std::any_of(Line.Arguments.begin(), Line.Arguments.end(), [](const Argument &A) {
    return A.Kind == ArgumentKind::Plain && std::any_of(std::begin(Prefixes), std::end(Prefixes),
                                                        [&](const char *P) { return A.Words[0].rfind(P, 0) == 0; });
  });
}

/// Makes the host compiler call a function at each load and store, which libhsched_check.so defines, and emit lines.
StringList checkFlags(const HostCompiler &Host, const CommandLine &Line) {
  StringList Result = {"-fsanitize=thread",    "-DHSCHED_CHECKED",    "-fno-builtin-memcpy",
                       "-fno-builtin-memmove", "-fno-builtin-memset", "-fno-builtin-memcmp"};
  if (Host.IsClang)
    append(Result, {"-mllvm", "-tsan-instrument-read-before-write=1", "-mllvm", "-tsan-instrument-func-entry-exit=0",
                    "-fno-vectorize", "-fno-slp-vectorize"});
  else // No other library is instrumented.
    append(Result, {"-U__SANITIZE_THREAD__", "--param", "tsan-instrument-func-entry-exit=0", "-Wno-tsan"});
  const bool SaysLines = std::any_of(Line.Arguments.begin(), Line.Arguments.end(), [](const Argument &A) {
    return A.Kind == ArgumentKind::Plain && A.Words[0].rfind("-g", 0) == 0;
  });
  if (!SaysLines)
    Result.push_back("-g1");
  return Result;
}

const char *stageFlag(Stage Last) {
  switch (Last) {
  case Stage::Assemble:
    return "-S";
  case Stage::SyntaxOnly:
    return "-fsyntax-only";
  case Stage::Preprocess:
  case Stage::Dependencies:
    return "-E";
  case Stage::Link:
  case Stage::Compile:
    break;
  }
  return "-c";
}

} // namespace

std::string versionDefinition() { return "-D__HSCHED__=" + std::to_string(VersionNumber); }

StringList forwardCommand(const HostCompiler &Host, const Installation &Home, const CommandLine &Line,
                          const std::map<const Argument *, std::string> &Objects, const Argument *Only) {
  StringList Result = Host.Words;
  Result.push_back(versionDefinition());
  bool SourceLeft = false;
  for (const Argument &A : Line.Arguments)
    SourceLeft |= A.Kind == ArgumentKind::Input && !Objects.count(&A);
  for (const Argument &A : Line.Arguments) {
    if (A.Kind == ArgumentKind::Own || (A.Kind == ArgumentKind::Input && Only && &A != Only) ||
        (A.Kind == ArgumentKind::Dependency && !SourceLeft))
      continue;
    auto Object = Objects.find(&A);
    if (Object == Objects.end() && !Line.ForC && A.Kind == ArgumentKind::Input && A.ForcedLanguage.empty() &&
        A.InputLanguage == Language::C)
      append(Result, {"-x", "c", A.Value, "-x", "none"});
    else if (Object == Objects.end())
      append(Result, A.Words);
    else if (A.ForcedLanguage.empty())
      Result.push_back(Object->second);
    else
      append(Result, {"-x", "none", Object->second, "-x", A.ForcedLanguage});
  }
  append(Result, Home.includeFlags());
  if (Line.Check && Line.Last != Stage::Link)
    append(Result, checkFlags(Host, Line));
  if (Line.Last == Stage::Link)
    append(Result, Home.linkFlags(Line, !Objects.empty()));
  return Result;
}

UnitOutputs outputsOf(const CommandLine &Line, bool HostIsClang, const std::string &UserFile) {
  UnitOutputs Result;
  std::string Stem = withoutSuffix(nameOf(UserFile));
  bool HasOutput = !Line.Output.empty();
  Result.Output = Line.Output;
  if (!HasOutput && Line.Last == Stage::Compile)
    Result.Output = Stem + ".o";
  else if (!HasOutput && Line.Last == Stage::Assemble)
    Result.Output = Stem + ".s";

  const DependencyOptions &D = Line.Dependencies;
  Result.DefaultTarget = Stem + ".o";
  if (Line.Last == Stage::Dependencies) {
    Result.DependencyFile = !D.File.empty() ? D.File : HasOutput ? Line.Output : "-";
  } else if (D.AsSideEffect) {
    if (HasOutput)
      Result.DefaultTarget = Line.Output;
    else if (Line.Last == Stage::Assemble)
      Result.DefaultTarget = Result.Output;
    bool GccLinks = Line.Last == Stage::Link && !HostIsClang;
    if (!D.File.empty())
      Result.DependencyFile = D.File;
    else if (HasOutput && Line.Output != "/dev/null" && Line.Output != "-")
      Result.DependencyFile = withoutSuffix(Line.Output) + ".d";
    else
      Result.DependencyFile = (GccLinks ? "a-" : "") + Stem + ".d";
  }
  return Result;
}

bool needsDotRemoved(const GeneratedInput &Input) {
  return Input.Folder == "." && Input.UserFile.find('/') == std::string::npos;
}

StringList compileCommand(const HostCompiler &Host, const Installation &Home, const CommandLine &Line,
                          const GeneratedInput &Input, const std::string &Output, const std::string &RulesFile,
                          const std::string &DefaultTarget) {
  StringList Result = Host.Words;
  // Quoted includes of the user's file look beside that file first; the generated one lies elsewhere.
  append(Result, {versionDefinition(), "-iquote", Input.Folder});
  std::vector<ForcedInclude> Dropped;
  if (Input.HasForcedHeaders)
    Dropped = forcedIncludes(Line);
  for (size_t I = 0; I < Line.Arguments.size(); ++I) {
    const Argument &A = Line.Arguments[I];
    bool Drop = std::any_of(Dropped.begin(), Dropped.end(),
                            [I](const ForcedInclude &F) { return F.First <= I && I < F.First + F.Count; });
    if (A.Kind != ArgumentKind::Plain || Drop)
      continue;
    const std::string First = Input.C || Input.Original ? A.Words[0] : withCxx11(A.Words[0]);
    if (First != A.Words[0]) // Narrowing was not an error before.
      Result.push_back("-Wno-narrowing");
    if (First != A.Words[0] && Input.Permissive)
      Result.push_back("-fpermissive");
    Result.push_back(First);
    Result.insert(Result.end(), A.Words.begin() + 1, A.Words.end());
  }
  append(Result, Home.includeFlags());
  if (Line.Check)
    append(Result, checkFlags(Host, Line));

  // Neither messages nor debug information nor GCC's seed depend on the temporary file.
  if (needsDotRemoved(Input))
    Result.push_back("-ffile-prefix-map=./=");
  append(Result, {"-ffile-prefix-map=" + Input.File + "=" + Input.UserFile, "-frandom-seed=" + Input.UserFile});
  if (Line.Last == Stage::Link && !Host.IsClang && writesAuxiliaryFiles(Line)) {
    std::string Name = nameOf(Input.UserFile);
    append(Result, {"-dumpdir", (Line.Output.empty() ? "a" : withoutSuffix(Line.Output)) + "-", "-dumpbase", Name,
                    "-dumpbase-ext", Name.substr(withoutSuffix(Name).size())});
  }

  const DependencyOptions &D = Line.Dependencies;
  if (!RulesFile.empty()) {
    const char *Flag = Line.Last == Stage::Dependencies ? (D.SkipSystem ? "-MM" : "-M") : D.SkipSystem ? "-MMD" : "-MD";
    append(Result, {Flag, "-MF", RulesFile});
    for (const auto &[Quoted, Target] : D.Targets)
      append(Result, {Quoted ? "-MQ" : "-MT", Target});
    if (D.Targets.empty())
      append(Result, {"-MQ", DefaultTarget});
    if (D.MissingGenerated)
      Result.push_back("-MG");
  }
  if (Input.C && !Line.ForC)
    append(Result, {"-x", "c"});
  append(Result, {stageFlag(Line.Last), Input.File});
  if (!Output.empty())
    append(Result, {"-o", Output});
  return Result;
}

} // namespace hsched::cc
