// Conditions during lowering: what holds in the branches, and where unsigned numbers may wrap.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "clang/Basic/Builtins.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {

const Poly *Condition::upperOf(const Poly &Hold) const {
  const auto Found = llvm::find_if(Uppers, [&](const Upper &U) { return U.Hold == Hold; });
  return Found == Uppers.end() ? nullptr : &Found->Side;
}

bool Condition::boundsNothing() const {
  return Differs.empty() && llvm::all_of(Holds, [&](const Poly &D) {
           return upperOf(D) || (D.terms().size() == 1 && D.terms().begin()->second > 0);
         });
}

Condition Lowerer::negation(Condition C) {
  std::swap(C.Holds, C.Fails);
  std::swap(C.Differs, C.FailsDiffers);
  std::swap(C.Exact, C.FailsExact);
  std::swap(C.Words, C.NotWords);
  if (C.Constant)
    C.Constant = !*C.Constant;
  if (!C.FailsExact)
    return C;
  if (C.Fails.empty() && C.FailsDiffers.size() == 1) { // Not a != b.
    C.Holds = {C.FailsDiffers[0], -C.FailsDiffers[0]};
    C.Differs.clear();
    C.Exact = true;
  } else if (C.FailsDiffers.empty() && C.Fails.size() == 2 && C.Fails[0] == -C.Fails[1]) {
    // Not (a == b), which is the only exact pair of a polynomial and its negation.
    C.Holds.clear();
    C.Differs = {C.Fails[0]};
    C.Exact = true;
  }
  return C;
}

void Lowerer::where(const std::vector<Poly> &Holds, const Condition &C, llvm::function_ref<void()> Branch) {
  const std::size_t Before = Here.size();
  if (!WeakStores) // Otherwise a jump may lead into the branch.
    llvm::copy_if(Holds, std::back_inserter(Here), [&](const Poly &D) { return D.valid() && !C.upperOf(D); });
  Branch();
  Here.resize(Before);
}

// For a + Slack <= b. Kernels have numbers that must not wrap, instead. But a loop whose bound wraps ends at another
// one.
void Lowerer::noteUppers(Condition &C, const Value &A, const Value &B, std::int64_t Slack, bool Unsigned) const {
  if (!Unsigned || (Geometry && !InLoopTest))
    return;
  for (const Poly &X : A.Int ? std::vector{*A.Int} : A.Max)
    for (const Poly &Y : B.Int ? std::vector{*B.Int} : B.Min)
      if (X.valid() && mayBeLarge(Y, B.Modulo))
        C.Uppers.push_back({Y - X - Slack, Y});
  if (C.Uppers.empty() || Geometry)
    return;
  for (const Poly &X : A.Int ? std::vector{*A.Int} : A.Max) // Where Y is large, X may be large, too.
    if (X.valid() && !surelyNonNegative(X))
      C.Uppers.push_back({X, Poly(C.Uppers.front().Side), {}, /*LowerIsLarge=*/true});
}

// What C says also where its upper sides wrap: there it holds.
Condition Lowerer::withWraps(Condition C) {
  const std::vector<Condition::Upper> Uppers = std::exchange(C.Uppers, {});
  const auto Weaken = [&](std::vector<Poly> &List, bool &Exact, std::vector<Poly> &Other, bool &OtherExact) {
    std::vector<Poly> Sides;
    const std::size_t Before = List.size();
    llvm::erase_if(List, [&](const Poly &P) {
      const auto Found = llvm::find_if(Uppers, [&](const Condition::Upper &U) { return U.Hold == P; });
      if (Found != Uppers.end())
        Sides.push_back(Found->Side);
      return Found != Uppers.end();
    });
    if (Sides.empty())
      return;
    Exact = false;
    // If b does not wrap and b <= a, then a < b fails.
    if (OtherExact && Before == 1 && Other.size() == 1)
      Other.push_back(Sides[0]);
    else
      OtherExact = false;
  };
  Weaken(C.Holds, C.Exact, C.Fails, C.FailsExact);
  Weaken(C.Fails, C.FailsExact, C.Holds, C.Exact);
  return C;
}

