// Statement tasks: their place, and the variables in their clauses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Fixes.h"
#include "analysis/bind/Conditions.h"
#include "analysis/bind/Internal.h"
#include "analysis/infer/Expressions.h"
#include "analysis/infer/Macros.h"
#include "analysis/inline/Sizes.h"
#include "analysis/inline/Text.h"
#include "hsched/abi.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/Sema/Lookup.h"

using namespace clang;

namespace hsched::cc {
namespace {

// True if a class is a pointer and a size, as std::span: a copy refers to the same data.
bool isView(ASTContext &Context, QualType T) {
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  if (elementOfContainer(Context, T).isNull() || !T.isTriviallyCopyableType(Context))
    return false;
  llvm::SmallVector<const CXXRecordDecl *, 4> Left{R->getDefinition()};
  while (!Left.empty()) {
    const CXXRecordDecl *Next = Left.pop_back_val();
    for (const FieldDecl *F : Next->fields())
      if (F->getType()->isArrayType())
        return false; // std::array contains its data.
    for (const CXXBaseSpecifier &Base : Next->bases())
      if (const CXXRecordDecl *Record = Base.getType()->getAsCXXRecordDecl(); Record && Record->hasDefinition())
        Left.push_back(Record->getDefinition());
  }
  return true;
}

} // namespace

CaptureCode::How captureMode(ASTContext &Context, QualType T) {
  if (const auto *Pack = T->getAs<PackExpansionType>()) {
    T = Pack->getPattern();
    if (T->isReferenceType()) // The elements cannot be taken one by one, each as its type demands.
      return CaptureCode::How::Reference;
  }
  T = T.getNonReferenceType();
  if (T->isPointerType())
    return CaptureCode::How::Value;
  if (T->isArrayType())
    return CaptureCode::How::Reference;
  if (T->isDependentType() || T->isUndeducedType())
    return CaptureCode::How::Either;
  return isView(Context, T) ? CaptureCode::How::Value : CaptureCode::How::Reference;
}

namespace {

class InlineBinder : public BindContext {
public:
  explicit InlineBinder(const BindContext &C) : BindContext(C) {}

  void bind(const Directive &D, const FunctionDecl *Function) {
    BoundInline B;
    B.D = &D;
    B.Function = this->Function = Function;
    End = D.End;
    Place = inlinePlaceOf(Context, Function, D.End);
    B.Bad = D.Bad || !checkPlace(B) || !checkClauses(B);
    if (!B.Bad) {
      identify(B);
      B.Bad |= D.isLoop() && !bindLoop(*this, B, Place, Loop);
    }
    if (!B.Bad) {
      if (D.isLoop()) {
        B.Code.Loop->Shared = D.isShared();
        B.Code.Loop->Waits = D.Kind == DirectiveKind::For && !D.isShared() && !D.NoWait;
      }
      bindClauses(B);
      for (const ValueDecl *V : Loop.Inner)
        Named[V] = CaptureCode::How::Own;
      bindVariables(B);
      B.Bad |= !captureBlock(*this, B, Place, Named, Loop.Variable);
    }
    Out.Failed |= B.Bad;
    Out.Inlines.push_back(std::move(B));
  }

private:
  InlinePlace Place;
  const FunctionDecl *Function = nullptr;
  SourceLocation End;                                  // The end of the directive.
  std::map<const ValueDecl *, CaptureCode::How> Named; // Variables in data clauses.
  std::vector<const ValueDecl *> Reduced;              // Ordered by their accesses.
  LoopHead Loop;

