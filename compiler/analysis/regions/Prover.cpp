// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/regions/Prover.h"

#include <algorithm>
#include <numeric>

namespace hsched::cc::regions {

Poly negation(const Poly &P) { return Poly(-1) - P; }

Polys operator+(Polys A, const Polys &B) {
  A.insert(A.end(), B.begin(), B.end());
  return A;
}

namespace {

// Order: more symbols first.
bool before(const Poly::Monomial &A, const Poly::Monomial &B) {
  return A.size() != B.size() ? A.size() > B.size() : A < B;
}

std::int64_t floorDivided(std::int64_t A, std::int64_t B) { return A / B - (A % B != 0 && (A < 0) != (B < 0)); }

// An exact fraction. An overflow makes it invalid permanently.
struct Fraction {
  std::int64_t N = 0, D = 1;
  bool Ok = true;

  Fraction() = default;
  Fraction(std::int64_t N) : N(N) {}
  bool zero() const { return N == 0; }
  bool positive() const { return N > 0; }

  __extension__ typedef __int128 Wide;
  static Fraction of(Wide N, Wide D) {
    Wide A = N < 0 ? -N : N, B = D;
    while (B) {
      const Wide T = A % B;
      A = B, B = T;
    }
    if (A > 1)
      N /= A, D /= A;
    Fraction F;
    F.N = static_cast<std::int64_t>(N), F.D = static_cast<std::int64_t>(D);
    F.Ok = F.N == N && F.D == D;
    return F;
  }
  // *this - A * B, the one operation of an elimination.
  Fraction minus(const Fraction &A, const Fraction &B) const {
    Fraction P = of(Wide(A.N) * B.N, Wide(A.D) * B.D);
    Fraction R = of(Wide(N) * P.D - Wide(P.N) * D, Wide(D) * P.D);
    R.Ok = R.Ok && P.Ok && Ok && A.Ok && B.Ok;
    return R;
  }
  Fraction over(const Fraction &B) const {
    Fraction R = B.N < 0 ? of(-Wide(N) * B.D, -Wide(D) * B.N) : of(Wide(N) * B.D, Wide(D) * B.N);
    R.Ok = R.Ok && Ok && B.Ok;
    return R;
  }
  bool lessThan(const Fraction &B) const { return Wide(N) * B.D < Wide(B.N) * D; }
};

// Table cells per unit of a prover's budget: about the cost of a question with few facts.
constexpr std::size_t CellsOfUnit = 20000;
// Limit of one question.
constexpr std::size_t MostCells = 100 * CellsOfUnit;

// Whether non-negative multiples of the facts add up to -1: the first phase of the simplex method.
bool addUpToMinusOne(const std::vector<const Poly *> &Facts, std::size_t &Cells) {
  std::map<Poly::Monomial, std::size_t> RowOf;
  RowOf.try_emplace({}, 0);
  for (const Poly *F : Facts)
    for (const auto &[M, C] : F->terms())
      RowOf.try_emplace(M, RowOf.size());
  const std::size_t Rows = RowOf.size(), Columns = Facts.size() + 2; // The fact 1 >= 0, the right-hand side.
  Cells += Rows * Columns;
  std::vector<std::vector<Fraction>> T(Rows, std::vector<Fraction>(Columns));
  for (std::size_t J = 0; J != Facts.size(); ++J)
    for (const auto &[M, C] : Facts[J]->terms()) {
      if (C == INT64_MIN)
        return false;
      T[RowOf[M]][J] = M.empty() ? -C : C; // The constants' row is negated: its right-hand side is then 1.
    }
  T[0][Columns - 2] = -1;
  T[0][Columns - 1] = 1;

  // Beyond Columns: artificial variables, one per row. Their sum must become 0; Cost: how fast each column reduces it.
  std::vector<std::size_t> Basis(Rows);
  std::iota(Basis.begin(), Basis.end(), Columns);
  std::vector<Fraction> Cost(Columns);
  for (const auto &Row : T)
    for (std::size_t J = 0; J != Columns; ++J)
      Cost[J] = Cost[J].minus(Fraction(-1), Row[J]);

  for (unsigned Pivots = 0; Pivots != 400; ++Pivots) {
    if (Cost[Columns - 1].zero())
      return true;
    if (Cells > MostCells)
      return false;
    // First the steepest column; later the first one (Bland's rule), which cannot cycle.
    std::size_t In = Columns;
    for (std::size_t J = 0; J + 1 != Columns; ++J)
      if (Cost[J].positive() && (In == Columns || (Pivots < 60 && Cost[In].lessThan(Cost[J]))))
        In = J;
    if (In == Columns)
      return false;
    std::size_t Out = Rows;
    Fraction Least;
    for (std::size_t I = 0; I != Rows; ++I) {
      if (!T[I][In].positive())
        continue;
      const Fraction Ratio = T[I][Columns - 1].over(T[I][In]);
      if (!Ratio.Ok)
        return false;
      if (Out == Rows || Ratio.lessThan(Least) || (!Least.lessThan(Ratio) && Basis[I] < Basis[Out]))
        Out = I, Least = Ratio;
    }
    if (Out == Rows)
      return false;
    const Fraction Pivot = T[Out][In];
    for (Fraction &F : T[Out])
      if (!F.zero() && !(F = F.over(Pivot)).Ok)
        return false;
    auto Eliminate = [&](std::vector<Fraction> &Row) {
      const Fraction By = Row[In];
      ++Cells;
      if (By.zero())
        return true;
      Cells += Columns;
      for (std::size_t J = 0; J != Columns; ++J)
        if (!T[Out][J].zero() && !(Row[J] = Row[J].minus(By, T[Out][J])).Ok)
          return false;
      return true;
    };
    for (std::size_t I = 0; I != Rows; ++I)
      if (I != Out && !Eliminate(T[I]))
        return false;
    if (!Eliminate(Cost))
      return false;
    // An artificial variable that has left never returns, and its cost is dropped.
    Basis[Out] = In;
  }
  return false;
}

// The same without irrelevant facts: those with a monomial that nothing can cancel.
bool contradict(const Polys &Facts, std::size_t &Cells) {
  std::vector<const Poly *> Live;
  for (const Poly &F : Facts)
    Live.push_back(&F);
  for (bool Changed = true; Changed;) {
    Changed = false;
    std::map<Poly::Monomial, int> Signs; // 1: some positive, 2: some negative.
    bool Negative = false;
    Cells += 4 * Live.size();
    for (const Poly *F : Live)
      for (const auto &[M, C] : F->terms()) {
        Signs[M] |= C > 0 ? 1 : 2;
        Negative |= M.empty() && C < 0;
      }
    if (!Negative)
      return false;
    auto Dead = [&](const Poly *F) {
      return std::any_of(F->terms().begin(), F->terms().end(),
                         [&](const auto &T) { return !T.first.empty() && Signs[T.first] != 3; });
    };
    const auto End = std::remove_if(Live.begin(), Live.end(), Dead);
    Changed = End != Live.end();
    Live.erase(End, Live.end());
  }
  return Live.size() <= 400 && addUpToMinusOne(Live, Cells);
}

// Searches values that satisfy all facts by repairing one violated fact after another. It finds them in most cases,
// much faster than linear programming fails.
class Model {
public:
  explicit Model(const Polys &Facts) {
    for (const Poly &P : Facts) {
      Fact F;
      for (const auto &[M, C] : P.terms()) {
        Term T{C, {}};
        for (SymbolId S : M) {
          const auto At = IndexOf.try_emplace(S, IndexOf.size()).first->second;
          T.Of.push_back(At);
          if (std::find(F.In.begin(), F.In.end(), At) == F.In.end())
            F.In.push_back(At);
        }
        F.Terms.push_back(std::move(T));
      }
      All.push_back(std::move(F));
    }
  }

