// Fuzz target: OpenCL C, from the text to what is known of its kernels and to what is embedded.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input is a kernel file; a first line of one digit chooses the language's version. No other file can be included
// but Clang's own header of OpenCL: an input that opens a device would wait for it. Clang's parser does not return from
// some misspelt names. That error is Clang's, so the target detects such inputs and skips them.
#include "Targets.h"

#include "analysis/kernel/Extents.h"
#include "analysis/kernel/File.h"
#include "emit/KernelReport.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hsched::cc;

namespace {

const char *const Standards[] = {"CL1.2", "CL2.0", "CL3.0", "CL1.0", "CLC++2021"};

std::string headerText() {
  auto Text = llvm::MemoryBuffer::getFile(HSCHED_CLANG_RESOURCE_DIR "/include/opencl-c-base.h");
  if (!Text)
    std::abort();
  return (*Text)->getBuffer().str();
}

llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files(const std::string &Kernel) {
  static const std::string Header = headerText();
  auto FS = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  FS->setCurrentWorkingDirectory("/fuzz");
  FS->addFile(HSCHED_CLANG_RESOURCE_DIR "/include/opencl-c-base.h", 0, llvm::MemoryBuffer::getMemBuffer(Header));
  FS->addFile("/fuzz/kernel.cl", 0, llvm::MemoryBuffer::getMemBufferCopy(Kernel));
  return FS;
}

// Clang's parser and nothing else.
void parse(const std::string &Kernel, const std::string &Options) {
  const char *const Words[] = {"-triple",
                               "spir64-unknown-unknown",
                               "-fsyntax-only",
                               "-internal-isystem",
                               HSCHED_CLANG_RESOURCE_DIR "/include",
                               "-finclude-default-header",
                               "-fdeclare-opencl-builtins",
                               "-fgnu-keywords",
                               "-ferror-limit",
                               "20",
                               Options.c_str(),
                               "-x",
                               "cl",
                               "/fuzz/kernel.cl"};
  clang::CompilerInstance CI;
  clang::IgnoringDiagConsumer Ignoring;
  CI.createDiagnostics(&Ignoring, /*ShouldOwnClient=*/false);
  auto Invocation = std::make_shared<clang::CompilerInvocation>();
  clang::CompilerInvocation::CreateFromArgs(*Invocation, Words, CI.getDiagnostics());
  CI.setInvocation(std::move(Invocation));
  CI.createFileManager(files(Kernel));
  clang::SyntaxOnlyAction Parse;
  CI.ExecuteAction(Parse);
}

// The same in a process of its own, with a few seconds of time, and so a little memory.
bool returnsSoon(const std::string &Kernel, const std::string &Options) {
  const pid_t Child = fork();
  if (Child < 0)
    std::abort();
  if (Child == 0) {
    for (int Signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGXCPU})
      signal(Signal, SIG_DFL); // libFuzzer's handlers are for errors in hsched.
    const rlimit Seconds = {5, 5}, NoCore = {0, 0};
    setrlimit(RLIMIT_CPU, &Seconds);
    setrlimit(RLIMIT_CORE, &NoCore);
    parse(Kernel, Options);
    _exit(0);
  }
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0)
    if (errno != EINTR)
      std::abort();
  return WIFEXITED(Status) && WEXITSTATUS(Status) == 0;
}

// Whether Clang by itself comes to an end with it, with errors or without.
bool clangReturns(const std::string &Kernel, const std::string &Options) {
  // A kernel that takes a type in itself keeps it busy for ever. A process for each input would take long, though.
  if (Kernel.find("struct") != std::string::npos || Kernel.find("union") != std::string::npos)
    return returnsSoon(Kernel, Options);
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext Guard;
  const bool Returned = Guard.RunSafely([&] { parse(Kernel, Options); });
  // Every other crash is an error in hsched, which libFuzzer reports.
  llvm::CrashRecoveryContext::Disable();
  return Returned;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data, std::size_t Size) {
  std::string Text(reinterpret_cast<const char *>(Data), Size), Options = "-cl-std=CL1.2";
  if (Text.size() > 1 && Text[0] >= '0' && Text[0] <= '4' && Text[1] == '\n') {
    Options = std::string("-cl-std=") + Standards[Text[0] - '0'];
    Text.erase(0, 2);
  }
  if (!clangReturns(Text, Options))
    return 0;
  std::vector<KernelDiagnostic> Said;
  KernelFile Found;
  if (!describeKernelFile("/fuzz/kernel.cl", Options, {}, Said, Found, files(Text)))
    return 0;
  for (KernelInfo &K : Found.Kernels)
    findExtents(K);
  if (kernelText({Found}).empty() || kernelJson({Found}).empty() || kernelSpec({Found}, false, {}).empty())
    std::abort();
  // What is embedded must compile: it is what the device's compiler gets.
  KernelFile Embedded, Again;
  Said.clear();
  if (!loadKernelFile("/fuzz/kernel.cl", Options, {}, Said, Embedded, files(Text)))
    return 0;
  Said.clear();
  if (!loadKernelFile("/fuzz/kernel.cl", Options, {}, Said, Again, files(Embedded.Embedded))) {
    for (const KernelDiagnostic &D : Said)
      std::fprintf(stderr, "embedded: %u:%u: %s\n", D.Line, D.Column, D.Message.c_str());
    std::abort();
  }
  return 0;
}
