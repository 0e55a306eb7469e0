// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/uses/Uses.h"
#include "analysis/lower/Library.h"
#include "analysis/lower/Lower.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace hsched::cc {
namespace {

const ValueDecl *localOf(const Stmt *S) {
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(S);
  if (!Ref)
    return nullptr;
  const ValueDecl *D = Ref->getDecl();
  if (const auto *V = dyn_cast<VarDecl>(D); V && V->hasLocalStorage())
    return V;
  return isa<BindingDecl>(D) && D->getDeclContext()->isFunctionOrMethod() ? D : nullptr;
}

// What each iteration of a loop evaluates. Start and bound, or the range, are evaluated before the tasks.
std::vector<const Stmt *> perIteration(const Stmt *Loop) {
  if (const auto *Range = dyn_cast<CXXForRangeStmt>(Loop))
    return {Range->getBody()};
  return {cast<ForStmt>(Loop)->getBody(), cast<ForStmt>(Loop)->getInc()};
}

// The sizes in a variably modified type.
void addSizes(QualType T, std::vector<const Expr *> &Out) {
  while (T->isVariablyModifiedType()) {
    T = T.getCanonicalType();
    if (const auto *A = dyn_cast<VariableArrayType>(T); A && A->getSizeExpr())
      Out.push_back(A->getSizeExpr());
    if (const auto *A = dyn_cast<clang::ArrayType>(T))
      T = A->getElementType();
    else if (!T->getPointeeType().isNull())
      T = T->getPointeeType();
    else
      return;
  }
}

// What S itself evaluates to know the sizes of its types: no children of S.
std::vector<const Expr *> sizesOf(const Stmt *S) {
  std::vector<const Expr *> Out;
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(S)) {
    addSizes(Cast->getTypeAsWritten(), Out);
  } else if (const auto *Size = dyn_cast<UnaryExprOrTypeTraitExpr>(S)) {
    if (!Size->getTypeOfArgument()->isVariablyModifiedType())
      return Out;
    if (Size->isArgumentType())
      addSizes(Size->getArgumentType(), Out);
    else
      Out.push_back(Size->getArgumentExpr());
  } else if (const auto *Declares = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : Declares->decls())
      if (const auto *V = dyn_cast<VarDecl>(D))
        addSizes(V->getType(), Out);
      else if (const auto *T = dyn_cast<TypedefNameDecl>(D))
        addSizes(T->getUnderlyingType(), Out);
  }
  return Out;
}

// Calls See(variable, place, kind) for every mention in evaluation order: the right side of an assignment before its
// left side.
enum class Mention { Read, Assign, Size }; // Size: only the size of its type is read.

void mentions(const Stmt *S, llvm::function_ref<void(const ValueDecl *, SourceLocation, Mention)> See) {
  if (!S)
    return;
  for (const Expr *Size : sizesOf(S))
    if (isa<UnaryExprOrTypeTraitExpr>(S) && !cast<UnaryExprOrTypeTraitExpr>(S)->isArgumentType())
      mentions(Size, [&](const ValueDecl *V, SourceLocation Loc, Mention) { See(V, Loc, Mention::Size); });
    else
      mentions(Size, See);
  if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(S)) // Operand of sizeof or noexcept: not evaluated.
    return;
  const Expr *Left = nullptr, *Right = nullptr;
  if (const ValueDecl *V = localOf(S)) {
    if (cast<DeclRefExpr>(S)->isNonOdrUse() == NOUR_None)
      See(V, cast<DeclRefExpr>(S)->getLocation(), Mention::Read);
  } else if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
    for (const Stmt *Init : Lambda->capture_inits())
      mentions(Init, See);
    mentions(Lambda->getBody(), See);
  } else if (const auto *Operator = dyn_cast<BinaryOperator>(S); Operator && Operator->getOpcode() == BO_Assign) {
    Left = Operator->getLHS(), Right = Operator->getRHS();
  } else if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(S);
             Call && Call->getOperator() == OO_Equal && Call->getNumArgs() == 2) {
    Left = Call->getArg(0), Right = Call->getArg(1);
  } else {
    for (const Stmt *Inner : S->children())
      mentions(Inner, See);
  }
  if (!Left)
    return;
  mentions(Right, See);
  if (const ValueDecl *Whole = localOf(Left->IgnoreParens()))
    See(Whole, Left->getExprLoc(), Mention::Assign);
  else
    mentions(Left, See);
}

// What control flow may do within a statement without leaving the statement.
struct Inside {
  bool Loop = false, Switch = false, Function = false;
  bool Chunk = false; // An iteration of a taskloop's loop.
};

class Control {
public:
  Control(const InlinePlace &Place, BlockUses &Out) : Place(Place), Out(Out) {}

