// Effects of a function whose body is not analysed: everything that its prototype permits, minus what a quick scan of
// the body excludes. The scan costs no budget: each expression is visited once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

using namespace clang;

namespace hsched::cc {

namespace {

struct Use {
  bool Read = false, Written = false;
  void operator|=(const Use &O) { Read |= O.Read, Written |= O.Written; }
};
constexpr Use Both{true, true};

// How a body uses what a pointer or a reference parameter leads to: p[i] and p->x that are loaded or assigned, and p +
// i that is handed to a function whose body is visible. Any other mention of the parameter may read and write.
class ParameterUses {
public:
  Use of(const FunctionDecl &F, unsigned Index) {
    const FunctionDecl *Def = nullptr;
    if (!F.hasBody(Def) || Index >= Def->getNumParams())
      return Both;
    const ParmVarDecl *Parameter = Def->getParamDecl(Index);
    if (!Parameter->isReferenced())
      return {};
    const auto [At, New] = Known.try_emplace(Parameter, Both); // For a recursive function.
    if (!New)
      return At->second;
    const ParmVarDecl *const Outer = std::exchange(Of, Parameter);
    const Use Before = std::exchange(Found, Use());
    Mentioned = false;
    visit(Def->getBody());
    // If no visit reaches it, as in a constructor's initialisers, it may be used in any way.
    const Use Seen = Mentioned ? Found : Both;
    Of = Outer;
    Found = Before;
    Mentioned = true;
    return Known[Parameter] = Seen;
  }

private:
  std::map<const ParmVarDecl *, Use> Known;
  const ParmVarDecl *Of = nullptr;
  Use Found;
  bool Mentioned = false;
  using Others = llvm::SmallVector<const Expr *, 4>; // Expressions beside the one that leads to the parameter.

  void visit(const Stmt *S) {
    if (!S)
      return;
    if (const auto *E = dyn_cast<DeclRefExpr>(S)) {
      if (E->getDecl() == Of)
        note(Both);
      return;
    }
    if (const auto *E = dyn_cast<ImplicitCastExpr>(S); E && E->getCastKind() == CK_LValueToRValue) {
      if (uses(E->getSubExpr(), {true, false}))
        return;
    } else if (const auto *E = dyn_cast<BinaryOperator>(S); E && E->isAssignmentOp()) {
      if (uses(E->getLHS(), {E->isCompoundAssignmentOp(), true})) {
        visit(E->getRHS());
        return;
      }
    } else if (const auto *E = dyn_cast<CallExpr>(S)) {
      call(*E);
      return;
    } else if (const auto *E = dyn_cast<BlockExpr>(S)) {
      visit(E->getBody());
      return;
    } else if (const auto *E = dyn_cast<CXXDefaultInitExpr>(S)) {
      visit(E->getExpr());
      return;
    }
    for (const Stmt *Child : S->children())
      visit(Child);
  }

  void note(Use U) {
    Found |= U;
    Mentioned = true;
  }

  // Records Use if the glvalue is in memory behind the parameter.
  bool uses(const Expr *E, Use How) {
    Others Beside;
    if (!isBehind(E, Beside))
      return false;
    note(How);
    for (const Expr *Each : Beside)
      visit(Each);
    return true;
  }

  void call(const CallExpr &E) {
    const FunctionDecl *F = E.getDirectCallee();
    visit(E.getCallee());
    const bool Object = isa<CXXOperatorCallExpr>(E); // Among the arguments.
    for (unsigned I = 0; I != E.getNumArgs(); ++I) {
      Others Beside;
      if (!F || Object || I >= F->getNumParams() || !leadsThere(E.getArg(I), Beside)) {
        visit(E.getArg(I));
        continue;
      }
      const QualType Pointee = F->getParamDecl(I)->getType()->getPointeeType();
      Use How = of(*F, I);
      if (!Pointee.isNull() && Pointee.isConstQualified())
        How.Written = false;
      note(How);
      for (const Expr *Each : Beside)
        visit(Each);
    }
  }

  bool isBehind(const Expr *E, Others &Beside) const {
    E = E->IgnoreParens();
    if (const auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      Beside.push_back(S->getIdx());
      return leadsThere(S->getBase(), Beside);
    }
    if (const auto *U = dyn_cast<UnaryOperator>(E))
      return U->getOpcode() == UO_Deref && leadsThere(U->getSubExpr(), Beside);
    if (const auto *M = dyn_cast<MemberExpr>(E))
      return isa<FieldDecl>(M->getMemberDecl()) &&
             (M->isArrow() ? leadsThere(M->getBase(), Beside) : isBehind(M->getBase(), Beside));
    if (const auto *V = dyn_cast<ExtVectorElementExpr>(E))
      return !V->isArrow() && isBehind(V->getBase(), Beside);
    if (const auto *C = dyn_cast<CastExpr>(E))
      return (C->getCastKind() == CK_NoOp || C->getCastKind() == CK_LValueBitCast) && isBehind(C->getSubExpr(), Beside);
    const auto *D = dyn_cast<DeclRefExpr>(E);
    return D && D->getDecl() == Of && Of->getType()->isReferenceType();
  }

  // True if the pointer or reference may have the parameter's target.
  bool leadsThere(const Expr *E, Others &Beside) const {
    E = E->IgnoreParens();
    if (E->isGLValue())
      return isBehind(E, Beside);
    if (const auto *C = dyn_cast<CastExpr>(E)) {
      switch (C->getCastKind()) {
      case CK_LValueToRValue: {
        const auto *D = dyn_cast<DeclRefExpr>(C->getSubExpr()->IgnoreParens());
        return D && D->getDecl() == Of;
      }
      case CK_ArrayToPointerDecay:
        return isBehind(C->getSubExpr(), Beside);
      case CK_NoOp:
      case CK_BitCast:
      case CK_AddressSpaceConversion:
        return leadsThere(C->getSubExpr(), Beside);
      default:
        return false;
      }
    }
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp()) {
      const bool Left = B->getLHS()->getType()->isPointerType();
      Beside.push_back(Left ? B->getRHS() : B->getLHS());
      return leadsThere(Left ? B->getLHS() : B->getRHS(), Beside);
    }
    if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf)
      return isBehind(U->getSubExpr(), Beside);
    return false;
  }
};

} // namespace

// Memory behind a pointer to const is read; other memory may be updated, unless the body does not use it.
void Lowerer::judgePrototype(const FunctionDecl &F, const std::string &Why) {
  Tree.Complete = false;
  ParameterUses Uses;
  const unsigned N = unsigned(Tree.Roots.size());
  for (unsigned I = 0; I != N; ++I) {
    const Root &R = Tree.Roots[I];
    if (R.K == Root::Anything || R.K == Root::Indirect)
      continue;
    Use U = Both;
    if (R.K == Root::Param && R.Index < F.getNumParams())
      if (const QualType T = F.getParamDecl(R.Index)->getType();
          !All.Distrusted && (T->isPointerType() || T->isReferenceType()))
        U = Uses.of(F, R.Index);
    if (U.Read || U.Written)
      escapeRoot(I, F.getLocation(), Why, /*ReadOnly=*/!U.Written);
  }
  touchAnything(F.getLocation(), Why);
}

} // namespace hsched::cc
