// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/LoopStatements.h"

#include "analysis/lower/Lowerer.h"

using namespace clang;

namespace hsched::cc {

void findAssigned(const Stmt *S, std::set<const ValueDecl *> &Found) {
  if (!S)
    return;
  const Expr *Target = nullptr;
  if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
    Target = B->getLHS();
  else if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp())
    Target = U->getSubExpr();
  else if (const auto *C = dyn_cast<CXXOperatorCallExpr>(S);
           C && C->getNumArgs() &&
           (C->isAssignmentOp() || C->getOperator() == OO_PlusPlus || C->getOperator() == OO_MinusMinus))
    Target = C->getArg(0);
  while (Target) {
    Target = Target->IgnoreParenImpCasts();
    const auto *M = dyn_cast<MemberExpr>(Target);
    if (!M || M->isArrow())
      break;
    Target = M->getBase();
  }
  if (const auto *R = dyn_cast_or_null<DeclRefExpr>(Target))
    Found.insert(R->getDecl());
  for (const Stmt *Child : S->children())
    findAssigned(Child, Found);
}

const Expr *limitOf(const Expr *Cond, const std::set<const ValueDecl *> &Changed) {
  const auto *B = dyn_cast_or_null<BinaryOperator>(Cond ? Cond->IgnoreParenImpCasts() : nullptr);
  if (B && B->getOpcode() == BO_LAnd) {
    const Expr *First = limitOf(B->getLHS(), Changed);
    return First ? First : limitOf(B->getRHS(), Changed);
  }
  if (!B || !B->isComparisonOp())
    return nullptr;
  const auto Counts = [&](const Expr *E) {
    const auto *R = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return R && Changed.count(R->getDecl());
  };
  if (Counts(B->getLHS()) == Counts(B->getRHS()))
    return nullptr;
  return (Counts(B->getLHS()) ? B->getRHS() : B->getLHS())->IgnoreParenImpCasts();
}

// True if the destructor of a T may throw.
static bool destructorThrows(QualType T, unsigned Level = 0) {
  const CXXRecordDecl *R = T->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  R = R ? R->getDefinition() : nullptr;
  if (!R || R->isDependentType() || Level > 6)
    return false;
  if (const CXXDestructorDecl *D = R->getDestructor())
    if (const auto *F = D->getType()->getAs<FunctionProtoType>())
      switch (F->getExceptionSpecType()) {
      case EST_None: // Before C++11.
      case EST_NoexceptFalse:
      case EST_DependentNoexcept:
      case EST_Dynamic:
      case EST_MSAny:
        if (!D->isImplicit())
          return true;
        break;
      default:
        break;
      }
  return llvm::any_of(R->bases(),
                      [&](const CXXBaseSpecifier &B) { return destructorThrows(B.getType(), Level + 1); }) ||
         llvm::any_of(R->fields(), [&](const FieldDecl *F) { return destructorThrows(F->getType(), Level + 1); });
}

bool mayThrow(const Stmt *S) {
  if (!S)
    return false;
  if (const auto *D = dyn_cast<DeclStmt>(S); D && llvm::any_of(D->decls(), [](const Decl *Each) {
                                               const auto *V = dyn_cast<VarDecl>(Each);
                                               return V && !V->getType()->isReferenceType() &&
                                                      destructorThrows(V->getType());
                                             }))
    return true;
  if (const auto *B = dyn_cast<CXXBindTemporaryExpr>(S); B && destructorThrows(B->getType()))
    return true;
  if (const auto *D = dyn_cast<CXXDeleteExpr>(S);
      D && !D->getDestroyedType().isNull() && destructorThrows(D->getDestroyedType()))
    return true;
  if (const auto *A = dyn_cast<CXXDefaultArgExpr>(S))
    return mayThrow(A->getExpr());
  if (const auto *C = dyn_cast<CallExpr>(S)) {
    const FunctionDecl *F = C->getDirectCallee();
    const auto *T = F ? F->getType()->getAs<FunctionProtoType>() : nullptr;
    const ExceptionSpecificationType Of = T ? T->getExceptionSpecType() : EST_None;
    if (!(F && F->getBuiltinID()) && Of != EST_BasicNoexcept && Of != EST_NoexceptTrue && Of != EST_NoThrow &&
        Of != EST_DynamicNone)
      return true;
  }
  if (isa<CXXConstructExpr>(S) && !cast<CXXConstructExpr>(S)->getConstructor()->isTrivial())
    return true;
  return isa<CXXThrowExpr, CXXNewExpr, CXXDynamicCastExpr>(S) || llvm::any_of(S->children(), mayThrow);
}

bool hasThrow(const Stmt *S) { return S && (isa<CXXThrowExpr>(S) || llvm::any_of(S->children(), hasThrow)); }

// True if Is holds for the numbers of a counter of type T, or for those of one of its members.
static bool anyNumber(QualType T, llvm::function_ref<bool(QualType)> Is) {
  T = T.getNonReferenceType();
  const RecordDecl *R = T->getAsRecordDecl();
  R = R ? R->getDefinition() : nullptr;
  if (!R)
    return T->isIntegerType() && !T->isBooleanType() && Is(T);
  if (const auto *C = dyn_cast<CXXRecordDecl>(R);
      C && llvm::any_of(C->bases(), [&](const CXXBaseSpecifier &B) { return anyNumber(B.getType(), Is); }))
    return true;
  // A bit-field has fewer numbers than its type.
  return llvm::any_of(R->fields(), [&](const FieldDecl *F) { return F->isBitField() || anyNumber(F->getType(), Is); });
}

bool wraps(const ASTContext &Context, QualType T) {
  return anyNumber(T, [&](QualType N) {
    return Context.getIntWidth(N) < 64 && (N->isUnsignedIntegerOrEnumerationType() || Lowerer::isNarrow(Context, N));
  });
}

bool narrow(const ASTContext &Context, QualType T) {
  return anyNumber(T, [&](QualType N) { return Lowerer::isNarrow(Context, N); });
}

bool onlyRises(const Stmt *S, const ValueDecl *D) {
  if (!S)
    return true;
  const auto Names = [D](const Expr *E) {
    const auto *R = dyn_cast<DeclRefExpr>(E->IgnoreParens());
    return R && R->getDecl() == D;
  };
  if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementOp() && Names(U->getSubExpr()))
    return true;
  if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->getOpcode() == BO_AddAssign && Names(B->getLHS()))
    if (const auto *N = dyn_cast<IntegerLiteral>(B->getRHS()->IgnoreParenImpCasts()); N)
      return true;
  if (const auto *C = dyn_cast<ImplicitCastExpr>(S);
      C && C->getCastKind() == CK_LValueToRValue && Names(C->getSubExpr()))
    return true;
  if (const auto *R = dyn_cast<DeclRefExpr>(S); R && R->getDecl() == D)
    return false;
  return llvm::all_of(S->children(), [D](const Stmt *C) { return onlyRises(C, D); });
}

bool leaves(const Stmt *S) {
  return S && (isa<BreakStmt, ReturnStmt, GotoStmt, IndirectGotoStmt, CXXThrowExpr, CoreturnStmt>(S) ||
               llvm::any_of(S->children(), leaves));
}

} // namespace hsched::cc
