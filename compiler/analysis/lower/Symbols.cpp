// Integers during lowering: symbols, arithmetic beyond polynomials, conditions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {

SymbolId Lowerer::freshSymbol(const std::string &Name, Symbol::Kind K) {
  Tree.Symbols.push_back({K, Name, false});
  SymbolTable.emplace_back();
  return Tree.Symbols.size() - 1;
}

AccessPath Lowerer::pathOf(const ValueDecl &D) {
  const auto *Canonical = cast<ValueDecl>(D.getCanonicalDecl());
  return isa<FieldDecl>(D) ? AccessPath().member(Canonical) : AccessPath{Canonical};
}

Poly Lowerer::symbolOf(Identity What, const std::string &Spelling, bool NonNegative) {
  const auto [P, New] = Tree.added({Symbol::Value, Spelling, NonNegative}, std::move(What));
  if (New)
    SymbolTable.emplace_back();
  return P;
}

Poly Lowerer::symbolOf(const Named &N, QualType T) {
  const Poly P = symbolOf(N.Path, N.Text, T->isUnsignedIntegerOrEnumerationType());
  Tree.Symbols[*P.symbols().begin()].OfEnum = T->isEnumeralType();
  return P;
}

Poly Lowerer::hostSymbol(const std::string &Text, bool NonNegative) {
  return symbolOf(AccessPath{nullptr, Text}, Text, NonNegative);
}

// The content of a member or element in memory is a Value if the function does not write there; demote() checks that at
// the end.
Poly Lowerer::memorySymbol(unsigned RootId, const Poly &Offset, QualType T) {
  // An access to the object as a whole may hit any member, whose own root records its changes.
  if (!Offset.valid() || Facts[RootId].Many || !isConstant(Offset) || (int(RootId) == ThisRoot && !Members.empty()))
    return Poly::invalid();
  const std::optional<Named> Name = spellPlace(RootId, Offset, T);
  if (!Name)
    return Poly::invalid();
  const Poly P = symbolOf(*Name, T);
  const SymbolId S = *P.symbols().begin();
  SymbolFacts &F = SymbolTable[S];
  if (F.RootId < 0) {
    F.RootId = int(RootId);
    F.Offset = Offset;
    F.Bytes = std::int64_t(bytesOf(T));
    for (SymbolId In : Offset.symbols())
      F.From.insert(In);
    if (!Facts[RootId].Constant)
      Tree.Symbols[S].From = int(RootId);
  }
  return P;
}

bool Lowerer::isConstant(const Poly &P) const {
  if (!P.valid())
    return false;
  for (SymbolId S : P.symbols())
    if (Tree.Symbols[S].K != Symbol::Value)
      return false;
  return true;
}

std::string Lowerer::spell(const Poly &P, bool Primary) const {
  std::string Text = Tree.spelling(P);
  const auto &Terms = P.terms();
  const bool Plain = Terms.empty() ||
                     (Terms.size() == 1 && Terms.begin()->first.empty() && Terms.begin()->second >= 0) ||
                     (Terms.size() == 1 && Terms.begin()->first.size() == 1 && Terms.begin()->second == 1);
  return Primary && !Plain ? "(" + Text + ")" : Text;
}

