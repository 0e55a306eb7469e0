// What a kernel reads and writes through its pointer parameters, as its access tree tells, and how many dimensions of
// the index space it asks for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/KernelInternal.h"
#include "model/AccessTree.h"

#include "clang/AST/ASTContext.h"

#include <functional>
#include <set>

using namespace clang;

namespace hsched::cc {
namespace {

// 1 + the highest dimension that a kernel, or a function that it calls, asks for by a constant.
class DimensionFinder {
public:
  explicit DimensionFinder(const ASTContext &Context) : Context(Context) {}

  void visit(const FunctionDecl &F) {
    const FunctionDecl *Def = nullptr;
    if (F.hasBody(Def) && Seen.insert(Def).second)
      visit(Def->getBody());
  }

  unsigned WorkDim = 0;

private:
  void visit(const Stmt *S) {
    if (!S)
      return;
    if (const auto *E = dyn_cast<CallExpr>(S))
      if (const FunctionDecl *Callee = E->getDirectCallee()) {
        note(*Callee, *E);
        visit(*Callee);
      }
    if (const auto *D = dyn_cast<DeclStmt>(S)) // initializers are not always children
      for (const Decl *Each : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(Each); V && V->hasInit())
          visit(V->getInit());
    for (const Stmt *Child : S->children())
      visit(Child);
  }

  void note(const FunctionDecl &Callee, const CallExpr &E) {
    if (!Callee.getIdentifier() || E.getNumArgs() != 1)
      return;
    static const std::set<StringRef> Queries = {"get_global_id",   "get_local_id",   "get_group_id",
                                                "get_global_size", "get_local_size", "get_num_groups"};
    Expr::EvalResult Value;
    if (Queries.count(Callee.getName()) && E.getArg(0)->EvaluateAsInt(Value, Context))
      if (const std::uint64_t K = Value.Val.getInt().getLimitedValue(); K < 3)
        WorkDim = std::max(WorkDim, unsigned(K) + 1);
  }

  const ASTContext &Context;
  std::set<const FunctionDecl *> Seen;
};

} // namespace

unsigned workDimOf(const FunctionDecl &Def) {
  DimensionFinder Dimensions(Def.getASTContext());
  Dimensions.visit(Def);
  return Dimensions.WorkDim;
}

void findUses(const FunctionDecl &Def, KernelInfo &Kernel) {
  const AccessTree &Tree = *Kernel.Tree;
  const std::function<void(const Node &)> Visit = [&](const Node &N) {
    if (N.K == Node::Leaf) {
      unsigned R = N.A.RootId;
      const bool Behind =
          Tree.Roots[R].K == Root::Indirect; // memory behind pointers in a buffer: shared virtual memory
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
    if (P.Pointer && P.Where == KernelParam::Local) // no memory of anybody else's: of no interest, and not in the tree
      P.Read = P.Written = true;
  }
}

} // namespace hsched::cc
