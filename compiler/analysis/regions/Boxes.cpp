// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/regions/Boxes.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>

namespace hsched::cc::regions {

static constexpr std::size_t MaxForms = 100, MaxBounds = 16, MaxTried = 1000;

bool negative(const Poly &P) {
  return !P.isZero() && std::all_of(P.terms().begin(), P.terms().end(), [](const auto &T) { return T.second < 0; });
}

std::int64_t constantTerm(const Poly &P) {
  auto It = P.terms().find({});
  return It == P.terms().end() ? 0 : It->second;
}

bool BoxFinder::fail(const Form &F, std::string Why) {
  if (Last.Why.empty())
    Last = {std::move(Why), F.At->Leaf->A->WhyLoc.isValid() ? F.At->Leaf->A->WhyLoc : F.At->Leaf->Loc, Last.Unordered};
  return false;
}

std::string BoxFinder::subscript(const Form &F) const {
  const Access &A = *F.At->Leaf->A;
  return A.Low ? Tree.spelling(*A.Low) : std::string();
}

std::optional<Poly> BoxFinder::lengthOf(const Step &S) const {
  if (S.K != Node::Loop || !S.Bounded || !S.Last)
    return std::nullopt;
  const Poly Length = *S.Last - S.First;
  return Normal.hasCounters(Length) ? std::nullopt : std::optional(Length);
}

bool BoxFinder::assumed(const Form &F, const Step &If) {
  Polys Outer; // The conditions inside rest on the assumption.
  for (const Condition &C : F.Conditions)
    Outer.push_back(C.C);
  for (const Poly &D : If.When) {
    if (D.valid() && Certain.holds(D, Outer))
      continue;
    // Sizes are not negative: the negative of one is not assumed to be 0.
    if (!Normal.known(D) || D.constant() || negative(D) || Certain.holds(negation(D), Outer)) {
      fail(F, "it is not known whether the loop around subscript '" + subscript(F) + "' meets its end");
      return false;
    }
    assume(D);
  }
  return true;
}

std::optional<BoxFinder::Form> BoxFinder::formOf(const Site &S) {
  Form F;
  F.At = &S;
  const Step &L = *S.Leaf;
  if (!L.Low) {
    fail(F, L.A->Why.empty() ? "subscript '" + subscript(F) + "' is not known before the call" : L.A->Why);
    return std::nullopt;
  }
  F.Index = *L.Low;
  for (std::size_t I = 0; I != S.Path.size(); ++I) {
    const Site::Around &A = S.Path[I];
    if (A.At->K == Node::Loop)
      F.Counters.push_back(A.At->Counter);
    if (I >= S.Sure && (A.At->K == Node::Loop || A.At->Assumed))
      continue;
    if (A.At->K == Node::Loop) {
      if (auto Length = lengthOf(*A.At))
        F.Entered.push_back(*Length);
    }
    if (A.At->K == Node::If && A.At->Assumed && A.Branch == 0 && !assumed(F, *A.At))
      return std::nullopt;
    for (const Poly &C : A.At->K == Node::Loop ? A.At->Range : conditionsOf(*A.At, A.Branch))
      F.Conditions.push_back({C, A.At->K == Node::If && !A.At->Assumed});
  }
  if (!(L.Count == Poly(1))) {
    // Symbols from Normal.Next on are unused; one suffices, because forms are not combined.
    const Poly K = Poly::symbol(Normal.Next);
    F.Counters.push_back(Normal.Next);
    F.Index = F.Index + K;
    F.Conditions.push_back({K, false});
    F.Conditions.push_back({L.Count - 1 - K, false});
  }
  for (const Condition &C : F.Conditions)
    F.Facts.push_back(C.C);
  for (SymbolId C : F.Counters) {
    auto AB = F.Index.linearIn(C);
    if (!AB || Normal.hasCounters(AB->first)) {
      fail(F, "subscript '" + subscript(F) + "' is not affine");
      return std::nullopt;
    }
  }
  return F;
}

void BoxFinder::bounds(const Form &F, Poly E, bool Upper, Bound So, std::vector<Bound> &All, unsigned Depth) {
  if (All.size() >= MaxBounds || Depth > 12 || !E.valid() || ++Tried > MaxTried)
    return;
  std::size_t At = F.Counters.size();
  while (At != 0 && !E.mentions(F.Counters[At - 1]))
    --At;
  if (At == 0) {
    So.Value = E;
    All.push_back(So);
    return;
  }
  const SymbolId S = F.Counters[At - 1];
  auto AB = E.linearIn(S);
  if (!AB || Normal.hasCounters(AB->first))
    return;
  const auto &[A, B] = *AB;
  const bool Up = P.holdsAlways(A);
  if (!Up && !P.holdsAlways(-A)) {
    EitherSign = true;
    return;
  }
  if (const Poly Sign = Up ? A : -A; !certain(Sign, F))
    So.Premises.push_back(Sign);
  for (const Condition &C : F.Conditions) {
    auto KR = C.C.linearIn(S);
    auto K = KR ? KR->first.constant() : std::nullopt;
    if (!K || *K == 0 || (*K < 0) != (Up == Upper))
      continue;
    // Only outer counters are introduced, so this terminates.
    bool Inner = false;
    for (std::size_t I = At; I != F.Counters.size(); ++I)
      Inner |= KR->second.mentions(F.Counters[I]);
    if (Inner)
      continue;
    // |K| * S <= R, or K * S >= -R.
    const Poly Size(*K < 0 ? -*K : *K);
    Bound Next = So;
    Poly Replaced;
    const auto [Q, Rest] = dividedWithRest(KR->second, Size);
    if (Rest.constant())
      Replaced = A * (*K < 0 ? Q : -Q);
    else if (auto Part = A.dividedBy(Size)) {
      const Poly Dividend = KR->second + Size; // By the step, it is the number of iterations.
      const std::optional<Poly> Trips = *K < 0 ? Tree.knownQuotient(Dividend, -*K) : std::nullopt;
      Replaced = Trips ? A * (*Trips - 1) : *Part * (*K < 0 ? KR->second : -KR->second);
      Next.MayOvershoot = !Trips;
      if (*K < 0 && Normal.known(Dividend))
        Next.Steps = {{Dividend, Poly(), false, -*K}};
    } else
      continue;
    Next.Guarded |= C.Guard;
    const Poly After = B + Replaced;
    unsigned Gone = 0;
    for (SymbolId X : F.Counters) {
      Gone += E.mentions(X) && !After.mentions(X);
      Next.Widened |= C.Guard && !E.mentions(X) && After.mentions(X);
    }
    Next.Flat |= C.Guard && Gone > 1;
    bounds(F, After, Upper, Next, All, Depth + 1);
  }
}

std::optional<BoxFinder::Bound> BoxFinder::bound(const Form &F, const Poly &E, bool Upper) {
  std::vector<Bound> All;
  Tried = 0;
  EitherSign = false;
  bounds(F, E, Upper, {}, All, 0);
  if (All.empty()) {
    Last.Unordered |= Last.Why.empty() && EitherSign;
    const Access &A = *F.At->Leaf->A;
    for (SymbolId S : A.Low ? A.Low->symbols() : std::set<SymbolId>())
      if (const Symbol &Counter = Tree.Symbols[S]; Last.Why.empty() && !Counter.Why.empty())
        Last = {Counter.Why, Counter.WhyLoc};
    fail(F, "how far subscript '" + subscript(F) + "' goes is not known");
    return std::nullopt;
  }
  // Removes bounds that are no tighter than another; of equal ones an exact one stays.
  std::vector<Bound> Tight;
  for (const Bound &B : All) {
    auto Over = [&](const Bound &X, const Bound &Y) { // True if X is no tighter than Y.
      const Poly D = Upper ? X.Value - Y.Value : Y.Value - X.Value;
      return D.isZero() ? X.MayOvershoot >= Y.MayOvershoot : P.holdsAlways(D);
    };
    if (std::any_of(Tight.begin(), Tight.end(), [&](const Bound &T) { return Over(B, T); }))
      continue;
    Tight.erase(std::remove_if(Tight.begin(), Tight.end(), [&](const Bound &T) { return Over(T, B); }), Tight.end());
    Tight.push_back(B);
  }
  // A filter's weights w[j * 3 + i] with a guard on the pixel x + i: the loop over i ends them, not the image.
  if (std::any_of(Tight.begin(), Tight.end(), [](const Bound &B) { return !B.Widened; }))
    std::erase_if(Tight, [](const Bound &B) { return B.Widened; });
  if (Tight.size() > 1) {
    std::vector<Bound> Guarded;
    for (const Bound &B : Tight)
      if (B.Guarded)
        Guarded.push_back(B);
    if (!Guarded.empty())
      Tight = Guarded;
  }
  if (Tight.size() > 1) {
    fail(F, "of '" + Tree.spelling(Tight[0].Value) + "' and '" + Tree.spelling(Tight[1].Value) +
                "' it is not known which is " + (Upper ? "less" : "greater"));
    return std::nullopt;
  }
  for (const Poly &D : Tight[0].Premises)
    assume(D);
  for (const Bound &B : All)
    if (B.Guarded && B.Premises.empty() && !B.MayOvershoot && !(B.Value == Tight[0].Value))
      Tight[0].Over.push_back(B.Value);
  return Tight[0];
}

std::optional<BoxFinder::Range> BoxFinder::range(const Form &F, const Poly &E, std::int64_t Ahead) {
  auto Low = bound(F, E, false);
  auto High = Low ? bound(F, E, true) : std::nullopt;
  if (!High)
    return std::nullopt;
  // A loop over [0, n) in steps of 4 that accesses x[i + 3] ends at n - 1 if 4 divides n, or else behind it.
  if ((High->MayOvershoot && constantTerm(High->Value) > -1 - Ahead && !High->Value.constant()) ||
      (Low->MayOvershoot && constantTerm(Low->Value) < -Ahead)) {
    for (const Bound *B : {&*High, &*Low})
      Quotients.insert(Quotients.end(), B->Steps.begin(), B->Steps.end());
    fail(F, "whether the loop's step divides its length is not known, so where '" + subscript(F) + "' ends is not");
    return std::nullopt;
  }
  return Range{Low->Value, High->Value, Low->Flat || High->Flat, true, Low->Over, High->Over};
}

bool BoxFinder::certain(const Poly &D, const Form &F) {
  return (!Normal.hasCounters(D) && Certain.holds(D, F.Entered)) || Certain.holds(D, F.Facts + F.Entered);
}

void BoxFinder::assume(const Poly &D) {
  if (std::find(Assumed.begin(), Assumed.end(), D) == Assumed.end())
    Assumed.push_back(D);
}

std::optional<Poly> BoxFinder::either(const Poly &A, const Poly &B, bool Least) {
  const std::vector<Poly> Of{A, B};
  for (SymbolId S = 0; S != Tree.Symbols.size(); ++S)
    if ((Least ? Tree.Symbols[S].Least : Tree.Symbols[S].Greatest) == Of)
      return Poly::symbol(S);
  if (Normal.known(A) && Normal.known(B))
    Wanted.push_back({A, B, Least});
  return std::nullopt;
}

std::optional<Poly> BoxFinder::endWithout(const Poly &B, const Polys &Doubtful, bool Upper) {
  Poly End = B;
  for (const Poly &X : Doubtful) {
    // As names if possible: n or 1, minus 1; not n - 1 or 0.
    const Poly Constant = constantTerm(End.constant() ? X : End);
    std::optional<Poly> Both = either(End - Constant, X - Constant, !Upper);
    if (!Both)
      return std::nullopt;
    End = *Both + Constant;
  }
  return End;
}

// Low: for the upper end, the lower one.
std::optional<Poly> BoxFinder::extreme(const std::vector<Form> &Forms, const std::vector<Poly> &Exprs,
                                       const std::vector<Range> &Ranges, bool Upper, const Poly *Low) {
  auto Of = [&](const Range &R) -> const Poly & { return Upper ? R.High : R.Low; };
  // Assumptions: none; sizes are not negative; loops run.
  enum { Nothing, Sizes, Loops };
  std::vector<Poly> Tight, Over;
  for (const Range &R : Ranges) {
    Tight.push_back(Of(R));
    const Polys &Others = Upper ? R.Higher : R.Lower;
    Over.insert(Over.end(), Others.begin(), Others.end());
  }
  // An access made in every call, by each work-item, is not below the lower end: x[n - 1] implies n > 0.
  Polys Plain;
  for (std::size_t I = 0; Low && I != Ranges.size(); ++I) {
    const std::vector<Site::Around> &Path = Forms[I].At->Path;
    if (std::all_of(Path.begin(), Path.end(), [](const auto &A) { return A.At->K == Node::Loop && A.At->Parallel; }) &&
        !Normal.hasCounters(Exprs[I]))
      Plain.push_back(Exprs[I] - *Low);
  }
  for (const auto &[Granted, Tried] :
       {std::pair(Nothing, &Tight), {Sizes, &Tight}, {Loops, &Tight}, {Nothing, &Over}, {Sizes, &Over}})
    for (const Poly &B : *Tried) {
      Polys New, Doubtful;
      bool All = true;
      for (std::size_t I = 0; I != Ranges.size() && All; ++I) {
        const Poly &X = Of(Ranges[I]);
        const Poly D = Upper ? B - X : X - B, Within = Upper ? B - Exprs[I] : Exprs[I] - B;
        if (D.isZero() || certain(D, Forms[I]) || certain(Within, Forms[I]))
          continue;
        const bool BySizes = P.holdsAlways(D) || P.holds(Within, Forms[I].Facts);
        All = Granted != Nothing && (BySizes || (Granted == Loops && P.holds(D, Running)));
        if (!BySizes && !P.holds(D, Plain) && (Upper || !B.isZero()) &&
            std::find(Doubtful.begin(), Doubtful.end(), X) == Doubtful.end())
          Doubtful.push_back(X);
        else
          New.push_back(D);
      }
      if (!All)
        continue;
      for (const Poly &D : New)
        assume(D);
      if (std::optional<Poly> End = endWithout(B, Doubtful, Upper))
        return End;
      for (const Poly &X : Doubtful)
        assume(Upper ? B - X : X - B);
      return B;
    }
  for (std::size_t I = 1; I != Ranges.size(); ++I)
    if (!(Of(Ranges[I]) == Of(Ranges[0]))) {
      Last.Unordered |= Last.Why.empty();
      fail(Forms[I], "of '" + Tree.spelling(Of(Ranges[0])) + "' and '" + Tree.spelling(Of(Ranges[I])) +
                         "' it is not known which is " + (Upper ? "greater" : "less"));
      break;
    }
  return std::nullopt;
}

std::optional<BoxFinder::Range> BoxFinder::hull(const std::vector<Form> &Forms, const std::vector<Poly> &Exprs,
                                                std::int64_t Ahead) {
  std::vector<Range> Ranges;
  Range All;
  for (std::size_t I = 0; I != Forms.size(); ++I) {
    auto R = range(Forms[I], Exprs[I], Ahead);
    if (!R)
      return std::nullopt;
    All.Flat |= R->Flat;
    Ranges.push_back(std::move(*R));
  }
  auto Near = [](const Poly &D) {
    auto N = D.constant();
    return N && *N >= -16 && *N <= 16;
  };
  for (const Range &R : Ranges)
    All.Near &= Near(R.Low - Ranges[0].Low) && Near(R.High - Ranges[0].High);
  const Polys Loops = Running;
  for (const Range &R : Ranges) // Guards admit each access for some numbers.
    if (Poly Length = R.High - R.Low; Length.valid() && !Length.constant())
      Running.push_back(std::move(Length));
  if (P.contradictory(Running))
    Running = Loops;
  const auto Restore = llvm::make_scope_exit([&] { Running = Loops; });
  auto Low = extreme(Forms, Exprs, Ranges, false);
  auto High = Low ? extreme(Forms, Exprs, Ranges, true, &*Low) : std::nullopt;
  if (!High)
    return std::nullopt;
  All.Low = std::move(*Low), All.High = std::move(*High);
  return All;
}

std::optional<Box> BoxFinder::flat(const std::vector<Form> &Forms, bool &ByGuard) {
  std::vector<Poly> Exprs;
  for (const Form &F : Forms)
    Exprs.push_back(F.Index);
  auto R = hull(Forms, Exprs);
  if (!R)
    return std::nullopt;
  ByGuard = R->Flat;
  Box B;
  B.Base = R->Low;
  const Poly Count = R->High - R->Low + 1;
  if (!(Count == Poly(1)))
    B.Dims.push_back({Count, 1});
  return B;
}

BoxResult BoxFinder::find(const Root &R, const std::vector<const Site *> &Sites, bool EitherWay) {
  BoxResult Found;
  Either = EitherWay;
  Last = {};
  Assumed.clear();
  Wanted = Quotients = {};
  Running.clear();
  std::vector<Form> Forms;
  bool All = !Sites.empty();
  for (const Site *S : Sites) {
    auto F = formOf(*S);
    All = F.has_value();
    if (!All)
      break;
    if (std::find(Forms.begin(), Forms.end(), *F) == Forms.end())
      Forms.push_back(std::move(*F));
    if (Forms.size() > MaxForms) {
      All = fail(Forms.back(), "there are too many accesses");
      break;
    }
    for (const Site::Around &A : S->Path)
      if (auto Length = lengthOf(*A.At); Length && std::find(Running.begin(), Running.end(), *Length) == Running.end())
        Running.push_back(*Length);
  }
  // Loops that exclude each other: assuming that both run would prove anything.
  if (P.contradictory(Running))
    Running.clear();
  const Polys Met = std::exchange(Assumed, {});
  if (All) {
    bool ByGuard = false, OneShape = false;
    std::optional<Box> F = flat(Forms, ByGuard);
    const Polys FlatAssumed = std::exchange(Assumed, {});
    const std::vector<BoxResult::Pair> FlatWanted = std::exchange(Wanted, {});
    if (!F || !ByGuard)
      Found.What = byCoordinates(Forms, OneShape);
    if (Found.What && (!F || OneShape || sameEnds(*Found.What, *F)))
      Found.Assumed = Assumed, Found.Wanted = Wanted;
    else
      Found.What = F, Found.Assumed = FlatAssumed, Found.Wanted = FlatWanted;
    for (const Poly &D : Met)
      if (std::find(Found.Assumed.begin(), Found.Assumed.end(), D) == Found.Assumed.end())
        Found.Assumed.push_back(D);
    if (Found.What)
      factor(*Found.What, Forms);
  }
  if (!Found.What && !Sites.empty() && R.Count && Normal.known(*R.Count)) {
    // The whole object: there are no accesses outside of it.
    Found.What = Box{Poly(), {}};
    if (!(*R.Count == Poly(1)))
      Found.What->Dims.push_back({*R.Count, 1});
    Found.Assumed.clear();
    Found.Wanted.clear();
  }
  if (!Found.What)
    Found.Why = Last.Why, Found.WhyLoc = Last.Loc, Found.Unordered = Last.Unordered, Found.Wanted = Quotients;
  return Found;
}

} // namespace hsched::cc::regions
