// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Expressions.h"
#include "analysis/infer/Macros.h"
#include "analysis/inline/Place.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/OperatorPrecedence.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/STLExtras.h"

#include <string>
#include <vector>

using namespace clang;

namespace hsched::cc {
namespace {

using Tokens = std::vector<Token>;

std::optional<BinaryOperatorKind> binary(tok::TokenKind K) {
  switch (K) {
  case tok::star:
    return BO_Mul;
  case tok::slash:
    return BO_Div;
  case tok::percent:
    return BO_Rem;
  case tok::plus:
    return BO_Add;
  case tok::minus:
    return BO_Sub;
  case tok::lessless:
    return BO_Shl;
  case tok::greatergreater:
    return BO_Shr;
  case tok::less:
    return BO_LT;
  case tok::greater:
    return BO_GT;
  case tok::lessequal:
    return BO_LE;
  case tok::greaterequal:
    return BO_GE;
  case tok::equalequal:
    return BO_EQ;
  case tok::exclaimequal:
    return BO_NE;
  case tok::amp:
    return BO_And;
  case tok::pipe:
    return BO_Or;
  case tok::caret:
    return BO_Xor;
  case tok::ampamp:
    return BO_LAnd;
  case tok::pipepipe:
    return BO_LOr;
  default:
    return std::nullopt;
  }
}

std::optional<UnaryOperatorKind> unary(tok::TokenKind K) {
  switch (K) {
  case tok::plus:
    return UO_Plus;
  case tok::minus:
    return UO_Minus;
  case tok::tilde:
    return UO_Not;
  case tok::exclaim:
    return UO_LNot;
  case tok::star:
    return UO_Deref;
  case tok::amp:
    return UO_AddrOf;
  default:
    return std::nullopt;
  }
}

// A null expression means not understood, which propagates outwards.
class Parser {
public:
  Parser(Sema &S, const Names &Called, const FunctionDecl &Clauses, const FunctionDecl &Body, const Section &Of,
         const Tokens &In)
      : S(S), Called(Called), Clauses(Clauses), Body(Body), Of(Of), In(In), Loc(Called.place()) {}

  clang::Expr *all() {
    clang::Expr *E = conditional();
    return E && now().is(tok::eof) ? E : nullptr;
  }

  std::string Why; // Set if the expression was understood and has no meaning.

private:
  using Expr = clang::Expr;
  Sema &S;
  const Names &Called;
  const FunctionDecl &Clauses, &Body;
  const Section &Of;
  const Tokens &In;
  SourceLocation Loc; // Location of all expressions.
  size_t At = 0;
  unsigned Depth = 0;

  const Token &now() const { return In[At]; }
  const Token &next() const { return In[std::min(At + 1, In.size() - 1)]; }
  bool take(tok::TokenKind K) {
    if (now().isNot(K))
      return false;
    ++At;
    return true;
  }
  // True for types without operators of their own.
  static bool plain(const Expr &E) {
    const QualType T = E.getType();
    return (T->isArithmeticType() || T->isPointerType() || T->isArrayType()) && !T->isEnumeralType();
  }
  // True for pointers that the host compiler counts in bytes.
  static bool noSize(const Expr &E) {
    const QualType T = E.getType()->isPointerType() ? E.getType()->getPointeeType() : QualType();
    return !T.isNull() && (T->isVoidType() || T->isFunctionType());
  }
  static bool isAdditive(BinaryOperatorKind Op) { return Op == BO_Add || Op == BO_Sub; }
  static std::string typeOf(const Expr &E) { return "'" + E.getType().getUnqualifiedType().getAsString() + "'"; }
  static Expr *made(ExprResult R) { return R.isUsable() ? R.get() : nullptr; }

  Expr *conditional() {
    Expr *C = operation(prec::LogicalOr);
    if (!C || !take(tok::question))
      return C;
    Expr *Then = conditional();
    Expr *Else = Then && take(tok::colon) ? conditional() : nullptr;
    return Else ? made(S.ActOnConditionalOp(Loc, Loc, C, Then, Else)) : nullptr;
  }

  Expr *operation(int Least) {
    Expr *L = prefix();
    while (L) {
      const int Level = getBinOpPrecedence(now().getKind(), /*GreaterThanIsOperator=*/true, /*CPlusPlus11=*/true);
      const std::optional<BinaryOperatorKind> Op = binary(now().getKind());
      if (!Op || Level < Least)
        return L;
      ++At;
      Expr *R = operation(Level + 1), *Both = R ? made(S.CreateBuiltinBinOp(Loc, *Op, L, R)) : nullptr;
      if (R && !Both && plain(*L) && plain(*R) && !(isAdditive(*Op) && (noSize(*L) || noSize(*R))))
        Why = "operator '" + BinaryOperator::getOpcodeStr(*Op).str() + "' does not take " + typeOf(*L) + " and " +
              typeOf(*R);
      L = Both;
    }
    return nullptr;
  }

