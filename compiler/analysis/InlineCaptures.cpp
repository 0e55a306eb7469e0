// What the statement of an inline task uses of what is declared around it, and whether control stays in it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/BindInternal.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Sema/Initialization.h"
#include "llvm/ADT/MapVector.h"

using namespace clang;

namespace hsched::cc {
namespace {

class Block : public BindContext {
public:
  Block(const BindContext &C, BoundInline &B, const InlinePlace &Place) : BindContext(C), B(B), Place(Place) {}

  bool run(const std::map<const ValueDecl *, CaptureCode::How> &Named) {
    Begin = SM.getExpansionLoc(B.Target->getBeginLoc());
    walk(B.Target, Control());
    for (const auto &[V, First] : Uses)
      capture(V, First, Named);
    B.Code.CapturesThis = UsesThis;
    return Good;
  }

private:
  // What control can leave without leaving the block.
  struct Control {
    bool Loop = false, Switch = false, Function = false;
  };

  BoundInline &B;
  const InlinePlace &Place;
  SourceLocation Begin;
  bool Good = true, UsesThis = false;
  llvm::MapVector<const ValueDecl *, SourceLocation> Uses; // with the first use

  template <unsigned N, class... Args> void bad(SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
    fail(Loc, Format, Values...);
    Good = false;
  }

  bool declaredOutside(const Decl *D) const {
    return SM.isBeforeInTranslationUnit(SM.getExpansionLoc(D->getLocation()), Begin);
  }
  void use(const ValueDecl *V, SourceLocation Loc) {
    if (declaredOutside(V))
      Uses.insert({V, Loc});
  }

  void walk(const Stmt *S, Control C) {
    if (!S)
      return;
    switch (S->getStmtClass()) {
    case Stmt::DeclRefExprClass: {
      const auto *Ref = cast<DeclRefExpr>(S);
      if (Ref->isNonOdrUse() != NOUR_None)
        return;
      if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()); V && V->hasLocalStorage())
        use(V, Ref->getLocation());
      else if (isa<BindingDecl>(Ref->getDecl()) && Ref->getDecl()->getDeclContext()->isFunctionOrMethod())
        use(Ref->getDecl(), Ref->getLocation());
      return;
    }
    case Stmt::CXXThisExprClass:
      UsesThis = true;
      return;
    case Stmt::UnresolvedMemberExprClass:
      UsesThis |= cast<UnresolvedMemberExpr>(S)->isImplicitAccess() && inMember();
      break;
    case Stmt::CXXDependentScopeMemberExprClass:
      UsesThis |= cast<CXXDependentScopeMemberExpr>(S)->isImplicitAccess() && inMember();
      break;
    case Stmt::UnaryExprOrTypeTraitExprClass: // sizeof: nothing is used
    case Stmt::CXXNoexceptExprClass:
      return;
    case Stmt::LambdaExprClass:
      for (const Stmt *Init : cast<LambdaExpr>(S)->capture_inits())
        walk(Init, C);
      C = {true, true, true};
      walk(cast<LambdaExpr>(S)->getBody(), C);
      return;
    case Stmt::ReturnStmtClass:
      if (!C.Function)
        bad(S->getBeginLoc(),
            "'return' leaves the statement of the task, but the function goes on before the task is run: hand a "
            "result out through a variable in a data clause");
      break;
    case Stmt::BreakStmtClass:
      if (!C.Loop && !C.Switch)
        bad(S->getBeginLoc(),
            "'break' leaves the statement of the task: put the directive on the whole loop or switch");
      return;
    case Stmt::ContinueStmtClass:
      if (!C.Loop)
        bad(S->getBeginLoc(), "'continue' leaves the statement of the task: turn the condition round, and let the "
                              "task be what it skips");
      return;
    case Stmt::CaseStmtClass:
    case Stmt::DefaultStmtClass:
      if (!C.Switch)
        bad(S->getBeginLoc(), "a case label inside a task belongs to a switch outside of it");
      break;
    case Stmt::CoawaitExprClass:
    case Stmt::DependentCoawaitExprClass:
    case Stmt::CoyieldExprClass:
    case Stmt::CoreturnStmtClass:
      if (!C.Function)
        bad(S->getBeginLoc(), "a task cannot suspend the coroutine around it");
      break;
    case Stmt::ForStmtClass:
    case Stmt::CXXForRangeStmtClass:
    case Stmt::WhileStmtClass:
    case Stmt::DoStmtClass:
      C.Loop = true;
      break;
    case Stmt::SwitchStmtClass:
      C.Switch = true;
      break;
    default:
      break;
    }
    for (const Stmt *Inner : S->children())
      walk(Inner, C);
  }

  bool inMember() const {
    for (const FunctionDecl *F : Place.Functions)
      if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && M->isInstance() && !M->getParent()->isLambda())
        return true;
    return false;
  }

  void capture(const ValueDecl *V, SourceLocation Loc, const std::map<const ValueDecl *, CaptureCode::How> &Named) {
    CaptureCode C;
    C.Name = V->getNameAsString();
    QualType T = V->getType();
    C.Type = T.getAsString(Context.getPrintingPolicy());
    if (auto It = Named.find(V); It != Named.end())
      C.H = It->second;
    C.Pack = V->isParameterPack();
    B.Code.Captures.push_back(std::move(C));
  }
};

} // namespace

bool captureBlock(BindContext C, BoundInline &B, const InlinePlace &Place,
                  const std::map<const ValueDecl *, CaptureCode::How> &Named) {
  return Block(C, B, Place).run(Named);
}

} // namespace hsched::cc
