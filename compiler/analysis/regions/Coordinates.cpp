// Boxes by coordinates: subscripts that are decomposed by the strides of their counters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/regions/Boxes.h"

#include <algorithm>

namespace hsched::cc::regions {

static constexpr std::size_t MaxStrides = 6;

std::optional<Box> BoxFinder::byCoordinates(const std::vector<Form> &Forms, bool Nearest, Shape &Its) {
  // Strides, and the coordinates of each form.
  std::vector<Poly> Strides;
  auto At = [&](const Poly &Stride) {
    for (std::size_t I = 0; I != Strides.size(); ++I)
      if (Strides[I] == Stride)
        return I;
    Strides.push_back(Stride);
    return Strides.size() - 1;
  };
  std::vector<std::map<std::size_t, Poly>> Of(Forms.size());
  std::vector<Poly> Bases;
  for (std::size_t I = 0; I != Forms.size(); ++I) {
    Poly Base = Forms[I].Index;
    for (SymbolId S : Forms[I].Counters) {
      Poly A = Base.linearIn(S)->first, C = Poly::symbol(S);
      if (A.isZero())
        continue;
      Base = Base - A * C;
      if (negative(A))
        A = -A, C = -C;
      // Steps that may not divide the length end anywhere, so the values below them count.
      for (const Condition &X : Forms[I].Conditions) {
        auto KR = X.C.linearIn(S);
        auto K = KR ? KR->first.constant() : std::nullopt;
        if (!K || *K >= -1 || dividedWithRest(KR->second, Poly(-*K)).second.constant())
          continue;
        if (auto Part = A.dividedBy(Poly(-*K)))
          A = *Part, C = C * Poly(-*K);
        break;
      }
      Poly &Coordinate = Of[I][At(A)];
      Coordinate = Coordinate + C;
    }
    Bases.push_back(std::move(Base));
  }
  if (std::any_of(Bases.begin(), Bases.end(), [&](const Poly &B) { return !(B == Bases[0]); })) {
    // Bases differ by whole strides, or by rests of them.
    std::vector<Poly> Sorted = Strides;
    std::sort(Sorted.begin(), Sorted.end(), wider);
    auto Rest = [&](Poly B) {
      for (const Poly &S : Sorted)
        B = dividedWithRest(B, S).second;
      return B;
    };
    for (const Poly &B : Bases)
      if (!(Rest(B) == Rest(Bases[0]))) {
        At(Poly(1));
        break;
      }
  }
  if (Strides.size() > MaxStrides)
    return std::nullopt;
  std::vector<std::size_t> Order(Strides.size());
  for (std::size_t I = 0; I != Order.size(); ++I)
    Order[I] = I;
  std::sort(Order.begin(), Order.end(), [&](std::size_t A, std::size_t B) { return wider(Strides[A], Strides[B]); });
  Poly Left = Bases[0];
  for (std::size_t I = 0; I != Forms.size(); ++I) {
    Poly B = Forms.size() == 1 ? Poly() : Bases[I];
    for (std::size_t K : Order) {
      auto [Q, Rest] = dividedWithRest(B, Strides[K]);
      if (!Q.valid())
        return std::nullopt;
      const std::optional<std::int64_t> Size = Strides[K].constant();
      if (Size && constantTerm(Rest) > *Size / 2 && K != Order.back()) {
        Its.Rounded = true;
        if (Nearest)
          Q = Q + 1, Rest = Rest - *Size;
      }
      Of[I][K] = Of[I][K] + Q;
      B = Rest;
    }
    if (Forms.size() != 1)
      Left = B;
  }

  Box B;
  B.Base = Left;
  Its.One = true;
  for (std::size_t K : Order) {
    std::vector<Poly> Exprs;
    for (auto &C : Of)
      Exprs.push_back(C[K]);
    // The base of a single access is not part of its coordinates.
    const std::int64_t Ahead = Strides[K] == Poly(1) ? constantTerm(Left) : 0;
    auto R = hull(Forms, Exprs, Ahead);
    if (!R)
      return std::nullopt;
    B.Base = B.Base + Strides[K] * R->Low;
    Its.One &= R->Near;
    const Poly Count = R->High - R->Low + 1;
    if (!(Count == Poly(1)))
      B.Dims.push_back({Count, Strides[K]});
  }
  // Columns that reach into the next row: for one access this is real, for several a wrong guess of the row.
  for (std::size_t I = 0; I + 1 < B.Dims.size(); ++I) {
    const auto [Q, Rest] = dividedWithRest(B.Dims[I].Stride, B.Dims[I + 1].Stride);
    if (!Rest.isZero())
      continue;
    if (Forms.size() > 1 && P.holdsAlways(B.Dims[I + 1].Count - Q - 1))
      return std::nullopt;
    if (P.holdsAlways(B.Dims[I + 1].Count - Q) && forward(Forms, B.Dims[I].Stride)) {
      B.Dims[I + 1].Count = Q * (B.Dims[I].Count - 1) + B.Dims[I + 1].Count;
      B.Dims.erase(B.Dims.begin() + static_cast<std::ptrdiff_t>(I));
      I = static_cast<std::size_t>(-1);
    }
  }
  if (!directed(Forms, B))
    return std::nullopt;
  return B;
}

std::optional<Box> BoxFinder::byCoordinates(const std::vector<Form> &Forms, bool &OneShape) {
  Shape Down, Near;
  std::optional<Box> Found = byCoordinates(Forms, false, Down);
  OneShape = Down.One;
  if (!Down.Rounded)
    return Found;
  const Polys Kept = std::exchange(Assumed, {});
  const std::vector<BoxResult::Pair> KeptWanted = std::exchange(Wanted, {});
  const std::optional<Box> Other = byCoordinates(Forms, true, Near);
  auto Span = [](const Box &B) { return B.last() - B.Base; };
  if (Other && (!Found || P.holdsAlways(Span(*Found) - Span(*Other) - 1))) {
    OneShape = Near.One;
    return Other;
  }
  Assumed = Kept, Wanted = KeptWanted;
  return Found;
}

bool BoxFinder::forward(const std::vector<Form> &Forms, const Poly &Stride) {
  if (std::all_of(Forms.begin(), Forms.end(), [&](const Form &F) { return certain(Stride, F); }))
    return true;
  if (!P.holdsAlways(Stride) &&
      !std::all_of(Forms.begin(), Forms.end(), [&](const Form &F) { return P.holds(Stride, F.Facts); }))
    return false;
  assume(Stride);
  return true;
}

// The order of rows is irrelevant, because a box does not depend on the signs of its strides. A single column is
// written as the range between its ends, whose order is known only for a non-negative stride; BLAS, for example, allows
// both.
bool BoxFinder::directed(const std::vector<Form> &Forms, Box &B) {
  if (B.Dims.empty() || forward(Forms, B.Dims.back().Stride))
    return true;
  if (Either) { // Rows of one element.
    B.Dims.push_back({1, 1});
    return true;
  }
  Last = {"stride '" + Tree.spelling(B.Dims.back().Stride) + "' may be negative", Forms[0].At->Leaf->Loc, true};
  return false;
}

bool BoxFinder::sameEnds(const Box &C, const Box &F) {
  if (!std::all_of(C.Dims.begin(), C.Dims.end(), [&](const Box::Dim &D) { return P.holdsAlways(D.Stride); }))
    return true; // The order of the ends is unknown.
  const Poly End = F.Dims.empty() ? F.Base : F.Base + F.Dims[0].Count - 1;
  auto Near = [](const Poly &D) {
    auto N = D.constant();
    return N && *N >= 0 && *N <= 16;
  };
  return Near(F.Base - C.Base) && Near(C.last() - End);
}

// For a count that is a product of possibly negative numbers: true if each factor is positive whenever an access is
// made.
void BoxFinder::factor(Box &B, const std::vector<Form> &Forms) {
  for (Box::Dim &D : B.Dims) {
    if (D.Count.terms().size() != 1 || D.Count.terms().begin()->second <= 0)
      continue;
    const auto &Factors = D.Count.terms().begin()->first;
    if (std::count_if(Factors.begin(), Factors.end(), [&](SymbolId S) { return !Tree.Symbols[S].NonNegative; }) < 2)
      continue;
    D.Factored = std::all_of(Factors.begin(), Factors.end(), [&](SymbolId S) {
      return std::all_of(Forms.begin(), Forms.end(), [&](const Form &F) { return certain(Poly::symbol(S) - 1, F); });
    });
  }
}

} // namespace hsched::cc::regions
