// Reads and writes of a kernel through its pointer parameters, from its access tree, and the dimensions of the index
// space that it queries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AstVisitor.h"
#include "analysis/kernel/Internal.h"
#include "model/AccessTree.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

using namespace clang;

namespace hsched::cc {
namespace {

// The dimensions that a kernel or its callees query. A function is analysed once for each set of constant arguments:
// get_global_id(d) queries the value of d.
class DimensionFinder {
public:
  explicit DimensionFinder(const ASTContext &Context) : Context(Context) {}

  void visit(const FunctionDecl &F) { call(F, {}); }

  WorkDims Found;

private:
  static constexpr unsigned Most = 3; // A greater or equal constant queries nothing.
  static constexpr std::size_t MostCalls = 1000;
  using Constant = std::optional<unsigned>; // Limited to Most.

  // Variables that may change after their initialisation.
  class Changes : public AstVisitor {
  public:
    explicit Changes(std::set<const VarDecl *> &Out) : Out(Out) {}
    bool enters(const Stmt &S) override {
      const auto *E = dyn_cast<ImplicitCastExpr>(&S);
      return !E || E->getCastKind() != CK_LValueToRValue || !isa<DeclRefExpr>(E->getSubExpr()->IgnoreParens());
    }
    bool visit(Stmt &S) override {
      if (const auto *E = dyn_cast<DeclRefExpr>(&S))
        if (const auto *V = dyn_cast<VarDecl>(E->getDecl()))
          Out.insert(V);
      return true;
    }

  private:
    std::set<const VarDecl *> &Out;
  };

  void call(const FunctionDecl &F, const std::vector<Constant> &Args) {
    const FunctionDecl *Def = nullptr;
    if (!F.hasBody(Def))
      return;
    if (Seen.size() == MostCalls)
      Found.Possible = Most; // Code that is not analysed may query any dimension.
    else if (Seen.emplace(Def, Args, Sure).second) {
      if (Scanned.insert(Def).second)
        Changes(Changed).visitAll(const_cast<FunctionDecl *>(Def));
      const auto Outer = std::exchange(Bound, {});
      for (unsigned I = 0; I != Def->getNumParams() && I < Args.size(); ++I)
        Bound[Def->getParamDecl(I)] = Args[I];
      if (const auto *C = dyn_cast<CXXConstructorDecl>(Def))
        for (const CXXCtorInitializer *Init : C->inits())
          visit(Init->getInit());
      visit(Def->getBody());
      Bound = Outer;
    }
  }

  void visit(const Stmt *S) {
    if (!S)
      return;
    if (const auto *E = dyn_cast<CallExpr>(S)) {
      if (const FunctionDecl *Callee = E->getDirectCallee()) {
        note(*Callee, *E);
        call(*Callee, constants(*E));
        if (isa<DeclRefExpr>(E->getCallee()->IgnoreParenImpCasts())) {
          for (const Expr *Arg : E->arguments())
            visit(Arg);
          return;
        }
      }
    } else if (const auto *E = dyn_cast<CXXConstructExpr>(S)) {
      call(*E->getConstructor(), {});
    } else if (const auto *E = dyn_cast<DeclRefExpr>(S)) { // Its address is taken: it may be called with any arguments.
      if (const auto *F = dyn_cast<FunctionDecl>(E->getDecl()))
        unsure([&] { call(*F, {}); });
    } else if (const auto *E = dyn_cast<BlockExpr>(S)) {
      unsure([&] { visit(E->getBody()); });
    } else if (const auto *E = dyn_cast<CXXDefaultArgExpr>(S)) {
      visit(E->getExpr());
    } else if (const auto *E = dyn_cast<CXXDefaultInitExpr>(S)) {
      visit(E->getExpr());
    } else if (const auto *D = dyn_cast<DeclStmt>(S)) { // Initialisers are not always children.
      for (const Decl *Each : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(Each); V && V->hasInit())
          visit(V->getInit());
    }
    for (const Stmt *Child : S->children())
      visit(Child);
  }

  // Queries found by Do may not be this kernel's.
  void unsure(llvm::function_ref<void()> Do) {
    const bool Outer = std::exchange(Sure, false);
    Do();
    Sure = Outer;
  }

