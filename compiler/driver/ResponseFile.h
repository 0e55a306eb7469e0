// @file: arguments kept in a file, quoted as GCC quotes them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_RESPONSEFILE_H
#define HSCHED_CC_DRIVER_RESPONSEFILE_H

#include "driver/CommandLine.h"

namespace hsched::cc {

/// Splits at white space; quotes of both kinds group, a backslash takes the next character as it is.
StringList splitQuoted(const std::string &Text);

/// The inverse of splitQuoted for one word.
std::string quoteWord(const std::string &Word);

/// Replaces each @file that can be read by the words in it, again and again. A file that cannot be read leaves the word
/// as it is, as with GCC. False with a reason in Error when files name each other without end.
bool expandResponseFiles(StringList &Words, std::string &Error);

} // namespace hsched::cc

#endif
