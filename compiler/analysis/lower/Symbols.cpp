// Integers during lowering: symbols, arithmetic beyond polynomials, conditions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "clang/Basic/Builtins.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {

SymbolId Lowerer::freshSymbol(const std::string &Name, Symbol::Kind K) {
  Tree.Symbols.push_back({K, Name, false});
  SymbolTable.emplace_back();
  return Tree.Symbols.size() - 1;
}

Poly Lowerer::symbolOf(const std::string &Spelling, bool NonNegative) {
  auto [It, New] = Interned.try_emplace(Spelling, 0);
  if (New) {
    It->second = freshSymbol(Spelling, Symbol::Value);
    Tree.Symbols[It->second].NonNegative = NonNegative;
  }
  return Poly::symbol(It->second);
}

Poly Lowerer::symbolOf(const std::string &Spelling, QualType T) {
  const Poly P = symbolOf(Spelling, T->isUnsignedIntegerOrEnumerationType());
  Tree.Symbols[*P.symbols().begin()].OfEnum = T->isEnumeralType();
  return P;
}

// The content of a member or element in memory is a Value if the function does not write there; demote() checks that at
// the end.
Poly Lowerer::memorySymbol(unsigned RootId, const Poly &Offset, QualType T) {
  // An access to the object as a whole may hit any member, whose own root records its changes.
  if (!Offset.valid() || Facts[RootId].Many || !isConstant(Offset) || (int(RootId) == ThisRoot && !Members.empty()))
    return Poly::invalid();
  const std::optional<std::string> Name = spellPlace(RootId, Offset, T);
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
                                    const std::string &After, bool NonNegative) {
  if (!isConstant(A) || !isConstant(B))
    return std::nullopt;
  const std::string Name = Before + spell(A, true) + Between + (Between.empty() ? "" : spell(B, true)) + After;
  if (Name.size() > LongestName)
    return std::nullopt;
  const Poly P = symbolOf(Name, NonNegative);
  SymbolFacts &F = SymbolTable[*P.symbols().begin()];
  for (const Poly *From : {&A, &B})
    for (SymbolId S : From->symbols())
      F.From.insert(S);
  return P;
}

void Lowerer::learn(const std::vector<Poly> &Facts) {
  for (const Poly &Fact : Facts)
    if (Fact.valid() && std::ranges::find(Tree.Facts, Fact) == Tree.Facts.end())
      Tree.Facts.push_back(Fact);
}

bool Lowerer::surelyNonNegative(const Poly &P) const {
  if (!P.valid())
    return false;
  for (const auto &[M, C] : P.terms()) {
    if (C < 0)
      return false;
    for (SymbolId S : M)
      if (!Tree.Symbols[S].NonNegative)
        return false;
  }
  return true;
}

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

// Facts about the remainder of a division by By, so that n / 2 is not unconstrained. The remainder is less than By and
// has the sign of the dividend.
std::vector<Poly> quotientFacts(const Poly &Rest, std::int64_t By, bool NonNegative) {
  return {Rest + Poly(NonNegative ? 0 : By - 1), Poly(By - 1) - Rest};
}

} // namespace

