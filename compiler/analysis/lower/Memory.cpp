// Loads, stores and targets of pointers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"
#include "analysis/lower/Standard.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace hsched::cc {

QualType Lowerer::elementType(QualType T) const {
  while (!T.isNull()) {
    if (const ArrayType *A = Context.getAsArrayType(T))
      T = A->getElementType();
    else if (const QualType E = standardArrayElement(T); !E.isNull())
      T = E;
    else
      break;
  }
  return T;
}

std::uint64_t Lowerer::bytesOf(QualType T) const {
  if (!T.isNull() && T->isReferenceType())
    return std::uint64_t(Context.getTypeSizeInChars(Context.VoidPtrTy).getQuantity());
  if (T.isNull() || T->isVoidType() || T->isFunctionType() || T->isIncompleteType() || T->isDependentType() ||
      T->isVariableArrayType() || T->isUndeducedType() || T->isPlaceholderType())
    return 0;
  if (const auto *A = Context.getAsArrayType(T); A && A->getElementType()->isVariableArrayType())
    return 0;
  if (const auto *R = T->getAsRecordDecl(); R && R->isInvalidDecl())
    return 0;
  return std::uint64_t(Context.getTypeSizeInChars(T).getQuantity());
}

bool Lowerer::holdsPointers(QualType T, unsigned Depth) const {
  if (T.isNull())
    return false;
  T = elementType(T.getCanonicalType());
  T = T->isAtomicType() ? T->castAs<AtomicType>()->getValueType() : T;
  if (T->isAnyPointerType() || T->isReferenceType() || T->isMemberPointerType())
    return true;
  const RecordDecl *R = T->getAsRecordDecl();
  if (!R)
    return false;
  R = R->getDefinition();
  if (!R || Depth > 6)
    return true;
  if (const auto *C = dyn_cast<CXXRecordDecl>(R))
    for (const CXXBaseSpecifier &B : C->bases())
      if (holdsPointers(B.getType(), Depth + 1))
        return true;
  for (const FieldDecl *F : R->fields())
    if (holdsPointers(F->getType(), Depth + 1))
      return true;
  return false;
}

void Lowerer::describe(Root &R, RootFacts &F, QualType Element) const {
  R.PointeeConst = R.PointeeConst || (!Element.isNull() && elementType(Element).isConstQualified());
  F.Type = elementType(Element);
  if (F.Type.isNull())
    return;
  R.Element = F.Type.getUnqualifiedType().getAsString(Context.getPrintingPolicy());
  R.OfPointers = F.Type->isPointerType();
  R.ElementBytes = unsigned(bytesOf(F.Type));
  F.Bytes = R.ElementBytes ? R.ElementBytes : 1;
  const QualType Stored = F.Type->isPointerType() ? F.Type->getPointeeType() : F.Type;
  const CXXRecordDecl *Class = Stored->getAsCXXRecordDecl();
  R.Library = Class && (isStandard(Class) || isTile(Class));
}

unsigned Lowerer::newObject(Value V) {
  St.Objects.set(NextObject, std::move(V));
  return NextObject++;
}

unsigned Lowerer::addRoot(Root R, RootFacts F) {
  Tree.Roots.push_back(std::move(R));
  Facts.push_back(std::move(F));
  return unsigned(Tree.Roots.size() - 1);
}

unsigned Lowerer::anything() {
  if (AnythingRoot < 0) {
    Root R;
    R.K = Root::Anything;
    RootFacts F;
    F.Many = true;
    AnythingRoot = int(addRoot(R, F));
  }
  return unsigned(AnythingRoot);
}

