// Sections that name a taskloop's variable: whether the sections of a chunk's first and last iteration determine those
// between.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They do if the variable occurs only in sums and products with constants: address and length are then affine in it.
// Expressions are analysed as tokens, because clauses are text here.
#include "analysis/bind/Internal.h"
#include "analysis/lower/Standard.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace hsched::cc {
namespace {

// How an expression depends on the variable.
enum Degree { None, Affine, Other };

class Affinity {
public:
  Affinity(const std::string &Text, const std::string &Variable, const LangOptions &Lang)
      : Text(Text), Variable(Variable) {
    Lexer Raw(SourceLocation(), Lang, this->Text.data(), this->Text.data(), this->Text.data() + this->Text.size());
    Token T;
    for (bool Last = false; !Last;) {
      Last = Raw.LexFromRawLexer(T);
      if (T.isNot(tok::eof))
        Words.push_back({T.getKind(), this->Text.substr(Raw.getCurrentBufferOffset() - T.getLength(), T.getLength())});
    }
  }

  Degree degree() {
    Degree D = expression();
    return At == Words.size() ? D : mentions(0, Words.size()) ? Other : None;
  }

  // name[e]...[e], possibly '&' in front: the subscripts' degrees, and the name; nothing for other forms.
  struct Element {
    std::string Name;
    std::vector<Degree> Subscripts;
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
      ++At;
      E.Subscripts.push_back(expression());
      if (!is(tok::r_square))
        return std::nullopt;
      ++At;
    }
    if (At != Words.size())
      return std::nullopt;
    return E;
  }

private:
  struct Word {
    tok::TokenKind Kind;
    std::string Text;
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
    return Next == tok::raw_identifier || Next == tok::numeric_constant || Next == tok::l_paren;
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
    return Name.ends_with("_t") || llvm::StringSwitch<bool>(Name)
                                       .Cases("int", "long", "short", "char", "unsigned", "signed", true)
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

bool listDependsOn(const Section &S, const std::string &Variable) {
  auto names = [&](const Expr &E) {
    return llvm::any_of(E.Names, [&](const NameUse &N) { return N.Name == Variable; });
  };
  return llvm::any_of(S.Over, [&](const Generator &G) { return names(G.Low) || names(G.Count) || names(G.Step); });
}

std::string loopSectionProblem(ASTContext &Context, const Section &S, const std::string &Variable,
                               llvm::function_ref<QualType(llvm::StringRef)> Type) {
  const LangOptions &Lang = Context.getLangOpts();
  auto degree = [&](const Expr &E) { return E.Text.empty() ? None : Affinity(E.Text, Variable, Lang).degree(); };
  // A list whose values the variable determines is evaluated for each iteration, so any form is allowed.
  if (listDependsOn(S, Variable))
    return "";
  Degree Worst = None;
  const Expr *Where = nullptr;
  auto see = [&](Degree D, const Expr &E) {
    if (D > Worst)
      Worst = D, Where = &E;
  };
  Degree Extents = None;
  for (const Expr &E : S.Shape) {
    Degree D = degree(E);
    Extents = Extents == None ? D : D == None ? Extents : Other;
    see(S.F == Section::Form::Tile && D != None ? Other : Extents, E);
  }
  see(degree(S.Low), S.Low);
  see(degree(S.Length), S.Length);
  for (const Subscript &Sub : S.Subscripts) {
    see(degree(Sub.Low), Sub.Low);
    see(degree(Sub.Length), Sub.Length);
  }
  // Elements of arrays are equidistant; targets of pointers in memory are not.
  if (auto E = Affinity(S.Base.Text, Variable, Lang).element()) {
    QualType T = Type(E->Name);
    Degree Index = None;
    for (Degree D : E->Subscripts) {
      bool Through = false;
      T = behind(Context, T, Through);
      Index = Through && Index != None ? Other : std::max(Index, D);
    }
    bool Further = S.F == Section::Form::Range || S.F == Section::Form::Tile || S.F == Section::Form::Shaped ||
                   S.F == Section::Form::Pointee;
    if (Index == Affine && !T.isNull()) {
      // For a class template that is not instantiated yet it is unknown, as for a vector of vectors.
      const CXXRecordDecl *R = T->getAsCXXRecordDecl();
      bool Holds = !isStdArray(T) && (T->isPointerType() || T->isReferenceType() || (R && !R->hasDefinition()) ||
                                      !elementOfContainer(Context, T).isNull());
      if (Holds && S.Base.Text[0] != '&' && (Further || !T->isPointerType()))
        Index = Other;
    }
    see(Index, S.Base);
  } else {
    see(degree(S.Base), S.Base);
  }
  if (Worst != Other)
    return "";
  return "section '" + S.Text + "' does not change evenly with the variable '" + Variable + "' of the taskloop: '" +
         Where->Text + "' must be affine in it, as in p[" + Variable + " * n : n]; else leave '" + Variable +
         "' out, and name what all iterations touch";
}

} // namespace hsched::cc
