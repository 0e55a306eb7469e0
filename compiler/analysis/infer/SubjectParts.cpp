// The parts of objects that clauses name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Parts.h"
#include "analysis/infer/Questions.h"
#include "analysis/infer/Subject.h"

#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace hsched::cc {

QualType Subject::typeNamed(llvm::StringRef Name, const Root *Of) const {
  if (auto It = Locals.find(Name.str()); It != Locals.end())
    return !Of || (Of->K == Root::Global && Of->Name == Name) ? It->second : QualType();
  for (unsigned I = 0; I != Clauses.getNumParams(); ++I)
    if (Clauses.getParamDecl(I)->getName() == Name) { // It hides other declarations of the name.
      const bool Its = !Of || (Of->K == Root::Param ? Of->Index == I && parameterOf(*Of) == I
                                                    : Of->Loc == Clauses.getParamDecl(I)->getLocation());
      return Its && I < Body.getNumParams() ? Body.getParamDecl(I)->getType() : QualType();
    }
  const auto *V = dyn_cast_or_null<ValueDecl>(Called.find(Name));
  if (!V || (Of && V->getLocation() != Of->Loc))
    return {};
  // Instances of a template have one location.
  if (Of && Of->Decl && !V->getDeclContext()->isDependentContext() && isa<VarDecl>(V) &&
      V->getCanonicalDecl() != Of->Decl->getCanonicalDecl())
    return {};
  return V->getType()->isDependentType() ? (Of && Of->Decl ? Of->Decl->getType() : QualType()) : V->getType();
}

const RecordDecl *Subject::classOf(unsigned Id) const {
  const Root &R = Tree.Roots[Id];
  QualType T = elementOf(Id);
  const std::optional<Path> Way = pathOf(nameOf(Id));
  if (T.isNull() && Way && (R.K == Root::Indirect || R.K == Root::Global))
    if (T = typeNamed(Way->Name, R.K == Root::Global ? &R : nullptr); !T.isNull())
      T = typeOfPath(C.Context, T, Way->Steps);
  if (T.isNull())
    return nullptr;
  T = T.getNonReferenceType();
  if (R.K == Root::Indirect && T->isPointerType())
    T = T->getPointeeType();
  const RecordDecl *Record = T->getBaseElementTypeUnsafe()->getAsRecordDecl();
  return Record ? Record->getDefinition() : nullptr;
}

std::vector<const Decl *> Subject::memberOf(unsigned Id, const Access &A) const {
  std::vector<const Decl *> All;
  const RecordDecl *Record = classOf(Id);
  const std::optional<std::int64_t> Bytes = A.Bytes.constant();
  if (!A.Byte || !Bytes)
    return {};
  // Elements of an array lie at multiples of their size.
  const auto within = [](const Poly &At, std::int64_t Size) -> std::optional<std::int64_t> {
    std::int64_t Rest = 0;
    for (const auto &[Symbols, Factor] : At.terms())
      if (Symbols.empty())
        Rest = ((Factor % Size) + Size) % Size;
      else if (Factor % Size != 0)
        return std::nullopt;
    return Rest;
  };
  for (Poly At = *A.Byte; Record && !Record->isInvalidDecl() && !Record->isDependentType() && !Record->isUnion();) {
    const ASTRecordLayout &Layout = C.Context.getASTRecordLayout(Record);
    const std::optional<std::int64_t> From = within(At, std::max<std::int64_t>(Layout.getSize().getQuantity(), 1));
    const FieldDecl *In = nullptr;
    std::int64_t Begin = 0;
    for (const FieldDecl *Field : Record->fields()) {
      const std::int64_t First = std::int64_t(Layout.getFieldOffset(Field->getFieldIndex()) / 8);
      const std::int64_t Size = C.Context.getTypeSizeInChars(Field->getType()).getQuantity();
      if (From && *From >= First && *From + *Bytes <= First + Size && !Field->isBitField() &&
          !Field->getType()->isReferenceType()) {
        In = Field;
        Begin = First;
      }
    }
    if (!In)
      break;
    All.push_back(Record);
    All.push_back(In);
    const QualType T = In->getType()->getBaseElementTypeUnsafe()->getCanonicalTypeInternal();
    const std::int64_t Each = C.Context.getTypeSizeInChars(T).getQuantity();
    Record = T->getAsRecordDecl() ? T->getAsRecordDecl()->getDefinition() : nullptr;
    if (Each == 0 || *Bytes > Each)
      break;
    At = Poly(*From - Begin);
  }
  return All;
}

