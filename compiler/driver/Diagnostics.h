// The driver's own messages: one line each, on standard error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_DIAGNOSTICS_H
#define HSCHED_CC_DRIVER_DIAGNOSTICS_H

#include <string>

namespace hsched::cc {

void reportError(const std::string &Text);
void reportWarning(const std::string &Text);
void reportNote(const std::string &Text);

} // namespace hsched::cc

#endif
