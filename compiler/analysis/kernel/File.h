// Reads an OpenCL kernel file: its kernels, and the source to embed in the object.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_ANALYSIS_KERNELFILE_H
#define HSCHED_COMPILER_ANALYSIS_KERNELFILE_H

#include "model/Kernel.h"

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <string>
#include <vector>

namespace hsched::cc {

// Parses the OpenCL C file at Path with Clang.
//
// Options are the build options of the kernel clause; of them -D, -U, -I, -w, -Werror and the standard's -cl-... are
// honoured here. The rest is left to the device's compiler. The language is OpenCL C 1.2 unless -cl-std says otherwise.
// Every extension that Clang knows is on, because which of them exist is only known on the device. IncludeDirs are
// searched after the file's own folder and after -I of Options.
//
// Appends to Diags, prints nothing. False after an error; Out then holds partial results without Embedded. FS: the file
// system, null for the real one. Not reentrant for one FS; otherwise stateless.
bool loadKernelFile(const std::string &Path, const std::string &Options, const std::vector<std::string> &IncludeDirs,
                    std::vector<KernelDiagnostic> &Diags, KernelFile &Out,
                    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS = nullptr);

// As above, for a description: fills everything in model/Kernel.h, but makes no text to embed.
bool describeKernelFile(const std::string &Path, const std::string &Options,
                        const std::vector<std::string> &IncludeDirs, std::vector<KernelDiagnostic> &Diags,
                        KernelFile &Out, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS = nullptr);

// As above, but Out.Embedded is the file itself with its kernels turned into minikernels, as Internal.h says. Empty if
// no kernel can be one.
bool shortenKernelFile(const std::string &Path, const std::string &Options, std::vector<KernelDiagnostic> &Diags,
                       KernelFile &Out, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS = nullptr);

} // namespace hsched::cc
#endif
