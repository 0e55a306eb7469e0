// Refutations: a section is certainly exceeded, missed or read first.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/regions/EffectsInternal.h"

#include <algorithm>

namespace hsched::cc {

using namespace regions;

namespace {

// Nothing on overflow.
std::optional<std::int64_t> valueOf(const Poly &P, const std::map<SymbolId, std::int64_t> &Of) {
  if (!P.valid())
    return std::nullopt;
  std::int64_t Sum = 0;
  for (const auto &[M, C] : P.terms()) {
    std::int64_t Product = C;
    for (SymbolId S : M) {
      auto It = Of.find(S);
      if (It == Of.end() || __builtin_mul_overflow(Product, It->second, &Product))
        return std::nullopt;
    }
    if (__builtin_add_overflow(Sum, Product, &Sum))
      return std::nullopt;
  }
  return Sum;
}

// The values that a symbol is computed from.
std::vector<Poly> operandsOf(const Symbol &S) {
  std::vector<Poly> All = S.Greatest.empty() ? S.Least : S.Greatest;
  if (S.Divisor != 0)
    All.push_back(S.Dividend);
  return All;
}

// Computes values of maximum, minimum and quotient symbols, after those of their operands.
void complete(const AccessTree &Tree, SymbolId S, std::map<SymbolId, std::int64_t> &Of, unsigned Depth = 0) {
  if (S >= Tree.Symbols.size() || Depth == 4)
    return;
  const Symbol &Its = Tree.Symbols[S];
  const bool Greatest = !Its.Greatest.empty();
  std::optional<std::int64_t> Found;
  for (const Poly &P : operandsOf(Its)) {
    for (SymbolId X : P.symbols())
      complete(Tree, X, Of, Depth + 1);
    if (const auto V = valueOf(P, Of); V && (!Found || (Greatest ? *V > *Found : *V < *Found)))
      Found = V;
  }
  if (Found && Its.Divisor != 0)
    Found = *Found / Its.Divisor;
  if (Found)
    Of[S] = *Found;
}

} // namespace

bool Effects::Impl::possible(const Polys &Facts) const {
  std::set<SymbolId> Symbols;
  for (const Poly &F : Facts + Given)
    Symbols.merge(F.symbols());
  for (SymbolId S = static_cast<SymbolId>(Tree.Symbols.size()); S-- != 0;)
    if (Symbols.count(S))
      for (const Poly &P : operandsOf(Tree.Symbols[S]))
        Symbols.merge(P.symbols());
  Polys Holding = Facts + Given;
  for (SymbolId S : Symbols)
    if (S < Tree.Symbols.size() && Tree.Symbols[S].NonNegative)
      Holding.push_back(Poly::symbol(S));
  std::map<SymbolId, std::int64_t> Of;
  std::uint64_t Seed = 1;
  constexpr std::int64_t Same[] = {4, 5, 6, 8, 16, 64, 3, 2, 1, 0, -1};
  for (unsigned Try = 0; Try != 400; ++Try) {
    for (SymbolId S : Symbols) {
      Seed = Seed * 6364136223846793005u + 1442695040888963407u;
      const auto Random = static_cast<std::int64_t>(Seed >> 40);
      Of[S] = Try < std::size(Same) ? Same[Try] : Try % 2 ? Random % 12 : Random % 40 - 8;
    }
    for (SymbolId S : Symbols)
      complete(Tree, S, Of);
    if (std::all_of(Holding.begin(), Holding.end(), [&](const Poly &F) {
          auto V = valueOf(F, Of);
          return V && *V >= 0;
        }))
      return true;
  }
  return false;
}

Polys Effects::Impl::sensible(const Box &What, unsigned AtLeast) const {
  Polys All = sizesOf(What);
  for (SymbolId S : Normal.Sizes)
    if (All.size() < 10)
      All.push_back(Poly::symbol(S));
  for (Poly &P : All)
    P = P - static_cast<std::int64_t>(AtLeast);
  for (const Box::Dim &D : What.Dims) {
    All.push_back(D.Count - 1);
    if (D.Stride.terms().size() == 1 && D.Stride.terms().begin()->second > 0)
      for (SymbolId S : D.Stride.symbols())
        All.push_back(Poly::symbol(S) - 1);
  }
  return All;
}

std::vector<Effects::Impl::Corner> Effects::Impl::cornersOf(const Site &S, bool OnlyFirst, bool InBytes) const {
  struct Partial {
    std::map<SymbolId, Poly> Of;
    Polys Facts;
  };
  auto At = [](Poly P, const Partial &C) {
    for (const auto &[S, V] : C.Of)
      P = P.substituted(S, V);
    return P;
  };
  const Step &L = *S.Leaf;
  const std::optional<Poly> &First = InBytes ? L.Byte : L.Low;
  if (!S.Reached || !L.Sure || !First)
    return {};
  std::vector<Partial> All{{}};
  for (const Site::Around &A : S.Path) {
    const Step &X = *A.At;
    if (X.K == Node::If) {
      if (!X.Exact || (A.Branch == 1 && X.When.size() != 1))
        return {};
      for (Partial &C : All)
        for (const Poly &W : conditionsOf(X, A.Branch))
          C.Facts.push_back(At(W, C));
      continue;
    }
    if (!X.Bounded || X.Breaks)
      return {};
    std::vector<Partial> Next;
    for (const Partial &C : All) {
      std::vector<Poly> Ends{X.First};
      if (!OnlyFirst && X.Last && (X.Parallel || !X.Children[0].Stops) && All.size() < 16)
        Ends.push_back(*X.Last);
      for (const Poly &End : Ends) {
        Partial D = C;
        const Poly V = At(End, C);
        D.Of[X.Counter] = V;
        for (const Poly &P : X.Range)
          D.Facts.push_back(At(P, D));
        Next.push_back(std::move(D));
      }
    }
    All = std::move(Next);
  }
  std::vector<Corner> Corners;
  for (Partial &C : All) {
    const Poly Count = At(InBytes ? L.Bytes : L.Count, C);
    C.Facts.push_back(Count - 1);
    Corners.push_back({C.Facts, At(*First, C), Count});
  }
  return Corners;
}

bool Effects::Impl::upwards(const Box &B, const Polys &Facts) {
  return std::all_of(B.Dims.begin(), B.Dims.end(), [&](const Box::Dim &D) { return P.holds(D.Stride, Facts); });
}

Polys Effects::Impl::subscriptsWith(const Site &S) const {
  const auto isUnsigned = [&](SymbolId X) {
    return X < Tree.Symbols.size() && Tree.Symbols[X].K == Symbol::Value && Tree.Symbols[X].NonNegative;
  };
  const auto isOfS = [&](const Site::Around &A) {
    return A.At->K == Node::If && std::any_of(S.Path.begin(), S.Path.end(), [&](const Site::Around &B) {
             return A.At == B.At && A.Branch == B.Branch;
           });
  };
  Polys All;
  for (const Site &X : Sites) {
    const std::optional<Poly> &Low = X.Leaf->Low;
    if (!X.Reached || !X.Leaf->Sure || !Low || !Low->valid() || All.size() == 8 ||
        !std::all_of(X.Path.begin(), X.Path.end(), isOfS))
      continue;
    const std::set<SymbolId> Symbols = Low->symbols();
    if (!Symbols.empty() && std::all_of(Symbols.begin(), Symbols.end(), isUnsigned) &&
        std::any_of(Low->terms().begin(), Low->terms().end(), [](const auto &Term) { return Term.second < 0; }))
      All.push_back(*Low);
  }
  return All;
}

bool Effects::Impl::leaves(const Site &S, const Box &What) {
  if (!upwards(What, sensible(What, 1)))
    return false;
  const Poly High = What.last();
  const Polys Subscripts = subscriptsWith(S);
  for (const Corner &C : cornersOf(S, false))
    for (unsigned AtLeast : {4u, 1u}) {
      const Polys Facts = C.Facts + Subscripts + sensible(What, AtLeast);
      if ((P.holds(C.Index + C.Count - 2 - High, Facts) || P.holds(What.Base - 1 - C.Index, Facts)) && possible(Facts))
        return true;
    }
  return false;
}

bool Effects::Impl::neverIn(const Site &S, const Box &Part) {
  // Both have a place in each multiple of the distance's modulus.
  const Poly Distance = *S.Leaf->Byte - Part.Base;
  const std::optional<std::int64_t> Mine = S.Leaf->Bytes.constant(),
                                    Its = Part.Dims.size() == 1 && Part.Dims[0].Stride == Poly(1)
                                              ? Part.Dims[0].Count.constant()
                                              : std::nullopt;
  const std::optional<Residue> At = residueOf(Distance);
  if (!At)
    return false;
  if (At->Modulus != 0 && Mine && Its && At->Rest >= *Its && At->Rest + *Mine <= At->Modulus)
    return true;
  Region T = R.range(S.Leaf->RootId, *S.Leaf->Byte, S.Leaf->Bytes);
  const Region Whole = R.ofBox(Part);
  const Polys Facts = T.Conditions + S.Conditions + Whole.Conditions;
  return neverZero(T.Index - Whole.Index, Facts) && possible(Facts);
}

bool Effects::Impl::outside(const Site &S, const std::vector<Box> &Parts) {
  if (!S.Leaf->Sure || !S.Leaf->Byte || S.Leaf->A->Atomic || !possible(S.Conditions))
    return false;
  if (std::all_of(Parts.begin(), Parts.end(), [&](const Box &B) { return neverIn(S, B); }))
    return true;
  if (!std::all_of(Parts.begin(), Parts.end(), [&](const Box &B) { return upwards(B, sensible(B, 1)); }))
    return false;
  const Polys Subscripts = subscriptsWith(S);
  for (const Corner &C : cornersOf(S, /*OnlyFirst=*/false, /*InBytes=*/true))
    for (unsigned AtLeast : {4u, 1u}) {
      Polys Facts = C.Facts + Subscripts;
      for (const Box &B : Parts)
        Facts = Facts + sensible(B, AtLeast);
      const auto Leaves = [&](const Poly &Byte) {
        return std::all_of(Parts.begin(), Parts.end(), [&](const Box &B) {
          return P.holds(Byte - 1 - B.last(), Facts) || P.holds(B.Base - 1 - Byte, Facts);
        });
      };
      if ((Leaves(C.Index) || Leaves(C.Index + C.Count - 1)) && possible(Facts))
        return true;
    }
  return false;
}

bool Effects::Impl::enters(const Site &S, const Box &What) {
  const Region Whole = R.ofBox(What);
  for (const Corner &C : cornersOf(S, false))
    for (unsigned AtLeast : {4u, 1u}) {
      const Polys Facts = C.Facts + sensible(What, AtLeast);
      if (R.contains({&Whole}, C.Index, Facts) && possible(Facts))
        return true;
    }
  return false;
}

bool Effects::Impl::apart(const Box &A, const Box &B) {
  const Polys Facts = sensible(A, 1) + sensible(B, 1);
  return upwards(A, Facts) && upwards(B, Facts) &&
         (P.holds(B.Base - A.last() - 1, Facts) || P.holds(A.Base - B.last() - 1, Facts));
}

bool Effects::Impl::mayReturn(const Step &S, const Polys &Facts) {
  std::function<bool(const Step &)> Throws = [&](const Step &X) {
    return (X.K == Node::Stop && X.Throws) || std::any_of(X.Children.begin(), X.Children.end(), Throws);
  };
  if (!Throws(S))
    return true;
  switch (S.K) {
  case Node::If: {
    const auto Branch = [&](unsigned K) { return mayReturn(S.Children[K], Facts + conditionsOf(S, K)); };
    // The condition is unknown, so either branch may run; otherwise it holds or not.
    if (!S.Exact)
      return Branch(1) || (S.When.empty() && Branch(0));
    return (Branch(0) || P.contradictory(Facts + conditionsOf(S, 0))) &&
           (Branch(1) || P.contradictory(Facts + conditionsOf(S, 1)));
  }
  case Node::Loop:
    return P.contradictory(Facts + S.Range) || mayReturn(S.Children[0], Facts + S.Range);
  case Node::Seq:
    return std::all_of(S.Children.begin(), S.Children.end(), [&](const Step &C) { return mayReturn(C, Facts); });
  default:
    return !S.Throws;
  }
}

bool Effects::Impl::missed(unsigned Root, const Box &What) {
  // Unknown memory may alias this root.
  for (const Site &S : Sites)
    if (S.Leaf->writes() && (S.Leaf->RootId == Root ? !S.Leaf->Low && !inBytes(*S.Leaf)
                                                    : S.Leaf->RootId < Tree.Roots.size() &&
                                                          Tree.Roots[S.Leaf->RootId].K == hsched::cc::Root::Anything))
      return false;
  if (const Polys Facts = sensible(What, 1);
      Tree.Roots[Root].PartlyUnwritten && possible(Facts) && mayReturn(Normal.Body, Facts))
    return true;
  std::vector<Poly> Elements{What.Base, What.last()};
  if (!What.Dims.empty()) {
    Elements.push_back(What.Base + What.Dims.back().Stride);
    Elements.push_back(What.last() - What.Dims.back().Stride);
  }
  for (unsigned AtLeast : {4u, 1u})
    for (std::size_t I = 0; I != Elements.size(); ++I) {
      Polys Facts = sensible(What, AtLeast);
      if (I >= 2)
        Facts.push_back(What.Dims.back().Count - 2);
      const bool Touched = std::any_of(Sites.begin(), Sites.end(), [&](const Site &S) {
        return S.Leaf->RootId == Root && S.Leaf->writes() && !isDisjoint(S, Elements[I], Facts);
      });
      if (!Touched && possible(Facts) && mayReturn(Normal.Body, Facts))
        return true;
    }
  return leftOnCondition(Root, What);
}

// True if all writes are in one branch of a condition on numbers unrelated to the section. For numbers of the section,
// the condition may exclude values without a valid section.
bool Effects::Impl::leftOnCondition(unsigned Root, const Box &What) {
  // The relation of quotients and sizes to other symbols is unknown.
  const auto isName = [&](SymbolId S) {
    return S < Tree.Symbols.size() && !Tree.Symbols[S].OfEnum &&
           Tree.Symbols[S].Spelling.find_first_of("(/%&|^?<~!") == std::string::npos;
  };
  std::set<SymbolId> Own = What.Base.symbols();
  for (const Box::Dim &D : What.Dims)
    for (const Poly *P : {&D.Count, &D.Stride})
      Own.merge(P->symbols());
  if (!std::all_of(Own.begin(), Own.end(), isName))
    return false;
  const auto isOf = [](const Site &S, const Site::Around &A) {
    return std::any_of(S.Path.begin(), S.Path.end(),
                       [&](const Site::Around &B) { return B.At == A.At && B.Branch == A.Branch; });
  };
  const auto independent = [&](const Poly &P) {
    const std::set<SymbolId> Of = P.symbols();
    return !Normal.hasCounters(P) &&
           std::all_of(Of.begin(), Of.end(), [&](SymbolId S) { return isName(S) && Own.count(S) == 0; });
  };
  for (const Site &S : Sites) {
    if (S.Leaf->RootId != Root || !S.Leaf->writes())
      continue;
    for (const Site::Around &A : S.Path) {
      if (A.At->K != Node::If || !A.At->Exact || !std::all_of(A.At->When.begin(), A.At->When.end(), independent))
        continue;
      // Conditions of the other branch: all of them hold, or one does not.
      std::vector<Polys> Left;
      if (A.Branch == 1)
        Left.push_back(A.At->When);
      else
        for (const Poly &P : A.At->When)
          Left.push_back({negation(P)});
      for (const Polys &L : Left) {
        const Polys Facts = sensible(What, 1) + L;
        const bool Touched = std::any_of(Sites.begin(), Sites.end(), [&](const Site &X) {
          return X.Leaf->RootId == Root && X.Leaf->writes() && !isOf(X, A) && !isDisjoint(X, What.Base, Facts);
        });
        if (!Touched && possible(Facts) && mayReturn(Normal.Body, Facts))
          return true;
      }
    }
    return false; // If all writes are on one side, the first one is.
  }
  return false;
}

const Site *Effects::Impl::readBeforeWritten(unsigned Root, const Box &What) {
  const Region Whole = R.ofBox(What);
  for (const Site &S : Sites) {
    if (S.Leaf->RootId != Root || !S.Leaf->reads())
      continue;
    for (const Corner &C : cornersOf(S, true))
      for (unsigned AtLeast : {4u, 1u}) {
        const Polys Facts = C.Facts + sensible(What, AtLeast);
        if (!R.contains({&Whole}, C.Index, Facts) || !possible(Facts))
          continue;
        // In the first iteration of all loops, only earlier nodes can have written. Any work-item may have written, but
        // if all of them update, one reads first.
        const bool InParallel = std::any_of(S.Path.begin(), S.Path.end(), [](const Site::Around &A) {
          return A.At->K == Node::Loop && A.At->Parallel;
        });
        const bool Before = std::any_of(Sites.begin(), Sites.end(), [&](const Site &X) {
          if (!X.Leaf->writes() || &X == &S)
            return false;
          if (X.Leaf->RootId < Tree.Roots.size() && Tree.Roots[X.Leaf->RootId].K == hsched::cc::Root::Anything)
            return true;
          if (X.Leaf->RootId != Root || (!InParallel && X.Order > S.Order))
            return false;
          return !isDisjoint(X, C.Index, Facts);
        });
        if (!Before && mayReturn(Normal.Body, Facts))
          return &S;
      }
  }
  return nullptr;
}

} // namespace hsched::cc