  // Chunks: Block is a loop that allows continue but not break.
  void run(const Stmt *Block, bool Chunks) {
    labels(Block, Labels);
    if (Chunks)
      loop(Block);
    else
      walk(Block, Inside());
    // A jump into the block from outside.
    if (!Labels.empty() && Place.Functions.back()->getBody())
      jumps(Place.Functions.back()->getBody(), Block);
  }

private:
  const InlinePlace &Place;
  BlockUses &Out;
  llvm::SmallPtrSet<const LabelDecl *, 4> Labels; // Labels in the block.

  void loop(const Stmt *Block) {
    Inside Iteration;
    Iteration.Chunk = true;
    for (const Stmt *Part : perIteration(Block))
      walk(Part, Iteration);
  }

  void problem(const Stmt *S, const char *Message) { Out.Problems.push_back({S->getBeginLoc(), Message}); }

  static void labels(const Stmt *S, llvm::SmallPtrSet<const LabelDecl *, 4> &Found) {
    if (const auto *Label = dyn_cast<LabelStmt>(S))
      Found.insert(Label->getDecl());
    for (const Stmt *Inner : S->children())
      if (Inner && !isa<LambdaExpr>(Inner))
        labels(Inner, Found);
  }

  // True if a label outside of the block has its address taken: a computed 'goto' may lead there.
  bool leadsOut(const Stmt *S) const {
    const auto *Address = dyn_cast_or_null<AddrLabelExpr>(S);
    return S && ((Address && !Labels.count(Address->getLabel())) ||
                 llvm::any_of(S->children(), [&](const Stmt *Inner) { return leadsOut(Inner); }));
  }

  void jumps(const Stmt *S, const Stmt *Block) {
    if (S == Block)
      return;
    if (const auto *Goto = dyn_cast<GotoStmt>(S); Goto && Labels.count(Goto->getLabel()))
      problem(S, "'goto' jumps into the statement of a task: put the label in front of the directive");
    for (const Stmt *Inner : S->children())
      if (Inner && !isa<LambdaExpr>(Inner))
        jumps(Inner, Block);
  }

  // WithBases: of a class with bases that depend on template parameters.
  bool inMember(bool WithBases = false) const {
    for (const FunctionDecl *F : Place.Functions)
      if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && M->isInstance() && !M->getParent()->isLambda())
        return !WithBases || M->getParent()->hasAnyDependentBases();
    return false;
  }

  void walk(const Stmt *S, Inside In) {
    if (!S)
      return;
    for (const Expr *Size : sizesOf(S))
      walk(Size, In);
    switch (S->getStmtClass()) {
    case Stmt::CXXThisExprClass:
      Out.This = true;
      return;
    case Stmt::UnresolvedMemberExprClass:
      Out.This |= cast<UnresolvedMemberExpr>(S)->isImplicitAccess() && inMember();
      break;
    case Stmt::CXXDependentScopeMemberExprClass:
      Out.This |= cast<CXXDependentScopeMemberExpr>(S)->isImplicitAccess() && inMember();
      break;
    case Stmt::DependentScopeDeclRefExprClass: // Base<T>::member.
      Out.This |= inMember(/*WithBases=*/true);
      break;
    case Stmt::UnaryExprOrTypeTraitExprClass:
    case Stmt::CXXNoexceptExprClass:
      return;
    case Stmt::LambdaExprClass:
      for (const Stmt *Init : cast<LambdaExpr>(S)->capture_inits())
        walk(Init, In);
      walk(cast<LambdaExpr>(S)->getBody(), {true, true, true, false});
      return;
    case Stmt::ReturnStmtClass:
      if (!In.Function)
        problem(S, "'return' leaves the statement of the task, but the function goes on before the task is run: hand a "
                   "result out through a variable in a data clause");
      break;
    case Stmt::BreakStmtClass:
      if (!In.Loop && !In.Switch && In.Chunk)
        problem(S,
                "'break' ends the loop of 'taskloop', whose iterations are shared out before any of them is run: put "
                "'task' before the whole loop");
      else if (!In.Loop && !In.Switch)
        problem(S, "'break' leaves the statement of the task: put the directive before the whole loop or switch");
      return;
    case Stmt::ContinueStmtClass:
      if (!In.Loop && !In.Chunk)
        problem(S, "'continue' leaves the statement of the task: test the opposite, and let the task be what it skips");
      return;
    case Stmt::CaseStmtClass:
    case Stmt::DefaultStmtClass:
      if (!In.Switch)
        problem(S, "this label belongs to a switch around the task: put the directive before the whole switch");
      break;
    case Stmt::GotoStmtClass:
      if (!In.Function && !Labels.count(cast<GotoStmt>(S)->getLabel()))
        problem(S, "'goto' leaves the statement of the task: set a variable in a data clause, and jump behind the "
                   "taskwait");
      return;
    case Stmt::IndirectGotoStmtClass:
      if (!In.Function && (In.Chunk || leadsOut(Place.Functions.back()->getBody())))
        problem(S, "a computed 'goto' is not allowed in a task");
      break;
    case Stmt::CoawaitExprClass:
    case Stmt::DependentCoawaitExprClass:
    case Stmt::CoyieldExprClass:
    case Stmt::CoreturnStmtClass:
      if (!In.Function)
        problem(S, "a task cannot suspend the coroutine around it: do so behind the taskwait");
      break;
    case Stmt::ForStmtClass:
    case Stmt::CXXForRangeStmtClass:
    case Stmt::WhileStmtClass:
    case Stmt::DoStmtClass:
      In.Loop = true;
      break;
    case Stmt::SwitchStmtClass:
      In.Switch = true;
      break;
    default:
      break;
    }
    for (const Stmt *Inner : S->children())
      walk(Inner, In);
  }
};

} // namespace

