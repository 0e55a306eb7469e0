// Loads and stores.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace hsched::cc {

Value Lowerer::load(const Value &At, QualType T, const Expr *E) {
  const SourceLocation Loc = E ? E->getExprLoc() : SourceLocation();
  // A reference never changes, and its spelling is that of the object it refers to.
  const auto other = [&](const Place &P) { return !P.Memory || Facts[P.Id].Type != T; };
  if (!T->isReferenceType() || At.To.empty() || !At.Unbounded.empty() || llvm::any_of(At.To, other))
    touch(At, T, AccessKind::Read, Loc, E, T->isAtomicType());
  return storedValue(At, T, E);
}

// True if E is a member of a union that has pointers.
bool Lowerer::besidePointers(const Expr *E) const {
  for (const auto *M = dyn_cast_or_null<MemberExpr>(E ? E->IgnoreParenImpCasts() : nullptr); M;
       M = dyn_cast<MemberExpr>(M->getBase()->IgnoreParenImpCasts()))
    if (const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
        F && F->getParent()->isUnion() && holdsPointers(Context.getRecordType(F->getParent())))
      return true;
  return false;
}

// The value of type T at At, which E reads or changes.
Value Lowerer::storedValue(const Value &At, QualType T, const Expr *E) {
  const SourceLocation Loc = E ? E->getExprLoc() : SourceLocation();
  Value R;
  bool First = true;
  for (const Place &P : At.To) {
    Value V = loadValue(P, T);
    R = First ? std::move(V) : join(R, V);
    First = false;
  }
  if (!At.Unbounded.empty())
    R.Unbounded = At.Unbounded;
  if (At.To.size() + (At.Unbounded.empty() ? 0 : 1) > 1 || T.isVolatileQualified() || T->isAtomicType())
    R.forgetNumber();
  // A pointer's bits as a number, from which any pointer may be made.
  if (!T->isIntegerType() || bytesOf(T) < bytesOf(Context.VoidPtrTy))
    return R;
  if (!R.flat().To.empty() && llvm::any_of(At.To, [](const Place &P) { return P.TypePunned; }))
    escape(R, Loc, "it is read as an integer");
  if (besidePointers(E))
    for (const Place &P : At.To)
      if (P.Memory && int(P.Id) != AnythingRoot)
        escapeRoot(behind(P, QualType(), Loc), Loc, "it is read as an integer", false);
  return R;
}

Value Lowerer::loadValue(const Place &P, QualType T, unsigned Level) {
  if (!P.Memory) {
    const Value *Stored = St.Objects.find(P.Id);
    if (!Stored)
      return {};
    if (P.TypePunned)
      return Stored->flat();
    std::size_t Known = 0; // Length of the known part of the path.
    for (const Value *Next; Known != P.Path.size() && (Next = Stored->find(P.Path[Known])); ++Known)
      Stored = Next;
    Value V = Known == P.Path.size() ? *Stored : Stored->member(P.Path[Known]);
    if (P.Element)
      V.forgetNumber();
    return V;
  }
  if (P.Self) { // A container as a value: its elements, and their number.
    Value V = Value::pointer(Place::root(P.Id));
    if (Tree.Roots[P.Id].Count)
      V.set(&SizeKey, Value::integer(*Tree.Roots[P.Id].Count));
    return V;
  }
  if (T.isNull())
    return {};
  if (const AtomicType *A = T->getAs<AtomicType>())
    T = A->getValueType();
  if (T->isIntegralOrEnumerationType()) {
    if (Value C = constantElement(P, T); C.Int)
      return C;
    return T->isBooleanType() ? Value() : Value::integer(memorySymbol(P.Id, P.Offset, T));
  }
  if (T->isAnyPointerType() || T->isReferenceType()) {
    if (T->isFunctionPointerType() || T->isFunctionReferenceType())
      return Value::unbounded("a function pointer");
    return Value::pointer(Place::root(indirect(P.Id, P.Offset, T->getPointeeType(), Tree.Roots[P.Id].Loc)));
  }
  if (T->isMemberPointerType())
    return Value::unbounded("a pointer to member");
  if (Value V; standardView(P, T, V))
    return V;
  const RecordDecl *D = T->getAsRecordDecl();
  D = D ? D->getDefinition() : nullptr;
  if (!D)
    return Context.getAsArrayType(T) && holdsPointers(T) && Level < 4 ? arrayOfPointers(P, T) : Value();
  if (!holdsPointers(T) && Level > 1)
    return {};
  const auto *C = dyn_cast<CXXRecordDecl>(D);
  if (D->isUnion() || Level > 4 || D->isInvalidDecl() || D->isDependentType() || (C && !repeatedBases(*C).empty()))
    return holdsPointers(T) ? Value::pointer(Place::root(behind(P, QualType(), D->getLocation()))) : Value();
  Value V;
  if (C)
    for (const CXXBaseSpecifier &B : C->bases()) {
      const CXXRecordDecl *BD = B.getType()->getAsCXXRecordDecl();
      if (!BD || B.isVirtual()) {
        V.To = {Place::root(behind(P, QualType(), D->getLocation()))};
        continue;
      }
      Place At = P;
      At.Offset = P.Offset + Poly(Context.getASTRecordLayout(D).getBaseClassOffset(BD).getQuantity());
      for (Field &F : loadValue(At, B.getType(), Level + 1).Fields)
        V.set(F.Key, std::move(F.What));
    }
  for (const FieldDecl *F : D->fields()) {
    if (F->isBitField() ||
        (!holdsPointers(F->getType()) && !F->getType()->isIntegralOrEnumerationType() && !F->getType()->isRecordType()))
      continue;
    const Value At = fieldOf(Value::pointer(P), F);
    V.set(F->getCanonicalDecl(), loadValue(At.To[0], F->getType(), Level + 1));
  }
  return V;
}

