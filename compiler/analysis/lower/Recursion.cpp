// Recursive functions: summaries of their accesses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {

// The accesses of a recursive function: a fixed point over its possible reads and writes.
Value Lowerer::recursiveCall(const FunctionDecl &Def, const Value &This, const std::vector<Value> &Args, const Expr *E,
                             SourceLocation Loc) {
  auto It = All.Summaries.find(&Def);
  if (It == All.Summaries.end() || (It->second.Provisional && !It->second.Open)) {
    All.Summaries[&Def] = Summary();
    All.Summaries[&Def].Open = true;
    ++All.Open;
    for (unsigned Round = 0;; ++Round) {
      Lowerer Inner(Context, All);
      Inner.Budget = Budget;
      Summary Found = Inner.summarize(Def);
      Budget = Inner.Budget;
      Summary &Now = All.Summaries[&Def];
      Found.Open = true;
      const bool Same = Found.Touched == Now.Touched && Found.Anything == Now.Anything;
      Now = Found;
      if (Same)
        break;
      if (Round == 30) {
        Exhausted = true;
        break;
      }
    }
    findRanges(Def);
    --All.Open;
    Summary &Now = All.Summaries[&Def];
    Now.Open = false;
    Now.Provisional = All.Open != 0; // It may depend on an unfinished summary.
    It = All.Summaries.find(&Def);
  }
  const Summary Known = It->second;
  if (It->second.Provisional && !It->second.Open && All.Open == 0)
    All.Summaries.erase(It);
  const std::string Why = "'" + Def.getNameAsString() + "' calls itself";
  Value All_;
  for (const Value &A : Args)
    All_ = join(All_, A.flat());
  All_ = join(All_, This.flat());
  for (const auto &[What, Use] : Known.Touched) {
    const AccessKind K = Use.Written ? (Use.Read ? AccessKind::Update : AccessKind::Write) : AccessKind::Read;
    Value At;
    if (What.Variable)
      At = global(What.Variable, Loc);
    else if (What.Param >= 0 && std::size_t(What.Param) < Args.size())
      At = Args[std::size_t(What.Param)].flat();
    else
      At = This.flat();
    if (What.Deep) { // Memory behind its pointers, which have an entry of their own.
      for (const Place &P : At.To)
        if (P.Memory && !St.Dead) {
          escapeBehind(P.Id, Loc, Why, !Use.Written, 0);
          if (int(P.Id) == ThisRoot)
            for (const auto &[Key, Member] : Members)
              escapeBehind(Member.Id, Loc, Why, !Use.Written, 0);
        }
      llvm::erase_if(At.To, [](const Place &P) { return P.Memory; });
      escape(At, Loc, Why);
      continue;
    }
    if (const auto In = Known.Ranges.find(What.Param);
        !What.Variable && In != Known.Ranges.end() && touchRanges(At, In->second, Args, Loc, Why))
      continue;
    for (Place &P : At.To) {
      if (P.Memory) {
        P.Offset = Poly::invalid();
        P.Why = Why;
        continue;
      }
      if (!Use.Written)
        continue;
      if (const Value *Held = St.Objects.find(P.Id)) {
        Value Now = join(Held->flat(), All_);
        Now.Int.reset();
        if (!All_.pointsNowhere() || !Held->pointsNowhere())
          Now.Unbounded = Why;
        St.Objects.set(P.Id, std::move(Now));
      }
    }
    touchRange(At, QualType(), std::nullopt, K, Loc, true, false, Why);
  }
  if (Known.Anything)
    touchAnything(Loc, Why);
  const QualType R = Def.getReturnType();
  if (!holdsPointers(R) && !(E && E->isGLValue()))
    return {};
  for (Place &P : All_.To)
    if (P.Memory)
      P.Offset = Poly::invalid();
  All_.Int.reset();
  All_.Unbounded = Why;
  return All_;
}