  bool checkPlace(BoundInline &B) {
    const Directive &D = *B.D;
    const char *Name = spelling(D.Kind);
    if (Options.Missing.isValid() && !Place.Functions.empty() && (!checkText(B) || B.Target))
      return B.Target != nullptr;
    const Stmt *S = B.Target = Place.Target;
    const auto *Around = Place.Around.empty() ? nullptr : dyn_cast<DeclStmt>(Place.Around.back());
    if (!S && Around && llvm::any_of(Around->decls(), [](const Decl *In) { return isa<CXXRecordDecl>(In); }))
      return fail(D.Loc,
                  "'%0' cannot apply to a member of a local class: such a class has no name outside of its function; "
                  "declare the class outside of the function",
                  Name);
    if (!S)
      return fail(D.Loc, "'%0' inside a function must be followed by a statement", Name);
    SourceLocation Begin = S->getBeginLoc();
    if (isa<DeclStmt>(S))
      return fail(Begin,
                  "a declaration cannot be a task: what it declares would be gone; declare it before the directive");
    if (isa<LabelStmt, SwitchCase>(S))
      return fail(Begin, "a label cannot be between '%0' and its statement: put it in front of the directive", Name);
    for (const FunctionDecl *F : Place.Functions)
      if (const auto *M = dyn_cast<CXXMethodDecl>(F); F->isConstexpr() && !(M && M->getParent()->isLambda()))
        return fail(D.Loc, "a constexpr function cannot submit tasks");
    B.End = endOfStatement(Context, S);
    if (B.End.isInvalid())
      return fail(Begin, "the end of this statement is in a macro: put braces around the statement");
    return true;
  }

  // Where the AST may lack parts, the text says what the statement is. A statement that the AST lacks becomes B.Target,
  // without parts. False after an error.
  bool checkText(BoundInline &B) {
    const std::vector<Token> Tokens = tokensFrom(Context, End);
    const SourceLocation Begin = Tokens.empty() ? SourceLocation() : Tokens.front().getLocation();
    const bool Same = Place.Target && SM.getExpansionLoc(Place.Target->getBeginLoc()) == Begin;
    const SourceLocation Known = Same ? endOfStatement(Context, Place.Target) : SourceLocation();
    if (hasConditions(End, Begin)) // The tokens may be those of another branch.
      return fail(
          B.D->Loc,
          "only the host compiler understands all of what is behind '%0': '#if' cannot be between it and its %1",
          spelling(B.D->Kind), B.D->isLoop() ? "loop" : "statement");
    if (!Same || !isa<CompoundStmt>(Place.Target))
      if (const SourceLocation TextEnd = endOfText(Tokens, [&](const Token &T) { return macroAt(S.PP, T, Begin); });
          TextEnd != Known || (TextEnd.isInvalid() && Begin.isValid() && Tokens.front().isNot(tok::r_brace)) ||
          hasConditions(Begin, TextEnd)) {
        if (TextEnd.isInvalid() || B.D->isLoop() || hasConditions(Begin, TextEnd))
          return fail(B.D->Loc,
                      "only the host compiler understands all of what is behind '%0': put braces around the %1",
                      spelling(B.D->Kind), B.D->isLoop() ? "loop's body" : "statement");
        B.Target = Place.Target = new (Context) NullStmt(Begin);
        B.End = TextEnd;
      }
    return true;
  }

  // True if #if and the like are between Begin and End.
  bool hasConditions(SourceLocation Begin, SourceLocation End) const {
    if (Begin.isInvalid() || End.isInvalid())
      return false;
    const std::string Text =
        SM.getBufferData(SM.getFileID(Begin)).slice(SM.getFileOffset(Begin), SM.getFileOffset(End)).str();
    return withoutConditions(Text, Context.getLangOpts(), /*Whole=*/true) != Text;
  }

  bool checkClauses(BoundInline &B) {
    const Directive &D = *B.D;
    const char *Form = D.isLoop() ? "a loop" : "a statement";
    if (D.Kernel)
      return fail(D.Kernel->Loc, "clause 'kernel' belongs to a function: a task on %0 runs on the CPU", Form);
    if (D.Range)
      return fail(D.Range->Loc, "clause 'ndrange' belongs to a function: a task on %0 runs on the CPU", Form);
    if (D.Args)
      return fail(D.ArgsLoc, "clause 'args' belongs to a function: a task on %0 runs on the CPU", Form);
    if (D.Options)
      return fail(D.Options->Loc, "clause 'options' belongs to a function: a task on %0 runs on the CPU", Form);
    if (!D.Packed.empty())
      return fail(D.Packed.front().TileLoc, "clause 'packed' belongs to a function: a task on %0 runs on the CPU",
                  Form);
    for (const DeviceChoice &C : D.Devices)
      if (C.Kind != HSCHED_DEVICE_CPU)
        return fail(C.Loc,
                    "a task on %0 runs on the CPU, not on '%1': make it a function with 'task', and give that a "
                    "version for '%1'",
                    Form, C.Text);
    if (D.isShared())
      for (auto [Given, What] :
           {std::pair(&D.Priority, "priority"), std::pair(&D.Label, "label"), std::pair(&D.Final, "final"),
            std::pair(&D.Cost, "cost"), std::pair(&D.Where, "where")})
        if (*Given)
          return fail((*Given)->Begin,
                      "clause '%0' belongs to tasks, and this 'for' makes none: name its data, or write 'taskloop'",
                      What);
    return true;
  }

