// hsched-kinfo's command line as a value. Pure: no file is looked at.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_KINFO_OPTIONS_H
#define HSCHED_CC_KINFO_OPTIONS_H

#include <string>
#include <vector>

namespace hsched::cc {

struct KinfoOptions {
  enum Form { Text, Json, Spec };

  std::vector<std::string> Files;   // "-": standard input.
  std::vector<std::string> Build;   // Options for the kernels' build, as given.
  std::vector<std::string> Kernels; // Of --kernel; empty: all.
  Form Output = Text;
  std::string Standard; // Of -cl-std=; empty: not given.
  bool Help = false, Version = false;
  std::string Error; // Not empty: the command line is wrong, and this says why.
};

// Words are those after the program's name, response files expanded.
KinfoOptions parseKinfoOptions(const std::vector<std::string> &Words);

extern const char *const KinfoHelp;

} // namespace hsched::cc
#endif
