// Casts: of numbers, pointers and objects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace hsched::cc {

// C as a number of type T of less than 64 bits.
std::int64_t Lowerer::cut(std::int64_t C, QualType T) const {
  const unsigned Width = Context.getIntWidth(T);
  std::int64_t Low = std::int64_t(std::uint64_t(C) & ((std::uint64_t(1) << Width) - 1));
  if (!T->isUnsignedIntegerOrEnumerationType() && Low >> (Width - 1))
    Low -= std::int64_t(1) << Width;
  return Low;
}

Value Lowerer::castInteger(const Value &V, QualType From, QualType To) {
  if (!From->isIntegralOrEnumerationType() || !To->isIntegralOrEnumerationType())
    return {};
  if (!V.Int)
    return Context.getIntWidth(To) < 32 ? Value() : wrappedIn(V, From, To);
  const unsigned Width = Context.getIntWidth(To);
  const bool Unsigned = To->isUnsignedIntegerOrEnumerationType();
  if (std::optional<std::int64_t> C = V.Int->constant()) {
    if (To->isBooleanType())
      return Value::integer(*C != 0);
    if (Width < 64)
      return Value::integer(cut(*C, To));
    return Unsigned && *C < 0 && !From->isUnsignedIntegerOrEnumerationType() ? Value() : V;
  }
  if (To->isBooleanType())
    return {};
  const unsigned Before = Context.getIntWidth(From);
  const bool Same = Unsigned == From->isUnsignedIntegerOrEnumerationType();
  const bool Fits = Same ? Width >= Before : Unsigned ? Width >= Before && surelyNonNegative(*V.Int) : Width > Before;
  const auto Rest = V.Int->terms().find({});
  const bool Beyond = Rest != V.Int->terms().end() && (Rest->second > INT32_MAX || Rest->second < INT32_MIN);
  const bool Large = !Geometry && Width == 32 && !Unsigned &&
                     (Before > 32 || From->isUnsignedIntegerOrEnumerationType()) && (Beyond || hasLargeSymbol(*V.Int));
  if ((Width >= 32 || Fits) && !Large) {
    Value Low = V; // Large constants are small ones in fewer bits.
    if (Width < Before && !Geometry)
      Low.Int = V.Int->modulo(Width);
    return wrappedIn(Low, From, To); // Overflow is assumed not to occur: subscripts that wrap are never intended.
  }
  if (std::optional<Poly> P =
          opaque("(" + To.getUnqualifiedType().getAsString(Context.getPrintingPolicy()) + ")", *V.Int, "", 0, "",
                 Unsigned, /*OfSizes=*/false, Identity("(" + typeName(To) + ")#", {*V.Int})))
    return Value::integer(*P);
  // All numbers of the type occur only if it counts beyond them.
  const std::int64_t Numbers = std::int64_t(1) << Width;
  const bool All = Geometry || llvm::any_of(Here, [&](const Poly &K) {
                     const std::optional<std::int64_t> Last = (K + *V.Int).constant();
                     return Last && *Last >= Numbers - 1;
                   });
  return Unsigned && All ? Value::integer(ranged("cast", 0, Numbers)) : Value();
}

Value Lowerer::baseCast(const CastExpr *E) {
  Value V = evaluate(E->getSubExpr());
  const bool Down = E->getCastKind() == CK_BaseToDerived;
  QualType T = E->getSubExpr()->getType();
  if (Down)
    T = E->getType();
  if (T->isAnyPointerType())
    T = T->getPointeeType();
  Poly Offset = 0;
  const CXXRecordDecl *From = T->getAsCXXRecordDecl();
  const bool Repeats = From && !repeatedBases(*From).empty();
  for (const CXXBaseSpecifier *B : E->path()) {
    const CXXRecordDecl *Base = B->getType()->getAsCXXRecordDecl();
    From = From ? From->getDefinition() : nullptr;
    if (!From || !Base || B->isVirtual() || From->isInvalidDecl() || From->isDependentType()) {
      Offset = Poly::invalid();
      break;
    }
    Offset = Offset + Poly(Context.getASTRecordLayout(From).getBaseClassOffset(Base).getQuantity());
    From = Base;
  }
  Value R = V;
  for (Place &P : R.To)
    if (!P.Memory) {
      P.TypePunned |= Repeats;
    } else if (!P.Self) {
      P.Offset = Down ? P.Offset - Offset : P.Offset + Offset;
      if (!P.Offset.valid() && P.Why.empty())
        P.Why = "a virtual base class is in the way";
    }
  return R;
}