  Expr *prefix() {
    if (++Depth > 200)
      return nullptr;
    if (const std::optional<UnaryOperatorKind> Op = unary(now().getKind())) {
      ++At;
      Expr *E = prefix(), *All = E ? made(S.CreateBuiltinUnaryOp(Loc, *Op, E)) : nullptr;
      if (E && !All && plain(*E))
        Why = "operator '" + UnaryOperator::getOpcodeStr(*Op).str() + "' does not take " + typeOf(*E);
      return All;
    }
    if (take(tok::kw_sizeof)) {
      const size_t Begin = At;
      if (take(tok::l_paren))
        if (const QualType T = type(); !T.isNull() && take(tok::r_paren))
          return made(S.CreateUnaryExprOrTypeTraitExpr(info(T), Loc, UETT_SizeOf, Loc));
      At = Begin;
      Expr *E = prefix();
      return E ? made(S.CreateUnaryExprOrTypeTraitExpr(E, Loc, UETT_SizeOf)) : nullptr;
    }
    if (const size_t Begin = At; take(tok::l_paren)) {
      if (const QualType T = type(); !T.isNull() && take(tok::r_paren))
        return castTo(T, prefix());
      At = Begin;
    }
    return postfix();
  }

  TypeSourceInfo *info(QualType T) const { return S.Context.getTrivialTypeSourceInfo(T, Loc); }
  Expr *castTo(QualType To, Expr *E) { return E ? made(S.BuildCStyleCastExpr(Loc, info(To), Loc, E)) : nullptr; }

  Expr *parenthesised() {
    if (!take(tok::l_paren))
      return nullptr;
    Expr *E = conditional();
    return E && take(tok::r_paren) ? made(S.ActOnParenExpr(Loc, Loc, E)) : nullptr;
  }

  // Parses a type up to the bracket or '>' that closes it. Null: none; the position of the rest is then undefined.
  QualType type() {
    std::string Text;
    for (int Depth = 0; now().isNot(tok::eof); ++At) {
      Depth += now().isOneOf(tok::l_paren, tok::less) - now().isOneOf(tok::r_paren, tok::greater) -
               2 * now().is(tok::greatergreater);
      if (Depth < 0)
        break;
      Text += (Text.empty() ? "" : " ") + spelling(now());
    }
    return Of.generates(Text) ? QualType() : Called.type(Text);
  }

  // Parses a qualified name, with template arguments. Empty: none.
  std::string name() {
    std::string Text;
    std::vector<size_t> Ends; // Behind each token.
    for (size_t I = At; In[I].isNot(tok::eof); ++I) {
      Text += (Text.empty() ? "" : " ") + spelling(In[I]);
      Ends.push_back(Text.size());
    }
    const std::string Name = Called.qualifiedId(Text).str();
    const auto Last = llvm::find(Ends, Name.size());
    At += Last == Ends.end() ? 0 : size_t(Last - Ends.begin()) + 1;
    return Last == Ends.end() ? "" : Name;
  }

  const NamedDecl *named(const std::string &Name) const {
    return Name.empty() || Of.generates(Name) ? nullptr : Called.find(Name);
  }

  Expr *postfix() {
    Expr *E = primary();
    while (E) {
      if (take(tok::l_square)) {
        Expr *Index = conditional();
        if (!Index || !take(tok::r_square))
          return nullptr;
        Expr *All = made(E->getType()->isRecordType() ? S.CreateOverloadedArraySubscriptExpr(Loc, Loc, E, Index)
                                                      : S.CreateBuiltinArraySubscriptExpr(E, Loc, Index, Loc));
        if (!All && plain(*E) && plain(*Index))
          Why = typeOf(*E) + " has no elements [" + typeOf(*Index) + "]";
        E = All;
      } else if (now().isOneOf(tok::period, tok::arrow)) {
        const bool Arrow = now().is(tok::arrow);
        ++At;
        if (now().isNot(tok::identifier))
          return nullptr;
        const IdentifierInfo *Name = now().getIdentifierInfo();
        ++At;
        if (now().is(tok::coloncolon)) // A namespace, or a class.
          return nullptr;
        E = called(member(E, Arrow, Name));
      } else if (now().is(tok::l_paren) && (plain(*E) || E->getType()->isFunctionType())) {
        E = called(E);
      } else {
        return E;
      }
      if (!Why.empty())
        return nullptr;
    }
    return nullptr;
  }

