// A quick answer to "can there be a directive at all?", so that plain files do not pay for the front end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_DIRECTIVESCAN_H
#define HSCHED_CC_DRIVER_DIRECTIVESCAN_H

#include "driver/CommandLine.h"

namespace hsched::cc {

/// True unless it is certain that neither the input at Path nor anything it includes from the user's folders (-I,
/// -iquote, -isystem, -idirafter, CPATH, CPLUS_INCLUDE_PATH) names hsched. Conditions are not evaluated and comments
/// not skipped, so the answer errs to true; the compilers' built-in folders are taken to hold no directives. Folder is
/// where the input's quoted includes begin.
bool mayHaveDirectives(const std::string &Path, const std::string &Folder, const Argument &Input,
                       const CommandLine &Line);

} // namespace hsched::cc

#endif
