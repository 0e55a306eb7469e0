// Integers that may have wrapped around, or were converted from a negative number.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and products of numbers that have wrapped are right modulo 2^w, as subscripts are. A quotient, a comparison or a
// minimum is not. Value::Modulo is the least w on the way, and exact() gives the number that such an operation sees.
#include "analysis/lower/Lowerer.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {

bool Lowerer::isSize(SymbolId S) const {
  return Tree.Symbols[S].NonNegative || (Tree.Symbols[S].K == Symbol::Value && !SymbolTable[S].MayBeNegative);
}

// A number times such a factor may not fit in its type, as those of a hash.
bool Lowerer::hasLargeFactor(const Poly &P) {
  return llvm::any_of(P.terms(), [](const auto &Term) { return !Term.first.empty() && std::abs(Term.second) >> 20; });
}

bool Lowerer::hasLargeSymbol(const Poly &P) const {
  return llvm::any_of(P.symbols(), [&](SymbolId S) { return SymbolTable[S].Large; });
}

// True if Bytes may be small because a multiple of a number of 64 bits without a sign, which is subtracted, wraps.
bool Lowerer::mayOverflow(const Poly &Bytes) const {
  return llvm::any_of(Bytes.terms(), [&](const auto &Term) {
    return Term.second < -1 && llvm::any_of(Term.first, [&](SymbolId S) { return SymbolTable[S].Huge; });
  });
}

bool Lowerer::areSizes(const Poly &P) const {
  return P.valid() && !hasLargeFactor(P) && llvm::all_of(P.terms(), [&](const auto &Term) {
           return Term.second >= 0 && llvm::all_of(Term.first, [&](SymbolId S) { return isSize(S); });
         });
}

bool Lowerer::staysAbove(const Poly &P) const {
  return llvm::any_of(Here, [&](const Poly &K) {
    const Poly Rest = P - K; // As i + (n - 1 - i) for n - 1.
    return surelyNonNegative(Rest) ||
           llvm::any_of(Here, [&](const Poly &Other) { return surelyNonNegative(Rest - Other); });
  });
}

bool Lowerer::notNegative(const Poly &P, bool OfSizes) const {
  if (!P.valid() || (OfSizes ? areSizes(P) : surelyNonNegative(P) && !hasLargeFactor(P)) || staysAbove(P))
    return P.valid();
  const std::set<SymbolId> In = P.symbols();
  if (In.size() != 1 || !(P == Poly::symbol(*In.begin())))
    return false;
  const Symbol &S = Tree.Symbols[*In.begin()]; // A minimum is not negative if none of its numbers is.
  const auto Is = [&](const Poly &Each) { return notNegative(Each, OfSizes); };
  return S.Least.empty() ? llvm::any_of(S.Greatest, Is) : llvm::all_of(S.Least, Is);
}

// True if P, an unsigned number that is right modulo 2^Modulo, may have wrapped below 0 here.
bool Lowerer::mayBeLarge(const Poly &P, unsigned Modulo) const {
  return P.valid() && !P.constant() && (Geometry || Modulo != Value::Whole) && !notNegative(P, /*OfSizes=*/Geometry);
}

Value Lowerer::wrappedIn(Value V, QualType From, QualType To) const {
  if (Geometry)
    return V;
  const unsigned Width = Context.getIntWidth(To);
  const bool Known = V.Int && V.Int->constant() && Width < 64; // castInteger() has computed it.
  bool Above = From->isUnsignedIntegerOrEnumerationType() && V.Modulo == Value::Whole;
  if (!Above) {
    Above = true;
    for (const std::vector<Poly> &List : {V.Int ? std::vector{*V.Int} : std::vector<Poly>(), V.Min, V.Max})
      for (const Poly &P : List)
        Above &= notNegative(P, /*OfSizes=*/false);
  }
  if (Known || To->isSignedIntegerOrEnumerationType() || Above)
    V.Modulo = Known || V.Modulo >= Width ? Value::Whole : V.Modulo; // What is converted to int fits.
  else
    V.Modulo = std::min(V.Modulo, Width);
  return V;
}

// The sum or the difference of A and B in type T.
Value Lowerer::sumIn(const Value &A, const Value &B, bool Minus, QualType T) const {
  const bool Unsigned = T->isUnsignedIntegerOrEnumerationType() && !Geometry;
  const unsigned Width = Context.getIntWidth(T);
  Value R;
  // Where a number that has wrapped in fewer bits is large, a difference is small. In 32 bits it wraps again.
  if (Minus && !Geometry && B.Int &&
      (B.Modulo < Width ? !notNegative(*B.Int, /*OfSizes=*/false) : Unsigned && Width == 32 && hasLargeSymbol(*B.Int)))
    return R;
  R.Modulo = std::min(A.Modulo, B.Modulo);
  const auto Of = [&](const Poly &P) {
    const Poly Whole = Minus ? P - *B.Int : P + *B.Int, Sum = Whole.modulo(Unsigned ? Width : 64);
    if (const std::optional<std::int64_t> C = Sum.constant(); C && Width < 64 && !Geometry)
      return Poly(cut(*C, T));
    // A large number that has wrapped in fewer bits is small less a large constant.
    if (const auto Rest = Sum.terms().find({});
        std::min(A.Modulo, B.Modulo) < Width && !Geometry && Rest != Sum.terms().end() && Rest->second < INT32_MIN)
      return Poly::invalid();
    if (Unsigned && (Minus || !(Sum == Whole)) && !notNegative(Sum, /*OfSizes=*/false))
      R.Modulo = std::min(R.Modulo, Width);
    return Sum;
  };
  if (A.Int) {
    const Poly Sum = Of(*A.Int);
    if (Sum.valid())
      R.Int = Sum;
    return R;
  }
  for (const Poly &P : A.Min) // The sum min(a, b) + c is min(a + c, b + c).
    R.Min.push_back(Of(P));
  for (const Poly &P : A.Max)
    R.Max.push_back(Of(P));
  const auto Valid = [](const Poly &P) { return P.valid(); };
  return llvm::all_of(R.Min, Valid) && llvm::all_of(R.Max, Valid) ? R : Value();
}

