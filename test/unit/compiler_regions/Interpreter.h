// Runs access trees, element by element, for given values of the parameters. Where the tree leaves a choice, it is made
// at random.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_REGIONS_INTERPRETER_H
#define HSCHED_TEST_REGIONS_INTERPRETER_H

#include "model/AccessTree.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <ostream>
#include <random>
#include <set>

namespace hsched::cc::test {

using Values = std::map<SymbolId, std::int64_t>;

inline std::int64_t valueOf(const Poly &P, const Values &V) {
  std::int64_t Sum = 0;
  for (const auto &[M, C] : P.terms()) {
    std::int64_t Product = C;
    for (SymbolId S : M)
      Product *= V.at(S);
    Sum += Product;
  }
  return Sum;
}

// With the values of symbols that are the greatest or the least of others.
inline Values completed(const AccessTree &T, Values V) {
  for (SymbolId S = 0; S != T.Symbols.size(); ++S) {
    for (const Poly &P : T.Symbols[S].Greatest)
      V[S] = &P == &T.Symbols[S].Greatest[0] ? valueOf(P, V) : std::max(V[S], valueOf(P, V));
    for (const Poly &P : T.Symbols[S].Least)
      V[S] = &P == &T.Symbols[S].Least[0] ? valueOf(P, V) : std::min(V[S], valueOf(P, V));
    if (T.Symbols[S].Divisor != 0)
      V[S] = valueOf(T.Symbols[S].Dividend, V) / T.Symbols[S].Divisor;
  }
  return V;
}

inline std::set<std::int64_t> elementsOf(const Box &B, const Values &V) {
  std::set<std::int64_t> All{valueOf(B.Base, V)};
  for (const Box::Dim &D : B.Dims) {
    std::set<std::int64_t> Next;
    const std::int64_t Stride = valueOf(D.Stride, V);
    std::int64_t Count = valueOf(D.Count, V);
    if (D.Factored && D.Count.terms().size() == 1)
      for (SymbolId S : D.Count.symbols())
        Count = V.at(S) > 0 ? Count : 0;
    for (std::int64_t K = 0; K < Count; ++K)
      for (std::int64_t E : All)
        Next.insert(E + K * Stride);
    All = std::move(Next);
  }
  return All;
}

struct Event {
  unsigned Root;
  bool Write, Partial;
  std::int64_t Element;
};
using Events = std::vector<Event>;

class Interpreter {
public:
  enum Outcome { Done, Stopped, Threw };
  // Bias: how a choice falls, in 64ths; 0 and 64 are never and always.
  Interpreter(const AccessTree &T, Values V, unsigned Seed, unsigned Bias)
      : T(T), V(std::move(V)), Random(Seed), Bias(Bias), Steady(Seed % 2 == 0) {}

  Events Seen;
  Outcome run() { return step(T.Body, Seen); }

private:
  const AccessTree &T;
  Values V;
  std::mt19937 Random;
  unsigned Bias;
  bool Steady; // What is unknown is the same throughout; else another each time.
  std::set<SymbolId> Drawn;

  bool choice() { return Random() % 64 < Bias; }
  std::int64_t value(const Poly &P) {
    for (SymbolId S : P.symbols())
      if (T.Symbols[S].K == Symbol::Unknown && (!Steady || Drawn.insert(S).second))
        V[S] = static_cast<std::int64_t>(Random() % 12) - 3;
    return valueOf(P, V);
  }

  Outcome step(const Node &N, Events &Out) {
    switch (N.K) {
    case Node::Seq:
      for (const Node &C : N.Children)
        if (Outcome O = step(C, Out))
          return O;
      return Done;
    case Node::Leaf:
      leaf(N.A, Out);
      return Done;
    case Node::Stop:
      return N.Throws ? Threw : Stopped;
    case Node::If: {
      bool Holds = true;
      for (const Poly &W : N.When)
        Holds &= value(W) >= 0;
      const std::size_t Child = Holds && (N.Exact || choice()) ? 0 : 1;
      return Child < N.Children.size() ? step(N.Children[Child], Out) : Done;
    }
    case Node::Loop:
      return N.Parallel ? workItems(N, Out) : loop(N, Out);
    }
    return Done;
  }

