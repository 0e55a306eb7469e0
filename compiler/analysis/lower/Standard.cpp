// The standard library's types: targets of containers, views and iterators.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An owning container is represented by its elements: a root for a parameter or a variable, an object for a local one.
// A view, a smart pointer or an iterator is a pointer; a span also has a SizeKey.
#include "analysis/lower/Standard.h"

#include "analysis/lower/Lowerer.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace hsched::cc {

bool isStandard(const Decl *D) {
  for (const DeclContext *C = D->getDeclContext(); C; C = C->getParent())
    if (const auto *N = dyn_cast<NamespaceDecl>(C); N && N->getParent()->getRedeclContext()->isTranslationUnit())
      return N->getName() == "std" || N->getName() == "__gnu_cxx";
  return false;
}

bool isTile(const CXXRecordDecl *R) {
  const auto *NS = R ? dyn_cast<NamespaceDecl>(R->getDeclContext()) : nullptr;
  return NS && R->getIdentifier() && R->getName() == "tile" && NS->getName() == "hsched" &&
         NS->getDeclContext()->isTranslationUnit();
}

bool isLibrary(const CXXRecordDecl *R, unsigned Is) {
  return R && R->getIdentifier() && isStandard(R) && (libraryClass(R->getName()) & Is);
}

bool synchronizes(QualType T) { return !T.isNull() && isLibrary(T->getAsCXXRecordDecl(), ClassSynchronizes); }

StandardType standardType(QualType T) {
  StandardType R;
  if (T.isNull())
    return R;
  const auto *D = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T.getNonReferenceType()->getAsCXXRecordDecl());
  if (!D || !D->getIdentifier() || !isStandard(D))
    return R;
  const unsigned Is = libraryClass(D->getName());
  R.K = Is & ClassContainer   ? StandardType::Container
        : Is & ClassArray     ? StandardType::Array
        : Is & ClassView      ? StandardType::View
        : Is & ClassPointer   ? StandardType::Pointer
        : Is & ClassIterator  ? StandardType::Iterator
        : Is & ClassAtomic    ? StandardType::Atomic
        : Is & ClassAtomicRef ? StandardType::AtomicRef
                              : StandardType::None;
  const TemplateArgumentList &Args = D->getTemplateArgs();
  if (R.K == StandardType::None || Args.size() == 0 || Args[0].getKind() != TemplateArgument::Type) {
    R.K = StandardType::None;
    return R;
  }
  R.Element = Args[0].getAsType();
  if (Is & ClassConstView)
    R.Element = R.Element.withConst();
  if (R.K == StandardType::Pointer && R.Element->isArrayType())
    R.Element = R.Element->getAsArrayTypeUnsafe()->getElementType();
  if (R.K == StandardType::Iterator) {
    R.Element = R.Element->isPointerType() ? R.Element->getPointeeType() : QualType();
    if (R.Element.isNull())
      R.K = StandardType::None;
  }
  if ((Is & ClassBits) && R.Element->isBooleanType())
    R.K = StandardType::None;
  if ((Is & ClassCounted) && Args.size() > 1 && Args[1].getKind() == TemplateArgument::Integral &&
      Args[1].getAsIntegral().getActiveBits() < 63)
    R.Count = Args[1].getAsIntegral().getExtValue();
  return R;
}

QualType Lowerer::standardArrayElement(QualType T) const {
  const StandardType S = standardType(T);
  if (S.K != StandardType::Array)
    return {};
  return T.isConstQualified() ? S.Element.withConst() : S.Element;
}

QualType Lowerer::standardIterated(QualType T) const {
  const StandardType S = standardType(T);
  return S.K == StandardType::Iterator || S.K == StandardType::Pointer ? S.Element : QualType();
}

std::optional<Poly> Lowerer::distance(const Value &From, const Value &To) const {
  if (From.To.size() != 1 || To.To.size() != 1 || !From.Unbounded.empty() || !To.Unbounded.empty())
    return std::nullopt;
  const Place &A = From.To[0], &B = To.To[0];
  if (!A.Memory || !B.Memory || A.Id != B.Id || Facts[A.Id].Many)
    return std::nullopt;
  const Poly D = B.Offset - A.Offset;
  return D.valid() ? std::optional(D) : std::nullopt;
}

