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

// "<count>", which an error message proposes if only the user knows the number; empty: no placeholder.
static std::string placeholder(TokRange Extent) {
  if (Extent.size() == 3 && Extent[0].is(tok::less) && Extent[1].is(tok::identifier) && Extent[2].is(tok::greater))
    return "<" + std::string(Extent[1].Text) + ">";
  return "";
}

// A leading run of '[extent]'. Returns an error, or moves At behind it.
static SectionError parseShape(TokRange Tokens, size_t &At, std::vector<Expr> &Out) {
  while (At < Tokens.size() && Tokens[At].is(tok::l_square)) {
    size_t Close = matching(Tokens, At);
    TokRange Extent = Tokens.slice(At + 1, Close - At - 1);
    if (Extent.empty())
      return {Tokens[At].loc(), "expected an extent between '[' and ']'"};
    if (const std::string Name = placeholder(Extent); !Name.empty())
      return {Extent.front().loc(), "replace '" + Name + "' by the number of elements"};
    if (separator(Extent) != Extent.size())
      return {Tokens[At].loc(), "a range follows what it is taken from: write p[start:length], or [n]p for a shape"};
    Out.push_back(makeExpr(Extent));
    At = Close + 1;
  }
  return {};
}

// Positions of the '[' of the subscripts that Tokens end with, outermost first.
static std::vector<size_t> trailingSubscripts(TokRange Tokens) {
  std::vector<size_t> Opens;
  size_t I = 0;
  while (I < Tokens.size()) {
    if (!Tokens[I].T.isOneOf(tok::l_paren, tok::l_square, tok::l_brace)) {
      Opens.clear();
      ++I;
      continue;
    }
    if (Tokens[I].is(tok::l_square) && I > 0)
      Opens.push_back(I);
    else
      Opens.clear();
    I = matching(Tokens, I) + 1;
  }
  return Opens;
}

static Subscript subscript(TokRange Inside) {
  Subscript Out;
  size_t Sep = separator(Inside);
  if (Sep == Inside.size()) {
    Out.K = Subscript::Kind::Index;
    Out.Low = makeExpr(Inside);
    return Out;
  }
  Out.Low = makeExpr(Inside.take_front(Sep));
  if (Sep == 0)
    Out.Low.Text = "0";
  Out.Length = makeExpr(Inside.drop_front(Sep + 1));
  return Out;
}

SectionError parseSection(TokRange Tokens, Section &Out) {
  // Parentheses around a whole section are ignored: ([n]p) is [n]p.
  while (Tokens.size() > 2 && Tokens[0].is(tok::l_paren) && matching(Tokens, 0) == Tokens.size() - 1)
    Tokens = Tokens.slice(1, Tokens.size() - 2);
  if (Tokens.empty())
    return {{}, "expected a section here"};
  Out.Loc = Tokens.front().loc();
  Out.Text = textOf(Tokens);
  if (Tokens.back().is(tok::ellipsis)) {
    Out.Pack = true;
    Tokens = Tokens.drop_back();
    if (Tokens.empty())
      return {Out.Loc, "expected a section before '...'"};
  }

  size_t At = 0;
  if (SectionError E = parseShape(Tokens, At, Out.Shape); !E.Message.empty())
    return E;
  TokRange Base = Tokens.drop_front(At);
  if (Base.empty())
    return {Tokens.front().loc(), "expected a pointer after the shape: [n]p"};

  // The subscripts of a tile begin with the first one that has a separator; those before it belong to the base. For a
  // shaped pointer all of them are the tile's.
  std::vector<size_t> Opens = trailingSubscripts(Base);
  bool ShapedPointer = At == 0 && !Opens.empty() && Base.size() > 2 && Base[0].is(tok::l_paren) &&
                       Base[1].is(tok::l_square) && matching(Base, 0) + 1 == Opens.front();
  size_t First = ShapedPointer ? 0 : Opens.size();
  for (size_t I = Opens.size(); I-- > 0;) {
    TokRange Inside = Base.slice(Opens[I] + 1, matching(Base, Opens[I]) - Opens[I] - 1);
    if (Inside.empty())
      return {Base[Opens[I]].loc(), "expected a subscript between '[' and ']'"};
    if (!ShapedPointer && separator(Inside) != Inside.size())
      First = I;
  }
  if (First < Opens.size()) {
    if (!Out.Shape.empty())
      return {Base[Opens[First]].loc(), "a section has a shape or a range, not both; of a tile of a shaped pointer the "
                                        "shape is in parentheses: ([m][n]p)[i:bm][j:bn]"};
    Out.F = Section::Form::Tile;
    for (size_t I = First; I < Opens.size(); ++I)
      Out.Subscripts.push_back(subscript(Base.slice(Opens[I] + 1, matching(Base, Opens[I]) - Opens[I] - 1)));
    SourceLocation Where = Base[Opens[First]].loc();
    Base = Base.take_front(Opens[First]);
    if (ShapedPointer) {
      TokRange Inside = Base.slice(1, Base.size() - 2);
      size_t Behind = 0;
      if (SectionError E = parseShape(Inside, Behind, Out.Shape); !E.Message.empty())
        return E;
      Base = Inside.drop_front(Behind);
      if (Base.empty())
        return {Inside.front().loc(), "expected a pointer after the shape: [n]p"};
      if (Out.Subscripts.size() > Out.Shape.size())
        return {Where, "this tile has more subscripts than its shape has extents"};
    } else if (Out.Subscripts.size() == 1 && !Out.Subscripts[0].Length.Text.empty()) {
      Out.F = Section::Form::Range;
      Out.Low = std::move(Out.Subscripts[0].Low);
      Out.Length = std::move(Out.Subscripts[0].Length);
      Out.Subscripts.clear();
    }
  } else if (!Out.Shape.empty()) {
    Out.F = Section::Form::Shaped;
  } else if (Base[0].is(tok::star)) {
    if (Base.size() == 1)
      return {Base[0].loc(), "expected a pointer after '*'"};
    Out.F = Section::Form::Pointee;
    Base = Base.drop_front();
  } else if (Base.size() == 1 && Base[0].is(tok::kw_this)) {
    Out.F = Section::Form::Pointee; // The object: its type gives its size.
  }
  Out.Base = makeExpr(Base);
  if (Base[0].is(tok::identifier)) {
    std::vector<size_t> Indices = trailingSubscripts(Base);
    if (Base.size() == 1)
      Out.BaseName = Base[0].Text;
    if (Base.size() == 1 || (!Indices.empty() && Indices.front() == 1)) {
      Out.RootName = Base[0].Text;
      Out.RootSubscripts = static_cast<unsigned>(Indices.size());
    }
  }
  return {};
}

