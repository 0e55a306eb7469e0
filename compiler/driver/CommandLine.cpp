// Classifies each word of the command line as GCC and Clang do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/CommandLine.h"

#include "driver/Files.h"
#include "model/Warnings.h"

#include <algorithm>
#include <string_view>

namespace hsched::cc {
namespace {

bool startsWith(std::string_view Text, std::string_view Prefix) { return Text.substr(0, Prefix.size()) == Prefix; }

struct OptionForm {
  std::string_view Name;
  ArgumentKind Kind;
  bool Joined; ///< The value may also follow in the same word.
};

/// Options whose value may be a separate word. A name that is a prefix of another one stands after it.
constexpr OptionForm WithValue[] = {
    {"-Xlinker", ArgumentKind::Linker, false},
    {"-Xassembler", ArgumentKind::Plain, false},
    {"-Xpreprocessor", ArgumentKind::Plain, false},
    {"-Xclang", ArgumentKind::Plain, false},
    {"-MF", ArgumentKind::Dependency, true},
    {"-MT", ArgumentKind::Dependency, true},
    {"-MQ", ArgumentKind::Dependency, true},
    {"-MJ", ArgumentKind::Plain, true},
    {"-include-pch", ArgumentKind::Plain, false},
    {"-include", ArgumentKind::Plain, true},
    {"-imacros", ArgumentKind::Plain, true},
    {"-isystem", ArgumentKind::Plain, true},
    {"-iquote", ArgumentKind::Plain, true},
    {"-idirafter", ArgumentKind::Plain, true},
    {"-iprefix", ArgumentKind::Plain, true},
    {"-iwithprefixbefore", ArgumentKind::Plain, true},
    {"-iwithprefix", ArgumentKind::Plain, true},
    {"-isysroot", ArgumentKind::Plain, true},
    {"-imultilib", ArgumentKind::Plain, true},
    {"-imultiarch", ArgumentKind::Plain, false},
    {"--sysroot", ArgumentKind::Plain, false},
    {"--param", ArgumentKind::Plain, false},
    {"-aux-info", ArgumentKind::Plain, false},
    {"-dumpbase-ext", ArgumentKind::Plain, false},
    {"-dumpbase", ArgumentKind::Plain, false},
    {"-dumpdir", ArgumentKind::Plain, false},
    {"-wrapper", ArgumentKind::Plain, false},
    {"-target", ArgumentKind::Plain, false},
    {"-mllvm", ArgumentKind::Plain, false},
    {"-arch", ArgumentKind::Plain, false},
    {"-rpath", ArgumentKind::Linker, false},
    {"-soname", ArgumentKind::Linker, false},
    {"-Tbss", ArgumentKind::Linker, false},
    {"-Tdata", ArgumentKind::Linker, false},
    {"-Ttext", ArgumentKind::Linker, false},
    {"-I", ArgumentKind::Plain, true},
    {"-D", ArgumentKind::Plain, true},
    {"-U", ArgumentKind::Plain, true},
    {"-A", ArgumentKind::Plain, true},
    {"-B", ArgumentKind::Plain, true},
    {"-L", ArgumentKind::Linker, true},
    {"-l", ArgumentKind::Linker, true},
    {"-T", ArgumentKind::Linker, true},
    {"-u", ArgumentKind::Linker, false},
    {"-z", ArgumentKind::Linker, true},
    {"-e", ArgumentKind::Linker, false},
    {"-h", ArgumentKind::Linker, false},
    {"-o", ArgumentKind::Output, true},
    {"-x", ArgumentKind::Language, true},
};

constexpr std::string_view LinkerFlags[] = {
    "-shared",
    "-static",
    "-static-pie",
    "-static-libgcc",
    "-shared-libgcc",
    "-static-libstdc++",
    "-static-libasan",
    "-static-libtsan",
    "-static-libubsan",
    "-rdynamic",
    "-pie",
    "-no-pie",
    "-nostdlib",
    "-nostdlib++",
    "-nodefaultlibs",
    "-nostartfiles",
    "-nolibc",
    "-r",
    "-s",
    "-symbolic",
};

constexpr std::string_view HostQuestions[] = {
    "-dumpversion", "-dumpfullversion", "-dumpmachine", "-dumpspecs", "--help", "--target-help", "-help",
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
    while (Next < Words.size())
      one(Words[Next++]);
    if (AsksForC && !Line.ForC)
      for (Argument &A : Line.Arguments) // g++ would take it for C++ and reject the C standard.
        if (A.Kind == ArgumentKind::Input && A.ForcedLanguage.empty() && suffixOf(A.Value) == ".c")
          A.InputLanguage = Language::C;
    check();
    return std::move(Line);
  }

private:
  void one(const std::string &Word) {
    if (Word.size() < 2 || Word[0] != '-')
      return input(Word);
    if (own(Word) || stage(Word) || dependencyFlag(Word) || withValue(Word))
      return;
    flag(Word);
  }

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