// All values in a value's places.
Value Lowerer::contentOf(const Value &V) {
  Value R;
  R.Unbounded = V.Unbounded;
  for (const Place &P : V.flat().To)
    if (!P.Memory) {
      if (const Value *Stored = St.Objects.find(P.Id))
        R = join(R, Stored->flat());
    } else if (holdsPointers(Facts[P.Id].Type)) {
      R.add(Place::root(behind(P, pointeeIn(Facts[P.Id].Type), Tree.Roots[P.Id].Loc)));
    }
  return R;
}

// --- Containers as parameters, variables and members -----------------------------------------------------------------

Poly Lowerer::sizeSymbol(const Named &Of, unsigned RootId, bool OfContainer) {
  if (Of.empty())
    return Poly::invalid();
  const Poly P = symbolOf(Of.Path.size(), AccessTree::asOperand(Of.Text) + ".size()", true);
  SymbolFacts &F = SymbolTable[*P.symbols().begin()];
  if (OfContainer && F.RootId < 0) {
    F.RootId = int(RootId);
    F.OfContainer = true;
    F.Offset = 0;
    F.Bytes = 1;
  }
  return P;
}

std::optional<Place> Lowerer::standardObject(const Root &Like, const RootFacts &LikeFacts, QualType T) {
  const StandardType S = standardType(T);
  if (S.K != StandardType::Container && S.K != StandardType::View)
    return std::nullopt;
  Root R = Like;
  RootFacts F = LikeFacts;
  R.Object = true;
  describe(R, F, S.Element);
  F.Constant = false; // Its elements may still change.
  R.PointeeConst |= T.isConstQualified() && S.K == StandardType::Container;
  const Named Name = F.Base;
  const unsigned Id = addRoot(std::move(R), std::move(F));
  const Poly Size = S.Count ? Poly(*S.Count) : sizeSymbol(Name, Id, true);
  if (Size.valid())
    Tree.Roots[Id].Count = Size;
  return Place::root(Id, 0, true);
}

bool Lowerer::standardParameter(QualType T, const Root &Like, const RootFacts &LikeFacts, Value &V) {
  const StandardType S = standardType(T);
  if (S.K == StandardType::None || S.K == StandardType::Array || S.K == StandardType::Atomic)
    return false;
  if (S.K == StandardType::Container && !holdsPointers(S.Element))
    return true; // It has its own copy.
  Root R = Like;
  RootFacts F = LikeFacts;
  const Named Name = F.Base;
  R.Object = S.K == StandardType::View;
  describe(R, F, S.K == StandardType::Container ? pointeeIn(S.Element) : S.Element);
  F.Many = S.K == StandardType::Container;
  if (S.K == StandardType::Pointer)
    F.Base = {};
  const unsigned Id = addRoot(std::move(R), std::move(F));
  V.To = {Place::root(Id)};
  if (S.K == StandardType::View) {
    const Poly Size = S.Count ? Poly(*S.Count) : sizeSymbol(Name, Id, false);
    if (Size.valid()) {
      Tree.Roots[Id].Count = Size;
      V.set(&SizeKey, Value::integer(Size));
    }
  }
  return true;
}

