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

bool isAlways(const Expr *Cond) {
  Cond = Cond->IgnoreParenImpCasts();
  const auto *True = dyn_cast<CXXBoolLiteralExpr>(Cond);
  const auto *One = dyn_cast<IntegerLiteral>(Cond);
  return (True && True->getValue()) || (One && One->getValue() != 0);
}

// True if a comparison of numbers or pointers decides, perhaps with other conditions.
static bool compares(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Not = dyn_cast<UnaryOperator>(E))
    return Not->getOpcode() == UO_LNot && compares(Not->getSubExpr());
  const auto *B = dyn_cast<BinaryOperator>(E);
  if (B && B->isLogicalOp())
    return compares(B->getLHS()) || compares(B->getRHS());
  return B && B->isComparisonOp() &&
         (B->getLHS()->getType()->isIntegerType() || B->getLHS()->getType()->isPointerType());
}

// True if S has a statement of which Is holds, and which belongs to no inner loop or, if Switches, switch.
static bool hasOwn(const Stmt *S, bool Switches, llvm::function_ref<bool(const Stmt &)> Is) {
  return S && !isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, LambdaExpr>(S) && !(Switches && isa<SwitchStmt>(S)) &&
         (Is(*S) || llvm::any_of(S->children(), [&](const Stmt *C) { return hasOwn(C, Switches, Is); }));
}

static bool breaks(const Stmt *S) {
  return hasOwn(S, /*Switches=*/true, [](const Stmt &Each) { return isa<BreakStmt>(Each); });
}

// The break or return that S is or ends with; null: none.
static const Stmt *exitIn(const Stmt *S) {
  if (const auto *C = dyn_cast_or_null<CompoundStmt>(S); C && !C->body_empty())
    S = C->body_back();
  return S && isa<BreakStmt, ReturnStmt>(S) ? S : nullptr;
}

// What is left to do behind the loop if S, which ends with an exit, ends it.
static std::vector<const Stmt *> behind(const Stmt *S) {
  std::vector<const Stmt *> All = {S};
  if (const auto *C = dyn_cast<CompoundStmt>(S))
    All.assign(C->body_begin(), C->body_end());
  if (isa<BreakStmt>(All.back()))
    All.pop_back();
  return All;
}

// True if S may run in front of a loop's test: it stays in the loop, and nothing is left to be destroyed.
static bool isPlain(const ASTContext &Context, const Stmt *S, bool Loops) {
  if (!S)
    return true;
  if (isa<BreakStmt, ReturnStmt, GotoStmt, IndirectGotoStmt, ContinueStmt, CXXThrowExpr, CoreturnStmt, LabelStmt,
          SwitchStmt, CXXTryStmt>(S) ||
      (!Loops && isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S)))
    return false;
  if (const auto *D = dyn_cast<DeclStmt>(S); D && llvm::any_of(D->decls(), [&](const Decl *Each) {
                                               const auto *V = dyn_cast<VarDecl>(Each);
                                               return !V || V->needsDestruction(Context) != QualType::DK_none ||
                                                      !V->getType()->isConstantSizeType() || V->isStaticLocal();
                                             }))
    return false;
  return llvm::all_of(S->children(), [&](const Stmt *Child) { return isPlain(Context, Child, Loops); });
}

// True if S has a break or a continue of the loop around it.
static bool leavesEarlier(const Stmt *S) {
  return hasOwn(S, /*Switches=*/false, [](const Stmt &Each) { return isa<BreakStmt, ContinueStmt>(Each); });
}

static bool readsMemory(const Expr *E) {
  return hasOwn(E, /*Switches=*/false, [](const Stmt &S) {
    const auto *U = dyn_cast<UnaryOperator>(&S);
    return isa<ArraySubscriptExpr, CallExpr, MemberExpr>(S) || (U && U->getOpcode() == UO_Deref);
  });
}

std::optional<LoopExit> exitOf(const ASTContext &Context, const Stmt *Body, bool HasStep) {
  std::vector<const Stmt *> All = {Body};
  if (const auto *List = dyn_cast<CompoundStmt>(Body))
    All.assign(List->body_begin(), List->body_end());
  const auto conditional = [](const Stmt *S) {
    const auto *If = dyn_cast<IfStmt>(S);
    return If && !If->getInit() && !If->getConditionVariable() && !If->isConsteval() && !If->isConstexpr() ? If
                                                                                                           : nullptr;
  };
  LoopExit X;
  std::size_t At = 0;
  const Stmt *Rest = nullptr;
  for (bool More = true; More && At != All.size(); ++At) {
    const IfStmt *If = conditional(All[At]);
    const Stmt *Then = If ? exitIn(If->getThen()) : nullptr, *Else = If ? exitIn(If->getElse()) : nullptr;
    const bool Plain = Then && !If->getElse() && behind(If->getThen()).empty();
    if (!X.Cond && !Then && !Else) {
      X.Before.push_back(All[At]);
      continue;
    }
    if (X.Cond && !Plain)
      break;
    // if (data[i]) break; if (i >= n) break;
    X.Cond = X.Cond ? BinaryOperator::Create(Context, const_cast<Expr *>(X.Cond), const_cast<Expr *>(If->getCond()),
                                             BO_LOr, Context.BoolTy, VK_PRValue, OK_Ordinary, If->getBeginLoc(), {})
                    : If->getCond();
    X.Until = Then != nullptr;
    More = Plain && readsMemory(If->getCond());
    X.After = behind(Then ? If->getThen() : If->getElse());
    Rest = Then ? If->getElse() : If->getThen();
  }
  if (!X.Cond || !compares(X.Cond))
    return std::nullopt;
  if (Rest)
    X.Behind.push_back(Rest);
  X.Behind.insert(X.Behind.end(), All.begin() + std::ptrdiff_t(At), All.end());
  X.Last = X.Behind.empty() && !HasStep && !X.Before.empty();
  if (!llvm::all_of(X.Before, [&](const Stmt *S) { return isPlain(Context, S, /*Loops=*/X.Last); }) ||
      (!X.After.empty() && (llvm::any_of(X.Behind, breaks) || llvm::any_of(X.After, leavesEarlier))))
    return std::nullopt;
  return X;
}

} // namespace hsched::cc
