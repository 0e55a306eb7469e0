// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/regions/Normal.h"

#include <algorithm>

namespace hsched::cc::regions {

namespace {

constexpr unsigned MaxNodes = 20000; // Limit for the input tree and for the result.
constexpr unsigned MaxDepth = 500;
constexpr unsigned MaxNesting = 400000; // Limit for all leaves together: each is kept with its enclosing nodes.

// Counters of the tree to counters of this form.
using Scope = std::map<SymbolId, Poly>;
using Nodes = std::vector<const Node *>;

class Normalizer {
public:
  explicit Normalizer(const AccessTree &Tree) : Tree(Tree) {
    Out.FirstCounter = Out.Next = static_cast<SymbolId>(Tree.Symbols.size());
    for (const Symbol &S : Tree.Symbols)
      Out.Value.push_back(S.K == Symbol::Value);
  }

  NormalTree run() {
    if (measure(Tree.Body, 0) > MaxNodes)
      Out.TooLarge = true;
    if (!Out.TooLarge)
      Out.Body = sequence({&Tree.Body}, {}, false, 0);
    if (Out.TooLarge)
      Out.Body = Step();
    Out.Steps = LastId + 1;
    return std::move(Out);
  }

private:
  const AccessTree &Tree;
  NormalTree Out;
  unsigned LastId = 0, Nesting = 0;

  struct Facts {
    bool Always = false; // Always ends the call or the work-item.
    bool May = false;
  };
  std::map<const Node *, Facts> Stopping;

  unsigned measure(const Node &N, unsigned Depth) {
    if (Depth > MaxDepth)
      return MaxNodes + 1;
    unsigned Size = 1;
    Facts F;
    if (N.K == Node::Stop)
      F.Always = F.May = true;
    for (const Node &C : N.Children) {
      Size = std::min(MaxNodes + 1, Size + measure(C, Depth + 1));
      F.May |= Stopping[&C].May;
      F.Always |= N.K == Node::Seq && Stopping[&C].Always;
    }
    if (N.K == Node::If && N.Given)
      F.Always = Stopping[&N.Children[0]].Always;
    else if (N.K == Node::If)
      F.Always = N.Children.size() >= 2 && Stopping[&N.Children[0]].Always && Stopping[&N.Children[1]].Always;
    if (N.K == Node::Loop && N.Parallel)
      F.May = false;
    Stopping[&N] = F;
    return Size;
  }

  // P in counters of this form. Nothing: some symbol is unknown.
  std::optional<Poly> translated(const Poly &P, const Scope &S) const {
    Poly R = P;
    for (SymbolId Id : P.symbols()) {
      if (Id >= Tree.Symbols.size() || Tree.Symbols[Id].K == Symbol::Unknown)
        return std::nullopt;
      if (Tree.Symbols[Id].K == Symbol::Value)
        continue;
      auto It = S.find(Id);
      if (It == S.end())
        return std::nullopt;
      R = R.substituted(Id, It->second); // The result contains only symbols of this form, so none is replaced twice.
    }
    return R.valid() ? std::optional(R) : std::nullopt;
  }

  Step make(Node::Kind K, clang::SourceLocation Loc) {
    Step S;
    S.K = K;
    S.Id = ++LastId;
    S.Loc = Loc;
    if (LastId > 4 * MaxNodes)
      Out.TooLarge = true;
    return S;
  }

  Step sequence(Nodes List, const Scope &S, bool Parallel, unsigned Depth) {
    Step Seq = make(Node::Seq, {});
    for (std::size_t I = 0; I != List.size() && !Out.TooLarge; ++I) {
      const Node &N = *List[I];
      auto Rest = [&] { return Nodes(List.begin() + static_cast<std::ptrdiff_t>(I) + 1, List.end()); };
      switch (N.K) {
      case Node::Seq: {
        Nodes Flat;
        for (const Node &C : N.Children)
          Flat.push_back(&C);
        Flat.insert(Flat.end(), List.begin() + static_cast<std::ptrdiff_t>(I) + 1, List.end());
        List = std::move(Flat);
        I = static_cast<std::size_t>(-1);
        break;
      }
      case Node::Leaf:
        leaf(N, S, Seq);
        if ((Nesting += Depth + 1) > MaxNesting)
          Out.TooLarge = true;
        break;
      case Node::Stop: {
        Step Stop = make(Node::Stop, N.Loc);
        Stop.Throws = N.Throws;
        Stop.Stops = true;
        Seq.Children.push_back(std::move(Stop));
        Seq.Stops = true;
        return Seq;
      }
      case Node::Loop:
        loop(N, S, Parallel, Depth, Seq);
        break;
      case Node::If:
        if (branch(N, Rest(), S, Parallel, Depth, Seq))
          return Seq;
        break;
      }
    }
    return Seq;
  }

  void append(Step &Seq, Step Child) {
    Seq.Stops |= Child.Stops;
    Seq.Children.push_back(std::move(Child));
  }

  void leaf(const Node &N, const Scope &S, Step &Seq) {
    const Access &A = N.A;
    Step L = make(Node::Leaf, A.Loc);
    L.A = &A;
    L.RootId = A.RootId;
    L.Kind = A.K;
    L.Sure = !A.Maybe && !A.Guess;
    L.Whole = !A.Partial;
    const std::optional<Poly> Low = A.Low ? translated(*A.Low, S) : std::nullopt, Count = translated(A.Count, S);
    if (Low && Count) {
      L.Low = Low, L.Count = *Count;
      if (auto C = Count->constant(); C && *C <= 0)
        return;
    }
    if (A.Byte)
      if (auto Byte = translated(*A.Byte, S), Bytes = translated(A.Bytes, S); Byte && Bytes)
        L.Byte = Byte, L.Bytes = *Bytes;
    append(Seq, std::move(L));
  }