// The value of a container in memory.
bool Lowerer::standardView(const Place &P, QualType T, Value &V) {
  const StandardType S = standardType(T);
  if (S.K == StandardType::None || S.K == StandardType::Array || S.K == StandardType::Atomic || !P.Memory)
    return false;
  const std::optional<Named> Name = P.Offset.valid() ? spellPlace(P.Id, P.Offset, T) : std::nullopt;
  const unsigned Id = indirect(P.Id, P.Offset, S.Element, Tree.Roots[P.Id].Loc, Name);
  V.To = {Place::root(Id)};
  if (S.K == StandardType::Container && Tree.Roots[Id].K == Root::Indirect)
    owned(Id, P.Offset);
  if (S.K == StandardType::Pointer || S.K == StandardType::Iterator)
    Facts[Id].Base = {};
  if ((S.K == StandardType::Container || S.K == StandardType::View) && Name && !Facts[Id].Many) {
    Tree.Roots[Id].Object = true;
    const Poly Size = S.Count ? Poly(*S.Count) : sizeSymbol(*Name, P.Id, false);
    if (!S.Count) { // Its header is in the parent.
      SymbolFacts &F = SymbolTable[*Size.symbols().begin()];
      F.RootId = int(P.Id);
      F.Offset = P.Offset;
      F.Bytes = std::int64_t(bytesOf(T));
    }
    Tree.Roots[Id].Count = Size;
    V.set(&SizeKey, Value::integer(Size));
  }
  return true;
}

// A query of the container at At, mostly of its size.
void Lowerer::look(const Value &At) {
  for (const Place &P : At.To) {
    const std::optional<std::int64_t> Offset = P.Offset.constant();
    if (P.Memory && !St.Dead)
      Tree.Roots[P.Id].SizeQueried |= P.Self || (Offset && *Offset >= 0 && *Offset < std::int64_t(Facts[P.Id].Bytes));
  }
}

// Pointer to the first element, and SizeKey, of the container at At.
Value Lowerer::viewOf(const Value &At, QualType T) {
  const StandardType S = standardType(T);
  Value R;
  R.Unbounded = At.Unbounded;
  bool First = true;
  for (Place P : At.To) {
    Value V;
    if (P.Memory && !P.Self && S.K == StandardType::Array) {
      V = Value::pointer(P);
    } else if (P.Memory) {
      V = loadValue(P, T);
    } else if (S.K == StandardType::Container || S.K == StandardType::Array) {
      // A list of initialisers and the library's own code use the member, so that others have to.
      const RecordDecl *D = S.K == StandardType::Array ? T.getNonReferenceType()->getAsRecordDecl() : nullptr;
      if (!P.TypePunned && D && !D->field_empty())
        P.Path.push_back(D->field_begin()->getCanonicalDecl());
      P.Element = true;
      V = Value::pointer(P);
    } else {
      V = loadValue(P, T);
    }
    R = First ? V : join(R, V);
    First = false;
  }
  if (!At.Unbounded.empty())
    R.Unbounded = At.Unbounded;
  if (S.Count)
    R.set(&SizeKey, Value::integer(*S.Count));
  return R;
}

// True if an access to the container at At is more precise than one to its elements: for one of several
// containers.
bool Lowerer::standsForAll(const Value &At, const Value &View) const {
  return At.To.size() == 1 && At.Unbounded.empty() && At.To[0].Memory && !At.To[0].Self && !View.To.empty() &&
         View.Unbounded.empty() &&
         llvm::all_of(View.To, [&](const Place &P) { return Tree.Roots[P.Id].Owned && Facts[P.Id].Many; });
}

// True for members of the table's classes that only find elements, though they are not const.
static bool looksOnly(const CXXMethodDecl &M, const CXXRecordDecl *Of) {
  constexpr unsigned WithElements = ~unsigned(ClassStream);
  if (!isLibrary(M.getParent(), WithElements) && !isLibrary(Of, WithElements))
    return false;
  switch (M.getIdentifier() ? libraryMember(M.getName()) : LibraryMember::Other) {
  case LibraryMember::First:
  case LibraryMember::Last:
  case LibraryMember::End:
  case LibraryMember::At:
  case LibraryMember::Look:
    return true;
  default:
    return false;
  }
}

// --- Members ---------------------------------------------------------------------------------------------------------