// Name '=' low ';' count [':' step].
static SectionError parseGenerator(TokRange Tokens, Generator &Out) {
  Out.Name = Tokens[0].Text;
  Out.Loc = Tokens[0].loc();
  TokRange Rest = Tokens.drop_front(2);
  size_t Sep = separator(Rest);
  if (Sep != Rest.size() && Rest[Sep].is(tok::colon))
    return {Rest[Sep].loc(),
            "a start and a number of values have ';' between them, because ':' is an upper bound in OmpSs: {p[i], " +
                Out.Name + " = start; number}"};
  TokRange Low = Rest.take_front(Sep), Count = Rest.drop_front(std::min(Sep + 1, Rest.size())), Step;
  if (size_t Second = separator(Count); Second != Count.size()) {
    Step = Count.drop_front(Second + 1);
    if (Step.empty())
      return {Count[Second].loc(), "expected a step after this: {p[i], i = start; number : step}"};
    Count = Count.take_front(Second);
  }
  if (Low.empty() || Count.empty())
    return {Out.Loc,
            "expected a start and a number of values for '" + Out.Name + "': {p[i], i = start; number : step}"};
  Out.Low = makeExpr(Low);
  Out.Count = makeExpr(Count);
  Out.Step = makeExpr(Step);
  if (Step.empty())
    Out.Step.Text = "1";
  return {};
}

static bool isGenerator(TokRange Tokens) {
  return Tokens.size() > 2 && Tokens[0].is(tok::identifier) && Tokens[1].is(tok::equal);
}

SectionError parseSections(TokRange Tokens, std::vector<Section> &Out) {
  if (Tokens.empty() || !Tokens[0].is(tok::l_brace))
    return parseSection(Tokens, Out.emplace_back());
  if (matching(Tokens, 0) != Tokens.size() - 1)
    return {Tokens[0].loc(), "this '{' is not closed where the section ends"};
  std::vector<TokRange> Parts = splitAt(Tokens.slice(1, Tokens.size() - 2), tok::comma);
  std::vector<Generator> Over;
  while (!Parts.empty() && isGenerator(Parts.back())) {
    SectionError E = parseGenerator(Parts.back(), *Over.emplace(Over.begin()));
    if (!E.Message.empty())
      return E;
    Parts.pop_back();
  }
  if (Over.empty() || Parts.empty())
    return {Tokens[0].loc(), "a list has sections, then what counts them: {p[i], i = start; number}"};
  for (TokRange Part : Parts) {
    size_t From = Out.size();
    if (SectionError E = parseSections(Part, Out); !E.Message.empty())
      return {E.Loc.isValid() ? E.Loc : Tokens[0].loc(), E.Message};
    for (size_t I = From; I < Out.size(); ++I)
      Out[I].Over.insert(Out[I].Over.begin(), Over.begin(), Over.end());
  }
  return {};
}

} // namespace hsched::cc
