// Kernel files that live in memory, loaded for tests.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_COMPILER_ANALYSIS_LOADKERNELS_H
#define HSCHED_TEST_COMPILER_ANALYSIS_LOADKERNELS_H

#include "analysis/kernel/File.h"

#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace hsched::cc {

struct Loaded {
  bool Ok = false;
  KernelFile File;
  std::vector<KernelDiagnostic> Diags;

  std::string messages() const {
    std::ostringstream OS;
    for (const KernelDiagnostic &D : Diags)
      OS << D << '\n';
    return OS.str();
  }

  const KernelInfo &kernel(const std::string &Name) const {
    if (const KernelInfo *K = File.find(Name))
      return *K;
    static const KernelInfo None;
    ADD_FAILURE() << "no kernel " << Name << '\n' << messages() << File.Embedded;
    return None;
  }
};

// Loads /k/main.cl of Files, whose keys are relative to /k. Clang's own headers come from the real file system.
inline Loaded loadFiles(const std::map<std::string, std::string> &Files, const std::string &Options = "",
                        const std::vector<std::string> &IncludeDirs = {}) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> Memory(new llvm::vfs::InMemoryFileSystem);
  for (const auto &[Name, Text] : Files)
    Memory->addFile("/k/" + Name, 0, llvm::MemoryBuffer::getMemBufferCopy(Text));
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> All(
      new llvm::vfs::OverlayFileSystem(llvm::vfs::getRealFileSystem()));
  All->pushOverlay(Memory);
  Loaded Out;
  Out.Ok = loadKernelFile("/k/main.cl", Options, IncludeDirs, Out.Diags, Out.File, All);
  return Out;
}

inline Loaded loadText(const std::string &Text, const std::string &Options = "") {
  return loadFiles({{"main.cl", Text}}, Options);
}

// The same, for text that must be accepted without a word.
inline Loaded loadClean(const std::map<std::string, std::string> &Files, const std::string &Options = "") {
  Loaded Out = loadFiles(Files, Options);
  EXPECT_TRUE(Out.Ok);
  EXPECT_EQ(Out.messages(), "");
  return Out;
}

} // namespace hsched::cc
#endif
