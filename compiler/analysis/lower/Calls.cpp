// Calls: visible bodies are analysed with their arguments; others are judged by their prototypes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "clang/AST/Attr.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace hsched::cc {

namespace {
constexpr unsigned MaxCalls = 40; // Limit of nested calls.
} // namespace

std::vector<Value> Lowerer::arguments(llvm::ArrayRef<const Expr *> Exprs) {
  std::vector<Value> Args;
  for (const Expr *E : Exprs) {
    if (E->isGLValue())
      Args.push_back(lvalue(E));
    else if (E->getType()->isRecordType())
      Args.push_back(loadValue(temporary(E, E->getType(), E).To[0], E->getType()));
    else
      Args.push_back(rvalue(E));
  }
  return Args;
}

bool Lowerer::isActive(const FunctionDecl &Def) const {
  for (const Frame *F = Fr; F; F = F->Up)
    if (F->F == &Def)
      return true;
  return false;
}

// True if a recursive function is being analysed.
bool Lowerer::inRecursion() const {
  for (const Frame *F = Fr; F; F = F->Up)
    if (F->F && All.Summaries.count(F->F))
      return true;
  return false;
}

Value Lowerer::call(const CallExpr *E) {
  const FunctionDecl *F = E->getDirectCallee();
  if (E->isTypeDependent() || E->isValueDependent())
    Incomplete = true;
  if (F && F->getBuiltinID())
    if (std::optional<Value> V = builtinCall(E, F->getBuiltinID()))
      return *V;
  if (F && Context.getLangOpts().OpenCL)
    if (std::optional<Value> V = openclCall(E, F))
      return *V;
  llvm::SmallVector<const Expr *, 8> Args(E->arg_begin(), E->arg_end());
  Value This;
  const Expr *Object = nullptr;
  if (const auto *M = dyn_cast_or_null<CXXMethodDecl>(F)) {
    if (isa<CXXOperatorCallExpr>(E)) {
      if (M->isInstance() || M->getParent()->isLambda() || M->isStatic()) {
        Object = E->getArg(0);
        Args.erase(Args.begin());
      }
    } else if (const auto *MC = dyn_cast<CXXMemberCallExpr>(E)) {
      Object = MC->getImplicitObjectArgument();
    }
    if (Object)
      if (std::optional<Value> V = standardMember(E, M, Object, Args))
        return *V;
    if (Object) {
      if (Object->isGLValue())
        This = lvalue(Object);
      else if (Object->getType()->isPointerType())
        This = rvalue(Object);
      else
        This = temporary(Object, Object->getType(), Object);
    }
    if (const auto *C = dyn_cast<CXXConversionDecl>(M);
        C && C->getParent()->isLambda() && E->getType()->isFunctionPointerType()) {
      Value V;
      V.Function = C->getParent()->getLambdaCallOperator();
      return V;
    }
  } else if (!F) {
    const Value Callee = evaluate(E->getCallee());
    F = Callee.To.empty() && Callee.Unbounded.empty() ? Callee.Function : nullptr;
    if (F && isa<CXXMethodDecl>(F)) {
      if (const auto *B = dyn_cast<BinaryOperator>(E->getCallee()->IgnoreParens()); B && B->isPtrMemOp())
        F = nullptr;
      else
        This = temporary(E->getCallee(), E->getType(), nullptr);
    }
    if (!F)
      This = Callee;
  } else if (std::optional<Value> V = standardFunction(E, F)) {
    return *V;
  }
  std::vector<Value> Values = arguments(Args);
  if (!F) {
    const auto *Type = E->getCallee()->getType()->isPointerType()
                           ? E->getCallee()->getType()->getPointeeType()->getAs<FunctionProtoType>()
                           : E->getCallee()->getType()->getAs<FunctionProtoType>();
    return opaqueCall(nullptr, Type, "a function pointer", This, Values, Args, E);
  }
  if (std::optional<Value> V = libraryCall(E, F, Values, Args))
    return *V;
  if (const auto *D = dyn_cast<CXXDestructorDecl>(F); D && Object) {
    const auto *Callee = dyn_cast<MemberExpr>(E->getCallee()->IgnoreParens());
    const QualType T = Context.getRecordType(D->getParent());
    if (Callee && Callee->hasQualifier())
      destroy(This, T, E->getExprLoc());
    else
      destroyWhole(This, T, E->getExprLoc());
    return {};
  }
  const auto *M = dyn_cast<CXXMethodDecl>(F);
  if (M && M->isVirtual() && Object) {
    const auto *Callee = dyn_cast<MemberExpr>(E->getCallee()->IgnoreParens());
    const bool Qualified = Callee && Callee->hasQualifier();
    const CXXMethodDecl *Known = Qualified ? M : const_cast<CXXMethodDecl *>(M)->getDevirtualizedMethod(Object, false);
    if (!Known) {
      const std::vector<std::pair<Place, const CXXMethodDecl *>> Last = overriders(*M, This);
      if (Last.empty())
        return opaqueCall(F, nullptr, "the virtual function '" + F->getNameAsString() + "'", This, Values, Args, E);
      if (Last.size() == 1)
        return invoke(Last[0].second, This, std::move(Values), E, E->getExprLoc(), Args);
      std::optional<Value> Any;
      for (const auto &[At, Callee] : Last)
        maybe([&] {
          const Value V = invoke(Callee, Value::pointer(At), Values, E, E->getExprLoc(), Args);
          Any = Any ? join(*Any, V) : V;
        });
      return *Any;
    }
    F = Known;
  }
  return invoke(F, This, std::move(Values), E, E->getExprLoc(), Args);
}

