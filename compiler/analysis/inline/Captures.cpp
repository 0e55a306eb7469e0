// Captures of an inline task's statement, and whether they are possible.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Fixes.h"
#include "analysis/bind/Internal.h"
#include "analysis/infer/Questions.h"
#include "analysis/inline/InC.h"
#include "analysis/inline/Sizes.h"
#include "analysis/inline/Text.h"
#include "analysis/lower/Standard.h"
#include "analysis/uses/Uses.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/OperatorPrecedence.h"
#include "clang/Sema/Initialization.h"
#include "clang/Sema/Lookup.h"

#include <set>

using namespace clang;

namespace hsched::cc {
namespace {

class Capturer : public BindContext {
public:
  Capturer(const BindContext &C, BoundInline &B, const InlinePlace &Place) : BindContext(C), B(B), Place(Place) {}

  bool run(const std::map<const ValueDecl *, CaptureCode::How> &Named, const ValueDecl *LoopVariable) {
    BlockUses Uses = usesOf(Context, B.Target, Place, B.Code.Loop.has_value());
    for (const auto &[Loc, Message] : Uses.Problems)
      bad(Loc, "%0", inWordsOf(*B.D, Message));
    usesOfClauses(Uses);
    if (Options.Missing.isValid())
      usesOfTokens(Uses);
    if (Context.getLangOpts().CPlusPlus)
      usesOfSizes(Uses);
    B.Code.CapturesThis = Uses.This;
    if (Place.Dependent)
      judgeByInstances(Uses);
    std::vector<std::pair<const ValueDecl *, SourceLocation>> Copied;
    auto Variables = Uses.Variables.takeVector();
    llvm::erase_if(Variables, [&](const auto &Use) { return Use.first == LoopVariable; });
    llvm::stable_sort(Variables, [&](const auto &X, const auto &Y) {
      return SM.isBeforeInTranslationUnit(X.first->getLocation(), Y.first->getLocation());
    });
    for (const auto &[V, Use] : Variables) {
      auto It = Named.find(V);
      if (It != Named.end() && It->second == CaptureCode::How::Reduced) {
        if (hasRunTimeSize(V->getType()))
          capture(V, Use.First, CaptureCode::How::Reduced);
        continue;
      }
      if (B.D->isShared() && It == Named.end()) {
        captureShared(V, Use);
        continue;
      }
      capture(V, Use.First, It == Named.end() ? CaptureCode::How::Value : It->second);
      if (It != Named.end() || slices(V->getType()))
        continue;
      if (Use.Changed.isValid())
        Copied.push_back({V, Use.Changed});
      else if (ownsMemory(V->getType().getNonReferenceType()) && seenLater(V))
        B.ReadAfter.push_back(V);
    }
    captureForClauses(Named);
    if (B.Code.Loop && !B.Code.Loop->Declared)
      Copied.push_back({LoopVariable, B.Target->getBeginLoc()});
    if (Good)
      for (const auto &[V, Changed] : Copied) // What the AST lacks may change anything, and mostly only reads.
        if (Options.Missing.isInvalid() || AssignedInText.count(V))
          checkLost(V, Changed, LoopVariable);
    return Good;
  }

private:
  BoundInline &B;
  const InlinePlace &Place;
  bool Good = true;
  std::set<const ValueDecl *> AssignedInText; // Where the AST may lack parts.

  template <unsigned N, class... Args> void bad(SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
    fail(Loc, Format, Values...);
    Good = false;
  }

  // Names in clauses of directives inside the statement are used inside the task.
  void usesOfClauses(BlockUses &Uses) {
    auto before = [&](SourceLocation X, SourceLocation Y) {
      return SM.isBeforeInTranslationUnit(SM.getExpansionLoc(X), SM.getExpansionLoc(Y));
    };
    const SourceLocation Begin = B.Target->getBeginLoc();
    for (const Directive &D : *Out.Directives) {
      if (!before(B.D->Hash, D.Hash) || before(D.Hash, Begin) || !before(D.Hash, B.End))
        continue;
      const InlinePlace At = inlinePlaceOf(Context, B.Function, D.End);
      for (const NameUse *N : D.names()) {
        const ValueDecl *V = At.find(N->Name);
        const auto *Variable = dyn_cast_or_null<VarDecl>(V);
        if (!V)
          Uses.This |= isa_and_nonnull<FieldDecl>(hsched::cc::memberOf(S, B.Function, N->Name));
        else if (before(V->getLocation(), Begin) && (!Variable || Variable->hasLocalStorage()))
          Uses.Variables.insert({V, {N->Loc, {}, true}});
      }
    }
  }