Value Lowerer::castValue(const CastExpr *E) {
  const Expr *Sub = E->getSubExpr();
  switch (E->getCastKind()) {
  case CK_LValueToRValue: {
    const Expr *Plain = Loaded = Sub->IgnoreParens();
    if (const auto *B = dyn_cast<BinaryOperator>(Plain); B && B->isAssignmentOp()) {
      Value Result;
      assign(B, &Result);
      return Result;
    }
    if (const auto *U = dyn_cast<UnaryOperator>(Plain); U && U->isIncrementDecrementOp()) {
      Value Result;
      increment(U, &Result);
      return Result;
    }
    if (const auto *Choice = dyn_cast<AbstractConditionalOperator>(Plain))
      return choice(Choice, false);
    if (const auto *R = dyn_cast<DeclRefExpr>(Plain))
      if (const auto *V = dyn_cast<VarDecl>(R->getDecl());
          V && (V->hasGlobalStorage() || V->isConstexpr()) && V->getType().isConstQualified()) {
        if (std::optional<std::int64_t> C = constantOf(E))
          return Value::integer(*C);
        if (V->isConstexpr() && Sub->getType()->isArithmeticType())
          return {};
      }
    return load(lvalue(Sub), Sub->getType(), Sub);
  }
  case CK_ArrayToPointerDecay: {
    Value V = lvalue(Sub);
    for (Place &P : V.To)
      P.Element |= !P.Memory;
    return V;
  }
  case CK_FunctionToPointerDecay:
  case CK_BuiltinFnToFnPtr:
    return evaluate(Sub);
  case CK_NoOp:
  case CK_ConstructorConversion:
  case CK_UserDefinedConversion:
  case CK_AddressSpaceConversion:
  case CK_AtomicToNonAtomic:
  case CK_NonAtomicToAtomic:
  case CK_Dependent:
    return evaluate(Sub);
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
  case CK_BaseToDerived:
    return baseCast(E);
  case CK_Dynamic: {
    Value V = evaluate(Sub);
    Value R;
    R.Unbounded = V.Unbounded;
    for (Place P : V.To) {
      if (P.Memory)
        P.Offset = Poly::invalid();
      R.add(P);
    }
    return R;
  }
  case CK_BitCast:
  case CK_LValueBitCast:
  case CK_LValueToRValueBitCast: {
    Value V = evaluate(Sub);
    QualType From = Sub->getType(), To = E->getType();
    if (From->isAnyPointerType() && To->isAnyPointerType()) {
      From = From->getPointeeType();
      To = To->getPointeeType();
    } else if (E->getCastKind() == CK_BitCast) { // Vectors and scalars.
      V.forgetNumber();
      return V;
    }
    if (!Context.hasSameUnqualifiedType(From, To) && (holdsPointers(From) || holdsPointers(To)))
      V = typePunned(V);
    else if (From->isIncompleteType() || To->isIncompleteType()) // Type void *: the later type may differ.
      for (Place &P : V.To)
        P.Element |= !P.Memory && From->isIncompleteType();
    if (E->getCastKind() == CK_LValueToRValueBitCast)
      return load(V, E->getType(), E);
    return V;
  }
  case CK_IntegralCast:
  case CK_BooleanToSignedIntegral:
  case CK_IntegralToBoolean: {
    const Value Its = rvalue(Sub);
    noteConversion(Its, Sub->getType(), E->getType(), E);
    return castInteger(Its, Sub->getType(), E->getType());
  }
  case CK_PointerToIntegral: {
    const Value V = evaluate(Sub);
    escape(V, E->getExprLoc(), "'" + text(Sub) + "' is cast to an integer");
    return {};
  }
  case CK_IntegralToPointer: {
    Value V = rvalue(Sub);
    if (V.Int && V.Int->isZero())
      return {};
    V = moved(V.flat(), Poly::invalid(), [] { return "it is made of an integer"; });
    V.Unbounded = "'" + text(E) + "' is a pointer made of an integer";
    return V;
  }
  case CK_NullToPointer:
  case CK_NullToMemberPointer:
  case CK_ZeroToOCLOpaqueType:
    return {};
  case CK_ToVoid:
    if (Sub->isGLValue())
      lvalue(Sub);
    else
      rvalue(Sub);
    return {};
  case CK_PointerToBoolean:
  case CK_MemberPointerToBoolean:
  case CK_FloatingToIntegral:
  case CK_FloatingToBoolean:
  case CK_IntegralToFloating:
  case CK_FloatingCast:
  case CK_VectorSplat:
    evaluate(Sub);
    return {};
  default:
    if (E->isGLValue() || holdsPointers(E->getType()))
      return evaluate(Sub);
    evaluate(Sub);
    return {};
  }
}

} // namespace hsched::cc
