// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Sharing.h"

#include "analysis/AstVisitor.h"
#include "analysis/infer/Parts.h"
#include "analysis/infer/Questions.h"
#include "analysis/lower/Standard.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace hsched::cc {

Sharing::Data Sharing::of(const ValueDecl &D) {
  const Decl *Canonical = D.getCanonicalDecl();
  if (isa<FieldDecl>(D))
    return Members.try_emplace(Canonical->getLocation(), Canonical).first->second;
  if (const auto *P = dyn_cast<ParmVarDecl>(&D))
    if (const auto *F = dyn_cast<FunctionDecl>(P->getDeclContext())) {
      const FunctionDecl *First = F->getTemplateInstantiationPattern() ? F->getTemplateInstantiationPattern() : F;
      First = First->getCanonicalDecl();
      if (First->getNumParams() != 0) // All elements of a pack count as one.
        Canonical = First->getParamDecl(std::min(P->getFunctionScopeIndex(), First->getNumParams() - 1));
    }
  return Canonical;
}

// Instances of a class template count as one class.
Sharing::Data Sharing::of(const Decl &D) {
  if (const auto *Member = dyn_cast<ValueDecl>(&D))
    return of(*Member);
  return Members.try_emplace(D.getLocation(), D.getCanonicalDecl()).first->second;
}

std::vector<Sharing::Data> Sharing::along(const Names &Called, const std::optional<Path> &Way) {
  std::vector<Data> All;
  const auto *D = Way ? dyn_cast_or_null<ValueDecl>(Called.find(Way->Name)) : nullptr;
  if (!D)
    return All;
  for (const FieldDecl *Member : membersOfPath(Context, D->getType(), Way->Steps))
    All.push_back(of(*Member));
  if (llvm::none_of(Way->Steps, [](const Path::Step &S) { return S.K == Path::Step::Member; }))
    All.push_back(of(*D));
  return All;
}

Sharing::Data Sharing::of(const Subject &S, unsigned Id) {
  if (const std::vector<Data> Way = along(S.Called, S.pathOf(S.nameOf(Id))); !Way.empty())
    return Way.back();
  const Root &R = above(S.Tree, Id);
  if (R.K == Root::Param && S.parameterOf(R) < S.Clauses.getNumParams())
    return of(*S.Clauses.getParamDecl(S.parameterOf(R)));
  return R.Decl ? of(*R.Decl) : Data();
}

// Visits assignments to pointers and references, and arguments as assignments to parameters.
class Sharing::Finder : public AstVisitor {
public:
  explicit Finder(Sharing &Out) : Out(Out), SM(Out.Context.getSourceManager()) {}

private:
  bool entersInstantiations() const override { return true; }
  bool enters(const Decl &D) override { return isa<TranslationUnitDecl>(D) || !SM.isInSystemHeader(D.getLocation()); }
  bool visit(Decl &D) override {
    if (const auto *F = dyn_cast<FunctionDecl>(&D); F && F->doesThisDeclarationHaveABody() && leads(F->getReturnType()))
      returned(F->getBody(), Out.of(*F));
    if (const auto *V = dyn_cast<VarDecl>(&D); V && V->hasInit() && !isa<ParmVarDecl>(V))
      assign(*V, V->getInit());
    if (const auto *F = dyn_cast<FieldDecl>(&D); F && F->hasInClassInitializer() && F->getInClassInitializer())
      Together.insert(F->getInClassInitializer()), assign(*F, F->getInClassInitializer());
    if (const auto *C = dyn_cast<CXXConstructorDecl>(&D))
      constructed(*C);
    return true;
  }
  bool visit(Stmt &S) override {
    if (const auto *Block = dyn_cast<CompoundStmt>(&S))
      inTurn(*Block, {});
    if (const auto *E = dyn_cast<BinaryOperator>(&S)) {
      // The assignment of a number to what a reference refers to hands no pointer on.
      if (E->getOpcode() == BO_Assign && !E->getLHS()->getType()->isArithmeticType())
        assign(E->getLHS(), E->getRHS());
      if (E->isCompoundAssignmentOp() && E->getLHS()->getType()->isPointerType())
        moved(E->getLHS());
    } else if (const auto *E = dyn_cast<UnaryOperator>(&S)) {
      if (E->isIncrementDecrementOp() && E->getType()->isPointerType())
        moved(E->getSubExpr());
    } else if (const auto *E = dyn_cast<InitListExpr>(&S)) {
      E = E->getSemanticForm() ? E->getSemanticForm() : E;
      if (const RecordDecl *Record = E->getType().isNull() ? nullptr : E->getType()->getAsRecordDecl();
          Record && !Record->isUnion())
        members(*E, *Record);
    } else if (const auto *E = dyn_cast<CallExpr>(&S)) {
      if (const FunctionDecl *F = E->getDirectCallee(); F && relates(*F))
        for (unsigned I = 0, Skip = isa<CXXOperatorCallExpr>(E) && isa<CXXMethodDecl>(F);
             I + Skip < E->getNumArgs() && I < F->getNumParams(); ++I)
          assign(*F->getParamDecl(I), E->getArg(I + Skip), /*Argument=*/true);
    } else if (const auto *E = dyn_cast<CXXConstructExpr>(&S); E && relates(*E->getConstructor())) {
      for (unsigned I = 0; I < E->getNumArgs() && I < E->getConstructor()->getNumParams(); ++I)
        assign(*E->getConstructor()->getParamDecl(I), E->getArg(I), /*Argument=*/true);
    }
    return true;
  }

