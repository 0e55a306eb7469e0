// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/bind/Growth.h"
#include "analysis/lower/Standard.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace hsched::cc {

static Growth other() { return {Degree::Other}; }
static Growth negated(Growth G) {
  G.Sign = -G.Sign;
  return G;
}

Growth sum(Growth A, Growth B) {
  if (A.D == Degree::None || B.D == Degree::None)
    return A.D == Degree::None ? B : A;
  Growth G{std::max(A.D, B.D), A.Sign == B.Sign ? A.Sign : 0, std::max(A.Bits, B.Bits), A.Wraps || B.Wraps};
  // The sum of a rising number and a falling one may do both.
  return G.D == Degree::Monotone && G.Sign == 0 ? other() : G;
}

// The lesser or the greater of both.
static Growth either(Growth A, Growth B) {
  if (A.D == Degree::None && B.D == Degree::None)
    return {};
  Growth G = A.D == Degree::None ? B : B.D == Degree::None ? A : sum(A, B);
  if (A.D != Degree::None && B.D != Degree::None && G.Sign == 0)
    return other();
  G.D = std::max(G.D, Degree::Monotone);
  return G;
}

bool GrowthOf::isVariable(const DeclRefExpr &E) const {
  const auto *V = dyn_cast<VarDecl>(E.getDecl());
  return V && V->getIdentifier() && V->getName() == Variable && V->isLocalVarDeclOrParm();
}

bool GrowthOf::mentions(const Stmt *S) const {
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(S);
  return S && ((Ref && isVariable(*Ref)) || llvm::any_of(S->children(), [&](const Stmt *C) { return mentions(C); }));
}

// True if a conversion keeps the values that a loop's variable has. Those of int and wider types count as small enough.
bool GrowthOf::keepsValues(QualType From, QualType To) const {
  if (!From->isIntegralOrEnumerationType() || !To->isIntegralOrEnumerationType() || To->isBooleanType())
    return false;
  const unsigned Before = Context.getIntWidth(From), After = Context.getIntWidth(To);
  if (After >= Context.getIntWidth(Context.IntTy))
    return true;
  const bool Signed = From->isSignedIntegerOrEnumerationType();
  return Signed == To->isSignedIntegerOrEnumerationType() ? After >= Before : After > Before && !Signed;
}

// E without parentheses and conversions that keep the values of a loop's variable. Null: there is another conversion.
// Width: the least number of bits on the way.
const clang::Expr *GrowthOf::plain(const clang::Expr *E, unsigned *Width) const {
  for (;;) {
    E = E->IgnoreParens();
    if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E)) {
      E = M->getSubExpr();
      continue;
    }
    if (const auto *F = dyn_cast<FullExpr>(E)) {
      E = F->getSubExpr();
      continue;
    }
    const auto *Cast = dyn_cast<CastExpr>(E);
    if (!Cast)
      return E;
    const QualType From = Cast->getSubExpr()->getType(), To = Cast->getType();
    const CastKind Kind = Cast->getCastKind();
    const bool Pointers = From->isPointerType() && To->isPointerType();
    if (Kind != CK_LValueToRValue && Kind != CK_NoOp && Kind != CK_ArrayToPointerDecay && !Pointers) {
      const auto *Ref = dyn_cast<DeclRefExpr>(Cast->getSubExpr()->IgnoreParens());
      const bool OfVariable = From->isDependentType() && Ref && isVariable(*Ref); // It is an integer in all instances.
      if (!keepsValues(OfVariable ? Context.IntTy : From, To))
        return mentions(E) ? nullptr : E;
      if (Width)
        *Width = std::min(*Width, Context.getIntWidth(To));
    }
    E = Cast->getSubExpr();
  }
}

std::string GrowthOf::text(const clang::Expr *E) const {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  const clang::Expr *Inner = plain(E);
  (Inner ? Inner : E)->printPretty(OS, nullptr, Context.getPrintingPolicy());
  return OS.str();
}

void GrowthOf::split(const clang::Expr *E, bool Minus, std::vector<Term> &Out) const {
  const clang::Expr *Inner = plain(E);
  const auto *B = dyn_cast_or_null<BinaryOperator>(Inner);
  if (!B || !B->isAdditiveOp())
    return Out.push_back({Minus, Inner, text(E)});
  split(B->getLHS(), Minus, Out);
  split(B->getRHS(), Minus != (B->getOpcode() == BO_Sub), Out);
}

bool GrowthOf::cancelled(const std::vector<Term> &All, const Term &T) {
  int Times = 0;
  for (const Term &Each : All)
    Times += Each.Text != T.Text ? 0 : Each.Minus ? -1 : 1;
  return Times == 0;
}

Growth GrowthOf::sumOf(llvm::ArrayRef<const clang::Expr *> All) const {
  std::vector<Term> Terms;
  for (const clang::Expr *E : All)
    split(E, false, Terms);
  return total(std::move(Terms), 0);
}

