// Preprocessed text made from a generated file, as if it had been made from the user's. Text in, text out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_PREPROCESSEDTEXT_H
#define HSCHED_CC_DRIVER_PREPROCESSEDTEXT_H

#include "driver/CommandLine.h"

namespace hsched::cc {

struct LineMarkers {
  std::string GeneratedFile, UserFile;
  bool DotRemoved = false; ///< "./" at the beginning of a name goes.
  bool None = false;       ///< The text has no line markers.
  /// Files that the text depends on and that no marker names: a compiler cache learns of them from markers, so each
  /// gets one, at the end, where no line follows it.
  StringList More;
};

std::string rewriteLineMarkers(const std::string &Text, const LineMarkers &Markers);

} // namespace hsched::cc

#endif