// The root behind the pointer at Offset of Parent.
unsigned Lowerer::indirect(unsigned Parent, const Poly &Offset, QualType Pointee, SourceLocation Loc,
                           const std::optional<Named> &As) {
  unsigned Levels = 0;
  for (unsigned Up = Parent; Tree.Roots[Up].K == Root::Indirect; Up = Tree.Roots[Up].Parent)
    ++Levels;
  const std::optional<std::int64_t> Cell = Facts[Parent].Many ? std::nullopt : Offset.constant();
  if (int(Parent) == AnythingRoot)
    return Parent;
  // Lists and trees are followed only while the cell is known.
  if (!Cell && !Pointee.isNull() && !Facts[Parent].Type.isNull() &&
      (Facts[Parent].Many || Context.hasSameUnqualifiedType(Pointee, Facts[Parent].Type)))
    return anything();
  const bool Anywhere = !Cell || Levels >= 4;
  const void *Type =
      Pointee.isNull() || Levels >= 4 ? nullptr : Pointee.getCanonicalType().getUnqualifiedType().getAsOpaquePtr();
  const std::optional<AccessPath> Container = As ? std::optional(As->Path) : std::nullopt;
  auto [It, New] = Indirects.try_emplace({Parent, Anywhere ? -1 : *Cell, Container, Type}, 0);
  if (!New) {
    if (Tree.Roots[It->second].Owned && Offset.valid())
      owned(It->second, Offset);
    return It->second;
  }
  Root R;
  RootFacts F;
  R.K = Root::Indirect;
  R.Parent = Parent;
  R.Loc = Loc;
  describe(R, F, Pointee);
  R.PerOuter = R.ElementBytes ? unsigned(bytesOf(Pointee) / R.ElementBytes) : 1; // A row of the pointer's target.
  F.Row = elementOf(Pointee).isNull() ? QualType() : Pointee;
  F.Many = Anywhere;
  F.Cell = Anywhere ? -1 : *Cell;
  std::optional<Named> Spelled = As;
  if (!Spelled && !Anywhere)
    Spelled = spellPointer(Parent, Offset, false);
  const std::optional<Named> Called = !As && Spelled ? spellPointer(Parent, Offset, true) : Spelled;
  R.Name = Called ? Called->Text : Tree.Roots[Parent].Name + "[...]";
  if (Spelled)
    F.Base = *Spelled;
  const unsigned Id = It->second = addRoot(std::move(R), std::move(F));
  Tree.Roots[Id].Owned = holdsPointers(Facts[Parent].Type) && ownsAll(Facts[Parent].Type);
  if (Tree.Roots[Id].Owned && Offset.valid())
    owned(Id, Offset);
  return Id;
}

// The root behind any of the pointers in an object.
unsigned Lowerer::behind(const Place &P, QualType Pointee, SourceLocation Loc) {
  const unsigned Id = indirect(P.Id, Poly::invalid(), Pointee, Loc);
  if (Tree.Roots[Id].Owned)
    owned(Id, P.Offset);
  return Id;
}

// Marks the root as storage of the object at Owner in its parent.
void Lowerer::owned(unsigned RootId, const Poly &Owner) {
  Tree.Roots[RootId].Owned = true;
  RootFacts &F = Facts[RootId];
  F.Owner = !F.Owner || *F.Owner == Owner ? Owner : Poly::invalid();
}

bool Lowerer::ownsAll(QualType T, unsigned Level) const {
  if (T.isNull() || Level > 6)
    return false;
  T = elementType(T.getCanonicalType());
  if (T->isArithmeticType() || T->isEnumeralType())
    return true;
  const auto *R = dyn_cast_or_null<CXXRecordDecl>(T->getAsRecordDecl());
  if (R && isLibrary(R, ClassPolicy))
    return true;
  R = R ? R->getDefinition() : nullptr;
  if (!R || R->isInvalidDecl() || R->isDependentType() || R->isUnion() || R->getNumVBases() != 0)
    return false;
  if (R->isEmpty())
    return true;
  if (!isStandard(R)) {
    for (const CXXBaseSpecifier &B : R->bases())
      if (!ownsAll(B.getType(), Level + 1))
        return false;
    return llvm::all_of(R->fields(), [&](const FieldDecl *F) { return ownsAll(F->getType(), Level + 1); });
  }
  const auto *Instance = dyn_cast<ClassTemplateSpecializationDecl>(R);
  if (!Instance || !isLibrary(R, ClassOwner))
    return !holdsPointers(T);
  const auto Owns = [&](const TemplateArgument &A) {
    return A.getKind() == TemplateArgument::Integral ||
           (A.getKind() == TemplateArgument::Type && ownsAll(A.getAsType(), Level + 1));
  };
  return llvm::all_of(Instance->getTemplateArgs().asArray(), [&](const TemplateArgument &A) {
    return A.getKind() == TemplateArgument::Pack ? llvm::all_of(A.pack_elements(), Owns) : Owns(A);
  });
}