std::optional<Declared> Subject::partOf(const AccessCode &A, unsigned Id) {
  const Root &R = Tree.Roots[Id];
  if (R.K == Root::Anything || R.Owned || container(Id) >= 0)
    return std::nullopt;
  std::optional<Path> Base = pathOf(A.What.Base.Text);
  if (!Base) { // Somewhere in it, or the result of a function, which may be in it.
    const bool May =
        R.K != Root::Indirect && (mentions(A.What.Base.Text, R.Name) ||
                                  llvm::any_of(A.What.Base.Names, [](const NameUse &N) { return N.Called; }));
    return May ? std::optional(Declared{&A, std::nullopt}) : std::nullopt;
  }
  QualType Whole;
  if (R.K == Root::Indirect) {
    const std::optional<Path> To = pathOf(nameOf(Id));
    if (!To || To->Name != Base->Name || To->Steps.size() >= Base->Steps.size())
      return std::nullopt;
    const auto Rest = Base->Steps.begin() + std::ptrdiff_t(To->Steps.size());
    Path Pointer{Base->Name, {Base->Steps.begin(), Rest}};
    const SamePath Same = same(*To, Pointer, A.What.Over);
    if (Same == SamePath::Possibly)
      return Declared{&A, std::nullopt};
    if (const QualType T = Same == SamePath::Yes ? typeNamed(Base->Name, nullptr) : QualType(); !T.isNull())
      Whole = typeOfPath(C.Context, T, Pointer.Steps);
    if (Whole.isNull() || (!Whole->isPointerType() && !Whole->isReferenceType()))
      return std::nullopt;
    Base->Steps.erase(Base->Steps.begin(), Rest);
  } else if (const QualType T = typeNamed(Base->Name, &R); T.isNull()) {
    return std::nullopt;
  } else if (R.K != Root::Param) {
    if (T->isReferenceType() || T->isPointerType())
      return std::nullopt;
    Whole = T;
  } else { // The pointer's target; the targets of pointers there are other roots.
    if ((!T->isPointerType() && !T->isReferenceType()) || Base->Steps.empty() ||
        Body.getParamDecl(R.Index)->getName() != llvm::StringRef(R.Name))
      return std::nullopt;
    Whole = T;
  }
  Words W(Tree, [this](llvm::StringRef N) { return constantOf(N); }, [this](llvm::StringRef N) { return inTree(N); });
  const std::optional<Part> Named =
      hsched::cc::partOf(C.Context, A.What, *Base, Whole, [&](llvm::StringRef Text) { return W.poly(Text); });
  if (Named && Named->Behind) {
    if (Behind[Id] == Ways::None)
      Behind[Id] = Ways::Pointers;
    return std::nullopt;
  }
  Behind[Id] = Ways::Other;
  return Named ? std::optional(Declared{&A, std::nullopt, Named->Bytes}) : std::nullopt;
}

