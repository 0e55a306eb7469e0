// What a kernel reads and writes through its pointer parameters, from l-value and r-value use.
//
// Flow-insensitive: a local pointer stands for every parameter it may point into. Where a pointer leaves what can be
// seen (stored in memory, returned, handed to a function without a body here), its memory counts as read and written.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/KernelInternal.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"

#include <map>
#include <set>

using namespace clang;

namespace hsched::cc {
namespace {

struct Use {
  bool Read = false, Written = false;
};

using Roots = std::set<unsigned>; // indices of parameters

// One function's uses of its own parameters; callees are looked into once each and remembered in Known.
class UseFinder : public RecursiveASTVisitor<UseFinder> {
public:
  using Summary = std::vector<Use>;
  struct Shared {
    std::map<const FunctionDecl *, Summary> Known; // of finished functions
    std::set<const FunctionDecl *> Open;           // OpenCL forbids recursion; wrong input must still end
    unsigned WorkDim = 0;
  };

  UseFinder(const FunctionDecl &F, Shared &All) : F(F), All(All), Uses(F.getNumParams()) {
    for (unsigned I = 0; I != F.getNumParams(); ++I)
      if (F.getParamDecl(I)->getType()->isPointerType())
        Aliases[F.getParamDecl(I)] = {I};
  }

  Summary run() {
    do {
      Grown = false;
      TraverseStmt(F.getBody());
    } while (Grown);
    return Uses;
  }

  bool VisitVarDecl(VarDecl *V) {
    if (!V->hasInit())
      return true;
    if (V->getType()->isPointerType())
      alias(V, rootsOf(V->getInit()));
    else if (isa<InitListExpr>(V->getInit()))
      for (const Stmt *Child : V->getInit()->children())
        if (const auto *E = dyn_cast_or_null<Expr>(Child); E && E->getType()->isPointerType())
          use(rootsOf(E), true, true);
    return true;
  }

  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    if (E->getCastKind() == CK_LValueToRValue)
      use(memoryOf(E->getSubExpr()), true, false);
    return true;
  }

  bool VisitBinaryOperator(BinaryOperator *E) {
    if (!E->isAssignmentOp())
      return true;
    use(memoryOf(E->getLHS()), E->isCompoundAssignmentOp(), true);
    if (E->getOpcode() == BO_Assign && E->getType()->isPointerType()) {
      const auto *Ref = dyn_cast<DeclRefExpr>(E->getLHS()->IgnoreParens());
      if (const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr; V && V->isLocalVarDeclOrParm())
        alias(V, rootsOf(E->getRHS()));
      else
        use(rootsOf(E->getRHS()), true, true);
    }
    return true;
  }

  bool VisitUnaryOperator(UnaryOperator *E) {
    if (E->isIncrementDecrementOp())
      use(memoryOf(E->getSubExpr()), true, true);
    // The address of a pointer variable: whoever gets it may follow it or aim it elsewhere.
    if (E->getOpcode() == UO_AddrOf && E->getSubExpr()->getType()->isPointerType())
      use(rootsOf(E->getSubExpr()), true, true);
    return true;
  }

  bool VisitCastExpr(CastExpr *E) {
    if (E->getCastKind() == CK_PointerToIntegral)
      use(rootsOf(E->getSubExpr()), true, true);
    return true;
  }

  bool VisitReturnStmt(ReturnStmt *S) {
    if (const Expr *E = S->getRetValue(); E && E->getType()->isPointerType())
      use(rootsOf(E), true, true);
    return true;
  }

  bool VisitAsmStmt(AsmStmt *) {
    for (Use &U : Uses)
      U = {true, true};
    return true;
  }

  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *Callee = E->getDirectCallee();
    noteDimension(Callee, *E);
    const FunctionDecl *Body = nullptr;
    if (Callee && Callee->hasBody(Body) && All.Open.insert(Body).second) {
      if (!All.Known.count(Body)) {
        Summary Found = UseFinder(*Body, All).run();
        All.Known[Body] = std::move(Found);
      }
      All.Open.erase(Body);
    }
    auto Known = Body ? All.Known.find(Body) : All.Known.end();
    for (unsigned I = 0; I != E->getNumArgs(); ++I) {
      const Expr *Arg = E->getArg(I);
      if (!Arg->getType()->isPointerType())
        continue;
      const Roots R = rootsOf(Arg);
      if (R.empty())
        continue;
      if (Known != All.Known.end() && I < Known->second.size())
        use(R, Known->second[I].Read, Known->second[I].Written);
      else
        useByBuiltin(R, Callee, I);
    }
    return true;
  }

private:
  void noteDimension(const FunctionDecl *Callee, const CallExpr &E) {
    if (!Callee || !Callee->getIdentifier() || E.getNumArgs() != 1)
      return;
    static const std::set<StringRef> Queries = {"get_global_id",   "get_local_id",   "get_group_id",
                                                "get_global_size", "get_local_size", "get_num_groups"};
    Expr::EvalResult Value;
    if (Queries.count(Callee->getName()) && E.getArg(0)->EvaluateAsInt(Value, F.getASTContext()))
      if (const std::uint64_t K = Value.Val.getInt().getLimitedValue(); K < 3)
        All.WorkDim = std::max(All.WorkDim, unsigned(K) + 1);
  }