  Sharing &Out;
  const SourceManager &SM;

  void assign(const clang::Expr *To, const clang::Expr *From) {
    if (const ValueDecl *D = named(To))
      assign(*D, From);
  }
  // Argument: a call hands From to the parameter To.
  void assign(const ValueDecl &To, const clang::Expr *From, bool Argument = false) {
    const QualType T = To.getType();
    if (!leads(T))
      return;
    const Data D = variable(To);
    if (T->isPointerType())
      source(D, From, Argument);
    if (isa<ParmVarDecl>(To)) { // Other files may call the function.
      Out.Sources[D].insert(Data());
    } else if (isa<VarDecl>(To) && T->isPointerType() && !T->getPointeeType()->isPointerType()) {
      const ValueDecl *Same = named(From->IgnoreParenCasts());
      const auto [At, New] =
          Out.Copies.try_emplace(D, Same && Same->getType()->isPointerType() ? Out.of(*Same) : Data());
      if (!New)
        At->second = Data();
    }
    mentioned(From, D);
  }

  // Pointers that a block was assigned to before, each with the object that has received them. Nothing: none has.
  using Fresh = std::map<Data, std::optional<Data>>;
  std::set<const clang::Expr *> Together; // Values that are assigned whenever the pointers in them are.

  void constructed(const CXXConstructorDecl &C) {
    Fresh Given;
    for (const CXXCtorInitializer *I : C.inits())
      if (I->isMemberInitializer() && I->getInit() && !isa<CXXDefaultInitExpr>(I->getInit())) {
        Together.insert(I->getInit());
        assign(*I->getMember(), I->getInit());
        if (I->getMember()->getType()->isPointerType())
          Given.emplace(variable(*I->getMember()), Data());
      }
    if (const auto *Body = dyn_cast_or_null<CompoundStmt>(C.getBody()))
      inTurn(*Body, std::move(Given));
  }
  // Finds what is assigned in one turn: by statements side by side, from where a pointer receives its block.
  void inTurn(const CompoundStmt &Block, Fresh Given) {
    for (const Stmt *S : Block.body())
      if (const auto *Declares = dyn_cast<DeclStmt>(S)) {
        for (const Decl *D : Declares->decls())
          if (const auto *V = dyn_cast<VarDecl>(D); V && V->hasInit() && V->hasLocalStorage())
            inTurn(*V, std::nullopt, V->getInit(), Given);
      } else if (const auto *E = dyn_cast<clang::Expr>(S)) {
        inTurn(*E, Given);
      } else if (jumps(S)) {
        for (auto It = Given.begin(); It != Given.end();)
          It = It->second ? Given.erase(It) : std::next(It);
      }
  }
  void inTurn(const clang::Expr &E, Fresh &Given) {
    const auto *B = dyn_cast<BinaryOperator>(E.IgnoreParenCasts());
    const ValueDecl *To = B && B->getOpcode() == BO_Assign ? named(B->getLHS()) : nullptr;
    if (!To || !To->getType()->isPointerType())
      return;
    inTurn(*B->getRHS(), Given);
    std::optional<Data> Object;
    if (const auto *Member = dyn_cast<MemberExpr>(B->getLHS()->IgnoreParenCasts())) {
      const clang::Expr *Of = Member->getBase()->IgnoreParenCasts();
      const auto *Ref = dyn_cast<DeclRefExpr>(Of);
      Object = Ref ? Data(Ref->getDecl()) : isa<CXXThisExpr>(Of) ? Data() : Data(Of);
    }
    inTurn(*To, Object, B->getRHS(), Given);
  }
  void inTurn(const ValueDecl &To, std::optional<Data> Object, const clang::Expr *From, Fresh &Given) {
    if (!To.getType()->isPointerType())
      return;
    const ValueDecl *Base = base(From);
    const auto It = Base ? Given.find(variable(*Base)) : Given.end();
    const std::optional<Data> Had = It == Given.end() ? std::nullopt : It->second;
    if (Base && (It == Given.end() || (Had && Object && *Had != *Object))) {
      Given.erase(variable(To));
      return;
    }
    if (Base) {
      Together.insert(From);
      if (Object)
        It->second = Object;
    }
    Given[variable(To)] = Object ? Object : Had;
  }
  static bool jumps(const Stmt *S) {
    return S && (isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt>(S) ||
                 llvm::any_of(S->children(), jumps));
  }

