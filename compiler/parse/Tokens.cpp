// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/Tokens.h"

#include "clang/Basic/IdentifierTable.h"
#include "llvm/ADT/SmallVector.h"

using namespace clang;

namespace hsched::cc {

static int depthChange(const Tok &T) {
  if (T.T.isOneOf(tok::l_paren, tok::l_square, tok::l_brace))
    return 1;
  if (T.T.isOneOf(tok::r_paren, tok::r_square, tok::r_brace))
    return -1;
  return 0;
}

static bool closes(const Tok &Open, const Tok &Close) {
  return Open.is(tok::l_paren)    ? Close.is(tok::r_paren)
         : Open.is(tok::l_square) ? Close.is(tok::r_square)
                                  : Close.is(tok::r_brace);
}

size_t matching(TokRange Tokens, size_t Open, size_t *Wrong) {
  llvm::SmallVector<size_t, 8> Opened;
  for (size_t I = Open; I < Tokens.size(); ++I) {
    int Change = depthChange(Tokens[I]);
    if (Change > 0)
      Opened.push_back(I);
    if (Change >= 0)
      continue;
    if (!closes(Tokens[Opened.back()], Tokens[I])) {
      // Inside other parentheses, the innermost open one is the error's place.
      if (Wrong)
        *Wrong = Opened.size() == 1 ? I : Opened.back();
      return Tokens.size();
    }
    Opened.pop_back();
    if (Opened.empty())
      return I;
  }
  if (Wrong)
    *Wrong = Open;
  return Tokens.size();
}

std::vector<TokRange> splitAt(TokRange Tokens, tok::TokenKind K) {
  std::vector<TokRange> Parts;
  if (Tokens.empty())
    return Parts;
  size_t Begin = 0;
  int Depth = 0;
  for (size_t I = 0; I < Tokens.size(); ++I) {
    Depth += depthChange(Tokens[I]);
    if (Depth == 0 && Tokens[I].is(K)) {
      Parts.push_back(Tokens.slice(Begin, I - Begin));
      Begin = I + 1;
    }
  }
  Parts.push_back(Tokens.drop_front(Begin));
  return Parts;
}

bool isOperator(TokRange Op) {
  return Op.size() == 1 &&
         Op[0].T.isOneOf(tok::plus, tok::star, tok::amp, tok::pipe, tok::caret, tok::ampamp, tok::pipepipe);
}

// True if the '?' at I has a ':'.
static bool hasColon(TokRange Tokens, size_t I) {
  int Depth = 0, Open = 0;
  for (; I < Tokens.size() && Depth >= 0; ++I) {
    Depth += depthChange(Tokens[I]);
    if (Depth == 0 && Tokens[I].is(tok::question))
      ++Open;
    else if (Depth == 0 && Tokens[I].is(tok::colon) && --Open == 0)
      return true;
  }
  return false;
}

// True if T cannot stand behind Before, which may be null, because an operand is missing.
static bool needsOperand(const Tok *Before, const Tok &T) {
  if (T.is(tok::period) && Before && Before->is(tok::comma))
    return false; // A designated initialiser, P{.a = 1, .b = 2}.
  return (!Before ||
          Before->T.isOneOf(tok::l_paren, tok::l_square, tok::comma, tok::colon, tok::semi, tok::question,
                            tok::equal) ||
          Before->T.isOneOf(tok::plus, tok::minus, tok::star, tok::slash, tok::percent, tok::pipe, tok::pipepipe,
                            tok::caret, tok::tilde, tok::exclaim)) &&
         T.T.isOneOf(tok::slash, tok::percent, tok::pipe, tok::pipepipe, tok::caret, tok::lessequal, tok::greaterequal,
                     tok::equalequal, tok::exclaimequal, tok::period, tok::arrow, tok::question);
}

std::pair<SourceLocation, std::string> unfinished(TokRange Tokens, bool One) {
  for (size_t I = 0; I < Tokens.size(); ++I) {
    const Tok &T = Tokens[I];
    const Tok *Next = I + 1 < Tokens.size() ? &Tokens[I + 1] : nullptr;
    const bool Ends =
        !Next || Next->T.isOneOf(tok::r_paren, tok::r_square, tok::r_brace, tok::comma, tok::colon, tok::semi);
    // A type may end with these: (T *)p, f<T &, n>(p). A lambda may begin with [&].
    const bool OfType =
        (T.T.isOneOf(tok::star, tok::amp, tok::ampamp) && Next && Next->T.isOneOf(tok::r_paren, tok::comma)) ||
        (T.is(tok::amp) && I != 0 && Tokens[I - 1].is(tok::l_square));
    const Tok *Before = I != 0 ? &Tokens[I - 1] : nullptr;
    const auto at = [&](const char *Where) {
      return std::pair(T.loc(), "something is missing " + std::string(Where) + " '" + T.Text + "' here");
    };
    if (T.is(tok::unknown))
      return {T.loc(), "'" + T.Text + "' is not allowed in an expression"};
    if (needsOperand(Before, T))
      return at("in front of");
    if ((T.is(tok::question) && !hasColon(Tokens, I)) ||
        (T.is(tok::comma) && (Next ? Next->T.isOneOf(tok::r_paren, tok::r_square, tok::colon) : One)) ||
        (T.T.isOneOf(tok::period, tok::arrow) && Next && Next->T.isOneOf(tok::period, tok::numeric_constant)) ||
        (T.T.isOneOf(tok::plusplus, tok::minusminus) && Before && Before->T.isOneOf(tok::identifier, tok::r_square) &&
         Next && Next->T.isOneOf(tok::identifier, tok::numeric_constant)))
      return at("behind");
    if ((One || Tokens.size() > 1 || !T.is(tok::star)) && Ends && !OfType &&
        T.T.isOneOf(tok::plus, tok::minus, tok::star, tok::slash, tok::percent, tok::amp, tok::ampamp, tok::pipe,
                    tok::pipepipe, tok::caret, tok::tilde, tok::exclaim, tok::less, tok::lessless, tok::lessequal,
                    tok::greaterequal, tok::equalequal, tok::exclaimequal, tok::period, tok::arrow, tok::coloncolon,
                    tok::kw_sizeof))
      return at("behind");
    const bool Number = T.is(tok::numeric_constant);
    if (Next && !T.IsMacro && !Next->IsMacro &&
        ((Number && Next->T.isOneOf(tok::l_paren, tok::identifier)) ||
         (Next->is(tok::numeric_constant) && (Number || T.is(tok::identifier)))))
      return at("behind");
  }
  return {};
}

std::string textOf(TokRange Tokens) {
  std::string Text;
  for (const Tok &T : Tokens) {
    if (!Text.empty() && (T.T.hasLeadingSpace() || T.T.isAtStartOfLine()))
      Text += ' ';
    Text += T.Text;
  }
  return Text;
}

Expr makeExpr(TokRange Tokens) {
  Expr E;
  E.Text = textOf(Tokens);
  if (Tokens.empty())
    return E;
  E.Begin = Tokens.front().loc();
  E.End = Tokens.back().loc();
  std::vector<bool> Calls; // For each pair of parentheses around a token: whether they are a call's.
  int Subscripts = 0;
  auto at = [&](size_t I, auto... Kinds) { return I < Tokens.size() && (Tokens[I].is(Kinds) || ...); };
  for (size_t I = 0; I < Tokens.size(); ++I) {
    const Tok &T = Tokens[I];
    if (T.is(tok::l_paren))
      Calls.push_back(I > 0 && at(I - 1, tok::identifier, tok::r_square));
    else if (T.is(tok::r_paren) && !Calls.empty())
      Calls.pop_back();
    Subscripts += T.is(tok::l_square) ? 1 : T.is(tok::r_square) ? -1 : 0;
    if (!T.is(tok::identifier) || T.IsMacro)
      continue;
    bool Member = I > 0 && at(I - 1, tok::period, tok::arrow, tok::coloncolon, tok::kw_template);
    if (Member)
      continue;
    NameUse N{T.Text, T.loc(), at(I + 1, tok::l_paren) && I + 2 < Tokens.size() && !at(I + 2, tok::r_paren)};
    N.Index = Subscripts > 0;
    N.Operand = (I > 0 && at(I - 1, tok::plus, tok::minus)) || at(I + 1, tok::plus, tok::minus) ||
                llvm::is_contained(Calls, true);
    E.Names.push_back(std::move(N));
  }
  return E;
}

} // namespace hsched::cc