  void note(const FunctionDecl &Callee, const CallExpr &E) {
    if (!Callee.getIdentifier() || Callee.hasBody())
      return;
    static const std::set<StringRef> Queries = {"get_global_id",     "get_local_id",           "get_group_id",
                                                "get_global_size",   "get_local_size",         "get_num_groups",
                                                "get_global_offset", "get_enqueued_local_size"};
    static const std::set<StringRef> Linear = {"get_global_linear_id", "get_local_linear_id", "get_sub_group_id",
                                               "get_sub_group_local_id"};
    if (Linear.count(Callee.getName()))
      Found.Linear = true;
    if (E.getNumArgs() != 1 || !Queries.count(Callee.getName()))
      return;
    const Constant Dim = constant(E.getArg(0));
    if (!Dim)
      Found.Possible = Most;
    else if (*Dim < Most)
      Found.Possible = std::max(Found.Possible, *Dim + 1);
    if (Sure && Dim && *Dim < Most && evaluated(E.getArg(0)))
      Found.FromConstants = std::max(Found.FromConstants, *Dim + 1);
  }

  std::vector<Constant> constants(const CallExpr &E) const {
    std::vector<Constant> All;
    if (!isa<CXXOperatorCallExpr>(E)) // The object is among the arguments.
      for (const Expr *Arg : E.arguments())
        All.push_back(constant(Arg));
    return All;
  }

  Constant evaluated(const Expr *E) const {
    Expr::EvalResult Value;
    if (E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType() || !E->EvaluateAsInt(Value, Context))
      return std::nullopt;
    return static_cast<unsigned>(Value.Val.getInt().getLimitedValue(Most));
  }

  // The constant value of an expression in the analysed function.
  Constant constant(const Expr *E, unsigned Depth = 0) const {
    if (const Constant Known = evaluated(E))
      return Known;
    // Casts keep 0, 1 and 2. A greater value may become one of them, so only smaller ones are used.
    const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
    const auto *V = Ref && E->getType()->isIntegralOrEnumerationType() ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!V || Depth == 16 || Changed.count(V) || !V->getType()->isIntegralOrEnumerationType())
      return std::nullopt;
    Constant Known;
    if (const auto It = Bound.find(V); It != Bound.end())
      Known = It->second;
    else if (V->hasLocalStorage() && !isa<ParmVarDecl>(V) && V->hasInit())
      Known = constant(V->getInit(), Depth + 1);
    return Known && *Known < Most ? Known : std::nullopt;
  }

  const ASTContext &Context;
  std::set<std::tuple<const FunctionDecl *, std::vector<Constant>, bool>> Seen;
  bool Sure = true;
  std::set<const FunctionDecl *> Scanned;
  std::set<const VarDecl *> Changed;
  std::map<const VarDecl *, Constant> Bound; // Parameters of the analysed function.
};

} // namespace

WorkDims workDimsOf(const FunctionDecl &Def) {
  DimensionFinder Dimensions(Def.getASTContext());
  Dimensions.visit(Def);
  return Dimensions.Found;
}

void findUses(const FunctionDecl &Def, KernelInfo &Kernel) {
  const AccessTree &Tree = *Kernel.Tree;
  const std::function<void(const Node &)> Visit = [&](const Node &N) {
    if (N.K == Node::Leaf) {
      unsigned R = N.A.RootId;
      const bool Behind =
          Tree.Roots[R].K == Root::Indirect; // Memory behind pointers in a buffer: shared virtual memory.
      while (Tree.Roots[R].K == Root::Indirect)
        R = Tree.Roots[R].Parent;
      if (Tree.Roots[R].K == Root::Param && !Behind && Tree.Roots[R].Index < Kernel.Params.size()) {
        KernelParam &P = Kernel.Params[Tree.Roots[R].Index];
        P.Read |= P.Pointer && N.A.K != AccessKind::Write;
        P.Written |= P.Pointer && N.A.K != AccessKind::Read;
      }
    }
    for (const Node &C : N.Children)
      Visit(C);
  };
  Visit(Tree.Body);
  for (std::size_t I = 0; I != Kernel.Params.size() && I != Def.getNumParams(); ++I) {
    KernelParam &P = Kernel.Params[I];
    // Local memory is private to the launch: irrelevant, and not in the tree.
    if (P.Pointer && P.Where == KernelParam::Local)
      P.Read = P.Written = true;
  }
}

} // namespace hsched::cc
