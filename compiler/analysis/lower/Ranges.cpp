// Recursive functions: the parts of memory behind their parameters that they access.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "llvm/ADT/ScopeExit.h"

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

// The symbol of parameter I of a function, of whose tree Symbols are. Nothing: it has none that is known at the call.
std::optional<SymbolId> symbolOfParameter(const AccessTree &T, const std::map<unsigned, SymbolId> &Symbols,
                                          unsigned I) {
  const auto It = Symbols.find(I);
  if (It == Symbols.end() || T.Symbols[It->second].K != Symbol::Value || T.Symbols[It->second].From >= 0)
    return std::nullopt;
  return It->second;
}

// From a symbol of T to the number of a parameter.
Term toNumbers(const AccessTree &T, const std::map<unsigned, SymbolId> &Symbols) {
  return [&](SymbolId S) -> std::optional<SymbolId> {
    for (const auto &[I, Of] : Symbols)
      if (Of == S)
        return symbolOfParameter(T, Symbols, I) ? std::optional(I) : std::nullopt;
    return std::nullopt;
  };
}

// From the number of a parameter to its symbol in T.
Term toSymbols(const AccessTree &T, const std::map<unsigned, SymbolId> &Symbols) {
  return [&](SymbolId I) { return symbolOfParameter(T, Symbols, I); };
}

} // namespace

// True if the accesses are described under an assumption on sizes.
static bool assumes(const Node &N) { return N.Assumed || llvm::any_of(N.Children, assumes); }

// The ranges of T, for the parameters of Found whose ranges are not Unknown.
Lowerer::Ranges Lowerer::rangesOf(AccessTree &T, const ParameterSymbols &Symbols, Ranges Found) {
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
      std::optional<Box> Of = renamed(P.What, toNumbers(T, Symbols));
      To.Unknown |= !Of;
      if (Of)
        To.All.push_back({std::move(*Of), P.K});
    }
    To.Unknown |= !Boxes[Id].Known || !R.ElementBytes;
  }
  return Found;
}

// What Def touches if its recursive calls touch these ranges. Cut: the tree is not whole.
AccessTree Lowerer::assuming(const FunctionDecl &Def, const Ranges &Now, ParameterSymbols &Symbols, bool &Cut) {
  All.Summaries[&Def].Ranges = Now;
  Lowerer Inner(Context, All);
  Inner.Budget = Budget;
  Inner.EscapeReturned = true;
  Inner.MayBeCaught = Context.getLangOpts().CPlusPlus;
  AccessTree T = Inner.function(Def, {});
  Budget = Inner.Budget;
  Cut = Inner.Exhausted;
  Symbols = std::move(Inner.OfParameters);
  return T;
}

// Proof by equality: assumed for the recursive calls, exactly the ranges must follow for Def itself. False: some are
// Unknown, and First has the ranges without recursive calls.
bool Lowerer::settleRanges(const FunctionDecl &Def, Ranges Now, Ranges &First) {
  constexpr unsigned Rounds = 6, Free = 3; // In the first rounds the assumption may grow.
  for (unsigned Round = 0; Round != Rounds; ++Round) {
    bool Cut = false;
    ParameterSymbols Symbols;
    AccessTree T = assuming(Def, Now, Symbols, Cut);
    if (Cut)
      break;
    Ranges Next = rangesOf(T, Symbols, Now);
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
// proved becomes Unknown, which may change the others, so that they are tried again. True: all are proved.
bool Lowerer::proveRanges(const FunctionDecl &Def, Ranges Now) {
  for (;;) {
    bool Cut = false;
    ParameterSymbols Of;
    AccessTree T = assuming(Def, Now, Of, Cut);
    Cut |= assumes(T.Body);
    const Term Symbols = toSymbols(T, Of);
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
          R.Unknown = Cut || Of.ElementBytes != R.ElementBytes || !All.Of.Inside(T, Id, Parts);
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
  if (!All.Of.BoxesOf || All.Open != 1 || Exhausted || Def.isVariadic())
    return;
  Ranges Now;
  for (const auto &[What, Use] : All.Summaries[&Def].Touched)
    if (!What.Variable && What.Param >= 0 && unsigned(What.Param) < Def.getNumParams()) {
      const QualType T = Def.getParamDecl(unsigned(What.Param))->getType();
      Now[What.Param].Unknown |= What.Deep || !T->isPointerType();
    }
  // The result serves all trees, so the proofs do not use up the budget of this one.
  const unsigned Before = Budget;
  const auto Restore = llvm::make_scope_exit([&] { Budget = Before; });
  Ranges First;
  if (settleRanges(Def, Now, First))
    return;
  const Ranges Settled = All.Summaries[&Def].Ranges;
  const auto Proved = [](const Ranges &All) {
    return std::count_if(All.begin(), All.end(), [](const auto &R) { return !R.second.Unknown; });
  };
  Ranges Best = Settled;
  const auto Try = [&](const Ranges &Guess) {
    const bool Whole = proveRanges(Def, Guess);
    if (Proved(All.Summaries[&Def].Ranges) > Proved(Best))
      Best = All.Summaries[&Def].Ranges;
    return Whole;
  };
  // The ranges without recursion. Then single elements as arrays: of n elements, or from the first number to another.
  bool Done = Proved(First) != 0 && Try(First);
  std::vector<std::pair<int, int>> Lengths;
  const auto IsNumber = [&](unsigned I) { return Def.getParamDecl(I)->getType()->isIntegerType(); };
  for (unsigned I = 0; I != Def.getNumParams(); ++I)
    for (int J = -1; IsNumber(I) && J != int(Def.getNumParams()); ++J)
      if (J < 0 || (J != int(I) && IsNumber(unsigned(J))))
        Lengths.emplace_back(I, J);
  for (std::size_t N = 0; N != Lengths.size() && !Done && Proved(First) > Proved(Best); ++N) {
    if (Budget - Before > Lowering::MostSteps / 8)
      break;
    const auto [I, From] = Lengths[N];
    Ranges Guess = First;
    bool Any = false;
    for (auto &[Param, R] : Guess) {
      const auto B = Best.find(Param);
      if (B != Best.end() && !B->second.Unknown)
        continue;
      for (Lowering::Boxes::Part &P : R.All) {
        std::vector<Box::Dim> &Dims = P.What.Dims;
        if (From >= 0 && !P.What.Base.mentions(unsigned(From)))
          continue;
        if (Dims.empty() || !(Dims.back().Stride == Poly(1)))
          Dims.push_back({1, 1});
        if (!Dims.back().Count.constant())
          continue;
        Dims.back().Count = Poly::symbol(unsigned(I)) - (From < 0 ? Poly(0) : Poly::symbol(unsigned(From)));
        Any = true;
      }
    }
    Done = Any && Try(Guess);
  }
  Summary &S = All.Summaries[&Def];
  S.Ranges = Best;
  S.Induced = !S.Anything && Def.getReturnType()->isVoidType() &&
              std::all_of(S.Touched.begin(), S.Touched.end(), [&](const auto &Of) {
                const auto In = Best.find(Of.first.Param);
                return !Of.first.Variable && !Of.first.Deep && In != Best.end() && !In->second.Unknown;
              });
}

} // namespace hsched::cc
