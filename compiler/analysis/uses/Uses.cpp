// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/uses/Uses.h"
#include "analysis/uses/OnlyReads.h"
#include "analysis/uses/Views.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>
#include <memory>

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

// The variable whose own bytes E designates: x for x, x.m, and x[i] of an array or of a container that owns its
// elements.
const ValueDecl *ownerOf(const Stmt *S) {
  while (S) {
    if (const auto *E = dyn_cast<Expr>(S))
      S = E->IgnoreParenImpCasts();
    if (const ValueDecl *V = localOf(S))
      return V;
    if (const auto *E = dyn_cast<Expr>(S))
      if (const Expr *Range = rangeOfView(E)) {
        S = Range;
        continue;
      }
    if (const auto *Call = dyn_cast<CallExpr>(S);
        Call && Call->getNumArgs() == 1 && returnsPart(Call->getDirectCallee())) {
      S = Call->getArg(0);
      continue;
    }
    if (const auto *Member = dyn_cast<MemberExpr>(S)) {
      const auto *Arrow = dyn_cast<CXXOperatorCallExpr>(Member->getBase()->IgnoreParenImpCasts());
      S = !Member->isArrow() || (Arrow && returnsPart(Arrow->getDirectCallee())) ? Member->getBase() : nullptr;
    } else if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(S)) {
      const Expr *Base = Subscript->getBase()->IgnoreParens();
      const auto *Decay = dyn_cast<ImplicitCastExpr>(Base);
      S = Decay && Decay->getCastKind() == CK_ArrayToPointerDecay ? Decay->getSubExpr() : nullptr;
      // While the type depends on a template's arguments, no array decays.
      if (!S && Base->getType()->isArrayType())
        S = Base;
    } else if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(S)) {
      const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee());
      bool Owns = Call->getOperator() == OO_Subscript && Method && !Method->isConst();
      S = Owns ? Call->getArg(0) : nullptr;
    } else if (const auto *Cast = dyn_cast<CastExpr>(S)) {
      S = Cast->getSubExpr();
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

// Members of containers that change nothing themselves, though they are not const.
bool changesNothing(const CXXMethodDecl *M) {
  static constexpr llvm::StringLiteral Names[] = {"begin", "end",  "rbegin", "rend", "data",  "at",
                                                  "front", "back", "find",   "get",  "value", "c_str"};
  return M->isConst() || M->isStatic() || (M->getIdentifier() && llvm::is_contained(Names, M->getName()));
}

// What each iteration of a loop evaluates. Start and bound, or the range, are evaluated before the tasks.
std::vector<const Stmt *> perIteration(const Stmt *Loop) {
  if (const auto *Range = dyn_cast<CXXForRangeStmt>(Loop))
    return {Range->getBody()};
  return {cast<ForStmt>(Loop)->getBody(), cast<ForStmt>(Loop)->getInc()};
}

// Calls See(variable, place, kind) for every mention in evaluation order: the right side of an assignment before its
// left side.
enum class Mention { Read, Assign, Update };

class Mentions {
public:
  using Visitor = llvm::function_ref<void(const ValueDecl *, SourceLocation, Mention)>;
  Mentions(const Stmt *Whole, Visitor See) : Whole(Whole), See(See) {}

  void walk(const Stmt *S) {
    if (!S)
      return;
    if (const ValueDecl *V = localOf(S)) {
      if (cast<DeclRefExpr>(S)->isNonOdrUse() == NOUR_None)
        See(V, cast<DeclRefExpr>(S)->getLocation(), Mention::Read);
      return;
    }
    if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(S)) // Operand of sizeof or noexcept: not evaluated.
      return;
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
      for (const Stmt *Init : Lambda->capture_inits())
        walk(Init);
      walk(Lambda->getBody());
      return;
    }
    if (const auto *Operator = dyn_cast<BinaryOperator>(S); Operator && Operator->isAssignmentOp()) {
      assignment(Operator->getLHS(), Operator->getRHS(), Operator->getOpcode() == BO_Assign);
      return;
    }
    if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(S);
        Call && Call->isAssignmentOp() && Call->getNumArgs() == 2) {
      assignment(Call->getArg(0), Call->getArg(1), Call->getOperator() == OO_Equal);
      return;
    }
    if (const auto *Operator = dyn_cast<UnaryOperator>(S); Operator && Operator->isIncrementDecrementOp())
      change(Operator->getSubExpr(), Operator->getOperatorLoc());
    else if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(S);
             Call && Call->getNumArgs() > 0 &&
             (Call->getOperator() == OO_PlusPlus || Call->getOperator() == OO_MinusMinus))
      change(Call->getArg(0), Call->getOperatorLoc());
    else if (const auto *Call = dyn_cast<CallExpr>(S))
      call(Call);
    else if (const auto *Construct = dyn_cast<CXXConstructExpr>(S))
      construct(Construct);
    else if (const auto *Cast = dyn_cast<ImplicitCastExpr>(S))
      lookUp(Cast);
    else if (const auto *Decls = dyn_cast<DeclStmt>(S))
      references(Decls);
    else if (const auto *Range = dyn_cast<CXXForRangeStmt>(S))
      range(Range);
    for (const Stmt *Inner : S->children())
      walk(Inner);
  }