Value Lowerer::arrayOfPointers(const Place &P, QualType T) {
  Place Any = P;
  Any.Offset = Poly::invalid();
  return loadValue(Any, elementType(T), 3);
}

void Lowerer::storeObject(const Place &P, const Value &What, bool Strong) {
  if (TryStored)
    TryStored->try_emplace(P.Id, St.Objects.of(P.Id));
  storeInto(P,
            P.Path.empty() || isSynthetic(P.Path.back())
                ? What
                : inMember(What, static_cast<const FieldDecl *>(P.Path.back())),
            Strong);
  if (TryStored) {
    Value &All = (*TryStored)[P.Id];
    All = join(All, St.Objects.of(P.Id));
  }
}

void Lowerer::storeInto(const Place &P, const Value &What, bool Strong) {
  Value *At = &St.Objects.of(P.Id);
  if (P.TypePunned) {
    Value All = join(At->flat(), What.flat());
    All.forgetNumber();
    *At = std::move(All);
    return;
  }
  for (FieldKey K : P.Path)
    At = &At->field(K);
  if (Strong && !P.Element && !WeakStores) {
    *At = What;
    return;
  }
  *At = join(*At, What);
  if (WeakStores || P.Element)
    At->forgetNumber();
}

void Lowerer::store(const Value &At, QualType T, const Value &What, const Expr *E, bool Update) {
  if (St.Dead)
    return;
  const SourceLocation Loc = E ? E->getExprLoc() : SourceLocation();
  touch(At, T, Update ? AccessKind::Update : AccessKind::Write, Loc, E, T->isAtomicType());
  const bool Strong = At.To.size() == 1 && At.Unbounded.empty();
  bool Leaves = !At.Unbounded.empty();
  for (const Place &P : At.To) {
    if (P.Memory) {
      Leaves = true;
      continue;
    }
    if (P.TypePunned && T->isIntegerType() && bytesOf(T) >= bytesOf(Context.VoidPtrTy) && besidePointers(E) &&
        !(What.Int && What.Int->constant()))
      storeObject(P, Value::unbounded("'" + text(E) + "' is an integer that may be a pointer"), Strong);
    storeObject(P, What, Strong);
    Leaves |= Escaped.count(P.Id) != 0;
  }
  if (Leaves && !What.pointsNowhere())
    escape(What, Loc, E ? "'" + text(E) + "' puts its address into memory" : "its address is put into memory");
}

} // namespace hsched::cc
