// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/regions/Walk.h"

#include <algorithm>

namespace hsched::cc::regions {

namespace {

constexpr std::size_t MaxRegions = 64; // More than this many regions: later ones are dropped.

void certain(Site &At) {
  const Step &L = *At.Leaf;
  const auto Counts = [&](const Site::Around &A) {
    const auto In = [&](SymbolId S) { return !L.Low || L.Low->mentions(S) || L.Count.mentions(S); };
    return A.At->K == Node::Loop ? In(A.At->Counter) : A.At->K == Node::If && A.At->Number && In(*A.At->Number);
  };
  const auto IsAssumed = [](const Site::Around &A) { return A.At->K == Node::If && A.At->Assumed && A.Branch == 0; };
  auto Sure = At.Path.begin();
  while ((Sure = std::find_if(Sure, At.Path.end(), IsAssumed)) != At.Path.end() &&
         std::any_of(Sure, At.Path.end(), Counts))
    ++Sure;
  At.Sure = std::size_t(Sure - At.Path.begin());
  if (Sure == At.Path.end()) {
    At.Certain = At.Conditions;
    return;
  }
  for (auto A = At.Path.begin(); A != At.Path.end(); ++A)
    if (A < Sure || (A->At->K == Node::If && !IsAssumed(*A)))
      At.Certain = At.Certain + (A->At->K == Node::Loop ? A->At->Range : conditionsOf(*A->At, A->Branch));
}

void collect(const Step &S, Site &At, std::vector<Site> &All) {
  const std::size_t Conditions = At.Conditions.size();
  auto Into = [&](const Step &Child, unsigned Branch, const Polys &Holding) {
    At.Path.push_back({&S, Branch});
    At.Conditions = At.Conditions + Holding;
    collect(Child, At, All);
    At.Conditions.resize(Conditions);
    At.Path.pop_back();
  };
  switch (S.K) {
  case Node::Leaf:
    All.push_back(At);
    All.back().Leaf = &S;
    certain(All.back());
    All.back().Order = static_cast<unsigned>(All.size());
    break;
  case Node::Seq: {
    const bool Reached = At.Reached;
    for (const Step &C : S.Children) {
      collect(C, At, All);
      At.Reached &= !C.Stops;
    }
    At.Reached = Reached;
    break;
  }
  case Node::Loop:
    Into(S.Children[0], 0, S.Range);
    break;
  case Node::If:
    Into(S.Children[0], 0, conditionsOf(S, 0));
    Into(S.Children[1], 1, conditionsOf(S, 1));
    break;
  case Node::Stop:
    break;
  }
}

} // namespace

std::vector<Site> sitesOf(const Step &Body) {
  std::vector<Site> All;
  Site At;
  collect(Body, At, All);
  return All;
}

void Walk::add(Written &To, const Written &From) {
  To.Never |= From.Never;
  for (const Region &X : From.All)
    if (To.All.size() < MaxRegions)
      To.All.push_back(X);
}

const Walk::Written &Walk::written(const Step &S, bool Parallel) {
  if (!Memo[S.Id])
    Memo[S.Id] = compute(S, Parallel);
  return *Memo[S.Id];
}

Walk::Written Walk::compute(const Step &S, bool Parallel) {
  Written W;
  switch (S.K) {
  case Node::Leaf:
    if (S.writes() && S.Sure && S.Whole && S.Low)
      W.All.push_back(R.range(S.RootId, *S.Low, S.Count));
    break;
  case Node::Stop:
    // A work-item that ends here still counts as finished: the loop over the work-items goes on.
    W.Never = !Parallel;
    break;
  case Node::Seq:
    for (std::size_t I = 0; I != S.Children.size(); ++I) {
      add(W, written(S.Children[I], Parallel));
      // For work-items that stopped inside, the rest is not true.
      if (W.Never || (Parallel && S.Children[I].Stops))
        break;
    }
    if (W.All.size() > 1)
      R.coalesce(W.All);
    break;
  case Node::If:
    return ofIf(S, Parallel);
  case Node::Loop: {
    if (!S.Bounded || S.Breaks || (Parallel && !S.Parallel && S.Stops))
      break;
    const Written &Once = written(S.Children[0], Parallel || S.Parallel);
    if (Once.Never)
      break; // At most one iteration, and none that reaches the end.
    for (const Region &X : Once.All)
      if (auto All = R.over(X, S.Counter, S.Range); All && W.All.size() < MaxRegions)
        W.All.push_back(std::move(*All));
    break;
  }
  }
  return W;
}

Walk::Written Walk::ofIf(const Step &S, bool Parallel) {
  const Written &A = written(S.Children[0], Parallel);
  if (S.Given)
    return A;
  const Written &B = written(S.Children[1], Parallel);
  Written W;
  W.Never = A.Never && B.Never;
  if (A.Never || B.Never) {
    // At the end, the other branch was taken.
    W.All = A.Never ? B.All : A.All;
    return W;
  }
  std::vector<bool> InBoth(A.All.size() + B.All.size());
  auto Both = [&](const Written &From, const Written &In, std::size_t First) {
    if (In.All.empty() || P.exhausted())
      return;
    for (std::size_t I = 0; I != From.All.size(); ++I) {
      std::vector<const Region *> Same;
      for (const Region &X : In.All)
        if (X.RootId == From.All[I].RootId)
          Same.push_back(&X);
      if (Same.empty() || !R.contains(Same, From.All[I].Index, From.All[I].Conditions, 2))
        continue;
      InBoth[First + I] = true;
      W.All.push_back(From.All[I]);
    }
  };
  Both(A, B, 0);
  Both(B, A, A.All.size());
  if (!S.Exact)
    return W;
  for (std::size_t I = 0; I != A.All.size(); ++I)
    if (!InBoth[I] && W.All.size() < MaxRegions) {
      Region X = A.All[I];
      X.Conditions = X.Conditions + S.When;
      W.All.push_back(std::move(X));
    }
  // The negation of When: the first is false, or the first is true and the second is false, and so on.
  if (S.When.size() <= 4)
    for (std::size_t I = 0; I != B.All.size(); ++I)
      for (std::size_t K = 0; !InBoth[A.All.size() + I] && K != S.When.size() && W.All.size() < MaxRegions; ++K) {
        Region X = R.renamed(B.All[I]);
        X.Conditions.insert(X.Conditions.end(), S.When.begin(), S.When.begin() + static_cast<std::ptrdiff_t>(K));
        X.Conditions.push_back(negation(S.When[K]));
        W.All.push_back(std::move(X));
      }
  return W;
}

bool Walk::run(const Polys &Facts, const Visit &OnRead, const Visit &OnExit) {
  State At;
  At.Facts = Facts;
  if (!step(Tree.Body, At, false, OnRead, OnExit))
    return false;
  const Written &All = written(Tree.Body, false);
  if (All.Never)
    return true;
  At.Written = All.All;
  return OnExit(Tree.Body, At);
}

bool Walk::step(const Step &S, State &At, bool Parallel, const Visit &OnRead, const Visit &OnExit) {
  const std::size_t Size = At.Written.size(), Facts = At.Facts.size();
  bool On = true;
  auto Add = [&](const Written &W) {
    for (const Region &X : W.All)
      if (At.Written.size() < 2 * MaxRegions)
        At.Written.push_back(X);
  };
  switch (S.K) {
  case Node::Leaf:
    return !S.reads() || OnRead(S, At);
  case Node::Stop:
    if (S.Throws || Parallel)
      return true;
    if (At.Sure && *At.Sure != Facts) {
      State Surely = At;
      Surely.Facts.resize(*At.Sure);
      return OnExit(S, Surely);
    }
    return OnExit(S, At);
  case Node::Seq:
    for (const Step &C : S.Children) {
      On = step(C, At, Parallel, OnRead, OnExit);
      const Written &W = written(C, Parallel);
      if (!On || W.Never)
        break;
      Add(W);
    }
    break;
  case Node::If:
    for (unsigned Branch = 0; On && Branch != 2; ++Branch) {
      const bool Assumes = S.Assumed && Branch == 0 && !At.Sure;
      if (Assumes)
        At.Sure = Facts;
      At.Facts = At.Facts + conditionsOf(S, Branch);
      On = step(S.Children[Branch], At, Parallel, OnRead, OnExit);
      At.Facts.resize(Facts);
      if (Assumes)
        At.Sure.reset();
    }
    break;
  case Node::Loop: {
    // Each earlier iteration has ended.
    if (S.Bounded && !S.Parallel) {
      const Poly Now = Poly::symbol(S.Counter);
      const SymbolId Was = R.fresh();
      Polys Earlier{Now - 1 - Poly::symbol(Was)};
      for (const Poly &C : S.Range)
        Earlier.push_back(C.substituted(S.Counter, Poly::symbol(Was)));
      Written Before;
      for (Region X : written(S.Children[0], Parallel).All) {
        X.Index = X.Index.substituted(S.Counter, Poly::symbol(Was));
        for (Poly &C : X.Conditions)
          C = C.substituted(S.Counter, Poly::symbol(Was));
        if (auto All = R.over(X, Was, Earlier))
          Before.All.push_back(std::move(*All));
      }
      Add(Before);
    }
    At.Facts = At.Facts + S.Range;
    On = step(S.Children[0], At, Parallel || S.Parallel, OnRead, OnExit);
    break;
  }
  }
  At.Written.resize(Size);
  At.Facts.resize(Facts);
  return On;
}

} // namespace hsched::cc::regions
