// Recursive functions: the parts of memory behind their parameters that they access.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {

namespace {

using Term = std::function<std::optional<SymbolId>(SymbolId)>;

std::optional<Poly> renamed(const Poly &P, const Term &To) {
  Poly All = 0;
  for (const auto &[Monomial, C] : P.terms()) {
    Poly::Monomial Numbers;
    for (const SymbolId S : Monomial) {
      const std::optional<SymbolId> T = To(S);
      if (!T)
        return std::nullopt;
      Numbers.push_back(*T);
    }
    std::sort(Numbers.begin(), Numbers.end());
    All = All + Poly::term(Numbers, C);
  }
  return All;
}

std::optional<Box> renamed(const Box &B, const Term &To) {
  Box Out;
  const std::optional<Poly> Base = renamed(B.Base, To);
  if (!Base)
    return std::nullopt;
  Out.Base = *Base;
  for (const Box::Dim &D : B.Dims) {
    const std::optional<Poly> Count = renamed(D.Count, To), Stride = renamed(D.Stride, To);
    if (!Count || !Stride)
      return std::nullopt;
    Out.Dims.push_back({*Count, *Stride});
  }
  return Out;
}

bool isParameter(const AccessTree &T, SymbolId S, const ParmVarDecl &P) {
  return T.Symbols[S].K == Symbol::Value && T.Symbols[S].From < 0 && P.getType()->isIntegerType() &&
         P.getName() == T.Symbols[S].Spelling;
}

// From a symbol of Def's tree to the number of a parameter.
Term toNumbers(const AccessTree &T, const FunctionDecl &Def) {
  return [&](SymbolId S) -> std::optional<SymbolId> {
    for (unsigned I = 0; I != Def.getNumParams(); ++I)
      if (isParameter(T, S, *Def.getParamDecl(I)))
        return I;
    return std::nullopt;
  };
}

// From the number of a parameter to its symbol in Def's tree.
Term toSymbols(const AccessTree &T, const FunctionDecl &Def) {
  return [&](SymbolId I) -> std::optional<SymbolId> {
    for (SymbolId S = 0; S != T.Symbols.size(); ++S)
      if (isParameter(T, S, *Def.getParamDecl(I)))
        return S;
    return std::nullopt;
  };
}

} // namespace

// The ranges of Def's tree, for the parameters of Found whose ranges are not Unknown.
Lowerer::Ranges Lowerer::rangesOf(const FunctionDecl &Def, AccessTree &T, Ranges Found) {
  const std::vector<Lowering::Boxes> Boxes = All.Of.BoxesOf(T);
  for (std::size_t Id = 0; Id != Boxes.size(); ++Id) {
    const Root &R = T.Roots[Id];
    const auto It = R.K == Root::Param ? Found.find(int(R.Index)) : Found.end();
    if (It == Found.end() || It->second.Unknown)
      continue;
    Summary::Range &To = It->second;
    To.ElementBytes = R.ElementBytes;
    To.All.clear();
    for (const Lowering::Boxes::Part &P : Boxes[Id].All) {
      std::optional<Box> Of = renamed(P.What, toNumbers(T, Def));
      To.Unknown |= !Of;
      if (Of)
        To.All.push_back({std::move(*Of), P.K});
    }
    To.Unknown |= !Boxes[Id].Known || !R.ElementBytes;
  }
  return Found;
}

// Proof by equality: assumed for the recursive calls, exactly the ranges must follow for Def itself. False: some are
// Unknown, and First has the ranges without recursive calls.
bool Lowerer::settleRanges(const FunctionDecl &Def, Ranges Now, Ranges &First) {
  constexpr unsigned Rounds = 6, Free = 3; // In the first rounds the assumption may grow.
  for (unsigned Round = 0; Round != Rounds; ++Round) {
    All.Summaries[&Def].Ranges = Now;
    Lowerer Inner(Context, All);
    Inner.Budget = Budget;
    Inner.EscapeReturned = true;
    AccessTree T = Inner.function(Def, {});
    Budget = Inner.Budget;
    if (Inner.Exhausted)
      break;
    Ranges Next = rangesOf(Def, T, Now);
    if (Round == 0)
      First = Next;
    bool Same = true;
    for (auto &[Param, R] : Next) {
      const bool As = R == Now[Param];
      Same &= As;
      R.Unknown |= !As && Round >= Free;
    }
    if (Same)
      return std::none_of(Now.begin(), Now.end(), [](const auto &R) { return R.second.Unknown; });
    Now = std::move(Next);
  }
  All.Summaries[&Def].Ranges.clear();
  return false;
}

