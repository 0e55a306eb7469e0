// The compiler that makes objects and links them, and the folders of hsched's own files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/HostCompiler.h"

#include "driver/Files.h"
#include "driver/Process.h"
#include "driver/ResponseFile.h"
#include "driver/Version.h"

#include <climits>
#include <cstdlib>
#include <unistd.h>

namespace hsched::cc {
namespace {

std::string resolved(const std::string &Path) {
  char Buffer[PATH_MAX];
  return realpath(Path.c_str(), Buffer) ? Buffer : std::string();
}

bool isSystemFolder(const std::string &Folder, const char *Kind) {
  return Folder == std::string("/usr/") + Kind || Folder == std::string("/usr/local/") + Kind;
}

} // namespace

std::string programFile(const std::string &Name) {
  if (Name.find('/') != std::string::npos)
    return access(Name.c_str(), X_OK) == 0 ? resolved(Name) : std::string();
  const char *Path = std::getenv("PATH");
  std::string Folders = Path ? Path : "/usr/local/bin:/usr/bin:/bin";
  for (size_t Begin = 0; Begin <= Folders.size();) {
    size_t End = std::min(Folders.find(':', Begin), Folders.size());
    std::string Folder = End == Begin ? "." : Folders.substr(Begin, End - Begin);
    std::string File = Folder + "/" + Name;
    if (isRegularFile(File) && access(File.c_str(), X_OK) == 0)
      return resolved(File);
    Begin = End + 1;
  }
  return "";
}

HostCompiler HostCompiler::choose(const std::string &Setting, bool ForC, const std::string &Self, std::string &Error) {
  HostCompiler Host;
  const char *Variable = ForC ? std::getenv("HSCHED_CC") : std::getenv("HSCHED_CXX");
  const std::string Chooser = !Setting.empty() ? "--hsched-host" : ForC ? "HSCHED_CC" : "HSCHED_CXX";
  Host.Words = splitQuoted(!Setting.empty() ? Setting : Variable ? Variable : "");
  if (Host.Words.empty())
    Host.Words = {ForC ? "gcc" : "g++"};
  for (const std::string &Word : Host.Words) {
    if (!Word.empty() && Word[0] == '-')
      break;
    std::string File = programFile(Word);
    if (File.empty()) {
      Error = "host compiler '" + Word + "' not found; " + Chooser + " chooses it";
      return Host;
    }
    if (File == Self) {
      Error = Chooser + " names hsched-cc itself";
      return Host;
    }
    Host.IsClang = nameOf(Word).find("clang") != std::string::npos || nameOf(File).find("clang") != std::string::npos;
  }
  return Host;
}

std::string HostCompiler::gccInstallDir() const {
  if (IsClang)
    return "";
  StringList Question = Words;
  Question.push_back("-print-libgcc-file-name");
  std::string Answer;
  if (runCaptured(Question, Answer) != 0)
    return "";
  while (!Answer.empty() && Answer.back() == '\n')
    Answer.pop_back();
  return Answer.empty() || Answer[0] != '/' ? std::string() : parentOf(Answer);
}

Installation Installation::ofThisProgram() {
  Installation Result;
  Result.Executable = resolved("/proc/self/exe");
  std::string Prefix = parentOf(parentOf(Result.Executable));
  auto Under = [&](const char *Folder) { return Folder[0] == '/' ? Folder : Prefix + "/" + Folder; };
  Result.IncludeDir = Under(InstalledIncludeDir);
  Result.LibraryDir = Under(InstalledLibraryDir);
  return Result;
}

StringList Installation::includeFlags() const {
  // As -isystem, a folder that is already searched would move forward and break the library's own #include_next.
  if (isSystemFolder(IncludeDir, "include"))
    return {};
  return {"-isystem", IncludeDir};
}

StringList Installation::linkFlags(const CommandLine &Line, bool HasAnnotatedInput) const {
  if (Line.NoRuntimeLink)
    return {};
  const char *Library = Line.StaticLink ? "/libhsched.a" : "/libhsched.so";
  if (!HasAnnotatedInput && !isRegularFile(LibraryDir + Library))
    return {};
  StringList Flags = {"-L" + LibraryDir, "-Wl,--push-state,--as-needed", "-lhsched", "-Wl,--pop-state"};
  if (Line.Check) // Before the C library, because it replaces some of its functions.
    Flags.insert(Flags.begin() + 1, {"-Wl,--push-state,--no-as-needed", "-lhsched_check", "-Wl,--pop-state"});
  if (!isSystemFolder(LibraryDir, InstalledLibraryDir) && !Line.StaticLink)
    Flags.insert(Flags.begin() + 1, "-Wl,-rpath," + LibraryDir);
  if (Line.ForC && Line.StaticLink) // The runtime's language, C++.
    Flags.insert(Flags.end(), {"-lstdc++", "-lm"});
  return Flags;
}

} // namespace hsched::cc
