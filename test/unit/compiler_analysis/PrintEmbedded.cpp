// Prints what would be embedded of a kernel file, for tests that must not have this LLVM beside that of a device's
// OpenCL library: usage: PrintEmbedded FILE [OPTIONS].
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/kernel/File.h"

#include <iostream>

int main(int Argc, char **Argv) {
  using namespace hsched::cc;
  std::vector<KernelDiagnostic> Diags;
  KernelFile File;
  const bool Ok = Argc > 1 && loadKernelFile(Argv[1], Argc > 2 ? Argv[2] : "", {}, Diags, File);
  for (const KernelDiagnostic &D : Diags)
    std::cerr << D << '\n';
  std::cout << File.Embedded;
  return Ok ? 0 : 1;
}