// A symbol for a value that is no polynomial but constant during the call.
std::optional<Poly> Lowerer::opaque(const std::string &Before, const Poly &A, const std::string &Between, const Poly &B,
                                    const std::string &After, bool NonNegative, bool OfSizes,
                                    std::optional<Identity> What) {
  if (!isConstant(A) || !isConstant(B))
    return std::nullopt;
  const std::string Name = Before + spell(A, true) + Between + (Between.empty() ? "" : spell(B, true)) + After;
  if (Name.size() > LongestName)
    return std::nullopt;
  if (!What && Between.empty())
    What.emplace(Before + "#" + After, std::vector{A});
  else if (!What)
    What.emplace(Before + "#" + Between + "#" + After, std::vector{A, B});
  const Poly P = symbolOf(std::move(*What), Name, NonNegative);
  const SymbolId Its = *P.symbols().begin();
  const auto IsName = [&](const Poly &Q) {
    return Q.constant() || (Q.symbols().size() == 1 && Q == Poly::symbol(*Q.symbols().begin()) &&
                            Tree.Symbols[*Q.symbols().begin()].Wide.empty());
  };
  // A section is evaluated without the condition that keeps its divisor from being 0. Its conversion follows the
  // operator.
  const bool Divides = Between.starts_with(" / ") || Between.starts_with(" % ");
  const bool MayBeZero = Divides && B.constant().value_or(0) == 0;
  if (Tree.Symbols[Its].Wide.empty() &&
      (MayBeZero || !(IsName(A) && (IsName(B) && (A.constant() || B.constant() || Between.empty()))))) {
    const std::string Right = Between.empty() ? "" : "(" + Tree.wideSpelling(B) + ")";
    const std::string Guard = MayBeZero ? "(" + Between.substr(3) + Right + ") == 0 ? 0 : " : "";
    Tree.Symbols[Its].Wide =
        "::hsched_gen_wide(" + Guard + Before + "(" + Tree.wideSpelling(A) + ")" + Between + Right + After + ")";
  }
  SymbolFacts &F = SymbolTable[Its];
  F.MayBeNegative = !NonNegative && !OfSizes;
  for (const Poly *From : {&A, &B})
    for (SymbolId S : From->symbols()) {
      F.From.insert(S);
      F.Large |= SymbolTable[S].Large;
      F.Huge |= SymbolTable[S].Huge;
      if (!F.Meets)
        F.Meets = SymbolTable[S].Meets;
    }
  return P;
}

void Lowerer::learn(const std::vector<Poly> &Facts) {
  for (const Poly &Fact : Facts)
    if (Fact.valid() && std::ranges::find(Tree.Facts, Fact) == Tree.Facts.end())
      Tree.Facts.push_back(Fact);
}

bool Lowerer::surelyNonNegative(const Poly &P) const { return Tree.surelyNonNegative(P); }

Poly Lowerer::ranged(const std::string &Name, const Poly &Low, const Poly &High, bool OrLow) {
  const SymbolId S = freshSymbol(Name);
  SymbolTable[S].Ranged = true;
  SymbolTable[S].OrLow = OrLow && !surelyNonNegative(High - Low - 1);
  SymbolTable[S].Low = Low;
  SymbolTable[S].High = High;
  Tree.Symbols[S].NonNegative = surelyNonNegative(Low);
  return Poly::symbol(S);
}

namespace {

std::optional<std::int64_t> fold(BinaryOperatorKind Op, std::int64_t A, std::int64_t B) {
  switch (Op) {
  case BO_Div:
    return B == 0 || (A == INT64_MIN && B == -1) ? std::nullopt : std::optional(A / B);
  case BO_Rem:
    return B == 0 || (A == INT64_MIN && B == -1) ? std::nullopt : std::optional(A % B);
  case BO_And:
    return A & B;
  case BO_Or:
    return A | B;
  case BO_Xor:
    return A ^ B;
  case BO_Shr:
    return A < 0 || B < 0 || B > 62 ? std::nullopt : std::optional(A >> B);
  case BO_LT:
    return A < B;
  case BO_GT:
    return A > B;
  case BO_LE:
    return A <= B;
  case BO_GE:
    return A >= B;
  case BO_EQ:
    return A == B;
  case BO_NE:
    return A != B;
  case BO_LAnd:
    return A && B;
  case BO_LOr:
    return A || B;
  default:
    return std::nullopt;
  }
}

} // namespace