// The c of c * i. 0: E is no such product.
std::int64_t GrowthOf::factorOf(const clang::Expr *E) const {
  E = plain(E);
  if (const auto *Ref = dyn_cast_or_null<DeclRefExpr>(E))
    return isVariable(*Ref);
  const auto *B = dyn_cast_or_null<BinaryOperator>(E);
  if (!B || B->getOpcode() != BO_Mul)
    return 0;
  const bool ByRight = !mentions(B->getRHS());
  const std::optional<llvm::APSInt> N = constantOf(ByRight ? B->getRHS() : B->getLHS());
  const std::int64_t Rest = N && N->getSignificantBits() < 24 ? factorOf(ByRight ? B->getLHS() : B->getRHS()) : 0;
  return std::abs(Rest) >> 24 ? 0 : Rest * N.value_or(llvm::APSInt(32)).getExtValue();
}

Growth GrowthOf::total(std::vector<Term> Terms, unsigned Depth) const {
  const std::vector<Term> All = Terms;
  llvm::erase_if(Terms, [&](const Term &T) { return cancelled(All, T); });
  // The sum x + min(a, b) is min(x + a, x + b).
  for (size_t I = 0; I != Terms.size() && Depth != 4; ++I) {
    const Term T = Terms[I];
    const std::optional<Choice> C = T.E && mentions(T.E) ? choice(T.E) : std::nullopt;
    if (!C)
      continue;
    if (mayPassZero(C->First) || mayPassZero(C->Second))
      return other();
    Terms.erase(Terms.begin() + std::ptrdiff_t(I));
    std::vector<Term> Second = Terms;
    split(C->First, T.Minus, Terms);
    split(C->Second, T.Minus, Second);
    return either(total(std::move(Terms), Depth + 1), total(std::move(Second), Depth + 1));
  }
  Growth Total, Known{Degree::Affine};
  std::int64_t Slope = 0; // The sum of the factors that are known, as of 4 * i - i.
  for (const Term &T : Terms) {
    const Growth G = T.E ? of(T.E) : other();
    if (const std::int64_t Factor = T.E && G.D == Degree::Affine && !G.Wraps ? factorOf(T.E) : 0) {
      Slope += T.Minus ? -Factor : Factor;
      Known.Bits = std::max(Known.Bits, G.Bits);
    } else {
      Total = sum(Total, T.Minus ? negated(G) : G);
    }
  }
  Known.Sign = Slope > 0 ? 1 : -1;
  return Slope ? sum(Total, Known) : Total;
}

// Recognizes a < b ? a : b with any of < > <= >=, calls of std::min and std::max, and calls of functions that consist
// of such an expression.
std::optional<GrowthOf::Choice> GrowthOf::choice(const clang::Expr *E) const {
  if (const auto *C = dyn_cast<ConditionalOperator>(E)) {
    const auto *Test = dyn_cast_or_null<BinaryOperator>(plain(C->getCond()));
    if (!Test || !Test->isRelationalOp())
      return std::nullopt;
    if (mayPassZero(Test))
      return std::nullopt;
    // The expression a < b ? x : y is the lesser or the greater if a - b is x - y or y - x.
    const auto same = [&](const clang::Expr *X, const clang::Expr *Y) {
      std::vector<Term> Terms;
      split(Test->getLHS(), false, Terms);
      split(Test->getRHS(), true, Terms);
      split(X, true, Terms);
      split(Y, false, Terms);
      return llvm::all_of(Terms, [&](const Term &T) { return cancelled(Terms, T); });
    };
    if (!same(C->getTrueExpr(), C->getFalseExpr()) && !same(C->getFalseExpr(), C->getTrueExpr()))
      return std::nullopt;
    return Choice{C->getTrueExpr(), C->getFalseExpr()};
  }
  const auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *F = Call && Call->getNumArgs() == 2 ? Call->getDirectCallee() : nullptr;
  if (!F || F->getNumParams() != 2 || isa<CXXMethodDecl>(F))
    return std::nullopt;
  const Choice Arguments{Call->getArg(0), Call->getArg(1)};
  if (isStandard(F)) {
    const LibraryMember Does = F->getIdentifier() ? libraryMember(F->getName()) : LibraryMember::Other;
    return Does == LibraryMember::Least || Does == LibraryMember::Greatest ? std::optional(Arguments) : std::nullopt;
  }
  const auto *Body = dyn_cast_or_null<CompoundStmt>(F->getBody(F));
  const auto *Return = Body && Body->size() == 1 ? dyn_cast<ReturnStmt>(*Body->body_begin()) : nullptr;
  const std::optional<Choice> Inner =
      Return && Return->getRetValue() ? choice(plain(Return->getRetValue())) : std::nullopt;
  const auto parameter = [&](const clang::Expr *Of) {
    const auto *Ref = dyn_cast_or_null<DeclRefExpr>(plain(Of));
    const auto *P = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
    return P ? P->getFunctionScopeIndex() : 2;
  };
  if (!Inner || parameter(Inner->First) + parameter(Inner->Second) != 1)
    return std::nullopt;
  return Arguments;
}

