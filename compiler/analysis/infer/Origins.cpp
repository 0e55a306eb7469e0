// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Origins.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {
namespace {

constexpr unsigned MostSteps = 6;    // From a pointer to the one that it was assigned.
constexpr unsigned MostVisits = 500; // Of pointers, for one question.

std::optional<std::int64_t> sum(std::optional<std::int64_t> A, std::optional<std::int64_t> B) {
  std::int64_t All;
  if (!A || !B || __builtin_add_overflow(*A, *B, &All))
    return std::nullopt;
  return All;
}

} // namespace

// The number of bytes that p + 1, &p[2] and the like add to the pointer they begin with.
Origins::Offset Origins::offsetIn(const clang::Expr *Value) const {
  Value = Value->IgnoreParenCasts();
  const auto bytes = [&](const clang::Expr *Number, QualType Pointer, bool Minus) -> Offset {
    const QualType T = Pointer->isAnyPointerType() ? Pointer->getPointeeType() : QualType();
    clang::Expr::EvalResult N;
    std::int64_t All;
    if (T.isNull() || T->isIncompleteType() || T->isFunctionType() || T->isDependentType() ||
        !T->isConstantSizeType() || Number->isValueDependent() || !Number->EvaluateAsInt(N, Context) ||
        __builtin_mul_overflow(N.Val.getInt().getExtValue(), Context.getTypeSizeInChars(T).getQuantity(), &All))
      return std::nullopt;
    return Minus ? -All : All;
  };
  if (const auto *B = dyn_cast<BinaryOperator>(Value); B && B->isAdditiveOp()) {
    const bool Left = B->getLHS()->getType()->isAnyPointerType();
    const clang::Expr *Pointer = Left ? B->getLHS() : B->getRHS(), *Number = Left ? B->getRHS() : B->getLHS();
    return sum(offsetIn(Pointer), bytes(Number, Pointer->getType(), B->getOpcode() == BO_Sub));
  }
  if (const auto *U = dyn_cast<UnaryOperator>(Value); U && U->getOpcode() == UO_AddrOf)
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(U->getSubExpr()->IgnoreParens()))
      return sum(offsetIn(A->getBase()), bytes(A->getIdx(), Context.getPointerType(A->getType()), false));
  return 0;
}

void Origins::assigned(const Data &To, const clang::Expr *Value, const Data &Base, bool InTurn) {
  const clang::Expr *Bare = Value->IgnoreParenCasts();
  const Data From = Base ? Base : Blocks.try_emplace(Bare->getBeginLoc(), Bare).first->second;
  if (Base && !InTurn)
    Apart.insert(To);
  if (From == To)
    moved(To);
  else
    Sources[To].emplace(From, Base ? offsetIn(Value) : Offset(0));
}

Origins::Places Origins::of(const Data &D, unsigned Depth, unsigned &Steps) const {
  const auto Found = Sources.find(D);
  if (Found == Sources.end() || (Depth != 0 && holdsOthers(D, 0)))
    return {{D, Moved.count(D) ? Offset() : 0}};
  const auto Known = Kinds.find(D);
  if (Depth == MostSteps || Steps == 0 || Moved.count(D) || Apart.count(D) ||
      (Known != Kinds.end() && Known->second == Kind::Parameter))
    return {{D, std::nullopt}};
  --Steps;
  Places All;
  for (const auto &[From, By] : Found->second)
    for (const auto &[Block, At] : of(From, Depth + 1, Steps))
      if (All.emplace(Block, sum(At, By)); All.size() > 1)
        return All;
  return All;
}

bool Origins::holdsOthers(const Data &D, unsigned Depth) const {
  std::set<Data> All;
  if (const auto Given = Handed.find(D); Given != Handed.end())
    All = Given->second;
  if (const auto Found = Sources.find(D); Found != Sources.end())
    for (const auto &[From, By] : Found->second)
      All.insert(From);
  return std::any_of(All.begin(), All.end(), [&](const Data &From) {
    const auto Known = Kinds.find(From);
    return Known != Kinds.end() && (Known->second == Kind::Other || Depth == MostSteps || holdsOthers(From, Depth + 1));
  });
}

Origins::Offset Origins::behind(const Data &A, const Data &B) const {
  if (Moved.count(A) || holdsOthers(A, 0))
    return std::nullopt;
  Offset All = 0;
  Data At = B;
  for (unsigned Depth = 0; At != A; ++Depth) {
    const auto Found = Sources.find(At);
    if (Depth == MostSteps || Found == Sources.end() || Found->second.size() != 1 || Moved.count(At))
      return std::nullopt;
    All = sum(All, Found->second.begin()->second);
    At = Found->second.begin()->first;
  }
  return All;
}

std::optional<std::int64_t> Origins::distance(const Data &A, const Data &B) const {
  unsigned Steps = MostVisits;
  const Places OfA = of(A, 0, Steps), OfB = of(B, 0, Steps);
  if (OfA.size() == 1 && OfB.size() == 1 && OfA.begin()->first == OfB.begin()->first && OfA.begin()->second)
    return sum(OfB.begin()->second, -*OfA.begin()->second);
  return behind(A, B);
}

} // namespace hsched::cc