  // A call that cannot be looked into: OpenCL's own functions by name, the rest by the type of the parameter.
  void useByBuiltin(const Roots &R, const FunctionDecl *Callee, unsigned Arg) {
    const StringRef Name = Callee && Callee->getIdentifier() ? Callee->getName() : StringRef();
    if (Name.starts_with("vload") || Name == "prefetch")
      return use(R, Name != "prefetch", false);
    if (Name.starts_with("vstore"))
      return use(R, false, true);
    if (Name.starts_with("async_work_group_"))
      return use(R, Arg != 0, Arg == 0);
    if (Name == "fract" || Name == "frexp" || Name == "modf" || Name == "sincos" || Name == "remquo" ||
        Name == "lgamma_r" || Name == "atomic_store" || Name == "atomic_store_explicit" || Name == "atomic_init")
      return use(R, false, true);
    const bool Const = Callee && Arg < Callee->getNumParams() &&
                       Callee->getParamDecl(Arg)->getType()->isPointerType() &&
                       Callee->getParamDecl(Arg)->getType()->getPointeeType().isConstQualified();
    use(R, true, !Const);
  }

  void use(const Roots &R, bool Read, bool Written) {
    for (unsigned I : R) {
      Use &U = Uses[I];
      Grown |= (Read && !U.Read) || (Written && !U.Written);
      U.Read |= Read;
      U.Written |= Written;
    }
  }

  void alias(const VarDecl *V, const Roots &R) {
    Roots &Mine = Aliases[V];
    for (unsigned I : R)
      Grown |= Mine.insert(I).second;
  }

  // Parameters into whose memory an l-value may reach; empty for variables.
  Roots memoryOf(const Expr *E) const {
    E = E->IgnoreParens();
    if (const auto *Sub = dyn_cast<ArraySubscriptExpr>(E))
      return rootsOf(Sub->getBase());
    if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_Deref)
      return rootsOf(Unary->getSubExpr());
    if (const auto *Member = dyn_cast<MemberExpr>(E))
      return Member->isArrow() ? rootsOf(Member->getBase()) : memoryOf(Member->getBase());
    if (const auto *Vector = dyn_cast<ExtVectorElementExpr>(E))
      return Vector->isArrow() ? rootsOf(Vector->getBase()) : memoryOf(Vector->getBase());
    if (const auto *Cast = dyn_cast<CastExpr>(E); Cast && Cast->isGLValue())
      return memoryOf(Cast->getSubExpr());
    return {};
  }

  // Parameters into whose memory a pointer may point.
  Roots rootsOf(const Expr *E) const {
    E = E->IgnoreParens();
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      auto It = V ? Aliases.find(V) : Aliases.end();
      return It == Aliases.end() ? Roots() : It->second;
    }
    if (const auto *Cast = dyn_cast<CastExpr>(E)) {
      if (Cast->getCastKind() == CK_ArrayToPointerDecay)
        return memoryOf(Cast->getSubExpr());
      return rootsOf(Cast->getSubExpr());
    }
    if (const auto *Unary = dyn_cast<UnaryOperator>(E))
      return Unary->getOpcode() == UO_AddrOf ? memoryOf(Unary->getSubExpr()) : rootsOf(Unary->getSubExpr());
    if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
      if (Binary->isAssignmentOp() && Binary->getOpcode() != BO_Assign)
        return rootsOf(Binary->getLHS());
      if (Binary->getOpcode() == BO_Assign || Binary->getOpcode() == BO_Comma)
        return rootsOf(Binary->getRHS());
      return both(Binary->getLHS(), Binary->getRHS());
    }
    if (const auto *Choice = dyn_cast<AbstractConditionalOperator>(E))
      return both(Choice->getTrueExpr(), Choice->getFalseExpr());
    if (const auto *Call = dyn_cast<CallExpr>(E)) {
      Roots R;
      for (const Expr *Arg : Call->arguments())
        if (Arg->getType()->isPointerType())
          R.merge(rootsOf(Arg));
      return R;
    }
    return {};
  }

  Roots both(const Expr *A, const Expr *B) const {
    Roots R = rootsOf(A);
    R.merge(rootsOf(B));
    return R;
  }

  const FunctionDecl &F;
  Shared &All;
  Summary Uses;
  std::map<const VarDecl *, Roots> Aliases;
  bool Grown = false;
};

} // namespace

void findUses(const FunctionDecl &Def, KernelInfo &Kernel) {
  UseFinder::Shared All;
  All.Open.insert(&Def);
  const UseFinder::Summary Found = UseFinder(Def, All).run();
  for (std::size_t I = 0; I != Kernel.Params.size() && I != Found.size(); ++I)
    if (Kernel.Params[I].Pointer) {
      Kernel.Params[I].Read = Found[I].Read;
      Kernel.Params[I].Written = Found[I].Written;
    }
  Kernel.WorkDim = All.WorkDim;
}

} // namespace hsched::cc