  Expr *member(Expr *E, bool Arrow, const IdentifierInfo *Name) {
    CXXScopeSpec None;
    QualType T = E->getType();
    const QualType Of = Arrow && T->isPointerType() ? T->getPointeeType() : T;
    const auto *Class = Of->getAsRecordDecl();
    const bool Direct = !Arrow || T->isPointerType(); // Else an iterator, or a smart pointer.
    const bool Missing =
        Direct && (Class ? !Class->isDependentContext() && hasNo(*Class, Name) : plain(*E) && !Of->isDependentType());
    if (Missing && now().isNot(tok::less)) // Else it may be a template.
      Why =
          "'" + (Class ? Of : T).getUnqualifiedType().getAsString() + "' has no member '" + Name->getName().str() + "'";
    if (Missing || !Direct)
      return nullptr;
    return made(S.BuildMemberReferenceExpr(E, T, Loc, Arrow, None, SourceLocation(), nullptr,
                                           DeclarationNameInfo(Name, Loc), nullptr, nullptr));
  }

  bool hasNo(const RecordDecl &Class, const IdentifierInfo *Name) const {
    RecordDecl *Whole = Class.getDefinition();
    LookupResult R(S, DeclarationName(Name), Loc, Sema::LookupMemberName);
    R.suppressDiagnostics();
    return Whole && !S.LookupQualifiedName(R, Whole) && R.getResultKind() == LookupResult::NotFound;
  }

  // F, or the call of F if arguments follow.
  Expr *called(Expr *F) {
    if (F && now().is(tok::l_paren) && plain(*F) && !F->getType()->isPointerType())
      Why = typeOf(*F) + " cannot be called";
    if (!F || !Why.empty() || !take(tok::l_paren))
      return F;
    llvm::SmallVector<Expr *, 4> Arguments;
    if (!take(tok::r_paren)) {
      do {
        Expr *E = conditional();
        if (!E)
          return nullptr;
        Arguments.push_back(E);
      } while (take(tok::comma));
      if (!take(tok::r_paren))
        return nullptr;
    }
    Expr *Call = made(S.BuildCallExpr(nullptr, F, Loc, Arguments, Loc));
    const auto *Called = dyn_cast_or_null<CallExpr>(Call ? Call->IgnoreImplicit() : nullptr);
    if (const FunctionDecl *Callee = Called ? Called->getDirectCallee() : nullptr;
        Callee && Callee->isTemplateInstantiation() && !Callee->isDefined()) // Perhaps nothing else calls it.
      S.InstantiateFunctionDefinition(Loc, const_cast<FunctionDecl *>(Callee));
    return Call;
  }

  Expr *primary() {
    switch (now().getKind()) {
    case tok::l_paren:
      return parenthesised();
    case tok::numeric_constant: {
      Token T = now();
      T.setLocation(Loc);
      ++At;
      return made(S.ActOnNumericConstant(T));
    }
    case tok::kw_this:
      ++At;
      return self();
    case tok::kw_static_cast: {
      ++At;
      const QualType T = take(tok::less) ? type() : QualType();
      return !T.isNull() && take(tok::greater) ? castTo(T, parenthesised()) : nullptr;
    }
    case tok::kw_typename: // A cast: typename Base<T>::type(n).
      ++At;
      return reference();
    case tok::identifier:
    case tok::coloncolon:
      return reference();
    default:
      break;
    }
    if (now().is(tok::eof))
      return nullptr;
    const QualType T = Called.type(spelling(now())); // int(n)
    ++At;
    return T.isNull() ? nullptr : castTo(T, parenthesised());
  }

  Expr *self() {
    const auto *M = dyn_cast<CXXMethodDecl>(&Body);
    const auto IsLambda = [](const FunctionDecl *F) {
      const auto *Of = dyn_cast<CXXMethodDecl>(F);
      return Of && Of->getParent()->isLambda();
    };
    if (M && !llvm::all_of(llvm::drop_begin(inlinePlaceOf(S.Context, M, Loc).Functions), IsLambda))
      return nullptr; // In a local class, whose object it is.
    return M && M->isInstance() ? CXXThisExpr::Create(S.Context, Loc, M->getThisType(), false) : nullptr;
  }

