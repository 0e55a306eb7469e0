// The standard library's constructors and free functions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"
#include "analysis/lower/Standard.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace hsched::cc {

// True in std::ranges and the namespaces in it.
static bool inRanges(const CXXRecordDecl *R) {
  for (const DeclContext *C = R->getDeclContext(); C; C = C->getParent())
    if (const auto *N = dyn_cast<NamespaceDecl>(C); N && N->getName() == "ranges" && N->getParent()->isStdNamespace())
      return true;
  return false;
}

bool isAnalysed(const CXXRecordDecl *R) {
  if (R->isLambda() || !R->getIdentifier() || inRanges(R))
    return true;
  return libraryClass(R->getName()) & ClassAnalysed;
}

bool hasFollowedBody(const FunctionDecl &F) {
  if (!isStandard(&F))
    return false;
  if (const auto *R = dyn_cast<CXXRecordDecl>(F.getDeclContext()))
    return isAnalysed(R);
  return F.getIdentifier() && libraryBody(F.getName()).has_value();
}

bool isComparison(OverloadedOperatorKind K) {
  return K == OO_EqualEqual || K == OO_ExclaimEqual || K == OO_Less || K == OO_Greater || K == OO_LessEqual ||
         K == OO_GreaterEqual || K == OO_Spaceship;
}

void Lowerer::deletedLater(const Value &V, bool ByDefault, SourceLocation Loc) {
  if (!ByDefault)
    return escape(V, Loc, "a deleter has it");
  for (const Place &P : V.flat().To)
    if (P.Memory)
      escapeRoot(P.Id, Loc, "a smart pointer deletes it", false);
}

std::optional<Value> Lowerer::standardConstructor(const CXXConstructExpr *E) {
  const CXXConstructorDecl *C = E->getConstructor();
  const CXXRecordDecl *R = C->getParent();
  if (!isStandard(R))
    return std::nullopt;
  const QualType T = E->getType();
  const StandardType S = standardType(T);
  if (S.K == StandardType::Array || (S.K == StandardType::None && isAnalysed(R)))
    return std::nullopt;
  llvm::SmallVector<const Expr *, 8> Exprs(E->arg_begin(), E->arg_end());
  const std::vector<Value> Args = arguments(Exprs);
  const SourceLocation Loc = E->getExprLoc();
  // An argument as a value, by reference or not.
  const auto Plain = [&](unsigned I) { return numberArgument(Exprs, Args, I); };
  switch (S.K) {
  case StandardType::View: {
    if (Args.empty())
      return Value();
    const StandardType From = standardType(Exprs[0]->getType());
    Value V;
    if (From.K == StandardType::Container || From.K == StandardType::Array || From.K == StandardType::View)
      V = Exprs[0]->isGLValue() ? viewOf(Args[0], Exprs[0]->getType()) : Args[0];
    else if (const ArrayType *A = Context.getAsArrayType(Exprs[0]->getType())) {
      V = Args[0];
      for (Place &P : V.To)
        P.Element |= !P.Memory;
      if (const auto *N = dyn_cast<ConstantArrayType>(A))
        V.set(&SizeKey, Value::integer(std::int64_t(N->getSize().getZExtValue())));
      return V;
    } else {
      V = Plain(0);
    }
    if (Args.size() > 1) {
      const QualType Second = Exprs[1]->getType();
      const Value N = Plain(1);
      V.Fields.clear();
      if (Second->isIntegralOrEnumerationType()) {
        if (N.Int)
          V.set(&SizeKey, Value::integer(*N.Int));
      } else if (const std::optional<Poly> D = distance(V, N)) {
        if (const std::optional<Poly> Q = D->dividedBy(std::max<std::int64_t>(1, std::int64_t(bytesOf(S.Element)))))
          V.set(&SizeKey, Value::integer(*Q));
      }
    }
    if (S.Count)
      V.set(&SizeKey, Value::integer(*S.Count));
    return V;
  }
  case StandardType::Pointer: {
    if (Args.empty())
      return Value();
    Value V = Plain(0);
    if (Exprs[0]->getType()->isPointerType() || Exprs[0]->getType()->isNullPtrType()) {
      for (std::size_t I = 1; I < Args.size(); ++I)
        deletedLater(Args[I], false, Loc);
      deletedLater(V, hasDefaultDeleter(T) && Args.size() == 1, Loc);
    } else if (Args.size() > 1 && Exprs[1]->getType()->isPointerType()) { // It shares ownership with the first one.
      V = join(V, Plain(1)).flat();
    }
    handBack(Exprs, Args, *C, Value());
    return V;
  }
  case StandardType::Iterator:
  case StandardType::AtomicRef: {
    if (Args.empty())
      return Value();
    if (S.K == StandardType::AtomicRef && !C->isCopyConstructor())
      return Args[0];
    return Plain(0);
  }
  case StandardType::Atomic:
    if (Args.empty())
      return Value();
    return holdsPointers(S.Element) ? Plain(0) : Value();
  case StandardType::Container: {
    const Value Stored = consume(Exprs, Args, *C);
    handBack(Exprs, Args, *C, Stored);
    return holdsPointers(S.Element) ? Stored : Value();
  }
  default:
    break;
  }
  if (isLibrary(R, ClassFunction) && Args.size() == 1)
    if (std::optional<Value> V = callable(*Exprs[0], Args[0]))
      return V;
  // Threads, functions, maps, streams keep their arguments; a thread uses them at once.
  Value Kept;
  const bool Runs = isLibrary(R, ClassThread);
  for (std::size_t I = 0; I != Args.size(); ++I) {
    Kept = join(Kept, Args[I].flat());
    if (Runs)
      escape(Args[I], Loc, "'" + text(Exprs[I]) + "' is handed to a thread");
  }
  Kept = join(Kept, consume(Exprs, Args, *C)).flat();
  handBack(Exprs, Args, *C, Kept);
  Kept.forgetNumber();
  return ownsAll(T) ? Value() : Kept; // It keeps copies.
}