private:
  const Stmt *Whole; // What is declared in it is visible nowhere else.
  Visitor See;
  llvm::SmallPtrSet<const Expr *, 8> ReadOnly; // Views and algorithms: no element is changed through them.
  using Answers = std::map<const VarDecl *, bool>;
  std::shared_ptr<Answers> Known = std::make_shared<Answers>(); // Whether references in templates are only read.

  void change(const Stmt *S, SourceLocation Loc) {
    if (const ValueDecl *V = ownerOf(S))
      See(V, Loc, Mention::Update);
  }

  void assignment(const Expr *Left, const Expr *Right, bool Plain) {
    walk(Right);
    const ValueDecl *Whole = localOf(Left->IgnoreParens());
    if (Plain && Whole) {
      See(Whole, Left->getExprLoc(), Mention::Assign);
      return;
    }
    change(Left, Left->getExprLoc());
    walk(Left);
  }

  static bool bindsForWriting(QualType T) {
    return (T->isReferenceType() || T->isPointerType()) && !T->getPointeeType().isConstQualified() &&
           !T->getPointeeType()->isFunctionType();
  }

  void argument(const Expr *A, QualType Parameter) {
    if (!bindsForWriting(Parameter) || Parameter->isRValueReferenceType())
      return;
    if (Parameter->isReferenceType()) {
      change(A, A->getExprLoc());
      return;
    }
    const Expr *Pointer = A->IgnoreParenCasts();
    if (const auto *Address = dyn_cast<UnaryOperator>(Pointer); Address && Address->getOpcode() == UO_AddrOf)
      change(Address->getSubExpr(), A->getExprLoc());
    else if (Pointer->getType()->isArrayType())
      change(Pointer, A->getExprLoc());
  }
  // A string passed as the format of a function like printf(). With %n the function would write a number.
  static bool prints(const FunctionDecl &F, unsigned I, const Expr *A) {
    const QualType T = A->IgnoreParenImpCasts()->getType();
    const auto *Format = F.getAttr<FormatAttr>();
    const QualType Char = T->isArrayType() ? QualType(T->getPointeeOrArrayElementType(), 0) : T->getPointeeType();
    return Format && Format->getType()->getName() == "printf" && I >= F.getNumParams() && !Char.isNull() &&
           (Char->isSpecificBuiltinType(BuiltinType::Char_S) || Char->isSpecificBuiltinType(BuiltinType::Char_U));
  }
  // Algorithms on ranges write through iterators.
  void arguments(const FunctionDecl *F, llvm::ArrayRef<const Expr *> List, bool Algorithm = false) {
    for (unsigned I = 0; F && I < List.size(); ++I)
      if (Algorithm || !(onlyReads(*F, I) || prints(*F, I, List[I])))
        argument(List[I], I < F->getNumParams() ? F->getParamDecl(I)->getType() : List[I]->getType());
  }
  // The view is only read, and so is every range under it.
  void readsThrough(const Expr *View) {
    while (const Expr *Range = rangeOfView(View)) {
      ReadOnly.insert(withoutTemporaries(View));
      View = Range;
    }
  }
  // Functions that adaptors call with the elements.
  void callables(const Expr *View) {
    for (const Expr *A : otherArguments(View))
      if (!callableReads(A))
        change(View, A->getExprLoc());
  }
  void construct(const CXXConstructExpr *Construct) {
    if (ReadOnly.count(Construct) || hasConstElements(Construct->getType()))
      return callables(Construct);
    arguments(Construct->getConstructor(), llvm::ArrayRef(Construct->getArgs(), Construct->getNumArgs()));
  }
  void lookUp(const ImplicitCastExpr *Cast) {
    if (const CallExpr *Call = lookedUp(Cast))
      algorithm(Call, /*Position=*/true);
  }
  bool algorithm(const CallExpr *Call, bool Position) {
    const auto Ranges = rangesRead(Call, Position);
    for (const Expr *Range : Ranges)
      readsThrough(Range);
    if (Ranges.empty())
      return false;
    ReadOnly.insert(Call);
    for (const Expr *A : argumentsOf(Call)) // Destination of its writes.
      if (const auto *Begin = dyn_cast<CXXMemberCallExpr>(withoutTemporaries(A));
          Begin && Begin->getMethodDecl() && !Begin->getMethodDecl()->isConst())
        change(Begin->getImplicitObjectArgument(), A->getExprLoc());
    return true;
  }
  void call(const CallExpr *Call) {
    if (ReadOnly.count(Call) || algorithm(Call, /*Position=*/false)) {
      if (rangeOfView(Call))
        callables(Call);
      return;
    }
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (returnsPart(Callee) || visits(Call))
      return;
    if (comparesPositions(Call))
      for (const Expr *A : argumentsOf(Call))
        if (const CallExpr *Found = positionOf(A))
          algorithm(Found, /*Position=*/true);
    llvm::ArrayRef<const Expr *> List(Call->getArgs(), Call->getNumArgs());
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
    const Expr *Object = nullptr;
    if (const auto *Member = dyn_cast<CXXMemberCallExpr>(Call)) {
      Object = Member->getImplicitObjectArgument();
      const auto *Named = dyn_cast<MemberExpr>(Member->getCallee()->IgnoreParens());
      if (Named && Named->isArrow())
        Object = nullptr;
    } else if (isa<CXXOperatorCallExpr>(Call) && Method && !List.empty()) {
      if (cast<CXXOperatorCallExpr>(Call)->getOperator() != OO_Subscript)
        Object = List.front();
      List = List.drop_front();
    }
    if (Object && Method && !changesNothing(Method) && !Method->getParent()->isLambda() && !onlyReadsObject(*Method))
      change(Object, Object->getExprLoc());
    arguments(Callee, List, isRangeAlgorithm(Call));
  }
  // In a template types are unknown: a name counts as changed where a number with that name would be changed.
  bool readsOnly(const Stmt *Within, const VarDecl &V) {
    if (!V.getType()->isDependentType() && !V.getDeclContext()->isDependentContext())
      return onlyReads(Within, V);
    const auto [It, New] = Known->insert({&V, true}); // During the analysis of V: a reference to itself adds nothing.
    if (!New)
      return It->second;
    const auto *Parts = dyn_cast<DecompositionDecl>(&V);
    bool Changed = false;
    auto see = [&](const ValueDecl *D, SourceLocation, Mention M) {
      Changed |= M != Mention::Read && (D == &V || (Parts && llvm::is_contained(Parts->bindings(), D)));
    };
    Mentions Inner(Within, see);
    Inner.Known = Known;
    Inner.walk(Within);
    return (*Known)[&V] = !Changed;
  }
  void references(const DeclStmt *Decls) {
    for (const Decl *D : Decls->decls()) {
      const auto *V = dyn_cast<VarDecl>(D);
      if (!V || V->isImplicit() || !V->hasInit())
        continue;
      const auto *Found = dyn_cast<CallExpr>(withoutTemporaries(V->getInit()));
      if (Found && !rangesRead(Found, /*Position=*/true).empty() && onlyReadsAt(Whole, *V)) {
        algorithm(Found, /*Position=*/true);
      } else if (Found && pointsInto(Found) && onlyReadsAt(Whole, *V)) {
        ReadOnly.insert(Found);
      } else if (rangeOfView(V->getInit())) {
        if (onlyReadsThrough(Whole, *V))
          readsThrough(V->getInit());
      } else if (V->getType()->isLValueReferenceType() && bindsForWriting(V->getType()) && !readsOnly(Whole, *V)) {
        change(V->getInit(), V->getLocation());
      }
    }
  }
  void range(const CXXForRangeStmt *For) {
    const VarDecl *V = For->getLoopVariable();
    if (!V)
      return;
    if (V->getType()->isReferenceType() && bindsForWriting(V->getType()) && !temporary(*V) &&
        !readsOnly(For->getBody(), *V))
      change(For->getRangeInit(), V->getLocation());
    else if (!holdsReferences(V->getType()))
      readsThrough(For->getRangeInit());
  }
  // Whether a reference is bound to a temporary, such as the values of std::views::transform.
  static bool temporary(const VarDecl &V) {
    const auto *Full = dyn_cast_or_null<ExprWithCleanups>(V.getInit());
    const Expr *Init = Full ? Full->getSubExpr() : V.getInit();
    const auto *Temporary = dyn_cast_or_null<MaterializeTemporaryExpr>(Init);
    return Temporary && Temporary->getSubExpr()->getType()->isScalarType();
  }
};

