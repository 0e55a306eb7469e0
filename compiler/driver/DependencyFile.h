// Dependency files: rules for make, as GCC writes them. Text in, text out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_DEPENDENCYFILE_H
#define HSCHED_CC_DRIVER_DEPENDENCYFILE_H

#include "driver/CommandLine.h"

namespace hsched::cc {

struct DependencyRewrite {
  std::string GeneratedFile; ///< Stands in the rules the compiler wrote.
  std::string UserFile;      ///< Takes its place.
  bool DotRemoved = false;   ///< "./" at the beginning of a name goes.
  StringList More;           ///< Further prerequisites: headers written into the generated file, kernel files.
  bool Phony = false;        ///< An empty rule for each of them but UserFile.
};

/// The first rule with targets kept as they stand, prerequisites rewritten without repetition.
std::string rewriteDependencies(const std::string &Rules, const DependencyRewrite &Rewrite);

/// As GCC quotes a file's name in a rule.
std::string quoteForMake(const std::string &Path);

} // namespace hsched::cc

#endif
