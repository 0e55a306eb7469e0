// Clang's arguments for an input that the host compiler will compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ClangArguments.h"

#include <algorithm>
#include <string_view>

namespace hsched::cc {
namespace {

bool startsWith(std::string_view Text, std::string_view Prefix) { return Text.substr(0, Prefix.size()) == Prefix; }

/// Options with a value that both compilers interpret alike.
constexpr std::string_view KeptWithValue[] = {"-I",        "-D",         "-U",           "-isystem",
                                              "-iquote",   "-idirafter", "-imacros",     "-iprefix",
                                              "-isysroot", "--sysroot",  "-iwithprefix", "-iwithprefixbefore"};

constexpr std::string_view KeptFlags[] = {"-nostdinc",
                                          "-nostdinc++",
                                          "-ansi",
                                          "-trigraphs",
                                          "-undef",
                                          "-pthread",
                                          "-m32",
                                          "-m64",
                                          "-mx32",
                                          "-fexceptions",
                                          "-fno-exceptions",
                                          "-frtti",
                                          "-fno-rtti",
                                          "-fchar8_t",
                                          "-fno-char8_t",
                                          "-funsigned-char",
                                          "-fno-signed-char",
                                          "-fsigned-char",
                                          "-fno-unsigned-char",
                                          "-fshort-enums",
                                          "-fshort-wchar",
                                          "-fPIC",
                                          "-fpic",
                                          "-fPIE",
                                          "-fpie",
                                          "-ffast-math",
                                          "-ffinite-math-only",
                                          "-fno-operator-names",
                                          "-fms-extensions",
                                          "-fcoroutines",
                                          "-ffreestanding",
                                          "-faligned-new",
                                          "-fno-aligned-new",
                                          "-fsized-deallocation",
                                          "-fno-sized-deallocation"};

constexpr std::string_view KeptPrefixes[] = {
    "-std=", "--std=", "-stdlib=", "--sysroot=", "-march=", "-mcpu=", "-ftemplate-depth=", "-fconstexpr-depth="};

/// Instruction sets: their macros and builtins enable and disable parts of headers.
constexpr std::string_view IsaPrefixes[] = {"sse",    "ssse3", "avx",    "fma",    "f16c",     "bmi",   "lzcnt",
                                            "popcnt", "aes",   "pclmul", "mmx",    "movbe",    "adx",   "sha",
                                            "gfni",   "vaes",  "rdrnd",  "rdseed", "fsgsbase", "xsave", "vpclmulqdq"};

template <size_t N> bool contains(const std::string_view (&List)[N], std::string_view Word) {
  return std::find(std::begin(List), std::end(List), Word) != std::end(List);
}

template <size_t N> bool beginsWithOne(const std::string_view (&List)[N], std::string_view Word) {
  return std::any_of(std::begin(List), std::end(List),
                     [&](std::string_view Prefix) { return startsWith(Word, Prefix); });
}

bool isInstructionSet(std::string_view Flag) {
  if (!startsWith(Flag, "-m"))
    return false;
  Flag.remove_prefix(startsWith(Flag, "-mno-") ? 5 : 2);
  // GCC's tuning options share the prefix: "avx256-split-unaligned-load" is not an instruction set.
  return beginsWithOne(IsaPrefixes, Flag) && Flag.find("-split-") == std::string_view::npos &&
         Flag.find("-arith-") == std::string_view::npos && Flag != "sse2avx";
}

/// -Wp,-Dname and similar.
bool isPreprocessorWord(std::string_view Word) {
  return Word.size() > 2 && Word[0] == '-' && (Word[1] == 'D' || Word[1] == 'U' || Word[1] == 'I');
}

void addOption(const Argument &A, const ClangSettings &Settings, bool C, StringList &Result) {
  const std::string &Word = A.Words[0];
  if (A.Words.size() == 2 && A.Name == "-Xpreprocessor" && isPreprocessorWord(A.Value)) {
    Result.push_back(A.Value);
  } else if (A.Name == "-Wp") {
    if (isPreprocessorWord(A.Value))
      Result.push_back(A.Value);
  } else if (contains(KeptWithValue, A.Name) || beginsWithOne(KeptPrefixes, Word) || contains(KeptFlags, Word) ||
             isInstructionSet(Word) || startsWith(Word, "-O")) {
    Result.push_back(C ? Word : withCxx11(Word));
    Result.insert(Result.end(), A.Words.begin() + 1, A.Words.end());
  } else if (Settings.HostIsClang && (Word == "-fopenmp" || startsWith(Word, "-fopenmp=") || Word == "-fopenmp-simd")) {
    Result.push_back(Word);
  } else if (Word == "-fopenmp") {
    // Clang's own OpenMP checks stay off: the pragmas are GCC's. Only the macro is defined.
    Result.push_back("-D_OPENMP=201511");
  } else if (startsWith(Word, "-fsanitize=") && !Settings.HostIsClang) {
    if (Word.find("address") != std::string::npos)
      Result.push_back("-D__SANITIZE_ADDRESS__=1");
    if (Word.find("thread") != std::string::npos)
      Result.push_back("-D__SANITIZE_THREAD__=1");
  } else if (Settings.HostIsClang && (A.Name == "-target" || startsWith(Word, "--target=") ||
                                      startsWith(Word, "--gcc-install-dir=") || startsWith(Word, "--gcc-toolchain="))) {
    Result.insert(Result.end(), A.Words.begin(), A.Words.end());
  }
}

} // namespace

StringList clangArguments(const CommandLine &Line, const Argument &Input, const ClangSettings &Settings) {
  StringList Result;
  if (!Settings.GccInstallDir.empty())
    Result.push_back("--gcc-install-dir=" + Settings.GccInstallDir);
  // GCC's own headers, as omp.h, where Clang has none of that name. Before C++23 <stdatomic.h> is empty for g++:
  // Clang's would go on to the one of C. Clang knows few registers of global variables, and C++17 has no 'register'.
  const bool C = isC(Input.InputLanguage);
  if (!Settings.HostIsClang && !Settings.GccInstallDir.empty()) {
    Result.insert(Result.end(), {"-idirafter", Settings.GccInstallDir + "/include"});
    if (!C)
      Result.insert(Result.end(), {"-D__CLANG_STDATOMIC_H", "-Dregister="});
  }
  const std::string Name = C ? "c" : "c++";
  Result.insert(Result.end(), {"-x", !isPreprocessed(Input.InputLanguage) ? Name
                                     : C                                  ? "cpp-output"
                                                                          : Name + "-cpp-output"});
  // The default of GCC 11 and later and of Clang 16 and later; a user's flag comes later and wins.
  Result.push_back(C ? "-std=gnu17" : "-std=gnu++17");
  Result.insert(Result.end(), Settings.Before.begin(), Settings.Before.end());
  std::vector<ForcedInclude> Forced = forcedIncludes(Line);
  auto Next = Forced.begin();
  for (size_t I = 0; I < Line.Arguments.size(); ++I) {
    const Argument &A = Line.Arguments[I];
    if (Next != Forced.end() && Next->First == I) {
      if (A.Name == "-include")
        Result.insert(Result.end(), A.Words.begin(), A.Words.end());
      else if (!Next->Header.empty())
        Result.insert(Result.end(), {"-include", Next->Header});
      I += Next->Count - 1;
      ++Next;
    } else if (A.Kind == ArgumentKind::Plain) {
      addOption(A, Settings, C, Result);
    }
  }
  Result.insert(Result.end(), Settings.After.begin(), Settings.After.end());
  return Result;
}

StringList includeDirs(const CommandLine &Line) {
  StringList Result;
  for (const Argument &A : Line.Arguments)
    if (A.Kind == ArgumentKind::Plain && A.Name == "-I")
      Result.push_back(A.Value);
  return Result;
}

} // namespace hsched::cc