  // Appends T and, if T names a macro, what the macro and those in it consist of.
  void appendExpanded(const Token &T, SourceLocation Place, std::set<const MacroInfo *> &Inside,
                      std::vector<Token> &Into) const {
    Into.push_back(T);
    if (T.is(tok::raw_identifier)) {
      IdentifierInfo *Name = S.PP.getIdentifierInfo(T.getRawIdentifier());
      Into.back().setIdentifierInfo(Name);
      Into.back().setKind(Name->getTokenID());
    }
    const MacroInfo *M = macroAt(S.PP, T, Place);
    if (!M || !Inside.insert(M).second)
      return;
    for (const Token &In : M->tokens())
      appendExpanded(In, Place, Inside, Into);
    Inside.erase(M);
  }

  // Variables that the statement's text names, as the AST may lack parts of it. A macro's own text counts.
  void usesOfTokens(BlockUses &Uses) {
    const SourceLocation Begin = SM.getExpansionLoc(B.Target->getBeginLoc());
    const CXXMethodDecl *Method = nullptr; // Its object may be captured.
    for (const FunctionDecl *F : llvm::reverse(Place.Functions)) {
      const auto *M = dyn_cast<CXXMethodDecl>(F);
      const CXXRecordDecl *Lambda = M && M->getParent()->isLambda() ? M->getParent() : nullptr;
      if (!Lambda)
        Method = M && M->isInstance() ? M : nullptr;
      const auto isObject = [](const LambdaCapture &Each) { return Each.capturesThis(); };
      if (!Lambda || (Lambda->getLambdaCaptureDefault() == LCD_None && llvm::none_of(Lambda->captures(), isObject)))
        break;
    }
    bool Behind = false, Scoped = false; // Behind '.' or '->'; behind '::'.
    const auto see = [&](const Token &T) {
      const IdentifierInfo *Name = Behind ? nullptr : T.getIdentifierInfo();
      const ValueDecl *V = Name && !Scoped ? Place.find(Name->getName()) : nullptr;
      const auto *Variable = dyn_cast_or_null<VarDecl>(V);
      if (V && (!Variable || Variable->hasLocalStorage()) && SM.isBeforeInTranslationUnit(V->getLocation(), Begin))
        Uses.Variables.insert({V, {Begin, {}, true}});
      else if (Name && !V && Method)
        Uses.This |= Name->getName() == "this" || isMember(*Method, *Name);
      Behind = T.isOneOf(tok::period, tok::arrow);
      Scoped = T.is(tok::coloncolon);
    };
    std::vector<Token> Tokens;
    std::set<const MacroInfo *> Inside;
    for (const Token &T : tokensFrom(Context, Begin)) {
      if (!SM.isBeforeInTranslationUnit(T.getLocation(), B.End))
        break;
      appendExpanded(T, Begin, Inside, Tokens);
    }
    unsigned Returns = countOf(Stmt::ReturnStmtClass, B.Target), Breaks = countOf(Stmt::BreakStmtClass, B.Target);
    for (size_t I = 0, Own = 0; I != Tokens.size(); ++I) {
      const Token &T = Tokens[I];
      if (I >= Own) // Its 'return' does not leave the statement.
        Own = std::max(Own, behindFunction(Tokens, I));
      // One that the AST lacks might leave the statement, and the generated function would end in its place.
      if (I >= Own &&
          ((T.is(tok::kw_return) && Returns-- == 0) || (T.is(tok::kw_break) && B.Code.Loop && Breaks-- == 0)))
        return bad(T.getLocation(),
                   "only the host compiler understands this '%0', which may leave the statement of the task",
                   T.getIdentifierInfo()->getName().str());
      see(T);
    }
    changesInTokens(Tokens, Uses);
  }

