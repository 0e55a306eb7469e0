// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/uses/OnlyReads.h"

#include "analysis/uses/Views.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace hsched::cc {
namespace {

constexpr unsigned MostSteps = 20000; // Limit of steps for one question; beyond it the answer is no.
constexpr unsigned MostCalls = 16;    // Maximum nesting depth.

using Answers = llvm::DenseMap<std::pair<const Decl *, unsigned>, bool>;
struct Work {
  Answers Known; // A function under analysis: yes, because a call to itself adds nothing.
  unsigned Steps = 0, Calls = 0;
};
constexpr unsigned Object = ~0u - 2; // Stands for the object instead of a parameter's number.

// Members that return an element and change nothing themselves, though they are not const. A map's [] inserts an
// element.
bool standardElement(const FunctionDecl *F) {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(F);
  if (!M || M->isStatic() || !M->getParent()->isInStdNamespace() || !M->getParent()->getIdentifier())
    return false;
  bool Element = M->getOverloadedOperator() == OO_Subscript ||
                 (M->getIdentifier() && (M->getName() == "at" || M->getName() == "front" || M->getName() == "back"));
  return Element && llvm::StringSwitch<bool>(M->getParent()->getName())
                        .Cases("vector", "array", "deque", "basic_string", "list", true)
                        .Default(false);
}

bool standardContainer(QualType T) {
  const CXXRecordDecl *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  return R && R->isInStdNamespace();
}

bool toConst(QualType T, bool Place) {
  return Place ? T.isConstQualified() : T->isPointerType() && T->getPointeeType().isConstQualified();
}

// The variable that D is a part of, if D is a structured binding.
const ValueDecl *wholeOf(const ValueDecl *D) {
  const auto *Part = dyn_cast<BindingDecl>(D);
  return Part ? Part->getDecomposedDecl() : D;
}

// The names of the object: references to it, pointers to it, 'this'.
struct Names {
  llvm::SmallPtrSet<const ValueDecl *, 4> References;
  const ValueDecl *Pointer = nullptr;
  const ValueDecl *View = nullptr;     // View of it: its elements are the object's.
  const ValueDecl *Iterator = nullptr; // Iterator to its elements, or an object of several iterators.
  bool This = false;
};

class Reader {
public:
  Reader(const Names &N, Work &W) : N(N), W(W) {}

  // Whether S leaves the object unchanged and gives no way to change it.
  bool harmless(const Stmt *S) {
    if (!S || isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, CXXTypeidExpr>(S))
      return true;
    if (++W.Steps > MostSteps)
      return false;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(S))
      return !N.References.count(Ref->getDecl()) && Ref->getDecl() != N.Pointer && Ref->getDecl() != N.View &&
             wholeOf(Ref->getDecl()) != N.Iterator;
    if (isa<CXXThisExpr>(S))
      return !N.This;
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(S))
      if (const CallExpr *Call = lookedUp(Cast); Call && algorithm(Call, /*Position=*/true))
        return true;
    if (const auto *Cast = dyn_cast<ExplicitCastExpr>(S); Cast && dropsConst(Cast))
      return false;
    if (const auto *Cast = dyn_cast<CastExpr>(S); Cast && reads(Cast))
      return true;
    if (const auto *Operator = dyn_cast<BinaryOperator>(S);
        Operator && (Operator->isComparisonOp() ||
                     (Operator->getOpcode() == BO_Sub && Operator->getRHS()->getType()->isPointerType())))
      return value(Operator->getLHS()) && value(Operator->getRHS());
    if (const auto *Call = dyn_cast<CallExpr>(S))
      return call(Call);
    if (const auto *Range = dyn_cast<CXXForRangeStmt>(S))
      return range(Range);
    for (const Stmt *Inner : S->children())
      if (!harmless(Inner))
        return false;
    return true;
  }