  // Sets the names of the task: unique ones for the program, and readable ones.
  void identify(BoundInline &B) {
    InlineCode &C = B.Code;
    const FunctionDecl *F = B.Function;
    const auto *Method = dyn_cast<CXXMethodDecl>(F);
    const bool Lambda = Method && Method->getParent()->isLambda(); // Inside a variable's initialiser.
    C.Function = Lambda ? "lambda" : F->getQualifiedNameAsString();
    for (size_t At; (At = C.Function.find("(anonymous namespace)::")) != std::string::npos;)
      C.Function.erase(At, 23);
    PresumedLoc Where = SM.getPresumedLoc(B.D->Loc);
    C.File = Where.isValid() ? Where.getFilename() : Options.MainFile;
    C.Line = Where.isValid() ? Where.getLine() : 0;
    C.Name = C.Function + ":" + std::to_string(C.Line);
    unsigned Number = 0;
    for (const BoundInline &Other : Out.Inlines)
      Number += Other.Function == F;
    C.Generic = Place.Dependent;
    C.LinkerName = Lambda      ? C.Name
                   : C.Generic ? C.Function + " " + F->getType().getAsString()
                               : ASTNameGenerator(Context).getName(F);
    C.LinkerName += "#" + std::to_string(Number);
    if (Lambda || !F->isExternallyVisible())
      C.LinkerName += "@" + Out.UnitId;
    C.Id = std::to_string(C.Line) + "_" + hashed(C.LinkerName);
    C.Defined = true;
    C.InTemplate = C.Generic;
    C.Devices.push_back({HSCHED_DEVICE_CPU, HSCHED_TYPE_ANY, "cpu", B.D->Loc});
  }

  const ValueDecl *find(llvm::StringRef Name) const {
    return Loop.Variable && Loop.Variable->getName() == Name ? Loop.Variable : Place.find(Name);
  }
  bool namesVariable(const Expr &E) const {
    return Loop.Variable && llvm::any_of(E.Names, [&](const NameUse &N) { return Loop.Variable->getName() == N.Name; });
  }

  bool checkNames(const Expr &E, const char *Clause, const Section *Of = nullptr) {
    bool Good = true;
    for (const NameUse &N : E.Names) {
      bool Known =
          find(N.Name) != nullptr || N.Called || (Of && Of->generates(N.Name)) ||
          llvm::any_of(Place.Types, [&](const NamedDecl *D) { return D->getIdentifier() && D->getName() == N.Name; });
      for (const FunctionDecl *F : Place.Functions) {
        if (const FunctionTemplateDecl *T = F->getDescribedFunctionTemplate())
          for (const NamedDecl *P : *T->getTemplateParameters())
            Known |= P->getName() == N.Name;
        Known = Known || visibleFrom(S, F, N.Name, N.Loc);
      }
      Known = Known || Names(S, *Function, End, Loop.Variable).find(N.Name) != nullptr;
      if (!Known)
        Good = fail(N.Loc, "unknown name '%0' in clause '%1'", N.Name, Clause);
    }
    return Good &&
           (Place.Dependent || checkMeaning(*this, Names(S, *Function, End, Loop.Variable), *Function, E, Clause, Of));
  }

  void bindClauses(BoundInline &B) {
    const Directive &D = *B.D;
    InlineCode &C = B.Code;
    for (const DataClause &Data : D.Data)
      for (const Section &Sec : Data.Sections)
        bindSection(B, Data, withoutMacro(S.PP, Sec));
    checkReduced(B);
    auto hint = [&](const std::optional<Expr> &Given, const char *Clause, std::string &To) {
      if (!Given)
        return;
      if (checkNames(*Given, Clause))
        To = Given->Text;
      else
        B.Bad = true;
      if (C.Loop)
        C.Loop->Hints |= namesVariable(*Given);
    };
    hint(D.Priority, "priority", C.Priority);
    hint(D.Label, "label", C.Label);
    hint(D.If, "if", C.If);
    hint(D.Final, "final", C.Final);
    hint(D.Cost, "cost", C.Cost);
    hint(D.Where, "where", C.Where);
    if (D.Grainsize && namesVariable(*D.Grainsize))
      B.Bad = !fail(D.Grainsize->Begin, "the grain of a %0 cannot depend on its variable", spelling(D.Kind));
    else if (D.Grainsize)
      hint(D.Grainsize, "grainsize", C.Loop->Grain);
    C.HintLine = SM.getPresumedLineNumber(D.Loc);
  }