  // Marks variables that the tokens assign to. What may be declared again there is left out.
  void changesInTokens(llvm::ArrayRef<Token> Tokens, BlockUses &Uses) {
    std::map<const ValueDecl *, SourceLocation> Assigned;
    std::set<const ValueDecl *> Again;
    for (size_t I = 1; I + 1 < Tokens.size(); ++I) {
      const IdentifierInfo *Name = Tokens[I].getIdentifierInfo();
      const ValueDecl *V = Name ? Place.find(Name->getName()) : nullptr;
      const Token &Before = Tokens[I - 1], &Next = Tokens[I + 1];
      if (!V)
        continue;
      if (Before.isOneOf(tok::semi, tok::l_brace, tok::r_brace, tok::l_paren, tok::r_paren, tok::kw_else, tok::kw_do)) {
        if (Next.isOneOf(tok::plusplus, tok::minusminus) ||
            getBinOpPrecedence(Next.getKind(), true, true) == prec::Assignment)
          Assigned.emplace(V, Tokens[I].getLocation());
      } else if (Before.isOneOf(tok::plusplus, tok::minusminus)) {
        Assigned.emplace(V, Tokens[I].getLocation());
      } else if (Before.getIdentifierInfo() || Before.isOneOf(tok::star, tok::amp, tok::greater, tok::comma)) {
        Again.insert(V);
      }
    }
    for (const auto &[V, Loc] : Assigned)
      if (const auto It = Uses.Variables.find(V); It != Uses.Variables.end() && !Again.count(V)) {
        It->second.Changed = Loc;
        AssignedInText.insert(V);
      }
  }

  // True if the object of M may have a member of that name: a base class that is not known yet may have any.
  bool isMember(const CXXMethodDecl &M, const IdentifierInfo &Name) const {
    const CXXRecordDecl *Class = M.getParent();
    if (Name.getTokenID() != tok::identifier || !Class->hasDefinition())
      return false;
    LookupResult Found(S, DeclarationName(&Name), M.getLocation(), Sema::LookupMemberName);
    Found.suppressDiagnostics();
    S.LookupQualifiedName(Found, const_cast<CXXRecordDecl *>(Class));
    return llvm::any_of(Found, [](const NamedDecl *D) {
      D = D->getUnderlyingDecl();
      return isa<FieldDecl, IndirectFieldDecl, CXXMethodDecl, FunctionTemplateDecl, UsingShadowDecl,
                 UnresolvedUsingValueDecl>(D);
    });
  }

  static unsigned countOf(Stmt::StmtClass Kind, const Stmt *S) {
    unsigned N = S && S->getStmtClass() == Kind;
    if (S && !isa<LambdaExpr>(S))
      for (const Stmt *Inner : S->children())
        N += countOf(Kind, Inner);
    return N;
  }

  // Variables in sizes of types that the block declares again.
  void usesOfSizes(BlockUses &Uses) {
    std::vector<std::pair<const ValueDecl *, SourceLocation>> Sizes;
    for (const auto &[V, Use] : Uses.Variables)
      for (const clang::Expr *E : runTimeSizes(V->getType()))
        if (std::vector<const ValueDecl *> In; !written(E, &In).empty())
          for (const ValueDecl *Size : In)
            Sizes.emplace_back(Size, Use.First);
    for (const auto &[Size, Loc] : Sizes)
      Uses.Variables.insert({Size, {Loc, {}, true}});
  }

  // A size, as text that means the same in the block: of numbers that the function does not change. Empty: it has none.
  // Variables: receives those in it.
  std::string written(const clang::Expr *E, std::vector<const ValueDecl *> *Variables = nullptr) const {
    E = E->IgnoreParenImpCasts();
    if (const auto *Number = dyn_cast<IntegerLiteral>(E))
      return llvm::toString(Number->getValue(), 10, /*Signed=*/true);
    if (const auto *Both = dyn_cast<BinaryOperator>(E); Both && (Both->isAdditiveOp() || Both->isMultiplicativeOp())) {
      const std::string L = written(Both->getLHS(), Variables), R = written(Both->getRHS(), Variables);
      return L.empty() || R.empty() ? "" : "(" + L + " " + Both->getOpcodeStr().str() + " " + R + ")";
    }
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!V || !V->hasLocalStorage() || !V->getType()->isIntegerType() || Place.find(V->getName()) != V ||
        !onlyRead(Place.Functions.front()->getBody(), V))
      return "";
    if (Variables)
      Variables->push_back(V);
    return V->getNameAsString();
  }

