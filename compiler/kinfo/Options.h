// hsched-kinfo's parsed command line. Pure: reads no file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_KINFO_OPTIONS_H
#define HSCHED_CC_KINFO_OPTIONS_H

#include <string>
#include <vector>

namespace hsched::cc {

struct KinfoOptions {
  enum Form { Text, Json, Spec, Mini };

  std::vector<std::string> Files;   // "-": standard input.
  std::vector<std::string> Build;   // Options for the kernels' build, as given.
  std::vector<std::string> Kernels; // From --kernel; empty: all.
  Form Output = Text;
  std::string Standard; // From -cl-std=; empty: absent.
  bool Help = false, Version = false;
  std::string Error; // Not empty: the error in the command line.
};

// Words are those after the program's name, response files expanded.
KinfoOptions parseKinfoOptions(const std::vector<std::string> &Words);

extern const char *const KinfoHelp;

} // namespace hsched::cc
#endif