  // How the statement captures a variable: shared, firstprivate, private.
  void bindVariables(BoundInline &B) {
    using How = NamedVariable::How;
    std::map<const ValueDecl *, const NamedVariable *> Seen;
    for (const NamedVariable &V : B.D->Variables) {
      const char *Clause = spelling(V.H);
      const ValueDecl *D = find(V.Name);
      if (!D) {
        // Variables outside of functions are the same for all tasks.
        if (!valueOf(V.Name, V.Loc))
          B.Bad = !fail(V.Loc, "unknown name '%0' in clause '%1'", V.Name, Clause);
        else if (V.H == How::FirstPrivate || V.H == How::Private)
          B.Bad =
              !fail(V.Loc,
                    "'%0' is not a variable of this function, so that the task cannot have one of its own: declare a "
                    "variable in the statement",
                    V.Name);
        continue;
      }
      if (D == Loop.Variable || llvm::is_contained(Loop.Inner, D)) {
        if (V.H != How::Private)
          B.Bad = !fail(V.Loc, "'%0' is the loop's variable, of which each task has its own", V.Name);
        continue;
      }
      // A pointer in a data clause is copied; anything else is captured by reference.
      auto Data = Named.find(D);
      const bool First = Seen.try_emplace(D, &V).second;
      const bool AsData = First && Data != Named.end() &&
                          ((V.H == How::FirstPrivate && Data->second == CaptureCode::How::Value) ||
                           ((V.H == How::Shared || V.H == How::Unused) && Data->second != CaptureCode::How::Reduced));
      if (AsData)
        continue;
      if (!First || Data != Named.end()) {
        B.Bad = !fail(V.Loc, "'%0' is named in two clauses: one of them says how the task has it", V.Name);
        continue;
      }
      Named[D] = V.H == How::FirstPrivate ? CaptureCode::How::Value
                 : V.H == How::Private    ? CaptureCode::How::Own
                                          : CaptureCode::How::Reference;
    }
  }

  // The variable with which a section's base begins: the first name outside brackets that is not just an offset, as i
  // in (&matrix[0][0] + i)[0:n].
  const ValueDecl *rootOf(const Expr &Base) const {
    for (const NameUse &N : Base.Names) {
      const ValueDecl *V = N.Index ? nullptr : find(N.Name);
      if (V && !(N.Operand && V->getType().getNonReferenceType()->isScalarType() &&
                 !V->getType().getNonReferenceType()->isPointerType()))
        return V;
    }
    return nullptr;
  }

