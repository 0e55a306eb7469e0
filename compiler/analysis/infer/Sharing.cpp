// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Sharing.h"

#include "analysis/infer/Questions.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace hsched::cc {

Sharing::Data Sharing::of(const ValueDecl &D) {
  if (isa<FieldDecl>(D))
    return "." + D.getNameAsString();
  const Decl *Canonical = D.getCanonicalDecl();
  if (const auto *P = dyn_cast<ParmVarDecl>(&D))
    if (const auto *F = dyn_cast<FunctionDecl>(P->getDeclContext())) {
      const FunctionDecl *First = F->getTemplateInstantiationPattern() ? F->getTemplateInstantiationPattern() : F;
      First = First->getCanonicalDecl();
      if (First->getNumParams() != 0) // those of a pack are one
        Canonical = First->getParamDecl(std::min(P->getFunctionScopeIndex(), First->getNumParams() - 1));
    }
  return "@" + std::to_string(reinterpret_cast<std::uintptr_t>(Canonical));
}

std::set<Sharing::Data> Sharing::membersIn(llvm::StringRef Text) {
  std::set<Data> All;
  for (size_t I = 0; I < Text.size(); ++I) {
    const bool Arrow = Text.substr(I).starts_with("->");
    if (!Arrow && Text[I] != '.')
      continue;
    I += Arrow ? 2 : 1;
    if (const llvm::StringRef Name = Text.substr(I).take_while([](char C) { return llvm::isAlnum(C) || C == '_'; });
        !Name.empty() && !llvm::isDigit(Name[0]))
      All.insert(("." + Name).str());
  }
  return All;
}

Sharing::Data Sharing::of(const Subject &S, unsigned Id) {
  const llvm::StringRef Name = S.Tree.Roots[Id].Name;
  const size_t Dot = Name.rfind('.'), Arrow = Name.rfind("->");
  const size_t At = Dot == llvm::StringRef::npos ? Arrow : Arrow == llvm::StringRef::npos ? Dot : std::max(Dot, Arrow);
  if (At != llvm::StringRef::npos)
    if (const std::set<Data> Last = membersIn(Name.substr(At)); !Last.empty())
      return *Last.begin();
  const Root &R = above(S.Tree, Id);
  if (R.K == Root::Param && S.parameterOf(R) < S.Clauses.getNumParams())
    return of(*S.Clauses.getParamDecl(S.parameterOf(R)));
  return R.Decl ? of(*R.Decl) : Data();
}

// Assignments to pointers and references, and arguments, which are assigned to parameters.
class Sharing::Finder : public RecursiveASTVisitor<Finder> {
public:
  explicit Finder(Sharing &Out) : Out(Out), SM(Out.Context.getSourceManager()) {}
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *D) {
    return (D && !isa<TranslationUnitDecl>(D) && SM.isInSystemHeader(D->getLocation())) ||
           RecursiveASTVisitor::TraverseDecl(D);
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->getOpcode() == BO_Assign)
      assign(E->getLHS(), E->getRHS());
    return true;
  }
  bool VisitVarDecl(VarDecl *V) {
    if (V->hasInit() && !isa<ParmVarDecl>(V))
      assign(*V, V->getInit());
    return true;
  }
  bool VisitFieldDecl(FieldDecl *F) {
    if (F->hasInClassInitializer() && F->getInClassInitializer())
      assign(*F, F->getInClassInitializer());
    return true;
  }
  bool VisitCXXConstructorDecl(CXXConstructorDecl *C) {
    for (const CXXCtorInitializer *I : C->inits())
      if (I->isMemberInitializer() && I->getInit())
        assign(*I->getMember(), I->getInit());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    if (const FunctionDecl *F = E->getDirectCallee())
      for (unsigned I = 0, Skip = isa<CXXOperatorCallExpr>(E) && isa<CXXMethodDecl>(F);
           I + Skip < E->getNumArgs() && I < F->getNumParams(); ++I)
        assign(*F->getParamDecl(I), E->getArg(I + Skip));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    for (unsigned I = 0; I < E->getNumArgs() && I < E->getConstructor()->getNumParams(); ++I)
      assign(*E->getConstructor()->getParamDecl(I), E->getArg(I));
    return true;
  }

