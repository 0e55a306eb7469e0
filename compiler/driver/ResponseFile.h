// @file: arguments kept in a file, quoted as GCC quotes them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_RESPONSEFILE_H
#define HSCHED_CC_DRIVER_RESPONSEFILE_H

#include "driver/CommandLine.h"

namespace hsched::cc {

/// Splits at white space; quotes of both kinds group, a backslash quotes the next character.
StringList splitQuoted(const std::string &Text);

/// The inverse of splitQuoted for one word.
std::string quoteWord(const std::string &Word);

/// Replaces each readable @file by its words, recursively. A file that cannot be read leaves the word as it is, as with
/// GCC. False, with a reason in Error, for cyclic files.
bool expandResponseFiles(StringList &Words, std::string &Error);

} // namespace hsched::cc

#endif