Value Lowerer::arithmetic(BinaryOperatorKind Op, const Value &A, const Value &B, QualType T) {
  Value R;
  if (!T->isIntegralOrEnumerationType() || T->isBooleanType())
    if (!BinaryOperator::isComparisonOp(Op) && !BinaryOperator::isLogicalOp(Op))
      return R;
  // min(a, b) + c is min(a + c, b + c).
  if ((Op == BO_Add || Op == BO_Sub) && B.Int && (!A.Min.empty() || !A.Max.empty())) {
    R = A;
    for (std::vector<Poly> *List : {&R.Min, &R.Max})
      for (Poly &P : *List)
        P = Op == BO_Add ? P + *B.Int : P - *B.Int;
    return R;
  }
  if (!A.Int || !B.Int)
    return R;
  const Poly &X = *A.Int, &Y = *B.Int;
  const std::optional<std::int64_t> Right = Y.constant(), Left = X.constant();
  const bool NonNegative = T->isUnsignedIntegerOrEnumerationType() || (surelyNonNegative(X) && surelyNonNegative(Y));
  const auto Opaque = [&](const char *Text) {
    if (std::optional<Poly> P = opaque("(", X, Text, Y, ")", NonNegative))
      R.Int = P;
  };
  const unsigned Bits = T->isUnsignedIntegerOrEnumerationType() ? Context.getIntWidth(T) : 64;
  switch (Op) {
  case BO_Add:
    return Value::integer((X + Y).modulo(Bits));
  case BO_Sub:
    return Value::integer((X - Y).modulo(Bits));
  case BO_Mul:
    return Value::integer((X * Y).modulo(Bits));
  case BO_Shl:
    if (Right && *Right >= 0 && *Right < 62)
      return Value::integer((X * Poly(std::int64_t(1) << *Right)).modulo(Bits));
    Opaque(" << ");
    return R;
  default:
    break;
  }
  if (Left && Right) {
    if (std::optional<std::int64_t> C = fold(Op, *Left, *Right))
      R.Int = Poly(*C);
    return R;
  }
  switch (Op) {
  case BO_Div:
    if (Right && *Right != 0)
      if (std::optional<Poly> Q = X.dividedBy(Y))
        return Value::integer(*Q);
    Opaque(" / ");
    if (R.Int && Right && *Right > 0 && (surelyNonNegative(X) || !T->isUnsignedIntegerOrEnumerationType()))
      learn(quotientFacts(X - *R.Int * Y, *Right, surelyNonNegative(X)));
    if (!R.Int && Right && *Right > 0)
      quotients(R, X, *Right, NonNegative);
    return R;
  case BO_Rem:
    if (Right && *Right > 0 && X.dividedBy(Y))
      return Value::integer(0);
    Opaque(" % ");
    if (!R.Int && NonNegative)
      R.Int = ranged("%", 0, Y);
    else if (!R.Int && Right && *Right > 0)
      R.Int = ranged("%", 1 - *Right, Y);
    return R;
  case BO_And:
    // X & ~3 is 4 * (X >> 2).
    if (Right && *Right < -1 && *Right > INT32_MIN && llvm::isPowerOf2_64(std::uint64_t(-*Right)))
      if (const Value Q = arithmetic(BO_Shr, A, Value::integer(llvm::Log2_64(std::uint64_t(-*Right))), T); Q.Int)
        return Value::integer(*Q.Int * Poly(-*Right));
    Opaque(" & ");
    if (!R.Int && Right && *Right >= 0)
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
  if (!F.Ranged && !F.Low.isZero())
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

Value Lowerer::castInteger(const Value &V, QualType From, QualType To) {
  if (!From->isIntegralOrEnumerationType() || !To->isIntegralOrEnumerationType())
    return {};
  if (!V.Int)
    return V;
  const unsigned Width = Context.getIntWidth(To);
  const bool Unsigned = To->isUnsignedIntegerOrEnumerationType();
  if (std::optional<std::int64_t> C = V.Int->constant()) {
    if (To->isBooleanType())
      return Value::integer(*C != 0);
    if (Width < 64) {
      const std::uint64_t Mask = (std::uint64_t(1) << Width) - 1;
      std::int64_t Low = std::int64_t(std::uint64_t(*C) & Mask);
      if (!Unsigned && Low >> (Width - 1))
        Low -= std::int64_t(1) << Width;
      return Value::integer(Low);
    }
    return Unsigned && *C < 0 && !From->isUnsignedIntegerOrEnumerationType() ? Value() : V;
  }
  if (To->isBooleanType())
    return {};
  if (Width >= 32 || Width >= Context.getIntWidth(From))
    return V; // Overflow is assumed not to occur: subscripts that wrap around are never intended.
  if (std::optional<Poly> P = opaque("(" + To.getUnqualifiedType().getAsString(Context.getPrintingPolicy()) + ")",
                                     *V.Int, "", 0, "", Unsigned))
    return Value::integer(*P);
  return Unsigned ? Value::integer(ranged("cast", 0, std::int64_t(1) << Width)) : Value();
}

// Limit of values in a min(): a loop of min(x + 1, x + y) doubles them.
static constexpr std::size_t MostOfLeast = 16;

Value Lowerer::leastOrGreatest(const std::vector<Value> &Of, bool Least) {
  std::vector<Poly> List;
  for (const Value &V : Of) {
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
               surelyNonNegative(All) && surelyNonNegative(List[I]));
    if (!P) {
      Value R;
      (Least ? R.Min : R.Max) = List;
      return R;
    }
    const std::string A = "(" + Tree.wideSpelling(All) + ")", B = "(" + Tree.wideSpelling(List[I]) + ")";
    Symbol &New = Tree.Symbols[*P->symbols().begin()];
    New.Wide = "(" + A + (Least ? " < " : " > ") + B + " ? " + A + " : " + B + ")";
    (Least ? New.Least : New.Greatest) = {All, List[I]};
    learn(Least ? std::vector{All - *P, List[I] - *P} : std::vector{*P - All, *P - List[I]});
    All = *P;
  }
  return Value::integer(All);
}

// --- Conditions ------------------------------------------------------------------------------------------------------

const Poly *Condition::upperOf(const Poly &Hold) const {
  const auto Found = llvm::find_if(Uppers, [&](const Upper &U) { return U.Hold == Hold; });
  return Found == Uppers.end() ? nullptr : &Found->Side;
}

Condition Lowerer::negation(Condition C) {
  std::swap(C.Holds, C.Fails);
  std::swap(C.Differs, C.FailsDiffers);
  std::swap(C.Exact, C.FailsExact);
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
      if (X.valid() && Y.valid() && !Y.constant() &&
          llvm::any_of(Y.terms(), [](const auto &Term) { return Term.second < 0; }) &&
          llvm::none_of(Here, [&](const Poly &K) { return surelyNonNegative(Y - K); }))
        C.Uppers.push_back({Y - X - Slack, Y});
}

Condition Lowerer::compare(BinaryOperatorKind Op, const Value &A, const Value &B, bool Unsigned) {
  switch (Op) {
  case BO_GT:
    return compare(BO_LT, B, A, Unsigned);
  case BO_LE: { // Holds a < b + 1, but not b < a: a negative unsigned number is large.
    Value Next = B;
    if (Next.Int)
      Next.Int = *Next.Int + 1;
    for (std::vector<Poly> *List : {&Next.Min, &Next.Max})
      for (Poly &P : *List)
        P = P + 1;
    Condition C = compare(BO_LT, A, Next, Unsigned);
    C.Uppers.clear();
    noteUppers(C, A, B, 0, Unsigned);
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
    // A negative unsigned number is large, and below nothing.
    if (Unsigned)
      for (const Poly &X : Left)
        if (!surelyNonNegative(X)) {
          C.Holds.push_back(X);
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
        C.Fails.push_back(X - Y);
  }
  for (const std::vector<Poly> *List : {&C.Holds, &C.Fails})
    for (const Poly &P : *List)
      if (!P.valid())
        return {};
  if (C.Holds.size() == 1)
    if (std::optional<std::int64_t> K = C.Holds[0].constant())
      C.Constant = *K >= 0;
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
    return compare(B->getOpcode(), L, R, T->isUnsignedIntegerOrEnumerationType());
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