  std::vector<std::int64_t> iterations(const Node &N) {
    std::vector<std::int64_t> All;
    if (N.Low && N.High) {
      const std::int64_t High = value(*N.High);
      for (std::int64_t I = value(*N.Low); I < High; I += N.Step)
        All.push_back(I);
    } else {
      for (unsigned K = Random() % 4; K != 0; --K)
        All.push_back(static_cast<std::int64_t>(Random() % 12) - 3);
    }
    return All;
  }

  Outcome loop(const Node &N, Events &Out) {
    for (std::int64_t I : iterations(N)) {
      V[N.Counter] = I;
      Events Body;
      Outcome O = Done;
      for (const Node &C : N.Children)
        if ((O = step(C, Body)))
          break;
      const bool Ends = N.Breaks && choice();
      if (Ends)
        Body.resize(Random() % (Body.size() + 1)), O = Done;
      Out.insert(Out.end(), Body.begin(), Body.end());
      if (O || Ends)
        return O;
    }
    return Done;
  }

  // Each work-item in its own order, and they in any.
  Outcome workItems(const Node &N, Events &Out) {
    std::vector<Events> Items;
    for (std::int64_t I : iterations(N)) {
      V[N.Counter] = I;
      Events Body;
      for (const Node &C : N.Children)
        if (step(C, Body))
          break;
      if (!Body.empty())
        Items.push_back(std::move(Body));
    }
    std::shuffle(Items.begin(), Items.end(), Random);
    const bool Mixed = Random() % 2;
    std::vector<std::size_t> At(Items.size());
    while (!Items.empty()) {
      const std::size_t K = Mixed ? Random() % Items.size() : 0;
      Out.push_back(Items[K][At[K]++]);
      if (At[K] == Items[K].size()) {
        Items.erase(Items.begin() + static_cast<std::ptrdiff_t>(K));
        At.erase(At.begin() + static_cast<std::ptrdiff_t>(K));
      }
    }
    return Done;
  }

  void leaf(const Access &A, Events &Out) {
    if ((A.Maybe || A.Guess) && !choice())
      return;
    auto Touch = [&](std::int64_t E) {
      if (A.K != AccessKind::Write)
        Out.push_back({A.RootId, false, A.Partial, E});
      if (A.K != AccessKind::Read)
        Out.push_back({A.RootId, true, A.Partial, E});
    };
    const Root &R = T.Roots[A.RootId];
    if (A.Low) {
      const std::int64_t Low = value(*A.Low), Count = value(A.Count);
      for (std::int64_t K = 0; K < Count; ++K)
        Touch(Low + K);
      return;
    }
    const std::int64_t Count = R.Count ? value(*R.Count) : 8;
    for (std::int64_t E = R.Count ? 0 : -2; E < Count; ++E)
      if (choice())
        Touch(E);
  }
};

inline void print(std::ostream &OS, const AccessTree &T, const Node &N, unsigned Indent = 0) {
  const std::string Space(Indent, ' ');
  auto Of = [&](const std::optional<Poly> &P) { return P ? T.spelling(*P) : std::string("?"); };
  switch (N.K) {
  case Node::Seq:
    for (const Node &C : N.Children)
      print(OS, T, C, Indent);
    return;
  case Node::Loop:
    OS << Space << (N.Parallel ? "parallel " : "loop ") << T.Symbols[N.Counter].Spelling << " in [" << Of(N.Low) << ", "
       << Of(N.High) << ") step " << N.Step << (N.Breaks ? " breaks" : "") << '\n';
    break;
  case Node::If:
    OS << Space << (N.Exact ? "if" : "perhaps if");
    for (const Poly &W : N.When)
      OS << " (" << T.spelling(W) << " >= 0)";
    OS << '\n';
    break;
  case Node::Leaf:
    OS << Space << (N.A.Maybe ? "maybe " : "") << (N.A.Partial ? "partly " : "")
       << (N.A.K == AccessKind::Read    ? "read "
           : N.A.K == AccessKind::Write ? "write "
                                        : "update ")
       << T.Roots[N.A.RootId].Name << " [" << Of(N.A.Low) << ", + " << T.spelling(N.A.Count) << ")\n";
    return;
  case Node::Stop:
    OS << Space << (N.Throws ? "throw\n" : "stop\n");
    return;
  }
  for (std::size_t I = 0; I != N.Children.size(); ++I) {
    if (I)
      OS << Space << "else\n";
    print(OS, T, N.Children[I], Indent + 2);
  }
}

} // namespace hsched::cc::test
#endif