std::optional<Value> Lowerer::standardMember(const CallExpr *E, const CXXMethodDecl *M, const Expr *Object,
                                             llvm::ArrayRef<const Expr *> Exprs) {
  QualType T = Object->getType();
  const bool Arrow = T->isPointerType();
  if (Arrow)
    T = T->getPointeeType();
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  if (!R || !isStandard(R) || !isStandard(M))
    return std::nullopt;
  // Members of a base class use the derived class's type.
  StandardType S = standardType(T);
  if (S.K == StandardType::None) {
    if (isAnalysed(R))
      return std::nullopt;
    return unknownMember(E, M, Object, Exprs);
  }
  const Value At = Arrow                 ? rvalue(Object)
                   : Object->isGLValue() ? lvalue(Object)
                                         : temporary(Object, Object->getType(), Object);
  const std::vector<Value> Args = arguments(Exprs);
  const LibraryMember Does = M->getIdentifier() ? libraryMember(M->getName()) : LibraryMember::Other;
  const OverloadedOperatorKind Op = M->getOverloadedOperator();
  switch (S.K) {
  case StandardType::Iterator:
    return iteratorMember(E, S, At, T, Does, Op, Exprs, Args);
  case StandardType::Pointer:
    return smartMember(E, S, At, T, Does, Op, Exprs, Args);
  case StandardType::Atomic:
  case StandardType::AtomicRef:
    return atomicMember(E, S, At, T, Does, Op, Exprs, Args, *M);
  default:
    return containerMember(E, S, At, T, Does, Op, Exprs, Args, *M);
  }
}

Value Lowerer::numberArgument(llvm::ArrayRef<const Expr *> Exprs, const std::vector<Value> &Args, unsigned I) {
  if (I >= Args.size())
    return {};
  return Exprs[I]->isGLValue() ? load(Args[I], Exprs[I]->getType(), Exprs[I]) : Args[I];
}

std::optional<Value> Lowerer::iteratorMember(const CallExpr *E, const StandardType &S, const Value &At, QualType T,
                                             LibraryMember Does, OverloadedOperatorKind Op,
                                             llvm::ArrayRef<const Expr *> Exprs, const std::vector<Value> &Args) {
  const Value V = load(At, T, E);
  switch (Op) {
  case OO_Star:
  case OO_Arrow:
    return Args.empty() ? std::optional(V) : std::nullopt;
  case OO_Subscript:
    return index(V, S.Element, numberArgument(Exprs, Args, 0), Exprs[0]);
  case OO_PlusPlus:
  case OO_MinusMinus: {
    const Value New = index(V, S.Element, Value::integer(1), nullptr, Op == OO_MinusMinus);
    store(At, T, New, E);
    return Args.empty() ? At : V;
  }
  case OO_PlusEqual:
  case OO_MinusEqual:
    store(At, T, index(V, S.Element, numberArgument(Exprs, Args, 0), Exprs[0], Op == OO_MinusEqual), E);
    return At;
  case OO_Plus:
  case OO_Minus:
    return index(V, S.Element, numberArgument(Exprs, Args, 0), Exprs[0], Op == OO_Minus);
  case OO_Equal:
    store(At, T, Exprs[0]->isGLValue() ? load(Args[0], T, Exprs[0]) : Args[0], E);
    return At;
  default:
    return Does == LibraryMember::Base ? At : V;
  }
}

std::optional<Value> Lowerer::smartMember(const CallExpr *E, const StandardType &S, const Value &At, QualType T,
                                          LibraryMember Does, OverloadedOperatorKind Op,
                                          llvm::ArrayRef<const Expr *> Exprs, const std::vector<Value> &Args) {
  if (Op == OO_Subscript) {
    const Value V = load(At, T, E);
    return index(V, S.Element, numberArgument(Exprs, Args, 0), Exprs[0]);
  }
  if (Op == OO_Equal || Does == LibraryMember::Reset || Does == LibraryMember::Swap) {
    Value New;
    if (!Args.empty())
      New = Exprs[0]->isGLValue() ? load(Args[0], T, Exprs[0]).flat() : Args[0].flat();
    for (std::size_t I = 1; I < Args.size(); ++I)
      deletedLater(Args[I], false, E->getExprLoc());
    if (!Args.empty() && Exprs[0]->getType()->isPointerType())
      deletedLater(New, hasDefaultDeleter(T) && Args.size() == 1, E->getExprLoc());
    if (!Args.empty() && Exprs[0]->isXValue() && Op == OO_Equal)
      touchRange(Args[0], Exprs[0]->getType(), std::int64_t(bytesOf(T)), AccessKind::Update, E->getExprLoc(), true,
                 false, "");
    if (Does == LibraryMember::Swap && !Args.empty())
      store(Args[0], T, loadValue(At.To.empty() ? Place() : At.To[0], T), E);
    store(At, T, New, E, /*Update=*/true); // It releases its old target.
    return At;
  }
  const Value V = load(At, T, E); // *, ->, get(), bool.
  if (Does == LibraryMember::Release)
    store(At, T, Value(), E);
  return V;
}