// A std::function that is made from E, if it is known what that calls.
std::optional<Value> Lowerer::callable(const Expr &E, const Value &Its) {
  const QualType T = E.getType();
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  const Value V = E.isGLValue() && !T->isFunctionType() ? load(Its, T, &E) : Its;
  if (isLibrary(R, ClassFunction))
    return V.Function ? std::optional(V) : std::nullopt;
  if (!R && V.Function && V.pointsNowhere())
    return V;
  R = R ? R->getDefinition() : nullptr;
  if (!R || isStandard(R) || ownCodeRuns(T) || destructorsRun(T))
    return std::nullopt;
  const auto Calls = R->lookup(Context.DeclarationNames.getCXXOperatorName(OO_Call));
  const auto *M = Calls.isSingleResult() ? dyn_cast<CXXMethodDecl>(Calls.front()) : nullptr;
  if (!M || M->isVirtual())
    return std::nullopt;
  Value Function = V.flat();
  Function.set(&CallKey, V);
  Function.Function = M;
  return Function;
}

// The call of a std::function at At by its operator M, if it is known what that calls.
std::optional<Value> Lowerer::calledThrough(const CallExpr *E, const CXXMethodDecl &M, const Value &At,
                                            std::vector<Value> Args) {
  if (At.To.size() != 1 || At.To[0].Memory || At.To[0].TypePunned || !At.Unbounded.empty())
    return std::nullopt;
  const Value Target = loadValue(At.To[0], QualType());
  const FunctionDecl *F = Target.Function;
  if (!F || !Target.Unbounded.empty() || F->isVariadic() || F->getNumParams() != Args.size() ||
      M.getNumParams() != Args.size())
    return std::nullopt;
  // As the function's own types.
  const auto Converted = [&](const Value &V, QualType From, QualType To) -> std::optional<Value> {
    const QualType A = From.getNonReferenceType(), B = To.getNonReferenceType();
    const bool Numbers = A->isIntegralOrEnumerationType() && B->isIntegralOrEnumerationType();
    if (!Context.hasSimilarType(A, B) && !(Numbers && !To->isReferenceType()))
      return std::nullopt;
    if (From->isReferenceType() == To->isReferenceType())
      return Numbers && !To->isReferenceType() ? castInteger(V, A, B) : V;
    return From->isReferenceType() ? load(V, A, nullptr) : Value::pointer(Place::object(newObject(V)));
  };
  for (unsigned I = 0; I != Args.size(); ++I) {
    const std::optional<Value> V = Converted(Args[I], M.getParamDecl(I)->getType(), F->getParamDecl(I)->getType());
    if (!V)
      return std::nullopt;
    Args[I] = *V;
  }
  Value This;
  if (isa<CXXMethodDecl>(F)) {
    This = At;
    This.To[0].Path.push_back(&CallKey);
  }
  const Value Result = invoke(F, This, std::move(Args), E, E->getExprLoc());
  if (M.getReturnType()->isVoidType())
    return Value();
  const std::optional<Value> V = Converted(Result, F->getReturnType(), M.getReturnType());
  if (V)
    return *V;
  const std::string Why = "it is returned through '" + M.getParent()->getNameAsString() + "'";
  Value Any = moved(Result.flat(), Poly::invalid(), [&] { return Why; });
  Any.Unbounded = Why;
  return Any;
}

