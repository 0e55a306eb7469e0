// Runs hsched-kinfo from the command line to the exit code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kinfo/Kinfo.h"

#include "analysis/kernel/Extents.h"
#include "analysis/kernel/File.h"
#include "driver/ResponseFile.h"
#include "driver/Version.h"
#include "emit/KernelReport.h"
#include "kinfo/Options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace hsched::cc {
namespace {

constexpr const char *Standards[] = {"CL1.2", "CL2.0", "CL3.0"};

int fail(int Code, const llvm::Twine &Why) {
  llvm::errs() << "hsched-kinfo: error: " << Why << '\n';
  return Code;
}

void note(const llvm::Twine &What) { llvm::errs() << "hsched-kinfo: note: " << What << '\n'; }

class Run {
public:
  explicit Run(const KinfoOptions &Options) : Options(Options) {
    // Quoted like the words of a response file, because the options are parsed like one.
    for (const std::string &Word : Options.Build)
      Build += (Build.empty() ? "" : " ") + quoteWord(Word);
  }

  int operator()() {
    for (const std::string &Name : Options.Files)
      // Clang would take a name with a dash for an option.
      if (Name == "-" ? !standardInput() : !file((Name[0] == '-' ? "./" : "") + Name, nullptr))
        Code = 1;
    if (!Options.Kernels.empty())
      filter();
    if (Code != 0)
      return Code;
    if (Options.Output == KinfoOptions::Mini)
      return minis();
    const bool Single = Options.Kernels.size() == 1;
    llvm::outs() << (Options.Output == KinfoOptions::Json   ? kernelJson(Files)
                     : Options.Output == KinfoOptions::Spec ? kernelSpec(Files, Single, macros())
                                                            : kernelText(Files));
    llvm::outs().flush();
    return llvm::outs().has_error() ? 1 : 0;
  }

private:
  bool standardInput() {
    auto Text = llvm::MemoryBuffer::getSTDIN();
    if (!Text)
      return fail(0, "cannot read standard input: " + Text.getError().message());
    auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    auto Both = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
    if (auto Here = Both->getCurrentWorkingDirectory())
      Memory->setCurrentWorkingDirectory(*Here);
    Memory->addFile("<stdin>", 0, std::move(*Text));
    Both->pushOverlay(Memory);
    return file("<stdin>", Both);
  }

  // Without -cl-std: the oldest standard that accepts the file; if none does, the messages of the standard with the
  // fewest errors.
  bool file(const std::string &Path, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS) {
    std::vector<KernelDiagnostic> Said;
    KernelFile Found;
    if (!Options.Standard.empty()) {
      const bool Good = read(Path, Build, Said, Found, FS);
      return finish(Good, Said, Found);
    }
    std::size_t Fewest = 0;
    for (const char *Standard : Standards) {
      std::vector<KernelDiagnostic> Now;
      KernelFile Trial;
      const bool Good = read(Path, Build + " -cl-std=" + Standard, Now, Trial, FS);
      const std::size_t Errors =
          llvm::count_if(Now, [](const KernelDiagnostic &D) { return D.Level == KernelDiagnostic::Error; });
      if (Good || Standard == Standards[0] || Errors < Fewest) {
        Said = std::move(Now);
        Found = std::move(Trial);
        Fewest = Errors;
      }
      if (Good) {
        if (Standard != Standards[0])
          note("'" + Path + "' needs -cl-std=" + Standard);
        return finish(true, Said, Found);
      }
    }
    return finish(false, Said, Found);
  }

  bool read(const std::string &Path, const std::string &All, std::vector<KernelDiagnostic> &Said, KernelFile &Found,
            llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS) const {
    if (Options.Output == KinfoOptions::Mini)
      return shortenKernelFile(Path, All, Said, Found, std::move(FS));
    return describeKernelFile(Path, All, {}, Said, Found, std::move(FS));
  }

  bool finish(bool Good, const std::vector<KernelDiagnostic> &Said, KernelFile &Found) {
    for (const KernelDiagnostic &D : Said)
      print(D);
    if (!Good)
      return false;
    if (Options.Output != KinfoOptions::Mini)
      for (KernelInfo &K : Found.Kernels)
        findExtents(K), findNumbers(K);
    Files.push_back(std::move(Found));
    return true;
  }

  // The files' texts. Extents are not needed.
  int minis() const {
    for (const KernelFile &F : Files)
      llvm::outs() << F.Embedded;
    llvm::outs().flush();
    return llvm::outs().has_error() ? 1 : 0;
  }

  static void print(const KernelDiagnostic &D) {
    static const char *const Levels[] = {"note", "warning", "error"};
    llvm::errs() << (D.File.empty() ? "hsched-kinfo" : D.File) << ':';
    if (D.Line)
      llvm::errs() << D.Line << ':' << D.Column << ':';
    llvm::errs() << ' ' << Levels[D.Level] << ": " << D.Message << '\n';
  }

  void filter() {
    for (const std::string &Name : Options.Kernels)
      if (Code == 0 && llvm::none_of(Files, [&](const KernelFile &F) { return F.find(Name); }))
        Code = fail(1, "there is no kernel '" + Name + "'" + (known().empty() ? "" : "; there are " + known()));
    for (KernelFile &F : Files)
      llvm::erase_if(F.Kernels, [&](const KernelInfo &K) { return !llvm::is_contained(Options.Kernels, K.Name); });
  }

  // Values of -D options, 1 if no value is given. The last one of a name counts, and -U removes it.
  SpecMacros macros() const {
    SpecMacros Out;
    for (const std::string &Word : Options.Build) {
      if (Word.size() < 3 || Word[0] != '-' || (Word[1] != 'D' && Word[1] != 'U'))
        continue;
      const std::size_t Equals = Word.find('=');
      const std::string Name = Word.substr(2, Equals == std::string::npos ? Equals : Equals - 2);
      llvm::erase_if(Out, [&](const auto &M) { return M.first == Name; });
      if (Word[1] == 'D')
        Out.emplace_back(Name, Equals == std::string::npos ? "1" : Word.substr(Equals + 1));
    }
    return Out;
  }

  std::string known() const {
    std::string Names;
    for (const KernelFile &F : Files)
      for (const KernelInfo &K : F.Kernels)
        Names += (Names.empty() ? "'" : ", '") + K.Name + "'";
    return Names;
  }

  const KinfoOptions &Options;
  std::string Build;
  std::vector<KernelFile> Files;
  int Code = 0;
};

} // namespace

int runKinfo(std::vector<std::string> Words) {
  std::string Error;
  if (!expandResponseFiles(Words, Error))
    return fail(2, Error);
  const KinfoOptions Options = parseKinfoOptions(Words);
  if (!Options.Error.empty())
    return fail(2, Options.Error);
  if (Options.Help || Options.Version) {
    llvm::outs() << (Options.Help ? KinfoHelp : std::string("hsched-kinfo ") + VersionString + "\n");
    return 0;
  }
  return Run(Options)();
}

} // namespace hsched::cc
