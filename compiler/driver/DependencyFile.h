// Dependency files: rules for make, as GCC writes them. Text in, text out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_DEPENDENCYFILE_H
#define HSCHED_CC_DRIVER_DEPENDENCYFILE_H

#include "driver/CommandLine.h"

namespace hsched::cc {

struct DependencyRewrite {
  std::string GeneratedFile; ///< Name in the compiler's rules.
  std::string UserFile;      ///< Name that replaces it.
  bool DotRemoved = false;   ///< Removes "./" at the beginning of names.
  StringList More;           ///< Further prerequisites: headers written into the generated file, kernel files.
  bool Phony = false;        ///< Adds an empty rule for each of them but UserFile.
};

/// Returns the first rule with unchanged targets and rewritten prerequisites without duplicates.
std::string rewriteDependencies(const std::string &Rules, const DependencyRewrite &Rewrite);

/// Quotes a file name in a rule as GCC does.
std::string quoteForMake(const std::string &Path);

} // namespace hsched::cc

#endif