std::optional<Value> Lowerer::atomicMember(const CallExpr *E, const StandardType &S, const Value &Where, QualType T,
                                           LibraryMember Does, OverloadedOperatorKind Op,
                                           llvm::ArrayRef<const Expr *> Exprs, const std::vector<Value> &Args,
                                           const CXXMethodDecl &M) {
  const Value At = S.K == StandardType::AtomicRef ? load(Where, T, E) : Where;
  AccessKind K = AccessKind::Update;
  if (Does == LibraryMember::Load || isa<CXXConversionDecl>(M))
    K = AccessKind::Read;
  else if (Does == LibraryMember::Store || Op == OO_Equal)
    K = AccessKind::Write;
  else if (Does == LibraryMember::Nothing)
    return Value();
  touch(At, S.Element, K, E->getExprLoc(), E, true);
  // The call may return its old or its new contents.
  Value R;
  const auto Look = [&] {
    if (holdsPointers(S.Element))
      for (const Place &P : At.To)
        R = join(R, loadValue(P, S.Element));
  };
  Look();
  if (K == AccessKind::Update && holdsPointers(S.Element))
    for (const Place &P : At.To)
      if (!P.Memory)
        storeObject(P, moved(loadValue(P, S.Element), Poly::invalid(), [] { return "an atomic operation changes it"; }),
                    false);
  for (std::size_t I = 0; I != Args.size(); ++I)
    if (Exprs[I]->isGLValue()) { // Expected.
      touch(Args[I], Exprs[I]->getType(), AccessKind::Update, E->getExprLoc(), Exprs[I]);
      for (const Place &P : Args[I].To)
        if (!P.Memory)
          storeObject(P, Value(), false);
    } else if (!Args[I].pointsNowhere()) {
      store(At, S.Element, Args[I], E);
    }
  if (!holdsPointers(S.Element))
    return E->isGLValue() ? std::optional(At) : Value();
  Look();
  R.forgetNumber();
  return R;
}

