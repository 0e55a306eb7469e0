// Integers of a kernel that must not wrap around, as accesses to roots of their own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A polynomial P does not wrap around, but a number of w bits does: it is P modulo 2^w. Sums, products and narrower
// types keep that, and subscripts of 64 bits. Comparisons, divisions, other subscripts and conversions to a longer type
// do not: the tree is right if a number is in its type's range there. Each such place reads the element with the number
// from a root of its own. The box around all of them then bounds the number in terms of the arguments, with the
// conditions and loops around the place.
#include "analysis/lower/Lowerer.h"

using namespace clang;

namespace hsched::cc {

// The root for the numbers of type T at E, if T had so many bits. Which: each of several numbers has a root of its own,
// because it is not known which of them is least.
unsigned Lowerer::numberRoot(QualType T, unsigned Width, const Expr *E, std::size_t Which) {
  const std::string Type = (T->isUnsignedIntegerOrEnumerationType() ? "u" : "s") + std::to_string(Width);
  const auto [It, New] = Numbers.try_emplace({E, Type + " " + std::to_string(Which)}, 0);
  if (New) {
    Root R;
    R.K = Root::Param;
    R.Index = NumberIndex;
    R.Name = "a number";
    R.Element = Type;
    R.ElementBytes = 1;
    It->second = addRoot(std::move(R), {});
  }
  return It->second;
}

void Lowerer::noteNumber(const Value &V, QualType T, const Expr *E, unsigned Width) {
  if (!Geometry || !Geometry->WithNumbers || !T->isIntegralOrEnumerationType() || T->isBooleanType() ||
      (T->isSignedIntegerOrEnumerationType() && Context.getIntWidth(T) == 64))
    return;
  std::vector<Poly> All = V.Min;
  All.insert(All.end(), V.Max.begin(), V.Max.end());
  if (V.Int)
    All = {*V.Int};
  Width = Width ? Width : Context.getIntWidth(T);
  const std::int64_t Most = Width < 32 ? (std::int64_t(1) << (Width - 1)) - 1 : INT32_MAX;
  for (std::size_t I = 0; I != All.size(); ++I) {
    if (const auto C = All[I].constant(); C && *C >= 0 && *C <= Most)
      continue;
    touchRange(Value::pointer(Place::root(numberRoot(T, Width, E, I), All[I])), QualType(), Poly(1), AccessKind::Read,
               E->getExprLoc(), false, false, "");
  }
}

void Lowerer::noteUnknown(const Expr *E) {
  if (Geometry && Geometry->WithNumbers)
    touchRange(Value::pointer(Place::root(numberRoot(Context.UnsignedLongTy, 64, E, 0), Poly::invalid())), QualType(),
               Poly(1), AccessKind::Read, E->getExprLoc(), false, false, "");
}

void Lowerer::noteConversion(const Value &V, QualType From, QualType To, const Expr *E) {
  if (To->isBooleanType())
    return noteNumber(V, From, E);
  if (!From->isIntegralOrEnumerationType() || !To->isIntegralOrEnumerationType() ||
      Context.getIntWidth(To) <= Context.getIntWidth(From) ||
      (V.Int && V.Int->constant() && From->isSignedIntegerOrEnumerationType())) // castInteger() converts it.
    return;
  noteNumber(V, From, E);
  if (To->isUnsignedIntegerOrEnumerationType())
    noteNumber(V, To, E);
}

// Unknown numbers have no range. They only count where they cancel out, so that the condition seems to be known.
void Lowerer::noteComparison(const Value &A, const Value &B, QualType T, const Expr *E) {
  noteNumber(A, T,
             cast<BinaryOperator>(E)->getLHS()); // Each has a root of its own: which of them is less is not known.
  noteNumber(B, T, cast<BinaryOperator>(E)->getRHS());
  if (!A.Int || !B.Int)
    return;
  const Poly Difference = *A.Int - *B.Int;
  for (SymbolId S : A.Int->symbols())
    if (Tree.Symbols[S].K == Symbol::Unknown && B.Int->mentions(S) && Difference.valid() && !Difference.mentions(S))
      return noteUnknown(E);
}

// A difference of unsigned numbers may be a constant that is wrong: i - 1 > i holds for 0.
bool Lowerer::mayWrap(const Value &A, const Value &B, QualType T) const {
  const auto Known = [](const Value &V) { return V.Int && V.Int->constant(); };
  return Geometry && Geometry->WithNumbers && T->isUnsignedIntegerOrEnumerationType() && !(Known(A) && Known(B));
}

void Lowerer::noteOperands(BinaryOperatorKind Op, const Value &A, const Value &B, QualType T, const Expr *E) {
  if (Op != BO_Div && Op != BO_Rem && Op != BO_Shr)
    return;
  noteNumber(A, T, cast<BinaryOperator>(E)->getLHS());
  noteNumber(B, T, cast<BinaryOperator>(E)->getRHS());
  if (Op == BO_Shr || !A.Int || !B.Int || !A.Int->dividedBy(*B.Int)) // What is unknown cancels out in no shift.
    return;
  for (SymbolId S : A.Int->symbols())
    if (Tree.Symbols[S].K == Symbol::Unknown)
      return noteUnknown(E);
}

} // namespace hsched::cc
