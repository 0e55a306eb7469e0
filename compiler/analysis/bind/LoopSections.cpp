// Sections that name a taskloop's variable: whether the sections of a chunk's first and last iteration determine those
// between.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They do if the variable occurs only in sums and products with constants: address and length are then affine in it.
// Where begin and end of the section only never fall, or never rise, as i / n, the chunk's section is the hull.
#include "analysis/bind/Growth.h"
#include "analysis/bind/Internal.h"
#include "analysis/infer/Expressions.h"
#include "analysis/lower/Standard.h"

#include "clang/Lex/Lexer.h"

using namespace clang;

namespace hsched::cc {
namespace {

constexpr Degree None = Degree::None, Affine = Degree::Affine, Monotone = Degree::Monotone, Other = Degree::Other;

// Reads the tokens of an expression that Clang has not built: in templates, in lists, and for the base of a section.
// Macros are expanded before.
class Affinity {
public:
  Affinity(const std::string &Text, const std::string &Variable, ASTContext &Context, const Expressions &Built)
      : Text(Text), Variable(Variable), Context(Context), Built(Built) {
    const LangOptions &Lang = Context.getLangOpts();
    Lexer Raw(SourceLocation(), Lang, this->Text.data(), this->Text.data(), this->Text.data() + this->Text.size());
    Token T;
    for (bool Last = false; !Last;) {
      Last = Raw.LexFromRawLexer(T);
      if (T.isNot(tok::eof))
        Words.push_back({T.getKind(), this->Text.substr(Raw.getCurrentBufferOffset() - T.getLength(), T.getLength()),
                         Raw.getCurrentBufferOffset() - T.getLength()});
    }
  }

  Degree degree() {
    Degree D = expression();
    return At == Words.size() ? D : mentions(0, Words.size()) ? Other : None;
  }

  // name[e]...[e], possibly '&' in front: the subscripts and the name; nothing for other forms.
  struct Element {
    std::string Name;
    std::vector<std::string> Subscripts;
  };
  std::optional<Element> element() {
    At = is(tok::amp) ? 1 : 0;
    if (!is(tok::raw_identifier))
      return std::nullopt;
    Element E{Words[At++].Text, {}};
    while (is(tok::coloncolon) && At + 1 < Words.size()) {
      E.Name += "::" + Words[At + 1].Text;
      At += 2;
    }
    while (is(tok::l_square)) {
      const size_t Close = closing(At);
      if (Close == Words.size())
        return std::nullopt;
      const size_t From = Words[At].Offset + 1;
      E.Subscripts.push_back(Text.substr(From, Words[Close].Offset - From));
      At = Close + 1;
    }
    if (At != Words.size())
      return std::nullopt;
    return E;
  }

private:
  struct Word {
    tok::TokenKind Kind;
    std::string Text;
    size_t Offset = 0;
  };
  std::string Text;
  const std::string &Variable;
  ASTContext &Context;
  const Expressions &Built;
  std::vector<Word> Words;
  size_t At = 0;

  bool is(tok::TokenKind K) const { return At < Words.size() && Words[At].Kind == K; }
  bool mentions(size_t From, size_t To) const {
    for (size_t I = From; I < To; ++I)
      if (Words[I].Kind == tok::raw_identifier && Words[I].Text == Variable &&
          (I == 0 || (Words[I - 1].Kind != tok::period && Words[I - 1].Kind != tok::arrow &&
                      Words[I - 1].Kind != tok::coloncolon)))
        return true;
    return false;
  }
  // True if a conversion of these words may be one of a fraction.
  bool namesOthers(size_t From, size_t To) const {
    return mentions(From, To) && std::any_of(Words.begin() + From, Words.begin() + To, [&](const Word &W) {
             return (W.Kind == tok::raw_identifier && W.Text != Variable) ||
                    (W.Kind == tok::numeric_constant && W.Text.find_first_of(".eEpP") != std::string::npos);
           });
  }
  static Degree sum(Degree A, Degree B) { return std::max(A, B); }
  static Degree product(Degree A, Degree B) { return A == None ? B : B == None ? A : Other; }
  static Degree opaque(Degree A) { return A == None ? None : Other; }