// --- Pointers --------------------------------------------------------------------------------------------------------

Value Lowerer::moved(const Value &Pointer, const Poly &Bytes, const std::function<std::string()> &Why) {
  if (Bytes.isZero())
    return Pointer;
  Value R = Pointer;
  R.To.clear();
  for (Place P : Pointer.To) {
    if (!P.Memory) {
      P.Element = true;
    } else {
      if (P.Self) // A pointer next to a container's header.
        P.Offset = Poly::invalid();
      const bool Was = P.Offset.valid();
      P.Offset = P.Offset + Bytes;
      if (Was && !P.Offset.valid() && P.Why.empty())
        P.Why = Why();
    }
    R.add(std::move(P));
  }
  return R;
}

// True if E, the length of an array type, has one value from the type's declaration on.
bool Lowerer::isFixedLength(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (isa<IntegerLiteral, UnaryExprOrTypeTraitExpr>(E))
    return true;
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return !B->isAssignmentOp() && isFixedLength(B->getLHS()) && isFixedLength(B->getRHS());
  const auto *R = dyn_cast<DeclRefExpr>(E);
  const auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  const auto *In = V && V->hasLocalStorage() ? dyn_cast<FunctionDecl>(V->getDeclContext()) : nullptr;
  if (!In || !In->hasBody() || V->getType()->isReferenceType() || V->getType().isVolatileQualified())
    return false;
  const auto [It, New] = Unchanged.try_emplace(V, false);
  if (!New)
    return It->second;
  unsigned Uses = 0, Reads = 0;
  const std::function<void(const Stmt *)> Count = [&](const Stmt *S) {
    const auto IsV = [V](const Stmt *X) { return isa<DeclRefExpr>(X) && cast<DeclRefExpr>(X)->getDecl() == V; };
    Uses += IsV(S);
    if (const auto *C = dyn_cast<ImplicitCastExpr>(S); C && C->getCastKind() == CK_LValueToRValue)
      Reads += IsV(C->getSubExpr()->IgnoreParens());
    for (const Stmt *Child : S->children())
      if (Child)
        Count(Child);
  };
  Count(In->getBody());
  return It->second = Uses == Reads;
}

// In bytes; for arrays of variable length by their declaration.
Poly Lowerer::sizeOf(QualType T) {
  if (const std::uint64_t Bytes = bytesOf(T))
    return std::int64_t(Bytes);
  if (const auto *A = Context.getAsConstantArrayType(T))
    return Poly(std::int64_t(A->getSize().getZExtValue())) * sizeOf(A->getElementType());
  const auto *A = Context.getAsVariableArrayType(T);
  if (!A || !A->getSizeExpr() || !isFixedLength(A->getSizeExpr()))
    return Poly::invalid();
  const Value Length = rvalue(A->getSizeExpr());
  return Length.Int ? *Length.Int * sizeOf(A->getElementType()) : Poly::invalid();
}

Value Lowerer::index(const Value &Base, QualType Element, const Value &Index, const Expr *E, bool Minus) {
  if (E && Context.getIntWidth(E->getType()) < 64)
    noteNumber(Index, E->getType(), E);
  const Poly Size = Element->isVoidType() || Element->isFunctionType() ? Poly(1) : sizeOf(Element);
  Poly Bytes = Index.Int ? *Index.Int * Size : Poly::invalid();
  for (SymbolId S : Bytes.symbols())
    if (SymbolTable[S].Meets && !SymbolTable[S].Ranged) // No loop is around it, whose range could be in doubt.
      Bytes = Poly::invalid();
  if (Minus)
    Bytes = -Bytes;
  return moved(Base, Bytes,
               [&] { return E ? "subscript '" + text(E) + "' is not affine" : "a subscript is not affine"; });
}

Value Lowerer::typePunned(Value Pointer) {
  for (Place &P : Pointer.To)
    if (!P.Memory) {
      P.Path.clear();
      P.TypePunned = P.Element = true;
    }
  return Pointer;
}

