// Classifies each word of the command line as GCC and Clang do. Options.td has the options.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/CommandLine.h"

#include "driver/Files.h"
#include "model/Warnings.h"

#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"

#include <algorithm>
#include <memory>
#include <string_view>

namespace hsched::cc {
namespace {

namespace opt = llvm::opt;
using opt::DefaultVis;

bool startsWith(std::string_view Text, std::string_view Prefix) { return Text.substr(0, Prefix.size()) == Prefix; }

enum Id : unsigned {
  OPT_INVALID,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "driver/Options.inc"
#undef OPTION
};

#define PREFIX(NAME, VALUE)                                                                                            \
  constexpr llvm::StringLiteral NAME##_all[] = VALUE;                                                                  \
  constexpr llvm::ArrayRef<llvm::StringLiteral> NAME(NAME##_all, std::size(NAME##_all) - 1);
#include "driver/Options.inc"
#undef PREFIX

constexpr opt::OptTable::Info Infos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "driver/Options.inc"
#undef OPTION
};

struct Table final : opt::GenericOptTable {
  Table() : GenericOptTable(Infos) {}
};

constexpr std::string_view SourceSuffixes[] = {".cpp", ".cc", ".cxx", ".C", ".c++", ".cp", ".CPP", ".c"};
constexpr std::string_view HeaderSuffixes[] = {".h", ".hh", ".H", ".hp", ".hpp", ".hxx", ".HPP", ".h++", ".tcc"};

/// From the last dot of the name; empty without a dot.
std::string suffixOf(const std::string &Path) {
  size_t Slash = Path.find_last_of('/');
  size_t Dot = Path.find_last_of('.');
  return Dot == std::string::npos || (Slash != std::string::npos && Dot < Slash) ? std::string() : Path.substr(Dot);
}

template <size_t N> bool contains(const std::string_view (&List)[N], std::string_view Word) {
  return std::find(std::begin(List), std::end(List), Word) != std::end(List);
}

/// Parses the words one after the other.
class Parser {
public:
  Parser(const StringList &Words, bool ForC) : Words(Words) { Line.ForC = ForC; }

  CommandLine run() {
    std::vector<const char *> Texts;
    for (const std::string &Word : Words)
      Texts.push_back(Word.c_str());
    const opt::InputArgList List(Texts.data(), Texts.data() + Texts.size());
    for (unsigned First = 0, Next = 0; First < Words.size(); First = Next) {
      if (Words[First].empty()) { // The library would leave it out.
        input(Words[Next++]);
        continue;
      }
      const std::unique_ptr<opt::Arg> A = Options.ParseOneArg(List, Next);
      if (!A) { // Next is behind the last word.
        error("argument to '" + Words[First] + "' is missing");
        break;
      }
      StringList Its{Words.begin() + First, Words.begin() + Next};
      if (A->getAlias() && startsWith(Its[0], "--")) {
        opt::ArgStringList Short;
        A->render(List, Short);
        Its.assign(Short.begin(), Short.end());
      }
      take(*A, std::move(Its));
    }
    if (AsksForC && !Line.ForC)
      for (Argument &A : Line.Arguments) // g++ would take it for C++ and reject the C standard.
        if (A.Kind == ArgumentKind::Input && A.ForcedLanguage.empty() && suffixOf(A.Value) == ".c")
          A.InputLanguage = Language::C;
    check();
    return std::move(Line);
  }

private:
  Argument &add(ArgumentKind Kind, StringList ItsWords, std::string Name, std::string Value = {}) {
    Line.Arguments.push_back({Kind, std::move(ItsWords), std::move(Name), std::move(Value), Language::Other, {}});
    return Line.Arguments.back();
  }

