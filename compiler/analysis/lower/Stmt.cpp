// Statements and control flow.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/LoopStatements.h"
#include "analysis/lower/Lowerer.h"

#include "llvm/ADT/ScopeExit.h"

using namespace clang;

namespace hsched::cc {

void Lowerer::emit(Node N) {
  if (N.K == Node::Seq) {
    for (Node &C : N.Children)
      Out->Children.push_back(std::move(C));
    return;
  }
  Out->Children.push_back(std::move(N));
}

void Lowerer::emitIf(const Condition &C, Node Then, Node Else, bool OnData) {
  if (C.Constant) {
    emit(std::move(*C.Constant ? Then : Else));
    return;
  }
  if (!C.Uppers.empty())
    return emitIf(withWraps(C), std::move(Then), std::move(Else), OnData);
  if (Then.Children.empty() && Else.Children.empty())
    return;
  bool Exact = C.Exact && C.Differs.empty() && !C.Holds.empty();
  const auto Bare = [](const Node &N) { // No accesses.
    return llvm::all_of(N.Children, [](const Node &Child) { return Child.K == Node::Stop; });
  };
  if (!Exact && Bare(Then) && C.Differs.empty() && C.FailsExact && !C.FailsDiffers.empty())
    return emitIf(negation(C), std::move(Else), std::move(Then), OnData);
  // if (a != b && c) then; else return;  ->  if (a == b) return; else if (c) then; else return;
  std::vector<Poly> Apart;
  if (!Exact && Bare(Else) && C.Exact && C.Fails.empty())
    Apart = C.Differs;
  const Node Otherwise = Apart.empty() ? Node() : Else;
  Exact |= C.Exact && !C.Holds.empty() && !Apart.empty();
  // Otherwise the inequality is a fact inside the branch, but does not decide which branch runs.
  const auto Given = [](Node &Branch, const std::vector<Poly> &Differ) {
    if (Differ.empty() || Branch.Children.empty())
      return;
    Node N;
    N.K = Node::If;
    N.Given = N.Exact = true;
    N.When = Differ;
    N.Children.push_back(std::move(Branch));
    Branch = Node();
    Branch.Children.push_back(std::move(N));
  };
  if (!Exact && Apart.empty() && !(C.FailsExact && C.FailsDiffers.empty() && !C.Fails.empty())) {
    Given(Then, C.Differs);
    Given(Else, C.FailsDiffers);
  }
  Node N;
  N.K = Node::If;
  N.OnData = OnData;
  if (!Exact && (C.FailsExact || (C.Holds.empty() && Then.Children.empty())) && !C.Fails.empty()) {
    N.When = C.Fails;
    N.Exact = C.FailsExact && C.FailsDiffers.empty();
    std::swap(Then, Else);
  } else {
    N.When = C.Holds;
    N.Exact = Exact;
  }
  N.Children.push_back(std::move(Then));
  if (!Else.Children.empty())
    N.Children.push_back(std::move(Else));
  Node Whole;
  if (!Apart.empty() && C.Holds.empty())
    Whole = std::move(N.Children[0]);
  else
    Whole.Children.push_back(std::move(N));
  for (const Poly &D : Apart) {
    Node Equal;
    Equal.K = Node::If;
    Equal.Exact = true;
    Equal.When = {D, -D};
    Equal.Children.push_back(Otherwise);
    Equal.Children.push_back(std::move(Whole));
    Whole = Node();
    Whole.Children.push_back(std::move(Equal));
  }
  emit(std::move(Whole));
}

Node Lowerer::collect(const std::function<void()> &Emit) {
  Node Seq;
  Node *Saved = Out;
  const std::size_t Before = ReportedInOrder.size();
  Out = &Seq;
  Emit();
  Out = Saved;
  // If the node is conditional or discarded, later code must report it again.
  for (; ReportedInOrder.size() > Before; ReportedInOrder.pop_back())
    Reported.erase(ReportedInOrder.back());
  return Seq;
}

// The effects of Emit may or may not happen.
void Lowerer::maybe(const std::function<void()> &Emit) {
  const State Before = St;
  Node N = collect(Emit);
  St = joined(Before, St);
  emitIf(Condition(), std::move(N), Node());
}

// --- Lists -----------------------------------------------------------------------------------------------------------

void Lowerer::compound(llvm::ArrayRef<const Stmt *> List) {
  const std::size_t Mine = Cleanups.size();
  statementList(List);
  if (!St.Dead)
    runCleanups(Mine);
  Cleanups.resize(std::min(Mine, Cleanups.size()));
}

void Lowerer::statementList(llvm::ArrayRef<const Stmt *> List) {
  const auto Restore = llvm::make_scope_exit([this, Known = Here.size()] { Here.resize(Known); });
  for (std::size_t I = 0; I != List.size(); ++I) {
    if (St.Dead || !spend())
      return;
    const unsigned Before = pendingJumps();
    const llvm::ArrayRef<const Stmt *> Rest = List.drop_front(I + 1);
    const Stmt *S = List[I];
    while (const auto *A = dyn_cast<AttributedStmt>(S))
      S = A->getSubStmt();
    if (const auto *If = dyn_cast<IfStmt>(S); If && !WeakStores) {
      if (ifStmt(If, Rest))
        return;
    } else {
      lowerStmt(S);
    }
    if (pendingJumps() != Before && !St.Dead && !Rest.empty()) {
      // Something in S may have left; the rest may be skipped.
      Node N = collect([&] { statementList(Rest); });
      emitIf(Condition(), std::move(N), Node());
      return;
    }
  }
}

bool Lowerer::ifStmt(const IfStmt *S, llvm::ArrayRef<const Stmt *> Rest) {
  if (S->isConsteval()) {
    const Stmt *Run = S->isNegatedConsteval() ? S->getThen() : S->getElse();
    if (Run)
      lowerStmt(Run);
    return false;
  }
  if (S->getInit())
    lowerStmt(S->getInit());
  if (S->getConditionVariable())
    declare(S->getConditionVariable());
  const std::size_t Evaluated = Out->Children.size();
  const Condition C = condition(S->getCond());
  const bool OnData = std::any_of(
      Out->Children.begin() + std::ptrdiff_t(std::min(Evaluated, Out->Children.size())), Out->Children.end(),
      [](const Node &N) { return N.K == Node::Leaf && N.A.K == AccessKind::Read && !N.A.Guess; });
  if (St.Dead)
    return true;
  if (C.Constant && !WeakStores) {
    const Stmt *Run = *C.Constant ? S->getThen() : S->getElse();
    if (Run)
      statementList({Run});
    return false;
  }
  const State Start = St;
  const unsigned Before = pendingJumps();
  Node Then = collect([&] { where(C.Holds, C, [&] { compound({S->getThen()}); }); });
  State AfterThen = std::move(St);
  const bool ThenJumps = pendingJumps() != Before;
  St = Start;
  const unsigned Middle = pendingJumps();
  Node Else = collect([&] {
    if (S->getElse())
      where(C.Fails, C, [&] { compound({S->getElse()}); });
  });
  const bool ElseJumps = pendingJumps() != Middle;
  const bool ThenDead = AfterThen.Dead, ElseDead = St.Dead;
  bool Done = false;
  if (ThenJumps && ThenDead && !ElseDead && !ElseJumps) {
    // If (c) continue; rest  ->  if (c) {} else rest.
    Node More = collect([&] { where(C.Fails, C, [&] { statementList(Rest); }); });
    for (Node &N : More.Children)
      Else.Children.push_back(std::move(N));
    Done = true;
  } else if (ElseJumps && ElseDead && !ThenDead && !ThenJumps) {
    St = std::move(AfterThen);
    Node More = collect([&] { where(C.Holds, C, [&] { statementList(Rest); }); });
    for (Node &N : More.Children)
      Then.Children.push_back(std::move(N));
    Done = true;
  } else {
    const State AfterElse = St;
    St = joined(AfterThen, St);
    Done = St.Dead;
    if (!ThenDead && !ElseDead && !WeakStores) // if (n > 10) n = 10;
      for (const ObjectMap::Entry &E : AfterThen.Objects)
        if (const ObjectMap::Entry *Other = AfterElse.Objects.entry(E.id()); Other && !Other->shares(E))
          if (!(E.value().Int == Other->value().Int))
            if (const std::optional<Value> One = chosen(C, E.value(), Other->value())) {
              Value &Now = St.Objects.of(E.id());
              Now.Int = One->Int;
              Now.Min = One->Min;
              Now.Max = One->Max;
            }
  }
  if (!Done && ThenDead != ElseDead && !WeakStores) // What follows in the list.
    llvm::copy_if(ThenDead ? C.Fails : C.Holds, std::back_inserter(Here),
                  [&](const Poly &D) { return D.valid() && !C.upperOf(D); });
  emitIf(C, std::move(Then), std::move(Else), OnData);
  return Done;
}

// --- Statements ------------------------------------------------------------------------------------------------------

// Loop for (;;) { ...; if (i >= n) break; ... }: the condition is inside the body.
void Lowerer::endsInside(LoopParts &L, const Stmt *Body, bool HasStep) {
  if (L.CondVar || (L.Cond && !isAlways(L.Cond)))
    return;
  std::optional<LoopExit> X = exitOf(Context, Body, HasStep);
  if (!X)
    return;
  L.Cond = X->Cond;
  L.Until = X->Until;
  L.TestLast = X->Last;
  if (X->Last) {
    L.Body = [this, List = X->Before] { compound(List); };
  } else {
    L.Before = [this, List = X->Before] { llvm::for_each(List, [this](const Stmt *S) { lowerStmt(S); }); };
    L.Body = [this, List = X->Behind] { compound(List); };
  }
  if (!X->After.empty())
    L.After = [this, List = X->After] { compound(List); };
}

void Lowerer::lowerStmt(const Stmt *S) {
  if (!S || St.Dead || !spend())
    return;
  if (WeakStores && !isa<CompoundStmt, NullStmt, LabelStmt, DeclStmt>(S) && !InWeakStatement) {
    InWeakStatement = true;
    maybe([&] { lowerStmt(S); });
    InWeakStatement = false;
    return;
  }
  const bool WasLoose = InWeakStatement;
  InWeakStatement = false;
  switch (S->getStmtClass()) {
  case Stmt::NullStmtClass:
    break;
  case Stmt::CompoundStmtClass: {
    const auto *C = cast<CompoundStmt>(S);
    std::vector<const Stmt *> List(C->body_begin(), C->body_end());
    compound(List);
    break;
  }
  case Stmt::DeclStmtClass:
    for (const Decl *D : cast<DeclStmt>(S)->decls())
      declare(D);
    break;
  case Stmt::IfStmtClass:
    ifStmt(cast<IfStmt>(S), {});
    break;
  case Stmt::ForStmtClass: {
    const auto *F = cast<ForStmt>(S);
    const std::size_t Mine = Cleanups.size();
    if (F->getInit())
      lowerStmt(F->getInit());
    LoopParts L;
    L.Loop = S;
    L.Cond = F->getCond();
    L.CondVar = F->getConditionVariable();
    L.Body = [this, F] { compound({F->getBody()}); };
    endsInside(L, F->getBody(), F->getInc());
    if (F->getInc())
      L.Step = [this, F] { evaluate(F->getInc()); };
    loop(L);
    if (L.After && !St.Dead)
      L.After();
    if (!St.Dead)
      runCleanups(Mine);
    Cleanups.resize(std::min(Mine, Cleanups.size()));
    break;
  }
  case Stmt::WhileStmtClass: {
    const auto *W = cast<WhileStmt>(S);
    LoopParts L;
    L.Loop = S;
    L.Cond = W->getCond();
    L.CondVar = W->getConditionVariable();
    L.Body = [this, W] { compound({W->getBody()}); };
    endsInside(L, W->getBody(), false);
    loop(L);
    if (L.After && !St.Dead)
      L.After();
    break;
  }
  case Stmt::DoStmtClass: {
    const auto *D = cast<DoStmt>(S);
    LoopParts L;
    L.Loop = S;
    L.Cond = D->getCond();
    L.Body = [this, D] { compound({D->getBody()}); };
    L.TestLast = true;
    if (isAlways(L.Cond)) {
      L.TestLast = false;
      endsInside(L, D->getBody(), false);
    }
    loop(L);
    if (L.After && !St.Dead)
      L.After();
    break;
  }
  case Stmt::CXXForRangeStmtClass:
    rangeFor(cast<CXXForRangeStmt>(S));
    break;
  case Stmt::SwitchStmtClass:
    switchStmt(cast<SwitchStmt>(S));
    break;
  case Stmt::CaseStmtClass:
  case Stmt::DefaultStmtClass:
    lowerStmt(cast<SwitchCase>(S)->getSubStmt());
    break;
  case Stmt::LabelStmtClass:
    lowerStmt(cast<LabelStmt>(S)->getSubStmt());
    break;
  case Stmt::AttributedStmtClass:
    lowerStmt(cast<AttributedStmt>(S)->getSubStmt());
    break;
  case Stmt::BreakStmtClass:
    if (JumpTarget *T = target(JumpTarget::Break); T && !WeakStores)
      jump(*T);
    break;
  case Stmt::ContinueStmtClass:
    if (JumpTarget *T = target(JumpTarget::Continue); T && !WeakStores)
      jump(*T);
    break;
  case Stmt::GotoStmtClass:
  case Stmt::IndirectGotoStmtClass:
    break; // anyOrder() has handled it.
  case Stmt::ReturnStmtClass:
    returnStmt(cast<ReturnStmt>(S));
    break;
  case Stmt::CXXTryStmtClass:
    tryStmt(cast<CXXTryStmt>(S));
    break;
  case Stmt::GCCAsmStmtClass:
  case Stmt::MSAsmStmtClass: {
    Value All;
    for (const Stmt *Child : S->children())
      if (const auto *E = dyn_cast_or_null<Expr>(Child)) {
        const Value V = evaluate(E);
        if (E->isGLValue()) {
          escape(V, S->getBeginLoc(), "it is handed to asm");
          store(V, E->getType(), Value::unbounded("it comes from asm"), E);
        }
        escape(V, S->getBeginLoc(), "it is handed to asm");
      }
    touchAnything(S->getBeginLoc(), "asm");
    break;
  }
  default:
    if (const auto *E = dyn_cast<Expr>(S)) {
      const std::size_t Mine = Cleanups.size();
      if (E->isGLValue())
        lvalue(E);
      else
        rvalue(E);
      Cleanups.resize(std::min(Mine, Cleanups.size()));
      break;
    }
    // Coroutines, SEH, OpenMP: everything inside may happen, in any order.
    if (Depth < 200)
      anyOrder(S);
  }
  InWeakStatement = WasLoose;
}

void Lowerer::returnStmt(const ReturnStmt *S) {
  Value V;
  if (const Expr *E = S->getRetValue()) {
    const QualType T = Fr->F ? Fr->F->getReturnType() : E->getType();
    if (T->isReferenceType() || (!Fr->F && E->isGLValue()))
      V = evaluate(E);
    else if (E->getType()->isRecordType() && !E->isGLValue())
      V = loadValue(temporary(E, E->getType(), E).To[0], E->getType());
    else
      V = rvalue(E);
  }
  if (St.Dead)
    return;
  if (Fr->Up) {
    Fr->Returned = Fr->Returned ? join(*Fr->Returned, V) : V;
    for (auto It = Targets.rbegin(); It != Targets.rend(); ++It)
      if ((*It)->K == JumpTarget::Return) {
        jump(**It);
        return;
      }
    return;
  }
  runCleanups(0);
  if (!V.pointsNowhere() && EscapeReturned) { // Into a summary, which has no reasons.
    const Expr *E = S->getRetValue();
    const QualType To = E->isGLValue() ? E->getType() : E->getType()->getPointeeType();
    escape(V, S->getBeginLoc(), "", /*ReadOnly=*/!Fr->F && !To.isNull() && To.isConstQualified());
  }
  stop(S->getBeginLoc(), false);
}

void Lowerer::declare(const Decl *D) {
  if (const auto *B = dyn_cast<DecompositionDecl>(D))
    for (const BindingDecl *Binding : B->bindings())
      if (const VarDecl *Holding = Binding->getHoldingVar())
        Hidden.push_back(Holding);
  const auto *V = dyn_cast<VarDecl>(D);
  if (!V || V->hasGlobalStorage() || V->isInvalidDecl()) {
    // No other code sees the variable before its initialiser is done.
    if (V && V->isStaticLocal() && V->hasInit() && !V->hasConstantInitialization())
      maybe([&] {
        const Value At = Value::pointer(Place::object(newObject()));
        if (V->getType()->isReferenceType())
          storeObject(At.To[0], evaluate(V->getInit()), true);
        else
          initialize(At, V->getType(), V->getInit());
        if (holdsPointers(V->getType()))
          escape(loadValue(At.To[0], V->getType()), V->getLocation(), "a static of a function may keep it");
      });
    return;
  }
  auto [It, New] = Fr->Objects.try_emplace(V, 0);
  if (New)
    It->second = NextObject++;
  const unsigned Id = It->second;
  const QualType T = V->getType();
  ObjectTypes.try_emplace(Id, T);
  if (!WeakStores || !St.Objects.find(Id))
    St.Objects.set(Id, {});
  if (const Expr *Init = V->getInit()) {
    if (T->isReferenceType()) {
      const Value R = evaluate(Init);
      storeObject(Place::object(Id), R, true);
    } else {
      initialize(Value::pointer(Place::object(Id)), T, Init);
    }
  }
  if (const auto *A = Context.getAsVariableArrayType(T); A && A->getSizeExpr())
    rvalue(A->getSizeExpr());
  if (T.isDestructedType() == QualType::DK_cxx_destructor)
    Cleanups.push_back({Value::pointer(Place::object(Id)), T, V->getLocation()});
  const std::vector<const VarDecl *> Now = std::move(Hidden);
  Hidden.clear();
  for (const VarDecl *H : Now)
    declare(H);
}

} // namespace hsched::cc