Condition Lowerer::compare(BinaryOperatorKind Op, const Value &A, const Value &B, bool Unsigned) {
  // Constants beyond the greatest number with a sign.
  if (Unsigned && !Geometry)
    for (const Value *V : {&A, &B})
      if (const auto C = V->Int ? V->Int->constant() : std::nullopt; C && *C < 0)
        return {};
  switch (Op) {
  case BO_GT:
    return compare(BO_LT, B, A, Unsigned);
  case BO_LE: { // Holds a < b + 1, but not b < a: a negative unsigned number is large.
    if (Unsigned && B.Int && !surelyNonNegative(*B.Int) && !isConstant(*B.Int)) // A counter from -1 on.
      return negation(compare(BO_LT, B, A, Unsigned));
    Value Next = B;
    if (Next.Int)
      Next.Int = *Next.Int + 1;
    for (std::vector<Poly> *List : {&Next.Min, &Next.Max})
      for (Poly &P : *List)
        P = P + 1;
    Condition C = compare(BO_LT, A, Next, Unsigned);
    C.Uppers.clear();
    noteUppers(C, A, B, 0, Unsigned);
    if (!C.Uppers.empty())
      C.Constant.reset();
    return C;
  }
  case BO_GE: {
    // Sizes are assumed not to be negative. For other values, the direction that gives more information is used.
    const auto below = [&](const Value &V) { return V.Int && !surelyNonNegative(*V.Int); };
    const auto size = [&](const Value &V) { return V.Int && isConstant(*V.Int); };
    const bool Turned = below(A) ? size(A) : below(B) && !size(B);
    return Turned ? compare(BO_LE, B, A, Unsigned) : negation(compare(BO_LT, A, B, Unsigned));
  }
  case BO_NE:
    return negation(compare(BO_EQ, A, B, Unsigned));
  default:
    break;
  }
  Condition C;
  if (Op == BO_EQ) {
    if (!A.Int || !B.Int)
      return C;
    const Poly D = *A.Int - *B.Int;
    if (!D.valid())
      return C;
    if (std::optional<std::int64_t> K = D.constant())
      C.Constant = *K == 0;
    C.Holds = {D, -D};
    C.Exact = true;
    return C;
  }
  // Condition a < b. For a, an upper bound gives less than the minimum of several values.
  std::vector<Poly> Left = A.Int ? std::vector{*A.Int} : A.Max, Right = B.Int ? std::vector{*B.Int} : B.Min;
  if (!Left.empty() && !Right.empty()) {
    C.Exact = true;
    for (const Poly &X : Left)
      for (const Poly &Y : Right)
        C.Holds.push_back(Y - X - 1);
    if (C.Holds.size() == 1) {
      C.Fails = {-C.Holds[0] - 1};
      C.FailsExact = true;
    }
    noteUppers(C, A, B, 1, Unsigned);
    // A negative unsigned number is large, and below nothing but another one.
    if (Unsigned)
      for (const Poly &X : Left)
        if (!surelyNonNegative(X)) {
          if (Geometry || llvm::none_of(Right, [&](const Poly &Y) { return hasLargeSymbol(Y); }))
            C.Holds.push_back(X);
          else
            C.Exact = false;
          C.Fails.clear();
          C.FailsExact = false;
        }
  } else {
    // min(a, b) < c fails if and only if a >= c and b >= c.
    Left = A.Int ? std::vector{*A.Int} : A.Min;
    Right = B.Int ? std::vector{*B.Int} : B.Max;
    if (Left.empty() || Right.empty())
      return C;
    C.FailsExact = true;
    for (const Poly &X : Left)
      for (const Poly &Y : Right)
        if (Unsigned && !Geometry && mayBeLarge(X, A.Modulo)) // It may be greater where this is negative.
          C.FailsExact = false;
        else
          C.Fails.push_back(X - Y);
  }
  for (const std::vector<Poly> *List : {&C.Holds, &C.Fails})
    for (const Poly &P : *List)
      if (!P.valid())
        return {};
  if (C.Holds.size() == 1 && C.Uppers.empty())
    if (std::optional<std::int64_t> K = C.Holds[0].constant())
      C.Constant = *K >= 0;
  return C;
}