  void members(const InitListExpr &List, const RecordDecl &Record) {
    const auto *Class = dyn_cast<CXXRecordDecl>(&Record);
    unsigned I = Class ? Class->getNumBases() : 0;
    std::map<const ValueDecl *, const clang::Expr *> Given; // The first value with that pointer.
    for (const clang::Expr *Value : List.inits())
      if (const ValueDecl *Base = Value && Value->getType()->isPointerType() ? base(Value) : nullptr)
        if (const auto [It, IsFirst] = Given.emplace(Base, Value); !IsFirst)
          Together.insert({It->second, Value});
    for (const FieldDecl *Field : Record.fields())
      if (!Field->isUnnamedBitField() && I < List.getNumInits())
        assign(*Field, List.getInit(I++));
  }
  void moved(const clang::Expr *E) {
    if (const ValueDecl *D = named(E))
      Out.Blocks.moved(variable(*D));
  }

  static bool leads(QualType T) { return T->isPointerType() || T->isReferenceType() || T->isRecordType(); }

  void source(const Data &D, const clang::Expr *From, bool Argument) {
    if (From->isNullPointerConstant(Out.Context, clang::Expr::NPC_ValueDependentIsNotNull))
      return;
    if (const auto *C = dyn_cast<ConditionalOperator>(From->IgnoreParenCasts())) {
      source(D, C->getTrueExpr(), Argument);
      source(D, C->getFalseExpr(), Argument);
      return;
    }
    const ValueDecl *Base = base(From);
    const Data Of = Base ? variable(*Base) : Data();
    Out.Sources[D].insert(Of);
    if (Argument)
      Out.Blocks.handed(D, Of);
    else
      Out.Blocks.assigned(D, From, Of, Together.count(From) != 0);
  }

  Data variable(const ValueDecl &V) {
    const auto *Variable = dyn_cast<VarDecl>(&V);
    const Data D = Out.of(V);
    Out.Blocks.variable(D, isa<ParmVarDecl>(V)                       ? Origins::Kind::Parameter
                           : Variable && Variable->hasLocalStorage() ? Origins::Kind::Local
                                                                     : Origins::Kind::Other);
    return D;
  }

