// Expands the macros in a clause's text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_MACROS_H
#define HSCHED_ANALYSIS_INFER_MACROS_H

#include "model/Directive.h"

#include "clang/Lex/Preprocessor.h"

#include <set>
#include <string>
#include <vector>

namespace hsched::cc {

// The text of T, whose location is not that of its text.
std::string spelling(const clang::Token &T);

// Text as tokens, with macros expanded as defined at Place. Text must outlive the tokens.
class Expanded {
public:
  Expanded(clang::Preprocessor &PP, clang::SourceLocation Place, const std::string &Text);

  std::vector<clang::Token> All; // The last one is the end of the file.
  bool Good = true;              // False: a macro is not understood, and All is incomplete.
  std::string Unclear;           // That macro's name.

  std::string text() const;
  // True if the identifier Name is in Text or in a macro that Text may expand, or if such a macro pastes tokens.
  bool mayYield(llvm::StringRef Name) const;
  // True if such a macro is in Text.
  bool hasMacro(llvm::StringRef Name) const;

private:
  using Tokens = std::vector<clang::Token>;
  clang::Preprocessor &PP;
  clang::SourceLocation Place;
  Tokens Raw;

  Tokens expanded(const Tokens &In, std::set<const clang::IdentifierInfo *> &Inside);
  const clang::MacroInfo *macro(const clang::IdentifierInfo *Name) const;
  bool mayYield(llvm::ArrayRef<clang::Token> In, const clang::MacroInfo *Of, llvm::StringRef Name,
                std::set<const clang::IdentifierInfo *> &Seen) const;
};

// S with the macro that is its base, BASE in BASE[0:n], replaced by the variable or the member that it names. What else
// such a macro stands for stays.
Section withoutMacro(clang::Preprocessor &PP, Section S);

} // namespace hsched::cc
#endif
