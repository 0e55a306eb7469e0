// Loops: one pass over the body with a symbol for each variable that it changes. The symbol's increment and the
// condition give the counter and its bounds.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/LoopStatements.h"
#include "analysis/lower/Lowerer.h"

using namespace clang;

namespace hsched::cc {

// True if the call may end in it.
static bool returns(const Node &N) { return (N.K == Node::Stop && !N.Throws) || llvm::any_of(N.Children, returns); }

bool Lowerer::isNarrow(const ASTContext &Context, QualType T) {
  return T->isIntegerType() && !T->isBooleanType() && Context.getIntWidth(T) < Context.getIntWidth(Context.IntTy);
}

// True if the condition depends on anything but known numbers and regularly changing variables.
bool Lowerer::unknownEnd(const Condition &C, const std::vector<Phi> &Phis) const {
  for (const std::vector<Poly> *List : {&C.Holds, &C.Differs})
    for (const Poly &P : *List)
      for (SymbolId S : P.symbols()) {
        const auto F = llvm::find_if(Phis, [S](const Phi &Each) { return Each.S == S; });
        if (F != Phis.end() ? !F->Step.valid() : Tree.Symbols[S].K == Symbol::Unknown)
          return true;
      }
  return C.Holds.empty() && C.Differs.empty();
}

const std::set<const ValueDecl *> &Lowerer::assignedIn(const Stmt *S) {
  auto [It, New] = Assigned.try_emplace(S);
  if (New)
    findAssigned(S, It->second);
  return It->second;
}

Condition Lowerer::loopTest(const LoopParts &L) {
  const bool Outer = std::exchange(InLoopTest, true);
  const Condition C = condition(L.Cond);
  InLoopTest = Outer;
  return L.Until ? negation(C) : C;
}

Lowerer::Pass Lowerer::pass(const LoopParts &L, State Head) {
  Pass P;
  St = std::move(Head);
  JumpTarget Break(JumpTarget::Break), Continue(JumpTarget::Continue);
  Break.Cleanups = Continue.Cleanups = Cleanups.size();
  const unsigned Before = pendingJumps();
  const auto Test = [&] {
    P.Test = collect([&] {
      if (L.CondVar)
        declare(L.CondVar);
      if (L.Before)
        L.Before();
      if (L.Cond)
        P.C = loopTest(L);
      else
        P.C.Constant = true;
    });
    P.Exit = St;
    P.Exit.Dead |= P.C.Constant && *P.C.Constant;
    St.Dead |= P.C.Constant && !*P.C.Constant;
  };
  if (!L.TestLast)
    Test();
  Targets.push_back(&Break);
  Targets.push_back(&Continue);
  P.Body = collect([&] {
    // If its only bound is a converted size that is negative, the loop does not end. A counter of few bits wraps, and
    // one that starts at a large number meets the bound.
    Condition Ends = P.C;
    const auto Few = [&](const ValueDecl *D) { return narrow(Context, D->getType()); };
    const auto StartsLarge = [](const Condition::Upper &U) { return U.LowerIsLarge; };
    if (P.C.boundsNothing() && !leaves(L.Loop) && llvm::none_of(assignedIn(L.Loop), Few) &&
        llvm::none_of(P.C.Uppers, StartsLarge))
      llvm::erase_if(Ends.Uppers, [](const Condition::Upper &U) { return !U.Type.isNull(); });
    where(L.TestLast ? std::vector<Poly>() : P.C.Holds, Ends, L.Body);
    St = joined(St, Continue.At);
    if (L.Step && !St.Dead)
      L.Step();
  });
  Targets.pop_back();
  Targets.pop_back();
  if (L.TestLast)
    Test();
  P.End = St;
  P.Exit = joined(P.Exit, Break.At);
  P.Breaks = Break.Taken != 0 || pendingJumps() != Before;
  return P;
}

// The value with phi symbols in place of numbers and offsets, each recorded in Phis.
Value Lowerer::generalize(const Value &V, const std::string &Name, std::vector<Phi> &Phis) {
  Value R = V;
  R.Min.clear();
  R.Max.clear();
  const auto Fresh = [&](const Poly &Entry, bool Place) {
    Phis.push_back({freshSymbol(Name), Entry, Poly(), false, Name, Poly::invalid(), Place});
    return Poly::symbol(Phis.back().S);
  };
  if (V.Int) {
    R.Int = Fresh(*V.Int, false);
  } else if (!V.Max.empty()) {
    const SymbolId First = freshSymbol(Name);
    SymbolTable[First].Greatest = V.Max;
    R.Int = Fresh(Poly::symbol(First), false);
  }
  R.To.clear();
  for (Place P : V.To) {
    const auto Same = [&](const Place &O) { return O.Memory && O.Id == P.Id && O.Self == P.Self; };
    if (P.Memory && P.Offset.valid())
      P.Offset = std::count_if(V.To.begin(), V.To.end(), Same) == 1 ? Fresh(P.Offset, true) : Poly::invalid();
    if (P.Memory && !P.Offset.valid() && P.Why.empty())
      P.Why = "'" + Name + "' changes from one iteration to the next in no regular way";
    R.add(std::move(P));
  }
  for (Field &F : R.Fields)
    F.What = generalize(F.What, Name, Phis);
  return R;
}

// True if Head covers the values at the body's end. Records the increment of each phi.
bool Lowerer::settle(const Value &Head, const Value &End, std::vector<Phi> &Phis, std::size_t Watermark) {
  const auto Grows = [&](const Poly &From, const Poly *To) {
    for (Phi &P : Phis) {
      if (!(From == Poly::symbol(P.S)))
        continue;
      Poly Step = To ? *To - From : Poly::invalid();
      for (SymbolId S : Step.symbols())
        if (S >= Watermark && Tree.Symbols[S].K != Symbol::Value)
          Step = Poly::invalid();
      P.Step = P.Seen && !(P.Step == Step) ? Poly::invalid() : Step;
      P.Seen = true;
    }
  };
  if (Head.Int)
    Grows(*Head.Int, End.Int ? &*End.Int : nullptr);
  if (Head.Unbounded.empty() && !End.Unbounded.empty())
    return false;
  if (Head.Function && Head.Function != End.Function)
    return false;
  for (const Place &E : End.To) {
    bool Found = false;
    for (const Place &H : Head.To) {
      if (H.Memory != E.Memory || H.Id != E.Id || H.Self != E.Self)
        continue;
      if (!H.Memory) {
        Found |= H == E || (H.TypePunned && H.Path.empty());
        continue;
      }
      Found = true;
      if (H.Offset.valid())
        Grows(H.Offset, E.Offset.valid() ? &E.Offset : nullptr);
    }
    if (!Found)
      return false;
  }
  for (const Field &F : End.Fields)
    if (!settle(Head.member(F.Key), F.What, Phis, Watermark))
      return false;
  for (const Field &F : Head.Fields)
    if (!End.find(F.Key) && !settle(F.What, End.member(F.Key), Phis, Watermark))
      return false;
  return true;
}

void Lowerer::loop(const LoopParts &L) {
  if (WeakStores) { // An enclosing summary loop suffices.
    if (L.CondVar)
      declare(L.CondVar);
    if (L.Before)
      L.Before();
    if (L.Cond)
      loopTest(L);
    const State Before = St;
    L.Body();
    if (L.Step)
      L.Step();
    St = joined(Before, St);
    return;
  }
  State Entry = St;
  std::map<unsigned, Value> Bases; // Values of changed objects at the begin of an iteration.
  std::map<unsigned, const ValueDecl *> Of;
  for (const Frame *F = Fr; F; F = F->Up)
    for (const auto &[D, Id] : F->Objects)
      Of.try_emplace(Id, D);
  for (const ValueDecl *D : assignedIn(L.Loop))
    if (auto It = Fr->Objects.find(D); It != Fr->Objects.end() && !D->getType()->isReferenceType())
      if (const Value *Stored = Entry.Objects.find(It->second))
        Bases[It->second] = *Stored;
  for (unsigned Round = 0;; ++Round) {
    const std::size_t Watermark = Tree.Symbols.size();
    std::vector<Phi> Phis;
    State Head = Entry;
    for (const auto &[Id, V] : Bases) {
      const ValueDecl *D = Of.count(Id) ? Of[Id] : nullptr;
      const std::size_t From = Phis.size();
      Head.Objects.set(Id, generalize(V, D ? D->getNameAsString() : "?", Phis));
      for (std::size_t I = From; I != Phis.size(); ++I) {
        Phis[I].Wraps = !Phis[I].Place && (!D || wraps(Context, D->getType()));
        Phis[I].Narrow = !Phis[I].Place && D && narrow(Context, D->getType());
        if (Phis[I].Narrow && Lowerer::isNarrow(Context, D->getType().getNonReferenceType()))
          Phis[I].Past = std::int64_t(1) << (Context.getIntWidth(D->getType().getNonReferenceType()) -
                                             D->getType().getNonReferenceType()->isSignedIntegerOrEnumerationType());
        Phis[I].Unsigned = D && D->getType().getNonReferenceType()->isUnsignedIntegerType();
        const Value *Of = Phis[I].Place || !D ? nullptr : Head.Objects.find(Id);
        if (Of && Of->Int && Of->Modulo == Value::Whole && *Of->Int == Poly::symbol(Phis[I].S) && !Phis[I].Narrow &&
            surelyNonNegative(Phis[I].Entry) && (Phis[I].Unsigned || onlyRises(L.Loop, D)))
          Tree.Symbols[Phis[I].S].NonNegative = true;
      }
    }
    Pass P = pass(L, Head);
    if (Exhausted)
      return;
    bool Changed = false;
    for (const ObjectMap::Entry &E : P.End.Objects) // Objects that 'new' made in an earlier iteration still exist.
      if (!P.End.Dead && Heap.count(E.id()) && !Head.Objects.find(E.id())) {
        Entry.Objects.set(E.id(), Bases[E.id()] = Value());
        Changed = true;
      }
    if (!P.End.Dead)
      for (const ObjectMap::Entry &E : Head.Objects) {
        const unsigned Id = E.id();
        const Value &Was = E.value();
        const ObjectMap::Entry *End = P.End.Objects.entry(Id);
        auto Base = Bases.find(Id);
        if (!End || (Base == Bases.end() && (End->shares(E) || End->value() == Was)))
          continue;
        if (Base == Bases.end()) {
          Bases[Id] = Was;
          Changed = true;
        } else if (!settle(Was, End->value(), Phis, Watermark)) {
          // As after the first iteration or none; if that is wrong, the next pass corrects it.
          Value Left = End->value();
          for (const Phi &F : Phis)
            substitute(Left, F.S, F.Entry);
          Value Both = join(Base->second, Left, /*Widen=*/true);
          outdate(Both, Watermark);
          Base->second = std::move(Both);
          Changed = true;
        } else if (lowerModulo(Base->second, End->value())) {
          Changed = true;
        }
      }
    if (!Changed) {
      finishLoop(L, std::move(P), Phis, Watermark);
      return;
    }
    if (Round == 20) {
      Exhausted = true;
      return;
    }
  }
}

Node Lowerer::assuming(const std::optional<Poly> &Meets, Node Loop, std::vector<Poly> Sides) {
  if (Meets)
    Sides.push_back(*Meets);
  if (Sides.empty())
    return Loop;
  Node If;
  If.K = Node::If;
  If.Loc = Loop.Loc;
  If.When = std::move(Sides);
  If.Assumed = true;
  If.Children.push_back(std::move(Loop));
  return If;
}

void Lowerer::finishLoop(const LoopParts &L, Pass P, std::vector<Phi> &Phis, std::size_t Watermark) {
  // Do { } while (0) and its like: the body, once.
  if (L.TestLast && P.C.Constant && !*P.C.Constant) {
    for (const Phi &F : Phis)
      replaceAll(P, F.S, F.Entry, Watermark);
    emit(std::move(P.Body));
    emit(std::move(P.Test));
    St = std::move(P.Exit);
    return;
  }
  for (Phi &F : Phis)
    if (!F.Seen)
      F.Step = Poly(); // Control never returns to the loop's head.
  const bool Returns =
      returns(P.Body) || ((InTry || MayBeCaught) && mayThrow(L.Loop)); // The task goes on in a handler.
  Bound B;
  if (!L.TestLast)
    B = boundOf(P.C, Phis, P.Breaks || Returns, Watermark);
  else if (!Returns || (P.C.Differs.empty() && P.C.Uppers.empty() &&
                        llvm::all_of(Phis, [](const Phi &F) { return !F.Step.valid() || F.Step.constant(); })))
    B = boundAtEnd(P, Phis, Watermark);
  // If its only bound wraps, it goes on until it throws.
  if (B.Found && !B.Meets && !P.C.Uppers.empty() && P.C.boundsNothing() && !P.Breaks && !Returns && hasThrow(L.Loop)) {
    B.Meets = P.C.Uppers[0].Side;
    for (const Phi &F : Phis)
      if (F.Step.isZero())
        B.Meets = B.Meets->substituted(F.S, F.Entry);
  }
  // From u on while it is below u - 1: that runs only where u - 1 is large.
  if (const std::optional<std::int64_t> Length = (B.High - B.Low).constant();
      B.Found && (B.Meets || !P.C.Uppers.empty()) && !B.Wraps && Length && *Length <= 0)
    B = Bound();
  // From a large number on, it is below one that is large.
  if (const std::optional<std::int64_t> Low = B.Low.constant();
      B.Found && !P.C.Uppers.empty() && !Geometry && Low && *Low > INT32_MAX)
    B = Bound();
  // Loop for (i = max(a, b); ...): from a on, restricted to i >= b.
  bool FromGreatest = false;
  if (B.Found)
    for (SymbolId S : (B.Low + B.High).symbols())
      FromGreatest |= !SymbolTable[S].Greatest.empty();
  if (FromGreatest && !B.Overapproximated && !L.TestLast && B.Step == 1 && P.Test.Children.empty())
    if (const std::set<SymbolId> In = B.Low.symbols(); In.size() == 1 && B.Low == Poly::symbol(*In.begin())) {
      const std::vector<Poly> &From = SymbolTable[*In.begin()].Greatest;
      B.Low = From[0];
      for (std::size_t I = 1; I != From.size(); ++I)
        B.Guards.push_back(Poly::symbol(B.Counter) - From[I]);
    }
  Node N;
  N.K = Node::Loop;
  N.Loc = L.Loop->getBeginLoc();
  N.Breaks = P.Breaks;
  const Expr *Limit = isa<CXXForRangeStmt>(L.Loop) ? nullptr : limitOf(L.Cond, assignedIn(L.Loop));
  for (const Phi &F : Phis)
    if (!B.Found && F.Step.valid() && !F.Step.isZero()) {
      SymbolTable[F.S].Endless = L.Loop;
      if (!L.TestLast && Limit && F.Step.constant() && unknownEnd(P.C, Phis))
        SymbolTable[F.S].Limit = Limit;
    }
  if (B.Found) {
    N.Counter = B.Counter;
    SymbolTable[B.Counter].Limit = Limit;
    N.Low = B.Low;
    N.High = B.High;
    N.Step = B.Step;
    SymbolTable[B.Counter].Low = B.Low;
    SymbolTable[B.Counter].High = B.High;
    N.Breaks |= B.Breaks;
    if (B.Overapproximated && !L.TestLast && !P.Breaks && P.C.Exact && P.C.Holds.size() == 1 && P.C.Differs.empty() &&
        P.Test.Children.empty())
      noteShared(B.Counter, B.Low, B.Stride);
  } else {
    N.Counter = freshSymbol(Phis.empty() ? "?" : Phis.front().Name, Symbol::Loop);
    N.Breaks = true;
  }
  std::vector<Poly> Guards = B.Guards;
  bool Exact = B.Found && B.Exact;
  if (!B.Found && !L.TestLast)
    llvm::copy_if(P.C.Holds, std::back_inserter(Guards), [&](const Poly &D) { return !P.C.upperOf(D); });
  // The final evaluation of the condition.
  std::optional<Node> LastTest;
  if (!P.Test.Children.empty() && !L.TestLast) {
    if (std::any_of(Phis.begin(), Phis.end(), [&](const Phi &F) { return mentions(P.Test, F.S); })) {
      LastTest = P.Test;
    } else { // The same each time.
      Node Once = P.Test;
      copyLeafBytes(Once);
      emit(std::move(Once));
    }
  }
  Node Body;
  const bool Guarded =
      (!L.TestLast || B.Overapproximated) && (!Guards.empty() || !Exact) && !(P.C.Constant && *P.C.Constant);
  if (!L.TestLast)
    for (Node &C : P.Test.Children)
      Body.Children.push_back(std::move(C));
  if (Guarded && !P.Body.Children.empty()) {
    Node If;
    If.K = Node::If;
    If.When = Guards;
    If.Exact = Exact;
    If.Children.push_back(std::move(P.Body));
    Body.Children.push_back(std::move(If));
  } else {
    for (Node &C : P.Body.Children)
      Body.Children.push_back(std::move(C));
  }
  if (L.TestLast)
    for (Node &C : P.Test.Children)
      Body.Children.push_back(std::move(C));
  N.Children.push_back(std::move(Body));

  Node First;
  if (LastTest) {
    copyLeafBytes(*LastTest); // A separate copy.
    First = *LastTest;
    copyLeafBytes(First);
  }
  for (const Phi &F : Phis) {
    const bool Fixed = F.Step.isZero();
    const Poly Closed = Fixed ? F.Entry : F.Closed;
    if (LastTest)
      substitute(First, F.S, F.Entry);
    if (!Fixed && (!B.Found || !Closed.valid()))
      continue; // The symbol stays unknown.
    substitute(N, F.S, Closed);
    if (LastTest)
      substitute(*LastTest, F.S, B.Found && !Fixed && B.Step == 1 ? Closed.substituted(B.Counter, B.High) : Closed);
    for (std::size_t S = Watermark; S != SymbolTable.size(); ++S)
      if (S != B.Counter || !B.Found)
        replaceBounds(S, F.S, Closed);
  }
  const bool Empty = N.Children[0].Children.empty();
  if (LastTest)
    emitIf(Condition(), std::move(First), Node());
  if (!Empty)
    emit(assuming(B.Meets, std::move(N), std::move(B.Sides)));
  if (LastTest) {
    if (B.Found && B.Step != 1 && !B.Overapproximated)
      substitute(*LastTest, B.Counter,
                 ranged(Tree.Symbols[B.Counter].Spelling, B.Low, B.High + Poly(B.Step), /*OrLow=*/true));
    else if (!B.Found || B.Step != 1)
      substitute(*LastTest, B.Found ? B.Counter : 0, B.Found ? Poly::invalid() : Poly::symbol(0));
    emitIf(Condition(), std::move(*LastTest), Node());
  }

  // After it.
  St = std::move(P.Exit);
  const std::size_t End = Tree.Symbols.size();
  std::optional<Poly> Last;
  if (B.Found && !B.Overapproximated && !FromGreatest && !L.TestLast) {
    const bool Whole = !P.Breaks && !B.Breaks && B.Exact && B.Guards.empty() && !St.Dead;
    const std::optional<std::int64_t> Low = B.Low.constant(), High = B.High.constant();
    // Sizes are assumed not to be negative. With another start there may be no iteration: the loop ends where it began.
    const bool Runs = Low.has_value() || surelyNonNegative(B.High - B.Low);
    const std::optional<Poly> Top =
        Runs ? B.High : leastOrGreatest({Value::integer(B.Low), Value::integer(B.High)}, /*Least=*/false).Int;
    if (Whole && Low && High)
      Last = *High <= *Low ? *Low : *Low + (*High - *Low + B.Step - 1) / B.Step * B.Step;
    else if (Whole && B.Step == 1 && Top && (!Runs || surelyNonNegative(B.High - B.Low)))
      Last = Top;
    else if (Top)
      Last = ranged(Tree.Symbols[B.Counter].Spelling, B.Low, *Top + Poly(B.Step), Runs);
    if (Whole && B.Meets && B.Wraps) // The other variables went on.
      Last.reset();
    else if (Last && !Whole && B.Meets) // Beyond the end, too.
      SymbolTable[*Last->symbols().begin()].Meets = B.Meets;
  }
  St.Objects.change([&](unsigned, const Value &V) { return mentionsFrom(V, Watermark); },
                    [&](unsigned, Value &V) {
                      for (const Phi &F : Phis) {
                        if (F.Step.isZero())
                          substitute(V, F.S, F.Entry);
                        else if (Last && F.Closed.valid())
                          substitute(V, F.S, F.Closed.substituted(B.Counter, *Last));
                      }
                      outdate(V, Watermark, End);
                    });
}

} // namespace hsched::cc