  // Whatever a function returns, its calls may lead to.
  void returned(const Stmt *S, const Data &D) {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (const auto *R = dyn_cast<ReturnStmt>(S))
      return mentioned(R->getRetValue(), D);
    for (const Stmt *Child : S->children())
      returned(Child, D);
  }

  static bool isStream(QualType T) { return isLibrary(T.getNonReferenceType()->getAsCXXRecordDecl(), ClassStream); }

  // Parameters of the library do not relate the arguments of different calls.
  bool relates(const FunctionDecl &F) const {
    return F.getBuiltinID() == 0 && !isStandard(&F) && !SM.isInSystemHeader(F.getLocation());
  }

  // Everything that From mentions, except numbers, may be the target of D.
  void mentioned(const Stmt *From, const Data &D) {
    if (!From)
      return;
    const Stmt *Inner = From;
    bool Loaded = false;
    while (const auto *Cast = dyn_cast<ImplicitCastExpr>(Inner)) {
      Loaded |= Cast->getCastKind() == CK_LValueToRValue;
      if (Loaded && Cast->getType()->isArithmeticType())
        return;
      Inner = Cast->getSubExpr();
    }
    const ValueDecl *Named = nullptr;
    if (const auto *E = dyn_cast<clang::Expr>(From))
      Named = named(E);
    const auto *Call = dyn_cast<CallExpr>(Inner);
    if (Call && Call->getDirectCallee() && relates(*Call->getDirectCallee()))
      Named = Call->getDirectCallee(); // Its result.
    else if (Named && isa<FunctionDecl>(Named))
      Named = nullptr;
    if (Named && !isa<EnumConstantDecl>(Named)) {
      const Data A = Out.top(Out.of(*Named)), B = Out.top(D);
      if (A != B)
        Out.Above[A] = B;
    }
    if (Loaded && Named && isa<FieldDecl>(Named)) // A pointer of the object leads elsewhere.
      return;
    if (Call && Call->isGLValue() && isStream(Call->getType()) && Call->getNumArgs() != 0)
      return mentioned(isa<CXXMemberCallExpr>(Call) ? cast<CXXMemberCallExpr>(Call)->getImplicitObjectArgument()
                                                    : Call->getArg(0),
                       D); // It refers to the stream alone.
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

  // P of p, p + n, &p[n] and p = q.
  static const ValueDecl *base(const clang::Expr *E) {
    E = E->IgnoreParenCasts();
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_Assign)
      return base(B->getLHS());
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp())
      return base(B->getLHS()->getType()->isAnyPointerType() ? B->getLHS() : B->getRHS());
    if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf)
      if (const auto *A = dyn_cast<ArraySubscriptExpr>(U->getSubExpr()->IgnoreParens()))
        return base(A->getBase());
    // data() and get().
    if (const auto *C = dyn_cast<CXXMemberCallExpr>(E); C && C->getMethodDecl() && isStandard(C->getMethodDecl()) &&
                                                        C->getMethodDecl()->getIdentifier() &&
                                                        C->getType()->isPointerType())
      if (const LibraryMember Does = libraryMember(C->getMethodDecl()->getName());
          Does == LibraryMember::First || Does == LibraryMember::Look)
        return named(C->getImplicitObjectArgument());
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
    Finder(*this).visitAll(Context.getTranslationUnitDecl());
}

std::set<Sharing::Data> Sharing::namedBy(const Names &Called, const AccessCode &A) {
  const std::vector<Data> Way = along(Called, Subject::pathOf(A.What.Base.Text));
  std::set<Data> All(Way.begin(), Way.end());
  if (All.empty())
    for (const NameUse &Use : A.What.Base.Names)
      if (const auto *D = dyn_cast_or_null<ValueDecl>(Called.find(Use.Name)))
        All.insert(of(*D));
  return All;
}

