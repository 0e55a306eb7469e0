// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Words.h"

#include "analysis/regions/Prover.h"
#include "model/NameCharacters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <vector>

namespace hsched::cc {

std::string withoutBlanks(llvm::StringRef Text) {
  std::string Out;
  for (char C : Text)
    if (!llvm::isSpace(C))
      Out += C;
  return Out;
}

std::string withNames(llvm::StringRef Text, llvm::function_ref<std::string(llvm::StringRef Name, char Before)> Means) {
  std::string Out;
  for (size_t I = 0; I < Text.size();) {
    if (!beginsName(Text[I])) {
      Out += Text[I++];
      continue;
    }
    size_t End = I;
    while (End < Text.size() && inName(Text[End]))
      ++End;
    const llvm::StringRef Front = Text.take_front(I);
    const bool Other = Front.ends_with(".") || Front.ends_with("->") || Front.ends_with("::");
    Out += Means(Text.slice(I, End), Other ? Front.back() : '\0');
    I = End;
  }
  return Out;
}

namespace {

// A parser of + - * and parentheses. An unknown construct becomes one opaque operand, up to the next operator of lower
// precedence; also 'c ? a : b' in parentheses.
class Reader {
public:
  Reader(llvm::StringRef Text, Words &W, const Words::Constants &ConstantOf, const Words::Renaming &InTree)
      : Text(Text), W(W), ConstantOf(ConstantOf), InTree(InTree) {}

  std::optional<Poly> all() {
    std::optional<Poly> P = sum();
    skip();
    if (!P || At != Text.size() || !P->valid())
      return std::nullopt;
    return P;
  }

private:
  llvm::StringRef Text;
  Words &W;
  const Words::Constants &ConstantOf;
  const Words::Renaming &InTree;
  size_t At = 0;

  void skip() {
    while (At < Text.size() && llvm::isSpace(Text[At]))
      ++At;
  }
  bool next(char C) {
    skip();
    if (At >= Text.size() || Text[At] != C || (At + 1 < Text.size() && (Text[At + 1] == C || Text[At + 1] == '=')))
      return false;
    ++At;
    return true;
  }

  std::optional<Poly> sum() {
    std::optional<Poly> P = product();
    while (P) {
      bool Plus = next('+');
      if (!Plus && !next('-'))
        return P;
      std::optional<Poly> Q = product();
      if (!Q)
        return std::nullopt;
      P = Plus ? *P + *Q : *P - *Q;
    }
    return P;
  }

  std::optional<Poly> product() {
    skip();
    size_t Begin = At;
    std::optional<Poly> P = factor();
    while (P) {
      if (next('*')) {
        std::optional<Poly> Q = factor();
        if (!Q)
          return std::nullopt;
        P = *P * *Q;
        continue;
      }
      bool Divided = next('/');
      if (!Divided && !next('%'))
        return P;
      std::optional<Poly> Q = factor();
      if (!Q)
        return std::nullopt;
      std::optional<std::int64_t> A = P->constant(), B = Q->constant();
      if (A && B && *B != 0 && !(*A == INT64_MIN && *B == -1))
        P = Divided ? *A / *B : *A % *B;
      else
        P = Poly::symbol(W.symbol(renamed(Text.slice(Begin, At))));
    }
    return P;
  }

  std::optional<Poly> factor() {
    skip();
    if (At >= Text.size())
      return std::nullopt;
    if (next('-')) {
      std::optional<Poly> P = factor();
      return P ? std::optional<Poly>(-*P) : std::nullopt;
    }
    if (next('+'))
      return factor();
    char C = Text[At];
    if (llvm::isDigit(C))
      return number();
    if (C == '(')
      return parenthesised();
    if (beginsName(C) || C == ':')
      return operand();
    return std::nullopt;
  }

  std::optional<Poly> number() {
    size_t End = At;
    while (End < Text.size() && (llvm::isAlnum(Text[End]) || Text[End] == '\'' || Text[End] == '.'))
      ++End;
    std::string Digits;
    for (char C : Text.slice(At, End))
      if (C != '\'')
        Digits += C;
    llvm::StringRef D = Digits;
    while (!D.empty() && (D.size() < 2 || !D.starts_with_insensitive("0x") || D.size() > 2) &&
           llvm::StringRef("uUlLzZ").contains(D.back()))
      D = D.drop_back();
    std::int64_t N;
    if (D.getAsInteger(0, N))
      return std::nullopt;
    At = End;
    return Poly(N);
  }

