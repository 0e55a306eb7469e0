// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/inline/Place.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace clang;

namespace hsched::cc {
namespace {

// A part of a statement. Only some parts are statements themselves.
struct Part {
  const Stmt *S;
  bool Statement = false;
};
using Parts = llvm::SmallVector<Part, 8>;

Parts partsOf(const Stmt *S) {
  Parts Out;
  auto add = [&](const Stmt *Inner, bool Statement = false) {
    if (Inner)
      Out.push_back({Inner, Statement});
  };
  switch (S->getStmtClass()) {
  case Stmt::CompoundStmtClass:
    for (const Stmt *Inner : cast<CompoundStmt>(S)->body())
      add(Inner, true);
    break;
  case Stmt::IfStmtClass: {
    const auto *If = cast<IfStmt>(S);
    add(If->getInit());
    add(If->getConditionVariableDeclStmt());
    add(If->getCond());
    add(If->getThen(), true);
    add(If->getElse(), true);
    break;
  }
  case Stmt::ForStmtClass: {
    const auto *For = cast<ForStmt>(S);
    add(For->getInit());
    add(For->getConditionVariableDeclStmt());
    add(For->getCond());
    add(For->getInc());
    add(For->getBody(), true);
    break;
  }
  case Stmt::CXXForRangeStmtClass: {
    const auto *For = cast<CXXForRangeStmt>(S);
    add(For->getInit());
    add(For->getRangeInit());
    add(For->getBody(), true);
    break;
  }
  case Stmt::WhileStmtClass: {
    const auto *While = cast<WhileStmt>(S);
    add(While->getConditionVariableDeclStmt());
    add(While->getCond());
    add(While->getBody(), true);
    break;
  }
  case Stmt::DoStmtClass:
    add(cast<DoStmt>(S)->getBody(), true);
    add(cast<DoStmt>(S)->getCond());
    break;
  case Stmt::SwitchStmtClass: {
    const auto *Switch = cast<SwitchStmt>(S);
    add(Switch->getInit());
    add(Switch->getConditionVariableDeclStmt());
    add(Switch->getCond());
    add(Switch->getBody(), true);
    break;
  }
  case Stmt::CaseStmtClass:
  case Stmt::DefaultStmtClass:
    add(cast<SwitchCase>(S)->getSubStmt(), true);
    break;
  case Stmt::LabelStmtClass:
    add(cast<LabelStmt>(S)->getSubStmt(), true);
    break;
  case Stmt::AttributedStmtClass:
    add(cast<AttributedStmt>(S)->getSubStmt(), true);
    break;
  case Stmt::LambdaExprClass:
    for (const Stmt *Init : cast<LambdaExpr>(S)->capture_inits())
      add(Init);
    add(cast<LambdaExpr>(S)->getBody());
    break;
  default:
    for (const Stmt *Inner : S->children())
      add(Inner);
  }
  return Out;
}

class Finder {
public:
  Finder(ASTContext &Context, SourceLocation Loc, InlinePlace &Out)
      : SM(Context.getSourceManager()), Loc(SM.getExpansionLoc(Loc)), Out(Out) {}

  void function(const FunctionDecl *F) {
    Out.Functions.push_back(F);
    Out.Dependent |= F->isDependentContext();
    for (const ParmVarDecl *P : F->parameters())
      declare(P);
    if (const Stmt *Body = F->getBody())
      inside(Body);
  }

private:
  const SourceManager &SM;
  SourceLocation Loc;
  InlinePlace &Out;

  bool behind(SourceLocation A) const { return SM.isBeforeInTranslationUnit(Loc, SM.getExpansionLoc(A)); }
  bool contains(SourceRange R) const {
    return R.isValid() && !behind(R.getBegin()) && behind(SM.getExpansionRange(R.getEnd()).getEnd());
  }

  void declare(const ValueDecl *D) {
    const auto add = [&](const ValueDecl *V) {
      Out.Scope.push_back(V);
      Out.All.push_back(V);
    };
    if (D->getIdentifier())
      add(D);
    if (const auto *Bindings = dyn_cast<DecompositionDecl>(D))
      llvm::for_each(Bindings->bindings(), add);
  }
  void declareOther(const Decl *D) {
    const auto add = [&](const NamedDecl *N) {
      Out.Types.push_back(N);
      Out.All.push_back(N);
    };
    if (const auto *Using = dyn_cast<BaseUsingDecl>(D)) {
      for (const UsingShadowDecl *Each : Using->shadows())
        add(Each->getTargetDecl());
    } else if (const auto *Directive = dyn_cast<UsingDirectiveDecl>(D)) {
      Out.Nominated.push_back(Directive->getNominatedNamespace());
    } else if (const auto *Named = dyn_cast<NamedDecl>(D)) {
      add(Named);
      if (const auto *Enum = dyn_cast<EnumDecl>(D); Enum && !Enum->isScoped())
        llvm::for_each(Enum->enumerators(), add);
    }
  }
  void declare(const Stmt *S) {
    if (const auto *Decls = dyn_cast_or_null<DeclStmt>(S))
      for (const Decl *D : Decls->decls()) {
        if (behind(D->getLocation()))
          continue;
        if (const auto *V = dyn_cast<VarDecl>(D))
          declare(V);
        else
          declareOther(D);
      }
  }
  // Adds the declarations of S that its parts can name.
  void declaredBy(const Stmt *S) {
    if (const auto *If = dyn_cast<IfStmt>(S)) {
      declare(If->getInit());
      declare(If->getConditionVariableDeclStmt());
    } else if (const auto *For = dyn_cast<ForStmt>(S)) {
      declare(For->getInit());
      declare(For->getConditionVariableDeclStmt());
    } else if (const auto *Range = dyn_cast<CXXForRangeStmt>(S)) {
      declare(Range->getInit());
      declare(Range->getLoopVarStmt());
    } else if (const auto *While = dyn_cast<WhileStmt>(S)) {
      declare(While->getConditionVariableDeclStmt());
    } else if (const auto *Switch = dyn_cast<SwitchStmt>(S)) {
      declare(Switch->getInit());
      declare(Switch->getConditionVariableDeclStmt());
    } else if (const auto *Catch = dyn_cast<CXXCatchStmt>(S)) {
      if (const VarDecl *V = Catch->getExceptionDecl())
        declare(V);
    }
  }

