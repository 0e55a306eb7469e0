// Sections that name a taskloop's variable: whether the sections of a chunk's first and last iteration determine those
// between.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They do if the variable occurs only in sums and products with constants: address and length are then affine in it.
// Where begin and end of the section only never fall, or never rise, as i / n, the chunk's section is the hull.
#include "analysis/bind/Internal.h"
#include "analysis/lower/Standard.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace hsched::cc {
namespace {

// How an expression depends on the variable.
enum Degree { None, Affine, Monotone, Other };
struct Growth {
  Degree D = None;
  int Sign = 0; // 1: it does not fall, -1: it does not rise, 0: either of them, the same for all iterations.
};

Growth sum(Growth A, Growth B) {
  if (A.D == None || B.D == None)
    return A.D == None ? B : A;
  const int Sign = A.Sign == B.Sign ? A.Sign : 0;
  if (A.D == Affine && B.D == Affine)
    return {Affine, Sign};
  return A.D != Other && B.D != Other && Sign != 0 ? Growth{Monotone, Sign} : Growth{Other};
}

// A number of a clause as Clang has built it.
class OfExpression {
public:
  OfExpression(ASTContext &Context, llvm::StringRef Variable) : Context(Context), Variable(Variable) {}

  // Of the sum of all. Terms that cancel each other count for nothing.
  Growth sumOf(llvm::ArrayRef<const clang::Expr *> All) const {
    std::vector<Term> Terms;
    for (const clang::Expr *E : All)
      split(E, false, Terms);
    Growth Total;
    for (size_t I = 0; I != Terms.size(); ++I)
      if (!cancelled(Terms, I))
        Total = sum(Total, Terms[I].Minus ? negated(Terms[I].G) : Terms[I].G);
    return Total;
  }
  bool mentions(const Stmt *S) const {
    const auto *Ref = dyn_cast_or_null<DeclRefExpr>(S);
    return S && ((Ref && isVariable(*Ref)) || llvm::any_of(S->children(), [&](const Stmt *C) { return mentions(C); }));
  }

private:
  ASTContext &Context;
  llvm::StringRef Variable;

  struct Term {
    bool Minus;
    std::string Text;
    Growth G;
  };

  static Growth negated(Growth G) { return {G.D, -G.Sign}; }
  bool isVariable(const DeclRefExpr &E) const {
    const auto *V = dyn_cast<VarDecl>(E.getDecl());
    return V && V->getIdentifier() && V->getName() == Variable && V->isLocalVarDeclOrParm();
  }
  static bool cancelled(const std::vector<Term> &All, size_t At) {
    int Sum = 0;
    for (const Term &T : All)
      Sum += T.Text != All[At].Text ? 0 : T.Minus ? -1 : 1;
    return Sum == 0;
  }

  // E without parentheses and conversions that keep the values of a loop's variable. Null: there is another conversion.
  const clang::Expr *plain(const clang::Expr *E) const {
    for (;;) {
      E = E->IgnoreParens();
      const auto *Cast = dyn_cast<CastExpr>(E);
      if (!Cast)
        return E;
      const QualType From = Cast->getSubExpr()->getType(), To = Cast->getType();
      const bool Numbers = From->isIntegralOrEnumerationType() && To->isIntegralOrEnumerationType();
      if (!Numbers || To->isBooleanType() ||
          Context.getIntWidth(To) < std::min(Context.getIntWidth(From), Context.getIntWidth(Context.IntTy)))
        return mentions(E) ? nullptr : E;
      E = Cast->getSubExpr();
    }
  }

  void split(const clang::Expr *E, bool Minus, std::vector<Term> &Out) const {
    const clang::Expr *Inner = plain(E);
    if (const auto *B = dyn_cast_or_null<BinaryOperator>(Inner); B && B->isAdditiveOp()) {
      split(B->getLHS(), Minus, Out);
      split(B->getRHS(), Minus != (B->getOpcode() == BO_Sub), Out);
      return;
    }
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    (Inner ? Inner : E)->printPretty(OS, nullptr, Context.getPrintingPolicy());
    Out.push_back({Minus, Text, Inner ? of(Inner) : Growth{Other}});
  }

  // The sign of a factor or divisor; 0: unknown.
  int signOf(const clang::Expr *E) const {
    clang::Expr::EvalResult R;
    if (E->isValueDependent() || !E->EvaluateAsInt(R, Context))
      return 0;
    const llvm::APSInt N = R.Val.getInt();
    return N.isZero() ? 0 : N.isNegative() ? -1 : 1;
  }
  Growth times(Growth G, const clang::Expr *Factor) const { return {G.D, G.Sign * signOf(Factor)}; }