// True if unsigned values of E may start below 0, so that they are large at first, as those of i - 1.
bool GrowthOf::mayPassZero(const Stmt *S) const {
  if (!mentions(S))
    return false;
  if (const auto *C = dyn_cast<CastExpr>(S); C && C->getType()->isUnsignedIntegerType()) {
    const QualType From = C->getSubExpr()->getType();
    if (From->isSignedIntegerType())
      return true;
  }
  if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->getType()->isUnsignedIntegerType())
    if (B->getOpcode() == BO_Sub && mentions(B->getLHS()) && sumOf({B->getLHS()}).Sign >= 0)
      return true;
  if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->getOpcode() == UO_Minus)
    if (U->getType()->isUnsignedIntegerType())
      return true;
  return llvm::any_of(S->children(), [&](const Stmt *Each) { return mayPassZero(Each); });
}

std::optional<llvm::APSInt> GrowthOf::constantOf(const clang::Expr *E) const {
  clang::Expr::EvalResult R;
  return !E->isValueDependent() && E->EvaluateAsInt(R, Context) ? std::optional(R.Val.getInt()) : std::nullopt;
}

// The sign of a factor or divisor; 0: unknown.
int GrowthOf::signOf(const clang::Expr *E) const {
  const std::optional<llvm::APSInt> N = constantOf(E);
  if (!N)
    return E->getType()->isUnsignedIntegerType() ? 1 : 0;
  return N->isZero() ? 0 : N->isNegative() ? -1 : 1;
}

// G times a factor with this number of bits and this sign, in type In.
Growth GrowthOf::scaled(Growth G, unsigned Bits, int Sign, QualType In) const {
  G.Bits += Bits;
  if (In->isUnsignedIntegerType() && G.Bits > Context.getIntWidth(In) / 2)
    G.Wraps = true;
  G.Sign = G.Wraps ? 0 : G.Sign * Sign;
  return G;
}

// The growth of E's address.
Growth GrowthOf::placeOf(const clang::Expr *E) const {
  if (!mentions(E))
    return {};
  E = E->IgnoreParenNoopCasts(Context);
  const auto pointer = [&](const clang::Expr *P) {
    const clang::Expr *Array = P->IgnoreParenImpCasts();
    return Array->getType()->isArrayType() ? placeOf(Array) : sumOf({P});
  };
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return M->getMemberDecl()->isCXXInstanceMember() || !Context.getLangOpts().CPlusPlus
               ? M->isArrow() ? pointer(M->getBase()) : placeOf(M->getBase())
               : other();
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return sum(pointer(A->getBase()), sumOf({A->getIdx()}));
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
    return pointer(U->getSubExpr());
  return other();
}

Growth GrowthOf::of(const clang::Expr *E) const {
  if (!mentions(E))
    return {};
  unsigned Width = ~0u;
  E = plain(E, &Width);
  if (!E)
    return other();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return isVariable(*Ref) ? Growth{Degree::Affine, 1} : other();
  if (E->isLValue() && E->getType()->isArrayType())
    return placeOf(E);
  Growth G = other();
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf) {
    G = placeOf(U->getSubExpr());
  } else if (const auto *U = dyn_cast<UnaryOperator>(E);
             U && (U->getOpcode() == UO_Plus || U->getOpcode() == UO_Minus)) {
    G = of(U->getSubExpr());
    G = U->getOpcode() == UO_Plus ? G : negated(G);
  } else if (const std::optional<Choice> C = choice(E)) {
    if (!mayPassZero(C->First) && !mayPassZero(C->Second))
      G = either(of(C->First), of(C->Second));
  } else if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    const clang::Expr *Left = B->getLHS(), *Right = B->getRHS();
    if (B->isAdditiveOp()) {
      G = sumOf({E});
    } else if (B->getOpcode() == BO_Mul) {
      const bool ByRight = !mentions(Right);
      const clang::Expr *Factor = ByRight ? Right : Left;
      const std::optional<llvm::APSInt> N = constantOf(Factor);
      if (ByRight || !mentions(Left))
        G = scaled(of(ByRight ? Left : Right), N ? N->abs().getActiveBits() : 0, signOf(Factor), B->getType());
    } else if (mentions(Right)) {
      return other();
    } else if (B->getOpcode() == BO_Shl) {
      const std::optional<llvm::APSInt> N = constantOf(Right);
      G = scaled(of(Left), N ? unsigned(N->getLimitedValue(64)) : 0, 1, B->getType());
    } else if (B->getOpcode() == BO_Div || B->getOpcode() == BO_Shr) {
      G = of(Left);
      if (G.D == Degree::Other || G.Wraps)
        return other();
      G = {Degree::Monotone, B->getOpcode() == BO_Shr ? G.Sign : G.Sign * signOf(Right), G.Bits};
    }
  }
  if (Width / 2 < G.Bits) // A product that does not fit is cut off.
    G.Wraps = true, G.Sign = 0;
  return G;
}

} // namespace hsched::cc