// As compare(), for numbers of type T that may have wrapped.
Condition Lowerer::compareIn(BinaryOperatorKind Op, Value A, Value B, QualType T) {
  const bool Unsigned = T->isUnsignedIntegerOrEnumerationType(), Same = Op == BO_EQ || Op == BO_NE;
  std::vector<Poly> Sides;   // The bounds of a loop that are right if they have not wrapped.
  std::optional<Poly> Lower; // A number without a sign that is large if this is negative.
  for (Value *V : {&A, &B}) {
    if (Geometry || V->Modulo == Value::Whole)
      continue;
    const auto Other = (V == &A ? B : A).Int;
    const auto Number = Other ? Other->constant() : std::nullopt;
    if (V->Int && V->Int->constant())
      *V = exact(*V, T);
    else if (Number && *Number > INT32_MAX && Context.getIntWidth(T) == 32 && !(V->Int && notNegative(*V->Int, false)))
      *V = Value(); // A number that was negative may be less than that one.
    else if (Same && ((V->Int && notNegative(*V->Int, /*OfSizes=*/V->Modulo >= Context.getIntWidth(T))) ||
                      (Number && *Number >= 0 && *Number < INT32_MAX)))
      continue;
    else if (Unsigned && V->Modulo >= Context.getIntWidth(T) && !Same)
      continue; // As Condition::Uppers.
    else if (!InLoopTest || !V->Int)
      *V = Value();
    else if (!Same && (V == &B) == (Op == BO_LT || Op == BO_LE))
      Sides.push_back(*V->Int);
    else if (!Same && !surelyNonNegative(*V->Int))
      Lower = *V->Int;
  }
  if (Unsigned && (Op == BO_LT || Op == BO_GE))
    B = belowLimit(A, B, T);
  else if (Unsigned && (Op == BO_GT || Op == BO_LE))
    A = belowLimit(B, A, T);
  Condition C = compare(Op, A, B, Unsigned);
  for (const Poly &Side : Sides)
    for (const Poly &Hold : C.Holds)
      C.Uppers.push_back({Hold, Side});
  if (!Sides.empty() || Lower)
    C.Constant.reset();
  if (Lower && !C.Holds.empty()) {
    C.Holds.push_back(*Lower);
    C.Fails.clear();
    C.Exact = C.FailsExact = false;
  }
  for (Condition::Upper &U : C.Uppers)
    if (Unsigned && std::min(A.Modulo, B.Modulo) >= Context.getIntWidth(T) && areSizes(U.Side))
      U.Type = T;
  if (Unsigned && !Same && A.Int && B.Int && !C.Constant)
    std::tie(C.Words, C.NotWords) = wordsOf(Op, A, B, T);
  return C;
}