// --- Accesses --------------------------------------------------------------------------------------------------------

void Lowerer::touch(const Value &At, QualType T, AccessKind K, SourceLocation Loc, const Expr *Why, bool Atomic,
                    bool Partial) {
  // Some components of a vector, possibly not adjacent: a partial access to the vector.
  if (const auto *V = dyn_cast_or_null<ExtVectorElementExpr>(Why ? Why->IgnoreParens() : nullptr);
      V && V->getNumElements() > 1) {
    llvm::SmallVector<std::uint32_t, 4> Components;
    V->getEncodedElementAccess(Components);
    const QualType Base = V->isArrow() ? V->getBase()->getType()->getPointeeType() : V->getBase()->getType();
    if (const auto *Vector = Base->getAs<VectorType>()) {
      const std::uint32_t First = *std::min_element(Components.begin(), Components.end());
      const std::set<std::uint32_t> Distinct(Components.begin(), Components.end());
      const Value Whole = moved(At, -std::int64_t(First * bytesOf(Vector->getElementType())),
                                [] { return std::string("a vector's components"); });
      return touch(Whole, Base, K, Loc, nullptr, Atomic, Partial || Distinct.size() != Vector->getNumElements());
    }
  }
  const std::uint64_t Size = bytesOf(T);
  // Some components of a vector; three of them are as large as four.
  if (const auto *V = Why ? dyn_cast<ExtVectorElementExpr>(Why->IgnoreParens()) : nullptr) {
    const QualType Whole = V->isArrow() ? V->getBase()->getType()->getPointeeType() : V->getBase()->getType();
    const auto *VT = Whole->getAs<VectorType>();
    Partial |= !VT || V->getNumElements() < VT->getNumElements();
  }
  if (const auto *M = Why ? dyn_cast<MemberExpr>(Why->IgnoreParens()) : nullptr)
    if (const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl()))
      Partial |= F->isBitField();
  touchRange(At, T, Size ? std::optional(Poly(std::int64_t(Size))) : std::nullopt, K, Loc, false, Atomic,
             Size || !Why ? std::string() : "the size of '" + text(Why) + "' is not known", Partial);
}

void Lowerer::touchRange(const Value &At, QualType T, std::optional<Poly> Size, AccessKind K, SourceLocation Loc,
                         bool Maybe, bool Atomic, const std::string &Why, bool Partial, bool Text) {
  if (St.Dead)
    return;
  const bool Several = At.To.size() + (At.Unbounded.empty() ? 0 : 1) > 1;
  if (!At.Unbounded.empty())
    touchAnything(Loc, At.Unbounded);
  for (const Place &P : At.To) {
    if (!P.Memory)
      continue;
    spend();
    const RootFacts &F = Facts[P.Id];
    Node N;
    N.K = Node::Leaf;
    N.Loc = Loc;
    Access &A = N.A;
    A.RootId = P.Id;
    A.K = K;
    A.Maybe = Maybe || Several;
    A.Guess = Guessing;
    A.Atomic = Atomic || synchronizes(T);
    A.Partial = Partial;
    A.Text = Text && K == AccessKind::Read;
    A.Loc = Loc;
    if (P.Self) { // The container's header, not its elements.
      if (K == AccessKind::Read)
        continue;
      A.Maybe = true;
      A.Why = Why.empty() ? "the container is assigned or its size changes" : Why;
    } else if (int(P.Id) == AnythingRoot) {
      A.Maybe = A.Guess = true;
      A.Why = "memory behind pointers in memory";
    } else if (F.Many) {
      A.Maybe = true;
      A.Why = "'" + Tree.Roots[P.Id].Name + "' is one of several arrays";
    } else if (!P.Offset.valid()) {
      A.Why = P.Why.empty() ? "a subscript is not affine" : P.Why;
    } else if (!Size || !Size->valid()) {
      A.Why = Why.empty() ? "an extent is not known" : Why;
    } // Otherwise clean() distinguishes elements from bytes, after all symbols are final.
    N.Counter = unsigned(LeafBytes.size());
    LeafBytes.push_back({P.Offset, Size ? *Size : Poly::invalid(), P.Self || InEscape});
    emit(std::move(N));
    if (int(P.Id) == ThisRoot)
      touchMembers(K, Loc);
  }
}