  void bindSection(BoundInline &B, const DataClause &Data, const Section &Sec) {
    const char *Clause = spelling(Data.Role);
    bool Good = true, Iterates = false, Uneven = false;
    const Names Called(S, *Function, End, Loop.Variable);
    const Expressions Built(S, Called, *Function, *Function);
    for (const Expr *E : Sec.expressions()) {
      Good &= checkNames(*E, Clause, &Sec);
      if (Loop.Variable && !Sec.generates(Loop.Variable->getNameAsString()))
        Iterates |= namesVariable(*E) || Built.yields(E->Text, Loop.Variable->getName());
    }
    if (Iterates && Good) {
      auto type = [&](llvm::StringRef Name) {
        QualType T = typeOf(Name, Sec.Loc);
        if (!T.isNull() && !T->isDependentType() && !T->isUndeducedType())
          S.isCompleteType(Sec.Loc, T.getNonReferenceType());
        return T;
      };
      const LoopSection Found = loopSection(Context, Sec, Loop.Variable->getNameAsString(), type, Built);
      Uneven = Found.Uneven;
      if (!Found.Problem.empty())
        Good = fail(Sec.Loc, "%0", Found.Problem);
    }
    if (!Good) {
      B.Bad = true;
      return;
    }
    AccessCode A{Data.Role, -1, Sec, SM.getPresumedLineNumber(Sec.Loc), ""};
    A.Iterates = Iterates;
    A.Uneven = Uneven;
    A.PerIteration = Iterates && listDependsOn(Sec, Loop.Variable->getNameAsString());
    if (PresumedLoc Where = SM.getPresumedLoc(Sec.Loc); Where.isValid())
      A.File = Where.getFilename();
    const ValueDecl *V = rootOf(Sec.Base);
    if (V && hasRunTimeSize(V->getType()))
      measureRows(Context, Sec.BaseName.empty() ? Built.typeOf(Sec.Base.Text, Sec) : V->getType(), A.What);
    if (Data.Role == AccessRole::Reduction) {
      B.Bad |= !bindReduced(B, Data, Sec, A);
      return;
    }
    if (V && !Sec.BaseName.empty()) {
      // A variable is named itself: a reference would be, too.
      QualType T = referenceTo(V->getType());
      // An object of any class can order tasks that run on the host.
      bool Object = Sec.F == Section::Form::Whole && T.getNonReferenceType()->isRecordType();
      std::string Problem = Object ? "" : sectionProblem(Context, Sec, T, "n");
      if (!Problem.empty()) {
        fail(Sec.Loc, "%0", Problem);
        note(Diags, V->getLocation(), "'%0' is declared here", V->getNameAsString());
        B.Bad = true;
        return;
      }
      if (Data.Role != AccessRole::In && hostArg(Context, T).PointeeConst &&
          !T.getNonReferenceType()->isPointerType()) {
        warn(Diags, Warning::Const, Sec.Loc, "'%0' cannot be '%1': it is const, so that only 'in' is possible",
             Sec.BaseName, Clause, fixRole(SM, *B.D, Sec.Loc, "in"));
        note(Diags, V->getLocation(), "'%0' is declared here", V->getNameAsString());
      }
    }
    if (!V && !checkGlobal(*this, Sec, valueOf(Sec.BaseName, Sec.Loc))) {
      B.Bad = true;
      return;
    }
    if (V)
      Named[V] = captureMode(Context, V->getType());
    A.What.Owner = !Iterates && mayOwn(Context, Sec, V && !Sec.BaseName.empty() ? V->getType() : QualType());
    const bool Member = !V && memberOf(S, B.Function, Sec.BaseName);
    A.What.Library = hasMemory(Context, Sec,
                               V        ? V->getType()
                               : Member ? memberType(S, B.Function, Sec.BaseName)
                                        : QualType(),
                               /*AnyClass=*/false);
    B.Code.Accesses.push_back(std::move(A));
  }

  // Binds Sec of a reduction: in the statement, the name denotes a private copy.
  bool bindReduced(BoundInline &B, const DataClause &Data, const Section &Sec, AccessCode &A) {
    const ValueDecl *V = Sec.BaseName.empty() ? nullptr : valueOf(Sec.BaseName, Sec.Loc);
    if (!V)
      return fail(Sec.Loc, "'%0' cannot be reduced: name a variable, through which the task reaches its private copy",
                  Sec.Text);
    if (V == Loop.Variable)
      return fail(Sec.Loc, "'%0' cannot be reduced: each task has one of its own", Sec.Text);
    Named[V] = CaptureCode::How::Reduced; // Even after an error, so that no other error follows.
    std::string Problem = sectionProblem(Context, Sec, referenceTo(V->getType()), "n");
    if (!Problem.empty()) {
      fail(Sec.Loc, "%0", Problem);
      note(Diags, V->getLocation(), "'%0' is declared here", V->getNameAsString());
      return false;
    }
    if (!bindReducedVariable(*this, B.Function, Data, Sec, V, A))
      return false;
    if (SourceLocation Loc = namedByAlias(B.Target, V); Loc.isValid())
      return fail(Loc, "this is not the task's private copy of '%0', but the variable that is reduced: write '%0'",
                  V->getNameAsString());
    if (SourceLocation Loc = namedInside(B, V); Loc.isValid())
      return fail(Loc,
                  "'%0' is the private copy of the reduction around this task, which the task may outlive: reduce '%0' "
                  "in this task, too",
                  V->getNameAsString());
    A.Param = static_cast<int>(Reduced.size());
    A.What.Library = hasMemory(Context, Sec, V->getType(), /*AnyClass=*/true);
    Reduced.push_back(V);
    B.Code.Accesses.push_back(std::move(A));
    return true;
  }