Value Lowerer::invoke(const FunctionDecl *F, const Value &This, std::vector<Value> Args, const Expr *E,
                      SourceLocation Loc, llvm::ArrayRef<const Expr *> Exprs) {
  // A bytewise copy, which the compiler may have expanded member by member.
  if (const auto *M = dyn_cast<CXXMethodDecl>(F);
      M && M->isTrivial() && !Args.empty() && (M->isCopyAssignmentOperator() || M->isMoveAssignmentOperator())) {
    const QualType T = Context.getRecordType(M->getParent());
    store(This, T, load(Args[0], T, E), E);
    return This;
  }
  const FunctionDecl *Def = nullptr;
  if (F->hasBody(Def) && Def && !Def->isWeak() && !Def->isDependentContext() && !Def->isInvalidDecl() &&
      Def->getBody() && Calls < MaxCalls && Depth < 500 && Def->getNumParams() <= Args.size()) {
    // Arguments of '...' are reached by va_arg, or by a callee that gets a va_list.
    for (std::size_t I = Def->getNumParams(); I < Args.size(); ++I)
      escape(Args[I], Loc, "'" + F->getNameAsString() + "' finds it among its variadic arguments",
             I < Exprs.size() && Exprs[I]->getType()->isPointerType() &&
                 Exprs[I]->getType()->getPointeeType().isConstQualified());
    // A call from outside of the recursion is analysed like any other callee, within the budget. Statements in any
    // order would repeat that until they settle.
    const bool Outside = All.Open == 0 && !inRecursion() && !WeakStores && Budget < Lowering::MostSteps / 4;
    if (isActive(*Def) || (All.Summaries.count(Def) && !Outside) || (Outside && isInduced(*Def)))
      return recursiveCall(*Def, This, Args, E, Loc);
    return inlineCall(*Def, This, Args);
  }
  // Generated copies and moves, member by member. A move leaves its source changed.
  if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && M->isDefaulted() && !M->isDeleted() &&
                                                  (M->isCopyAssignmentOperator() || M->isMoveAssignmentOperator()) &&
                                                  !Args.empty()) {
    const QualType T = Context.getRecordType(M->getParent());
    store(This, T, load(Args[0], T, E), E);
    if (M->isMoveAssignmentOperator())
      touchRange(Args[0], T, std::int64_t(bytesOf(T)), AccessKind::Update, Loc, true, false, "");
    return This;
  }
  if (F->isDefaulted() && !F->isDeleted() && F->getOverloadedOperator() != OO_None) { // Generated comparisons.
    for (const Value &A : Args)
      touch(A, F->getParamDecl(0)->getType().getNonReferenceType(), AccessKind::Read, Loc, E);
    if (const auto *M = dyn_cast<CXXMethodDecl>(F))
      touch(This, Context.getRecordType(M->getParent()), AccessKind::Read, Loc, E);
    return {};
  }
  return opaqueCall(F, nullptr, "'" + F->getNameAsString() + "'", This, Args, Exprs, E, Loc);
}