// Functions min, max, clamp return a reference to an argument. If it is only loaded, the number's bounds are known.
std::optional<Value> Lowerer::oneOfArguments(const CallExpr *E, LibraryMember Does, Expressions Exprs) {
  const bool Clamp = Does == LibraryMember::Clamp && Exprs.size() == 3;
  if (!E->isGLValue() ||
      (!Clamp && ((Does != LibraryMember::Least && Does != LibraryMember::Greatest) || Exprs.size() != 2)))
    return std::nullopt;
  // True if an argument is a temporary, into which nothing is stored.
  const bool Made = llvm::all_of(Exprs, [](const Expr *A) { return isa<MaterializeTemporaryExpr>(A->IgnoreParens()); });
  const bool Number = Loaded == E || Made;
  std::vector<Value> Of;
  Value Places;
  for (const Expr *A : Exprs) {
    if (!A->isGLValue()) {
      Of.push_back(rvalue(A));
      continue;
    }
    Loaded = Number ? A->IgnoreParens() : nullptr;
    const Value At = lvalue(A);
    Places = Of.empty() ? At : join(Places, At);
    Of.push_back(load(At, A->getType(), A));
  }
  for (const Value &V : Of)
    if (E->getType()->isRecordType() && ownCodeRuns(E->getType()))
      escape(V, E->getExprLoc(), "it is compared");
  if (!Number && llvm::all_of(Exprs, [](const Expr *A) { return A->isGLValue(); }))
    return Places;
  const Value At = temporary(E, E->getType(), nullptr);
  Value V = Of[0];
  if (!E->getType()->isIntegralOrEnumerationType())
    for (const Value &Other : Of)
      V = join(V, Other);
  else if (Clamp)
    V = leastOrGreatest({leastOrGreatest({Of[0], Of[1]}, false, E->getType()), Of[2]}, true, E->getType());
  else
    V = leastOrGreatest(Of, Does == LibraryMember::Least, E->getType());
  St.Objects.set(At.To[0].Id, V);
  return At;
}

