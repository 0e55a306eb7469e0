// Spellings of declarations and memory places in a tree.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace hsched::cc {

std::string Lowerer::nameOf(const ValueDecl &D) {
  if (Names)
    return Names->of(D);
  const bool Plain = D.getDeclContext()->isFunctionOrMethod() || isa<FieldDecl>(D);
  std::string Text = Plain ? D.getNameAsString() : D.getQualifiedNameAsString();
  const ValueDecl *Canonical = cast<ValueDecl>(D.getCanonicalDecl());
  const auto free = [&](const std::string &Name) {
    return Taken.try_emplace(Name, Canonical).first->second == Canonical;
  };
  if (Text.empty() || free(Text))
    return Text;
  Text = isa<FieldDecl>(D) ? "this->" + Text : Plain ? "?" + Text : "::" + Text;
  if (!free(Text))
    for (unsigned N = 2; !free(Text = "?" + D.getNameAsString() + "?" + std::to_string(N));)
      ++N;
  return Text;
}

// The spelling of a member of Class; a base's hidden member has the base in front. Base: it may begin a
// section.
std::string Lowerer::memberText(const RecordDecl *Class, const FieldDecl &Field, bool Base) const {
  const auto *Own = dyn_cast<CXXRecordDecl>(Field.getParent());
  std::string Text =
      Names && !(Base && Field.getType()->isPointerType()) ? Names->member(Field) : Field.getNameAsString();
  const auto *Derived = dyn_cast_or_null<CXXRecordDecl>(Class);
  if (!Own || !Derived || Own->getCanonicalDecl() == Derived->getCanonicalDecl())
    return Text;
  const auto hides = [&](const CXXRecordDecl *R) {
    return R->getCanonicalDecl() != Own->getCanonicalDecl() && R->hasDefinition() &&
           !R->lookup(Field.getDeclName()).empty();
  };
  bool Hidden = hides(Derived);
  Derived->forallBases([&](const CXXRecordDecl *R) {
    Hidden |= hides(R);
    return true;
  });
  if (!Hidden)
    return Text;
  std::string Qualifier = Names ? Names->qualifier(*Own, *Derived) : "";
  if (Qualifier.empty()) { // It identifies the base.
    Qualifier = "?";
    llvm::raw_string_ostream OS(Qualifier);
    Own->getNameForDiagnostic(OS, Context.getPrintingPolicy(), /*Qualified=*/true);
    OS << "::";
  }
  return Qualifier + Text;
}

// The type of the elements of an array or std::array; null: T is another type.
QualType Lowerer::elementOf(QualType T) const {
  const ArrayType *A = T.isNull() ? nullptr : Context.getAsArrayType(T);
  return A ? A->getElementType() : T.isNull() ? T : standardArrayElement(T);
}

// The type of a row of the root: an array whose elements are its own. Null: it has no rows.
QualType Lowerer::rowOf(unsigned RootId) const {
  const Root &R = Tree.Roots[RootId];
  if (!R.Decl)
    return Facts[RootId].Row;
  QualType T = R.Decl ? R.Decl->getType().getNonReferenceType() : QualType();
  T = !T.isNull() && !R.Object && T->isPointerType() ? T->getPointeeType() : elementOf(T);
  return elementOf(T).isNull() ? QualType() : T;
}

// "[1][2]" for element Index of the root, whose arrays of arrays are flat.
std::optional<std::string> Lowerer::spellElement(unsigned RootId, const Poly &Index) const {
  const Root &R = Tree.Roots[RootId];
  QualType Row = rowOf(RootId);
  if (Row.isNull())
    return "[" + Tree.spelling(Index) + "]";
  std::optional<std::int64_t> At = Index.constant();
  std::string Text;
  for (; !elementOf(Row).isNull() && At; Row = elementOf(Row)) {
    const std::int64_t InRow = R.ElementBytes ? std::int64_t(bytesOf(Row) / R.ElementBytes) : 0;
    if (InRow <= 0 || *At < 0)
      return std::nullopt;
    Text += "[" + std::to_string(*At / InRow) + "]";
    *At %= InRow;
  }
  return At ? std::optional(Text + "[" + std::to_string(*At) + "]") : std::nullopt;
}