  // The position behind the bracket that closes Text[Open].
  std::optional<size_t> closing(size_t Open) const {
    int Depth = 0;
    for (size_t I = Open; I < Text.size(); ++I) {
      if (llvm::StringRef("([{").contains(Text[I]))
        ++Depth;
      else if (llvm::StringRef(")]}").contains(Text[I]) && --Depth == 0)
        return I + 1;
    }
    return std::nullopt;
  }

  std::optional<Poly> parenthesised() {
    std::optional<size_t> End = closing(At);
    if (!End)
      return std::nullopt;
    llvm::StringRef Inside = Text.slice(At + 1, *End - 1).trim();
    size_t After = *End;
    while (After < Text.size() && llvm::isSpace(Text[After]))
      ++After;
    // A cast to an integer type in front of an operand: it keeps the value in every correct program.
    static const char *const Types[] = {"int",           "long",           "unsigned",          "size_t",
                                        "std::size_t",   "unsigned long",  "unsigned int",      "long long",
                                        "ptrdiff_t",     "std::ptrdiff_t", "int64_t",           "std::int64_t",
                                        "uint64_t",      "std::uint64_t",  "uint32_t",          "int32_t",
                                        "std::uint32_t", "std::int32_t",   "unsigned long long"};
    for (const char *T : Types)
      if (Inside == T) {
        At = *End;
        return factor();
      }
    Reader Inner(Inside, W, ConstantOf, InTree);
    std::optional<Poly> P = Inner.all();
    if (!P && Inside.contains('?'))
      P = Poly::symbol(W.symbol(renamed(Text.slice(At, *End))));
    if (P)
      At = *End;
    return P;
  }

  // A name with its suffixes: a::b, s.n, v.size(), f(x), static_cast<int>(n).
  std::optional<Poly> operand() {
    size_t Begin = At, End = At;
    bool Plain = true;
    while (End < Text.size()) {
      char C = Text[End];
      if (inName(C)) {
        ++End;
      } else if (C == ':' && End + 1 < Text.size() && Text[End + 1] == ':') {
        End += 2;
      } else if (C == '.' || (C == '-' && End + 1 < Text.size() && Text[End + 1] == '>')) {
        End += C == '.' ? 1 : 2;
        Plain = false;
      } else if (C == '(' || C == '[') {
        std::optional<size_t> Close = closing(End);
        if (!Close)
          return std::nullopt;
        End = *Close;
        Plain = false;
      } else if (C == '<' && Text.slice(Begin, End).ends_with("static_cast")) {
        size_t Close = Text.find('>', End);
        if (Close == llvm::StringRef::npos || Close + 1 >= Text.size() || Text[Close + 1] != '(')
          return std::nullopt;
        At = Close + 1;
        return parenthesised();
      } else {
        break;
      }
    }
    llvm::StringRef Name = Text.slice(Begin, End);
    At = End;
    if (Plain)
      if (std::optional<std::int64_t> N = ConstantOf(Name))
        return Poly(*N);
    return Poly::symbol(W.symbol(renamed(Name)));
  }

