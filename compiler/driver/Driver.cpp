// Runs hsched-cc from the command line to the exit code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Driver.h"

#include "driver/Diagnostics.h"
#include "driver/Files.h"
#include "driver/HostCommand.h"
#include "driver/Launcher.h"
#include "driver/ResponseFile.h"
#include "driver/Unit.h"
#include "driver/Version.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <unistd.h>

namespace hsched::cc {
namespace {

/// Beyond this many bytes a command goes through a response file: systems limit the size of a process's arguments.
constexpr size_t CommandLimit = 512 * 1024;

constexpr const char *HelpText = R"(Usage: hsched-cc [options] file...
       hsched-c [options] file...

Compiles annotated C++ and C (#pragma hsched ...), and everything else as the host compiler would. Options that are not
listed here go to the host compiler: g++, or the compiler that the environment variable HSCHED_CXX names. hsched-c
compiles .c files as C; its host compiler is gcc, or the one that HSCHED_CC names. hsched-cc compiles a .c file as C++,
as g++ does; with -x c, or -std=c11 and the like, as C.

  --hsched-emit=source            write the generated C++ to the -o file or to standard output, compile nothing
  --hsched-emit=json              write the metadata instead
  --hsched-explain                print which clauses of each task are written and which are inferred, and what could
                                  not be inferred
  --hsched-check                  build a program that runs its tasks one at a time and reports accesses that no
                                  clause names; see docs/checked-runs.md
  --hsched-keep                   keep the generated source beside the output, and print its name
  --hsched-metadata[=<file>]      write the metadata beside the output, or to the file
  --hsched-host=<command>         the host compiler, in place of HSCHED_CXX
  --hsched-launcher[=<compiler>]  as first word: a compiler's own command line follows; for build systems' launchers
  --hsched-help                   print this
  --version                       print the versions of hsched-cc and of the host compiler
  -W[no-]hsched[-<name>]          switch warnings about directives, or one of them, on or off
  -Werror=hsched[-<name>]         make such warnings errors
  --hsched-help=warnings          list them
)";

void printCommand(const StringList &Command) {
  std::string Text;
  for (const std::string &Word : Command)
    Text += ' ' + quoteWord(Word);
  std::fprintf(stderr, "%s\n", Text.c_str());
}

/// Reads standard input to its end once, for both the front end and the host compiler.
bool copyStandardInput(Session &S, Unit &U) {
  std::string Text;
  U.Path = S.Temporaries.path(isC(U.Input->InputLanguage) ? "stdin.c" : "stdin.cpp");
  if (U.Path.empty() || !readDescriptor(STDIN_FILENO, Text) || !writeFile(U.Path, Text)) {
    reportError(std::string("cannot copy standard input: ") + std::strerror(errno));
    return false;
  }
  int Copy = open(U.Path.c_str(), O_RDONLY | O_CLOEXEC);
  return Copy >= 0 && dup2(Copy, STDIN_FILENO) >= 0;
}

class Run {
public:
  explicit Run(Session &S) : S(S) {}

  int operator()() {
    for (const Argument &A : S.Line.Arguments)
      if (A.Kind == ArgumentKind::Input && A.InputLanguage != Language::Other && !prepare(A))
        return 1;
    if (S.Line.Emit != EmitKind::None)
      return emitAll();
    for (Unit &U : Units)
      take(U.Failed ? 1 : writeExtras(S, U));
    bool AnyAnnotated = std::any_of(Units.begin(), Units.end(), [](const Unit &U) { return U.Annotated; });
    const bool Checks = S.Line.Check && S.Line.Last == Stage::Link && !Units.empty();
    if (!AnyAnnotated && Code == 0 && !Checks)
      return hostAlone();
    return S.Line.Last == Stage::Link ? link() : compileEach();
  }

private:
  bool prepare(const Argument &A) {
    Unit U;
    U.Input = &A;
    U.Path = U.Name = A.Value;
    U.Folder = parentOf(A.Value);
    if (A.Value == "-") {
      U.Name = "<stdin>";
      if (!copyStandardInput(S, U))
        return false;
    }
    analyze(S, U);
    Units.push_back(std::move(U));
    return true;
  }

  void take(int One) { Code = Code != 0 ? Code : One; }

  int emitAll() {
    if (Units.empty())
      reportError("no C or C++ input to emit anything for");
    for (const Unit &U : Units)
      take(U.Failed ? 1 : emit(S, U));
    return Units.empty() ? 1 : Code;
  }

  int hostAlone() {
    StringList Command = forwardCommand(S.Host, S.Home, S.Line, {}, nullptr);
    size_t Bytes = 0;
    for (const std::string &Word : Command)
      Bytes += Word.size() + 1;
    if (Bytes > CommandLimit)
      return S.run(std::move(Command));
    if (S.Line.Verbose || S.Line.DryRun)
      printCommand(Command);
    S.Temporaries.removeAll();
    return execProgram(Command);
  }

  const Unit *unitOf(const Argument &A) const {
    auto Found = std::find_if(Units.begin(), Units.end(), [&](const Unit &U) { return U.Input == &A; });
    return Found == Units.end() ? nullptr : &*Found;
  }

  /// Each input separately, in the order of the command line.
  int compileEach() {
    for (const Argument &A : S.Line.Arguments) {
      if (A.Kind != ArgumentKind::Input)
        continue;
      const Unit *U = unitOf(A);
      if (U && U->Failed)
        continue;
      take(U && U->Annotated ? compile(S, *U, "") : S.run(forwardCommand(S.Host, S.Home, S.Line, {}, &A)));
    }
    return Code;
  }

