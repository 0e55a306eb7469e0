// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Subject.h"

#include "analysis/infer/Expressions.h"
#include "analysis/infer/Questions.h"
#include "analysis/lower/Standard.h"
#include "analysis/regions/InBytes.h"
#include "analysis/regions/Owned.h"
#include "model/NameCharacters.h"

#include "clang/Lex/MacroInfo.h"
#include "clang/Sema/Lookup.h"
#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace clang;

namespace hsched::cc {

Subject::Subject(const BindContext &C, Names &Called, AccessTree T, const FunctionDecl &Body,
                 const FunctionDecl &Clauses, std::function<SourceLocation(SourceLocation)> At)
    : Called(Called), Tree(std::move(T)), Body(Body), Clauses(Clauses), At(std::move(At)), C(C) {}

// Numeric macros, and constants visible at the directive.
std::optional<std::int64_t> Subject::constantOf(llvm::StringRef Name) const {
  const NamedDecl *Found = Called.find(Name);
  if (isa_and_nonnull<ParmVarDecl>(Found))
    return std::nullopt;
  if (const MacroInfo *M =
          Name.contains(':')
              ? nullptr
              : C.S.PP.getMacroDefinitionAtLoc(C.S.PP.getIdentifierInfo(Name), Called.place()).getMacroInfo()) {
    if (M->getNumTokens() != 1 || !M->isObjectLike() || M->getReplacementToken(0).isNot(tok::numeric_constant))
      return std::nullopt;
    std::string Digits = C.S.PP.getSpelling(M->getReplacementToken(0));
    std::int64_t N;
    if (llvm::StringRef(Digits).rtrim("uUlL").getAsInteger(0, N))
      return std::nullopt;
    return N;
  }
  return Called.constant(Found);
}

// Parameters may have other names at the clauses.
static std::string calledIn(const FunctionDecl &To, llvm::StringRef Name, const FunctionDecl &From) {
  for (unsigned I = 0; I < From.getNumParams() && I < To.getNumParams(); ++I)
    if (From.getParamDecl(I)->getName() == Name && !To.getParamDecl(I)->getName().empty())
      return To.getParamDecl(I)->getNameAsString();
  return Name.str();
}

std::string Subject::inTree(llvm::StringRef Name) const { return calledIn(Body, Name, Clauses); }

static std::string exchanged(llvm::StringRef Text, const FunctionDecl &From, const FunctionDecl &To) {
  return withNames(Text,
                   [&](llvm::StringRef Name, char Before) { return Before ? Name.str() : calledIn(To, Name, From); });
}

const Root *Subject::parameterAbove(unsigned Id) const {
  const Root *R = &Tree.Roots[Id];
  for (unsigned Depth = 0; R->K == Root::Indirect && Depth < 8; ++Depth)
    R = &Tree.Roots[R->Parent];
  return R->K == Root::Param && R->Index < Body.getNumParams() ? R : nullptr;
}

int Subject::container(unsigned Id) const {
  const Root *R = parameterAbove(Id);
  if (!R)
    return -1;
  const ParmVarDecl *P = Body.getParamDecl(R->Index);
  // A std::array by value is a copy, and memory behind its pointers is no part of it.
  if (standardType(P->getType()).K == StandardType::Array && !P->getType()->isReferenceType())
    return -1;
  const Root &Of = Tree.Roots[Id]; // Memory behind pointers that are elements is no part of the container.
  if (Of.K == Root::Indirect && !Of.Owned && Tree.Roots[Of.Parent].OfPointers)
    return -1;
  // A view or a vector is named as a whole, however it holds its elements.
  if (elementOfContainer(C.Context, P->getType()).isNull())
    return -1;
  return Tree.Roots[Id].Name == P->getName() ? -1 : static_cast<int>(parameterOf(*R));
}

bool Subject::ofTile(unsigned Id) const {
  const Root *R = parameterAbove(Id);
  return R && isTile(Body.getParamDecl(R->Index)->getType());
}

std::optional<Box> Subject::tile(unsigned Id) const {
  if (container(Id) < 0 || !ofTile(Id))
    return std::nullopt;
  const std::string Tile = llvm::StringRef(Tree.Roots[Id].Name).rsplit(".data_").first.str();
  auto member = [&](llvm::StringRef Name) -> std::optional<Poly> {
    for (SymbolId S = 0; S != Tree.Symbols.size(); ++S)
      if (Tree.Symbols[S].K == Symbol::Value && Tree.Symbols[S].Spelling == Tile + Name.str())
        return Poly::symbol(S);
    return std::nullopt;
  };
  const std::optional<Poly> Rows = member(".rows()"), Columns = member(".columns()"), Stride = member(".stride()");
  if (Tile == Tree.Roots[Id].Name || !Rows || !Columns || !Stride)
    return std::nullopt;
  return Box{0, {{*Rows, *Stride}, {*Columns, 1}}};
}

unsigned Subject::parameterOf(const Root &R) const { return std::min(R.Index, firstOfPack(Clauses)); }

bool Subject::ignored(unsigned Id) const {
  // Rows, columns and stride of a tile passed by reference are not data of the task.
  if (E && ofTile(Id) && container(Id) < 0 && !E->of(Id).Written)
    return true;
  const Root *R = &Tree.Roots[Id];
  for (; R->K == Root::Indirect; R = &Tree.Roots[R->Parent]) {
  }
  const bool OfPack = R->K == Root::Param && R->Index >= firstOfPack(Clauses);
  return Only ? !OfPack || R->Index != *Only : OfPack;
}

std::string Subject::nameOf(unsigned Id) const {
  const Root &R = Tree.Roots[Id];
  if (R.K == Root::Anything)
    return "";
  if (int Whole = container(Id); Whole >= 0)
    return Clauses.getParamDecl(static_cast<unsigned>(Whole))->getNameAsString();
  return exchanged(R.Name, Body, Clauses);
}

std::string Subject::spell(const Poly &P) const { return exchanged(Tree.spelling(P), Body, Clauses); }

std::string Subject::spellWide(const Poly &P) const { return exchanged(Tree.wideSpelling(P), Body, Clauses); }

QualType Subject::elementOf(unsigned Id) const {
  const Root &R = Tree.Roots[Id];
  if (R.K != Root::Param || parameterOf(R) >= Clauses.getNumParams() || R.Index >= Body.getNumParams() ||
      Body.getParamDecl(R.Index)->getName() != llvm::StringRef(R.Name))
    return {};
  QualType T = Body.getParamDecl(R.Index)->getType();
  if (QualType ElementType = elementOfContainer(C.Context, T); !ElementType.isNull())
    return ElementType;
  T = T.getNonReferenceType();
  if (T->isPointerType())
    return T->getPointeeType();
  if (const ArrayType *A = C.Context.getAsArrayType(T))
    return A->getElementType();
  return T;
}

std::int64_t Subject::perElement(unsigned Id) const {
  const Root &R = Tree.Roots[Id];
  QualType T = elementOf(Id);
  if (T.isNull())
    return R.K == Root::Param ? 1 : R.ElementBytes ? R.PerOuter : 0;
  if (T->isDependentType() || T->isIncompleteType() || T->isFunctionType() || R.ElementBytes == 0)
    return 0;
  std::int64_t Bytes = C.Context.getTypeSizeInChars(T).getQuantity();
  return Bytes % R.ElementBytes == 0 ? Bytes / R.ElementBytes : 0;
}

std::pair<std::string, std::int64_t> Subject::elements(unsigned Id) const {
  const Root &R = Tree.Roots[Id];
  const std::int64_t Per = perElement(Id);
  if (Per != 0 || !elementOf(Id).isNull() || R.ElementBytes == 0 || R.PerOuter != 0 || R.Object ||
      R.Element.find('(') != std::string::npos)
    return {nameOf(Id), Per};
  return {"((" + std::string(R.PointeeConst ? "const " : "") + R.Element + " *)" + nameOf(Id) + ")", 1};
}

std::string Subject::changeable(const Box &B, llvm::function_ref<bool(const Symbol &)> Constant) const {
  std::set<SymbolId> All = B.Base.symbols();
  for (const Box::Dim &D : B.Dims)
    for (const Poly *P : {&D.Count, &D.Stride})
      All.merge(P->symbols());
  auto behind = [&](const ParmVarDecl *P) { // Only the text of an argument is known.
    const QualType T = P->getType();
    return T->isPointerType() || (T->isReferenceType() && elementOfContainer(C.Context, T).isNull() && !isTile(T));
  };
  for (SymbolId Id : All) {
    const Symbol &N = Tree.Symbols[Id];
    const bool Late =
        OfKernel ? llvm::any_of(Clauses.parameters(),
                                [&](const ParmVarDecl *P) {
                                  return !P->getName().empty() && behind(P) && mentions(N.Spelling, P->getName());
                                })
                 : N.From >= 0 && !ofTile(unsigned(N.From)) && !Constant(N);
    if (!Late)
      continue;
    const std::string Text = spell(Poly::symbol(Id));
    llvm::StringRef Bare = Text;
    if (Bare.consume_front("(") && Bare.consume_back(")") && Bare.find_first_of("()") == llvm::StringRef::npos)
      return Bare.str();
    return Text;
  }
  return "";
}

bool Subject::isPointer(unsigned Id) const {
  const Root &R = Tree.Roots[Id];
  if (!R.OfPointers)
    return false;
  if (R.K != Root::Indirect)
    return R.K != Root::Param && R.Object && R.Count && *R.Count == Poly(1);
  const Root &Of = Tree.Roots[R.Parent];
  return Of.K == Root::Global && Of.Decl && Of.Decl->getType()->isReferenceType();
}

bool Subject::names(const AccessCode &A, unsigned Id) const {
  const Root &R = Tree.Roots[Id];
  if (R.K == Root::Anything)
    return false;
  const std::string Base = withoutBlanks(A.What.Base.Text);
  // All of the object, but not the targets of its members.
  if (R.K == Root::This && ((A.What.F == Section::Form::Whole && (Base == "*this" || Base == "(*this)")) ||
                            (A.What.F != Section::Form::Whole && Base == "this")))
    return true;
  // A section of a pointer is its target, not the pointer.
  if (A.What.F != Section::Form::Whole && isPointer(Id))
    return false;
  if (int Whole = container(Id); Whole >= 0)
    return A.Param == Whole;
  // Memory behind a library class's own pointers belongs to it.
  if (R.K == Root::Indirect && A.What.F == Section::Form::Whole) {
    const Root *Up = &R;
    for (unsigned Depth = 0; Up->K == Root::Indirect && Depth < 8; ++Depth)
      Up = &Tree.Roots[Up->Parent];
    if (Up->Library && Base == Up->Name)
      return true;
  }
  if (R.K == Root::Param && A.Param == static_cast<int>(parameterOf(R)) && R.Index < Body.getNumParams() &&
      Body.getParamDecl(R.Index)->getName() == llvm::StringRef(R.Name))
    return true;
  return Base == withoutBlanks(nameOf(Id)) || namesTarget(A, Id) >= SamePath::Possibly;
}

std::optional<Path> Subject::pathOf(llvm::StringRef Text) {
  std::optional<Path> P = Path::of(Text);
  if (!P || P->Name != "this" || P->Steps.size() < 2 || P->Steps[0].K != Path::Step::Deref ||
      P->Steps[1].K != Path::Step::Member)
    return P;
  P->Name += "->" + P->Steps[1].Text; // A hidden member is spelled this way.
  P->Steps.erase(P->Steps.begin(), P->Steps.begin() + 2);
  return P;
}

SamePath Subject::same(const Path &To, const Path &Named, llvm::ArrayRef<Generator> Over) const {
  auto constant = [this](llvm::StringRef Text) -> std::optional<std::int64_t> {
    if (std::int64_t N; !Text.rtrim("uUlL").getAsInteger(0, N))
      return N;
    return !Text.empty() && beginsName(Text.front()) && llvm::all_of(Text, inName) ? constantOf(Text) : std::nullopt;
  };
  auto generated = [&](llvm::StringRef Text) {
    return llvm::any_of(Over, [&](const Generator &G) { return mentions(Text, G.Name); });
  };
  return compare(To, Named, {constant, generated});
}

SamePath Subject::namesTarget(const AccessCode &A, unsigned Id) const {
  const Root &R = Tree.Roots[Id];
  const bool Array = R.K == Root::Param && llvm::StringRef(R.Name).ends_with("[...]"); // Pointers in a struct.
  if (R.K != Root::Indirect && !Array)
    return SamePath::No;
  const std::optional<Path> To = pathOf(nameOf(Id));
  std::optional<Path> Named = pathOf(A.What.Base.Text);
  if (!To || !Named)
    return SamePath::No;
  if (A.What.F == Section::Form::Whole && !R.Owned) { // An element of the pointer's target.
    if (Named->Steps.empty() || Named->Steps.back().K == Path::Step::Member)
      return SamePath::No;
    Named->Steps.pop_back();
  }
  return same(*To, *Named, A.What.Over);
}

bool Subject::followsOthers(const AccessCode &A, unsigned Id) {
  const Root &R = Tree.Roots[Id];
  if (R.K != Root::Indirect || A.What.Over.size() > 1)
    return false;
  const std::optional<Path> To = pathOf(nameOf(Id)), Named = pathOf(A.What.Base.Text);
  if (!To || !Named || A.What.F == Section::Form::Whole || To->Steps.size() != Named->Steps.size() ||
      To->Steps.empty() || To->Steps.back().K != Path::Step::Any || Named->Steps.back().K != Path::Step::Index ||
      perElement(R.Parent) != 1)
    return false;
  const std::string &Subscript = Named->Steps.back().Text;
  Words W(Tree, [this](llvm::StringRef N) { return constantOf(N); }, [this](llvm::StringRef N) { return inTree(N); });
  std::optional<Poly> Low, Count = Poly(1);
  if (A.What.Over.empty()) {
    Low = W.poly(Subscript);
  } else if (const Generator &G = A.What.Over.front(); Subscript == G.Name && G.Step.Text == "1") {
    Low = W.poly(G.Low.Text);
    Count = W.poly(G.Count.Text);
  }
  if (!Low || !Count || !E->of(R.Parent).All) // The pointers that it follows are unknown.
    return false;
  // A constant may be the number that the body uses.
  const Answer In = E->inside(R.Parent, Box{*Low, {{*Count, 1}}});
  return A.What.Over.empty() && Low->constant() ? In == Answer::No : In != Answer::Yes;
}

std::optional<Box> Subject::boxOf(const AccessCode &A, unsigned Id) {
  const Root &R = Tree.Roots[Id];
  const Section &S = A.What;
  if (container(Id) >= 0)
    return S.F == Section::Form::Whole ? tile(Id) : std::nullopt;
  Words W(Tree, [this](llvm::StringRef N) { return constantOf(N); }, [this](llvm::StringRef N) { return inTree(N); });
  std::int64_t Per = perElement(Id);
  if (S.F == Section::Form::Whole)
    return R.Count ? std::optional<Box>(Box{0, {{*R.Count, 1}}}) : std::nullopt;
  // A base that is not a plain name has another begin, or other elements.
  if (Per == 0 || (withoutBlanks(S.Base.Text) != withoutBlanks(nameOf(Id)) && namesTarget(A, Id) != SamePath::Yes))
    return std::nullopt;
  return boxOf(S, W, Per);
}

std::optional<Box> Subject::boxOf(const Section &S, Words &W, std::int64_t Per) {
  if (!S.Over.empty())
    return std::nullopt;
  switch (S.F) {
  case Section::Form::Pointee:
    return Box{0, {{Poly(Per), 1}}};
  case Section::Form::Shaped: {
    Poly Count = Per;
    bool Factored = true; // Each extent counts separately.
    for (const Expr &E : S.Shape) {
      std::optional<Poly> P = W.poly(E.Text);
      if (!P)
        return std::nullopt;
      Count = Count * *P;
      Factored &= P->terms().size() == 1 && P->terms().begin()->first.size() < 2;
    }
    return Count.valid() ? std::optional<Box>(Box{0, {{Count, 1, Factored}}}) : std::nullopt;
  }
  case Section::Form::Range: {
    std::optional<Poly> Low = W.poly(S.Low.Text), Length = W.poly(S.Length.Text);
    if (!Low || !Length || !(*Low * Per).valid() || !(*Length * Per).valid())
      return std::nullopt;
    return Box{*Low * Per, {{*Length * Per, 1}}};
  }
  case Section::Form::Tile:
    return tileBox(S, W, Per);
  default:
    return std::nullopt;
  }
}

std::optional<Box> Subject::sectionFrom(const AccessCode &A, unsigned Id, std::int64_t First) const {
  AccessTree Copy = Tree; // Expressions add symbols.
  Words W(Copy, [this](llvm::StringRef N) { return constantOf(N); }, [this](llvm::StringRef N) { return inTree(N); });
  const std::int64_t Per = perElement(Id);
  std::optional<Box> B = Per == 0 ? std::nullopt : boxOf(A.What, W, Per);
  if (!B || Copy.Symbols.size() != Tree.Symbols.size())
    return std::nullopt;
  B->Base = B->Base + Poly(First);
  return B->Base.valid() ? B : std::nullopt;
}

// ([m][n]p)[i:bm][j:bn]; other tiles take their dimensions from types, and are not handled.
std::optional<Box> Subject::tileBox(const Section &S, Words &W, std::int64_t PerElement) {
  if (S.Shape.empty() || S.Subscripts.size() > S.Shape.size())
    return std::nullopt;
  std::vector<Poly> Strides(S.Shape.size(), PerElement), Extents;
  for (const Expr &E : S.Shape) {
    std::optional<Poly> P = W.poly(E.Text);
    if (!P)
      return std::nullopt;
    Extents.push_back(*P);
  }
  for (size_t D = S.Shape.size() - 1; D-- > 0;)
    Strides[D] = Strides[D + 1] * Extents[D + 1];
  Box B{0, {}};
  for (size_t D = 0; D != S.Shape.size(); ++D) {
    Poly Low = 0, Count = Extents[D];
    if (D < S.Subscripts.size()) {
      const Subscript &Sub = S.Subscripts[D];
      std::optional<Poly> L = W.poly(Sub.Low.Text);
      if (!L)
        return std::nullopt;
      Low = *L;
      Count = Count - Low;
      if (Sub.K == Subscript::Kind::Index) {
        Count = 1;
      } else if (!Sub.Length.Text.empty()) {
        std::optional<Poly> N = W.poly(Sub.Length.Text);
        if (!N)
          return std::nullopt;
        Count = *N;
      }
    }
    B.Base = B.Base + Low * Strides[D];
    if (Count != Poly(1))
      B.Dims.push_back({Count, Strides[D]});
  }
  if (PerElement != 1)
    B.Dims.push_back({PerElement, 1});
  bool Valid = B.Base.valid();
  for (const Box::Dim &D : B.Dims)
    Valid = Valid && D.Count.valid() && D.Stride.valid();
  return Valid ? std::optional<Box>(B) : std::nullopt;
}

void Subject::read(const std::vector<AccessCode> &Written) {
  Accesses.clear();
  for (const AccessCode &A : Written)
    Accesses.push_back(Called.inOneSpelling(A));
  Sections.clear();
  Parts.assign(Tree.Roots.size(), {});
  ByRoot.assign(Tree.Roots.size(), {});
  Followed.assign(Tree.Roots.size(), false);
  Behind.assign(Tree.Roots.size(), Ways::None);
  InBytes.reset();
  for (const AccessCode &A : Accesses)
    for (unsigned Id = 0; Id != Tree.Roots.size(); ++Id)
      if (names(A, Id)) {
        ByRoot[Id].push_back(static_cast<unsigned>(Sections.size()));
        Sections.emplace_back(&A, boxOf(A, Id));
        if (Tree.Roots[Id].K == Root::Param && !Sections.back().second)
          if (std::optional<Declared> Part = partOf(A, Id))
            Parts[Id].push_back(std::move(*Part));
      } else if (std::optional<Declared> Part = partOf(A, Id)) {
        Parts[Id].push_back(std::move(*Part));
      } else if (namesTarget(A, Id) == SamePath::OnPath) { // Possibly only pointers in it are read.
        const auto known = [](const Access &X) { return X.Low || X.Byte; };
        Followed[Id] = Followed[Id] || Tree.Roots[Id].OfPointers || !anyAccess(Id, known);
      }
  foldOwned(Tree, [&](unsigned Id) { return !ByRoot[Id].empty(); });
  E = std::make_unique<Effects>(Tree);
  if (llvm::any_of(Parts, [](const std::vector<Declared> &Of) { return !Of.empty(); })) {
    InBytes = std::make_unique<BytesTree>(BytesTree{Tree, nullptr});
    toBytes(InBytes->Tree, [&](unsigned Id) { return !Parts[Id].empty(); });
    InBytes->E = std::make_unique<Effects>(InBytes->Tree);
  }
  for (unsigned Id = 0; Id != Tree.Roots.size(); ++Id)
    if (ByRoot[Id].size() == 1)
      if (const AccessCode &A = *Sections[ByRoot[Id].front()].first; followsOthers(A, Id) || followsOtherMembers(A, Id))
        ByRoot[Id].clear();
}

std::vector<Declared> Subject::declared(unsigned Id) const {
  std::vector<Declared> Out;
  for (unsigned I : ByRoot[Id])
    Out.push_back({Sections[I].first, Sections[I].second});
  // If a clause names all of a variable, or a section of it, others may name parts.
  for (const Declared &Part : Parts[Id])
    if (auto It = llvm::find_if(Out, [&](const Declared &D) { return D.A == Part.A; }); It != Out.end())
      It->Bytes = Part.Bytes;
    else if (!ByRoot[Id].empty())
      Out.push_back(Part);
  return Out;
}

bool Subject::onlyQueried(unsigned Id) const {
  auto used = [&](unsigned I) { return E->of(I).Read || E->of(I).Written; };
  if (Tree.Roots[Id].K != Root::Param || !Tree.Roots[Id].SizeQueried || !ByRoot[Id].empty() || used(Id))
    return false;
  for (unsigned I = 0; I != Tree.Roots.size(); ++I)
    if (used(I) && parameterAbove(I) == &Tree.Roots[Id])
      return false;
  return true;
}

static bool anyNode(const Node &N, llvm::function_ref<bool(const Node &)> Wanted) {
  if (Wanted(N))
    return true;
  for (const Node &Child : N.Children)
    if (anyNode(Child, Wanted))
      return true;
  return false;
}

SourceLocation Subject::writtenOnCondition(unsigned Id) const {
  auto writes = [&](const Node &N) {
    return N.K == Node::Leaf && N.A.K != AccessKind::Read &&
           (N.A.RootId == Id || Tree.Roots[N.A.RootId].K == Root::Anything);
  };
  const Node *N = &Tree.Body;
  bool Condition = false;
  while (N->K != Node::Leaf) {
    const Node *Only = nullptr;
    bool Left = false; // Left on a condition, before it is written.
    for (const Node &Child : N->Children)
      if (anyNode(Child, writes)) {
        if (Only)
          return {};
        Only = &Child;
      } else if (!Only && N->K == Node::Seq && Child.K == Node::If && Child.OnData && !Child.Exact) {
        Left |= anyNode(Child, [](const Node &Each) { return Each.K == Node::Stop && !Each.Throws; });
      }
    if (!Only || (N->K == Node::Loop && (!N->Low || !N->High))) // The loop may continue until it is written.
      return {};
    if (Left) {
      N = Only;
      Condition = true;
      break;
    }
    auto throws = [](const Node &Each) { return Each.K == Node::Stop && Each.Throws; };
    if (N->K == Node::If && N->OnData && !N->Exact) {
      Condition = true;
      for (const Node &Child : N->Children)
        if (&Child != Only && anyNode(Child, throws))
          return {};
    }
    N = Only;
    if (Condition)
      break;
  }
  if (!Condition)
    return {};
  SourceLocation At;
  anyNode(*N, [&](const Node &Each) {
    if (!writes(Each) || Each.A.Guess)
      return false;
    At = Each.A.Loc;
    return true;
  });
  return At;
}

bool Subject::anyAccess(unsigned Id, llvm::function_ref<bool(const Access &)> Wanted) const {
  std::vector<const Node *> Todo = {&Tree.Body};
  while (!Todo.empty()) {
    const Node *N = Todo.back();
    Todo.pop_back();
    if (N->K == Node::Leaf && N->A.RootId == Id && Wanted(N->A))
      return true;
    for (const Node &Child : N->Children)
      Todo.push_back(&Child);
  }
  return false;
}

} // namespace hsched::cc