void Sharing::add(const Subject &S) {
  for (unsigned Id = 0; Id != S.Tree.Roots.size(); ++Id)
    if (S.Tree.Roots[Id].K != Root::Anything && S.effects().of(Id).Written && S.definite(Id, /*Write=*/true)) {
      Written.insert(of(S, Id));
      if (S.Tree.Roots[Id].OfPointers)
        WrittenPointers.insert(of(S, Id));
      if (const RecordDecl *Class = S.classOf(Id))
        S.anyAccess(Id, [&](const Access &A) {
          const std::vector<const Decl *> Member = S.memberOf(Id, A);
          // If clauses name parts, unknown members are taken to be those that they name.
          if (A.K != AccessKind::Read && !A.Guess && (!Member.empty() || S.parts(Id).empty()))
            writes(Member.empty() ? *Class : *Member.back());
          return false;
        });
    }
  Written.erase(Data());
}

// True if what A names are pointers: p, *&p, and elements of an array of pointers.
static bool namesPointers(const Names &Called, const AccessCode &A) {
  if (A.What.F == Section::Form::Whole)
    return true;
  if (A.What.F == Section::Form::Pointee)
    return llvm::StringRef(A.What.Base.Text).ltrim().starts_with("&");
  return std::ranges::any_of(A.What.Base.Names, [&](const NameUse &Use) {
    const auto *D = dyn_cast_or_null<ValueDecl>(Called.find(Use.Name));
    QualType T = D ? D->getType().getNonReferenceType() : QualType();
    if (T.isNull())
      return false;
    if (const ArrayType *Array = T->getAsArrayTypeUnsafe())
      T = Array->getElementType();
    else
      T = T->getPointeeType();
    return !T.isNull() && T->isPointerType();
  });
}

// The class of the elements that A names; null: unknown, or no class.
const RecordDecl *Sharing::classNamed(const Names &Called, const AccessCode &A) {
  const std::optional<Path> Way = Subject::pathOf(A.What.Base.Text);
  const auto *D = Way ? dyn_cast_or_null<ValueDecl>(Called.find(Way->Name)) : nullptr;
  QualType T = D && !D->getType()->isDependentType() ? typeOfPath(Context, D->getType(), Way->Steps) : QualType();
  if (T.isNull())
    return nullptr;
  T = T.getNonReferenceType();
  if (T->isPointerType())
    T = T->getPointeeType();
  const RecordDecl *Record = T->getBaseElementTypeUnsafe()->getAsRecordDecl();
  return Record ? Record->getDefinition() : nullptr;
}

void Sharing::writes(const Decl &D) {
  if (!Written.insert(of(D)).second)
    return;
  const auto within = [this](QualType T) {
    const RecordDecl *Record = T.isNull() ? nullptr : T->getBaseElementTypeUnsafe()->getAsRecordDecl();
    if (Record && Record->getDefinition())
      writes(*Record->getDefinition());
  };
  if (const auto *Field = dyn_cast<FieldDecl>(&D))
    within(Field->getType());
  const auto *Record = dyn_cast<RecordDecl>(&D);
  if (const auto *Instance = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Record);
      Instance && isStandard(Instance))
    for (const TemplateArgument &A : Instance->getTemplateArgs().asArray())
      within(A.getKind() == TemplateArgument::Type ? A.getAsType() : QualType());
  if (!Record || isStandard(Record))
    return;
  for (const FieldDecl *Field : Record->fields())
    within(Field->getType());
  if (const auto *Class = dyn_cast<CXXRecordDecl>(Record); Class && Class->hasDefinition())
    for (const CXXBaseSpecifier &Base : Class->bases())
      within(Base.getType());
}

void Sharing::unnamedMember(const std::vector<const Decl *> &Member, std::function<void()> Say) {
  std::vector<Data> All;
  for (const Decl *D : Member)
    All.push_back(of(*D));
  MemberReads.emplace_back(std::move(All), std::move(Say));
}