std::optional<Value> Lowerer::containerMember(const CallExpr *E, const StandardType &S, const Value &At, QualType T,
                                              LibraryMember Does, OverloadedOperatorKind Op,
                                              llvm::ArrayRef<const Expr *> Exprs, const std::vector<Value> &Args,
                                              const CXXMethodDecl &M) {
  const SourceLocation Loc = E->getExprLoc();
  const std::string Name = M.getNameAsString();
  const std::int64_t Size = std::int64_t(bytesOf(S.Element));
  const Value View = viewOf(At, T);
  if (S.K == StandardType::Container)
    look(At);
  Value Count = View.member(&SizeKey);
  if (!Count.Int)
    Count = Value();
  Value Data = View;
  Data.Fields.clear();
  const auto Moved = [&](const Value &By, const Expr *Why) { return index(Data, S.Element, By, Why); };
  if (Op == OO_Subscript || Does == LibraryMember::At)
    if (Args.size() == 1 && E->isGLValue())
      return Moved(numberArgument(Exprs, Args, 0), Exprs[0]);
  if (Args.empty()) {
    if (Does == LibraryMember::First)
      return Data;
    if (Does == LibraryMember::End)
      return Moved(Count, nullptr);
    if (Does == LibraryMember::Last)
      return Moved(Count.Int ? Value::integer(*Count.Int - 1) : Value(), nullptr);
    if (Does == LibraryMember::Count)
      return Value::integer(Count.Int ? *Count.Int : Poly::invalid());
    if (Does == LibraryMember::Bytes)
      return Value::integer(Count.Int ? *Count.Int * Poly(Size) : Poly::invalid());
    if (Does == LibraryMember::Query)
      return Value();
  }
  const auto Whole = [&](AccessKind K, bool Maybe) {
    touchRange(Data, S.Element, Count.Int ? std::optional(*Count.Int * Poly(Size)) : std::nullopt, K, Loc,
               Maybe || !Count.Int, false, "how much '" + Name + "' touches is not known");
  };
  if (S.K == StandardType::View) {
    const auto Part = [&](const Value &From, const Value &N) {
      Value R = Moved(From, Exprs.empty() ? nullptr : Exprs[0]);
      if (N.Int)
        R.set(&SizeKey, N);
      return R;
    };
    const auto Rest = [&](const Value &From) {
      return Count.Int && From.Int ? Value::integer(*Count.Int - *From.Int) : Value();
    };
    if (Does == LibraryMember::Leading && Args.size() == 1)
      return Part(Value::integer(0), numberArgument(Exprs, Args, 0));
    if (Does == LibraryMember::Trailing && Args.size() == 1)
      return Part(Rest(numberArgument(Exprs, Args, 0)), numberArgument(Exprs, Args, 0));
    if (Does == LibraryMember::Part && !Args.empty()) {
      const Value From = numberArgument(Exprs, Args, 0);
      const bool Given = Args.size() > 1 && !isa<CXXDefaultArgExpr>(Exprs[1]);
      return Part(From, Given ? numberArgument(Exprs, Args, 1) : Rest(From));
    }
    if (Op == OO_Equal) {
      store(At, T, Exprs[0]->isGLValue() ? load(Args[0], Exprs[0]->getType(), Exprs[0]) : Args[0], E);
      return At;
    }
  }
  if (Does == LibraryMember::Fill && S.K == StandardType::Array) {
    for (const Place &P : Data.To)
      if (!P.Memory && holdsPointers(S.Element))
        storeObject(P, numberArgument(Exprs, Args, 0), false);
    runOwnCode(At, T, Loc);
    consume(Exprs, Args, M);
    Whole(AccessKind::Write, false);
    return Value();
  }
  if (Op == OO_Equal && S.K == StandardType::Array)
    return std::nullopt;
  // Other members: const ones read, others may change everything.
  runOwnCode(At, T, Loc);
  Value Stored = consume(Exprs, Args, M);
  if (S.K != StandardType::View && !holdsPointers(S.Element))
    Stored = Value(); // It keeps no pointer to its arguments.
  handBack(Exprs, Args, M, join(Stored, contentOf(At)));
  if (M.isConst() || looksOnly(M, T->getAsCXXRecordDecl())) {
    Whole(AccessKind::Read, true);
  } else {
    for (const Place &P : At.To) {
      if (!P.Memory) {
        storeObject(P, Stored, false);
        continue;
      }
      const AccessKind K =
          !P.Self && (Op == OO_Equal || Does == LibraryMember::Assign) ? AccessKind::Write : AccessKind::Update;
      const bool Surely = K == AccessKind::Write && At.To.size() == 1 && At.Unbounded.empty();
      touchRange(Value::pointer(P), T, std::int64_t(bytesOf(T)), K, Loc, !Surely, false,
                 "'" + Name + "' may change the size of the container");
      if (!standsForAll(At, View))
        Whole(K, true);
      if (!Stored.pointsNowhere())
        escape(Stored, Loc, "its address is put into a container");
    }
    if (!At.Unbounded.empty())
      touchAnything(Loc, At.Unbounded);
  }
  if (E->isGLValue() && M.getReturnType()->isReferenceType() &&
      Context.hasSameUnqualifiedType(M.getReturnType().getNonReferenceType(), T))
    return At;
  if (!E->isGLValue() && !holdsPointers(E->getType()))
    return Value();
  Value R = moved(Data, Poly::invalid(), [&] { return "'" + Name + "' returns a place in the container"; });
  for (Place &P : R.To)
    P.Element |= !P.Memory;
  return R;
}

