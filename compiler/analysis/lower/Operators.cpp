// Operators: assignment, increment, pointer arithmetic, choices; initializers; lambdas.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

using namespace clang;

namespace hsched::cc {

Value Lowerer::unary(const UnaryOperator *E) {
  const Expr *Sub = E->getSubExpr();
  switch (E->getOpcode()) {
  case UO_Deref: {
    Value V = evaluate(Sub);
    return V;
  }
  case UO_AddrOf:
    if (E->getType()->isMemberPointerType()) {
      Value V;
      if (const auto *D = dyn_cast<DeclRefExpr>(Sub->IgnoreParens()))
        V.Function = dyn_cast<FunctionDecl>(D->getDecl());
      if (!V.Function)
        V.Unbounded = "a pointer to member";
      return V;
    }
    return evaluate(Sub);
  case UO_Plus:
    return rvalue(Sub);
  case UO_Minus: {
    const Value V = rvalue(Sub);
    return V.Int ? arithmetic(BO_Sub, Value::integer(0), V, E->getType()) : Value();
  }
  case UO_Not: {
    const Value V = rvalue(Sub);
    return V.Int && E->getType()->isSignedIntegerType() ? sumIn(Value::integer(-1), V, true, E->getType()) : Value();
  }
  case UO_LNot: {
    const Value V = rvalue(Sub);
    if (V.Int && V.Int->constant())
      return Value::integer(*V.Int->constant() == 0);
    return {};
  }
  case UO_PreInc:
  case UO_PreDec:
  case UO_PostInc:
  case UO_PostDec: {
    Value Result;
    Value At = increment(E, &Result);
    return E->isGLValue() ? At : Result;
  }
  case UO_Real:
  case UO_Imag: {
    if (!E->isGLValue()) {
      evaluate(Sub);
      return {};
    }
    const Value V = lvalue(Sub);
    return E->getOpcode() == UO_Real ? V : moved(V, std::int64_t(bytesOf(E->getType())), [] { return std::string(); });
  }
  case UO_Extension:
    return evaluate(Sub);
  default: // co_await
    Incomplete = true;
    return unknown(E);
  }
}

// Returns the place of the operand. Result: the value of the expression.
Value Lowerer::increment(const UnaryOperator *E, Value *Result) {
  const Expr *Sub = E->getSubExpr();
  const QualType T = Sub->getType();
  const Value At = lvalue(Sub), Old = storedValue(At, T, Sub);
  Value New;
  const bool Minus = E->isDecrementOp();
  if (const auto *P = T.getAtomicUnqualifiedType()->getAs<PointerType>())
    New = index(Old, P->getPointeeType(), Value::integer(1), nullptr, Minus);
  else
    New = arithmetic(Minus ? BO_Sub : BO_Add, Old, Value::integer(1), T);
  if (New.Int && isConstant(*New.Int) && isNarrow(Context, T)) // In a loop, finishLoop() sees to it.
    New = castInteger(New, Context.IntTy, T);
  store(At, T, New, Sub, /*Update=*/true);
  *Result = E->isPrefix() ? New : Old;
  return At;
}

Value Lowerer::binary(const BinaryOperator *E) {
  const BinaryOperatorKind Op = E->getOpcode();
  if (E->isAssignmentOp()) {
    Value Result;
    Value At = assign(E, &Result);
    return E->isGLValue() ? At : Result;
  }
  if (Op == BO_Comma) {
    evaluate(E->getLHS());
    return evaluate(E->getRHS());
  }
  if (E->isLogicalOp()) {
    const Condition C = condition(E);
    return C.Constant ? Value::integer(*C.Constant) : Value();
  }
  if (Op == BO_PtrMemD || Op == BO_PtrMemI) {
    Value V = evaluate(E->getLHS());
    const Value M = evaluate(E->getRHS());
    V = typePunned(V);
    for (Place &P : V.To)
      if (P.Memory) {
        P.Offset = Poly::invalid();
        P.Why = "a pointer to member chooses the member";
      }
    V.Function = M.Function;
    return V;
  }
  const Value L = evaluate(E->getLHS()), R = evaluate(E->getRHS());
  const QualType LT = E->getLHS()->getType(), RT = E->getRHS()->getType();
  if (E->isComparisonOp()) {
    if (!LT->isIntegralOrEnumerationType())
      return {};
    noteComparison(L, R, LT, E);
    const Condition C = compareIn(Op, L, R, LT);
    return C.Constant && !mayWrap(L, R, LT) ? Value::integer(*C.Constant) : Value();
  }
  if (Op == BO_Add && LT->isPointerType())
    return index(L, LT->getPointeeType(), R, E->getRHS());
  if (Op == BO_Add && RT->isPointerType())
    return index(R, RT->getPointeeType(), L, E->getLHS());
  if (Op == BO_Sub && LT->isPointerType() && !RT->isPointerType())
    return index(L, LT->getPointeeType(), R, E->getRHS(), true);
  if (Op == BO_Sub && LT->isPointerType()) {
    if (L.To.size() == 1 && R.To.size() == 1 && L.To[0].Memory && R.To[0].Memory && L.To[0].Id == R.To[0].Id &&
        !Facts[L.To[0].Id].Many)
      if (const std::uint64_t Size = bytesOf(LT->getPointeeType()))
        if (std::optional<Poly> Q = (L.To[0].Offset - R.To[0].Offset).dividedBy(std::int64_t(Size)))
          return Value::integer(*Q);
    return {};
  }
  noteOperands(Op, L, R, E->getType(), E);
  return arithmetic(Op, L, R, E->getType());
}

Value Lowerer::assign(const BinaryOperator *E, Value *Result) {
  const QualType T = E->getLHS()->getType();
  if (const auto *C = dyn_cast<CompoundAssignOperator>(E)) {
    const Value R = rvalue(E->getRHS());
    const Value At = lvalue(E->getLHS()), Old = storedValue(At, T, E->getLHS());
    const BinaryOperatorKind Op = BinaryOperator::getOpForCompoundAssignment(C->getOpcode());
    Value New;
    if (const auto *P = T->getAs<PointerType>())
      New = index(Old, P->getPointeeType(), R, E->getRHS(), Op == BO_Sub);
    else if (T->isIntegralOrEnumerationType() && !C->getComputationResultType().isNull() &&
             C->getComputationResultType()->isIntegralOrEnumerationType()) {
      noteOperands(Op, Old, R, C->getComputationResultType(), E);
      const Value Left = castInteger(Old, T, C->getComputationLHSType());
      New = castInteger(arithmetic(Op, Left, R, C->getComputationResultType()), C->getComputationResultType(), T);
    }
    store(At, T, New, E->getLHS(), /*Update=*/true);
    *Result = New;
    return At;
  }
  // Since C++17 the right side is evaluated first.
  Value R;
  if (E->getRHS()->getType()->isRecordType() && !E->getRHS()->isGLValue())
    R = loadValue(temporary(E->getRHS(), E->getRHS()->getType(), E->getRHS()).To[0], T);
  else
    R = rvalue(E->getRHS());
  const Value At = lvalue(E->getLHS());
  store(At, T, R, E->getLHS());
  *Result = R;
  return At;
}

// For n - m - 1 >= 0: n > m.
std::string Lowerer::spellCondition(const Condition &C, bool Wide) const {
  const auto Say = [&](const Poly &P) { return Wide ? Tree.wideSpelling(P) : spell(P); };
  const auto Compared = [&](const Poly &P, const char *How) {
    Poly Left, Right;
    for (const auto &[M, K] : P.terms())
      (K > 0 ? Left : Right) = K > 0 ? Left + Poly::term(M, K) : Right - Poly::term(M, K);
    if (std::string(How) == ">=") {
      const auto Rest = Right.terms().find({});
      return Rest != Right.terms().end() ? Say(Left) + " > " + Say(Right - 1) : Say(Left) + " >= " + Say(Right);
    }
    if (Right.isZero()) // N, !n.
      return (std::string(How) == "==" ? "!" : "") + (Wide ? "(" + Say(Left) + ")" : spell(Left, true));
    return Say(Left) + " " + How + " " + Say(Right);
  };
  std::string Text;
  const auto Add = [&](const std::string &One) { Text += (Text.empty() ? "" : " && ") + One; };
  for (const std::vector<Poly> *List : {&C.Holds, &C.Differs})
    for (const Poly &P : *List)
      if (!isConstant(P))
        return "";
  if (!C.Exact)
    return "";
  if (C.Holds.size() == 2 && C.Holds[0] == -C.Holds[1])
    Add(Compared(C.Holds[0], "=="));
  else
    for (const Poly &P : C.Holds)
      Add(Compared(P, ">="));
  for (const Poly &P : C.Differs)
    Add(Compared(P, "!="));
  return Text;
}

// Then or Else, by a condition that can be written.
std::optional<Value> Lowerer::chosenBy(const Condition::Text &When, const Value &Then, const Value &Else) {
  for (const Value *Each : {&Then, &Else}) // Numbers that are converted to int are assumed to fit.
    if (const std::optional<std::int64_t> K = Each->Int->constant(); K && (*K > INT32_MAX || *K < INT32_MIN))
      return std::nullopt;
  const std::string Name = "(" + When.Plain + " ? " + spell(*Then.Int) + " : " + spell(*Else.Int) + ")";
  if (Name.size() > LongestName)
    return std::nullopt;
  std::vector<Poly> Operands = When.Operands;
  Operands.insert(Operands.end(), {*Then.Int, *Else.Int});
  const Poly P = symbolOf({When.Operation + " ? # : #", std::move(Operands)}, Name,
                          surelyNonNegative(*Then.Int) && surelyNonNegative(*Else.Int));
  const SymbolId Chosen = *P.symbols().begin();
  std::set<SymbolId> In = When.In;
  In.merge(Then.Int->symbols());
  In.merge(Else.Int->symbols());
  for (SymbolId S : In)
    if (!SymbolTable[Chosen].Meets)
      SymbolTable[Chosen].Meets = SymbolTable[S].Meets;
  SymbolTable[Chosen].From.merge(In);
  Tree.Symbols[Chosen].Wide =
      "(" + When.Wide + " ? (" + Tree.wideSpelling(*Then.Int) + ") : (" + Tree.wideSpelling(*Else.Int) + "))";
  SymbolTable[Chosen].MayBeNegative = !areSizes(*Then.Int) || !areSizes(*Else.Int);
  Value Result = Value::integer(P);
  Result.Modulo = std::min(Then.Modulo, Else.Modulo);
  return Result;
}

// The value of a conditional number: the minimum or maximum, or an opaque expression.
std::optional<Value> Lowerer::chosen(const Condition &C, const Value &Then, const Value &Else) {
  if (!Then.Int || !Else.Int)
    return std::nullopt;
  if (!C.Words.Plain.empty() && isConstant(*Then.Int) && isConstant(*Else.Int))
    return chosenBy(C.Words, Then, Else);
  if (!C.Uppers.empty()) {
    Condition Plain = C;
    Plain.Uppers.clear();
    if (const std::optional<Value> One = C.Uppers.size() == 1 ? chosen(Plain, Then, Else) : std::nullopt)
      return ifNotLarge(*One, {C.Uppers[0].Side});
    return std::nullopt;
  }
  if (C.Exact && C.Holds.size() == 1 && C.Differs.empty()) { // A < b ? a : b.
    const Poly D = *Else.Int - *Then.Int;
    for (int Slack : {0, 1}) {
      if (D == C.Holds[0] + Poly(Slack))
        return leastOrGreatest({Then, Else}, true);
      if (-D == C.Holds[0] + Poly(Slack))
        return leastOrGreatest({Then, Else}, false);
    }
  }
  const std::string When = spellCondition(C, false);
  if (When.empty())
    return C.FailsExact && !C.Exact ? chosen(negation(C), Else, Then) : std::nullopt;
  if (!isConstant(*Then.Int) || !isConstant(*Else.Int))
    return std::nullopt;
  std::set<SymbolId> In;
  for (const std::vector<Poly> *List : {&C.Holds, &C.Differs})
    for (const Poly &Each : *List)
      In.merge(Each.symbols());
  std::vector<Poly> Operands = C.Holds;
  Operands.insert(Operands.end(), C.Differs.begin(), C.Differs.end());
  const std::string Operation = std::to_string(C.Holds.size()) + " >= 0, others != 0";
  return chosenBy({When, spellCondition(C, true), In, Operation, std::move(Operands)}, Then, Else);
}

Value Lowerer::choice(const AbstractConditionalOperator *E, bool Lvalue) {
  if (const auto *B = dyn_cast<BinaryConditionalOperator>(E))
    OpaqueValues[B->getOpaqueValue()] = evaluate(B->getCommon());
  const Condition C = condition(E->getCond());
  const State Before = St;
  Value Then, Else;
  Node ThenNode, ElseNode;
  State After;
  After.Dead = true;
  if (!C.Constant || *C.Constant) {
    ThenNode = collect([&] { Then = Lvalue ? lvalue(E->getTrueExpr()) : rvalue(E->getTrueExpr()); });
    After = St;
  }
  if (C.Constant && *C.Constant) {
    emit(std::move(ThenNode));
    return Then;
  }
  St = Before;
  ElseNode = collect([&] { Else = Lvalue ? lvalue(E->getFalseExpr()) : rvalue(E->getFalseExpr()); });
  if (C.Constant) {
    emit(std::move(ElseNode));
    return Else;
  }
  const bool ThenDead = After.Dead, ElseDead = St.Dead;
  St = joined(After, St);
  emitIf(C, std::move(ThenNode), std::move(ElseNode));
  if (ThenDead || ElseDead) // Throw.
    return ThenDead ? Else : Then;
  if (E->getType()->isIntegralOrEnumerationType())
    if (const std::optional<Value> One = chosen(C, Then, Else))
      return *One;
  return join(Then, Else);
}

// --- Initializers ----------------------------------------------------------------------------------------------------

Value Lowerer::newExpr(const CXXNewExpr *E) {
  Value Count, Placement;
  if (E->getArraySize() && *E->getArraySize())
    Count = rvalue(*E->getArraySize());
  for (unsigned I = 0; I != E->getNumPlacementArgs(); ++I) {
    Value V = evaluate(E->getPlacementArg(I));
    if (I == 0 && E->getPlacementArg(I)->getType()->isPointerType())
      Placement = std::move(V);
  }
  Value At = Placement;
  for (const Place &P : Placement.To)
    if (!P.Memory)
      ObjectTypes[P.Id] = QualType();
  if (Placement.pointsNowhere()) {
    // One summary object for this place, which may exist from an earlier iteration or call: the outermost frame names
    // it.
    Frame *Outermost = Fr;
    while (Outermost->Up)
      Outermost = Outermost->Up;
    auto [It, New] = Outermost->Temporaries.try_emplace(E, 0);
    if (New)
      It->second = NextObject++;
    ObjectTypes.try_emplace(It->second, E->getAllocatedType());
    St.Objects.of(It->second);
    At = Value::pointer(Place::object(It->second));
    Heap.insert(It->second);
    At.To[0].Element = true;
  }
  if (const Expr *Init = E->getInitializer()) {
    if (E->isArray()) {
      const QualType T = E->getAllocatedType();
      const Value Elements = evaluate(Init).flat();
      for (const Place &P : At.To)
        if (!P.Memory)
          storeObject(P, Elements, false);
      if (!Placement.pointsNowhere() && !Elements.pointsNowhere())
        escape(Elements, E->getExprLoc(), "'" + text(E) + "' puts its address into memory");
      // Constructors may leave elements unwritten.
      const std::uint64_t Size = bytesOf(T);
      touchRange(Placement, T, Count.Int && Size ? std::optional(*Count.Int * Poly(std::int64_t(Size))) : std::nullopt,
                 AccessKind::Write, E->getExprLoc(), elementType(T)->isRecordType(), false,
                 "how many elements are made is not known");
    } else {
      initialize(At, E->getAllocatedType(), Init);
    }
  }
  return At;
}

void Lowerer::initialize(const Value &Target, QualType T, const Expr *Init) {
  const std::size_t Mine = FullExpression.size();
  initializeFrom(Target, T, Init);
  if (isa<FullExpr>(Init->IgnoreParens()))
    destroyTemporaries(Mine);
}

void Lowerer::initializeFrom(const Value &Target, QualType T, const Expr *Init) {
  const Expr *Plain = Init->IgnoreParens();
  while (true) {
    if (const auto *C = dyn_cast<FullExpr>(Plain))
      Plain = C->getSubExpr()->IgnoreParens();
    else if (const auto *B = dyn_cast<CXXBindTemporaryExpr>(Plain))
      Plain = B->getSubExpr()->IgnoreParens();
    else if (const Expr *Of = initialiserOf(Plain))
      Plain = Of->IgnoreParens();
    else
      break;
  }
  if (const auto *L = dyn_cast<InitListExpr>(Plain); L && (T->isRecordType() || T->isArrayType())) {
    initializeList(Target, T, L);
    return;
  }
  if (const auto *C = dyn_cast<CXXConstructExpr>(Plain)) {
    construct(C, &Target);
    return;
  }
  if (const auto *I = dyn_cast<CXXInheritedCtorInitExpr>(Plain)) {
    initializeInherited(Target, T, I);
    return;
  }
  if (const auto *S = dyn_cast<StringLiteral>(Plain)) {
    store(Target, T, {}, S);
    return;
  }
  if (T->isReferenceType()) {
    for (const Place &P : Target.To)
      if (!P.Memory)
        storeObject(P, evaluate(Plain), true);
    return;
  }
  const Value V = Plain->isGLValue() ? load(lvalue(Plain), Plain->getType(), Plain) : rvalue(Plain);
  store(Target, T, V, Init);
}

// An inheriting constructor passes its arguments to the base class's constructor.
void Lowerer::initializeInherited(const Value &Target, QualType T, const CXXInheritedCtorInitExpr *E) {
  const CXXConstructorDecl *C = E->getConstructor();
  std::vector<Value> Args;
  for (const ParmVarDecl *P : Fr->F ? Fr->F->parameters() : llvm::ArrayRef<ParmVarDecl *>()) {
    const auto It = Fr->Objects.find(P);
    const Value *Stored = It == Fr->Objects.end() ? nullptr : St.Objects.find(It->second);
    Args.push_back(Stored ? *Stored : Value());
  }
  if (!isStandard(C->getParent()) || isAnalysed(C->getParent())) {
    invoke(C, Target, std::move(Args), E, E->getExprLoc());
    return;
  }
  Value All;
  for (const Value &A : Args) {
    escape(A, E->getExprLoc(), "it is handed to a constructor of '" + C->getParent()->getNameAsString() + "'");
    All = join(All, A.flat());
  }
  Value At = Target;
  for (Place &P : At.To)
    P.Element |= !P.Memory;
  store(At, T, All, E);
}

void Lowerer::initializeList(const Value &Target, QualType T, const InitListExpr *List) {
  if (List->isSemanticForm() == false && List->getSemanticForm())
    List = List->getSemanticForm();
  if (List->isTransparent() && List->getNumInits() == 1) {
    initialize(Target, T, List->getInit(0));
    return;
  }
  const RecordDecl *D = T->getAsRecordDecl();
  if (!D) { // An array: its elements are kept as one value.
    const QualType Element = Context.getAsArrayType(T) ? Context.getAsArrayType(T)->getElementType() : QualType();
    const std::uint64_t Size = Element.isNull() ? 0 : bytesOf(Element);
    for (unsigned I = 0; I != List->getNumInits(); ++I) {
      Value At = moved(Target, Poly(std::int64_t(I * Size)), [] { return std::string("an initializer"); });
      for (Place &P : At.To)
        P.Element |= !P.Memory;
      if (!Element.isNull())
        initialize(At, Element, List->getInit(I));
      else
        evaluate(List->getInit(I));
    }
    if (List->hasArrayFiller() && !Element.isNull())
      touch(Target, T, AccessKind::Write, List->getExprLoc(), List);
    return;
  }
  if (D->isUnion() || D->isDependentType()) {
    for (unsigned I = 0; I != List->getNumInits(); ++I)
      store(typePunned(Target), T, evaluate(List->getInit(I)).flat(), List);
    return;
  }
  unsigned I = 0;
  const std::size_t Mine = Cleanups.size();
  if (const auto *C = dyn_cast<CXXRecordDecl>(D))
    for (const CXXBaseSpecifier &B : C->bases()) {
      if (I == List->getNumInits())
        return Cleanups.resize(std::min(Mine, Cleanups.size()));
      const Value At = baseAt(Target, *C, B);
      initialize(At, B.getType(), List->getInit(I++));
      noteConstructed(At, B.getType(), List->getExprLoc());
    }
  for (const FieldDecl *F : D->fields()) {
    if (F->isUnnamedBitField())
      continue;
    if (I == List->getNumInits())
      break;
    const Value At = fieldOf(Target, F);
    initialize(At, F->getType(), List->getInit(I++));
    noteConstructed(At, F->getType(), List->getExprLoc());
  }
  Cleanups.resize(std::min(Mine, Cleanups.size()));
}

Value Lowerer::lambda(const LambdaExpr *E) {
  Value Closure;
  auto Field = E->getLambdaClass()->field_begin();
  for (auto Init = E->capture_init_begin(); Init != E->capture_init_end(); ++Init, ++Field) {
    const QualType T = Field->getType();
    if (T->isReferenceType()) {
      Closure.set(Field->getCanonicalDecl(), evaluate(*Init));
      continue;
    }
    if (!*Init)
      continue;
    const Value At = temporary(*Init, T, *Init);
    Closure.set(Field->getCanonicalDecl(), loadValue(At.To[0], T));
  }
  return Closure;
}

} // namespace hsched::cc