Value Lowerer::exact(const Value &V, QualType T) {
  if (Geometry || V.Modulo == Value::Whole)
    return V;
  if (!V.Int || !T->isUnsignedIntegerOrEnumerationType() || V.Modulo < Context.getIntWidth(T))
    return Value();
  Value R = V;
  R.Modulo = Value::Whole;
  if (V.Int->constant())
    return castInteger(R, Context.LongTy, T);
  if (notNegative(*V.Int, /*OfSizes=*/false))
    return R;
  if (Context.getIntWidth(T) > 62) { // Sections are computed in numbers with a sign.
    const std::optional<Value> Known = areSizes(*V.Int) ? ifNotLarge(R, {*V.Int}) : std::nullopt;
    return Known ? *Known : Value();
  }
  const std::optional<Poly> P = opaque("(" + typeName(T) + ")", *V.Int, "", 0, "", true);
  if (P)
    SymbolTable[*P->symbols().begin()].Large = true;
  return P ? Value::integer(*P) : Value();
}

std::string Lowerer::typeName(QualType T) {
  if (const auto *E = T->getAs<EnumType>())
    T = E->getDecl()->getIntegerType();
  return T.getCanonicalType().getUnqualifiedType().getAsString();
}

// The comparison in its own type T, if a number that is converted to it may be negative.
std::pair<Condition::Text, Condition::Text> Lowerer::wordsOf(BinaryOperatorKind Op, const Value &A, const Value &B,
                                                             QualType T) const {
  bool Converted = false;
  const auto Known = [&](const Value &V) {
    if (!isConstant(*V.Int) || V.Modulo == Value::Whole)
      return isConstant(*V.Int);
    Converted |= mayBeLarge(*V.Int, V.Modulo);
    return V.Modulo >= Context.getIntWidth(T) && areSizes(*V.Int);
  };
  if (Geometry || !Known(A) || !Known(B) || !Converted)
    return {};
  const auto Cast = [&](const Value &V) {
    return mayBeLarge(*V.Int, V.Modulo) ? "(" + typeName(T) + ")" : std::string();
  };
  const auto Say = [&](const Value &V, bool Wide) {
    return Cast(V) + (Wide ? "(" + Tree.wideSpelling(*V.Int) + ")" : spell(*V.Int, true));
  };
  std::set<SymbolId> In = A.Int->symbols();
  In.merge(B.Int->symbols());
  const auto Both = [&](BinaryOperatorKind By) {
    const std::string Between = (" " + BinaryOperator::getOpcodeStr(By) + " ").str();
    return Condition::Text{Say(A, false) + Between + Say(B, false),
                           Say(A, true) + Between + Say(B, true),
                           In,
                           Cast(A) + "#" + Between + Cast(B) + "#",
                           {*A.Int, *B.Int}};
  };
  return {Both(Op), Both(BinaryOperator::negateComparisonOp(Op))};
}

// The lesser or the greater of A and B, of type T, if a number that is converted to T may be negative. The number that
// is chosen is written as it was before.
std::optional<Value> Lowerer::converted(const Value &A, const Value &B, bool Least, QualType T) {
  if (!A.Int || !B.Int)
    return std::nullopt;
  const auto [When, Not] = wordsOf(Least ? BO_LT : BO_GT, A, B, T);
  std::optional<Value> R = When.Plain.empty() ? std::nullopt : chosenBy(When, A, B);
  if (!R)
    return std::nullopt;
  // The lesser is no greater than what is not negative.
  for (const Value *V : {&A, &B})
    if (Least && notNegative(*V->Int, /*OfSizes=*/false) && (Context.getIntWidth(T) == 64 || V->Int->constant())) {
      R->Modulo = Value::Whole;
      // What holds in this branch alone is no fact about the symbol.
      if (!surelyNonNegative(*V->Int))
        continue;
      Tree.Symbols[*R->Int->symbols().begin()].NonNegative = true;
      learn({*V->Int - *R->Int});
    }
  return R;
}

// For a counter I that is compared with a converted size B: the lesser of B and the limit that I has here.
Value Lowerer::belowLimit(const Value &I, const Value &B, QualType T) {
  if (Geometry || !I.Int || !B.Int || isConstant(*I.Int) || !mayBeLarge(*B.Int, B.Modulo))
    return B;
  for (const Poly &K : Here) {
    const Poly Limit = K + *I.Int + 1;
    if (isConstant(Limit) && notNegative(Limit, /*OfSizes=*/false))
      if (const std::optional<Value> Lesser = converted(B, Value::integer(Limit), /*Least=*/true, T))
        return *Lesser;
  }
  return B;
}

bool Lowerer::lowerModulo(Value &V, const Value &End) {
  bool Changed = false;
  if (V.Int && End.Modulo < V.Modulo)
    V.Modulo = End.Modulo, Changed = true;
  for (Field &F : V.Fields)
    if (const Value *Its = End.find(F.Key))
      Changed |= lowerModulo(F.What, *Its);
  return Changed;
}

} // namespace hsched::cc