// A member of an unknown type: const ones read the object, others update it, and the result points into
// it.
std::optional<Value> Lowerer::unknownMember(const CallExpr *E, const CXXMethodDecl *M, const Expr *Object,
                                            llvm::ArrayRef<const Expr *> Exprs) {
  const bool Arrow = Object->getType()->isPointerType();
  const QualType T = Arrow ? Object->getType()->getPointeeType() : Object->getType();
  Value At = Arrow                 ? rvalue(Object)
             : Object->isGLValue() ? lvalue(Object)
                                   : temporary(Object, Object->getType(), Object);
  const std::vector<Value> Args = arguments(Exprs);
  const SourceLocation Loc = E->getExprLoc();
  const std::string Name = M->getParent()->getNameAsString() + "::" + M->getNameAsString();
  const bool Calls = M->getOverloadedOperator() == OO_Call;
  if (Calls && isLibrary(M->getParent(), ClassFunction))
    if (const std::optional<Value> V = calledThrough(E, *M, At, Args))
      return V;
  runOwnCode(At, T, Loc);
  Value Stored = contentOf(At);
  if (Calls)
    for (std::size_t I = 0; I != Args.size(); ++I)
      escape(Args[I], Loc, "'" + text(Exprs[I]) + "' is handed to '" + Name + "'");
  const bool Stream = isLibrary(M->getParent(), ClassStream); // It keeps no pointer to its arguments.
  Value Given = consume(Exprs, Args, *M);
  handBack(Exprs, Args, *M, join(Given, Stored));
  if (Stream)
    Given = Value();
  if (Calls) // The callee has everything that it was made with.
    escape(Stored, Loc, "it is called through '" + M->getParent()->getNameAsString() + "'");
  if (Calls)
    touchAnything(Loc, "a call through '" + M->getParent()->getNameAsString() + "'");
  const std::int64_t Size = std::int64_t(bytesOf(T));
  // A std::function calls its target as non-const; if it is const itself, the program promises no changes.
  QualType Own = Object->IgnoreImpCasts()->getType();
  Own = Arrow ? Own->getPointeeType() : Own;
  const bool OnlyReads = M->isConst() || looksOnly(*M, Own->getAsCXXRecordDecl());
  const bool Reads = OnlyReads && (!Calls || Own.isConstQualified());
  touchRange(At, T, Size ? std::optional(Poly(Size)) : std::nullopt, Reads ? AccessKind::Read : AccessKind::Update, Loc,
             true, false, "", true);
  if (!OnlyReads) {
    for (const Place &P : At.To)
      if (!P.Memory) {
        Place All = P;
        All.TypePunned = true;
        All.Path.clear();
        storeObject(All, Given, false);
      } else if (!Given.pointsNowhere()) {
        escape(Given, Loc, "its address is put into memory");
      }
  }
  if (!E->isGLValue() && !holdsPointers(E->getType()) && !E->getType()->isRecordType())
    return Value();
  Value R = moved(join(Stored, Given).flat(), Poly::invalid(), [&] { return "'" + Name + "' chooses the elements"; });
  for (Place P : At.To) {
    if (P.Memory &&
        (Facts[P.Id].Constant || (isLibrary(M->getParent(), ClassOwner) && !isLibrary(M->getParent(), ClassInside))))
      continue; // None of its elements is inside it.
    if (P.Memory)
      P.Offset = Poly::invalid();
    else
      P.TypePunned = P.Element = true, P.Path.clear();
    R.add(P);
  }
  R.forgetNumber();
  if (R.Unbounded.empty())
    R.Unbounded = At.Unbounded;
  return R;
}

} // namespace hsched::cc