private:
  const Names &N;
  Work &W;

  // A const reference that was passed on may be cast to non-const.
  static bool dropsConst(const CastExpr *Cast) {
    const Expr *E = Cast->getSubExprAsWritten();
    const bool Place = Cast->isGLValue();
    return (Place || (Cast->getType()->isPointerType() && E->getType()->isPointerType())) &&
           toConst(E->getType(), Place) && !toConst(Cast->getType(), Place);
  }

  bool reads(const CastExpr *Cast) {
    const Expr *E = Cast->getSubExpr();
    switch (Cast->getCastKind()) {
    case CK_LValueToRValue:
      return place(E);
    case CK_ToVoid:
      return place(E) || pointer(E);
    case CK_PointerToBoolean:
      return pointer(E);
    case CK_NoOp:
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase:
      return toConst(Cast->getType(), Cast->isGLValue()) && (Cast->isGLValue() ? place(E) : pointer(E));
    default:
      return false;
    }
  }

  // A pointer that is only read.
  bool value(const Expr *E) { return pointer(E) || harmless(E); }

  static bool keeps(const CastExpr *Cast) {
    return Cast->getCastKind() == CK_NoOp || Cast->getCastKind() == CK_DerivedToBase ||
           Cast->getCastKind() == CK_UncheckedDerivedToBase;
  }

  // Whether E is the object or a part of it, and nothing in it changes the object.
  bool place(const Expr *E) {
    E = E->IgnoreParens();
    if (++W.Steps > MostSteps)
      return false;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return N.References.count(Ref->getDecl());
    if (const auto *Member = dyn_cast<MemberExpr>(E)) {
      const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
      if (!Field || Field->getType()->isReferenceType())
        return false;
      return Member->isArrow() ? pointer(Member->getBase()) : place(Member->getBase());
    }
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
      return pointer(Subscript->getBase()) && harmless(Subscript->getIdx());
    if (const auto *Operator = dyn_cast<UnaryOperator>(E))
      return Operator->getOpcode() == UO_Deref && pointer(Operator->getSubExpr());
    if (const auto *Cast = dyn_cast<CastExpr>(E))
      return keeps(Cast) && place(Cast->getSubExpr());
    if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(E))
      return element(Call) ||
             (Call->getNumArgs() == 2 &&
              ((standardElement(Call->getDirectCallee()) && place(Call->getArg(0))) ||
               (Call->getOperator() == OO_Subscript && view(Call->getArg(0)) && !holdsReferences(Call->getType()))) &&
              harmless(Call->getArg(1)));
    if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E)) {
      if (!(standardElement(Call->getDirectCallee()) && object(Call)) && !elementOfView(Call))
        return false;
      return llvm::all_of(Call->arguments(), [&](const Expr *A) { return harmless(A); });
    }
    return false;
  }

  bool iterator(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    if (const auto *Member = dyn_cast<MemberExpr>(E); Member && !Member->isArrow())
      return isa<FieldDecl>(Member->getMemberDecl()) && iterator(Member->getBase());
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    return Ref && N.Iterator && wholeOf(Ref->getDecl()) == N.Iterator;
  }
  bool element(const CXXOperatorCallExpr *Call) const {
    return (Call->getOperator() == OO_Star || Call->getOperator() == OO_Arrow) && Call->getNumArgs() == 1 &&
           iterator(Call->getArg(0)) && !holdsReferences(Call->getType());
  }
  bool compares(const CallExpr *Call) {
    return comparesPositions(Call) && !Call->getType()->isRecordType() &&
           llvm::all_of(argumentsOf(Call), [&](const Expr *A) { return iterator(A) || harmless(A); });
  }

  // Whether E is a view of the object, and its adaptors do not change it.
  bool view(const Expr *E) {
    E = withoutTemporaries(E);
    if (++W.Steps > MostSteps)
      return false;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return N.View && Ref->getDecl() == N.View;
    const Expr *Range = rangeOfView(E);
    if (!Range || !(place(Range) || view(Range)))
      return false;
    return llvm::all_of(otherArguments(E), [&](const Expr *A) { return callableReads(A) && harmless(A); });
  }
  bool ofView(const CXXMemberCallExpr *Call, std::initializer_list<llvm::StringRef> Names) {
    const CXXMethodDecl *Method = Call->getMethodDecl();
    const Expr *Base = Call->getImplicitObjectArgument();
    return Method && Base && Method->getIdentifier() && llvm::is_contained(Names, Method->getName()) && view(Base);
  }
  bool elementOfView(const CXXMemberCallExpr *Call) {
    return ofView(Call, {"front", "back"}) && !holdsReferences(Call->getType());
  }

  bool algorithm(const CallExpr *Call, bool Position) {
    const auto Ranges = rangesRead(Call, Position);
    return !Ranges.empty() && llvm::all_of(argumentsOf(Call), [&](const Expr *A) {
      return (llvm::is_contained(Ranges, A) && (place(withoutTemporaries(A)) || view(A))) || harmless(A);
    });
  }

  // Whether E points to the object, or into it.
  bool pointer(const Expr *E) {
    E = E->IgnoreParens();
    if (++W.Steps > MostSteps)
      return false;
    if (isa<CXXThisExpr>(E))
      return N.This;
    if (const auto *Arrow = dyn_cast<CXXOperatorCallExpr>(E))
      return Arrow->getOperator() == OO_Arrow && element(Arrow);
    if (const auto *Cast = dyn_cast<CastExpr>(E)) {
      const Expr *Inner = Cast->getSubExpr()->IgnoreParens();
      if (Cast->getCastKind() == CK_LValueToRValue)
        return itself(Inner) || moved(Inner);
      if (Cast->getCastKind() == CK_ArrayToPointerDecay)
        return place(Inner);
      return keeps(Cast) && pointer(Inner);
    }
    if (const auto *Operator = dyn_cast<UnaryOperator>(E))
      return moved(Operator) || (Operator->getOpcode() == UO_AddrOf && place(Operator->getSubExpr()));
    if (const auto *Operator = dyn_cast<BinaryOperator>(E); Operator && Operator->isAdditiveOp())
      return (pointer(Operator->getLHS()) && harmless(Operator->getRHS())) ||
             (Operator->getOpcode() == BO_Add && pointer(Operator->getRHS()) && harmless(Operator->getLHS()));
    return false;
  }
  bool itself(const Expr *E) const {
    const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParens());
    return (Ref && N.Pointer && Ref->getDecl() == N.Pointer) || (E->getType()->isPointerType() && iterator(E));
  }
  bool moved(const Expr *E) const {
    const auto *Operator = dyn_cast<UnaryOperator>(E);
    return Operator && Operator->isIncrementDecrementOp() && itself(Operator->getSubExpr());
  }

  bool object(const CXXMemberCallExpr *Call) {
    const Expr *Base = Call->getImplicitObjectArgument();
    return Base && (Base->getType()->isPointerType() ? pointer(Base) : place(Base));
  }

  bool call(const CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    llvm::ArrayRef<const Expr *> Arguments(Call->getArgs(), Call->getNumArgs());
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
    if (algorithm(Call, /*Position=*/false) || compares(Call))
      return true;
    if (const auto *Member = dyn_cast<CXXMemberCallExpr>(Call);
        Member && (ofView(Member, {"size", "empty", "size_bytes", "length"}) ||
                   (ofView(Member, {"begin", "end"}) && yieldsValues(Member->getImplicitObjectArgument()->getType()))))
      return true;
    if (const auto *Member = dyn_cast<CXXMemberCallExpr>(Call); Member && Method && object(Member)) {
      if (!Method->isConst() && !inside(*Method, Object))
        return false;
    } else if (!harmless(Call->getCallee())) {
      return false;
    }
    if (isa<CXXOperatorCallExpr>(Call) && Method && !Method->isStatic() && !Arguments.empty()) {
      const Expr *First = Arguments.front();
      if (place(First) ? !Method->isConst() && !inside(*Method, Object) : !harmless(First))
        return false;
      Arguments = Arguments.drop_front();
    }
    for (unsigned I = 0; I < Arguments.size(); ++I) {
      const Expr *A = Arguments[I];
      if (!harmless(A) && !(Callee && I < Callee->getNumParams() && (place(A) || pointer(A)) && inside(*Callee, I)))
        return false;
    }
    return true;
  }

  bool range(const CXXForRangeStmt *For) {
    const Expr *Of = For->getRangeInit();
    const VarDecl *V = For->getLoopVariable();
    if (Of && V && view(Of))
      return !holdsReferences(V->getType()) && harmless(For->getInit()) && harmless(For->getBody()) &&
             through(*V, For->getBody());
    if (!Of || !V || !place(Of)) {
      for (const Stmt *Inner : For->children())
        if (!harmless(Inner))
          return false;
      return true;
    }
    if (!Of->getType()->isArrayType() && !standardContainer(Of->getType()))
      return false;
    return harmless(For->getInit()) && harmless(For->getBody()) && through(*V, For->getBody());
  }

  bool inside(const FunctionDecl &F, unsigned Which) { return function(F, Which, W); }