Value Lowerer::arithmetic(BinaryOperatorKind Op, const Value &A, const Value &B, QualType T) {
  Value R;
  if (!T->isIntegralOrEnumerationType() || T->isBooleanType())
    if (!BinaryOperator::isComparisonOp(Op) && !BinaryOperator::isLogicalOp(Op))
      return R;
  // min(a, b) + c is min(a + c, b + c).
  if ((Op == BO_Add || Op == BO_Sub) && B.Int && (A.Int || !A.Min.empty() || !A.Max.empty()))
    return sumIn(A, B, Op == BO_Sub, T);
  if (!A.Int || !B.Int)
    return R;
  const std::optional<std::int64_t> Right = B.Int->constant(), Left = A.Int->constant();
  const bool Linear = Op == BO_Mul || (Op == BO_Shl && Right);
  // The operation converts its left side itself. The low bits are right in any case.
  const bool Unsigned = T->isUnsignedIntegerType(), Low = Op == BO_And && Right && *Right >= 0 && *Right <= INT32_MAX;
  const bool Itself =
      Unsigned && (Op == BO_Div || Op == BO_Rem || Op == BO_Shr) && !Left && A.Modulo >= Context.getIntWidth(T);
  // In a type with a sign, the bits are the same ones.
  const bool Converted = !Geometry && (A.Modulo != Value::Whole || B.Modulo != Value::Whole);
  const bool SameBits =
      Converted && (Op == BO_And || Op == BO_Or || Op == BO_Xor) && A.Modulo >= 64 && B.Modulo >= 64 && !Low;
  // The operation converts its right side itself, too.
  const bool Divisor = Unsigned && (Op == BO_Div || Op == BO_Rem) && B.Modulo >= Context.getIntWidth(T) &&
                       areSizes(*B.Int) && mayBeLarge(*B.Int, B.Modulo);
  const Value Its = Linear || Low || Itself || SameBits ? A : exact(A, T);
  const Value By = Linear || SameBits || Divisor ? B : exact(B, T);
  if (!Its.Int || !By.Int)
    return R;
  const Poly &X = *Its.Int, &Y = *By.Int;
  const bool Whole = Geometry || A.Modulo == Value::Whole || notNegative(X, /*OfSizes=*/false);
  const bool NonNegative =
      Low || (T->isUnsignedIntegerOrEnumerationType() && !SameBits) || (surelyNonNegative(X) && surelyNonNegative(Y));
  // A negative number of a signed type is a large one here: (i - 5u) / 2 for an int i.
  const bool DividesUnsigned = (Op == BO_Div || Op == BO_Rem || Op == BO_Shr) && Unsigned;
  // By a number that may be 1 it may be greater than any number with a sign.
  const bool ByOne =
      !Geometry && DividesUnsigned && Op != BO_Rem && Context.getIntWidth(T) == 64 && !Right && !surelyNonNegative(X);
  const auto Opaque = [&](const char *Text) {
    // A product that is too large is cut off, as that of a hash.
    const bool Converts =
        (DividesUnsigned && !surelyNonNegative(X)) || (Unsigned && Context.getIntWidth(T) == 32 && hasLargeFactor(X));
    const std::string Before = Converts ? "((" + typeName(T) + ")" : "(";
    const std::string Between = Text + (Divisor ? "(" + typeName(T) + ")" : "");
    if (std::optional<Poly> P =
            opaque(Before, X, Between, Y, ")", NonNegative && !ByOne, areSizes(X) && areSizes(Y) && !ByOne))
      R.Int = P;
    if (R.Int && Unsigned) {
      SymbolFacts &F = SymbolTable[*R.Int->symbols().begin()];
      F.Large |= Converts;
      F.Huge |= Converts && Context.getIntWidth(T) == 64;
      F.Large &= !((Op == BO_And || Op == BO_Rem) && Right && *Right >= 0 && *Right <= INT32_MAX);
    }
    if ((SameBits && !NonNegative) || ByOne)
      R.Modulo = 64;
  };
  const unsigned Bits = T->isUnsignedIntegerOrEnumerationType() ? Context.getIntWidth(T) : 64;
  const auto Product = [&](const Poly &Factor) {
    // Bits that are shifted out of an int are lost.
    if (Op == BO_Shl && !Unsigned && Context.getIntWidth(T) == 32 && !Geometry && hasLargeSymbol(X)) {
      const std::optional<Poly> P = opaque("(int)", X * Factor, "", 0, "", false);
      return P ? Value::integer(*P) : Value();
    }
    R = Value::integer((X * Factor).modulo(Bits));
    R.Modulo = std::min(A.Modulo, B.Modulo);
    if (const auto C = R.Int ? R.Int->constant() : std::nullopt; C && Context.getIntWidth(T) < 64 && !Geometry)
      return Value::integer(cut(*C, T));
    if (Unsigned && !Geometry && R.Int && hasLargeFactor(*R.Int))
      R.Modulo = std::min(R.Modulo, Context.getIntWidth(T));
    return R;
  };
  switch (Op) {
  case BO_Mul:
    return Product(Y);
  case BO_Shl:
    if (Right && *Right >= 0 && *Right < 62)
      return Product(std::int64_t(1) << *Right);
    Opaque(" << ");
    if (Unsigned && !Geometry)
      R.Modulo = Context.getIntWidth(T);
    return R;
  default:
    break;
  }
  if (Left && Right) {
    // Sums and products may have left the type's range.
    const Value Dividend = DividesUnsigned ? castInteger(Its, Context.LongTy, T) : Its;
    const Value Divisor = DividesUnsigned ? castInteger(By, Context.LongTy, T) : By;
    if (Dividend.Int && Divisor.Int)
      if (std::optional<std::int64_t> C = fold(Op, *Dividend.Int->constant(), *Divisor.Int->constant()))
        R.Int = Poly(*C);
    return R;
  }
  if (Right && *Right == (Op == BO_Div ? 1 : 0) && (Op == BO_Div || Op == BO_Shr))
    return A;
  switch (Op) {
  case BO_Div:
    if (Right && *Right != 0 && Whole)
      if (std::optional<Poly> Q = X.dividedBy(Y))
        return Value::integer(*Q);
    Opaque(" / ");
    if (R.Int && Right && *Right > 0 && (surelyNonNegative(X) || !T->isUnsignedIntegerOrEnumerationType())) {
      learn(quotientFacts(X - *R.Int * Y, *Right, surelyNonNegative(X)));
      Symbol &New = Tree.Symbols[*R.Int->symbols().begin()];
      New.Dividend = X;
      New.Divisor = *Right;
    }
    if (!R.Int && Right && *Right > 0)
      quotients(R, X, *Right, NonNegative);
    return R;
  case BO_Rem:
    if (Right && *Right > 0 && Whole && X.dividedBy(Y))
      return Value::integer(0);
    Opaque(" % ");
    if (!R.Int && NonNegative) {
      const Poly Rest = ranged("%", 0, Y);
      if (Divisor)
        SymbolTable[*Rest.symbols().begin()].Meets = Y;
      R.Int = Rest;
    } else if (!R.Int && Right && *Right > 0)
      R.Int = ranged("%", 1 - *Right, Y);
    return R;
  case BO_And:
    // X & ~3 is 4 * (X >> 2), also if ~3 is converted to 32 bits without a sign.
    if (const std::int64_t Mask = !Right ? 0
                                  : Unsigned && Context.getIntWidth(T) == 32 && *Right > INT32_MAX
                                      ? *Right - (std::int64_t(1) << 32)
                                      : *Right;
        Mask < -1 && Mask > INT32_MIN && llvm::isPowerOf2_64(std::uint64_t(-Mask)))
      if (const Value Q = arithmetic(BO_Shr, A, Value::integer(llvm::Log2_64(std::uint64_t(-Mask))), T); Q.Int)
        return Value::integer(*Q.Int * Poly(-Mask));
    Opaque(" & ");
    if (!R.Int && Right && *Right >= 0 && *Right <= INT32_MAX)
      R.Int = ranged("&", 0, Y + 1);
    return R;
  case BO_Shr:
    Opaque(" >> ");
    if (R.Int && Right && *Right >= 0 && *Right < 32 &&
        (surelyNonNegative(X) || !T->isUnsignedIntegerOrEnumerationType())) {
      const Poly By = std::int64_t(1) << *Right, Rest = X - *R.Int * By; // It rounds down.
      learn({Rest, By - 1 - Rest});
    }
    if (!R.Int && Right && *Right >= 0 && *Right < 62)
      quotients(R, X, std::int64_t(1) << *Right, NonNegative);
    return R;
  case BO_Or:
    Opaque(" | ");
    return R;
  case BO_Xor:
    Opaque(" ^ ");
    return R;
  default:
    return R;
  }
}

