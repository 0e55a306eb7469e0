// The parsed command line: the kind of each word, and its settings. Pure: reads no file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_COMMANDLINE_H
#define HSCHED_CC_DRIVER_COMMANDLINE_H

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hsched::cc {

using StringList = std::vector<std::string>;

/// The last stage of the work. In order of precedence: the greatest one named wins.
enum class Stage { Link, Compile, Assemble, SyntaxOnly, Preprocess, Dependencies };

enum class Language {
  Other,           ///< Passed to the host compiler: objects, archives, libraries, assembly, headers.
  Cxx,             ///< May carry directives.
  PreprocessedCxx, ///< May carry directives; its includes are already resolved.
  C,               ///< As Cxx.
  PreprocessedC    ///< As PreprocessedCxx.
};
inline bool isC(Language L) { return L == Language::C || L == Language::PreprocessedC; }
inline bool isPreprocessed(Language L) { return L == Language::PreprocessedCxx || L == Language::PreprocessedC; }

enum class ArgumentKind {
  Input,
  Plain,      ///< For preprocessor or compiler; passed on.
  Linker,     ///< For the linker, and libraries; passed on if something is linked.
  Output,     ///< -o
  Language,   ///< -x
  Stage,      ///< -c -S -E -M -MM -fsyntax-only.
  Dependency, ///< -MD -MMD -MF -MT -MQ -MP -MG, also through -Wp,
  Own         ///< For hsched-cc alone.
};

/// One option or input. Words: the words of the command line, at most two.
struct Argument {
  ArgumentKind Kind = ArgumentKind::Plain;
  StringList Words;
  std::string Name;  ///< Without the value, e.g. "-I" for "-Idir" and "-I dir"; an input's name is empty.
  std::string Value; ///< For an input: its path.
  // For an input:
  Language InputLanguage = Language::Other;
  std::string ForcedLanguage; ///< Language set by -x, or empty.
};

struct DependencyOptions {
  bool AsSideEffect = false;     ///< -MD or -MMD.
  bool SkipSystem = false;       ///< -MM or -MMD.
  bool Phony = false;            ///< -MP
  bool MissingGenerated = false; ///< -MG
  std::string File;              ///< -MF
  /// -MT (false) or -MQ (true), each with its target.
  std::vector<std::pair<bool, std::string>> Targets;
};

enum class EmitKind { None, Source, Json };

struct CommandLine {
  bool ForC = false; ///< For hsched-c, which parses like gcc. Otherwise like g++.
  std::vector<Argument> Arguments;
  Stage Last = Stage::Link;
  std::string Output; ///< Empty: absent.
  DependencyOptions Dependencies;

  EmitKind Emit = EmitKind::None;
  bool Explain = false;
  bool Help = false;
  bool HelpWarnings = false;
  bool Version = false;
  bool Keep = false;
  bool Check = false; ///< --hsched-check
  bool WantMetadata = false;
  std::string MetadataFile; ///< Empty: next to the output.
  std::string Host;         ///< --hsched-host: the host compiler's words, quoted as in a shell.
  StringList WarningFlags;  ///< Flags about hsched's own warnings: -Wno-hsched-x, -Werror, -Wall, -w, ...

  bool Verbose = false;         ///< -v
  bool DryRun = false;          ///< -###
  bool ParseableFixIts = false; ///< -fdiagnostics-parseable-fixits
  bool QueriesHost = false;     ///< -dumpversion, -print-..., --help and their like.
  bool NoRuntimeLink = false;   ///< -r, -nostdlib, -nodefaultlibs, or a header to precompile.
  bool StaticLink = false;      ///< -static, -static-pie.
  bool HasLinkerInput = false;  ///< -l, -Wl, or -Xlinker, which the host counts as inputs.
  std::optional<bool> Color;    ///< -fdiagnostics-color

  StringList Remarks; ///< Warnings about the command line.
  std::string Error;  ///< Not empty: the error in the command line.

  bool hasInput() const;
};

/// A header that precedes the source: -include, and the Clang driver's words for a precompiled one.
struct ForcedInclude {
  size_t First = 0, Count = 1; ///< The arguments for it.
  std::string Header;          ///< Empty: an earlier one names the header of this precompiled file.
};
std::vector<ForcedInclude> forcedIncludes(const CommandLine &Line);

/// Words are those after the program's name, response files expanded.
CommandLine parseCommandLine(const StringList &Words, bool ForC = false);

/// The word for a file with directives: -std=c++11 in place of an older standard, which cannot compile generated code.
/// Other words are unchanged.
std::string withCxx11(const std::string &Word);

/// Decides by the suffix alone.
Language languageOf(const std::string &Path, bool ForC = false);

} // namespace hsched::cc

#endif
