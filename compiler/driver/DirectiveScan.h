// A quick test for directives, so that plain files do not pay for the front end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_DIRECTIVESCAN_H
#define HSCHED_CC_DRIVER_DIRECTIVESCAN_H

#include "driver/CommandLine.h"

namespace hsched::cc {

/// False only if neither the input at Path nor anything it includes from the user's folders (-I, -iquote, -isystem,
/// -idirafter, CPATH, CPLUS_INCLUDE_PATH) names hsched. Conditions are not evaluated and comments are not skipped, so
/// the result may be a false positive. Built-in include folders are assumed to hold no directives. Folder: base of the
/// input's quoted includes.
bool mayHaveDirectives(const std::string &Path, const std::string &Folder, const Argument &Input,
                       const CommandLine &Line);

} // namespace hsched::cc

#endif
