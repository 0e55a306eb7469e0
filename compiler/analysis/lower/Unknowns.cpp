// Symbols whose values are known within bounds only, or only if a number does not wrap.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {

// A symbol with a bounded unknown value becomes the counter of a loop around all nodes that mention it, with possible
// accesses.
void Lowerer::wrapRanges(Node &N) {
  const auto Mentions = [](const Node &At, SymbolId S) {
    const auto Here = [S](const std::optional<Poly> &P) { return P && P->mentions(S); };
    if (Here(At.Low) || Here(At.High) || (At.K == Node::Leaf && (Here(At.A.Low) || At.A.Count.mentions(S))))
      return true;
    return std::any_of(At.When.begin(), At.When.end(), [S](const Poly &P) { return P.mentions(S); });
  };
  std::function<bool(const Node &, SymbolId)> Within = [&](const Node &At, SymbolId S) {
    return Mentions(At, S) ||
           std::any_of(At.Children.begin(), At.Children.end(), [&](const Node &C) { return Within(C, S); });
  };
  std::function<void(Node &, SymbolId)> Wrap = [&](Node &At, SymbolId S) {
    if (At.K == Node::Seq) {
      // From the first child that mentions it to behind the last one.
      std::size_t From = At.Children.size(), To = 0;
      for (std::size_t I = 0; I != At.Children.size(); ++I)
        if (Within(At.Children[I], S)) {
          From = std::min(From, I);
          To = I + 1;
        }
      if (To == 0)
        return;
      if (From + 1 == To && !Mentions(At.Children[From], S)) {
        Wrap(At.Children[From], S);
        return;
      }
      Node Inner, First, If, Body, Loop;
      for (std::size_t I = From; I != To; ++I)
        Inner.Children.push_back(std::move(At.Children[I]));
      if (!SymbolTable[S].Ranged) { // A number that is right if an unsigned one does not wrap.
        Inner.Loc = Inner.Children[0].Loc;
        Inner = assuming(SymbolTable[S].Meets, std::move(Inner));
        Inner.Number = S;
        At.Children.erase(At.Children.begin() + std::ptrdiff_t(From), At.Children.begin() + std::ptrdiff_t(To));
        At.Children.insert(At.Children.begin() + std::ptrdiff_t(From), std::move(Inner));
        return;
      }
      If.K = First.K = Node::If;
      if (SymbolTable[S].OrLow) {
        First.Children.push_back(Inner);
        copyLeafBytes(First);
        substitute(First, S, SymbolTable[S].Low);
      }
      If.Children.push_back(std::move(Inner));
      Body.Children.push_back(std::move(If));
      Loop.K = Node::Loop;
      Loop.Counter = S;
      Loop.Low = SymbolTable[S].Low;
      Loop.High = SymbolTable[S].High;
      Loop.Loc = Body.Children[0].Children[0].Children[0].Loc;
      Loop.Children.push_back(std::move(Body));
      Loop = assuming(SymbolTable[S].Meets, std::move(Loop));
      Tree.Symbols[S].K = Symbol::Loop;
      At.Children.erase(At.Children.begin() + std::ptrdiff_t(From), At.Children.begin() + std::ptrdiff_t(To));
      At.Children.insert(At.Children.begin() + std::ptrdiff_t(From), std::move(Loop));
      if (!First.Children.empty())
        At.Children.insert(At.Children.begin() + std::ptrdiff_t(From), std::move(First));
      return;
    }
    // Both children of an If mention it, but only one of them runs.
    for (Node &C : At.Children)
      Wrap(C, S);
  };
  std::set<SymbolId> Used; // A quick check, because there may be many.
  std::function<void(const Node &)> Collect = [&](const Node &At) {
    const auto Note = [&](const Poly &P) {
      for (SymbolId S : P.symbols())
        Used.insert(S);
    };
    for (const std::optional<Poly> *P : {&At.Low, &At.High, &At.A.Low})
      if (*P)
        Note(**P);
    Note(At.A.Count);
    for (const Poly &P : At.When)
      Note(P);
    for (const Node &C : At.Children)
      Collect(C);
  };
  Collect(N);
  for (std::size_t S = 0; S != SymbolTable.size(); ++S)
    if (Used.count(SymbolId(S)) && SymbolTable[S].Ranged)
      for (const Poly *P : {&SymbolTable[S].Low, &SymbolTable[S].High})
        for (SymbolId In : P->symbols())
          Used.insert(In);
  // Bounds of later ones may mention earlier ones.
  for (std::size_t S = SymbolTable.size(); S-- != 0;)
    if (SymbolTable[S].Ranged && Used.count(SymbolId(S)) && Within(N, SymbolId(S))) {
      SymbolFacts &F = SymbolTable[S];
      for (Poly *P : {&F.Low, &F.High})
        for (SymbolId In : P->symbols())
          if (Tree.Symbols[In].K == Symbol::Unknown && !SymbolTable[In].Ranged)
            *P = Poly::invalid();
      if (!F.Low.valid() || !F.High.valid()) {
        F.Ranged = false;
        continue;
      }
      Wrap(N, SymbolId(S));
    } else if (SymbolTable[S].Meets && !SymbolTable[S].Ranged && Used.count(SymbolId(S)) && Within(N, SymbolId(S))) {
      Wrap(N, SymbolId(S));
    }
  clean(N);
}

} // namespace hsched::cc
