// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Questions.h"

#include "analysis/Instances.h"
#include "analysis/bind/Internal.h"
#include "analysis/infer/Parts.h"
#include "model/NameCharacters.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {

std::vector<const FunctionDecl *> bodiesOf(const BoundFunction &F) {
  std::vector<const FunctionDecl *> Bodies;
  auto add = [&](const FunctionDecl *D) {
    const FunctionDecl *Def = nullptr;
    if (D && D->hasBody(Def) && Def && !Def->isDependentContext())
      Bodies.push_back(Def);
  };
  if (!F.Template && !F.InClassTemplate)
    add(F.Definition);
  else
    for (const FunctionDecl *I : instancesOf(*F.Annotated))
      add(I);
  return Bodies;
}

std::vector<const FunctionDecl *> instancesAround(const FunctionDecl &Function) {
  std::vector<const FunctionDecl *> Bodies;
  for (const FunctionDecl *I : instancesOf(Function)) {
    const FunctionDecl *Def = nullptr;
    if (I->hasBody(Def) && Def && !Def->isDependentContext())
      Bodies.push_back(Def);
  }
  return Bodies;
}

unsigned firstOfPack(const FunctionDecl &FD) {
  const unsigned N = FD.getNumParams();
  return N && FD.getParamDecl(N - 1)->isParameterPack() ? N - 1 : ~0u;
}

bool usesParametersFrom(unsigned First, const Stmt *St) {
  if (!St)
    return false;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(St))
    if (const auto *P = dyn_cast<ParmVarDecl>(Ref->getDecl()); P && P->getFunctionScopeIndex() >= First)
      return true;
  return llvm::any_of(St->children(), [&](const Stmt *Child) { return usesParametersFrom(First, Child); });
}

// The member of Record that Path, "n" or "Base::n", names, if it is public. In C, members have no access.
static const FieldDecl *publicMember(const RecordDecl *Record, llvm::StringRef Path) {
  const auto isPublic = [](AccessSpecifier A) { return A == AS_public || A == AS_none; };
  const auto [Scope, Name] = Path.rsplit("::");
  const llvm::StringRef Base = Scope.rsplit("::").second.empty() ? Scope : Scope.rsplit("::").second;
  const auto *Class = dyn_cast<CXXRecordDecl>(Record);
  if (Name.empty() || (Class && Base.take_until([](char C) { return C == '<'; }) == Class->getName()))
    for (const FieldDecl *Field : Record->fields())
      if (Field->getName() == (Name.empty() ? Path : Name) && isPublic(Field->getAccess()))
        return Field;
  for (const CXXBaseSpecifier &B : Class ? Class->bases() : CXXRecordDecl::base_class_const_range({}, {}))
    if (const CXXRecordDecl *In = B.getType()->getAsCXXRecordDecl(); In && isPublic(B.getAccessSpecifier()))
      if (const FieldDecl *Field = In->hasDefinition() ? publicMember(In->getDefinition(), Path) : nullptr)
        return Field;
  return nullptr;
}

bool reachable(const FunctionDecl *FD, llvm::StringRef Name, const std::map<std::string, QualType> &Locals) {
  llvm::SmallVector<llvm::StringRef, 4> Parts;
  Name.split(Parts, '.');
  QualType T;
  for (const ParmVarDecl *P : FD->parameters())
    if (P->getName() == Parts.front())
      T = P->getType().getNonReferenceType();
  if (auto It = Locals.find(Parts.front().str()); It != Locals.end() && !It->second.isNull())
    T = It->second.getNonReferenceType();
  for (llvm::StringRef Part : llvm::ArrayRef(Parts).drop_front()) {
    const RecordDecl *Record = T.isNull() ? nullptr : T->getAsRecordDecl();
    Record = Record ? Record->getDefinition() : nullptr;
    const FieldDecl *Found = Record && !Record->isInStdNamespace() ? publicMember(Record, Part) : nullptr;
    if (!Found)
      return false;
    T = Found->getType();
  }
  return !T.isNull();
}

static bool holdsReferences(const AccessTree &Tree, unsigned Id) {
  for (unsigned I = 0; I != Tree.Roots.size(); ++I)
    if (const Root &R = Tree.Roots[I]; R.K == Root::Indirect && R.Parent == Id)
      return true;
  return false;
}

bool evaluatedByClauses(const AccessTree &Tree, unsigned Id, llvm::ArrayRef<AccessCode> Clauses) {
  const Root &R = Tree.Roots[Id];
  const bool Pointer = R.Object && R.OfPointers;
  if (R.K == Root::This && holdsReferences(Tree, Id))
    return true;
  if (R.K != Root::This && (R.K != Root::Global || !Pointer))
    return false;
  return llvm::any_of(Clauses, [&](const AccessCode &A) {
    return llvm::any_of(A.What.expressions(), [&](const auto *E) {
      return llvm::any_of(E->Names, [&](const NameUse &Use) { return Use.Name == R.Name; });
    });
  });
}