Value Lowerer::inlineCall(const FunctionDecl &Def, const Value &This, const std::vector<Value> &Args) {
  Frame New;
  New.F = &Def;
  New.Up = Fr;
  New.This = This;
  if (const auto *M = dyn_cast<CXXMethodDecl>(&Def); M && M->getParent()->isLambda())
    M->getParent()->getCaptureFields(New.Captures, New.CapturedThis);
  const unsigned FirstObject = NextObject;
  for (unsigned I = 0; I != Def.getNumParams(); ++I) {
    Value V = Args[I];
    const unsigned Id = New.Objects[Def.getParamDecl(I)] = newObject(std::move(V));
    ObjectTypes[Id] = Def.getParamDecl(I)->getType();
  }
  JumpTarget Return(JumpTarget::Return);
  Return.Cleanups = Cleanups.size();
  Targets.push_back(&Return);
  const bool WasLoose = WeakStores, WasIn = InWeakStatement;
  WeakStores = InWeakStatement = false;
  Frame *Saved = Fr;
  Fr = &New;
  ++Calls;
  runBody(Def);
  --Calls;
  Fr = Saved;
  WeakStores = WasLoose;
  InWeakStatement = WasIn;
  Targets.pop_back();
  St = joined(St, Return.At);
  Value Result = New.Returned ? *New.Returned : Value();
  // Objects of the call are destroyed, except those that it made to last.
  const Value Reached = Result.flat();
  St.Objects.forget(FirstObject, [&](unsigned Id) {
    return HeapObjects.count(Id) || Escaped.count(Id) ||
           std::any_of(Reached.To.begin(), Reached.To.end(), [Id](const Place &P) { return !P.Memory && P.Id == Id; });
  });
  return Result;
}

void Lowerer::runInitializers(const CXXConstructorDecl &C, const Value &This) {
  const QualType Own = Context.getRecordType(C.getParent());
  for (const CXXCtorInitializer *I : C.inits()) {
    const Expr *Init = I->getInit();
    if (!Init)
      continue;
    if (I->isDelegatingInitializer()) {
      initialize(This, Own, Init);
      noteConstructed(This, Own, Init->getExprLoc());
    } else if (I->isBaseInitializer()) {
      Value At = This;
      const CXXRecordDecl *Base = I->getBaseClass()->getAsCXXRecordDecl();
      const bool Repeats = !repeatedBases(*C.getParent()).empty();
      for (Place &P : At.To)
        if (!P.Memory) {
          P.TypePunned |= Repeats;
        } else {
          if (!Base || I->isBaseVirtual() || C.getParent()->isInvalidDecl() || C.getParent()->isDependentType())
            P.Offset = Poly::invalid();
          else
            P.Offset =
                P.Offset + Poly(Context.getASTRecordLayout(C.getParent()).getBaseClassOffset(Base).getQuantity());
        }
      initialize(At, QualType(I->getBaseClass(), 0), Init);
      noteConstructed(At, QualType(I->getBaseClass(), 0), Init->getExprLoc());
    } else if (const FieldDecl *F = I->getAnyMember()) {
      Value At = This;
      if (I->isIndirectMemberInitializer()) {
        for (const NamedDecl *D : I->getIndirectMember()->chain())
          if (const auto *Step = dyn_cast<FieldDecl>(D))
            At = fieldOf(At, Step);
      } else {
        At = fieldOf(This, F);
      }
      if (!F->isBitField()) {
        initialize(At, F->getType(), Init);
        noteConstructed(At, F->getType(), Init->getExprLoc());
        continue;
      }
      // Some of its bytes.
      rvalue(Init);
      touch(At, F->getType(), AccessKind::Write, Init->getExprLoc(), nullptr, false, /*Partial=*/true);
      for (const Place &P : At.To)
        if (!P.Memory)
          storeObject(P, {}, true);
    }
  }
}