  Growth of(const clang::Expr *E) const {
    if (!E || !mentions(E))
      return {E ? None : Other};
    E = plain(E);
    if (!E)
      return {Other};
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return isVariable(*Ref) ? Growth{Affine, 1} : Growth{Other};
    if (const auto *U = dyn_cast<UnaryOperator>(E); U && (U->getOpcode() == UO_Plus || U->getOpcode() == UO_Minus))
      return U->getOpcode() == UO_Plus ? of(U->getSubExpr()) : negated(of(U->getSubExpr()));
    const auto *B = dyn_cast<BinaryOperator>(E);
    if (!B)
      return {Other};
    if (B->isAdditiveOp())
      return sumOf({E});
    const Growth L = of(B->getLHS()), R = of(B->getRHS());
    if (B->getOpcode() == BO_Mul && (L.D == None || R.D == None))
      return L.D == None ? times(R, B->getLHS()) : times(L, B->getRHS());
    if (R.D != None || L.D == Other)
      return {Other};
    switch (B->getOpcode()) {
    case BO_Div:
      return {Monotone, times(L, B->getRHS()).Sign};
    case BO_Shr:
      return {Monotone, L.Sign};
    case BO_Shl:
      return L;
    default:
      return {Other};
    }
  }
};

// The same of the tokens, where Clang has built nothing: in templates, and where a generator of a list occurs.
class Affinity {
public:
  Affinity(const std::string &Text, const std::string &Variable, const LangOptions &Lang)
      : Text(Text), Variable(Variable) {
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
  // True if the text in parentheses from Open to Close looks like a type, and so like a cast.
  bool isCast(size_t Open, size_t Close) const {
    if (Close + 1 >= Words.size() || Close == Open + 1 || mentions(Open, Close))
      return false;
    for (size_t I = Open + 1; I < Close; ++I)
      if (Words[I].Kind != tok::raw_identifier && Words[I].Kind != tok::coloncolon && Words[I].Kind != tok::star)
        return false;
    tok::TokenKind Next = Words[Close + 1].Kind;
    return Next == tok::raw_identifier || Next == tok::numeric_constant ||
           (Next == tok::l_paren && namesNumberType(Words[Close - 1].Text));
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
  static bool namesNumberType(llvm::StringRef Name) {
    return llvm::StringSwitch<bool>(Name)
        .Cases("int", "long", "unsigned", "signed", "size_t", "ssize_t", "ptrdiff_t", true)
        .Cases("int32_t", "int64_t", "uint32_t", "uint64_t", "intptr_t", "uintptr_t", true)
        .Default(false);
  }

  Degree postfix() {
    if (At >= Words.size())
      return None;
    Degree D = None;
    bool Cast = false; // The parentheses that follow are a conversion.
    size_t Begin = At;
    if (is(tok::l_paren)) {
      size_t Close = closing(At);
      if (isCast(At, Close)) {
        At = Close + 1;
        return unary();
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
        Cast = true;
      } else {
        while (At + 2 < Words.size() && Words[At + 1].Kind == tok::coloncolon)
          At += 2;
        Cast = namesNumberType(Words[At].Text);
      }
      ++At;
      D = mentions(Begin, At) ? Affine : None;
    } else {
      ++At;
    }
    while (At < Words.size()) {
      if (is(tok::l_paren) || is(tok::l_square) || is(tok::l_brace)) {
        size_t Close = closing(At);
        if (Cast && !is(tok::l_square)) {
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

bool mentionsVariable(ASTContext &Context, const clang::Expr &E, const std::string &Variable) {
  return OfExpression(Context, Variable).mentions(&E);
}

bool listDependsOn(const Section &S, const std::string &Variable) {
  auto names = [&](const Expr &E) {
    return llvm::any_of(E.Names, [&](const NameUse &N) { return N.Name == Variable; });
  };
  return llvm::any_of(S.Over, [&](const Generator &G) { return names(G.Low) || names(G.Count) || names(G.Step); });
}

LoopSection loopSection(ASTContext &Context, const Section &S, const std::string &Variable,
                        llvm::function_ref<QualType(llvm::StringRef)> Type,
                        llvm::function_ref<const clang::Expr *(llvm::StringRef)> Number) {
  const LangOptions &Lang = Context.getLangOpts();
  const OfExpression Built(Context, Variable);
  auto growthOf = [&](llvm::StringRef Text) {
    if (const clang::Expr *E = Text.empty() ? nullptr : Number(Text))
      return Built.sumOf({E});
    return Text.empty() ? Growth() : Growth{Affinity(Text.str(), Variable, Lang).degree()};
  };
  auto growth = [&](const Expr &E) { return growthOf(E.Text); };
  // A list whose values the variable determines is evaluated for each iteration, so any form is allowed.
  if (listDependsOn(S, Variable))
    return {};
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
    const clang::Expr *L = Number(Low.Text), *N = Number(Length.Text);
    const Growth End = L && N ? Built.sumOf({L, N}) : sum(Begin, Count);
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
  if (auto E = Affinity(S.Base.Text, Variable, Lang).element()) {
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
    const Growth G = growth(S.Base);
    Moving += G.D != None;
    see(G.D == Monotone ? Other : G.D, S.Base);
  }
  for (const Expr *E : {&S.Low, &S.Length})
    Moving += E == &S.Low || growth(S.Low).D == None ? growth(*E).D != None : 0;
  for (const Subscript &Sub : S.Subscripts)
    Moving += growth(Sub.Low).D != None || growth(Sub.Length).D != None;
  if (Worst == Monotone && Moving > 1)
    Worst = Other;
  if (Worst != Other)
    return {"", Worst == Monotone};
  return {"section '" + S.Text + "' does not change evenly with the variable '" + Variable + "' of the taskloop: '" +
              Where->Text + "' must be affine in it, as in p[" + Variable + " * n : n]; else leave '" + Variable +
              "' out, and name what all iterations touch",
          false};
}

} // namespace hsched::cc
