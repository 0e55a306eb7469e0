// Preprocessed text made from a generated file, as if it had been made from the user's. Text in, text out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_PREPROCESSEDTEXT_H
#define HSCHED_CC_DRIVER_PREPROCESSEDTEXT_H

#include "driver/CommandLine.h"

namespace hsched::cc {

struct LineMarkers {
  std::string GeneratedFile, UserFile;
  bool DotRemoved = false; ///< Removes "./" at the beginning of names.
  bool None = false;       ///< The text has no line markers.
  /// Files that the text depends on without a line marker. A compiler cache reads dependencies from markers, so each
  /// file gets one at the end.
  StringList More;
};

std::string rewriteLineMarkers(const std::string &Text, const LineMarkers &Markers);

} // namespace hsched::cc

#endif