  /// Options of hsched-cc itself, none of which is passed to the host compiler.
  bool own(const std::string &Word) {
    if (startsWith(Word, "--hsched-"))
      ownLong(Word);
    else if (startsWith(Word, "-Whsched") || startsWith(Word, "-Wno-hsched") || startsWith(Word, "-Werror=hsched") ||
             startsWith(Word, "-Wno-error=hsched"))
      warning(Word);
    else if (Word == "--version")
      Line.Version = true;
    else
      return false;
    add(ArgumentKind::Own, {Word}, Word);
    return true;
  }

  void ownLong(const std::string &Word) {
    std::string_view Rest = std::string_view(Word).substr(9);
    if (Rest == "help")
      Line.Help = true;
    else if (Rest == "help=warnings")
      Line.HelpWarnings = true;
    else if (Rest == "keep")
      Line.Keep = true;
    else if (Rest == "check")
      Line.Check = true;
    else if (Rest == "explain")
      Line.Explain = true;
    else if (Rest == "emit=source")
      Line.Emit = EmitKind::Source;
    else if (Rest == "emit=json")
      Line.Emit = EmitKind::Json;
    else if (Rest == "metadata")
      Line.WantMetadata = true;
    else if (startsWith(Rest, "host=")) {
      Line.Host = Rest.substr(5);
      if (Line.Host.empty())
        error("'--hsched-host=' names no compiler");
    } else if (startsWith(Rest, "launcher"))
      error("'--hsched-launcher' must be the first word");
    else if (startsWith(Rest, "metadata=")) {
      Line.WantMetadata = true;
      Line.MetadataFile = Rest.substr(9);
      if (Line.MetadataFile.empty())
        error("'--hsched-metadata=' names no file");
    } else if (startsWith(Rest, "emit="))
      error("'" + Word + "': only 'source' and 'json' can be emitted");
    else
      error("unknown option '" + Word + "'; --hsched-help lists them");
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

  bool stage(const std::string &Word) {
    Stage Asked;
    if (Word == "-c")
      Asked = Stage::Compile;
    else if (Word == "-S")
      Asked = Stage::Assemble;
    else if (Word == "-fsyntax-only")
      Asked = Stage::SyntaxOnly;
    else if (Word == "-E")
      Asked = Stage::Preprocess;
    else if (Word == "-M" || Word == "-MM") {
      Asked = Stage::Dependencies;
      Line.Dependencies.SkipSystem |= Word == "-MM";
    } else
      return false;
    Line.Last = std::max(Line.Last, Asked);
    add(ArgumentKind::Stage, {Word}, Word);
    return true;
  }

  bool dependencyFlag(const std::string &Word) {
    if (startsWith(Word, "-Wp,")) {
      preprocessorWords(Word);
      return true;
    }
    DependencyOptions &D = Line.Dependencies;
    if (Word == "-MD" || Word == "-MMD") {
      D.AsSideEffect = true;
      D.SkipSystem |= Word == "-MMD";
    } else if (Word == "-MP")
      D.Phony = true;
    else if (Word == "-MG")
      D.MissingGenerated = true;
    else
      return false;
    add(ArgumentKind::Dependency, {Word}, Word);
    return true;
  }

  /// -Wp,-MD,file requests a dependency file like -MD -MF file; the other parts of the word are passed on.
  void preprocessorWords(const std::string &Word) {
    StringList Parts;
    for (size_t Begin = 4; Begin <= Word.size();) {
      size_t End = std::min(Word.find(',', Begin), Word.size());
      Parts.push_back(Word.substr(Begin, End - Begin));
      Begin = End + 1;
    }
    DependencyOptions &D = Line.Dependencies;
    for (size_t I = 0; I < Parts.size(); ++I) {
      const std::string &Part = Parts[I];
      bool HasNext = I + 1 < Parts.size();
      if ((Part == "-MD" || Part == "-MMD") && HasNext) {
        D.AsSideEffect = true;
        D.SkipSystem |= Part == "-MMD";
        D.File = Parts[++I];
        add(ArgumentKind::Dependency, {"-Wp," + Part + "," + D.File}, "-Wp", D.File);
      } else if ((Part == "-MF" || Part == "-MT" || Part == "-MQ") && HasNext) {
        std::string Value = Parts[++I];
        add(ArgumentKind::Dependency, {"-Wp," + Part + "," + Value}, "-Wp", Value);
        dependencyValue(Part, Value);
      } else if (Part == "-MP") {
        D.Phony = true;
        add(ArgumentKind::Dependency, {"-Wp,-MP"}, "-Wp");
      } else {
        add(ArgumentKind::Plain, {"-Wp," + Part}, "-Wp", Part);
      }
    }
  }

  void dependencyValue(std::string_view Name, const std::string &Value) {
    if (Name == "-MF")
      Line.Dependencies.File = Value;
    else
      Line.Dependencies.Targets.emplace_back(Name == "-MQ", Value);
  }

  bool withValue(const std::string &Word) {
    for (const OptionForm &Form : WithValue) {
      bool Separate = Word == Form.Name;
      if (!Separate && !(Form.Joined && startsWith(Word, Form.Name)))
        continue;
      if (Separate && Next == Words.size()) {
        error("argument to '" + Word + "' is missing");
        return true;
      }
      std::string Value = Separate ? Words[Next++] : Word.substr(Form.Name.size());
      StringList Both = Separate ? StringList{Word, Value} : StringList{Word};
      take(add(Form.Kind, std::move(Both), std::string(Form.Name), std::move(Value)));
      return true;
    }
    return false;
  }

  void take(const Argument &A) {
    switch (A.Kind) {
    case ArgumentKind::Output:
      Line.Output = A.Value;
      break;
    case ArgumentKind::Language:
      Forced = A.Value == "none" ? "" : A.Value;
      break;
    case ArgumentKind::Dependency:
      dependencyValue(A.Name, A.Value);
      break;
    case ArgumentKind::Linker:
      Line.HasLinkerInput |= A.Name == "-l" || A.Name == "-Xlinker";
      break;
    default:
      break;
    }
  }

  void flag(const std::string &Word) {
    bool ForLinker = contains(LinkerFlags, Word) || startsWith(Word, "-Wl,") || startsWith(Word, "-fuse-ld=");
    add(ForLinker ? ArgumentKind::Linker : ArgumentKind::Plain, {Word}, Word);
    if (startsWith(Word, "-std=c") || startsWith(Word, "-std=gnu") || startsWith(Word, "-std=iso9899"))
      AsksForC = Word.find("++") == std::string::npos;
    if (startsWith(Word, "-Wl,"))
      Line.HasLinkerInput = true;
    else if (Word == "-v")
      Line.Verbose = true;
    else if (Word == "-###")
      Line.DryRun = true;
    else if (Word == "-r" || Word == "-nostdlib" || Word == "-nodefaultlibs")
      Line.NoRuntimeLink = true;
    else if (Word == "-static" || Word == "-static-pie")
      Line.StaticLink = true;
    else if (Word == "-w" || Word == "-Werror" || Word == "-Wno-error" || Word == "-Wall" || Word == "-Wno-all")
      Line.WarningFlags.push_back(Word);
    else if (Word == "-fdiagnostics-color" || Word == "-fdiagnostics-color=always" || Word == "-fcolor-diagnostics")
      Line.Color = true;
    else if (Word == "-fno-diagnostics-color" || Word == "-fdiagnostics-color=never" ||
             Word == "-fno-color-diagnostics")
      Line.Color = false;
    else if (Word == "-fdiagnostics-parseable-fixits")
      Line.ParseableFixIts = true;
    else if (contains(HostQuestions, Word) || startsWith(Word, "-print-") || startsWith(Word, "--print-") ||
             startsWith(Word, "--help="))
      Line.QueriesHost = true;
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

  const StringList &Words;
  size_t Next = 0;
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
