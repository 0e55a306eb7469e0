// The driver's own messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Diagnostics.h"

#include <cstdio>

namespace hsched::cc {

void reportError(const std::string &Text) { std::fprintf(stderr, "hsched-cc: error: %s\n", Text.c_str()); }

void reportWarning(const std::string &Text) { std::fprintf(stderr, "hsched-cc: warning: %s\n", Text.c_str()); }

void reportNote(const std::string &Text) { std::fprintf(stderr, "hsched-cc: note: %s\n", Text.c_str()); }

} // namespace hsched::cc
