// Complex control flow: switch, goto, caught exceptions, range-based for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

using namespace clang;

namespace hsched::cc {

void Lowerer::tryStmt(const CXXTryStmt *S) {
  JumpTarget Handler(JumpTarget::Throw);
  Handler.Cleanups = Cleanups.size();
  Handler.Temporaries = FullExpression.size();
  JumpTarget *SavedJumps = TryJumps;
  const bool SavedIn = InTry;
  const State Before = St;
  const std::size_t Watermark = Tree.Symbols.size();
  std::map<unsigned, Value> Stored, *SavedStored = TryStored;
  Targets.push_back(&Handler);
  TryJumps = &Handler;
  TryStored = &Stored;
  InTry = true;
  // Any call may throw: a part of the block may run, so its stores are weak updates.
  Node Block = collect([&] { lowerStmt(S->getTryBlock()); });
  Targets.pop_back();
  TryJumps = SavedJumps;
  InTry = SavedIn;
  TryStored = SavedStored;
  emitIf(Condition(), std::move(Block), Node());
  const State After = St;
  State All = joined(Before, joined(Handler.At, After));
  // Any call may have thrown, between any two stores.
  for (auto &[Id, V] : Stored) {
    outdate(V, Watermark, Tree.Symbols.size());
    if (TryStored) {
      const auto [It, New] = TryStored->try_emplace(Id, V);
      It->second = join(It->second, V);
    }
    if (Before.Objects.find(Id))
      All.Objects.set(Id, join(*All.Objects.find(Id), V));
  }
  State End = After;
  for (unsigned I = 0; I != S->getNumHandlers(); ++I) {
    St = All;
    St.Dead = false;
    // Values that the block stored to locals before it threw are unknown.
    St.Objects.change(
        [&](unsigned Id, const Value &V) {
          const Value *Was = Before.Objects.find(Id);
          return Was && Was != &V && !(*Was == V);
        },
        [](unsigned, Value &V) { V.forgetNumber(); });
    Node N = collect([&] {
      if (const VarDecl *V = S->getHandler(I)->getExceptionDecl()) {
        auto [It, New] = Fr->Objects.try_emplace(V, 0);
        if (New)
          It->second = NextObject++;
        St.Objects.set(It->second, V->getType()->isReferenceType() ? Value::pointer(Place::object(newObject()))
                                   : holdsPointers(V->getType())   ? Value::unbounded("it comes from an exception")
                                                                   : Value());
      }
      lowerStmt(S->getHandler(I)->getHandlerBlock());
    });
    emitIf(Condition(), std::move(N), Node());
    End = joined(End, St);
  }
  St = std::move(End);
}

// --- Switch ----------------------------------------------------------------------------------------------------------

void Lowerer::switchStmt(const SwitchStmt *S) {
  if (S->getInit())
    lowerStmt(S->getInit());
  if (S->getConditionVariable())
    declare(S->getConditionVariable());
  Value On = rvalue(S->getCond());
  if (On.Modulo < 64 || !On.Int || !areSizes(*On.Int)) // Of 64 bits, its labels are compared as well with a sign.
    On = exact(On, S->getCond()->getType());
  noteNumber(On, S->getCond()->getType(), S->getCond());
  const auto *Body = dyn_cast<CompoundStmt>(S->getBody());
  // Only labels directly in the body are handled separately.
  std::size_t Labels = 0, Direct = 0;
  bool HasDefault = false;
  for (const SwitchCase *C = S->getSwitchCaseList(); C; C = C->getNextSwitchCase()) {
    ++Labels;
    HasDefault |= isa<DefaultStmt>(C);
  }
  struct Segment {
    std::vector<const Expr *> Values;
    bool Default = false, Range = false;
    std::vector<const Stmt *> List;
  };
  std::vector<Segment> Segments;
  if (Body)
    for (const Stmt *Sub : Body->body()) {
      const bool Label = isa<SwitchCase>(Sub);
      if (Label)
        Segments.emplace_back();
      while (const auto *C = dyn_cast<SwitchCase>(Sub)) {
        ++Direct;
        if (const auto *Case = dyn_cast<CaseStmt>(C)) {
          Segments.back().Values.push_back(Case->getLHS());
          Segments.back().Range |= Case->getRHS() != nullptr;
        } else {
          Segments.back().Default = true;
        }
        Sub = C->getSubStmt();
      }
      if (!Segments.empty())
        Segments.back().List.push_back(Sub);
      else if (isa<DeclStmt>(Sub))
        lowerStmt(Sub); // Not initialised, but in scope.
    }
  if (Labels != Direct) {
    anyOrder(S->getBody());
    return;
  }
  JumpTarget End(JumpTarget::Break);
  End.Cleanups = Cleanups.size();
  // On a constant: what stands from its label on. Without declarations before it, which would be in scope.
  if (const std::optional<std::int64_t> Number = On.Int ? On.Int->constant() : std::nullopt;
      Number && !WeakStores && !hasLabels(S->getBody())) {
    std::size_t From = Segments.size(), Default = Segments.size();
    bool Known = true;
    for (std::size_t I = 0; I != Segments.size(); ++I) {
      Known &= !Segments[I].Range;
      if (Segments[I].Default)
        Default = I;
      for (const Expr *E : Segments[I].Values) {
        const std::optional<std::int64_t> K = constantOf(E);
        Known &= K.has_value();
        if (K == Number)
          From = I;
      }
    }
    From = From == Segments.size() ? Default : From;
    std::vector<const Stmt *> List;
    for (std::size_t I = 0; I != Segments.size(); ++I) {
      Known &= I >= From || llvm::none_of(Segments[I].List, [](const Stmt *Each) { return isa<DeclStmt>(Each); });
      if (I >= From)
        List.insert(List.end(), Segments[I].List.begin(), Segments[I].List.end());
    }
    if (Known) {
      const std::size_t Mine = Cleanups.size();
      Targets.push_back(&End);
      statementList(List);
      Targets.pop_back();
      Cleanups.resize(std::min(Mine, Cleanups.size()));
      St = joined(St, End.At);
      return;
    }
  }
  const State Start = St;
  Targets.push_back(&End);
  struct Done {
    Condition C;
    Node N;
  };
  std::vector<Done> Parts;
  Node DefaultPart;
  bool Chain = true;
  State Fall;
  Fall.Dead = true;
  const std::size_t Mine = Cleanups.size();
  for (std::size_t I = 0; I != Segments.size(); ++I) {
    const Segment &G = Segments[I];
    St = joined(Start, Fall);
    Chain &= Fall.Dead;
    Condition C;
    if (G.Values.size() == 1 && !G.Range && !G.Default)
      if (std::optional<std::int64_t> K = constantOf(G.Values[0]))
        C = compare(BO_EQ, On, Value::integer(*K), false);
    const unsigned Before = pendingJumps() - End.Taken;
    Node N = collect([&] { statementList(G.List); });
    Chain &= pendingJumps() - End.Taken == Before;
    Fall = St;
    if (I + 1 == Segments.size())
      Fall.Dead = true;
    if (G.Default)
      DefaultPart = std::move(N);
    else
      Parts.push_back({C, std::move(N)});
  }
  Targets.pop_back();
  Cleanups.resize(std::min(Mine, Cleanups.size()));
  State After = Segments.empty() ? Start : St;
  After = joined(After, End.At);
  if (!HasDefault)
    After = joined(After, Start);
  St = std::move(After);
  if (Chain) { // If (x == 1) ... else if (x == 2) ... else default.
    Node Else = std::move(DefaultPart);
    for (auto It = Parts.rbegin(); It != Parts.rend(); ++It) {
      Node Whole = collect([&] { emitIf(It->C, std::move(It->N), std::move(Else)); });
      Else = std::move(Whole);
    }
    emit(std::move(Else));
    return;
  }
  // The default may be anywhere; fall-through runs parts in their order.
  std::size_t DefaultAt = 0;
  for (; DefaultAt != Segments.size() && !Segments[DefaultAt].Default;)
    ++DefaultAt;
  for (std::size_t I = 0; I <= Parts.size(); ++I) {
    if (I == DefaultAt)
      emitIf(Condition(), std::move(DefaultPart), Node());
    if (I != Parts.size())
      emitIf(Condition(), std::move(Parts[I].N), Node());
  }
}

// --- Goto ------------------------------------------------------------------------------------------------------------

bool Lowerer::hasLabels(const Stmt *S) {
  const auto [It, New] = Labelled.try_emplace(S, false);
  if (New)
    It->second = findLabels(S);
  return It->second;
}

bool Lowerer::findLabels(const Stmt *S) {
  if (!S)
    return false;
  if (isa<LabelStmt, GotoStmt, IndirectGotoStmt, CoroutineBodyStmt, SEHTryStmt>(S))
    return true;
  if (const auto *A = dyn_cast<GCCAsmStmt>(S); A && A->isAsmGoto())
    return true;
  if (isa<LambdaExpr>(S))
    return false;
  for (const Stmt *Child : S->children())
    if (findLabels(Child))
      return true;
  return false;
}

// Every statement may run any number of times; locals hold the join of all stores.
void Lowerer::anyOrder(const Stmt *S) {
  const bool Was = WeakStores;
  WeakStores = true;
  Node N;
  for (unsigned Round = 0; Round != 12; ++Round) {
    const State Before = St;
    N = collect([&] {
      if (isa<CompoundStmt, SwitchCase, IfStmt, ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, LabelStmt, ValueStmt,
              SwitchStmt, AttributedStmt, CXXTryStmt>(S))
        lowerStmt(S);
      else
        for (const Stmt *Child : S->children())
          lowerStmt(Child);
    });
    St.Dead = false;
    State Now = joined(Before, St, /*Widen=*/true);
    Now.Dead = false;
    if (Now.Objects == Before.Objects)
      break;
    St = std::move(Now);
    if (Round == 11)
      Exhausted = true;
  }
  WeakStores = Was;
  Node L;
  L.K = Node::Loop;
  L.Counter = freshSymbol("?");
  L.Breaks = true;
  Node Seq;
  Seq.Children = std::move(N.Children);
  Node Body;
  Node If;
  If.K = Node::If;
  If.Children.push_back(std::move(Seq));
  Body.Children.push_back(std::move(If));
  L.Children.push_back(std::move(Body));
  emit(std::move(L));
}

void Lowerer::rangeFor(const CXXForRangeStmt *S) {
  const std::size_t Mine = Cleanups.size();
  if (S->getInit())
    lowerStmt(S->getInit());
  for (const Stmt *D : {S->getRangeStmt(), S->getBeginStmt(), S->getEndStmt()})
    if (D)
      lowerStmt(D);
  LoopParts L;
  L.Loop = S;
  L.Cond = S->getCond();
  L.Body = [this, S] { compound({S->getLoopVarStmt(), S->getBody()}); };
  if (S->getInc())
    L.Step = [this, S] { evaluate(S->getInc()); };
  loop(L);
  if (!St.Dead)
    runCleanups(Mine);
  Cleanups.resize(std::min(Mine, Cleanups.size()));
}

} // namespace hsched::cc
