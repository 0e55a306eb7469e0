// The command line as a value: what each word is, and what it asks for. Pure: no file is looked at.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_COMMANDLINE_H
#define HSCHED_CC_DRIVER_COMMANDLINE_H

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hsched::cc {

using StringList = std::vector<std::string>;

/// Where the work ends. The order is that of precedence: the greatest one named wins.
enum class Stage { Link, Compile, Assemble, SyntaxOnly, Preprocess, Dependencies };

enum class Language {
  Other,           ///< Handed to the host compiler: objects, archives, libraries, C, assembly, headers.
  Cxx,             ///< May carry directives.
  PreprocessedCxx, ///< May carry directives, its includes are resolved.
  C,               ///< As Cxx.
  PreprocessedC    ///< As PreprocessedCxx.
};
inline bool isC(Language L) { return L == Language::C || L == Language::PreprocessedC; }
inline bool isPreprocessed(Language L) { return L == Language::PreprocessedCxx || L == Language::PreprocessedC; }

enum class ArgumentKind {
  Input,
  Plain,      ///< Of the preprocessor or the compiler; handed on.
  Linker,     ///< Of the linker, libraries included; handed on where something is linked.
  Output,     ///< -o
  Language,   ///< -x
  Stage,      ///< -c -S -E -M -MM -fsyntax-only.
  Dependency, ///< -MD -MMD -MF -MT -MQ -MP -MG, also through -Wp,
  Own         ///< For hsched-cc alone.
};

/// One option or input. Words are what stands on the command line, at most two.
struct Argument {
  ArgumentKind Kind = ArgumentKind::Plain;
  StringList Words;
  std::string Name;  ///< Without the value, e.g. "-I" for "-Idir" and "-I dir"; an input's name is empty.
  std::string Value; ///< The input's path for an input.
  // Of an input:
  Language InputLanguage = Language::Other;
  std::string ForcedLanguage; ///< What -x said, or empty.
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
  bool ForC = false; ///< Of hsched-c, which reads its words as gcc does; else as g++ does.
  std::vector<Argument> Arguments;
  Stage Last = Stage::Link;
  std::string Output; ///< Empty: not given.
  DependencyOptions Dependencies;

  EmitKind Emit = EmitKind::None;
  bool Explain = false;
  bool Help = false;
  bool HelpWarnings = false;
  bool Version = false;
  bool Keep = false;
  bool Check = false; ///< --hsched-check
  bool WantMetadata = false;
  std::string MetadataFile; ///< Empty: beside the output.
  std::string Host;         ///< --hsched-host: the host compiler's words, quoted as in a shell.
  StringList WarningFlags;  ///< That say something of hsched's own warnings: -Wno-hsched-x, -Werror, -Wall, -w, ...

  bool Verbose = false;         ///< -v
  bool DryRun = false;          ///< -###
  bool ParseableFixIts = false; ///< -fdiagnostics-parseable-fixits
  bool AsksHost = false;        ///< -dumpversion, -print-..., --help and their like.
  bool NoRuntimeLink = false;   ///< -r, -nostdlib, -nodefaultlibs, or a header to precompile.
  bool StaticLink = false;      ///< -static, -static-pie.
  bool HasLinkerInput = false;  ///< -l, -Wl, or -Xlinker, which the host counts as inputs.
  std::optional<bool> Color;    ///< -fdiagnostics-color

  StringList Remarks; ///< Warnings about the command line.
  std::string Error;  ///< Not empty: the command line is wrong, and this says why.

  bool hasInput() const;
};

/// A header that stands ahead of the source: -include, and what the Clang driver is told of a precompiled one.
struct ForcedInclude {
  size_t First = 0, Count = 1; ///< The arguments that say it.
  std::string Header;          ///< Empty: an earlier one tells the header of this precompiled file.
};
std::vector<ForcedInclude> forcedIncludes(const CommandLine &Line);

/// Words are those after the program's name, response files expanded.
CommandLine parseCommandLine(const StringList &Words, bool ForC = false);

/// The word of a command line for a file with directives: -std=c++11 where it asks for an older standard, which
/// generated code cannot be compiled with. Other words stay as they are.
std::string withCxx11(const std::string &Word);

/// By the suffix alone.
Language languageOf(const std::string &Path, bool ForC = false);

} // namespace hsched::cc

#endif