  Expr *reference() {
    const std::string Name = name();
    const NamedDecl *D = named(Name);
    if (const QualType T =
            Name.empty() || (D && !isa<TypeDecl>(D)) || Of.generates(Name) ? QualType() : Called.type(Name);
        !T.isNull())
      return castTo(T, parenthesised());
    if (const auto *P = dyn_cast_or_null<NonTypeTemplateParmDecl>(D)) {
      if (const std::optional<std::int64_t> N = Called.constant(D))
        return IntegerLiteral::Create(S.Context, llvm::APInt(64, std::uint64_t(*N)), S.Context.LongTy, Loc);
      return !P->getType()->isIntegralOrEnumerationType() || P->isParameterPack()
                 ? nullptr
                 : S.BuildDeclRefExpr(const_cast<NonTypeTemplateParmDecl *>(P), P->getType(), VK_PRValue, Loc);
    }
    if (const auto *P = dyn_cast_or_null<ParmVarDecl>(D); P && P->getDeclContext() == &Clauses) {
      const unsigned I = P->getFunctionScopeIndex();
      D = P->isParameterPack() || I >= Body.getNumParams() ? nullptr : Body.getParamDecl(I);
    }
    if (const auto *F = dyn_cast_or_null<FieldDecl>(D))
      return F->getIdentifier() ? member(self(), *F) : nullptr;
    if (D && isa<VarDecl, BindingDecl, EnumConstantDecl>(D)) {
      auto *V = const_cast<ValueDecl *>(cast<ValueDecl>(D));
      if (auto *Member = dyn_cast<VarDecl>(V); // Its initialiser is instantiated at the first use.
          Member && Member->getInstantiatedFromStaticDataMember() && !Member->getAnyInitializer())
        S.InstantiateVariableDefinition(Loc, Member);
      return DeclRefExpr::Create(S.Context, NestedNameSpecifierLoc(), SourceLocation(), V, false, Loc,
                                 V->getType().getNonReferenceType(), isa<EnumConstantDecl>(V) ? VK_PRValue : VK_LValue);
    }
    if (now().isNot(tok::l_paren) || Name.empty())
      return nullptr;
    LookupResult R(S, DeclarationName(), Loc, Sema::LookupOrdinaryName);
    R.suppressDiagnostics();
    for (const NamedDecl *Each : Called.functions(Name)) {
      if (isa<CXXMethodDecl>(Each->getUnderlyingDecl()) &&
          !cast<CXXMethodDecl>(Each->getUnderlyingDecl())->isStatic()) {
        Expr *This = self();
        return This && Each->getIdentifier() ? called(member(This, /*Arrow=*/true, Each->getIdentifier())) : nullptr;
      }
      R.setLookupName(Each->getDeclName());
      R.addDecl(const_cast<NamedDecl *>(Each));
    }
    if (R.empty())
      return nullptr;
    R.resolveKind();
    TemplateArgumentListInfo Arguments(Loc, Loc);
    if (!Called.argumentsOf(Name, Arguments))
      return called(made(S.BuildDeclarationNameExpr(CXXScopeSpec(), R, /*NeedsADL=*/false)));
    return called(made(S.BuildTemplateIdExpr(CXXScopeSpec(), SourceLocation(), R, /*RequiresADL=*/false, &Arguments)));
  }