// X / c for a counter X >= 0: from 0 to the greatest quotient, if the counter's range is known.
void Lowerer::quotients(Value &R, const Poly &X, std::int64_t By, bool NonNegative) {
  if (!NonNegative || X.terms().size() != 1 || X.terms().begin()->first.size() != 1 || X.terms().begin()->second != 1)
    return;
  const SymbolFacts &F = SymbolTable[X.terms().begin()->first.front()];
  if (F.Ranged ? !surelyNonNegative(F.Low) : !F.Low.isZero())
    return;
  if (!F.High.valid() || F.High.isZero())
    return;
  // floor((High - 1) / By) + 1 values.
  const Value Last = arithmetic(BO_Div, Value::integer(F.High + Poly(By - 1)), Value::integer(By), Context.LongTy);
  const std::optional<Poly> Meets = F.Meets;
  if (Last.Int) {
    R.Int = ranged("/", 0, *Last.Int);
    SymbolTable[*R.Int->symbols().begin()].Meets = Meets;
  }
}

std::optional<Value> Lowerer::ifNotLarge(const Value &V, const std::vector<Poly> &Sides) {
  if (Sides.empty())
    return V;
  const std::set<SymbolId> In = V.Int ? V.Int->symbols() : std::set<SymbolId>();
  if (Sides.size() != 1 || In.size() != 1 || Tree.Symbols[*In.begin()].K != Symbol::Value || !isConstant(Sides[0]))
    return std::nullopt;
  const Symbol &Of = Tree.Symbols[*In.begin()];
  const bool Itself = *V.Int == Poly::symbol(*In.begin());
  if (Itself && !(Of.Least.empty() && Of.Greatest.empty())) {
    SymbolTable[*In.begin()].Meets = Sides[0];
    return V;
  }
  // A symbol of its own, so that no other number in it seems to wrap.
  const std::optional<Poly> P = opaque(Itself ? "(" : "", *V.Int, "", 0, Itself ? ")" : "", false, areSizes(*V.Int));
  if (!P)
    return std::nullopt;
  learn({*P - *V.Int, *V.Int - *P});
  SymbolTable[*P->symbols().begin()].Meets = Sides[0];
  Value R = Value::integer(*P);
  R.Modulo = V.Modulo;
  return R;
}