void mentions(const Stmt *S, Mentions::Visitor See) { Mentions(S, See).walk(S); }

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
                "'task' on the whole loop");
      else if (!In.Loop && !In.Switch)
        problem(S, "'break' leaves the statement of the task: put the directive on the whole loop or switch");
      return;
    case Stmt::ContinueStmtClass:
      if (!In.Loop && !In.Chunk)
        problem(S, "'continue' leaves the statement of the task: test the opposite, and let the task be what it skips");
      return;
    case Stmt::CaseStmtClass:
    case Stmt::DefaultStmtClass:
      if (!In.Switch)
        problem(S, "this label belongs to a switch around the task: put the directive on the whole switch");
      break;
    case Stmt::GotoStmtClass:
      if (!In.Function && !Labels.count(cast<GotoStmt>(S)->getLabel()))
        problem(S, "'goto' leaves the statement of the task: set a variable in a data clause, and jump behind the "
                   "taskwait");
      return;
    case Stmt::IndirectGotoStmtClass:
      if (!In.Function)
        problem(S, "a computed 'goto' cannot stand in a task");
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

BlockUses usesOf(ASTContext &Context, const Stmt *Block, const InlinePlace &Place, bool Chunks) {
  const SourceManager &SM = Context.getSourceManager();
  SourceLocation Begin = SM.getExpansionLoc(Block->getBeginLoc());
  BlockUses Out;
  auto see = [&](const ValueDecl *V, SourceLocation Loc, Mention M) {
    if (!SM.isBeforeInTranslationUnit(SM.getExpansionLoc(V->getLocation()), Begin))
      return;
    VariableUse &Use = Out.Variables.insert({V, {Loc, {}}}).first->second;
    if (M != Mention::Read && Use.Changed.isInvalid())
      Use.Changed = Loc;
  };
  if (!Chunks)
    mentions(Block, see);
  else
    for (const Stmt *Part : perIteration(Block))
      mentions(Part, see);
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
    if (Other != V)
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