Lowerer::Summary Lowerer::summarize(const FunctionDecl &Def) {
  EscapeReturned = true;
  const AccessTree T = function(Def, {});
  Summary S;
  S.Anything = Exhausted;
  std::function<void(const Node &)> Walk = [&](const Node &N) {
    if (N.K == Node::Leaf) {
      unsigned R = N.A.RootId;
      bool Deep = false;
      while (T.Roots[R].K == Root::Indirect) {
        R = T.Roots[R].Parent;
        Deep = true;
      }
      if (T.Roots[R].K == Root::Anything) {
        S.Anything = true;
      } else {
        Summary::Key K;
        K.Deep = Deep;
        if (T.Roots[R].K == Root::Global)
          K.Variable = KeptVariables[R];
        else
          K.Param = T.Roots[R].K == Root::This ? -1 : int(T.Roots[R].Index);
        Summary::Use &U = S.Touched[K];
        U.Read |= N.A.K != AccessKind::Write;
        U.Written |= N.A.K != AccessKind::Read;
      }
    }
    for (const Node &C : N.Children)
      Walk(C);
  };
  Walk(T.Body);
  return S;
}

// --- Ranges ----------------------------------------------------------------------------------------------------------

// P with its symbols, which are parameter numbers, replaced by the arguments.
static std::optional<Poly> over(const std::vector<Value> &Args, const Poly &P) {
  Poly All = 0;
  for (const auto &[Monomial, C] : P.terms()) {
    Poly Term = C;
    for (const SymbolId S : Monomial) {
      if (S >= Args.size() || !Args[S].Int)
        return std::nullopt;
      Term = Term * *Args[S].Int;
    }
    All = All + Term;
  }
  return All.valid() ? std::optional(All) : std::nullopt;
}

// Emits accesses to memory behind At within range Of. False, without effect: At or the arguments are not known well
// enough.
bool Lowerer::touchRanges(const Value &At, const Summary::Range &Of, const std::vector<Value> &Args, SourceLocation Loc,
                          const std::string &Why) {
  if (Of.Unknown || !At.Unbounded.empty())
    return false;
  for (const Place &P : At.To)
    if (!P.Memory || !P.Offset.valid() || Facts[P.Id].Many)
      return false;
  struct Loops {
    Poly Base;
    std::vector<std::pair<Poly, Poly>> Dims; // Count, and stride in bytes.
    AccessKind K;
  };
  std::vector<Loops> All;
  const Poly Size = std::int64_t(Of.ElementBytes);
  for (const Lowering::Boxes::Part &P : Of.All) {
    const std::optional<Poly> Base = over(Args, P.What.Base);
    if (!Base)
      return false;
    Loops L{*Base * Size, {}, P.K};
    for (const Box::Dim &D : P.What.Dims) {
      const std::optional<Poly> Count = over(Args, D.Count), Stride = over(Args, D.Stride);
      if (!Count || !Stride)
        return false;
      L.Dims.emplace_back(*Count, *Stride * Size);
    }
    All.push_back(std::move(L));
  }
  for (const Loops &L : All) {
    const std::function<void(std::size_t, const Poly &)> Along = [&](std::size_t D, const Poly &Offset) {
      if (D == L.Dims.size()) {
        const Value Here = moved(At, Offset, [&] { return Why; });
        touchRange(Here, QualType(), Size, L.K, Loc, /*Maybe=*/true, /*Atomic=*/false, "");
        return;
      }
      Node N;
      N.K = Node::Loop;
      N.Loc = Loc;
      N.Counter = freshSymbol("k", Symbol::Loop);
      N.Low = 0;
      N.High = L.Dims[D].first;
      Tree.Symbols[N.Counter].NonNegative = true;
      SymbolTable[N.Counter].Low = 0;
      SymbolTable[N.Counter].High = *N.High;
      const Poly Next = Offset + Poly::symbol(N.Counter) * L.Dims[D].second;
      N.Children.push_back(collect([&] { Along(D + 1, Next); }));
      emit(std::move(N));
    };
    Along(0, L.Base);
  }
  return true;
}