public:
  bool through(const VarDecl &V, const Stmt *Within);
  static bool function(const FunctionDecl &F, unsigned Which, Work &W);
};

bool Reader::function(const FunctionDecl &F, unsigned Which, Work &W) {
  const FunctionDecl *Definition = nullptr;
  if (!F.isDefined(Definition) || !Definition->getBody() || Definition->isDependentContext() || F.hasAttr<WeakAttr>() ||
      isa<CXXConstructorDecl, CXXDestructorDecl>(F))
    return false;
  if (const auto *M = dyn_cast<CXXMethodDecl>(&F); M && M->isVirtual() && !M->getParent()->isEffectivelyFinal())
    return false;
  auto [It, New] = W.Known.insert({{Definition, Which}, true});
  if (!New)
    return It->second;
  Names N;
  if (Which == Object) {
    N.This = true;
  } else {
    const ParmVarDecl *P = Definition->getParamDecl(Which);
    if (P->getType()->isReferenceType())
      N.References.insert(P);
    else
      N.Pointer = P;
  }
  const bool Answer = ++W.Calls <= MostCalls && Reader(N, W).harmless(Definition->getBody());
  --W.Calls;
  W.Known[{Definition, Which}] = Answer;
  return Answer;
}

bool Reader::through(const VarDecl &V, const Stmt *Within) {
  if (!V.getType()->isReferenceType() || V.getType()->getPointeeType().isConstQualified())
    return true;
  if (V.getType()->isDependentType() || V.getDeclContext()->isDependentContext())
    return false;
  Names Inner;
  Inner.References.insert(&V);
  if (const auto *Parts = dyn_cast<DecompositionDecl>(&V))
    for (const BindingDecl *B : Parts->bindings()) {
      if (B->getHoldingVar() && !standardContainer(V.getType())) // Through a user-defined get().
        return false;
      Inner.References.insert(B);
    }
  return Reader(Inner, W).harmless(Within);
}

} // namespace