std::vector<const ValueDecl *> collectLocals(const Stmt &Whole, const ValueDecl *Counter,
                                             std::map<std::string, QualType> &Names) {
  std::vector<const ValueDecl *> Variables;
  const auto collect = [&](const Stmt *St, const auto &Self) -> void {
    if (!St)
      return;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(St)) {
      const ValueDecl *D = Ref->getDecl();
      const ASTContext &Context = D->getASTContext();
      const bool Outside =
          D == Counter || Context.getSourceManager().isBeforeInTranslationUnit(D->getLocation(), Whole.getBeginLoc());
      if (const auto *V = dyn_cast<VarDecl>(D);
          V && Outside && (D == Counter || V->hasLocalStorage()) && V->getIdentifier())
        if (Names.emplace(V->getName().str(), V->getType()).second)
          Variables.push_back(V);
      if (const auto *B = dyn_cast<BindingDecl>(D); B && Outside)
        if (Names.emplace(B->getName().str(), Context.getLValueReferenceType(B->getType().getNonReferenceType()))
                .second)
          Variables.push_back(B);
    }
    for (const Stmt *Child : St->children())
      Self(Child, Self);
  };
  collect(&Whole, collect);
  return Variables;
}

void eraseDirectlyUsed(ASTContext &Context, llvm::ArrayRef<AccessCode> Clauses,
                       std::map<std::string, QualType> &Names) {
  for (const AccessCode &A : Clauses) {
    const bool Itself = A.What.F == Section::Form::Whole || A.What.F == Section::Form::Tile;
    if (Itself && Names.erase(A.What.BaseName))
      continue;
    const std::optional<Path> Way = Path::of(A.What.Base.Text);
    auto It = Way ? Names.find(Way->Name) : Names.end();
    if (It == Names.end() || captureMode(Context, It->second) != CaptureCode::How::Reference)
      continue;
    const auto Unknown = [](llvm::StringRef) { return std::nullopt; };
    if (const std::optional<Part> Named = partOf(Context, A.What, *Way, It->second, Unknown); Named && !Named->Behind)
      Names.erase(It);
  }
}

// True if Wanted is in In.
static bool findInstances(const Stmt &Wanted, const Stmt *In, std::vector<const Stmt *> &Out) {
  if (!In)
    return false;
  if (In->getStmtClass() == Wanted.getStmtClass() && In->getBeginLoc() == Wanted.getBeginLoc() &&
      In->getEndLoc() == Wanted.getEndLoc()) {
    Out.push_back(In);
    return true;
  }
  const std::size_t Before = Out.size();
  if (!llvm::any_of(In->children(), [&](const Stmt *Child) { return findInstances(Wanted, Child, Out); }))
    return false;
  const auto *Lambda = dyn_cast<LambdaExpr>(In);
  if (const FunctionTemplateDecl *T = Lambda ? Lambda->getCallOperator()->getDescribedFunctionTemplate() : nullptr) {
    Out.resize(Before); // They depend on the lambda's parameters.
    for (const FunctionDecl *I : T->specializations())
      findInstances(Wanted, I->getBody(), Out);
  }
  return true;
}

std::vector<const Stmt *> instancesOf(const Stmt &Wanted, const Stmt *In) {
  std::vector<const Stmt *> Out;
  findInstances(Wanted, In, Out);
  return Out;
}

const Root &above(const AccessTree &Tree, unsigned Id) {
  while (Tree.Roots[Id].K == Root::Indirect)
    Id = Tree.Roots[Id].Parent;
  return Tree.Roots[Id];
}

bool neverWritten(const Root &R, StaticChanges &Known) {
  const auto *V = R.K == Root::Global && R.OfFunction ? dyn_cast_or_null<VarDecl>(R.Decl) : nullptr;
  const auto *In = V ? dyn_cast<FunctionDecl>(V->getDeclContext()) : nullptr;
  if (!In || !In->getBody())
    return false;
  const auto [At, New] = Known.try_emplace(In);
  if (New)
    At->second = changesOf(In->getASTContext(), In->getBody(), /*HandsOut=*/true);
  return !At->second.count(V);
}

CharSourceRange sectionRange(const Section &S) {
  SourceLocation Begin = S.Loc, End = S.Base.End;
  for (const Expr *E : {&S.Low, &S.Length})
    if (E->End.isValid() && End < E->End)
      End = E->End;
  if (S.F == Section::Form::Range)
    return {}; // The place of the closing bracket is unknown.
  return CharSourceRange::getTokenRange(Begin, End);
}

