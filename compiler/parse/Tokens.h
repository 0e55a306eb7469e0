// The tokens of one directive, with helpers for a recursive-descent parser.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PARSE_TOKENS_H
#define HSCHED_PARSE_TOKENS_H

#include "model/Directive.h"

#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hsched::cc {

// A token and its spelling. Macros are not expanded, because expressions are compiled where they are emitted.
struct Tok {
  clang::Token T;
  std::string Text;
  bool IsMacro = false; // An identifier that is a macro at this place.

  bool is(clang::tok::TokenKind K) const { return T.is(K); }
  clang::SourceLocation loc() const { return T.getLocation(); }
};
using TokRange = llvm::ArrayRef<Tok>;

// Index of the bracket that closes Tokens[Open], or Tokens.size(). Wrong is then the mismatched bracket, or
// Open.
size_t matching(TokRange Tokens, size_t Open, size_t *Wrong = nullptr);

// Splits at tokens of kind K outside any bracket. An empty range gives no parts.
std::vector<TokRange> splitAt(TokRange Tokens, clang::tok::TokenKind K);

// The first place in Tokens, one or several expressions or sections, where an operand or an operator is missing, and
// the error's text. Empty: none. What a macro stands for is unknown. One: Tokens are one expression.
std::pair<clang::SourceLocation, std::string> unfinished(TokRange Tokens, bool One);

// True for one operator of a reduction.
bool isOperator(TokRange Op);

// Makes an expression from Tokens, with the names it uses.
Expr makeExpr(TokRange Tokens);

// Parses Tokens, a whole directive; errors go to PP's diagnostics (DirectiveParser.cpp).
void parseDirective(clang::Preprocessor &PP, TokRange Tokens, Directive &D);

// Tokens' text on one line, spaced as written.
std::string textOf(TokRange Tokens);

} // namespace hsched::cc
#endif