  void input(const std::string &Path) {
    Argument &A = add(ArgumentKind::Input, {Path}, "", Path);
    A.ForcedLanguage = Forced;
    if (Forced == "c++")
      A.InputLanguage = Language::Cxx;
    else if (Forced == "c++-cpp-output")
      A.InputLanguage = Language::PreprocessedCxx;
    else if (Forced == "c")
      A.InputLanguage = Language::C;
    else if (Forced == "cpp-output")
      A.InputLanguage = Language::PreprocessedC;
    else if (Forced.empty() && Path != "-")
      A.InputLanguage = languageOf(Path, Line.ForC);
    // A library beside it would turn the creation of a precompiled header into a link.
    Line.NoRuntimeLink |=
        Forced.empty() ? contains(HeaderSuffixes, suffixOf(Path)) : Forced.find("header") != Forced.npos;
  }

  void take(const opt::Arg &A, StringList Its) {
    const opt::Option O = A.getOption();
    const unsigned Id = O.getID(), Group = O.getGroup().isValid() ? O.getGroup().getID() : 0;
    const std::string Word = Its[0];
    // "-I" for "-Idir" and "-I dir". Other options are named by the whole word.
    const auto Kind = O.getKind();
    const bool Separable = Kind == opt::Option::SeparateClass || Kind == opt::Option::JoinedOrSeparateClass;
    const std::string Value = A.getNumValues() == 1 ? A.getValue() : "";
    if (Id == OPT_INPUT)
      return input(Word);
    if (Id == OPT_Wp)
      return preprocessorWords(A);
    add(Group == OPT_Own || Group == OPT_OwnWarning ? ArgumentKind::Own
        : Group == OPT_Stage                        ? ArgumentKind::Stage
        : Group == OPT_Dependency                   ? ArgumentKind::Dependency
        : Group == OPT_Linker                       ? ArgumentKind::Linker
        : Id == OPT_o                               ? ArgumentKind::Output
        : Id == OPT_x                               ? ArgumentKind::Language
                                                    : ArgumentKind::Plain,
        std::move(Its), Separable ? A.getSpelling().str() : Word, Separable ? Value : "");
    meaning(Id, Group, Word, Value);
  }