  bool found() {
    std::vector<std::int64_t> V(IndexOf.size());
    for (unsigned Start = 0; Start != 4; ++Start) {
      for (std::int64_t &X : V)
        X = Start == 0 ? 3 : random(9);
      for (std::size_t Steps = 0, AllProved = 0, At = 0; Steps != 60; At = (At + 1) % All.size()) {
        const std::optional<std::int64_t> Now = value(All[At], V);
        if (!Now)
          break;
        if (*Now >= 0) {
          if (++AllProved == All.size())
            return true;
          continue;
        }
        if (All[At].In.empty())
          return false;
        AllProved = 0;
        ++Steps;
        const std::size_t S =
            All[At].In[static_cast<std::size_t>(random(static_cast<std::int64_t>(All[At].In.size())))];
        ++V[S];
        const std::optional<std::int64_t> Next = value(All[At], V);
        --V[S];
        if (!Next)
          break;
        const std::int64_t Slope = *Next - *Now;
        if (Slope != 0) // Exactly as far as needed.
          V[S] += Slope > 0 ? (-*Now + Slope - 1) / Slope : -((-*Now - Slope - 1) / -Slope);
        if (V[S] > 1000 || V[S] < -1000)
          break;
      }
    }
    return false;
  }

private:
  struct Term {
    std::int64_t C;
    std::vector<std::size_t> Of;
  };
  struct Fact {
    std::vector<Term> Terms;
    std::vector<std::size_t> In;
  };
  std::map<SymbolId, std::size_t> IndexOf;
  std::vector<Fact> All;
  std::uint64_t Seed = 1;