  // The place where S names V, a member or a namespace-scope variable, by a spelling that cannot denote a copy.
  static SourceLocation namedByAlias(const Stmt *S, const ValueDecl *V) {
    if (const auto *E = dyn_cast_or_null<DeclRefExpr>(S); E && E->getDecl() == V && E->hasQualifier())
      return E->getBeginLoc();
    if (const auto *E = dyn_cast_or_null<MemberExpr>(S);
        E && E->getMemberDecl() == V && isa<CXXThisExpr>(E->getBase()->IgnoreParenImpCasts()) && !E->isImplicitAccess())
      return E->getBeginLoc();
    if (const auto *E = dyn_cast_or_null<CXXDependentScopeMemberExpr>(S);
        E && !E->isImplicitAccess() && E->getMember() == V->getDeclName() &&
        isa<CXXThisExpr>(E->getBase()->IgnoreParenImpCasts()))
      return E->getBeginLoc();
    if (S)
      for (const Stmt *Child : S->children())
        if (SourceLocation Loc = namedByAlias(Child, V); Loc.isValid())
          return Loc;
    return {};
  }

  static SourceLocation named(const Stmt *S, const ValueDecl *V) {
    const auto *E = dyn_cast_or_null<DeclRefExpr>(S);
    const auto *M = dyn_cast_or_null<MemberExpr>(S);
    if ((E && E->getDecl() == V) || (M && M->getMemberDecl() == V && M->isImplicitAccess()))
      return S->getBeginLoc();
    if (S)
      for (const Stmt *Child : S->children())
        if (SourceLocation Loc = named(Child, V); Loc.isValid())
          return Loc;
    return {};
  }

  // The place where a task within B's statement names V, which is reduced and not captured: no automatic variable.
  SourceLocation namedInside(const BoundInline &B, const ValueDecl *V) const {
    if (const auto *Variable = dyn_cast<VarDecl>(V); !Variable || !Variable->hasLocalStorage())
      for (const Directive &D : *Out.Directives) {
        const auto Reduces = [&](const DataClause &Data) {
          return Data.Role == AccessRole::Reduction &&
                 llvm::any_of(Data.Sections, [&](const Section &S) { return S.BaseName == V->getName(); });
        };
        if (D.Loc == B.D->Loc || !SM.isPointWithin(D.Hash, B.Target->getBeginLoc(), B.End) ||
            (D.Kind != DirectiveKind::Task && !D.isLoop()) || llvm::any_of(D.Data, Reduces))
          continue;
        if (SourceLocation Loc = named(inlinePlaceOf(Context, B.Function, D.End).Target, V); Loc.isValid())
          return Loc;
      }
    return {};
  }

  // A reduced variable must be in no other clause.
  void checkReduced(BoundInline &B) {
    for (const ValueDecl *V : Reduced) {
      unsigned Times = 0;
      for (const DataClause &Data : B.D->Data)
        for (const Section &Sec : Data.Sections)
          if (const ValueDecl *Root = Sec.BaseName.empty() ? rootOf(Sec.Base) : valueOf(Sec.BaseName, Sec.Loc);
              Root == V && ++Times == 2)
            B.Bad =
                !fail(Sec.Loc, "'%0' is reduced, so that the task has a private copy of it: name it in no other clause",
                      V->getNameAsString());
    }
  }

  QualType referenceTo(QualType T) const { return T->isReferenceType() ? T : Context.getLValueReferenceType(T); }

  // Type of a variable that can be named at the directive; null: none.
  QualType typeOf(llvm::StringRef Name, SourceLocation Loc) const {
    const ValueDecl *V = valueOf(Name, Loc);
    return V ? V->getType() : QualType();
  }
  const ValueDecl *valueOf(llvm::StringRef Name, SourceLocation Loc) const {
    if (const ValueDecl *V = find(Name))
      return V;
    if (const auto *V = dyn_cast_or_null<ValueDecl>(Names(S, *Function, End, Loop.Variable).find(Name)))
      return V;
    return valueNamed(S, Place.Functions.back(), Name, Loc);
  }
};

} // namespace

void bindInline(BindContext C, const Directive &D, const FunctionDecl *Function) { InlineBinder(C).bind(D, Function); }

} // namespace hsched::cc