bool eachIteration(AccessTree &Tree, const std::string &Variable) {
  Node *Loop = nullptr;
  for (Node *At = &Tree.Body; At && !Loop;) {
    Node *Next = nullptr;
    for (Node &Child : At->Children)
      if (Child.K == Node::Loop && Tree.Symbols[Child.Counter].Spelling == Variable)
        Loop = &Child;
      else if (Child.K == Node::Seq)
        Next = &Child;
    At = Next;
  }
  if (!Loop || !Loop->Low || !Loop->High || Loop->Breaks)
    return false;
  for (const Symbol &S : Tree.Symbols)
    if (S.K == Symbol::Value && S.Spelling == Variable)
      return false;
  const SymbolId Counter = Loop->Counter;
  Tree.Symbols[Counter].K = Symbol::Value;
  Tree.Facts.push_back(Poly::symbol(Counter) - *Loop->Low);
  Tree.Facts.push_back(*Loop->High - 1 - Poly::symbol(Counter));
  Node Body;
  Body.Children = std::move(Loop->Children);
  *Loop = std::move(Body);
  return true;
}

unsigned unknownRanges(const AccessTree &Tree, const Node &N) {
  const auto known = [&](const Poly &P) {
    return P.valid() && llvm::none_of(P.symbols(), [&](SymbolId S) { return Tree.Symbols[S].K == Symbol::Unknown; });
  };
  const auto ends = [&](const std::optional<Poly> &P) { return P && known(*P); };
  unsigned Count = (N.K == Node::Leaf && !(ends(N.A.Low) && known(N.A.Count))) ||
                   (N.K == Node::Loop && !(ends(N.Low) && ends(N.High)));
  for (const Node &Child : N.Children)
    Count += unknownRanges(Tree, Child);
  return Count;
}

bool hasOtherLimits(const AccessTree &Tree, const Node &N, llvm::StringRef Variable, const Node *Around) {
  const auto names = [&](const Poly &P) {
    return llvm::any_of(P.symbols(), [&](SymbolId S) { return Tree.Symbols[S].Spelling == Variable; });
  };
  const auto limits = [&](const Poly &P) {
    const auto Parts = Around && P.valid() ? P.linearIn(Around->Counter) : std::nullopt;
    return Parts && !Parts->first.isZero() && (names(Parts->second) || (Around->High && names(*Around->High)));
  };
  if (N.K == Node::If && llvm::any_of(N.When, limits))
    return true;
  return llvm::any_of(N.Children, [&](const Node &Child) {
    return hasOtherLimits(Tree, Child, Variable, N.K == Node::Loop ? &N : Around);
  });
}

bool evaluable(const std::string &Text) {
  for (size_t At = Text.find('?'); At != std::string::npos; At = Text.find('?', At + 1))
    if (At + 1 == Text.size() || Text[At + 1] != ' ') // The begin of a name, not a conditional operator.
      return false;
  return Text.find("[...]") == std::string::npos;
}

bool mentions(llvm::StringRef Text, llvm::StringRef Name) {
  auto of = [&](llvm::StringRef Front) { // A member of another name.
    return Front.ends_with("::") || Front.ends_with("->") || Front.ends_with(".");
  };
  for (size_t At = Text.find(Name); At != llvm::StringRef::npos; At = Text.find(Name, At + 1))
    if ((At == 0 || !inName(Text[At - 1])) && !of(Text.take_front(At)) &&
        (At + Name.size() == Text.size() || !inName(Text[At + Name.size()])))
      return true;
  return false;
}

bool sameAccesses(const std::vector<AccessCode> &A, const std::vector<AccessCode> &B) {
  return A.size() == B.size() &&
         std::equal(A.begin(), A.end(), B.begin(), [](const AccessCode &X, const AccessCode &Y) {
           return X.Role == Y.Role && X.Param == Y.Param && X.What.Text == Y.What.Text;
         });
}

bool sameSections(std::vector<AccessCode> &A, std::vector<AccessCode> B) {
  for (size_t I = 0; I < std::min(A.size(), B.size()); ++I)
    if (A[I].Role != B[I].Role)
      A[I].Role = B[I].Role = AccessRole::InOut;
  return sameAccesses(A, B);
}

bool ownObject(const AccessTree &Tree, unsigned Id, const std::map<std::string, QualType> &Locals) {
  const Root &R = Tree.Roots[Id];
  if (R.K != Root::Indirect)
    return false;
  llvm::StringRef Name = llvm::StringRef(R.Name).ltrim("(*");
  if (Name.starts_with("[")) // The object behind structured bindings has no name.
    return true;
  auto It = Locals.find(Name.take_while(inName).str());
  return It != Locals.end() && !It->second.isNull() && !It->second->isPointerType() && !It->second->isArrayType() &&
         !It->second->isRecordType();
}

} // namespace hsched::cc