  // A member of the object.
  Expr *member(Expr *This, const FieldDecl &F) {
    const auto *Class = dyn_cast<CXXRecordDecl>(F.getParent());
    const auto *Own = This && Class ? cast<CXXMethodDecl>(Body).getParent() : nullptr;
    if (!Own || !(Own->Equals(Class) || Own->isDerivedFrom(Class)))
      return nullptr;
    auto *Field = const_cast<FieldDecl *>(&F);
    return made(S.BuildFieldReferenceExpr(This, /*IsArrow=*/true, Loc, CXXScopeSpec(), Field,
                                          DeclAccessPair::make(Field, Field->getAccess()),
                                          DeclarationNameInfo(Field->getDeclName(), Loc)));
  }
};

} // namespace

Expressions::Expressions(Sema &S, const Names &Called, const FunctionDecl &Clauses, const FunctionDecl &Body)
    : S(S), Called(Called), Clauses(Clauses), Body(Body) {}

const clang::Expr *Expressions::number(llvm::StringRef Text, const Section &Of) const {
  const clang::Expr *E = value(Text, Of);
  return E && !E->isInstantiationDependent() && E->getType()->isIntegralOrUnscopedEnumerationType() ? E : nullptr;
}

const clang::Expr *Expressions::value(llvm::StringRef Text, const Section &Of) const {
  const std::string Kept = Text.str();
  const Expanded In(S.PP, Called.place(), Kept);
  if (!In.Good || In.All.size() == 1)
    return nullptr;
  Sema::ContextRAII At(S, const_cast<FunctionDecl *>(&Body), /*NewThisContext=*/false);
  EnterExpressionEvaluationContext Not(S, Sema::ExpressionEvaluationContext::Unevaluated);
  Sema::SFINAETrap Trap(S);
  clang::Expr *E = Parser(S, Called, Clauses, Body, Of, In.All).all();
  if (!E || E->isTypeDependent() || E->containsErrors())
    return nullptr;
  const ExprResult R = S.DefaultFunctionArrayLvalueConversion(E);
  return R.isUsable() && !Trap.hasErrorOccurred() ? R.get() : nullptr;
}

QualType Expressions::typeOf(llvm::StringRef Text, const Section &Of) const {
  const std::string Kept = Text.str();
  const Expanded In(S.PP, Called.place(), Kept);
  if (!In.Good || In.All.size() == 1)
    return {};
  Sema::ContextRAII At(S, const_cast<FunctionDecl *>(&Body), /*NewThisContext=*/false);
  EnterExpressionEvaluationContext Not(S, Sema::ExpressionEvaluationContext::Unevaluated);
  Sema::SFINAETrap Trap(S);
  const clang::Expr *E = Parser(S, Called, Clauses, Body, Of, In.All).all();
  return E ? E->getType() : QualType();
}

// True if no conversion leads from T to a number.
static bool isNoNumber(Sema &S, QualType T) {
  if (const auto *Class = T->getAsCXXRecordDecl(); Class && Class->hasDefinition())
    return !Class->isDependentContext() && Class->getDefinition()->getVisibleConversionFunctions().empty();
  return T->isPointerType() || T->isArrayType() || T->isNullPtrType() ||
         (T->isRecordType() && !S.getLangOpts().CPlusPlus);
}

QualType Expressions::type(llvm::StringRef Text) const { return Called.type(Text); }

std::string Expressions::expanded(llvm::StringRef Text) const {
  const std::string Kept = Text.str();
  const Expanded In(S.PP, Called.place(), Kept);
  return In.Good ? In.text() : Kept;
}

bool Expressions::yields(llvm::StringRef Text, llvm::StringRef Name) const {
  const std::string Kept = Text.str();
  const Expanded In(S.PP, Called.place(), Kept);
  return In.hasMacro(Name);
}

std::string Expressions::unclearMacro(llvm::StringRef Text, llvm::StringRef Name) const {
  const std::string Kept = Text.str();
  const Expanded In(S.PP, Called.place(), Kept);
  return In.Good || !In.mayYield(Name) ? "" : In.Unclear;
}

std::string Expressions::problem(llvm::StringRef Text, const Section &Of, bool Number) const {
  const std::string Kept = Text.str();
  const Expanded In(S.PP, Called.place(), Kept);
  if (!In.Good || In.All.size() == 1)
    return "";
  Sema::ContextRAII At(S, const_cast<FunctionDecl *>(&Body), /*NewThisContext=*/false);
  EnterExpressionEvaluationContext Not(S, Sema::ExpressionEvaluationContext::Unevaluated);
  Sema::SFINAETrap Trap(S);
  Parser P(S, Called, Clauses, Body, Of, In.All);
  const clang::Expr *E = P.all();
  if (!E)
    return P.Why;
  if (!Number || E->isInstantiationDependent() || E->containsErrors() || Trap.hasErrorOccurred() ||
      !isNoNumber(S, E->getType()))
    return "";
  return "a number is needed here, and '" + Kept + "' is of type '" + E->getType().getUnqualifiedType().getAsString() +
         "'";
}

Lowering::ClauseValues Expressions::all(Names &Called, const std::vector<AccessCode> &Clauses) const {
  Lowering::ClauseValues Out;
  for (const AccessCode &A : Clauses) {
    const AccessCode Spelled = Called.inOneSpelling(A);
    const std::vector<const Expr *> Written = A.What.expressions(), Same = Spelled.What.expressions();
    for (size_t I = 0; I != Written.size(); ++I)
      if (llvm::StringRef Text = Written[I]->Text; !Text.empty() && Written[I] != &A.What.Base)
        if (const clang::Expr *E = number(Text, A.What))
          Out.emplace_back(Same[I]->Text, E);
  }
  return Out;
}

} // namespace hsched::cc
