// Statements as text, for files of which Clang understands a part only.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INLINE_TEXT_H
#define HSCHED_ANALYSIS_INLINE_TEXT_H

#include "clang/AST/ASTContext.h"
#include "clang/Lex/Preprocessor.h"

#include <vector>

namespace hsched::cc {

// The tokens of a file from Loc on, before macros are expanded. Directives are left out.
std::vector<clang::Token> tokensFrom(const clang::ASTContext &Context, clang::SourceLocation Loc);

// The index behind the body of a function or lambda that begins with the brace Tokens[At]. At: it begins none.
size_t behindFunction(llvm::ArrayRef<clang::Token> Tokens, size_t At);

// The macro that T names at Place. Null: none.
const clang::MacroInfo *macroAt(clang::Preprocessor &PP, const clang::Token &T, clang::SourceLocation Place);

// One past the end of the statement that begins with the first of Tokens. Invalid: there is none, or a macro hides it.
clang::SourceLocation endOfText(llvm::ArrayRef<clang::Token> Tokens,
                                llvm::function_ref<const clang::MacroInfo *(const clang::Token &)> Macro);

} // namespace hsched::cc
#endif