  // Operators of lower precedence than a sum: shifts, comparisons, conditions.
  Degree expression() {
    Degree D = additive();
    while (At < Words.size()) {
      tok::TokenKind K = Words[At].Kind;
      if (K == tok::r_paren || K == tok::r_square || K == tok::r_brace || K == tok::comma)
        break;
      if (K == tok::raw_identifier || tok::isLiteral(K) || K == tok::l_paren || K == tok::l_brace) {
        At = Words.size(); // The rest has no known form.
        return mentions(0, At) ? Other : None;
      }
      ++At;
      Degree Right = additive();
      D = K == tok::lessless && Right == None ? D : sum(opaque(D), opaque(Right));
    }
    return D;
  }
  Degree additive() {
    Degree D = multiplicative();
    while (is(tok::plus) || is(tok::minus)) {
      ++At;
      D = sum(D, multiplicative());
    }
    return D;
  }
  Degree multiplicative() {
    Degree D = unary();
    while (is(tok::star) || is(tok::slash) || is(tok::percent)) {
      bool Times = is(tok::star);
      ++At;
      Degree Right = unary();
      D = Times ? product(D, Right) : sum(opaque(D), opaque(Right));
    }
    return D;
  }
  Degree unary() {
    if (is(tok::plus) || is(tok::minus)) {
      ++At;
      return unary();
    }
    if (is(tok::exclaim) || is(tok::tilde) || is(tok::star) || is(tok::amp) || is(tok::plusplus) ||
        is(tok::minusminus)) {
      ++At;
      return opaque(unary());
    }
    return postfix();
  }
  // What the words from Begin to End are as a type. Conversion: its values are those of a loop's variable.
  enum class Kind { NoType, Conversion, Type };
  Kind typeOf(size_t Begin, size_t End) const {
    std::string Name;
    for (size_t I = Begin; I < End; ++I)
      if (Words[I].Kind == tok::raw_identifier || Words[I].Kind == tok::coloncolon || Words[I].Kind == tok::star)
        Name += (Name.empty() ? "" : " ") + Words[I].Text;
      else
        return Kind::NoType;
    const QualType T = Name.empty() ? QualType() : Built.type(Name);
    if (T.isNull())
      return Kind::NoType;
    const bool Wide = !T->isDependentType() && T->isIntegerType() && !T->isBooleanType() &&
                      Context.getIntWidth(T) >= Context.getIntWidth(Context.IntTy);
    return Wide || T->isPointerType() ? Kind::Conversion : Kind::Type;
  }
  size_t closing(size_t Open) const {
    int Depth = 0;
    for (size_t I = Open; I < Words.size(); ++I) {
      Depth += Words[I].Kind == tok::l_paren || Words[I].Kind == tok::l_square || Words[I].Kind == tok::l_brace;
      Depth -= Words[I].Kind == tok::r_paren || Words[I].Kind == tok::r_square || Words[I].Kind == tok::r_brace;
      if (Depth == 0)
        return I;
    }
    return Words.size();
  }
  Degree postfix() {
    if (At >= Words.size())
      return None;
    Degree D = None;
    bool Cast = false; // The parentheses that follow are a conversion.
    size_t Begin = At;
    if (is(tok::l_paren)) {
      const size_t Close = closing(At);
      if (const Kind K = Close + 1 < Words.size() ? typeOf(At + 1, Close) : Kind::NoType; K != Kind::NoType) {
        At = Close + 1;
        D = unary();
        return K == Kind::Conversion && !namesOthers(Close + 1, At) ? D : opaque(D);
      }
      ++At;
      D = expression();
      if (is(tok::r_paren))
        ++At;
    } else if (is(tok::raw_identifier)) {
      // static_cast<type>
      if (Words[At].Text == "static_cast" && At + 1 < Words.size() && Words[At + 1].Kind == tok::less) {
        while (At < Words.size() && !is(tok::greater))
          ++At;
        Cast = typeOf(Begin + 2, At) == Kind::Conversion;
      } else {
        while (At + 2 < Words.size() && Words[At + 1].Kind == tok::coloncolon)
          At += 2;
        Cast = typeOf(Begin, At + 1) == Kind::Conversion;
      }
      ++At;
      D = mentions(Begin, At) ? Affine : None;
    } else {
      ++At;
    }
    while (At < Words.size()) {
      if (is(tok::l_paren) || is(tok::l_square) || is(tok::l_brace)) {
        size_t Close = closing(At);
        if (Cast && !is(tok::l_square) && !namesOthers(At, Close)) {
          ++At;
          D = expression();
        } else if (mentions(At, Close)) {
          D = Other;
        }
        At = std::min(Close + 1, Words.size());
      } else if (is(tok::period) || is(tok::arrow)) {
        D = opaque(D);
        At += 2;
      } else if (is(tok::plusplus) || is(tok::minusminus)) {
        D = opaque(D);
        ++At;
      } else {
        break;
      }
      Cast = false;
    }
    At = std::min(At, Words.size());
    return D;
  }
};

// std::array contains its elements, like an array.
bool isStdArray(QualType T) { return isLibrary(T->getAsCXXRecordDecl(), ClassArray); }

// The type behind one subscript of T; null: unknown. Through: set if it is reached through a pointer in memory.
QualType behind(ASTContext &Context, QualType T, bool &Through) {
  if (T.isNull())
    return T;
  T = T.getNonReferenceType();
  Through = !T->isArrayType() && !isStdArray(T);
  if (T->isArrayType())
    return Context.getAsArrayType(T)->getElementType();
  if (T->isPointerType())
    return T->getPointeeType();
  return elementOfContainer(Context, T);
}

} // namespace

bool listDependsOn(const Section &S, const std::string &Variable) {
  auto names = [&](const Expr &E) {
    return llvm::any_of(E.Names, [&](const NameUse &N) { return N.Name == Variable; });
  };
  return llvm::any_of(S.Over, [&](const Generator &G) { return names(G.Low) || names(G.Count) || names(G.Step); });
}

LoopSection loopSection(ASTContext &Context, const Section &S, const std::string &Variable,
                        llvm::function_ref<QualType(llvm::StringRef)> Type, const Expressions &Built) {
  const GrowthOf Grown(Context, Variable);
  const auto number = [&](llvm::StringRef Text) {
    const clang::Expr *E = Text.empty() ? nullptr : Built.value(Text, S);
    return E && E->getType()->isIntegralOrUnscopedEnumerationType() ? E : nullptr;
  };
  const auto tokens = [&](llvm::StringRef Text) { return Affinity(Built.expanded(Text), Variable, Context, Built); };
  const auto growthOf = [&](llvm::StringRef Text) {
    if (const clang::Expr *E = number(Text))
      return Grown.sumOf({E});
    return Text.empty() ? Growth() : Growth{tokens(Text).degree()};
  };
  const auto growth = [&](const Expr &E) { return growthOf(E.Text); };
  // A list whose values the variable determines is evaluated for each iteration, so any form is allowed.
  if (listDependsOn(S, Variable))
    return {};
  for (const Expr *E : S.expressions())
    if (const std::string Macro = Built.unclearMacro(E->Text, Variable); !Macro.empty())
      return {"section '" + S.Text + "' contains the macro '" + Macro + "', and whether it names the variable '" +
                  Variable + "' of the taskloop is not known: write its value in the section",
              false};
  Degree Worst = None;
  const Expr *Where = nullptr;
  auto see = [&](Degree D, const Expr &E) {
    if (D > Worst)
      Worst = D, Where = &E;
  };
  // Begin and end of [Low, Low + Length): both have to be seen.
  auto range = [&](const Expr &Low, const Expr &Length) {
    const Growth Begin = growth(Low), Count = growth(Length);
    see(Begin.D, Low);
    if (Count.D <= Affine && Begin.D <= Affine)
      return see(Count.D, Length);
    if (Count.D == None)
      return;
    const clang::Expr *L = number(Low.Text), *N = number(Length.Text);
    const Growth End = L && N ? Grown.sumOf({L, N}) : sum(Begin, Count);
    see(End.D == Other ? Other : Monotone, Length);
  };
  Degree Extents = None;
  for (const Expr &E : S.Shape) {
    Degree D = growth(E).D;
    Extents = Extents == None ? D : D == None ? Extents : Other;
    see(S.F == Section::Form::Tile && D != None ? Other : Extents, E);
  }
  range(S.Low, S.Length);
  for (const Subscript &Sub : S.Subscripts)
    range(Sub.Low, Sub.Length);
  // Of several that only rise or fall, one may rise and another fall.
  unsigned Moving = Extents != None;
  // Elements of arrays are equidistant; targets of pointers in memory are not.
  if (auto E = tokens(S.Base.Text).element()) {
    QualType T = Type(E->Name);
    Degree Index = None;
    for (const std::string &Subscript : E->Subscripts) {
      const Degree D = growthOf(Subscript).D;
      bool Through = false;
      T = behind(Context, T, Through);
      Index = Through && Index != None ? Other : std::max(Index, D);
      Moving += D != None;
    }
    bool Further = S.F == Section::Form::Range || S.F == Section::Form::Tile || S.F == Section::Form::Shaped ||
                   S.F == Section::Form::Pointee;
    if ((Index == Affine || Index == Monotone) && !T.isNull()) {
      // For a class template that is not instantiated yet it is unknown, as for a vector of vectors.
      const CXXRecordDecl *R = T->getAsCXXRecordDecl();
      bool Holds = !isStdArray(T) && (T->isPointerType() || T->isReferenceType() || (R && !R->hasDefinition()) ||
                                      !elementOfContainer(Context, T).isNull());
      if (Holds && S.Base.Text[0] != '&' && (Further || !T->isPointerType()))
        Index = Other;
    }
    see(Index, S.Base);
  } else {
    const clang::Expr *Base = Built.value(S.Base.Text, S);
    Growth G = Base ? Grown.sumOf({Base}) : growth(S.Base);
    if (Base && S.F == Section::Form::Whole && (Base->getType()->isScalarType() || Base->getType()->isArrayType()))
      G = Grown.placeOf(Base->IgnoreParenImpCasts());
    Moving += G.D != None;
    see(G.D, S.Base);
  }
  const auto moves = [&](const Expr &Low, const Expr &Length) {
    return growth(Low).D != None || growth(Length).D != None;
  };
  Moving += moves(S.Low, S.Length);
  for (const Subscript &Sub : S.Subscripts)
    Moving += moves(Sub.Low, Sub.Length);
  if (Worst == Monotone && Moving > 1)
    Worst = Other;
  if (Worst != Other)
    return {"", Worst == Monotone};
  return {"section '" + S.Text + "' does not change evenly with the variable '" + Variable + "' of the taskloop: '" +
              Where->Text + "' must be affine in it, as in p[" + Variable +
              " * n : n], or only rise or only fall, as in p[" + Variable + " / n : 1]; else leave '" + Variable +
              "' out, and name what all iterations touch",
          false};
}

} // namespace hsched::cc