  std::int64_t random(std::int64_t Below) {
    Seed = Seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>(Seed >> 33) % Below;
  }
  static std::optional<std::int64_t> value(const Fact &F, const std::vector<std::int64_t> &V) {
    std::int64_t Sum = 0;
    for (const Term &T : F.Terms) {
      std::int64_t P = T.C;
      for (std::size_t S : T.Of)
        if (__builtin_mul_overflow(P, V[S], &P))
          return std::nullopt;
      if (__builtin_add_overflow(Sum, P, &Sum))
        return std::nullopt;
    }
    return Sum > INT64_MAX / 4 || Sum < -(INT64_MAX / 4) ? std::nullopt : std::optional(Sum);
  }
};

} // namespace

std::size_t degree(const Poly &P) {
  std::size_t D = 0;
  for (const auto &[M, C] : P.terms())
    D = std::max(D, M.size());
  return D;
}

bool wider(const Poly &A, const Poly &B) {
  if (degree(A) != degree(B))
    return degree(A) > degree(B);
  const auto CA = A.constant(), CB = B.constant();
  if (CA && CB)
    return *CA > *CB;
  return B < A;
}

std::pair<Poly, Poly> dividedWithRest(const Poly &P, const Poly &D) {
  Poly Q, R = P;
  if (!P.valid() || !D.valid() || D.isZero())
    return {Poly::invalid(), Poly::invalid()};
  auto Lead = D.terms().begin();
  for (auto I = D.terms().begin(); I != D.terms().end(); ++I)
    if (before(I->first, Lead->first))
      Lead = I;
  for (unsigned Steps = 0; Steps != 64 && R.valid(); ++Steps) {
    std::optional<Poly> Next;
    const Poly::Monomial *Best = nullptr;
    for (const auto &[M, C] : R.terms()) {
      if (!std::includes(M.begin(), M.end(), Lead->first.begin(), Lead->first.end()) || (Best && !before(M, *Best)))
        continue;
      if (Lead->second == -1 && C == INT64_MIN)
        return {Poly::invalid(), Poly::invalid()};
      const std::int64_t Times = floorDivided(C, Lead->second);
      if (Times == 0)
        continue;
      Poly::Monomial Rest;
      std::set_difference(M.begin(), M.end(), Lead->first.begin(), Lead->first.end(), std::back_inserter(Rest));
      Best = &M;
      Next = Poly::term(Rest, Times);
    }
    if (!Next)
      return {Q, R};
    Q = Q + *Next;
    R = R - *Next * D;
  }
  return {Poly::invalid(), Poly::invalid()};
}

Prover::Prover(std::set<SymbolId> NonNegative, Polys Facts, unsigned Budget)
    : NonNegative(std::move(NonNegative)), Known(std::move(Facts)), Left(Budget) {}

bool Prover::holds(const Poly &P, const Polys &Facts) {
  if (!P.valid())
    return false;
  // Most questions are simple: a sum of non-negative terms, or a fact itself.
  const bool Plain = std::all_of(P.terms().begin(), P.terms().end(), [&](const auto &T) {
    return T.second > 0 &&
           std::all_of(T.first.begin(), T.first.end(), [&](SymbolId S) { return NonNegative.count(S); });
  });
  if (Plain)
    return true;
  if (P.constant())
    return contradictory(Facts);
  return contradictory(Facts + Polys{negation(P)});
}

bool Prover::contradictory(const Polys &Facts) {
  Polys All;
  for (const Poly &F : Facts) {
    if (!F.valid())
      continue; // Says nothing.
    if (auto C = F.constant()) {
      if (*C < 0)
        return true;
      continue;
    }
    All.push_back(F);
  }
  if (All.empty())
    return false;
  std::sort(All.begin(), All.end());
  All.erase(std::unique(All.begin(), All.end()), All.end());
  if (auto It = Memo.find(All); It != Memo.end())
    return It->second;
  if (exhausted())
    return false;
  std::size_t Cells = 0;
  const bool Found = search(All, Cells);
  spend(1 + Cells / CellsOfUnit);
  Memo.emplace(std::move(All), Found);
  return Found;
}

void Prover::spend(std::size_t Units) {
  for (unsigned *Of : {&Left, &Now})
    *Of -= static_cast<unsigned>(std::min<std::size_t>(*Of, Units));
  Spent += static_cast<unsigned>(Units);
}

bool Prover::search(Polys Facts, std::size_t &Cells) const {
  // Global facts about these symbols, and about those that the facts bring in.
  std::set<SymbolId> Symbols;
  for (const Poly &F : Facts)
    Symbols.merge(F.symbols());
  std::vector<bool> Taken(Known.size());
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (std::size_t I = 0; I != Known.size(); ++I) {
      std::set<SymbolId> Own = Known[I].symbols();
      if (Taken[I] || std::none_of(Own.begin(), Own.end(), [&](SymbolId S) { return Symbols.count(S); }))
        continue;
      Taken[I] = Changed = true;
      Facts.push_back(Known[I]);
      Symbols.merge(Own);
    }
  }
  for (SymbolId S : Symbols)
    if (NonNegative.count(S))
      Facts.push_back(Poly::symbol(S));
  if (Facts.size() > 80)
    return false;
  for (const Poly &F : Facts)
    Cells += 16 * F.terms().size();
  if (Model(Facts).found())
    return false;
  if (contradict(Facts, Cells))
    return true;

