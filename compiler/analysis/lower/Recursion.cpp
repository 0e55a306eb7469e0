// Recursive functions: summaries of their accesses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {

// True if S contains a call of Def.
static bool calls(const Stmt *S, const FunctionDecl &Def) {
  if (!S)
    return false;
  if (const auto *E = dyn_cast<CallExpr>(S); E && E->getDirectCallee() && E->getDirectCallee()->getDefinition() == &Def)
    return true;
  return llvm::any_of(S->children(), [&](const Stmt *C) { return calls(C, Def); });
}

// True if all that a call of Def accesses is known as ranges for which inlining Def once gives no better answer.
// Without effect on other questions about Def if not.
bool Lowerer::isInduced(const FunctionDecl &Def) {
  const auto [It, New] = All.Induced.try_emplace(&Def, false);
  if (!New || All.Summaries.count(&Def) || !calls(Def.getBody(), Def))
    return It->second;
  const auto Summaries = All.Summaries;
  const unsigned Before = Budget;
  const bool Was = std::exchange(Exhausted, false), Is = summaryOf(Def).Induced && !Exhausted;
  Budget = Before;
  Exhausted = Was;
  if (!Is)
    All.Summaries = Summaries;
  return All.Induced[&Def] = Is;
}

// A fixed point over the possible reads and writes of a recursive function.
Lowerer::Summary Lowerer::summaryOf(const FunctionDecl &Def) {
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
  Summary Known = It->second;
  if (It->second.Provisional && !It->second.Open && All.Open == 0)
    All.Summaries.erase(It);
  return Known;
}

// True if two arguments lead to the same memory, and Def writes it through one of them.
static bool share(const Lowerer::Summary &Known, const std::vector<Value> &Args) {
  const auto Written = [&](std::size_t I) {
    return std::any_of(Known.Touched.begin(), Known.Touched.end(), [&](const auto &T) {
      return !T.first.Variable && T.first.Param == int(I) && !T.first.Deep && T.second.Written;
    });
  };
  std::map<unsigned, std::set<std::size_t>> By;
  for (std::size_t I = 0; I != Args.size(); ++I)
    for (const Place &P : Args[I].flat().To)
      if (P.Memory)
        By[P.Id].insert(I);
  return std::any_of(By.begin(), By.end(), [&](const auto &Of) {
    return Of.second.size() > 1 && std::any_of(Of.second.begin(), Of.second.end(), Written);
  });
}

// Emits the accesses of a recursive function's call.
Value Lowerer::recursiveCall(const FunctionDecl &Def, const Value &This, const std::vector<Value> &Given, const Expr *E,
                             SourceLocation Loc) {
  std::vector<Value> Args = Given;
  for (std::size_t I = 0; I != Args.size() && I < Def.getNumParams(); ++I)
    if (Args[I].Modulo != Value::Whole)
      Args[I] = exact(Args[I], Def.getParamDecl(unsigned(I))->getType());
  const Summary Known = summaryOf(Def);
  const std::string Why = "'" + Def.getNameAsString() + "' calls itself";
  Value All_;
  for (const Value &A : Args)
    All_ = join(All_, A.flat());
  All_ = join(All_, This.flat());
  // A write through one argument may decide a condition on another, which the ranges' proof does not expect.
  const bool Ranged = !Known.OnMemory || !share(Known, Args);
  for (const auto &[What, Use] : Known.Touched) {
    Value At;
    if (What.Variable)
      At = global(What.Variable, Loc);
    else if (What.Param >= 0 && std::size_t(What.Param) < Args.size())
      At = Args[std::size_t(What.Param)].flat();
    else
      At = This.flat();
    if (What.Cell >= 0) {
      for (const Place &P : At.To)
        if (P.Memory && P.Offset.isZero() && !St.Dead) {
          const unsigned Id = indirect(P.Id, What.Cell, What.Type, Loc);
          if (Id != unsigned(AnythingRoot))
            touchRange(Value::pointer(Place::root(Id, Poly::invalid())), QualType(), std::nullopt, AccessKind::Update,
                       Loc, true, false, Why);
        }
      continue;
    }
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
        Ranged && !What.Variable && In != Known.Ranges.end() && touchRanges(At, In->second, Args, Loc, Why))
      continue;
    for (Place &P : At.To) {
      if (P.Memory) {
        P.Offset = Poly::invalid();
        P.Why = Why;
        continue;
      }
      if (!Use.Written)
        continue;
      if (const Value *Stored = St.Objects.find(P.Id)) {
        Value Now = join(Stored->flat(), All_);
        Now.forgetNumber();
        if (!All_.pointsNowhere() || !Stored->pointsNowhere())
          Now.Unbounded = Why;
        St.Objects.set(P.Id, std::move(Now));
      }
    }
    const auto touch = [&](bool Read, bool Written) {
      const AccessKind K = Written ? (Read ? AccessKind::Update : AccessKind::Write) : AccessKind::Read;
      if (Read || Written)
        touchRange(At, QualType(), std::nullopt, K, Loc, true, false, Why);
    };
    touch(Use.SurelyRead, Use.SurelyWritten);
    const bool Before = std::exchange(Guessing, true);
    touch(Use.Read && !Use.SurelyRead, Use.Written && !Use.SurelyWritten);
    Guessing = Before;
  }
  if (Known.Anything)
    touchAnything(Loc, Why);
  const QualType R = Def.getReturnType();
  if (!holdsPointers(R) && !(E && E->isGLValue()))
    return {};
  for (Place &P : All_.To)
    if (P.Memory)
      P.Offset = Poly::invalid();
  All_.forgetNumber();
  All_.Unbounded = Why;
  return All_;
}

Lowerer::Summary Lowerer::summarize(const FunctionDecl &Def) {
  EscapeReturned = true;
  const AccessTree T = function(Def, {});
  Summary S;
  S.Anything = Exhausted;
  const auto InMemory = [&](const Poly &P) {
    return P.valid() && std::ranges::any_of(P.symbols(), [&](SymbolId I) {
             return T.Symbols[I].K == Symbol::Unknown || T.Symbols[I].From >= 0;
           });
  };
  std::function<void(const Node &)> Walk = [&](const Node &N) {
    S.OnMemory |= N.OnData || std::ranges::any_of(N.When, InMemory) || std::ranges::any_of(N.Differ, InMemory);
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
          K.Variable = KeptFacts[R].Variable;
        else
          K.Param = T.Roots[R].K == Root::This ? -1 : int(T.Roots[R].Index);
        Summary::Use &U = S.Touched[K];
        U.Read |= N.A.K != AccessKind::Write;
        U.Written |= N.A.K != AccessKind::Read;
        U.SurelyRead |= N.A.K != AccessKind::Write && !N.A.Guess;
        U.SurelyWritten |= N.A.K != AccessKind::Read && !N.A.Guess;
        const RootFacts &Behind = KeptFacts[N.A.RootId];
        if (Deep && T.Roots[N.A.RootId].Parent == R && Behind.Cell >= 0 && !Behind.Type.isNull() &&
            N.A.K != AccessKind::Read && !N.A.Guess) {
          K.Cell = Behind.Cell;
          K.Type = Behind.Type;
          S.Touched[K].Written = true;
        }
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

} // namespace hsched::cc