  // A template's statement changes what its instances change, if there are any.
  void judgeByInstances(BlockUses &Uses) {
    std::map<SourceLocation, SourceLocation> Changed; // By place of the variable.
    bool Any = false;
    InlinePlace InInstance = Place;
    InInstance.Dependent = false;
    for (const FunctionDecl *Body : instancesAround(*B.Function))
      for (const Stmt *Target : instancesOf(*B.Target, Body->getBody())) {
        Any = true;
        for (const auto &[V, Use] : usesOf(Context, Target, InInstance, B.Code.Loop.has_value()).Variables)
          if (Use.Changed.isValid())
            Changed.emplace(V->getLocation(), Use.Changed);
      }
    if (Any)
      for (auto &[V, Use] : Uses.Variables)
        Use.Changed = Changed[V->getLocation()];
  }

  // Variables of variably modified types that only the directive's own clauses name: generated code declares them
  // again.
  void captureForClauses(const std::map<const ValueDecl *, CaptureCode::How> &Named) {
    if (!Context.getLangOpts().CPlusPlus)
      return;
    std::vector<const ValueDecl *> Variables;
    for (const auto &[V, H] : Named)
      Variables.push_back(V);
    for (const NameUse *N : B.D->names())
      if (const ValueDecl *V = Place.find(N->Name))
        Variables.push_back(V);
    llvm::stable_sort(Variables, [&](const ValueDecl *X, const ValueDecl *Y) {
      return SM.isBeforeInTranslationUnit(X->getLocation(), Y->getLocation());
    });
    for (const ValueDecl *V : Variables) {
      if (!hasRunTimeSize(V->getType()) || !V->getIdentifier() ||
          llvm::any_of(B.Code.Captures, [&](const CaptureCode &C) { return C.Name == V->getName(); }))
        continue;
      CaptureCode C;
      C.Name = V->getNameAsString();
      C.ForClauses = true;
      declareAgain(
          Context, V->getType(), std::to_string(B.Code.Line) + C.Name, [&](const clang::Expr *E) { return written(E); },
          C);
      B.Code.Captures.push_back(std::move(C));
    }
  }

  // True if V counts a loop inside whose directive gives each thread or task its own V.
  bool countsInner(const ValueDecl *V) const {
    return llvm::any_of(*Out.Directives, [&](const Directive &D) {
      if (!D.isLoop() || D.Loc == B.D->Loc || !SM.isPointWithin(D.Hash, B.Target->getBeginLoc(), B.End))
        return false;
      const auto *For = dyn_cast_or_null<ForStmt>(inlinePlaceOf(Context, B.Function, D.End).Target);
      const auto *Start = For ? dyn_cast_or_null<BinaryOperator>(For->getInit()) : nullptr;
      const auto *Ref = Start ? dyn_cast<DeclRefExpr>(Start->getLHS()->IgnoreParens()) : nullptr;
      return Ref && Ref->getDecl() == V;
    });
  }

  // True if V is only used in tasks and loops inside whose directives give each its own V.
  bool ownInside(const ValueDecl *V) const {
    std::vector<const Stmt *> Own;
    for (const Directive &D : *Out.Directives)
      if (D.Loc != B.D->Loc && SM.isPointWithin(D.Hash, B.Target->getBeginLoc(), B.End) &&
          llvm::any_of(D.Variables, [&](const NamedVariable &N) {
            return N.Name == V->getName() &&
                   (N.H == NamedVariable::How::Private || N.H == NamedVariable::How::FirstPrivate);
          }))
        Own.push_back(inlinePlaceOf(Context, B.Function, D.End).Target);
    return !Own.empty() && !mentionedOutside(B.Target, V, Own);
  }

  static bool mentionedOutside(const Stmt *S, const ValueDecl *V, llvm::ArrayRef<const Stmt *> Own) {
    if (!S || llvm::is_contained(Own, S))
      return false;
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    return (Ref && Ref->getDecl() == V) ||
           llvm::any_of(S->children(), [&](const Stmt *C) { return mentionedOutside(C, V, Own); });
  }