  // Renames every name in an opaque piece of text.
  std::string renamed(llvm::StringRef Piece) const {
    return withNames(Piece, [&](llvm::StringRef Name, char Before) { return Before ? Name.str() : InTree(Name); });
  }
};

Expr expr(std::string Text) {
  Expr E;
  E.Text = std::move(Text);
  return E;
}

// A name or a number by itself cannot wrap.
bool isSimple(const Poly &P) {
  const auto &Terms = P.terms();
  return P.constant() || (Terms.size() == 1 && Terms.begin()->second == 1 && Terms.begin()->first.size() == 1);
}

Expr expr(const Poly &P, const Speller &Spell, const Speller &Wide) {
  Expr E = expr(Spell(P));
  if (!Wide || P.constant())
    return E;
  E.Wide = Wide(P);
  if (isSimple(P) && E.Wide == "::hsched_gen_wide(" + E.Text + ")")
    E.Wide.clear();
  return E;
}

// A number of elements. Each factor counts separately, because the product of two negative sizes would be positive.
std::string countOf(const Box::Dim &D, const Speller &Wide) {
  if (!D.Factored)
    return Wide(D.Count);
  const auto &[Factors, C] = *D.Count.terms().begin();
  std::string Text = C == 1 ? "" : std::to_string(C);
  for (SymbolId S : Factors)
    Text += (Text.empty() ? "" : " * ") + ("::hsched_gen_factor(" + Wide(Poly::symbol(S)) + ")");
  return Text;
}

// From the first to the last element of B, computed at run time, because the order of the ends depends on signs.
std::string reachOf(const Box &B, const Speller &Wide) {
  std::string Text = "::hsched_gen_reach(" + Wide(B.Base) + ")";
  for (const Box::Dim &D : B.Dims)
    Text += ".hsched_along(" + countOf(D, Wide) + ", " + Wide(D.Stride) + ")";
  return Text;
}

} // namespace

std::optional<Poly> Words::poly(llvm::StringRef Text) {
  if (const auto Known = Tree.ClauseValues.find(Text.str()); Known != Tree.ClauseValues.end())
    return Known->second;
  return Reader(Text, *this, ConstantOf, InTree).all();
}

SymbolId Words::symbol(llvm::StringRef Spelling) {
  std::string Wanted = withoutBlanks(Spelling);
  for (SymbolId I = 0; I != Tree.Symbols.size(); ++I)
    if (Tree.Symbols[I].K == Symbol::Value && withoutBlanks(Tree.Symbols[I].Spelling) == Wanted)
      return I;
  Tree.Symbols.push_back({Symbol::Value, Spelling.trim().str(), false});
  return static_cast<SymbolId>(Tree.Symbols.size() - 1);
}

Poly spanOf(const Box &B) { return B.last() - B.Base + 1; }

// Quotient and rest: the terms of P that are multiples of By, divided by By, and the other terms.
static std::pair<Poly, Poly> split(const Poly &P, const Poly &By) {
  Poly Quotient, Rest;
  for (const auto &[Monomial, C] : P.terms()) {
    const Poly Term = Poly::term(Monomial, C);
    if (std::optional<Poly> Q = Term.dividedBy(By); Q && By != Poly(1))
      Quotient = Quotient + *Q;
    else
      Rest = Rest + Term;
  }
  return {Quotient, Rest};
}

// Base if it is a plain name.
static std::string plainName(const std::string &Base) { return llvm::all_of(Base, inName) ? Base : ""; }

// What precedes Length in a section. Three colons would be read as '::' and ':'.
static const char *colon(const Expr &Length) { return llvm::StringRef(Length.Text).starts_with(":") ? ": " : ":"; }

// Rows of a matrix: ([rows][stride]p)[first:rows][first:columns].
static std::optional<Section> tileOf(const Box &B, const std::string &Base, std::int64_t PerElement,
                                     const Speller &Spell, const Speller &Wide) {
  if (B.Dims.size() != 2 || B.Dims[1].Stride != Poly(1) || PerElement != 1)
    return std::nullopt;
  const Poly &Stride = B.Dims[0].Stride;
  // A stride that is a sum cannot be factored out.
  if (Stride.terms().size() != 1 || Stride.constant() == 1)
    return std::nullopt;
  auto [Row, Column] = split(B.Base, Stride);
  Section S;
  S.F = Section::Form::Tile;
  S.Base = expr(Base);
  S.BaseName = Base;
  S.Shape = {expr(Row + B.Dims[0].Count, Spell, Wide), expr(Stride, Spell, Wide)};
  S.Text = "([" + S.Shape[0].Text + "][" + S.Shape[1].Text + "]" + AccessTree::asOperand(Base) + ")";
  const Poly Lows[] = {Row, Column};
  for (unsigned D = 0; D != 2; ++D) {
    Subscript Sub;
    Sub.Low = expr(Lows[D], Spell, Wide);
    Sub.Length = expr(B.Dims[D].Count, Spell, Wide);
    if (Wide && B.Dims[D].Factored)
      Sub.Length.Wide = countOf(B.Dims[D], Wide);
    S.Text += "[" + Sub.Low.Text + colon(Sub.Length) + Sub.Length.Text + "]";
    S.Subscripts.push_back(std::move(Sub));
  }
  return S;
}

// An end of a box in rows: Row, plus the rows in Within. Within is a column if it is less than a row.
struct RowEnd {
  Poly Row, Within;
};

static std::string spelled(const RowEnd &E, std::int64_t PerElement, const Speller &Spell) {
  const std::string More = AccessTree::asOperand(Spell(E.Within)) + " / " + std::to_string(PerElement);
  if (E.Within.constant())
    return Spell(E.Row);
  return E.Row.isZero() ? More : Spell(E.Row) + " + " + More;
}

// A contiguous section.
static Section inARow(const std::string &Base, Expr Start, Expr Length, bool FromFirst) {
  Section S;
  S.Base = expr(Base);
  S.BaseName = plainName(Base);
  if (FromFirst) {
    S.F = Section::Form::Shaped;
    S.Text = "[" + Length.Text + "]" + AccessTree::asOperand(Base);
    S.Low.Wide = std::move(Start.Wide);
    S.Shape = {std::move(Length)};
  } else {
    S.F = Section::Form::Range;
    S.Text = AccessTree::asOperand(Base) + "[" + Start.Text + colon(Length) + Length.Text + "]";
    S.Low = std::move(Start);
    S.Length = std::move(Length);
  }
  return S;
}

// Sets the text that computes the box's rows at run time.
static void evaluatedAs(const Box &B, std::int64_t PerElement, const Speller &Wide, Expr &Start, Expr &Length) {
  const std::string Reach = reachOf(B, Wide), Per = "(" + std::to_string(PerElement) + ")";
  Start.Wide = Reach + ".hsched_low" + Per;
  Length.Wide = Reach + ".hsched_count" + Per;
}

// A section of rows whose numbers are no polynomials: the columns are unknown, and a presumed column may exceed the
// row's length.
static Section rowsOf(const Box &B, const std::string &Base, std::int64_t PerElement, const RowEnd &First,
                      const RowEnd &Last, const Speller &Spell, const Speller &Wide) {
  RowEnd Count{Last.Row - First.Row + 1, Last.Within == First.Within ? Poly() : Last.Within};
  std::string Number = spelled(Count, PerElement, Spell);
  if (!First.Within.constant() && !(Last.Within == First.Within))
    Number += " - " + AccessTree::asOperand(Spell(First.Within)) + " / " + std::to_string(PerElement);
  Expr Start = expr(spelled(First, PerElement, Spell)), Length = expr(std::move(Number));
  evaluatedAs(B, PerElement, Wide, Start, Length);
  return inARow(Base, std::move(Start), std::move(Length), First.Row.isZero() && First.Within.constant());
}

std::optional<Section> sectionOf(const Box &B, const std::string &Base, std::int64_t PerElement, const Speller &Spell,
                                 bool &Exact, const Speller &Wide) {
  Exact = true;
  if (std::optional<Section> Tile = tileOf(B, Base, PerElement, Spell, Wide))
    return Tile;
  Poly Low = B.Base, Count = spanOf(B);
  Exact = B.Dims.empty() || (B.Dims.size() == 1 && B.Dims[0].Stride == Poly(1));
  if (PerElement != 1) {
    // Partially accessed rows are named whole.
    const auto [First, Before] = regions::dividedWithRest(Low, PerElement);
    const auto [Last, Into] = regions::dividedWithRest(Low + Count - 1, PerElement);
    Exact &= Before.isZero() && Into == Poly(PerElement - 1);
    Low = First;
    Count = Last - First + 1;
    if (!Low.valid() || !Count.valid())
      return std::nullopt;
    if (!Before.constant() || !Into.constant()) // These rows are known only at run time.
      return Wide ? std::optional(rowsOf(B, Base, PerElement, {First, Before}, {Last, Into}, Spell, Wide))
                  : std::nullopt;
  }
  if (!Low.valid() || !Count.valid())
    return std::nullopt;
  Expr Start = expr(Low, Spell, Wide), Length = expr(Count, Spell, Wide);
  if (Wide && Exact && PerElement == 1) {
    if (!B.Dims.empty() && B.Dims[0].Factored)
      Length.Wide = countOf(B.Dims[0], Wide);
  } else if (Wide) {
    evaluatedAs(B, PerElement, Wide, Start, Length);
  }
  Section S = inARow(Base, std::move(Start), std::move(Length), Low.isZero());
  if (Low.isZero() && Count == Poly(1)) {
    S.F = Section::Form::Pointee;
    S.Text = "*" + AccessTree::asOperand(Base);
    S.Shape.clear();
    S.Low = {};
  }
  return S;
}

} // namespace hsched::cc