void Lowerer::touchAnything(SourceLocation Loc, const std::string &Why) {
  if (St.Dead)
    return;
  Node N;
  N.K = Node::Leaf;
  N.Loc = Loc;
  N.A.RootId = anything();
  N.A.K = AccessKind::Update;
  N.A.Maybe = true;
  N.A.Guess = true;
  N.A.Why = Why;
  N.A.Loc = Loc;
  N.Counter = unsigned(LeafBytes.size());
  LeafBytes.push_back({Poly::invalid(), Poly::invalid()});
  emit(std::move(N));
}

void Lowerer::escapeRoot(unsigned RootId, SourceLocation Loc, const std::string &Why, bool ReadOnly, unsigned Depth,
                         bool ReadBehind) {
  Place P = Place::root(RootId, Poly::invalid());
  P.Why = Why;
  const bool Constant = ReadOnly || Tree.Roots[RootId].PointeeConst;
  const bool Before = std::exchange(Guessing, true);
  touchRange(Value::pointer(P), QualType(), std::nullopt, Constant ? AccessKind::Read : AccessKind::Update, Loc, true,
             false, Why);
  Guessing = Before;
  escapeBehind(RootId, Loc, Why, ReadBehind, Depth);
  if (int(RootId) == ThisRoot && Depth <= 4 && holdsPointers(Facts[RootId].Type))
    for (const auto &[Key, At] : Members)
      escapeRoot(At.Id, Loc, Why, ReadOnly, Depth + 1, ReadBehind);
}

// Code that gets the root may follow its pointers.
void Lowerer::escapeBehind(unsigned RootId, SourceLocation Loc, const std::string &Why, bool ReadOnly, unsigned Depth) {
  if (RootId == unsigned(AnythingRoot) || Depth > 4 || !holdsPointers(Facts[RootId].Type))
    return;
  const Place P = Place::root(RootId, Poly::invalid());
  const unsigned Below = behind(P, pointeeIn(Facts[RootId].Type), Loc);
  if (Below != RootId)
    escapeRoot(Below, Loc, Why, ReadOnly, Depth + 1, ReadOnly);
  for (unsigned I = 0, N = unsigned(Tree.Roots.size()); I != N; ++I)
    if (I != Below && Tree.Roots[I].K == Root::Indirect && Tree.Roots[I].Parent == RootId)
      escapeRoot(I, Loc, Why, ReadOnly, Depth + 1, ReadOnly);
}

QualType Lowerer::pointeeIn(QualType T) const {
  T = elementType(T);
  return T->isAnyPointerType() || T->isReferenceType() ? T->getPointeeType() : QualType();
}

// Marks V as escaped: unknown code may follow its pointers from now on.
void Lowerer::escape(const Value &V, SourceLocation Loc, const std::string &Why, bool ReadOnly) {
  if (St.Dead)
    return;
  const bool Outermost = Escaping.empty();
  if (!V.Unbounded.empty())
    touchAnything(Loc, V.Unbounded);
  for (const Place &P : V.To) {
    if (P.Memory) {
      InEscape = P.Self;
      escapeRoot(P.Id, Loc, Why, ReadOnly);
      InEscape = false;
      continue;
    }
    Escaped.insert(P.Id);
    const Value *In = St.Objects.find(P.Id);
    if (!In || (!Reported.insert(P.Id).second && !In->Unbounded.empty()) || !Escaping.insert({P.Id, ReadOnly}).second)
      continue;
    ReportedInOrder.push_back(P.Id);
    const Value Stored = *In;
    if (!ReadOnly) {
      Value Now = Stored.flat();
      Now.Unbounded = Why;
      St.Objects.set(P.Id, std::move(Now));
    } else {
      Escaped.erase(P.Id), Reported.erase(P.Id);
    }
    escape(Stored, Loc, Why, false);
  }
  for (const Field &F : V.Fields)
    escape(F.What, Loc, Why, false);
  if (Outermost)
    Escaping.clear();
}

} // namespace hsched::cc