Value Lowerer::leastOrGreatest(const std::vector<Value> &Of, bool Least, QualType T) {
  std::vector<Poly> Sides;
  std::vector<Value> Numbers = Of;
  const unsigned Width = Context.getIntWidth(T);
  for (Value &V : Numbers) {
    if (Geometry || V.Modulo == Value::Whole)
      continue;
    if ((V.Int && V.Int->constant()) || !T->isUnsignedIntegerOrEnumerationType() || V.Modulo < Width)
      V = exact(V, T);
  }
  // Such a constant is greater than any number with a sign.
  const auto IsGreatest = [&](const Value &V) {
    const auto C = V.Int && !Geometry && T->isUnsignedIntegerOrEnumerationType() ? V.Int->constant() : std::nullopt;
    return C && *C < 0;
  };
  if (const auto Greatest = llvm::find_if(Numbers, IsGreatest); Greatest != Numbers.end() && Numbers.size() > 1) {
    if (!Least)
      return llvm::count_if(Numbers, IsGreatest) == 1 ? *Greatest : Value();
    Numbers.erase(Greatest);
    return leastOrGreatest(Numbers, Least, T);
  }
  if (Numbers.size() == 2)
    if (const std::optional<Value> One = converted(Numbers[0], Numbers[1], Least, T))
      return *One;
  for (Value &V : Numbers) {
    const unsigned Modulo = std::exchange(V.Modulo, Value::Whole);
    for (const Poly &P : V.Int ? std::vector{*V.Int} : Least ? V.Min : V.Max)
      if (!Geometry && mayBeLarge(P, Modulo) && llvm::find(Sides, P) == Sides.end())
        Sides.push_back(P);
  }
  const std::optional<Value> Known = ifNotLarge(leastOrGreatest(Numbers, Least), Sides);
  return Known ? *Known : Value();
}

