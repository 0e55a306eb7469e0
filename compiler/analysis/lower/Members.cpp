// The implicit object of a function, and its members.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace hsched::cc {

static void findRepeated(const CXXRecordDecl &Of, BaseSet &Seen, BaseSet &Shared, BaseSet &Repeated) {
  if (!Of.hasDefinition())
    return;
  for (const CXXBaseSpecifier &B : Of.bases()) {
    const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
    if (!Base || (B.isVirtual() && !Shared.insert(Base->getCanonicalDecl()).second))
      continue;
    if (!Seen.insert(Base->getCanonicalDecl()).second)
      Repeated.insert(Base->getCanonicalDecl());
    findRepeated(*Base, Seen, Shared, Repeated);
  }
}

BaseSet repeatedBases(const CXXRecordDecl &Class) {
  BaseSet Seen, Shared, Repeated;
  findRepeated(Class, Seen, Shared, Repeated);
  return Repeated;
}

// The implicit object. There is a root for each of its members, spelled as in the function's body and clauses, and one
// for the object as a whole.
void Lowerer::objectOfCall(const CXXRecordDecl &Class, bool Const, SourceLocation Loc) {
  Root R;
  RootFacts F;
  R.K = Root::This;
  R.Name = "*this";
  F.Base.Text = "(*this)";
  R.Loc = Loc;
  R.Object = true;
  R.PointeeConst = Const;
  R.Count = 1;
  const CXXRecordDecl *D = Class.getDefinition();
  if (D && !D->isDependentType() && !D->isInvalidDecl())
    describe(R, F, Context.getRecordType(D));
  const unsigned Id = addRoot(std::move(R), std::move(F));
  Fr->This = Value::pointer(Place::root(Id));
  ThisRoot = int(Id);
  if (D && !D->isDependentType() && !D->isInvalidDecl() && !D->isLambda())
    addMembers(*D, 0, Const, repeatedBases(*D));
}

// Repeated: bases whose members have no spelling of their own, so that only the object as a whole has a root.
void Lowerer::addMembers(const CXXRecordDecl &Class, std::int64_t Offset, bool Const, const BaseSet &Repeated) {
  if (Class.isUnion() || Class.isInvalidDecl() || Repeated.count(Class.getCanonicalDecl()))
    return;
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(&Class);
  for (const CXXBaseSpecifier &B : Class.bases())
    if (const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl(); Base && !B.isVirtual() && Base->hasDefinition())
      addMembers(*Base->getDefinition(), Offset + Layout.getBaseClassOffset(Base->getDefinition()).getQuantity(), Const,
                 Repeated);
  for (const FieldDecl *Field : Class.fields()) {
    if (!Field->getIdentifier())
      continue;
    Root R;
    RootFacts F;
    R.K = Root::This;
    F.Base = named(*Field);
    R.Name = F.Base.Text;
    R.Decl = Field;
    R.Loc = Field->getLocation();
    R.Object = true;
    R.PointeeConst = Const && !Field->isMutable();
    const QualType T = Field->getType();
    F.Constant = T.isConstQualified() || T->isReferenceType();
    if (T->isReferenceType()) { // The reference itself.
      R.PointeeConst = true;
      F.Type = T;
      F.Bytes = bytesOf(T);
      R.ElementBytes = unsigned(F.Bytes);
      R.Count = 1;
      Members[{Field->getCanonicalDecl(), Offset}] = Place::root(addRoot(std::move(R), std::move(F)));
    } else {
      Members[{Field->getCanonicalDecl(), Offset}] = objectRoot(std::move(R), std::move(F), T);
    }
  }
}

// The member's own root if P is the implicit object, or a base in it.
const Place *Lowerer::memberAt(const Place &P, const FieldDecl *F) const {
  if (int(P.Id) != ThisRoot || !P.Offset.valid() || !P.Offset.constant())
    return nullptr;
  const auto It = Members.find({F->getCanonicalDecl(), *P.Offset.constant()});
  return It == Members.end() ? nullptr : &It->second;
}

// The object is accessed as a whole, or at an unknown place: any member may be accessed.
void Lowerer::touchMembers(AccessKind K, SourceLocation Loc) {
  const bool Before = std::exchange(Guessing, true);
  for (const auto &[Key, At] : Members) {
    Place P = At;
    for (bool Header : {false, true}) {
      if (Header && !At.Self)
        continue;
      P.Self = Header;
      P.Offset = Header ? At.Offset : Poly::invalid();
      P.Why = "the object is accessed as a whole";
      touchRange(Value::pointer(P), QualType(), std::nullopt, K, Loc, true, false, P.Why);
    }
  }
  Guessing = Before;
}

Value Lowerer::fieldOf(const Value &Record, const FieldDecl *F) {
  Value R;
  R.Unbounded = Record.Unbounded;
  const RecordDecl *D = F->getParent();
  const bool Known = !D->isInvalidDecl() && !D->isDependentType();
  for (Place P : Record.To) {
    if (!P.Memory) {
      if (!P.TypePunned && !D->isUnion())
        P.Path.push_back(F->getCanonicalDecl());
      else
        P.TypePunned = P.Element = true;
    } else if (const Place *Member = memberAt(P, F)) {
      P = *Member;
    } else if (Known) {
      const std::uint64_t Bits = Context.getASTRecordLayout(D).getFieldOffset(F->getFieldIndex());
      P.Offset = P.Offset + Poly(std::int64_t(Bits / 8));
      P.Self = false;
    }
    R.add(std::move(P));
  }
  return R;
}

// V, as F holds it: a bit-field has fewer numbers than its type.
Value Lowerer::inMember(Value V, const FieldDecl *F) const {
  if (!F->isBitField() || F->getBitWidth()->isValueDependent())
    return V;
  const unsigned Width = F->getBitWidthValue(Context);
  const std::optional<std::int64_t> C = V.Int ? V.Int->constant() : std::nullopt;
  V.forgetNumber();
  if (C && Width > 0 && Width < 64) {
    const std::uint64_t Low = std::uint64_t(*C) & ((std::uint64_t(1) << Width) - 1);
    const bool Negative = F->getType()->isSignedIntegerOrEnumerationType() && (Low >> (Width - 1)) != 0;
    V.Int = Poly(std::int64_t(Low) - (Negative ? std::int64_t(1) << Width : 0));
  }
  return V;
}

} // namespace hsched::cc
