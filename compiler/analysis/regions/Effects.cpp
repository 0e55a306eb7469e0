// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/regions/EffectsInternal.h"

#include <algorithm>
#include <numeric>

namespace hsched::cc {

using namespace regions;

namespace {

// All: the known ones, plus assumed ones.
std::set<SymbolId> notNegative(const AccessTree &Tree, std::set<SymbolId> All) {
  for (std::size_t I = 0; I != Tree.Symbols.size(); ++I)
    if (Tree.Symbols[I].K == Symbol::Value && Tree.Symbols[I].NonNegative)
      All.insert(static_cast<SymbolId>(I));
  return All;
}

Polys factsOf(const AccessTree &Tree, const NormalTree &Normal) {
  Polys All;
  for (const Poly &P : Tree.Facts)
    if (Normal.known(P) && All.size() < 40)
      All.push_back(P);
  return All;
}

bool knownBox(const NormalTree &Normal, const Box &B) {
  return Normal.known(B.Base) && std::all_of(B.Dims.begin(), B.Dims.end(), [&](const Box::Dim &D) {
           return Normal.known(D.Count) && Normal.known(D.Stride);
         });
}

// Facts for a non-empty box: if sizes are not negative and their product is positive, each is positive. NotNegative:
// known signs; null: sizes are assumed not to be negative.
Polys notEmpty(const Box &What, const std::set<SymbolId> *NotNegative = nullptr) {
  Polys All;
  for (const Box::Dim &D : What.Dims) {
    All.push_back(D.Count - 1);
    if (const auto &T = D.Count.terms(); T.size() == 1 && T.begin()->second > 0)
      if (const auto &M = T.begin()->first;
          !NotNegative || D.Factored ||
          std::count_if(M.begin(), M.end(), [&](SymbolId S) { return !NotNegative->count(S); }) < 2)
        for (SymbolId S : D.Count.symbols())
          All.push_back(Poly::symbol(S) - 1);
  }
  return All;
}

} // namespace

Effects::Impl::Impl(const AccessTree &T)
    : Tree(T), Normal(normalize(T)), P(notNegative(T, Normal.Sizes), factsOf(T, Normal)),
      Certain(notNegative(T, {}), factsOf(T, Normal)), R(P, Normal.Next), W(Normal, P, R), Sites(sitesOf(Normal.Body)),
      All(T.Roots.size()), Given(factsOf(T, Normal)) {
  roles();
  if (Normal.TooLarge) {
    for (RootEffect &E : All)
      E.ReadFirst = E.Read && E.Written, E.Why = "there is too much to analyse";
    return;
  }
  P.begin(Work);
  readFirst();
  boxes();
}

void Effects::Impl::roles() {
  auto Note = [&](unsigned Root, AccessKind K, clang::SourceLocation Loc) {
    if (Root >= All.size())
      return;
    RootEffect &E = All[Root];
    if (K != AccessKind::Write && !std::exchange(E.Read, true))
      E.FirstRead = Loc;
    if (K != AccessKind::Read && !std::exchange(E.Written, true))
      E.FirstWrite = Loc;
  };
  if (!Normal.TooLarge) {
    for (const Site &S : Sites)
      Note(S.Leaf->RootId, S.Leaf->Kind, S.Leaf->Loc);
    return;
  }
  std::vector<const Node *> Open{&Tree.Body};
  while (!Open.empty()) {
    const Node &N = *Open.back();
    Open.pop_back();
    if (N.K == Node::Leaf)
      Note(N.A.RootId, N.A.K, N.A.Loc);
    for (const Node &C : N.Children)
      Open.push_back(&C);
  }
}

Region Effects::Impl::touched(const Site &S) {
  const Step &L = *S.Leaf;
  Region T = R.range(L.RootId, L.Low ? *L.Low : Poly::invalid(), L.Count);
  T.Conditions = T.Conditions + S.Certain;
  for (const Site::Around &A : S.Path)
    if (A.At->K == Node::Loop)
      T.Free.push_back(A.At->Counter);
  return R.renamed(T);
}

std::optional<Effects::Impl::Residue> Effects::Impl::residueOf(const Poly &D) {
  std::int64_t G = 0, C = 0;
  for (const auto &[M, K] : D.terms())
    if (K == INT64_MIN)
      return std::nullopt;
    else if (M.empty())
      C = K;
    else
      G = std::gcd(G, K);
  return Residue{G == 0 ? C : (C % G + G) % G, G};
}

bool Effects::Impl::neverZero(const Poly &D, const Polys &Facts, Prover &P) {
  if (!D.valid())
    return false;
  const std::optional<Residue> All = residueOf(D);
  if (!All)
    return false;
  if (All->Modulus != 0 && All->Rest != 0)
    return true;
  return P.contradictory(Facts + Polys{D, -D});
}

bool Effects::Impl::isDisjoint(const Site &Write, const Poly &Index, const Polys &Facts) {
  if (P.exhausted())
    return false;
  if (const Step &L = *Write.Leaf; inBytes(L)) {
    const Poly Size = std::int64_t(Tree.Roots[L.RootId].ElementBytes);
    return P.holds(Index * Size - *L.Byte - L.Bytes, Facts) || P.holds(*L.Byte - (Index + 1) * Size, Facts);
  }
  const Region T = touched(Write);
  const Poly D = T.Index - Index;
  const Polys Given = Facts + T.Conditions;
  if (neverZero(D, Given))
    return true;
  if (!D.valid())
    return false;
  // The first iteration separately: between it and the others there may be partial elements, but no element.
  std::size_t At = T.Free.size();
  for (const Site::Around &A : Write.Path)
    At -= A.At->K == Node::Loop;
  for (const Site::Around &A : Write.Path)
    if (A.At->K == Node::Loop) {
      const Poly Past = Poly::symbol(T.Free[At++]) - A.At->First;
      if (A.At->Bounded && !Normal.hasCounters(A.At->First) && neverZero(D, Given + Polys{-Past}) &&
          neverZero(D, Given + Polys{Past - 1}))
        return true;
    }
  return false;
}

void Effects::Impl::readFirst() {
  std::vector<bool> Found(All.size());
  auto OnRead = [&](const Step &L, const Walk::State &At) {
    if (L.RootId >= All.size() || Found[L.RootId] || !All[L.RootId].Written)
      return true;
    std::vector<const Region *> Written;
    for (const Region &X : At.Written)
      if (X.RootId == L.RootId)
        Written.push_back(&X);
    Region T;
    const Root &Of = Tree.Roots[L.RootId];
    if (L.Low)
      T = R.range(L.RootId, *L.Low, L.Count);
    else if (Of.Count && Normal.known(*Of.Count))
      T = R.range(L.RootId, 0, *Of.Count);
    else
      T.Index = Poly::invalid();
    const auto Here = std::find_if(Sites.begin(), Sites.end(), [&](const auto &S) { return S.Leaf == &L; });
    const bool Sure = Here == Sites.end() || Here->Sure == Here->Path.size();
    T.Conditions = T.Conditions + (Sure ? At.Facts : Here->Certain);
    if (T.Index.valid() && !P.exhausted()) {
      if (R.contains(Written, T.Index, T.Conditions))
        return true;
      // Whenever the element is written, it has been written before.
      bool Touched = false;
      for (const Site &S : Sites) {
        if (Touched || S.Leaf->RootId != L.RootId || !S.Leaf->writes())
          continue;
        if (P.exhausted()) {
          Touched = true;
          break;
        }
        const Region W = touched(S);
        const Poly D = W.Index - T.Index;
        const Polys Both = T.Conditions + W.Conditions;
        Touched = !neverZero(D, Both) && !(D.valid() && R.contains(Written, T.Index, Both + Polys{D, -D}));
      }
      if (!Touched)
        return true;
    }
    Found[L.RootId] = true;
    All[L.RootId].ReadFirst = true;
    All[L.RootId].FirstRead = L.Loc;
    return true;
  };
  W.run({}, OnRead, [](const Step &, const Walk::State &) { return true; });
}

void Effects::Impl::boxes() {
  BoxFinder Finder(Tree, Normal, P, Certain);
  for (unsigned Id = 0; Id != All.size(); ++Id) {
    RootEffect &E = All[Id];
    std::vector<const Site *> Any, Reads, Writes;
    P.begin(Work);
    Certain.begin(Work);
    for (const Site &S : Sites) {
      if (S.Leaf->RootId != Id)
        continue;
      Any.push_back(&S);
      if (S.Leaf->reads())
        Reads.push_back(&S);
      if (S.Leaf->writes())
        Writes.push_back(&S);
    }
    auto Take = [&](const std::vector<const Site *> &Of, std::optional<Box> &To) {
      if (Of.empty())
        return;
      if (&To != &E.All && Of.size() == Any.size()) {
        To = E.All;
        return;
      }
      BoxResult F = Finder.find(Tree.Roots[Id], Of);
      To = std::move(F.What);
      for (Poly &A : F.Assumed)
        if (std::find(E.Assumed.begin(), E.Assumed.end(), A) == E.Assumed.end())
          E.Assumed.push_back(std::move(A));
      Wanted.insert(Wanted.end(), F.Wanted.begin(), F.Wanted.end());
      if (&To == &E.All && !To && F.Unordered)
        E.Pieces = pieces(Finder, Id, Of);
      if (!To && E.Why.empty())
        E.Why = std::move(F.Why), E.WhyLoc = F.WhyLoc;
    };
    Take(Any, E.All);
    Take(Reads, E.Reads);
    Take(Writes, E.Writes);
  }
}

Polys Effects::Impl::sizesOf(const Box &What) {
  std::set<SymbolId> Sizes;
  for (const Box::Dim &D : What.Dims) {
    std::size_t Products = 0;
    for (const auto &[M, C] : D.Count.terms())
      Products += !M.empty();
    for (const auto &[M, C] : D.Count.terms())
      if (Products == 1 && C > 0)
        Sizes.insert(M.begin(), M.end());
  }
  Polys All;
  for (SymbolId S : Sizes)
    All.push_back(Poly::symbol(S));
  return All;
}

bool Effects::Impl::overwritten(unsigned Root, const Box &What) { return overwritten(Root, What, {}, 0); }

bool Effects::Impl::overwritten(unsigned Root, const Box &What, const Polys &Given, unsigned Depth) {
  if (overwrittenAtOnce(Root, What, Given))
    return true;
  std::set<SymbolId> In = What.Base.symbols();
  for (const Box::Dim &D : What.Dims)
    for (const Poly *P : {&D.Count, &D.Stride})
      In.merge(P->symbols());
  for (SymbolId S : In) {
    const Symbol &Of = Tree.Symbols[S];
    const std::vector<Poly> &Each = Of.Greatest.empty() ? Of.Least : Of.Greatest;
    if (Each.empty() || Depth == 2)
      continue;
    return std::all_of(Each.begin(), Each.end(), [&](const Poly &Chosen) {
      Box Then = What;
      Then.Base = Then.Base.substituted(S, Chosen);
      for (Box::Dim &D : Then.Dims) {
        D.Count = D.Count.substituted(S, Chosen), D.Stride = D.Stride.substituted(S, Chosen);
        D.Factored = false;
      }
      const Poly Itself = Poly::symbol(S);
      Polys Facts = Given + Polys{Itself - Chosen, Chosen - Itself};
      for (const Poly &Other : Each)
        if (const Poly More = Of.Greatest.empty() ? Other - Chosen : Chosen - Other; !More.isZero())
          Facts.push_back(More);
      return knownBox(Normal, Then) && overwritten(Root, Then, Facts, Depth + 1);
    });
  }
  return false;
}

bool Effects::Impl::overwrittenAtOnce(unsigned Root, const Box &What, const Polys &Given) {
  const Polys Something = Given + notEmpty(What), Sizes = sizesOf(What);
  if (!overwritten(Root, What, Something + Sizes, P, R, W))
    return false;
  // Again, without assumptions on lengths except those from a non-empty section: a loop that may not run may be the one
  // that writes. Most lengths are the section's own, so nothing else was assumed.
  std::set<SymbolId> Known = notNegative(Tree, {});
  const Polys Surely = Given + notEmpty(What, &Known);
  for (const Poly &F : Surely)
    if (const Poly Rest = F + 1; Rest.terms().size() == 1)
      if (const auto &[M, C] = *Rest.terms().begin(); M.size() == 1 && C > 0)
        Known.insert(M[0]);
  auto IsKnown = [&](SymbolId S) { return Known.count(S) != 0; };
  if (Surely.size() == Something.size() && std::all_of(Normal.Sizes.begin(), Normal.Sizes.end(), IsKnown) &&
      std::all_of(Sizes.begin(), Sizes.end(), [&](const Poly &S) { return IsKnown(*S.symbols().begin()); }))
    return true;
  Prover Strict(Known, factsOf(Tree, Normal) + Surely, Work);
  Regions Of(Strict, Normal.Next);
  Walk Again(Normal, Strict, Of);
  const bool Proved = overwritten(Root, What, Surely, Strict, Of, Again);
  StrictWork += Strict.spent();
  return Proved;
}

bool Effects::Impl::overwritten(unsigned Root, const Box &What, const Polys &Given, Prover &P, Regions &R, Walk &W) {
  const Region Whole = R.ofBox(What);
  auto WrittenAt = [&](const Walk::State &At) {
    std::vector<const Region *> Written;
    for (const Region &X : At.Written)
      if (X.RootId == Root)
        Written.push_back(&X);
    return Written;
  };
  auto Covered = [&](const Walk::State &At) {
    if (P.exhausted())
      return false;
    const std::vector<const Region *> Written = WrittenAt(At);
    if (R.contains(Written, Whole.Index, At.Facts + Whole.Conditions, 5))
      return true;
    // [M * n] as rows of n, if it is written that way.
    const Box Rows = R.cut(What, Written, Given);
    if (Rows == What)
      return false;
    const Region Cut = R.ofBox(Rows);
    return R.contains(Written, Cut.Index, At.Facts + Cut.Conditions, 5);
  };
  auto OnRead = [&](const Step &L, const Walk::State &At) {
    if (L.RootId != Root)
      return true;
    if (L.Low) {
      Region T = R.range(Root, *L.Low, L.Count);
      const Polys Facts = At.Facts + T.Conditions + Whole.Conditions;
      const Poly D = T.Index - Whole.Index;
      if (neverZero(D, Facts, P) || R.contains(WrittenAt(At), T.Index, Facts + Polys{D, -D}))
        return true;
    }
    return Covered(At);
  };
  return W.run(Given, OnRead, [&](const Step &, const Walk::State &At) { return Covered(At); });
}

bool Effects::Impl::holdsAccess(const Site &S, const std::vector<const Region *> &What, const Polys &Facts,
                                Regions &R) const {
  const Step &L = *S.Leaf;
  Region T;
  if (L.Low) {
    T = R.range(L.RootId, *L.Low, L.Count);
  } else {
    const Root &Of = Tree.Roots[L.RootId];
    if (!Of.Count || !Normal.known(*Of.Count))
      return false;
    T = R.range(L.RootId, 0, *Of.Count);
  }
  return R.contains(What, T.Index, Facts + S.Conditions + T.Conditions);
}

bool Effects::Impl::inside(unsigned Root, const std::vector<Box> &Parts, bool Writes) {
  if (Root >= All.size() || Normal.TooLarge ||
      !std::all_of(Parts.begin(), Parts.end(), [&](const Box &B) { return knownBox(Normal, B); }))
    return false;
  Prover Strict(notNegative(Tree, {}), factsOf(Tree, Normal));
  Regions Of(Strict, Normal.Next);
  std::vector<Region> Regions;
  for (const Box &B : Parts)
    Regions.push_back(Of.ofBox(B));
  std::vector<const Region *> Each;
  for (const Region &Part : Regions)
    Each.push_back(&Part);
  // Mostly an access lies in one part, and the accesses come in the parts' order.
  std::size_t Last = 0;
  const bool In = std::all_of(Sites.begin(), Sites.end(), [&](const Site &S) {
    if (S.Leaf->RootId != Root || !(Writes ? S.Leaf->writes() : S.Leaf->reads()) || Strict.contradictory(S.Conditions))
      return true;
    Strict.begin(Work);
    for (std::size_t I = 0; I != Each.size(); ++I)
      if (const std::size_t Part = (Last + I) % Each.size(); holdsAccess(S, {Each[Part]}, {}, Of)) {
        Last = Part + 1;
        return true;
      }
    return Each.size() > 1 && holdsAccess(S, Each, {}, Of);
  });
  StrictWork += Strict.spent();
  return In && !Strict.exhausted();
}

Answer Effects::Impl::inside(unsigned Root, const Box &What, bool Reads, bool Writes, clang::SourceLocation *Witness) {
  if (Root >= All.size() || Normal.TooLarge || !knownBox(Normal, What))
    return Answer::Unknown;
  P.begin(Work);
  const Region Whole = R.ofBox(What);
  const Polys Given = sizesOf(What);
  Answer A = Answer::Yes;
  for (const Site &S : Sites) {
    if (S.Leaf->RootId != Root || !((Reads && S.Leaf->reads()) || (Writes && S.Leaf->writes())) ||
        holdsAccess(S, {&Whole}, Given, R))
      continue;
    A = Answer::Unknown;
    if (P.exhausted())
      return A;
    if (!leaves(S, What))
      continue;
    if (Witness)
      *Witness = S.Leaf->Loc;
    return Answer::No;
  }
  return A;
}

Effects::Effects(AccessTree &Tree) : I(std::make_unique<Impl>(Tree)) {
  // The maximum of a new pair may be the maximum of an existing symbol, and so on.
  for (unsigned Round = 0; Round != 3 && !I->Wanted.empty(); ++Round) {
    const std::size_t Before = Tree.Symbols.size();
    for (const BoxResult::Pair &Ends : std::vector(I->Wanted))
      Ends.Divisor ? Tree.quotient(Ends.A, Ends.Divisor) : Tree.extreme(Ends.A, Ends.B, Ends.Least);
    if (Tree.Symbols.size() == Before)
      break;
    I = std::make_unique<Impl>(Tree);
  }
}
Effects::~Effects() = default;
Effects::Effects(Effects &&) noexcept = default;

unsigned Effects::work() const { return I->P.spent() + I->Certain.spent() + I->StrictWork; }

const RootEffect &Effects::of(unsigned Root) const { return I->All[Root]; }

Answer Effects::overwrites(unsigned Root, const Box &What, clang::SourceLocation *Witness, bool *ReadIt) const {
  if (Root >= I->All.size() || I->Normal.TooLarge || !knownBox(I->Normal, What))
    return Answer::Unknown;
  I->P.begin(Impl::Work);
  if (I->overwritten(Root, What))
    return Answer::Yes;
  I->P.begin(Impl::Work);
  if (const Site *S = I->readBeforeWritten(Root, What)) {
    if (Witness)
      *Witness = S->Leaf->Loc;
    if (ReadIt)
      *ReadIt = true;
    return Answer::No;
  }
  if (!I->missed(Root, What))
    return Answer::Unknown;
  if (ReadIt)
    *ReadIt = false;
  if (Witness)
    *Witness = I->All[Root].Written ? I->All[Root].FirstWrite : I->Tree.Roots[Root].Loc;
  return Answer::No;
}

clang::SourceLocation Effects::writesIn(unsigned Root, const Box &What) const {
  if (Root >= I->All.size() || I->Normal.TooLarge || !knownBox(I->Normal, What))
    return {};
  I->P.begin(Impl::Work);
  for (const Site &S : I->Sites)
    if (S.Leaf->RootId == Root && S.Leaf->writes() && I->enters(S, What))
      return S.Leaf->Loc;
  return {};
}

clang::SourceLocation Effects::outside(unsigned Root, const std::vector<Box> &Parts, bool Writes,
                                       const std::function<bool(const Access &)> &Counts) const {
  if (Root >= I->All.size() || I->Normal.TooLarge ||
      !std::all_of(Parts.begin(), Parts.end(), [&](const Box &B) { return knownBox(I->Normal, B); }))
    return {};
  I->P.begin(Impl::Work);
  for (const Site &S : I->Sites)
    if (S.Leaf->RootId == Root && S.Leaf->writes() == Writes && I->outside(S, Parts) && (!Counts || Counts(*S.Leaf->A)))
      return S.Leaf->Loc;
  return {};
}

bool Effects::apart(const Box &A, const Box &B) const {
  if (I->Normal.TooLarge || !knownBox(I->Normal, A) || !knownBox(I->Normal, B))
    return false;
  I->P.begin(Impl::Work);
  return I->apart(A, B);
}

Answer Effects::inside(unsigned Root, const Box &What, clang::SourceLocation *Witness) const {
  return I->inside(Root, What, true, true, Witness);
}

bool Effects::inside(unsigned Root, const std::vector<Box> &Parts, bool Writes) const {
  return I->inside(Root, Parts, Writes);
}

Answer Effects::readsInside(unsigned Root, const Box &What, clang::SourceLocation *Witness) const {
  return I->inside(Root, What, true, false, Witness);
}

Answer Effects::writesInside(unsigned Root, const Box &What, clang::SourceLocation *Witness) const {
  return I->inside(Root, What, false, true, Witness);
}

} // namespace hsched::cc