Value Lowerer::construct(const CXXConstructExpr *E, const Value *Target) {
  const CXXConstructorDecl *C = E->getConstructor();
  const QualType T = E->getType();
  if (const ArrayType *A = Context.getAsArrayType(T)) {
    // An unknown number of elements is constructed.
    Value At = Target ? *Target : temporary(E, T, nullptr);
    for (Place &P : At.To) {
      P.Element |= !P.Memory;
      if (P.Memory && !C->isTrivial())
        P.Offset = Poly::invalid();
    }
    if (!C->isTrivial() || E->getNumArgs())
      constructAt(E, C, elementType(A->getElementType()), At);
    return {};
  }
  if (Target) {
    if (std::optional<Value> V = standardConstructor(E)) {
      store(besideBases(*Target, E), T, *V, E);
      return *V;
    }
    constructAt(E, C, T, *Target);
    return {};
  }
  if (std::optional<Value> V = standardConstructor(E))
    return *V;
  const Value At = temporary(E, T, nullptr);
  constructAt(E, C, T, At);
  return loadValue(At.To[0], T);
}

// A base class shares its object's value: the parts of earlier bases stay there.
Value Lowerer::besideBases(Value At, const CXXConstructExpr *E) const {
  const CXXConstructionKind K = E->getConstructionKind();
  if (K == CXXConstructionKind::NonVirtualBase || K == CXXConstructionKind::VirtualBase)
    for (Place &P : At.To)
      if (const Value *Stored = P.Memory ? nullptr : St.Objects.find(P.Id); Stored && !Stored->pointsNowhere())
        P.Element = true;
  return At;
}

void Lowerer::constructAt(const CXXConstructExpr *E, const CXXConstructorDecl *C, QualType T, const Value &At) {
  llvm::SmallVector<const Expr *, 8> Exprs(E->arg_begin(), E->arg_end());
  if (C->isCopyOrMoveConstructor() && !Exprs.empty() && (C->isTrivial() || C->isDefaulted())) {
    const Value From = Exprs[0]->isGLValue() ? lvalue(Exprs[0]) : Value();
    const Value V = Exprs[0]->isGLValue() ? load(From, T, Exprs[0]) : rvalue(Exprs[0]);
    if (C->isMoveConstructor() && !C->isTrivial())
      touchRange(From, T, std::int64_t(bytesOf(T)), AccessKind::Update, E->getExprLoc(), true, false, "");
    store(besideBases(At, E), T, V, E);
    return;
  }
  std::vector<Value> Args = arguments(Exprs);
  if (C->isTrivial() && Args.empty()) {
    if (E->requiresZeroInitialization())
      store(At, T, {}, E);
    return;
  }
  const FunctionDecl *Def = nullptr;
  if (C->isDefaulted() && !C->isDeleted() && C->isDefaultConstructor() && !C->hasBody(Def)) {
    defaultConstruct(C->getParent(), At);
    return;
  }
  invoke(C, At, std::move(Args), E, E->getExprLoc(), Exprs);
}

// A default constructor that the compiler generates on demand.
void Lowerer::defaultConstruct(const CXXRecordDecl *R, const Value &At) {
  R = R->getDefinition();
  if (!R || R->isDependentType())
    return;
  for (const FieldDecl *F : R->fields())
    if (const Expr *Init = F->getInClassInitializer())
      initialize(fieldOf(At, F), F->getType(), Init);
}

// --- Bodies that are not visible -------------------------------------------------------------------------------------

