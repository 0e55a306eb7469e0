// Short forms for reporting diagnostics.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REPORT_H
#define HSCHED_ANALYSIS_REPORT_H

#include "model/Warnings.h"

#include "clang/Basic/Diagnostic.h"

namespace hsched::cc {

// Reports at Loc. %0, %1, ... in Format are replaced by Values. Ranges are underlined.
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
// A warning that the command line can disable or make an error by its name. [-Whsched-name] is appended to the message.
// The front end's diagnostics consumer applies the command line; Clang's engine always gets a warning.
template <unsigned N, class... Args>
void warn(clang::DiagnosticsEngine &Diags, Warning W, clang::SourceLocation Loc, const char (&Format)[N],
          const Args &...Values) {
  std::string Message = std::string(Format, N - 1) + " " + suffixOf(W);
  unsigned Id = Diags.getDiagnosticIDs()->getCustomDiagID(clang::DiagnosticIDs::Warning, Message);
  clang::DiagnosticBuilder Builder = Diags.Report(Loc, Id);
  Builder.addFlagValue(infoOf(W).Name); // The consumer identifies the warning by it.
  ((Builder << Values), ...);
}
template <unsigned N, class... Args>
void note(clang::DiagnosticsEngine &Diags, clang::SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
  report(Diags, clang::DiagnosticsEngine::Note, Loc, Format, Values...);
}

} // namespace hsched::cc
#endif
