// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Functions.h"
#include "analysis/AstVisitor.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace hsched::cc {

Sites::Sites(ASTContext &Context) : Context(Context) { visit(Context.getTranslationUnitDecl()); }

// The template head of 'void f(auto)' has no location.
static SourceLocation beginOf(const SourceManager &SM, const Decl *D) {
  SourceLocation Begin = D->getBeginLoc();
  if (const auto *T = dyn_cast<FunctionTemplateDecl>(D); T && Begin.isInvalid())
    Begin = T->getTemplatedDecl()->getBeginLoc();
  return SM.getExpansionLoc(Begin);
}

void Sites::add(const Decl *D) {
  const SourceManager &SM = Context.getSourceManager();
  SourceLocation Begin = beginOf(SM, D);
  if (Begin.isInvalid() || SM.isInSystemHeader(Begin) || D->isImplicit())
    return;
  Site S{Begin, D, nullptr, nullptr};
  if (auto *T = dyn_cast<FunctionTemplateDecl>(D)) {
    S.Template = T;
    S.Function = T->getTemplatedDecl();
  } else if (auto *F = dyn_cast<FunctionDecl>(D)) {
    S.Function = F;
  } else if (auto *Friend = dyn_cast<FriendDecl>(D)) {
    S.Function = dyn_cast_or_null<FunctionDecl>(Friend->getFriendDecl());
  }
  auto [File, Offset] = SM.getDecomposedLoc(Begin);
  ByFile[File].try_emplace(Offset, S);
  if (const auto *V = dyn_cast<VarDecl>(D))
    addLambdas(V->getInit());
  else if (const auto *M = dyn_cast<FieldDecl>(D); M && M->hasInClassInitializer())
    addLambdas(M->getInClassInitializer());
}

void Sites::addLambdas(const Stmt *S) {
  if (!S)
    return;
  if (const auto *L = dyn_cast<LambdaExpr>(S)) {
    Lambdas.push_back(L->getCallOperator());
    return;
  }
  for (const Stmt *Child : S->children())
    addLambdas(Child);
}

void Sites::visit(const DeclContext *DC) {
  const SourceManager &SM = Context.getSourceManager();
  for (const Decl *D : DC->decls()) {
    if (D->isImplicit() || SM.isInSystemHeader(beginOf(SM, D)))
      continue;
    if (auto *Linkage = dyn_cast<LinkageSpecDecl>(D)) {
      // For extern "C" void f(); the function begins at the linkage specification.
      if (!Linkage->hasBraces()) {
        for (const Decl *Inner : Linkage->decls())
          if (auto *F = dyn_cast<FunctionDecl>(Inner)) {
            SourceLocation Begin = beginOf(SM, D);
            auto [File, Offset] = SM.getDecomposedLoc(Begin);
            ByFile[File].try_emplace(Offset, Site{Begin, F, F, nullptr});
          }
      }
      visit(Linkage);
      continue;
    }
    add(D);
    const Decl *Inner = D;
    if (auto *T = dyn_cast<ClassTemplateDecl>(D))
      Inner = T->getTemplatedDecl();
    if (auto *Record = dyn_cast<CXXRecordDecl>(Inner)) {
      if (Record->isThisDeclarationADefinition())
        visit(Record);
    } else if (auto *NS = dyn_cast<NamespaceDecl>(Inner)) {
      visit(NS);
    }
  }
}

const Site *Sites::after(SourceLocation Loc) const {
  auto [File, Offset] = Context.getSourceManager().getDecomposedLoc(Loc);
  auto It = ByFile.find(File);
  if (It == ByFile.end())
    return nullptr;
  auto Found = It->second.upper_bound(Offset);
  return Found == It->second.end() ? nullptr : &Found->second;
}

// The member function of a class in DC, a function's body, that has Offset in its own body. Null: there is none.
static const FunctionDecl *localMember(const SourceManager &SM, const DeclContext *DC, FileID File, unsigned Offset) {
  for (const Decl *D : DC->decls()) {
    const auto *Class = dyn_cast<CXXRecordDecl>(D);
    if (!Class || !Class->isThisDeclarationADefinition())
      continue;
    for (const CXXMethodDecl *M : Class->methods()) {
      const Stmt *Body = M->doesThisDeclarationHaveABody() ? M->getBody() : nullptr;
      if (!Body)
        continue;
      auto [In, Begin] = SM.getDecomposedLoc(SM.getExpansionLoc(Body->getBeginLoc()));
      if (In != File || Offset < Begin || SM.getDecomposedLoc(SM.getExpansionLoc(Body->getEndLoc())).second < Offset)
        continue;
      const FunctionDecl *Inner = localMember(SM, M, File, Offset);
      return Inner || Class->isLambda() ? Inner : M;
    }
    if (const FunctionDecl *Inner = localMember(SM, Class, File, Offset))
      return Inner;
  }
  return nullptr;
}