static void notOnlyRead(const Stmt *S, Changes &Out);

// True if E is a part of a local variable. Looks at its subscripts.
static bool isPart(const Expr *E, Changes &Out) {
  E = E->IgnoreParens();
  if (const auto *Member = dyn_cast<MemberExpr>(E))
    return !Member->isArrow() && isPart(Member->getBase(), Out);
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E)) {
    const auto *Array = dyn_cast<ImplicitCastExpr>(Element->getBase());
    if (!Array || Array->getCastKind() != CK_ArrayToPointerDecay || !isPart(Array->getSubExpr(), Out))
      return false;
    notOnlyRead(Element->getIdx(), Out);
    return true;
  }
  return localOf(E);
}

// Variables that S mentions other than to read them.
static void notOnlyRead(const Stmt *S, Changes &Out) {
  if (!S || isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(S))
    return;
  if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
    for (unsigned I = 0; const Expr *Init : Lambda->capture_inits())
      if (Lambda->capture_begin()[I++].getCaptureKind() != LCK_ByRef)
        notOnlyRead(Init, Out);
    return notOnlyRead(Lambda->getBody(), Out);
  }
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(S)) {
    const bool Reads = Cast->getCastKind() == CK_LValueToRValue ||
                       (Cast->getCastKind() == CK_NoOp && Cast->isGLValue() && Cast->getType().isConstQualified());
    if (Reads && isPart(Cast->getSubExpr(), Out))
      return;
  }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(S)) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    if (localOf(S) || (V && V->isStaticLocal()))
      Out.insert({Ref->getDecl(), Ref->getLocation()});
  }
  for (const Stmt *Inner : S->children())
    notOnlyRead(Inner, Out);
}

bool onlyRead(const Stmt *S, const ValueDecl *V) {
  Changes Others;
  notOnlyRead(S, Others);
  return Others.count(V) == 0;
}

// True if what E calls is known in a template, and is there to be looked into or declared with its effects.
static bool isResolved(const CallExpr &E) {
  const FunctionDecl *F = E.getDirectCallee();
  if (!F || E.isInstantiationDependent())
    return false;
  if (F->hasBody() || !F->isTemplateInstantiation())
    return true;
  if (!F->isInStdNamespace() || !F->getIdentifier())
    return false;
  const LibraryMember Does = libraryMember(F->getName());
  return Does == LibraryMember::Swap || Does == LibraryMember::Exchange;
}

// What the operators of S assign, and calls that are resolved, whatever types a template's instances give the others.
static void assigned(ASTContext &Context, const Stmt *S, Changes &Out) {
  const Expr *To = nullptr;
  if (const auto *Operator = dyn_cast_or_null<BinaryOperator>(S); Operator && Operator->isAssignmentOp())
    To = Operator->getLHS();
  else if (const auto *Step = dyn_cast_or_null<UnaryOperator>(S); Step && Step->isIncrementDecrementOp())
    To = Step->getSubExpr();
  else if (const auto *Call = dyn_cast_or_null<CXXOperatorCallExpr>(S); Call && Call->isAssignmentOp())
    To = Call->getArg(0);
  if (const ValueDecl *V = To ? localOf(To->IgnoreParenImpCasts()) : nullptr)
    Out.insert({V, To->getExprLoc()});
  if (const auto *Call = dyn_cast_or_null<CallExpr>(S); Call && isResolved(*Call))
    for (const auto &Change : changesOf(Context, Call))
      Out.insert(Change);
  if (S)
    for (const Stmt *Inner : S->children())
      assigned(Context, Inner, Out);
}