  void loop(const Node &N, const Scope &S, bool Parallel, unsigned Depth, Step &Seq) {
    Step L = make(Node::Loop, N.Loc);
    L.Parallel = N.Parallel;
    L.Breaks = N.Breaks;
    const SymbolId C = L.Counter = Out.Next++;
    const std::optional<Poly> Low = N.Low ? translated(*N.Low, S) : std::nullopt;
    const std::optional<Poly> High = N.High ? translated(*N.High, S) : std::nullopt;
    const Poly Counter = Poly::symbol(C);
    Scope Inner = S;
    Inner.erase(N.Counter);
    // A counter without bounds is unknown but stays a symbol, because conditions may bound it.
    Inner[N.Counter] = Counter;
    if (Low && High && N.Step > 0) {
      const Poly Span = *High - *Low - 1; // The greatest distance from Low.
      L.Bounded = true;
      if (auto Constant = Span.constant(); Constant && *Constant < 0)
        return;
      sizesOf(*Low, *High);
      if (N.Step == 1) {
        L.Range = {Counter - *Low, *High - 1 - Counter};
        L.First = *Low, L.Last = *High - 1;
      } else {
        const auto [Q, R] = dividedWithRest(Span, N.Step);
        L.Range = {Counter, R.constant() ? Q - Counter : Span - Counter * Poly(N.Step)};
        if (R.constant())
          L.Last = Q;
        Inner[N.Counter] = *Low + Counter * Poly(N.Step);
      }
      for (const Poly &P : L.Range)
        L.Bounded &= P.valid();
    }
    std::vector<const Node *> Body;
    for (const Node &Child : N.Children)
      Body.push_back(&Child);
    L.Children.push_back(sequence(Body, Inner, Parallel || N.Parallel, Depth + 1));
    L.Stops = L.Children[0].Stops && !N.Parallel;
    append(Seq, std::move(L));
  }

  void sizesOf(const Poly &Low, const Poly &High) {
    const Poly Length = High - Low;
    const Poly::Monomial *Only = nullptr;
    for (const auto &[M, C] : Length.terms()) {
      if (M.empty())
        continue;
      if (Only || C < 0)
        return;
      Only = &M;
    }
    if (Only && std::none_of(Only->begin(), Only->end(), [&](SymbolId S) { return Out.isCounter(S); }))
      Out.Sizes.insert(Only->begin(), Only->end());
  }

  // True if the rest was moved into the branches.
  bool branch(const Node &N, const Nodes &Rest, const Scope &S, bool Parallel, unsigned Depth, Step &Seq) {
    static const Node Nothing;
    Step If = make(Node::If, N.Loc);
    If.Exact = N.Exact;
    If.Given = N.Given;
    If.Assumed = N.Assumed;
    If.Number = N.Number;
    bool Never = false;
    for (const Poly &P : N.When) {
      const std::optional<Poly> W = translated(P, S);
      if (N.Assumed)
        If.When.push_back(W.value_or(Poly::invalid()));
      else if (!W)
        If.Exact = false;
      else if (auto C = W->constant())
        Never |= *C < 0;
      else
        If.When.push_back(*W);
    }
    const Node &First = N.Children.empty() ? Nothing : N.Children[0];
    const Node &Second = N.Children.size() < 2 ? Nothing : N.Children[1];
    const bool Always = !Never && (If.Exact || If.Given) && If.When.empty();
    if (Never || Always) {
      Nodes List{Never ? &Second : &First};
      List.insert(List.end(), Rest.begin(), Rest.end());
      append(Seq, sequence(std::move(List), S, Parallel, Depth + 1));
      return true;
    }
    const bool FirstStops = Stopping[&First].Always, SecondStops = Stopping[&Second].Always;
    // Inside a work-item, stopped items do not run the rest, and the others must stay distinguished, so the rest is
    // copied if needed.
    const bool Move = !Rest.empty() && Depth < MaxDepth / 2 &&
                      (FirstStops || SecondStops ||
                       (Parallel && (Stopping[&First].May || Stopping[&Second].May) && LastId < MaxNodes));
    auto Child = [&](const Node &C, bool Stops) {
      Nodes List{&C};
      if (Move && !Stops)
        List.insert(List.end(), Rest.begin(), Rest.end());
      If.Children.push_back(sequence(std::move(List), S, Parallel, Depth + 1));
      If.Stops |= If.Children.back().Stops;
    };
    Child(First, FirstStops);
    Child(Second, SecondStops);
    append(Seq, std::move(If));
    return Move;
  }
};

} // namespace

Polys conditionsOf(const Step &If, unsigned Branch) {
  if (Branch == 0) {
    Polys All = If.When;
    std::erase_if(All, [](const Poly &P) { return !P.valid(); }); // The assumption is unknown.
    return All;
  }
  if (If.Exact && If.When.size() == 1)
    return {negation(If.When[0])};
  return {};
}

bool NormalTree::hasCounters(const Poly &P) const {
  const std::set<SymbolId> All = P.symbols();
  return std::any_of(All.begin(), All.end(), [&](SymbolId S) { return isCounter(S); });
}

bool NormalTree::known(const Poly &P) const {
  const std::set<SymbolId> All = P.symbols();
  return P.valid() && std::all_of(All.begin(), All.end(), [&](SymbolId S) { return S < Value.size() && Value[S]; });
}

NormalTree normalize(const AccessTree &Tree) { return Normalizer(Tree).run(); }

} // namespace hsched::cc::regions