  void meaning(unsigned Id, unsigned Group, const std::string &Word, const std::string &Value) {
    DependencyOptions &D = Line.Dependencies;
    Line.QueriesHost |= Group == OPT_Question;
    if (Group == OPT_WarningFlag)
      Line.WarningFlags.push_back(Word);
    else if (Group == OPT_OwnWarning)
      warning(Word);
    switch (Id) {
    case OPT_help:
      Line.Help = true;
      break;
    case OPT_help_EQ:
      if (Value != "warnings")
        return unknown(Word);
      Line.HelpWarnings = true;
      break;
    case OPT_keep:
      Line.Keep = true;
      break;
    case OPT_check:
      Line.Check = true;
      break;
    case OPT_explain:
      Line.Explain = true;
      break;
    case OPT_emit_EQ:
      Line.Emit = Value == "source" ? EmitKind::Source : Value == "json" ? EmitKind::Json : EmitKind::None;
      if (Line.Emit == EmitKind::None)
        error("'" + Word + "': only 'source' and 'json' can be emitted");
      break;
    case OPT_metadata:
    case OPT_metadata_EQ:
      Line.WantMetadata = true;
      if (Id == OPT_metadata)
        break;
      Line.MetadataFile = Value;
      if (Value.empty())
        error("'--hsched-metadata=' names no file");
      break;
    case OPT_host_EQ:
      Line.Host = Value;
      if (Value.empty())
        error("'--hsched-host=' names no compiler");
      break;
    case OPT_launcher:
    case OPT_launcher_EQ:
      error("'--hsched-launcher' must be the first word");
      break;
    case OPT_unknown_own:
      return unknown(Word);
    case OPT_version:
      Line.Version = true;
      break;
    case OPT_c:
      last(Stage::Compile);
      break;
    case OPT_S:
      last(Stage::Assemble);
      break;
    case OPT_fsyntax_only:
      last(Stage::SyntaxOnly);
      break;
    case OPT_E:
      last(Stage::Preprocess);
      break;
    case OPT_MM:
      D.SkipSystem = true;
      [[fallthrough]];
    case OPT_M:
      last(Stage::Dependencies);
      break;
    case OPT_MMD:
      D.SkipSystem = true;
      [[fallthrough]];
    case OPT_MD:
      D.AsSideEffect = true;
      break;
    case OPT_MP:
      D.Phony = true;
      break;
    case OPT_MG:
      D.MissingGenerated = true;
      break;
    case OPT_MF:
      D.File = Value;
      break;
    case OPT_MT:
    case OPT_MQ:
      D.Targets.emplace_back(Id == OPT_MQ, Value);
      break;
    case OPT_o:
      Line.Output = Value;
      break;
    case OPT_x:
      Forced = Value == "none" ? "" : Value;
      break;
    case OPT_l:
    case OPT_Xlinker:
    case OPT_Wl:
      Line.HasLinkerInput = true;
      break;
    case OPT_r:
    case OPT_nostdlib:
    case OPT_nodefaultlibs:
      Line.NoRuntimeLink = true;
      break;
    case OPT_static:
    case OPT_static_pie:
      Line.StaticLink = true;
      break;
    case OPT_std_EQ:
      if (Value[0] == 'c' || startsWith(Value, "gnu") || startsWith(Value, "iso9899"))
        AsksForC = Value.find("++") == std::string::npos;
      break;
    case OPT_v:
      Line.Verbose = true;
      break;
    case OPT_dry_run:
      Line.DryRun = true;
      break;
    case OPT_color:
    case OPT_no_color:
      Line.Color = Id == OPT_color;
      break;
    case OPT_color_EQ:
      if (Value == "always" || Value == "never")
        Line.Color = Value == "always";
      break;
    case OPT_parseable_fixits:
      Line.ParseableFixIts = true;
      break;
    default:
      break;
    }
  }

  void last(Stage Requested) { Line.Last = std::max(Line.Last, Requested); }

  void unknown(const std::string &Word) {
    std::string Nearest;
    const bool Near = Options.findNearest(Word, Nearest) <= 2 && startsWith(Nearest, "--hsched-") && Nearest != Word;
    error("unknown option '" + Word + "'; " + (Near ? "did you mean '" + Nearest + "'? " : "") +
          "--hsched-help lists them");
  }

  void warning(const std::string &Word) {
    bool Fatal = false;
    std::string Problem = problemWithFlag(Word, Fatal);
    if (!Problem.empty() && Fatal)
      error(std::move(Problem));
    else if (!Problem.empty())
      Line.Remarks.push_back(std::move(Problem));
    else
      Line.WarningFlags.push_back(Word);
  }

  /// -Wp,-MD,file requests a dependency file like -MD -MF file; the other parts of the word are passed on.
  void preprocessorWords(const opt::Arg &A) {
    for (unsigned I = 0; I < A.getNumValues(); ++I) {
      const std::string Part = A.getValue(I);
      const bool HasNext = I + 1 < A.getNumValues(), Writes = Part == "-MD" || Part == "-MMD";
      if (HasNext && (Writes || Part == "-MF" || Part == "-MT" || Part == "-MQ")) {
        const std::string Value = A.getValue(++I);
        add(ArgumentKind::Dependency, {"-Wp," + Part + "," + Value}, "-Wp", Value);
        if (Writes)
          meaning(Part == "-MD" ? OPT_MD : OPT_MMD, 0, Part, "");
        meaning(Part == "-MT" ? OPT_MT : Part == "-MQ" ? OPT_MQ : OPT_MF, 0, Part, Value);
      } else if (Part == "-MP") {
        add(ArgumentKind::Dependency, {"-Wp,-MP"}, "-Wp");
        Line.Dependencies.Phony = true;
      } else {
        add(ArgumentKind::Plain, {"-Wp," + Part}, "-Wp", Part);
      }
    }
  }