Changes changesOf(ASTContext &Context, const Stmt *Block, bool HandsOut) {
  Changes Out;
  Lowering::Copies None;
  None.HandsOut = HandsOut;
  AccessTree Tree = Lowering(Context).lower(*Block, nullptr, None);
  if (!Tree.Complete) {
    notOnlyRead(Block, Out);
    return Out;
  }
  eachLeaf(Tree.Body, [&](Node &N) {
    if (N.A.K == AccessKind::Read)
      return;
    const Root *R = &Tree.Roots[N.A.RootId];
    const auto refers = [](const Root &Parent) { return Parent.Decl && Parent.Decl->getType()->isReferenceType(); };
    while (R->K == Root::Indirect && (R->Owned || refers(Tree.Roots[R->Parent])))
      R = &Tree.Roots[R->Parent];
    if (R->Decl && R->K == Root::Global)
      Out.insert({R->Decl, N.A.Guess ? SourceLocation() : N.A.Loc});
  });
  return Out;
}

BlockUses usesOf(ASTContext &Context, const Stmt *Block, const InlinePlace &Place, bool Chunks) {
  const SourceManager &SM = Context.getSourceManager();
  const SourceLocation Begin = SM.getExpansionLoc(Block->getBeginLoc());
  BlockUses Out;
  for (const Stmt *Each : Chunks ? perIteration(Block) : std::vector{Block}) {
    if (!Each)
      continue;
    Changes Changed, Mentioned;
    if (Place.Dependent) {
      assigned(Context, Each, Changed);
    } else {
      Changed = changesOf(Context, Each);
      notOnlyRead(Each, Mentioned);
    }
    mentions(Each, [&](const ValueDecl *V, SourceLocation Loc, Mention M) {
      if (!SM.isBeforeInTranslationUnit(SM.getExpansionLoc(V->getLocation()), Begin))
        return;
      VariableUse &Use = Out.Variables.insert({V, {Loc, {}}}).first->second;
      Use.Evaluated |= M != Mention::Size;
      const auto *Part = dyn_cast<BindingDecl>(V);
      auto It = Changed.find(V);
      if (Part && It == Changed.end()) {
        It = Changed.find(Part->getHoldingVar() ? Part->getHoldingVar() : Part->getDecomposedDecl());
        // It is a part of a hidden object, of which another part may change.
        if (It != Changed.end() && !Part->getHoldingVar())
          if (It = Mentioned.find(V); It == Mentioned.end())
            return;
      }
      if (It == Changed.end() || Use.Changed.isValid())
        return;
      // A place in the statement, for a change in a function that it calls.
      const bool Here = It->second.isValid() && SM.isPointWithin(It->second, Each->getBeginLoc(), Each->getEndLoc());
      Use.Changed = Here ? It->second : Loc;
    });
  }
  Control(Place, Out).run(Block, Chunks);
  return Out;
}

bool usedLater(ASTContext &Context, const ValueDecl *V, const Stmt *Block, SourceLocation End, const InlinePlace &Place,
               bool Chunks) {
  const auto *Pack = V->getType()->getAs<PackExpansionType>();
  if ((Pack ? Pack->getPattern() : V->getType())->isReferenceType() || isa<BindingDecl>(V))
    return true;
  const SourceManager &SM = Context.getSourceManager();
  auto before = [&](SourceLocation A, SourceLocation B) {
    return SM.isBeforeInTranslationUnit(SM.getExpansionLoc(A), SM.getExpansionLoc(B));
  };
  // The outermost loop around the block that does not contain V's declaration.
  const Stmt *Loop = Chunks ? Block : nullptr;
  for (const Stmt *S : llvm::reverse(Place.Around)) {
    if (!before(V->getLocation(), S->getBeginLoc()))
      break;
    if (isa<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt>(S))
      Loop = S;
  }
  // First mentions after the block, in the rest of the loop's body, in the loop before the block, and in the block.
  std::optional<Mention> Behind, BehindInLoop, InFront, Within;
  mentions(Place.Around.front(), [&](const ValueDecl *Other, SourceLocation Loc, Mention M) {
    if (Other != V || M == Mention::Size)
      return;
    auto note = [M](std::optional<Mention> &First) { First = First.value_or(M); };
    bool InLoop = Loop && before(Loop->getBeginLoc(), Loc) && !before(Loop->getEndLoc(), Loc);
    if (!before(Loc, End)) {
      note(Behind);
      if (InLoop)
        note(BehindInLoop);
    } else if (!before(Loc, Block->getBeginLoc())) {
      note(Within);
    } else if (InLoop) {
      note(InFront);
    }
  });
  if (Behind && *Behind != Mention::Assign)
    return true;
  std::optional<Mention> Next = BehindInLoop ? BehindInLoop : InFront ? InFront : Within;
  return Loop && Next && *Next != Mention::Assign;
}

} // namespace hsched::cc