void Sharing::add(const Names &Called, const std::vector<AccessCode> &Clauses) {
  for (const AccessCode &A : Clauses) {
    std::set<Data> All = namedBy(Called, A);
    NamedByClauses.insert(All.begin(), All.end());
    if (A.Role != AccessRole::In && namesPointers(Called, A))
      WrittenPointers.insert(All.begin(), All.end());
    if (A.Role != AccessRole::In) {
      if (const RecordDecl *Class = classNamed(Called, A))
        writes(*Class);
      Written.merge(All);
    }
  }
}

bool Sharing::namedByAlias(const Subject &S, unsigned Id, const std::vector<AccessCode> &Clauses) {
  std::set<Data> Named;
  for (const AccessCode &A : Clauses)
    if (A.Role != AccessRole::In || !S.effects().of(Id).Written)
      Named.merge(namedBy(S.Called, A));
  if (Named.empty())
    return false;
  walk();
  std::set<Data> Copied;
  for (const Data &D : Named)
    if (const auto Copy = Copies.find(D); Copy != Copies.end() && Copy->second)
      Copied.insert(Copy->second);
  if (Copied.count(of(S, Id)))
    return true;
  if (std::any_of(Clauses.begin(), Clauses.end(), [&](const AccessCode &A) {
        return (A.Role != AccessRole::In || !S.effects().of(Id).Written) && namedFromOther(S, Id, A);
      }))
    return true;
  Named.merge(Copied);
  const auto Found = Sources.find(of(S, Id));
  return Found != Sources.end() && std::all_of(Found->second.begin(), Found->second.end(),
                                               [&](const Data &From) { return leadsTo(From, Named, 0); });
}

bool Sharing::namedFromOther(const Subject &S, unsigned Id, const AccessCode &A) {
  const Data To = of(S, Id);
  const std::vector<Data> Way = along(S.Called, Subject::pathOf(A.What.Base.Text));
  if (S.isPointer(Id) || Way.empty() || Way.back() == To)
    return false;
  const std::optional<std::int64_t> Distance = Blocks.distance(To, Way.back());
  const std::int64_t Bytes = S.Tree.Roots[Id].ElementBytes;
  if (!Distance || (Bytes != 0 && *Distance % Bytes != 0))
    return false;
  const std::optional<Box> What = Bytes != 0 ? S.sectionFrom(A, Id, *Distance / Bytes) : std::nullopt;
  return !What || S.effects().inside(Id, *What) != Answer::No;
}

// True if D, or all that it is assigned, is Named.
bool Sharing::leadsTo(const Data &D, const std::set<Data> &Named, unsigned Depth) const {
  if (Named.count(D))
    return true;
  const auto Found = Sources.find(D);
  return D && Depth < 4 && Found != Sources.end() &&
         std::all_of(
             Found->second.begin(), Found->second.end(),
             [&](const Data &From) { return leadsTo(From, Named, Depth + 1); });
}

void Sharing::keepConstant(const Subject &S, const std::string &Number, std::function<void()> Say) {
  for (const Data &D : along(S.Called, S.pathOf(Number)))
    Constant.emplace_back(D, Say);
}

bool Sharing::isWritten(const Data &D, const std::set<Data> &Written) {
  if (!D || Written.count(D))
    return true;
  if (Written.empty())
    return false;
  walk();
  const Data Top = top(D);
  return std::any_of(Written.begin(), Written.end(), [&](const Data &W) { return top(W) == Top; });
}

void Sharing::say() {
  for (const auto &[D, Say] : std::exchange(Reads, {}))
    if (isWritten(D, Written))
      Say();
  for (const auto &[All, Say] : std::exchange(MemberReads, {}))
    if (std::any_of(All.begin(), All.end(), [&](const Data &D) { return isWritten(D, Written); }))
      Say();
  for (const auto &[D, Say] : std::exchange(PointerReads, {}))
    if (isWritten(D, WrittenPointers))
      Say();
  for (const auto &[D, Say] : std::exchange(Constant, {}))
    if (NamedByClauses.count(D) || isWritten(D, Written))
      Say();
}

} // namespace hsched::cc