Condition Lowerer::condition(const Expr *E) {
  E = E->IgnoreParens();
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_LNot)
    return negation(condition(U->getSubExpr()));
  if (const auto *C = dyn_cast<ImplicitCastExpr>(E)) {
    const QualType From = C->getSubExpr()->getType();
    if (C->getCastKind() == CK_IntegralToBoolean) {
      if (isLogical(C->getSubExpr()))
        return condition(C->getSubExpr());
      const Value Its = rvalue(C->getSubExpr());
      noteNumber(Its, From, E);
      return compare(BO_NE, Its, Value::integer(0), From->isUnsignedIntegerType());
    }
    if (C->getCastKind() == CK_NoOp || (C->getCastKind() == CK_IntegralCast && isLogical(C->getSubExpr())))
      return condition(C->getSubExpr());
  }
  if (const auto *W = dyn_cast<ExprWithCleanups>(E)) {
    const std::size_t Mine = FullExpression.size();
    const Condition C = condition(W->getSubExpr());
    destroyTemporaries(Mine);
    return C;
  }
  if (const auto *W = dyn_cast<CXXRewrittenBinaryOperator>(E))
    return condition(W->getSemanticForm());
  if (const auto *B = dyn_cast<CallExpr>(E); B && B->getNumArgs() &&
                                             (B->getBuiltinCallee() == Builtin::BI__builtin_expect ||
                                              B->getBuiltinCallee() == Builtin::BI__builtin_expect_with_probability))
    return condition(B->getArg(0));
  if (bool Understood = false; isa<CXXOperatorCallExpr>(E)) {
    Condition C = standardCondition(E, Understood);
    if (Understood)
      return C;
  }
  if (const auto *K = dyn_cast<ConstantExpr>(E))
    return condition(K->getSubExpr());
  const auto *B = dyn_cast<BinaryOperator>(E);
  if (B && B->isLogicalOp()) {
    const bool And = B->getOpcode() == BO_LAnd;
    const Condition L = condition(B->getLHS());
    Condition R;
    if (L.Constant) {
      if (*L.Constant != And)
        return L;
      return condition(B->getRHS());
    }
    const State Before = St;
    Node Right = collect([&] { R = condition(B->getRHS()); });
    St = joined(Before, St);
    if (And)
      emitIf(L, std::move(Right), Node());
    else
      emitIf(L, Node(), std::move(Right));
    return And ? conjunction(L, R) : negation(conjunction(negation(L), negation(R)));
  }
  if (B && B->isComparisonOp()) {
    const QualType T = B->getLHS()->getType();
    const Value L = rvalue(B->getLHS()), R = rvalue(B->getRHS());
    if (T->isPointerType())
      return comparePointers(B->getOpcode(), L, R);
    if (!T->isIntegralOrEnumerationType())
      return {};
    noteComparison(L, R, T, B);
    const Condition C = compareIn(B->getOpcode(), L, R, T);
    return C.Constant && mayWrap(L, R, T) ? Condition() : C;
  }
  const Value V = E->isGLValue() ? load(lvalue(E), E->getType(), E) : rvalue(E);
  noteNumber(V, E->getType(), E);
  if (E->getType()->isIntegralOrEnumerationType() && V.Int)
    return compare(BO_NE, V, Value::integer(0), E->getType()->isUnsignedIntegerOrEnumerationType());
  return {};
}

Condition Lowerer::comparePointers(BinaryOperatorKind Op, const Value &L, const Value &R) {
  if (L.To.size() != 1 || R.To.size() != 1 || !L.Unbounded.empty() || !R.Unbounded.empty())
    return {};
  const Place &A = L.To[0], &B = R.To[0];
  if (!A.Memory || !B.Memory || A.Id != B.Id || Facts[A.Id].Many || !A.Offset.valid() || !B.Offset.valid())
    return {};
  return compare(Op, Value::integer(A.Offset), Value::integer(B.Offset), false);
}

Condition Lowerer::conjunction(const Condition &A, const Condition &B) {
  Condition C;
  C.Holds = A.Holds;
  C.Holds.insert(C.Holds.end(), B.Holds.begin(), B.Holds.end());
  C.Uppers = A.Uppers;
  C.Uppers.insert(C.Uppers.end(), B.Uppers.begin(), B.Uppers.end());
  C.Differs = A.Differs;
  C.Differs.insert(C.Differs.end(), B.Differs.begin(), B.Differs.end());
  C.Exact = A.Exact && B.Exact;
  if (A.Constant && *A.Constant)
    return B;
  if (B.Constant && *B.Constant)
    return A;
  if ((A.Constant && !*A.Constant) || (B.Constant && !*B.Constant))
    C.Constant = false;
  return C;
}

bool Lowerer::isLogical(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return B->isComparisonOp() || B->isLogicalOp();
  if (const auto *C = dyn_cast<CallExpr>(E))
    return C->getNumArgs() && C->getBuiltinCallee() == Builtin::BI__builtin_expect && isLogical(C->getArg(0));
  const auto *U = dyn_cast<UnaryOperator>(E);
  return U && U->getOpcode() == UO_LNot;
}

} // namespace hsched::cc