void Lowerer::havocEscaped(const std::string &Why) {
  spend(Escaped.size() / 8);
  for (unsigned Id : Escaped)
    if (const Value *V = St.Objects.find(Id)) {
      Value Now = V->flat();
      Now.Unbounded = Why;
      St.Objects.set(Id, std::move(Now));
    }
}

Value Lowerer::opaqueCall(const FunctionDecl *F, const FunctionProtoType *Type, const std::string &Name,
                          const Value &This, const std::vector<Value> &Args, llvm::ArrayRef<const Expr *> Exprs,
                          const Expr *E, SourceLocation Loc) {
  if (St.Dead)
    return {};
  if (Loc.isInvalid() && E)
    Loc = E->getExprLoc();
  if (F && !Type)
    Type = F->getType()->getAs<FunctionProtoType>();
  const std::string Why = F && !(isa<CXXMethodDecl>(F) && cast<CXXMethodDecl>(F)->isVirtual())
                              ? Name + (F->isWeak() ? ", which may be replaced" : ", whose body is not visible")
                              : Name;
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(F);
  const bool Pure = F && (F->hasAttr<PureAttr>() || F->hasAttr<ConstAttr>());
  // The result refers to the left operand alone.
  const bool Stream = F && isStandard(F) && E && E->isGLValue() &&
                      (F->getOverloadedOperator() == OO_LessLess || F->getOverloadedOperator() == OO_GreaterGreater);
  // It reads its other operands and changes nothing but the stream. A temporary one calls functions of the program.
  const bool Inserts = Stream && !M && F->getOverloadedOperator() == OO_LessLess && Exprs[0]->isLValue();
  Value Result;
  const auto Take = [&](const Value &V) {
    for (const Place &P : V.flat().To) {
      Place Q = P;
      if (Q.Memory)
        Q.Offset = Poly::invalid();
      Q.Element |= !Q.Memory;
      Result.add(Q);
    }
  };
  if (!This.pointsNowhere() || !This.To.empty()) {
    escape(This, Loc, "the object is handed to " + Why, Pure || (M && M->isConst()));
    Take(This);
  }
  for (std::size_t I = 0; I != Args.size(); ++I) {
    QualType T;
    if (Type && I < Type->getNumParams())
      T = Type->getParamType(unsigned(I));
    else if (I < Exprs.size())
      T = Exprs[I]->isGLValue() ? Context.getLValueReferenceType(Exprs[I]->getType()) : Exprs[I]->getType();
    const QualType To =
        !T.isNull() && (T->isAnyPointerType() || T->isReferenceType()) ? T->getPointeeType() : QualType();
    const StandardType Class = standardType(To.isNull() ? T : QualType());
    const bool ReadOnly = Pure || (!To.isNull() && elementType(To).isConstQualified()) ||
                          (Class.K == StandardType::View && Class.Element.isConstQualified());
    const std::string What = I < Exprs.size() ? "'" + text(Exprs[I]) + "'" : "an argument";
    // An l-value argument for a by-value parameter has already been copied.
    if (Inserts && T->isPointerType() && To->isAnyCharacterType())
      touchRange(Args[I], To, std::nullopt, AccessKind::Read, Loc, false, false,
                 "how much of " + What + " is read is not known", false, /*Text=*/true);
    else
      escape(Args[I], Loc, What + " is handed to " + Why, ReadOnly);
    if (!Stream || (!M && I == 0))
      Take(Args[I]);
  }
  if (!Pure && !Inserts) {
    touchAnything(Loc, Why);
    havocEscaped("it may be changed by " + Why);
  }
  if (Inserts)
    return Args[0];
  const QualType R = F ? F->getReturnType() : E ? E->getType() : QualType();
  if (F && F->isNoReturn()) {
    unwind();
    stop(Loc, true);
  }
  if (R.isNull() || !(holdsPointers(R) || R->isReferenceType() || (E && E->isGLValue())))
    return {};
  Result.Unbounded = "it is returned by " + Why;
  return Result;
}

} // namespace hsched::cc