  // The loop ends after its threads' work, so it uses the variables themselves. Unchanged variables are copied if that
  // is cheap, so that the compiler can optimise.
  void captureShared(const ValueDecl *V, const VariableUse &Use) {
    const QualType T = V->getType();
    const bool Scalar = T->isScalarType() && !T->isReferenceType();
    const bool Changed = Use.Changed.isValid() || Options.Missing.isValid();
    capture(V, Use.First, Scalar && !Changed ? CaptureCode::How::Value : CaptureCode::How::Reference);
    if (Use.Changed.isInvalid() || !T->isScalarType() || T->isDependentType() || countsInner(V) || ownInside(V))
      return;
    const std::string Name = V->getNameAsString();
    warn(Diags, Warning::Capture, Use.Changed,
         "every iteration changes '%0', and threads do so at the same time: write reduction(+: %0) or the like, "
         "private(%0), or declare '%0' in the loop; shared(%0) where the program sees to it",
         Name);
    note(Diags, V->getLocation(), "'%0' is declared here", Name);
  }

  void capture(const ValueDecl *V, SourceLocation Loc, CaptureCode::How H) {
    if (!V->getIdentifier()) {
      bad(Loc, "a member of an anonymous union cannot be used in a task on a statement: give the union a name");
      return;
    }
    QualType T = V->getType();
    std::string Name = V->getNameAsString();
    std::string Type = T.getNonReferenceType().getUnqualifiedType().getAsString(Context.getPrintingPolicy());
    unsigned Before = Context.getDiagnostics().getNumErrors();
    if (isa<BindingDecl>(V) && !Context.getLangOpts().CPlusPlus20)
      bad(Loc,
          "structured binding '%0' cannot be used in a task on a statement before C++20: give it a name of its own in "
          "front of the directive, as in 'auto &other = %0;', or compile with -std=c++20",
          Name);
    else if (H == CaptureCode::How::Value && !copyable(T.getNonReferenceType(), Loc))
      bad(Loc,
          "'%0' of type '%1' cannot be copied into the task: name it in a data clause, as in 'inout(%0)', so that the "
          "task works on the object itself, or use a pointer to it",
          Name, Type);
    else if (H == CaptureCode::How::Either && V->isParameterPack())
      bad(Loc,
          "the parameter pack '%0' is named in a data clause and passed by value, so that it is unknown whether its "
          "elements are pointers: make it '%1', or pointers",
          Name, "&..." + Name);
    const bool Sliced = H == CaptureCode::How::Value && slices(T) && Context.getDiagnostics().getNumErrors() == Before;
    if (Sliced)
      warn(Diags, Warning::Capture, Loc,
           "'%0' refers to an object that may be of a class derived from '%1', but the task gets a copy of its '%1' "
           "alone: name it in a data clause, or use a pointer to it",
           Name, Type, fixWith(*B.D, "inout(" + Name + ")"));
    if (Sliced || Context.getDiagnostics().getNumErrors() != Before)
      note(Diags, V->getLocation(), "'%0' is declared here", Name);
    CaptureCode C;
    C.Name = Name;
    C.Type = T.getAsString(Context.getPrintingPolicy());
    C.H = H;
    C.Pack = V->isParameterPack();
    if (Context.getLangOpts().CPlusPlus && hasRunTimeSize(T))
      declareAgain(Context, T, std::to_string(B.Code.Line) + Name, [&](const clang::Expr *E) { return written(E); }, C);
    if (!Context.getLangOpts().CPlusPlus)
      Good &= fitForC(*this, B, V, Loc, C);
    B.Code.Captures.push_back(std::move(C));
  }

  // A class of the program; for the standard library's classes, the statements show what happens.
  bool ownsMemory(QualType T) const {
    T = Context.getBaseElementType(T);
    const CXXRecordDecl *R = T->getAsCXXRecordDecl();
    return R && R->hasDefinition() && !R->isInStdNamespace() && !T.isTriviallyCopyableType(Context);
  }

  // True if V's value is read after the statement, as in the serial program.
  bool seenLater(const ValueDecl *V) const {
    return usedLater(Context, V, B.Target, B.End, Place, B.Code.Loop.has_value());
  }