  std::set<Poly::Monomial> Products; // Monomials in the facts.
  for (const Poly &F : Facts)
    for (const auto &[M, C] : F.terms())
      if (M.size() > 1)
        Products.insert(M);
  if (Products.empty())
    return false;
  // Products of two facts: first those without new monomials; then, for few facts, any that can cancel
  // something.
  Polys Factors = Facts;
  for (const auto &M : Products)
    if (M.size() == 3)
      for (std::size_t Out = 0; Out != 3; ++Out) {
        Poly::Monomial Pair = M;
        Pair.erase(Pair.begin() + static_cast<std::ptrdiff_t>(Out));
        if (std::all_of(Pair.begin(), Pair.end(), [&](SymbolId S) { return NonNegative.count(S); }))
          Factors.push_back(Poly::term(Pair, 1));
      }
  std::sort(Factors.begin(), Factors.end());
  Factors.erase(std::unique(Factors.begin(), Factors.end()), Factors.end());
  Polys Closed = Facts, Wide = Facts;
  for (std::size_t I = 0; I != Factors.size(); ++I)
    for (std::size_t J = I; J != Factors.size(); ++J) {
      if (degree(Factors[I]) + degree(Factors[J]) > 4)
        continue;
      Cells += Factors[I].terms().size() * Factors[J].terms().size();
      if (Cells > MostCells)
        return false;
      Poly P = Factors[I] * Factors[J];
      if (!P.valid() || P.constant())
        continue;
      bool All = true, Any = false;
      for (const auto &[M, C] : P.terms())
        if (M.size() > 1)
          (Products.count(M) ? Any : All) = Products.count(M) != 0;
      if (!Any)
        continue;
      Wide.push_back(P);
      if (All)
        Closed.push_back(std::move(P));
    }
  if (Closed.size() <= 200 && Closed.size() != Facts.size() && contradict(Closed, Cells))
    return true;
  // Bounds of one factor of a product, times the other factor, repeatedly: i * n >= 0 where i >= 64 * k, k >= 0 and n
  // >= 0.
  Polys Chained = Closed;
  for (unsigned Round = 0; Round != 2; ++Round) {
    std::set<Poly::Monomial> New;
    for (const Poly &F : Facts)
      for (const Poly &G : Facts) {
        if (G.terms().size() > 2 || G.symbols().size() != 1 || degree(G) != 1 || degree(F) > 3 || Chained.size() > 200)
          continue;
        Cells += F.terms().size() * G.terms().size();
        Poly P = F * G;
        if (!P.valid() || std::none_of(P.terms().begin(), P.terms().end(),
                                       [&](const auto &T) { return T.first.size() > 1 && Products.count(T.first); }))
          continue;
        for (const auto &[M, C] : P.terms())
          if (M.size() > 1)
            New.insert(M);
        Chained.push_back(std::move(P));
      }
    Products.merge(New);
  }
  std::sort(Chained.begin(), Chained.end());
  Chained.erase(std::unique(Chained.begin(), Chained.end()), Chained.end());
  if (Chained.size() <= 200 && Chained.size() != Closed.size() && contradict(Chained, Cells))
    return true;
  return Factors.size() <= 16 && Wide.size() <= 200 && Wide.size() != Closed.size() && contradict(Wide, Cells);
}

} // namespace hsched::cc::regions