// The C++ spelling of the member or element at Offset, if it can be named.
std::optional<Named> Lowerer::spellPlace(unsigned RootId, const Poly &Offset, QualType T, bool Base) const {
  const RootFacts &F = Facts[RootId];
  const Root &R = Tree.Roots[RootId];
  if (F.Base.empty() || F.Type.isNull() || !Offset.valid() || F.Many)
    return std::nullopt;
  // Offset = Q elements + Rest bytes.
  std::int64_t Rest = 0;
  if (auto It = Offset.terms().find({}); It != Offset.terms().end())
    Rest = ((It->second % std::int64_t(F.Bytes)) + std::int64_t(F.Bytes)) % std::int64_t(F.Bytes);
  const std::optional<Poly> Q = (Offset - Poly(Rest)).dividedBy(std::int64_t(F.Bytes));
  if (!Q)
    return std::nullopt;
  // The target of a reference is spelled like the reference.
  const bool Referred =
      R.K == Root::Indirect && !Facts[R.Parent].Type.isNull() && Facts[R.Parent].Type->isReferenceType() && Q->isZero();
  const bool Single = Referred || (R.Object && R.Count && *R.Count == Poly(1));
  const std::string Whole = AccessTree::asOperand(F.Base.Text); // The suffixes apply to all of it.
  std::string Text = Whole;
  AccessPath Path = F.Base.Path;
  bool Arrow = false;
  if (!Single || !Q->isZero())
    Path = Path.element(*Q);
  if (!R.Object && !Referred && Q->isZero() && rowOf(RootId).isNull())
    Arrow = true;
  else if (!Single || !Q->isZero()) {
    const std::optional<std::string> Subscripts = spellElement(RootId, *Q);
    if (!Subscripts)
      return std::nullopt;
    Text += *Subscripts;
  }
  QualType At = F.Type;
  for (unsigned Guard = 0; Guard != 16; ++Guard) {
    if (Rest == 0 && Context.hasSameUnqualifiedType(At, T))
      return Named{std::move(Path), Arrow ? "*" + Text : Text == Whole ? F.Base.Text : Text};
    if (const auto *A = Context.getAsConstantArrayType(At)) {
      const std::int64_t Size = std::int64_t(bytesOf(A->getElementType()));
      if (Size == 0 || Arrow)
        return std::nullopt;
      Text += "[" + std::to_string(Rest / Size) + "]";
      Path = Path.element(Rest / Size);
      Rest %= Size;
      At = A->getElementType();
      continue;
    }
    const RecordDecl *D = At->getAsRecordDecl();
    D = D ? D->getDefinition() : nullptr;
    if (!D || D->isUnion() || D->isInvalidDecl() || D->isDependentType())
      return std::nullopt;
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(D);
    const FieldDecl *Found = nullptr;
    std::int64_t Start = 0;
    for (const FieldDecl *M : D->fields()) {
      Start = std::int64_t(Layout.getFieldOffset(M->getFieldIndex()) / 8);
      if (!M->isBitField() && Start <= Rest && Rest < Start + std::int64_t(bytesOf(M->getType()))) {
        Found = M;
        break;
      }
    }
    if (!Found || !Found->getIdentifier())
      return std::nullopt; // In a base, anonymous, or padding.
    Text += (Arrow ? "->" : ".") + memberText(D, *Found, Base);
    Path = Path.member(Found->getCanonicalDecl());
    Arrow = false;
    Rest -= Start;
    At = Found->getType();
  }
  return std::nullopt;
}

// The type of the pointer or reference that lies At bytes behind the start of a T; null: there is none, or not known.
QualType Lowerer::pointerAt(QualType T, std::int64_t At) const {
  for (unsigned Guard = 0; Guard != 16 && !T.isNull(); ++Guard) {
    if (T->isAnyPointerType() || T->isReferenceType())
      return At == 0 ? T : QualType();
    if (const auto *A = Context.getAsConstantArrayType(T)) {
      T = A->getElementType();
      const std::int64_t Size = std::int64_t(bytesOf(T));
      if (Size == 0)
        return {};
      At %= Size;
      continue;
    }
    const RecordDecl *D = T->getAsRecordDecl();
    D = D ? D->getDefinition() : nullptr;
    T = {};
    if (!D || D->isInvalidDecl() || D->isDependentType())
      return {};
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(D);
    for (const FieldDecl *M : D->fields())
      if (const auto Start = std::int64_t(Layout.getFieldOffset(M->getFieldIndex()) / 8);
          T.isNull() && !M->isBitField() && Start <= At && At < Start + std::int64_t(bytesOf(M->getType()))) {
        T = M->getType();
        At -= Start;
      }
  }
  return {};
}

std::optional<Named> Lowerer::spellPointer(unsigned RootId, const Poly &Offset, bool Base) const {
  const QualType At = Facts[RootId].Type;
  const std::optional<std::int64_t> C = Offset.constant();
  if (At.isNull() || (!C && !At->isAnyPointerType() && !At->isReferenceType()))
    return std::nullopt;
  const auto Size = std::int64_t(Facts[RootId].Bytes);
  const QualType T = C ? pointerAt(At, ((*C % Size) + Size) % Size) : At;
  return T.isNull() ? std::nullopt : spellPlace(RootId, Offset, T, Base);
}

} // namespace hsched::cc