  // Descends into S, which contains Loc.
  void inside(const Stmt *S) {
    Out.Around.push_back(S);
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
      for (const LambdaCapture &C : Lambda->captures())
        if (C.capturesVariable() && Lambda->isInitCapture(&C))
          declare(C.getCapturedVar());
      const CXXMethodDecl *Operator = Lambda->getCallOperator();
      if (contains(Lambda->getBody()->getSourceRange())) {
        Out.Functions.push_back(Operator);
        Out.Dependent |= Operator->isDependentContext();
        for (const ParmVarDecl *P : Operator->parameters())
          declare(P);
      }
    }
    declaredBy(S);
    if (const auto *Decls = dyn_cast<DeclStmt>(S))
      for (const Decl *D : Decls->decls())
        if (const auto *Local = dyn_cast<CXXRecordDecl>(D))
          for (const CXXMethodDecl *M : Local->methods())
            if (M->doesThisDeclarationHaveABody() && contains(M->getBody()->getSourceRange())) {
              Out.Scope.clear(); // A local class cannot use the function's variables.
              Out.All = Out.Types;
              function(M);
              return;
            }
    // Parts of expressions are not in source order: the callee of '[] {}()' comes first.
    Parts All = partsOf(S);
    for (const Part &P : All) {
      if (contains(P.S->getSourceRange())) {
        inside(P.S);
        return;
      }
      declare(P.S);
    }
    for (const Part &P : All)
      if (behind(P.S->getBeginLoc())) {
        Out.Target = P.Statement ? P.S : nullptr;
        return;
      }
  }
};

} // namespace

const ValueDecl *InlinePlace::find(llvm::StringRef Name) const {
  for (const ValueDecl *D : llvm::reverse(Scope))
    if (D->getIdentifier() && D->getName() == Name)
      return D;
  return nullptr;
}

InlinePlace inlinePlaceOf(ASTContext &Context, const FunctionDecl *F, SourceLocation Loc) {
  InlinePlace Out;
  Finder(Context, Loc, Out).function(F);
  return Out;
}

// The part of S that ends its text.
static const Stmt *lastOf(const Stmt *S) {
  while (true) {
    const Stmt *Next = nullptr;
    if (const auto *If = dyn_cast<IfStmt>(S))
      Next = If->getElse() ? If->getElse() : If->getThen();
    else if (const auto *For = dyn_cast<ForStmt>(S))
      Next = For->getBody();
    else if (const auto *Range = dyn_cast<CXXForRangeStmt>(S))
      Next = Range->getBody();
    else if (const auto *While = dyn_cast<WhileStmt>(S))
      Next = While->getBody();
    else if (const auto *Switch = dyn_cast<SwitchStmt>(S))
      Next = Switch->getBody();
    else if (const auto *Case = dyn_cast<SwitchCase>(S))
      Next = Case->getSubStmt();
    else if (const auto *Label = dyn_cast<LabelStmt>(S))
      Next = Label->getSubStmt();
    else if (const auto *Attributed = dyn_cast<AttributedStmt>(S))
      Next = Attributed->getSubStmt();
    else if (const auto *Try = dyn_cast<CXXTryStmt>(S))
      Next = Try->getHandler(Try->getNumHandlers() - 1)->getHandlerBlock();
    if (!Next)
      return S;
    S = Next;
  }
}

SourceLocation endOfStatement(ASTContext &Context, const Stmt *S) {
  const SourceManager &SM = Context.getSourceManager();
  const LangOptions &Lang = Context.getLangOpts();
  const Stmt *Last = lastOf(S);
  SourceLocation End = Last->getEndLoc();
  bool Own = isa<CompoundStmt, NullStmt, DeclStmt>(Last); // It ends with its own brace or semicolon.
  if (Own)
    return End.isMacroID() ? SourceLocation() : End.getLocWithOffset(int(Lexer::MeasureTokenLength(End, SM, Lang)));
  SourceLocation Token = End.isMacroID() ? SM.getExpansionRange(End).getEnd() : End;
  std::optional<clang::Token> Next = Lexer::findNextToken(Token, SM, Lang);
  if (!Next || !Next->is(tok::semi))
    return {};
  return Next->getLocation().getLocWithOffset(1);
}

} // namespace hsched::cc