std::optional<Value> Lowerer::standardFunction(const CallExpr *E, const FunctionDecl *F) {
  if (!isStandard(F))
    return std::nullopt;
  const SourceLocation Loc = E->getExprLoc();
  llvm::SmallVector<const Expr *, 8> Exprs(E->arg_begin(), E->arg_end());
  const auto Plain = [&](unsigned I) {
    return Exprs[I]->isGLValue() ? load(lvalue(Exprs[I]), Exprs[I]->getType(), Exprs[I]) : rvalue(Exprs[I]);
  };
  if (const OverloadedOperatorKind Op = F->getOverloadedOperator(); Op != OO_None && Exprs.size() == 2) {
    const StandardType L = standardType(Exprs[0]->getType()), R = standardType(Exprs[1]->getType());
    if (L.K == StandardType::Iterator || R.K == StandardType::Iterator || L.K == StandardType::Pointer ||
        R.K == StandardType::Pointer) {
      const Value A = Plain(0), B = Plain(1);
      if (Op == OO_Minus && R.K == StandardType::Iterator) {
        const std::optional<Poly> D = distance(B, A);
        const std::optional<Poly> Q = D ? D->dividedBy(std::max<std::int64_t>(1, std::int64_t(bytesOf(L.Element)))) : D;
        return Q ? Value::integer(*Q) : Value();
      }
      if (Op == OO_Plus && R.K == StandardType::Iterator)
        return index(B, R.Element, A, Exprs[0]);
      if (isComparison(Op))
        return Value();
    }
    if (isComparison(Op) && isLibrary(Exprs[0]->getType()->getAsCXXRecordDecl(), ClassPosition)) {
      Plain(0), Plain(1);
      return Value();
    }
    // '|' makes a view of its left operand.
    if (Op != OO_Pipe && (L.K == StandardType::Container || L.K == StandardType::View ||
                          R.K == StandardType::Container || R.K == StandardType::View)) {
      const std::vector<Value> Args = arguments(Exprs);
      Value V = consume(Exprs, Args, *F);
      handBack(Exprs, Args, *F, V);
      if (E->isGLValue()) // A stream.
        return Args[0];
      return holdsPointers(E->getType()) ? V : Value();
    }
    return std::nullopt;
  }
  if (!F->getIdentifier())
    return std::nullopt;
  const LibraryMember Does = libraryMember(F->getName());
  if (Exprs.size() == 1 && (Does == LibraryMember::Same || Does == LibraryMember::Address))
    return Exprs[0]->isGLValue() && !E->isGLValue() && Does == LibraryMember::Same ? Plain(0) : evaluate(Exprs[0]);
  if (std::optional<Value> V = oneOfArguments(E, Does, Exprs))
    return V;
  // An alternative of a variant, or a pointer to it. It lies where the variant begins; which one is there is read.
  const QualType Behind = Exprs.size() != 1                      ? QualType()
                          : Exprs[0]->isGLValue()                ? Exprs[0]->getType()
                          : Exprs[0]->getType()->isPointerType() ? Exprs[0]->getType()->getPointeeType()
                                                                 : QualType();
  if (Does == LibraryMember::Look && !Behind.isNull() && isLibrary(Behind->getAsCXXRecordDecl(), ClassInside)) {
    Value At = evaluate(Exprs[0]);
    touchRange(At, Behind, std::int64_t(bytesOf(Behind)), AccessKind::Read, Loc, true, false, "");
    for (Place &P : At.To)
      if (!P.Memory)
        P.TypePunned = P.Element = true, P.Path.clear();
    return At;
  }
  if (Does == LibraryMember::Swap && Exprs.size() == 2 && Exprs[0]->isGLValue() && Exprs[1]->isGLValue() &&
      !Context.getAsArrayType(Exprs[0]->getType())) {
    const QualType T = Exprs[0]->getType();
    const Value A = lvalue(Exprs[0]), B = lvalue(Exprs[1]);
    Value InA, InB;
    for (const Place &P : A.To)
      InA = P == A.To[0] ? loadValue(P, T) : join(InA, loadValue(P, T));
    for (const Place &P : B.To)
      InB = P == B.To[0] ? loadValue(P, T) : join(InB, loadValue(P, T));
    store(A, T, InB, Exprs[0], true);
    store(B, T, InA, Exprs[1], true);
    runOwnCode(A, T, Loc);
    runOwnCode(B, T, Loc);
    return Value();
  }
  if (Does == LibraryMember::Exchange && Exprs.size() == 2) {
    const QualType T = Exprs[0]->getType();
    const Value At = lvalue(Exprs[0]), New = Plain(1);
    const Value Old = load(At, T, Exprs[0]);
    const bool Number = T->isIntegralOrEnumerationType();
    store(At, T, Number ? castInteger(New, Exprs[1]->getType(), T) : New, Exprs[0]);
    return Old;
  }
  if (Exprs.size() == 1 && (Does == LibraryMember::First || Does == LibraryMember::End ||
                            Does == LibraryMember::Count || Does == LibraryMember::Query)) {
    const QualType T = Exprs[0]->getType();
    const StandardType S = standardType(T);
    Value View;
    QualType Element = S.Element;
    if (const ArrayType *A = Context.getAsArrayType(T)) {
      View = evaluate(Exprs[0]);
      for (Place &P : View.To)
        P.Element |= !P.Memory;
      Element = A->getElementType();
      if (const auto *C = dyn_cast<ConstantArrayType>(A))
        View.set(&SizeKey, Value::integer(std::int64_t(C->getSize().getZExtValue())));
    } else if (S.K == StandardType::Container || S.K == StandardType::Array || S.K == StandardType::View) {
      View = Exprs[0]->isGLValue() ? viewOf(lvalue(Exprs[0]), T) : rvalue(Exprs[0]);
    } else {
      return std::nullopt;
    }
    const Value N = View.find(&SizeKey) ? *View.find(&SizeKey) : Value();
    View.Fields.clear();
    if (Does == LibraryMember::Count)
      return N;
    if (Does == LibraryMember::Query)
      return Value();
    return Does == LibraryMember::End ? index(View, Element, N, nullptr) : View;
  }
  if ((Does == LibraryMember::Next || Does == LibraryMember::Previous) && !Exprs.empty()) {
    const QualType T = Exprs[0]->getType();
    const QualType Element = T->isPointerType() ? T->getPointeeType() : standardIterated(T);
    if (!Element.isNull())
      return index(Plain(0), Element, Exprs.size() > 1 ? Plain(1) : Value::integer(1), nullptr,
                   Does == LibraryMember::Previous);
  }
  if (Does == LibraryMember::Distance && Exprs.size() == 2) {
    const QualType T = Exprs[0]->getType();
    const QualType Element = T->isPointerType() ? T->getPointeeType() : standardIterated(T);
    if (!Element.isNull()) {
      const std::optional<Poly> D = distance(Plain(0), Plain(1));
      const std::optional<Poly> Q = D ? D->dividedBy(std::max<std::int64_t>(1, std::int64_t(bytesOf(Element)))) : D;
      return Q ? Value::integer(*Q) : Value();
    }
  }
  if (Does == LibraryMember::Make) {
    const std::vector<Value> Args = arguments(Exprs);
    const Value Stored = consume(Exprs, Args, *F);
    Value Kept = Stored;
    for (const Value &A : Args)
      Kept = join(Kept, A.flat());
    Value At = temporary(E, E->getType(), nullptr);
    HeapObjects.insert(At.To[0].Id);
    St.Objects.set(At.To[0].Id, Kept.flat());
    At.To[0].Element = true;
    return At;
  }
  if (Does == LibraryMember::Thread) {
    for (const Value &V : arguments(Exprs))
      escape(V, Loc, "it is handed to a thread");
    touchAnything(Loc, "a thread");
    return Value();
  }
  return std::nullopt;
}

Condition Lowerer::standardCondition(const Expr *E, bool &Understood) {
  Understood = false;
  const auto *C = dyn_cast<CXXOperatorCallExpr>(E);
  if (!C || C->getNumArgs() != 2 || !isComparison(C->getOperator()) || C->getOperator() == OO_Spaceship)
    return {};
  const StandardType L = standardType(C->getArg(0)->getType()), R = standardType(C->getArg(1)->getType());
  if (L.K != StandardType::Iterator || R.K != StandardType::Iterator)
    return {};
  Understood = true;
  const auto Plain = [&](const Expr *A) { return A->isGLValue() ? load(lvalue(A), A->getType(), A) : rvalue(A); };
  const Value A = Plain(C->getArg(0)), B = Plain(C->getArg(1));
  return comparePointers(BinaryOperator::getOverloadedOpcode(C->getOperator()), A, B);
}

} // namespace hsched::cc