const FunctionDecl *Sites::around(SourceLocation Loc) const {
  const SourceManager &SM = Context.getSourceManager();
  auto [File, Offset] = SM.getDecomposedLoc(Loc);
  for (const FunctionDecl *L : Lambdas)
    if (const Stmt *Body = L->getBody()) {
      auto [In, Begin] = SM.getDecomposedLoc(SM.getExpansionLoc(Body->getBeginLoc()));
      if (In == File && Begin <= Offset && Offset <= SM.getDecomposedLoc(SM.getExpansionLoc(Body->getEndLoc())).second)
        return L;
    }
  auto It = ByFile.find(File);
  if (It == ByFile.end())
    return nullptr;
  // The nearest function that begins before Loc and ends behind it: functions do not nest at these scopes, classes do.
  for (auto Found = It->second.lower_bound(Offset); Found != It->second.begin();) {
    --Found;
    const FunctionDecl *F = Found->second.Function;
    if (!F || !F->doesThisDeclarationHaveABody())
      continue;
    unsigned End = SM.getDecomposedLoc(SM.getExpansionLoc(F->getEndLoc())).second;
    if (End < Offset)
      return nullptr;
    const FunctionDecl *Inner = localMember(SM, F, File, Offset);
    return Inner ? Inner : F;
  }
  return nullptr;
}

namespace {
class PlaceFinder : public AstVisitor {
public:
  PlaceFinder(const SourceManager &SM, SourceLocation Loc) : SM(SM), Loc(Loc) {}

  bool visit(Stmt &S) override {
    const auto *C = dyn_cast<CompoundStmt>(&S);
    if (!C || !inside(C->getLBracLoc(), C->getRBracLoc()))
      return true;
    // Inner blocks are visited after outer ones: the last is the innermost.
    Place.Valid = true;
    for (const Stmt *Child : C->body())
      if (inside(Child->getBeginLoc(), Child->getEndLoc()) && !behindLabels(Child))
        Place.Valid = false;
    return true;
  }
  bool visit(Decl &D) override {
    if (auto *Named = dyn_cast<NamedDecl>(&D); Named && before(D.getLocation(), Loc)) {
      if (Named->getIdentifier())
        Place.Names.insert(Named->getNameAsString());
      if (auto *V = dyn_cast<VarDecl>(&D))
        Place.Locals.push_back(V);
    }
    return true;
  }
  StatementPlace Place;

private:
  const SourceManager &SM;
  SourceLocation Loc;
  bool before(SourceLocation A, SourceLocation B) const {
    return SM.isBeforeInTranslationUnit(SM.getExpansionLoc(A), SM.getExpansionLoc(B));
  }
  // True between labels and their statement.
  bool behindLabels(const Stmt *S) const {
    while (true) {
      const Stmt *Next = nullptr;
      if (const auto *Case = dyn_cast<SwitchCase>(S))
        Next = before(Case->getColonLoc(), Loc) ? Case->getSubStmt() : nullptr;
      else if (const auto *Label = dyn_cast<LabelStmt>(S))
        Next = before(Label->getIdentLoc(), Loc) ? Label->getSubStmt() : nullptr;
      if (!Next)
        return false;
      if (before(Loc, Next->getBeginLoc()))
        return true;
      S = Next;
    }
  }
  bool inside(SourceLocation Begin, SourceLocation End) const { return before(Begin, Loc) && before(Loc, End); }
};
} // namespace

StatementPlace placeOf(ASTContext &Context, const FunctionDecl *F, SourceLocation Loc) {
  PlaceFinder Finder(Context.getSourceManager(), Loc);
  Finder.visitAll(F->getBody());
  for (const ParmVarDecl *P : F->parameters())
    Finder.Place.Locals.insert(Finder.Place.Locals.begin(), P);
  return std::move(Finder.Place);
}

} // namespace hsched::cc