  static bool slices(QualType T) {
    const CXXRecordDecl *R = T->isReferenceType() ? T->getPointeeType()->getAsCXXRecordDecl() : nullptr;
    return R && R->hasDefinition() && R->isPolymorphic() && !R->isEffectivelyFinal();
  }

  bool copyable(QualType T, SourceLocation Loc) {
    if (!Context.getLangOpts().CPlusPlus)
      return true;
    T = Context.getBaseElementType(T);
    if (T->isDependentType() || T->isUndeducedType() || !T->isRecordType())
      return true;
    const CXXRecordDecl *R = T->getAsCXXRecordDecl();
    if (!R || !R->hasDefinition())
      return S.isCompleteType(Loc, T) && T->getAsCXXRecordDecl() && copyable(T, Loc);
    if (R->isAbstract())
      return false;
    for (const CXXConstructorDecl *Constructor : R->ctors())
      if (Constructor->isCopyConstructor() && Constructor->getAccess() != AS_public && !memberOf(R))
        return false;
    if (const auto *Instance = dyn_cast<ClassTemplateSpecializationDecl>(R); isLibrary(Instance, ClassCopiesElements))
      for (const TemplateArgument &A : Instance->getTemplateArgs().asArray())
        if (A.getKind() == TemplateArgument::Type && !copyable(A.getAsType(), Loc))
          return false;
    auto from = [&](QualType Source, ExprValueKind Kind) {
      OpaqueValueExpr Value(Loc, Source, Kind);
      clang::Expr *Argument = &Value;
      return !InitializationSequence(S, InitializedEntity::InitializeTemporary(T.getUnqualifiedType()),
                                     InitializationKind::CreateCopy(Loc, Loc), Argument)
                  .Failed();
    };
    // The variable is copied, and then the closure is moved, or copied if it cannot be moved.
    return from(T, VK_LValue) && (from(T, VK_XValue) || from(T.withConst(), VK_LValue));
  }

  bool memberOf(const CXXRecordDecl *R) const {
    for (const FunctionDecl *F : Place.Functions)
      for (const DeclContext *DC = F->getDeclContext(); DC; DC = DC->getParent())
        if (DC->getPrimaryContext() == R->getPrimaryContext())
          return true;
    return false;
  }

  void checkLost(const ValueDecl *V, SourceLocation Changed, const ValueDecl *LoopVariable) {
    if (!seenLater(V))
      return;
    if (V != LoopVariable)
      return warnLost(Diags, Context, *B.D, *V, Changed);
    // No clause names it, so each chunk has its own value.
    const std::string Name = V->getNameAsString();
    warn(Diags, Warning::Capture, Changed,
         "each task of the loop counts by a '%0' of its own, and what it ends with is lost: declare '%0' in the "
         "loop, and set the one outside behind it",
         Name);
    note(Diags, V->getLocation(), "'%0' is declared here", Name);
  }
};

} // namespace

void warnLost(DiagnosticsEngine &Diags, ASTContext &Context, const Directive &D, const ValueDecl &Variable,
              SourceLocation Changed) {
  const std::string Name = Variable.getNameAsString();
  if (captureMode(Context, Variable.getType()) == CaptureCode::How::Value) // A clause would name its target.
    warn(Diags, Warning::Capture, Changed,
         "the task changes a copy of '%0' that is its own, and the change is lost: declare '%0' inside the statement, "
         "or change it through a pointer to it",
         Name);
  else
    warn(Diags, Warning::Capture, Changed,
         "the task changes a copy of '%0' that is its own, and the change is lost: write 'inout(%0)' or 'out(%0)' on "
         "the directive, or declare '%0' inside the statement",
         Name, fixWith(D, "inout(" + Name + ")"));
  note(Diags, Variable.getLocation(), "'%0' is declared here", Name);
}

bool captureBlock(BindContext C, BoundInline &B, const InlinePlace &Place,
                  const std::map<const ValueDecl *, CaptureCode::How> &Named, const ValueDecl *LoopVariable) {
  return Capturer(C, B, Place).run(Named, LoopVariable);
}

} // namespace hsched::cc