// Proof by inclusion: assumed for the recursive calls, each access of Def must lie in the ranges. A range that is not
// proved becomes Unknown, which may change the others, so that they are tried again. Sizes: numbers in counts are
// assumed not to be negative, for which each recursive call is checked too.
bool Lowerer::proveRanges(const FunctionDecl &Def, Ranges Now, bool Sizes) {
  std::set<unsigned> Assumed;
  for (const auto &[Param, R] : Now)
    for (const Lowering::Boxes::Part &P : R.All)
      for (const Box::Dim &D : P.What.Dims)
        for (const SymbolId I : D.Count.symbols())
          if (Sizes && !R.Unknown && Def.getParamDecl(I)->getType()->isSignedIntegerType())
            Assumed.insert(I);
  if (Sizes && Assumed.empty())
    return false;
  for (;;) {
    Summary &Of = All.Summaries[&Def];
    Of.Ranges = Now;
    Of.Assumed = Assumed;
    Lowerer Inner(Context, All);
    Inner.Budget = Budget;
    Inner.EscapeReturned = true;
    AccessTree T = Inner.function(Def, {});
    Budget = Inner.Budget;
    All.Summaries[&Def].Assumed.clear();
    const Term Symbols = toSymbols(T, Def);
    std::vector<Poly> Facts;
    for (const unsigned I : Assumed)
      if (const std::optional<SymbolId> S = Symbols(I))
        Facts.push_back(Poly::symbol(*S));
    bool Lost = false, Some = false;
    for (auto &[Param, R] : Now) {
      if (R.Unknown)
        continue;
      std::vector<Lowering::Boxes::Part> Parts;
      for (const Lowering::Boxes::Part &P : R.All) {
        std::optional<Box> Of = renamed(P.What, Symbols);
        R.Unknown |= !Of;
        if (Of)
          Parts.push_back({std::move(*Of), P.K});
      }
      for (unsigned Id = 0; Id != T.Roots.size() && !R.Unknown; ++Id)
        if (const Root &Of = T.Roots[Id]; Of.K == Root::Param && int(Of.Index) == Param)
          R.Unknown = Inner.Exhausted || Of.ElementBytes != R.ElementBytes || !All.Of.Inside(T, Id, Parts, Facts);
      Lost |= R.Unknown;
      Some |= !R.Unknown;
    }
    if (!Some) {
      All.Summaries[&Def].Ranges.clear();
      return false;
    }
    if (!Lost)
      return std::none_of(Now.begin(), Now.end(), [](const auto &R) { return R.second.Unknown; });
  }
}

// The parts of memory behind its parameters that Def accesses, as ranges over its numbers. Proved by induction. Without
// a recursive call they follow directly.
void Lowerer::findRanges(const FunctionDecl &Def) {
  if (!All.Of.BoxesOf || Exhausted || Def.isVariadic())
    return;
  Ranges Now;
  for (const auto &[What, Use] : All.Summaries[&Def].Touched)
    if (!What.Variable && What.Param >= 0 && unsigned(What.Param) < Def.getNumParams()) {
      const QualType T = Def.getParamDecl(unsigned(What.Param))->getType();
      Now[What.Param].Unknown |= What.Deep || !T->isPointerType();
    }
  Ranges First;
  if (settleRanges(Def, Now, First))
    return;
  const Ranges Settled = All.Summaries[&Def].Ranges;
  const auto Proved = [](const Ranges &All) {
    return std::count_if(All.begin(), All.end(), [](const auto &R) { return !R.second.Unknown; });
  };
  Ranges Best = Settled;
  const auto Try = [&](const Ranges &Guess) {
    for (const bool Sizes : {false, true}) {
      const bool Whole = proveRanges(Def, Guess, Sizes);
      if (Proved(All.Summaries[&Def].Ranges) > Proved(Best))
        Best = All.Summaries[&Def].Ranges;
      if (Whole)
        return true;
    }
    return false;
  };
  // The ranges without recursion. Then single elements as arrays whose length is one of the numbers.
  bool Done = Proved(First) != 0 && Try(First);
  for (unsigned I = 0; I != Def.getNumParams() && !Done && Proved(First) > Proved(Best); ++I) {
    if (!Def.getParamDecl(I)->getType()->isIntegerType())
      continue;
    Ranges Guess = First;
    bool Any = false;
    for (auto &[Param, R] : Guess)
      for (Lowering::Boxes::Part &P : R.All)
        if (const auto B = Best.find(Param); B == Best.end() || B->second.Unknown) {
          if (P.What.Dims.empty())
            P.What.Dims.push_back({1, 1});
          if (P.What.Dims.size() == 1 && P.What.Dims[0].Count.constant()) {
            P.What.Dims[0].Count = Poly::symbol(I);
            Any = true;
          }
        }
    Done = Any && Try(Guess);
  }
  All.Summaries[&Def].Ranges = Best;
}

} // namespace hsched::cc