// A box of Def's tree, with parameter numbers as symbols. Nothing: it contains other symbols.
static std::optional<Box> overParameters(const Box &B, const AccessTree &T, const FunctionDecl &Def) {
  const auto Of = [&](const Poly &P) -> std::optional<Poly> {
    Poly All = 0;
    for (const auto &[Monomial, C] : P.terms()) {
      Poly::Monomial Numbers;
      for (const SymbolId S : Monomial) {
        unsigned I = 0;
        while (I != Def.getNumParams() && !(T.Symbols[S].K == Symbol::Value && T.Symbols[S].From < 0 &&
                                            Def.getParamDecl(I)->getType()->isIntegerType() &&
                                            Def.getParamDecl(I)->getName() == T.Symbols[S].Spelling))
          ++I;
        if (I == Def.getNumParams())
          return std::nullopt;
        Numbers.push_back(I);
      }
      std::sort(Numbers.begin(), Numbers.end());
      All = All + Poly::term(Numbers, C);
    }
    return All;
  };
  Box Out;
  const std::optional<Poly> Base = Of(B.Base);
  if (!Base)
    return std::nullopt;
  Out.Base = *Base;
  for (const Box::Dim &D : B.Dims) {
    const std::optional<Poly> Count = Of(D.Count), Stride = Of(D.Stride);
    if (!Count || !Stride)
      return std::nullopt;
    Out.Dims.push_back({*Count, *Stride});
  }
  return Out;
}

// The parts of memory behind its parameters that Def accesses, as ranges over its numbers. Proved by induction:
// assumed for the recursive calls, the ranges must follow for Def itself. Without a recursive call they follow
// directly.
void Lowerer::findRanges(const FunctionDecl &Def) {
  if (!All.BoxesOf || All.Open != 1 || Exhausted || Def.isVariadic())
    return;
  std::map<int, Summary::Range> Now;
  for (const auto &[What, Use] : All.Summaries[&Def].Touched)
    if (!What.Variable && What.Param >= 0 && unsigned(What.Param) < Def.getNumParams()) {
      const QualType T = Def.getParamDecl(unsigned(What.Param))->getType();
      Now[What.Param].Unknown |= What.Deep || !T->isPointerType();
    }
  constexpr unsigned Rounds = 6, Free = 3; // In the first rounds the assumption may grow.
  for (unsigned Round = 0; Round != Rounds; ++Round) {
    All.Summaries[&Def].Ranges = Now;
    Lowerer Inner(Context, All);
    Inner.Budget = Budget;
    Inner.EscapeReturned = true;
    AccessTree T = Inner.function(Def, {});
    Budget = Inner.Budget;
    const std::vector<Lowering::Boxes> Found = Inner.Exhausted ? std::vector<Lowering::Boxes>() : All.BoxesOf(T);
    std::map<int, Summary::Range> Next = Now;
    for (auto &[Param, R] : Next)
      R.Unknown |= Found.size() != T.Roots.size();
    for (std::size_t Id = 0; Id != Found.size(); ++Id) {
      const Root &R = T.Roots[Id];
      const auto It = R.K == Root::Param ? Next.find(int(R.Index)) : Next.end();
      if (It == Next.end() || It->second.Unknown)
        continue;
      Summary::Range &To = It->second;
      To.ElementBytes = R.ElementBytes;
      To.All.clear();
      for (const Lowering::Boxes::Part &P : Found[Id].All) {
        std::optional<Box> Of = overParameters(P.What, T, Def);
        To.Unknown |= !Of;
        if (Of)
          To.All.push_back({std::move(*Of), P.K});
      }
      To.Unknown |= !Found[Id].Known || !R.ElementBytes;
    }
    bool Same = true;
    for (auto &[Param, R] : Next) {
      const bool As = R == Now[Param];
      Same &= As;
      R.Unknown |= !As && Round >= Free;
    }
    if (Same)
      return;
    Now = std::move(Next);
  }
  All.Summaries[&Def].Ranges.clear();
}

} // namespace hsched::cc