  int link() {
    std::map<const Argument *, std::string> Objects;
    for (const Unit &U : Units) {
      // A checked program's other sources are compiled separately as well: the flags are not for the linker.
      if (!U.Annotated && !(S.Line.Check && U.Input->ForcedLanguage.empty()))
        continue;
      std::string Object = S.Temporaries.path(withoutSuffix(nameOf(U.Path)) + ".o");
      if (Object.empty() || (S.Line.DryRun && !writeFile(Object, ""))) {
        reportError(std::string("cannot make a temporary file: ") + std::strerror(errno));
        return 1;
      }
      take(compile(S, U, Object));
      Objects[U.Input] = Object;
    }
    return Code != 0 ? Code : S.run(forwardCommand(S.Host, S.Home, S.Line, Objects, nullptr));
  }

  Session &S;
  std::vector<Unit> Units;
  int Code = 0; ///< Exit code of the first that failed.
};

void printWarnings() {
  size_t Width = 0;
  for (const WarningInfo &I : allWarnings())
    Width = std::max(Width, I.Name.size());
  for (const WarningInfo &I : allWarnings()) {
    std::string Name(I.Name), Help(I.Help);
    std::printf("  -Whsched-%-*s  %s%s\n", static_cast<int>(Width), Name.c_str(), Help.c_str(),
                I.OnByDefault ? "" : " (with -Wall)");
  }
}

int printVersion(const HostCompiler &Host, bool ForC) {
  std::printf("%s %s (ABI %u.%u)\n", ForC ? "hsched-c" : "hsched-cc", VersionString, AbiMajor, AbiMinor);
  std::fflush(stdout);
  StringList Question = Host.Words;
  Question.push_back("--version");
  return execProgram(Question);
}

int fail(const std::string &Reason) {
  reportError(Reason);
  return 1;
}

/// Whether Host, a launcher's compiler, is a C compiler by its name: gcc-12, x86_64-linux-gnu-gcc, cc, mpicc, clang.
bool compilesC(const std::string &Host) {
  const std::string Name = nameOf(splitQuoted(Host)[0]);
  const bool Named =
      Name == "cc" || Name == "mpicc" || Name.find("gcc") != Name.npos || Name.find("clang") != Name.npos;
  return Named && Name.find("++") == Name.npos;
}

/// A launcher that comes first gets hsched-cc as its compiler. ccache's cached results must not outlive a change of the
/// real compiler.
int runBehind(const Launch &L, const std::string &Self, bool ForC) {
  const char *Known = std::getenv("CCACHE_EXTRAFILES");
  std::string Host = programFile(splitQuoted(L.Arguments[0].substr(L.Arguments[0].find('=') + 1))[0]);
  if (!Host.empty())
    setenv("CCACHE_EXTRAFILES", ((Known && *Known ? Known + std::string(":") : "") + Host).c_str(), 1);
  StringList Command = L.Launchers;
  // The call that the launcher makes is not a launcher call itself: the program's name gives the language.
  const bool C = ForC || compilesC(L.Arguments[0].substr(L.Arguments[0].find('=') + 1));
  Command.push_back(C ? Self.substr(0, Self.rfind('/') + 1) + "hsched-c" : Self);
  Command.insert(Command.end(), L.Arguments.begin(), L.Arguments.end());
  return execProgram(Command);
}

} // namespace

int Session::run(StringList Command) {
  if (Line.Verbose || Line.DryRun)
    printCommand(Command);
  std::string Text;
  for (size_t I = Host.Words.size(); I < Command.size(); ++I)
    Text += quoteWord(Command[I]) + "\n";
  if (Text.size() > CommandLimit) {
    std::string File = Temporaries.path("arguments");
    if (File.empty() || !writeFile(File, Text))
      return fail(std::string("cannot write a response file: ") + std::strerror(errno));
    Command.resize(Host.Words.size());
    Command.push_back("@" + File);
  }
  return runProgram(Command);
}

int runDriver(StringList Words, bool ForC) {
  std::string Error;
  if (isLauncherCall(Words)) {
    Launch L = parseLauncher(Words, Error);
    if (!Error.empty())
      return fail(Error);
    if (!L.Launchers.empty())
      return runBehind(L, Installation::ofThisProgram().Executable, ForC);
    Words = std::move(L.Arguments);
    ForC = ForC || compilesC(Words[0].substr(Words[0].find('=') + 1));
  }
  if (!expandResponseFiles(Words, Error))
    return fail(Error);
  Session S;
  S.Line = parseCommandLine(Words, ForC);
  if (!S.Line.Error.empty())
    return fail(S.Line.Error);
  for (const std::string &Text : S.Line.Remarks)
    reportWarning(Text);
  if (S.Line.HelpWarnings) {
    printWarnings();
    return 0;
  }
  if (S.Line.Help) {
    std::fputs(HelpText, stdout);
    return 0;
  }
  S.Home = Installation::ofThisProgram();
  S.Host = HostCompiler::choose(S.Line.Host, ForC, S.Home.Executable, Error);
  if (!Error.empty())
    return fail(Error);
  if (S.Line.Version)
    return printVersion(S.Host, ForC);
  bool HostAnswers = S.Line.QueriesHost || S.Line.HasLinkerInput || S.Line.Verbose || S.Line.DryRun;
  if (S.Line.QueriesHost || (!S.Line.hasInput() && HostAnswers)) {
    StringList Command = S.Host.Words;
    if (std::find(Words.begin(), Words.end(), "--help") != Words.end()) {
      std::printf("%s\nThe host compiler's options:\n\n", HelpText);
      std::fflush(stdout);
    }
    for (const Argument &A : S.Line.Arguments)
      if (A.Kind != ArgumentKind::Own)
        Command.insert(Command.end(), A.Words.begin(), A.Words.end());
    return execProgram(Command);
  }
  if (!S.Line.hasInput())
    return fail("no input files");
  return Run(S)();
}

} // namespace hsched::cc
