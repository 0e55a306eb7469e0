// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/SectionParser.h"

using namespace clang;

namespace hsched::cc {

// Position of the ':' or ';' that separates start and length, outside brackets and conditional operators.
static size_t separator(TokRange Inside) {
  int Depth = 0, Conditionals = 0;
  for (size_t I = 0; I < Inside.size(); ++I) {
    const Token &T = Inside[I].T;
    if (T.isOneOf(tok::l_paren, tok::l_square, tok::l_brace))
      ++Depth;
    else if (T.isOneOf(tok::r_paren, tok::r_square, tok::r_brace))
      --Depth;
    else if (Depth == 0 && T.is(tok::question))
      ++Conditionals;
    else if (Depth == 0 && T.is(tok::semi))
      return I;
    else if (Depth == 0 && T.is(tok::colon) && Conditionals-- == 0)
      return I;
  }
  return Inside.size();
}

SectionError parseSection(TokRange Tokens, Section &Out) {
  if (Tokens.empty())
    return {{}, "expected a section here"};
  Out.Loc = Tokens.front().loc();
  Out.Text = textOf(Tokens);

  size_t At = 0;
  while (At < Tokens.size() && Tokens[At].is(tok::l_square)) {
    size_t Close = matching(Tokens, At);
    if (Close == Tokens.size())
      return {Tokens[At].loc(), "this '[' is not closed"};
    TokRange Extent = Tokens.slice(At + 1, Close - At - 1);
    if (Extent.empty())
      return {Tokens[At].loc(), "expected an extent between '[' and ']'"};
    if (separator(Extent) != Extent.size())
      return {Tokens[At].loc(), "a range follows what it is taken from: write p[start:length], or [n]p for a shape"};
    Out.Shape.push_back(makeExpr(Extent));
    At = Close + 1;
  }
  TokRange Base = Tokens.drop_front(At);
  if (Base.empty())
    return {Tokens.front().loc(), "expected a pointer after the shape: [n]p"};

  // A last subscript with a separator is a range.
  if (Base.back().is(tok::r_square)) {
    size_t Open = Base.size();
    for (size_t I = 0; I < Base.size(); ++I)
      if (Base[I].is(tok::l_square) && matching(Base, I) == Base.size() - 1)
        Open = I;
    if (Open == Base.size() || Open == 0)
      return {Base.back().loc(), "this ']' has no '['"};
    TokRange Inside = Base.slice(Open + 1, Base.size() - Open - 2);
    size_t Sep = separator(Inside);
    if (Sep != Inside.size()) {
      if (!Out.Shape.empty())
        return {Base[Open].loc(), "a section has a shape or a range, not both"};
      Out.F = Section::Form::Range;
      TokRange Low = Inside.take_front(Sep), Length = Inside.drop_front(Sep + 1);
      if (Length.empty())
        return {Inside[Sep].loc(), "expected a length after the start: p[start:length]"};
      Out.Low = makeExpr(Low);
      if (Low.empty())
        Out.Low.Text = "0";
      Out.Length = makeExpr(Length);
      Base = Base.take_front(Open);
      if (!Base.empty() && Base.back().is(tok::r_square)) {
        for (size_t I = 0; I < Base.size(); ++I)
          if (Base[I].is(tok::l_square) && matching(Base, I) == Base.size() - 1) {
            TokRange Outer = Base.slice(I + 1, Base.size() - I - 2);
            if (separator(Outer) != Outer.size())
              return {Base[I].loc(), "strided tiles are not supported: name whole rows, one contiguous range"};
          }
      }
    }
  }
  if (!Out.Shape.empty())
    Out.F = Section::Form::Shaped;
  else if (Out.F == Section::Form::Whole && Base[0].is(tok::star)) {
    if (Base.size() == 1)
      return {Base[0].loc(), "expected a pointer after '*'"};
    Out.F = Section::Form::Pointee;
    Base = Base.drop_front();
  }
  Out.Base = makeExpr(Base);
  if (Base.size() == 1 && Base[0].is(tok::identifier))
    Out.BaseName = Base[0].Text;
  return {};
}

} // namespace hsched::cc
