// What declarations, and places in memory, are called in a tree.
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

// The member of Class that lookup finds; of a base's that a member of Class hides, with the base in front. Base: it may
// begin a section.
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
  return Hidden ? Own->getNameAsString() + "::" + Text : Text;
}

// C++ for what lies at Offset, where that is a member or an element that can be named.
std::optional<std::string> Lowerer::spellPlace(unsigned RootId, const Poly &Offset, QualType T, bool Base) const {
  const RootFacts &F = Facts[RootId];
  const Root &R = Tree.Roots[RootId];
  if (F.Base.empty() || F.Type.isNull() || !Offset.valid() || F.Many)
    return std::nullopt;
  // Offset = Q elements + Rest bytes
  std::int64_t Rest = 0;
  if (auto It = Offset.terms().find({}); It != Offset.terms().end())
    Rest = ((It->second % std::int64_t(F.Bytes)) + std::int64_t(F.Bytes)) % std::int64_t(F.Bytes);
  const std::optional<Poly> Q = (Offset - Poly(Rest)).dividedBy(std::int64_t(F.Bytes));
  if (!Q)
    return std::nullopt;
  // What a reference leads to is called as the reference is.
  const bool Referred =
      R.K == Root::Indirect && !Facts[R.Parent].Type.isNull() && Facts[R.Parent].Type->isReferenceType() && Q->isZero();
  const bool Single = Referred || (R.Object && R.Count && *R.Count == Poly(1));
  const std::string Whole = AccessTree::asOperand(F.Base); // what follows belongs to all of it
  std::string Text = Whole;
  bool Arrow = false;
  if (!R.Object && !Referred && Q->isZero())
    Arrow = true;
  else if (!Single || !Q->isZero())
    Text += "[" + Tree.spelling(*Q) + "]";
  QualType At = F.Type;
  for (unsigned Guard = 0; Guard != 16; ++Guard) {
    if (Rest == 0 && Context.hasSameUnqualifiedType(At, T))
      return Arrow ? "*" + Text : Text == Whole ? F.Base : Text;
    if (const auto *A = Context.getAsConstantArrayType(At)) {
      const std::int64_t Size = std::int64_t(bytesOf(A->getElementType()));
      if (Size == 0 || Arrow)
        return std::nullopt;
      Text += "[" + std::to_string(Rest / Size) + "]";
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
      return std::nullopt; // in a base, anonymous, or nothing
    Text += (Arrow ? "->" : ".") + memberText(D, *Found, Base);
    Arrow = false;
    Rest -= Start;
    At = Found->getType();
  }
  return std::nullopt;
}

std::optional<std::string> Lowerer::spellPointer(unsigned RootId, const Poly &Offset, bool Base) const {
  // Any type of that size: a pointer's.
  QualType At = Facts[RootId].Type;
  if (At.isNull())
    return std::nullopt;
  if (At->isAnyPointerType() || At->isReferenceType())
    return spellPlace(RootId, Offset, At, Base);
  const std::optional<std::int64_t> C = Offset.constant();
  const RecordDecl *D = At->getAsRecordDecl();
  D = D ? D->getDefinition() : nullptr;
  if (!C || !D || D->isInvalidDecl() || D->isDependentType())
    return std::nullopt;
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(D);
  const std::int64_t Rest = ((*C % std::int64_t(Facts[RootId].Bytes)) + std::int64_t(Facts[RootId].Bytes)) %
                            std::int64_t(Facts[RootId].Bytes);
  for (const FieldDecl *M : D->fields())
    if (std::int64_t(Layout.getFieldOffset(M->getFieldIndex()) / 8) == Rest && !M->isBitField())
      return spellPlace(RootId, Offset, M->getType(), Base);
  return std::nullopt;
}

} // namespace hsched::cc