bool Subject::followsOtherMembers(const AccessCode &A, unsigned Id) {
  const Root &R = Tree.Roots[Id];
  const std::optional<Path> To = pathOf(nameOf(Id));
  std::optional<Path> Named = pathOf(A.What.Base.Text);
  if (R.K != Root::Indirect || Tree.Roots[R.Parent].K != Root::Param || A.What.F == Section::Form::Whole ||
      A.What.Over.size() > 1 || !To || !Named || To->Name != Named->Name || To->Steps.size() != 1 ||
      To->Steps[0].K != Path::Step::Any || Named->Steps.size() < 2 || Named->Steps.back().K != Path::Step::Index ||
      Named->Steps[Named->Steps.size() - 2].K != Path::Step::Member)
    return false;
  const QualType T = typeNamed(Named->Name, &Tree.Roots[R.Parent]);
  if (T.isNull() || (!T->isPointerType() && !T->isReferenceType()) || T->getPointeeType()->isIncompleteType())
    return false;
  Words W(Tree, [this](llvm::StringRef N) { return constantOf(N); }, [this](llvm::StringRef N) { return inTree(N); });
  const auto number = [&](llvm::StringRef Text) { return W.poly(Text); };
  std::optional<Poly> Count = Poly(1);
  if (!A.What.Over.empty()) {
    const Generator &G = A.What.Over.front();
    if (Named->Steps.back().Text != G.Name || G.Step.Text != "1")
      return false;
    Named->Steps.back().Text = G.Low.Text;
    Count = W.poly(G.Count.Text);
  }
  Section Object;
  Object.F = Section::Form::Whole;
  const std::optional<Part> First = hsched::cc::partOf(C.Context, Object, *Named, T, number);
  Named->Steps.pop_back();
  const std::optional<Part> Array = hsched::cc::partOf(C.Context, Object, *Named, T, number);
  if (!Count || !First || !First->Bytes || !Array || !Array->Bytes || Array->Bytes->Dims.empty())
    return false;
  // Bytes of other members may be read.
  const Poly Begin = Array->Bytes->Base, End = Begin + Array->Bytes->Dims[0].Count;
  const Poly Size = C.Context.getTypeSizeInChars(T->getPointeeType()).getQuantity();
  const Poly Pointer = C.Context.getTypeSizeInChars(C.Context.VoidPtrTy).getQuantity();
  std::vector<Box> Parts = {Box{First->Bytes->Base, {{*Count * Pointer, 1}}}};
  for (const auto &[From, To] : {std::pair(Poly(0), Begin), {End, Size}})
    if (!(From == To))
      Parts.push_back({From, {{To - From, 1}}});
  return E->outside(R.Parent, Parts, /*Writes=*/false).isValid();
}

std::vector<Declared> Subject::inBytes(unsigned Id) const {
  std::vector<Declared> All = declared(Id);
  if (Parts[Id].empty())
    return {};
  const std::int64_t Bytes = std::max(Tree.Roots[Id].ElementBytes, 1u);
  for (Declared &D : All) {
    if (!D.What)
      continue;
    Box B{D.What->Base * Poly(Bytes), {}};
    bool Valid = B.Base.valid();
    for (const Box::Dim &Dim : D.What->Dims) {
      B.Dims.push_back({Dim.Count, Dim.Stride * Poly(Bytes)});
      Valid = Valid && B.Dims.back().Stride.valid();
    }
    B.Dims.push_back({Bytes, 1});
    if (Valid)
      D.Bytes = std::move(B);
  }
  if (All.empty())
    return Parts[Id];
  return All;
}

AccessRole Subject::roleOf(unsigned Id) const {
  const RootEffect &E = effects().of(Id);
  if (!E.Written)
    return AccessRole::In;
  const Root &R = Tree.Roots[Id];
  std::optional<Box> Whole = E.All;
  if (R.Object && R.Count)
    Whole = Box{0, {{*R.Count, 1}}};
  if (container(Id) >= 0) {
    Whole = tile(Id);
    return Whole && effects().overwrites(Id, *Whole) == Answer::Yes ? AccessRole::Out : AccessRole::InOut;
  }
  // A part that no section could name exactly would be overwritten only partly.
  if (Whole && effects().overwrites(Id, *Whole) == Answer::Yes) {
    bool Exact = true;
    if (!R.Object)
      sectionOf(*Whole, "p", std::max<std::int64_t>(perElement(Id), 1), speller(), Exact);
    if (Exact)
      return AccessRole::Out;
  }
  return AccessRole::InOut;
}

} // namespace hsched::cc