// Limit of values in a min(): a loop of min(x + 1, x + y) doubles them.
static constexpr std::size_t MostOfLeast = 16;

Value Lowerer::leastOrGreatest(const std::vector<Value> &Of, bool Least) {
  std::vector<Poly> List;
  unsigned Modulo = Value::Whole;
  for (const Value &V : Of) {
    Modulo = std::min(Modulo, V.Modulo);
    const std::vector<Poly> &Some = Least ? V.Min : V.Max;
    if (V.Int)
      List.push_back(*V.Int);
    else if (!Some.empty())
      List.insert(List.end(), Some.begin(), Some.end());
    else
      return {};
  }
  // Differences by a constant decide their order.
  for (std::size_t I = 0; I < List.size(); ++I)
    for (std::size_t J = I + 1; J < List.size();) {
      const std::optional<std::int64_t> D = (List[J] - List[I]).constant();
      if (!D) {
        ++J;
        continue;
      }
      if (Least ? *D < 0 : *D > 0)
        List[I] = List[J];
      List.erase(List.begin() + std::ptrdiff_t(J));
    }
  if (List.size() > MostOfLeast)
    return {};
  // Bounds of outer loops come first: a constant bound is a guard.
  std::stable_partition(List.begin(), List.end(), [&](const Poly &P) { return !isConstant(P); });
  Poly All = List.front();
  for (std::size_t I = 1; I != List.size(); ++I) {
    const std::string First = spell(All, true);
    std::optional<Poly> P =
        opaque("(", All, Least ? " < " : " > ", List[I], " ? " + First + " : " + spell(List[I], true) + ")",
               surelyNonNegative(All) && surelyNonNegative(List[I]), areSizes(All) && areSizes(List[I]),
               Identity::extreme(All, List[I], Least));
    if (!P) {
      Value R;
      (Least ? R.Min : R.Max) = List;
      R.Modulo = Modulo;
      return R;
    }
    const std::string A = "(" + Tree.wideSpelling(All) + ")", B = "(" + Tree.wideSpelling(List[I]) + ")";
    const SymbolId Its = *P->symbols().begin();
    for (const Poly *Each : {&All, &List[I]})
      if (const std::optional<std::int64_t> C = Each->constant(); C && *C > INT32_MAX && *C <= UINT32_MAX)
        SymbolTable[Its].Large = true;
    Symbol &New = Tree.Symbols[Its];
    New.Wide = "(" + A + (Least ? " < " : " > ") + B + " ? " + A + " : " + B + ")";
    (Least ? New.Least : New.Greatest) = {All, List[I]};
    learn(Least ? std::vector{All - *P, List[I] - *P} : std::vector{*P - All, *P - List[I]});
    All = *P;
  }
  Value R = Value::integer(All);
  R.Modulo = Modulo;
  return R;
}

} // namespace hsched::cc
