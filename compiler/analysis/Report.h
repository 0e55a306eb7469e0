// Diagnostics with few words.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REPORT_H
#define HSCHED_ANALYSIS_REPORT_H

#include "clang/Basic/Diagnostic.h"

namespace hsched::cc {

// Reports at Loc; %0, %1, ... in Format stand for Values. Ranges underline.
template <unsigned N, class... Args>
void report(clang::DiagnosticsEngine &Diags, clang::DiagnosticsEngine::Level Level, clang::SourceLocation Loc,
            const char (&Format)[N], const Args &...Values) {
  clang::DiagnosticBuilder Builder = Diags.Report(Loc, Diags.getCustomDiagID(Level, Format));
  ((Builder << Values), ...);
}
template <unsigned N, class... Args>
void error(clang::DiagnosticsEngine &Diags, clang::SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
  report(Diags, clang::DiagnosticsEngine::Error, Loc, Format, Values...);
}
template <unsigned N, class... Args>
void warning(clang::DiagnosticsEngine &Diags, clang::SourceLocation Loc, const char (&Format)[N],
             const Args &...Values) {
  report(Diags, clang::DiagnosticsEngine::Warning, Loc, Format, Values...);
}
template <unsigned N, class... Args>
void note(clang::DiagnosticsEngine &Diags, clang::SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
  report(Diags, clang::DiagnosticsEngine::Note, Loc, Format, Values...);
}

} // namespace hsched::cc
#endif