private:
  Sharing &Out;
  const SourceManager &SM;

  void assign(const clang::Expr *To, const clang::Expr *From) {
    if (const ValueDecl *D = named(To))
      assign(*D, From);
  }
  void assign(const ValueDecl &To, const clang::Expr *From) {
    const QualType T = To.getType();
    if (!T->isPointerType() && !T->isReferenceType() && !T->isRecordType())
      return;
    const Data D = of(To);
    if (T->isPointerType() && !From->isNullPointerConstant(Out.Context, clang::Expr::NPC_ValueDependentIsNotNull)) {
      const ValueDecl *Base = base(From);
      Out.Sources[D].insert(Base ? of(*Base) : Data());
    }
    mentioned(From, D);
  }

  // All that From mentions, numbers apart, may be what D leads to.
  void mentioned(const Stmt *From, const Data &D) {
    if (!From)
      return;
    const ValueDecl *Named = nullptr;
    if (const auto *E = dyn_cast<clang::Expr>(From))
      Named = named(E);
    if (Named && !isa<FunctionDecl>(Named) && !isa<EnumConstantDecl>(Named)) {
      const Data A = Out.top(of(*Named)), B = Out.top(D);
      if (A != B)
        Out.Above[A] = B;
    }
    for (const Stmt *Child : From->children())
      mentioned(Child, D);
  }

  static const ValueDecl *named(const clang::Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (const auto *M = dyn_cast<MemberExpr>(E))
      return dyn_cast<FieldDecl>(M->getMemberDecl());
    const auto *D = dyn_cast<DeclRefExpr>(E);
    return D ? D->getDecl() : nullptr;
  }

  // p of p, p + n and &p[n].
  static const ValueDecl *base(const clang::Expr *E) {
    E = E->IgnoreParenCasts();
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp())
      return base(B->getLHS()->getType()->isAnyPointerType() ? B->getLHS() : B->getRHS());
    if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf)
      if (const auto *A = dyn_cast<ArraySubscriptExpr>(U->getSubExpr()->IgnoreParens()))
        return base(A->getBase());
    const ValueDecl *D = named(E);
    return D && (D->getType()->isPointerType() || D->getType()->isArrayType()) ? D : nullptr;
  }
};

Sharing::Data Sharing::top(Data D) const {
  for (auto At = Above.find(D); At != Above.end(); At = Above.find(D))
    D = At->second;
  return D;
}

void Sharing::walk() {
  if (!std::exchange(Walked, true))
    Finder(*this).TraverseDecl(Context.getTranslationUnitDecl());
}

std::set<Sharing::Data> Sharing::namedBy(const Names &Called, const AccessCode &A) {
  std::set<Data> All = membersIn(A.What.Base.Text);
  // What a member is in is named by way of it only.
  if (All.empty())
    for (const NameUse &Use : A.What.Base.Names)
      if (const auto *D = dyn_cast_or_null<ValueDecl>(Called.find(Use.Name)))
        All.insert(of(*D));
  return All;
}

void Sharing::add(const Subject &S) {
  for (unsigned Id = 0; Id != S.Tree.Roots.size(); ++Id)
    if (S.Tree.Roots[Id].K != Root::Anything && S.effects().of(Id).Written && S.definite(Id, /*Write=*/true))
      Written.insert(of(S, Id));
  Written.erase("");
}

void Sharing::add(const Names &Called, const std::vector<AccessCode> &Clauses) {
  for (const AccessCode &A : Clauses)
    if (A.Role != AccessRole::In)
      Written.merge(namedBy(Called, A));
}

bool Sharing::namedOtherwise(const Subject &S, unsigned Id, const std::vector<AccessCode> &Clauses) {
  std::set<Data> Named;
  for (const AccessCode &A : Clauses)
    if (A.Role != AccessRole::In || !S.effects().of(Id).Written)
      Named.merge(namedBy(S.Called, A));
  if (Named.empty())
    return false;
  walk();
  const auto Found = Sources.find(of(S, Id));
  return Found != Sources.end() && std::all_of(Found->second.begin(), Found->second.end(),
                                               [&](const Data &From) { return Named.count(From) != 0; });
}

bool Sharing::isWritten(const Data &D) {
  if (D.empty() || Written.count(D))
    return true;
  if (Written.empty())
    return false;
  walk();
  const Data Top = top(D);
  return std::any_of(Written.begin(), Written.end(), [&](const Data &W) { return top(W) == Top; });
}

void Sharing::say() {
  for (const auto &[D, Say] : std::exchange(Reads, {}))
    if (isWritten(D))
      Say();
}

} // namespace hsched::cc
