// Substitution of symbols in values and in the tree, when a loop is solved or has ended.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

using namespace clang;

namespace hsched::cc {

// Removes symbols of a loop that has ended.
void Lowerer::outdate(Value &V, std::size_t Watermark, std::size_t End) {
  const auto Old = [&](const Poly &P) {
    for (SymbolId S : P.symbols())
      if (S >= Watermark && S < End && Tree.Symbols[S].K != Symbol::Value)
        return true;
    return false;
  };
  if (V.Int && Old(*V.Int))
    V.Int.reset();
  for (std::vector<Poly> *List : {&V.Min, &V.Max})
    for (const Poly &P : *List)
      if (Old(P)) {
        List->clear();
        break;
      }
  const std::vector<Place> To = std::move(V.To);
  V.To.clear();
  for (Place P : To) {
    if (P.Memory && Old(P.Offset)) {
      P.Offset = Poly::invalid();
      if (P.Why.empty())
        P.Why = "a pointer changes from one iteration to the next in no regular way";
    }
    V.add(std::move(P));
  }
  for (Field &F : V.Fields)
    outdate(F.What, Watermark, End);
}

// True if it contains symbols from Watermark on.
bool Lowerer::mentionsFrom(const Value &V, std::size_t Watermark) {
  const auto In = [Watermark](const Poly &P) { return P.mentionsFrom(SymbolId(Watermark)); };
  return (V.Int && In(*V.Int)) || std::any_of(V.Min.begin(), V.Min.end(), In) ||
         std::any_of(V.Max.begin(), V.Max.end(), In) ||
         std::any_of(V.To.begin(), V.To.end(), [&](const Place &P) { return P.Memory && In(P.Offset); }) ||
         std::any_of(V.Fields.begin(), V.Fields.end(), [&](const Field &F) { return mentionsFrom(F.What, Watermark); });
}

void Lowerer::substitute(Value &V, SymbolId S, const Poly &By) {
  if (V.Int)
    V.Int = V.Int->substituted(S, By);
  if (V.Int && !V.Int->valid())
    V.Int.reset();
  for (std::vector<Poly> *List : {&V.Min, &V.Max})
    for (Poly &P : *List)
      P = P.substituted(S, By);
  for (Place &P : V.To)
    if (P.Memory)
      P.Offset = P.Offset.substituted(S, By);
  for (Field &F : V.Fields)
    substitute(F.What, S, By);
}

void Lowerer::substitute(Node &N, SymbolId S, const Poly &By) {
  const auto In = [&](Poly &P) {
    if (P.mentions(S))
      P = P.substituted(S, By);
  };
  for (std::optional<Poly> *P : {&N.Low, &N.High, &N.A.Low, &N.A.Byte})
    if (*P)
      In(**P);
  In(N.A.Bytes);
  for (Poly &P : N.When)
    In(P);
  if (N.K == Node::Leaf) {
    In(N.A.Count);
    Bytes &B = LeafBytes[N.Counter];
    In(B.Offset);
    In(B.Count);
  }
  for (Node &C : N.Children)
    substitute(C, S, By);
}

void Lowerer::copyLeafBytes(Node &N) {
  if (N.K == Node::Leaf) {
    spend();
    LeafBytes.push_back(LeafBytes[N.Counter]);
    N.Counter = unsigned(LeafBytes.size() - 1);
  }
  for (Node &C : N.Children)
    copyLeafBytes(C);
}

void Lowerer::replaceAll(Pass &P, SymbolId S, const Poly &By, std::size_t Watermark) {
  substitute(P.Body, S, By);
  substitute(P.Test, S, By);
  P.Exit.Objects.change([&](unsigned, const Value &V) { return mentionsFrom(V, Watermark); },
                        [&](unsigned, Value &V) { substitute(V, S, By); });
  for (std::size_t I = Watermark; I != SymbolTable.size(); ++I)
    replaceBounds(I, S, By);
}

// In the facts about symbol Of.
void Lowerer::replaceBounds(std::size_t Of, SymbolId S, const Poly &By) {
  for (Poly *P : {&SymbolTable[Of].Low, &SymbolTable[Of].High})
    if (P->mentions(S))
      *P = P->substituted(S, By);
  if (std::optional<Poly> &Meets = SymbolTable[Of].Meets; Meets && Meets->mentions(S))
    Meets = Meets->substituted(S, By);
}

bool Lowerer::mentions(const Node &N, SymbolId S) const {
  const auto In = [S](const Poly &P) { return P.mentions(S); };
  return (N.Low && In(*N.Low)) || (N.High && In(*N.High)) || std::any_of(N.When.begin(), N.When.end(), In) ||
         (N.K == Node::Leaf && (In(LeafBytes[N.Counter].Offset) || In(LeafBytes[N.Counter].Count))) ||
         std::any_of(N.Children.begin(), N.Children.end(), [&](const Node &C) { return mentions(C, S); });
}

} // namespace hsched::cc