bool onlyReads(const FunctionDecl &F, unsigned Parameter) {
  Work W;
  return Parameter < F.getNumParams() && Reader::function(F, Parameter, W);
}

bool onlyReadsObject(const CXXMethodDecl &F) {
  Work W;
  return Reader::function(F, Object, W);
}

bool onlyReadsVariable(const Stmt *Within, const VarDecl &Variable) {
  Work W;
  Names N;
  N.References.insert(&Variable);
  return Reader(N, W).harmless(Within);
}

bool onlyReadsThrough(const Stmt *Within, const VarDecl &View) {
  Work W;
  Names N;
  N.View = &View;
  return Reader(N, W).harmless(Within);
}

bool onlyReadsAt(const Stmt *Within, const VarDecl &Iterator) {
  Work W;
  Names N;
  N.Iterator = &Iterator;
  const Expr *Init = Iterator.getInit();
  if (const auto *Full = dyn_cast_or_null<FullExpr>(Init))
    Init = Full->getSubExpr();
  const bool Own = !Iterator.getType()->isReferenceType() || isa_and_nonnull<MaterializeTemporaryExpr>(Init);
  return Own && Reader(N, W).harmless(Within);
}

bool onlyReads(const Stmt *Within, const VarDecl &Reference) {
  Work W;
  return Reader(Names(), W).through(Reference, Within);
}

} // namespace hsched::cc
