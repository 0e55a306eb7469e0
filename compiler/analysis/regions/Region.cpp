// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/regions/Region.h"

#include <algorithm>

namespace hsched::cc::regions {

namespace {

constexpr std::size_t MaxConditions = 40, MaxViews = 6;

// Removes true conditions. Nothing if one can never hold.
std::optional<Polys> simplified(Polys C) {
  Polys Kept;
  std::sort(C.begin(), C.end());
  C.erase(std::unique(C.begin(), C.end()), C.end());
  for (Poly &P : C) {
    if (!P.valid())
      return std::nullopt;
    if (auto V = P.constant()) {
      if (*V < 0)
        return std::nullopt;
      continue;
    }
    Kept.push_back(std::move(P));
  }
  if (Kept.size() > MaxConditions)
    return std::nullopt;
  return Kept;
}

Polys substituted(const Polys &All, SymbolId S, const Poly &By) {
  Polys R;
  for (const Poly &P : All)
    R.push_back(P.mentions(S) ? P.substituted(S, By) : P);
  return R;
}

// Distance of the index when S increases by 1. Nothing if it is not constant in the region.
std::optional<Poly> strideOf(const Region &R, SymbolId S) {
  auto AB = R.Index.linearIn(S);
  if (!AB)
    return std::nullopt;
  for (SymbolId F : R.Free)
    if (AB->first.mentions(F))
      return std::nullopt;
  return AB->first;
}

// Each view with both modes of membership(); the second differs only for several dimensions.
std::vector<std::pair<const Region *, bool>> both(const std::vector<Region> &Views) {
  std::vector<std::pair<const Region *, bool>> All;
  for (const Region &V : Views) {
    All.emplace_back(&V, false);
    if (!V.Free.empty())
      All.emplace_back(&V, true);
  }
  return All;
}

} // namespace

Region Regions::range(unsigned RootId, const Poly &Low, const Poly &Count) {
  Region R;
  R.RootId = RootId;
  R.Index = Low;
  if (Count == Poly(1))
    return R;
  const SymbolId S = fresh();
  const Poly K = Poly::symbol(S);
  R.Index = Low + K;
  R.Free = {S};
  R.Conditions = {K, Count - 1 - K};
  return R;
}

Region Regions::ofBox(const Box &B) {
  Region R;
  R.Index = B.Base;
  for (const Box::Dim &D : B.Dims) {
    if (D.Count == Poly(1))
      continue;
    const SymbolId S = fresh();
    const Poly K = Poly::symbol(S);
    R.Index = R.Index + K * D.Stride;
    R.Free.push_back(S);
    R.Conditions.push_back(K);
    R.Conditions.push_back(D.Count - 1 - K);
  }
  return R;
}

Box Regions::cut(const Box &B, const std::vector<const Region *> &Like, const Polys &Facts) {
  if (B.Dims.empty() || !(B.Dims.back().Stride == Poly(1)))
    return B;
  std::vector<Poly> Strides;
  for (const Region *R : Like)
    for (SymbolId S : R->Free)
      if (auto Stride = strideOf(*R, S); Stride && !Stride->constant()) {
        // Rows may be gone through backwards; of a row of fewer than no elements nothing would be left to look for.
        if (P.holds(*Stride, Facts))
          Strides.push_back(*Stride);
        else if (P.holds(-*Stride, Facts))
          Strides.push_back(-*Stride);
      }
  std::sort(Strides.begin(), Strides.end(), wider);
  Box Cut = B;
  for (const Poly &S : Strides) {
    Box::Dim &Last = Cut.Dims.back();
    const auto [Q, Rest] = dividedWithRest(Last.Count, S);
    if (!Rest.isZero() || Q == Poly(1))
      continue;
    Last = {Q, S};
    Cut.Dims.push_back({S, 1});
  }
  return Cut;
}

Region Regions::renamed(const Region &R) {
  Region Q = R;
  for (SymbolId &S : Q.Free) {
    const SymbolId N = fresh();
    Q.Index = Q.Index.substituted(S, Poly::symbol(N));
    Q.Conditions = substituted(Q.Conditions, S, Poly::symbol(N));
    S = N;
  }
  return Q;
}

std::optional<Region> Regions::over(const Region &R, SymbolId S, const Polys &Range) {
  Region Q = R;
  Q.Conditions = Q.Conditions + Range;
  const SymbolId N = fresh();
  Q.Index = Q.Index.substituted(S, Poly::symbol(N));
  Q.Conditions = substituted(Q.Conditions, S, Poly::symbol(N));
  if (Q.Index.mentions(N)) {
    Q.Free.push_back(N);
    auto C = simplified(std::move(Q.Conditions));
    if (!C)
      return std::nullopt;
    Q.Conditions = std::move(*C);
    return Q;
  }
  auto C = eliminated(Q.Conditions, N);
  if (!C)
    return std::nullopt;
  Q.Conditions = std::move(*C);
  return Q;
}

// Fourier-Motzkin elimination over integers. Lower bounds are `a * S + b >= 0`, upper bounds `-c * S + d >= 0`. An S
// exists if `a * d + c * b >= (a - 1) * (c - 1)` for each pair (the "dark shadow" of the Omega test).
std::optional<Polys> Regions::eliminated(const Polys &Conditions, SymbolId S) {
  std::vector<std::pair<Poly, Poly>> Lower, Upper;
  Polys Rest;
  for (const Poly &C : Conditions) {
    if (!C.mentions(S)) {
      Rest.push_back(C);
      continue;
    }
    auto AB = C.linearIn(S);
    if (!AB)
      return std::nullopt;
    // The coefficient's sign must be known; the sign of a product of sizes follows from its factors.
    if (P.holds(AB->first - 1, Rest))
      Lower.push_back(*AB);
    else if (P.holds(-AB->first - 1, Rest))
      Upper.emplace_back(-AB->first, AB->second);
    else if (P.holdsAlways(AB->first)) {
      // Where it is 0, no such bound exists: those values are left out.
      Rest.push_back(AB->first - 1);
      Lower.push_back(*AB);
    } else if (P.holdsAlways(-AB->first)) {
      Rest.push_back(-AB->first - 1);
      Upper.emplace_back(-AB->first, AB->second);
    } else
      return std::nullopt;
  }
  for (const auto &[A, B] : Lower)
    for (const auto &[C, D] : Upper)
      Rest.push_back(A * D + C * B - (A - 1) * (C - 1));
  return simplified(std::move(Rest));
}

std::optional<Region> Regions::merged(const Region &R, SymbolId Outer, SymbolId Inner, const Poly &Ratio) {
  // Index = Ratio * s * Outer + s * Inner. With Inner + Ratio * Outer renamed to Inner, Outer occurs in conditions
  // only.
  const Poly By = Poly::symbol(Inner) - Ratio * Poly::symbol(Outer);
  Region Q = R;
  Q.Index = R.Index.substituted(Inner, By);
  if (!Q.Index.valid() || Q.Index.mentions(Outer))
    return std::nullopt;
  auto C = eliminated(substituted(R.Conditions, Inner, By), Outer);
  if (!C)
    return std::nullopt;
  Q.Conditions = std::move(*C);
  Q.Free.erase(std::find(Q.Free.begin(), Q.Free.end(), Outer));
  return Q;
}

const std::vector<Region> &Regions::views(const Region &R) {
  auto [It, New] = ViewMemo[R.Index].try_emplace(R.Conditions);
  std::vector<Region> &Views = It->second;
  if (!New)
    return Views;
  Views.push_back(R);
  for (std::size_t At = 0; At != Views.size() && Views.size() < MaxViews; ++At) {
    // The pair with the simplest ratio: tiles before rows.
    const Region From = Views[At];
    struct Pair {
      SymbolId Outer, Inner;
      Poly Ratio;
    };
    std::vector<Pair> Pairs;
    for (SymbolId Outer : From.Free)
      for (SymbolId Inner : From.Free) {
        if (Outer == Inner)
          continue;
        const auto A = strideOf(From, Outer), B = strideOf(From, Inner);
        if (!A || !B || A->isZero() || B->isZero() || (*A == *B && Outer < Inner))
          continue;
        const auto [Q, Rest] = dividedWithRest(*A, *B);
        if (Rest.isZero() && Q.valid())
          Pairs.push_back({Outer, Inner, Q});
      }
    std::stable_sort(Pairs.begin(), Pairs.end(), [](const Pair &A, const Pair &B) { return wider(B.Ratio, A.Ratio); });
    for (const Pair &X : Pairs)
      if (auto M = merged(From, X.Outer, X.Inner, X.Ratio)) {
        Views.push_back(std::move(*M));
        break;
      }
  }
  return Views;
}

std::optional<Polys> Regions::membership(const Region &R, const Poly &Index, bool Columns) const {
  struct Dim {
    SymbolId S;
    Poly Stride;
  };
  std::vector<Dim> Dims;
  Poly Rest = Index - R.Index;
  for (SymbolId S : R.Free) {
    auto Stride = strideOf(R, S);
    if (!Stride || Stride->isZero())
      return std::nullopt;
    Rest = Rest + *Stride * Poly::symbol(S); // R.Index without S.
    Dims.push_back({S, *Stride});
  }
  for (SymbolId S : R.Free)
    if (Rest.mentions(S))
      return std::nullopt;
  std::stable_sort(Dims.begin(), Dims.end(), [](const Dim &A, const Dim &B) { return wider(A.Stride, B.Stride); });
  Polys C = R.Conditions;
  Poly Base;
  if (Columns)
    Base = Rest - Index, Rest = Index;
  for (const Dim &D : Dims) {
    if (&D == &Dims.back() && D.Stride.constant())
      Rest = Rest + Base, Base = 0;
    auto [Q, Left] = dividedWithRest(Rest, D.Stride);
    if (!Q.valid())
      return std::nullopt;
    C = substituted(C, D.S, Q);
    Rest = Left;
  }
  Rest = Rest + Base;
  if (!Rest.isZero()) {
    C.push_back(Rest);
    C.push_back(-Rest);
  }
  return simplified(std::move(C));
}

bool Regions::contains(const std::vector<const Region *> &All, const Poly &Index, const Polys &Facts, unsigned Depth) {
  unsigned Left = 30;
  return containsWithin(All, Index, Facts, Depth, Left);
}

bool Regions::containsWithin(const std::vector<const Region *> &All, const Poly &Index, const Polys &Facts,
                             unsigned Depth, unsigned &Left) {
  if (!Index.valid() || Left == 0)
    return false;
  --Left;
  if (P.contradictory(Facts))
    return true;
  // Conditions that remain to be proven, for regions that contain a part of it.
  struct Candidate {
    std::size_t Region;
    Polys Open;
  };
  std::vector<Candidate> Candidates;
  for (std::size_t I = 0; I != All.size() && !P.exhausted(); ++I)
    for (const auto &[View, Columns] : both(views(*All[I]))) {
      auto C = membership(*View, Index, Columns);
      if (!C)
        continue;
      Polys Open;
      for (const Poly &X : *C)
        if (!P.holds(X, Facts))
          Open.push_back(X);
      if (Open.empty())
        return true;
      if (Open.size() <= 3)
        Candidates.push_back({I, std::move(Open)});
    }
  if (Depth == 0 || All.size() < 2)
    return false;
  // What lies outside one of the remaining regions must be inside the others.
  std::stable_sort(Candidates.begin(), Candidates.end(),
                   [](const Candidate &A, const Candidate &B) { return A.Open.size() < B.Open.size(); });
  unsigned Tried = 0;
  for (const Candidate &C : Candidates) {
    if (P.exhausted() || Tried == 3)
      return false;
    if (P.contradictory(Facts + C.Open))
      continue; // Contains no part of it.
    ++Tried;
    std::vector<const Region *> Others = All;
    Others.erase(Others.begin() + static_cast<std::ptrdiff_t>(C.Region));
    Polys Piece = Facts;
    bool AllProved = true;
    for (const Poly &X : C.Open) {
      AllProved = containsWithin(Others, Index, Piece + Polys{negation(X)}, Depth - 1, Left);
      if (!AllProved)
        break;
      Piece.push_back(X);
    }
    if (AllProved)
      return true;
  }
  return false;
}

void Regions::coalesce(std::vector<Region> &All) {
  for (std::size_t I = 0; I < All.size(); ++I) {
    if (!All[I].Free.empty())
      continue;
    std::map<std::int64_t, std::size_t> At; // Distance from All[I] to the region with that index.
    for (std::size_t J = 0; J != All.size(); ++J)
      if (All[J].RootId == All[I].RootId && All[J].Free.empty() && All[J].Conditions == All[I].Conditions)
        if (auto D = (All[J].Index - All[I].Index).constant())
          At.try_emplace(*D, J);
    std::int64_t Low = 0, High = 0;
    while (At.count(Low - 1))
      --Low;
    while (At.count(High + 1))
      ++High;
    if (Low == High)
      continue;
    Region Run = range(All[I].RootId, All[I].Index + Low, High - Low + 1);
    Run.Conditions = Run.Conditions + All[I].Conditions;
    std::vector<Region> Kept{std::move(Run)};
    for (std::size_t J = 0; J != All.size(); ++J) {
      const bool Gone = std::any_of(At.begin(), At.end(),
                                    [&](const auto &E) { return E.second == J && E.first >= Low && E.first <= High; });
      if (!Gone)
        Kept.push_back(All[J]);
    }
    All = std::move(Kept);
    I = static_cast<std::size_t>(-1);
  }
}

} // namespace hsched::cc::regions