  void error(std::string Text) {
    if (Line.Error.empty())
      Line.Error = std::move(Text);
  }

  void check() {
    if (Line.Emit != EmitKind::None && Line.Last == Stage::Dependencies)
      error("'--hsched-emit=' and '-M' exclude each other");
    size_t Sources = 0;
    for (const Argument &A : Line.Arguments)
      Sources += A.Kind == ArgumentKind::Input && (A.InputLanguage != Language::Other || !A.ForcedLanguage.empty());
    if (Sources > 1 && !Line.Output.empty() && Line.Last != Stage::Link)
      error("'-o' cannot name one file for several inputs without linking");
    if (Sources > 1 && !Line.MetadataFile.empty())
      error("'--hsched-metadata=" + Line.MetadataFile + "' cannot name one file for several inputs");
    if (Sources > 1 && !Line.Output.empty() && Line.Emit != EmitKind::None)
      error("'-o' cannot name one emitted file for several inputs");
  }

  const Table Options;
  const StringList &Words;
  CommandLine Line;
  std::string Forced;    ///< The -x in force, empty for none.
  bool AsksForC = false; ///< Set by the last -std=.
};

} // namespace

bool CommandLine::hasInput() const {
  return std::any_of(Arguments.begin(), Arguments.end(),
                     [](const Argument &A) { return A.Kind == ArgumentKind::Input; });
}

std::string withCxx11(const std::string &Word) {
  if (Word == "-ansi")
    return "-std=c++11";
  std::string_view Name = Word;
  Name.remove_prefix(startsWith(Name, "--std=") ? 6 : startsWith(Name, "-std=") ? 5 : Name.size());
  const bool Old = Name == "c++98" || Name == "c++03" || Name == "gnu++98" || Name == "gnu++03";
  return Old ? "-std=" + std::string(Name.substr(0, Name.size() - 2)) + "11" : Word;
}

Language languageOf(const std::string &Path, bool ForC) {
  std::string Suffix = suffixOf(Path);
  if (ForC && (Suffix == ".c" || Suffix == ".i"))
    return Suffix == ".c" ? Language::C : Language::PreprocessedC;
  if (contains(SourceSuffixes, Suffix))
    return Language::Cxx;
  return Suffix == ".ii" || Suffix == ".i" ? Language::PreprocessedCxx : Language::Other;
}

// A parser can only read a precompiled header that it made itself. Its header is named in a second pair
// of words. CMake does so (-Xclang -include-pch -Xclang a.h.pch -Xclang -include -Xclang a.h), or has its name less a
// suffix.
std::vector<ForcedInclude> forcedIncludes(const CommandLine &Line) {
  std::vector<ForcedInclude> Result;
  const std::vector<Argument> &All = Line.Arguments;
  auto isXclang = [&](size_t I) { return I < All.size() && All[I].Name == "-Xclang"; };
  for (size_t I = 0; I < All.size(); ++I) {
    const Argument &A = All[I];
    if (A.Name == "-include")
      Result.push_back({I, 1, A.Value});
    else if (A.Name == "-include-pch")
      Result.push_back({I, 1, withoutSuffix(A.Value)});
    else if (isXclang(I) && isXclang(I + 1) && (A.Value == "-include" || A.Value == "-include-pch")) {
      const std::string &File = All[I + 1].Value;
      Result.push_back({I, 2, A.Value == "-include" ? File : withoutSuffix(File)});
      ++I;
    }
  }
  for (size_t I = 0; I < Result.size(); ++I)
    for (size_t J = 0; J < I; ++J)
      if (Result[J].Header == Result[I].Header)
        Result[I].Header.clear();
  return Result;
}

CommandLine parseCommandLine(const StringList &Words, bool ForC) { return Parser(Words, ForC).run(); }

} // namespace hsched::cc
