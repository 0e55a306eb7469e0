// Calls of functions that the library's table knows.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "clang/Basic/SourceManager.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {
namespace {

// "std::fill" of std::fill<float *, int>: without arguments and inline namespaces. Empty for members and local
// functions.
std::string tableName(const FunctionDecl &F) {
  if (isa<CXXMethodDecl>(F))
    return "";
  std::string Name = F.getDeclName().getAsString();
  for (const DeclContext *C = F.getDeclContext(); C && !C->isTranslationUnit(); C = C->getParent())
    if (const auto *N = dyn_cast<NamespaceDecl>(C)) {
      if (N->isAnonymousNamespace())
        return "";
      if (!N->isInline())
        Name = N->getNameAsString() + "::" + Name;
    } else if (!C->isTransparentContext()) {
      return "";
    }
  return Name;
}

// Unambiguous names, which count wherever they are declared.
bool isUnmistakable(const FunctionDecl &F, const std::string &Name) {
  return F.getBuiltinID() != 0 || (F.isExternC() && (Name.starts_with("cblas_") || Name.starts_with("LAPACKE_") ||
                                                     Name.starts_with("fftw") || Name.ends_with("_")));
}

bool isExecutionPolicy(QualType T) {
  const auto *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  bool Execution = false;
  for (const DeclContext *C = R ? R->getDeclContext() : nullptr; C; C = C->getParent())
    if (const auto *N = dyn_cast<NamespaceDecl>(C)) {
      Execution |= N->getName() == "execution";
      if (N->getParent()->getRedeclContext()->isTranslationUnit())
        return Execution && (N->getName() == "std" || N->getName() == "__pstl"); // libstdc++ uses the latter.
    }
  return false;
}

// The type behind a pointer, an array or an iterator over pointers; null: unknown.
QualType pointeeOf(const Expr *E) {
  const Expr *Bare = E->IgnoreParenImpCasts();
  for (const QualType T : {Bare->getType(), E->getType()}) {
    if (const auto *A = T->getAsArrayTypeUnsafe())
      return A->getElementType();
    if (T->isAnyPointerType() && !T->isVoidPointerType())
      return T->getPointeeType();
    if (const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl());
        S && S->getTemplateArgs().size() > 0 && S->getTemplateArgs()[0].getKind() == TemplateArgument::Type)
      if (const QualType First = S->getTemplateArgs()[0].getAsType(); First->isAnyPointerType())
        return First->getPointeeType(); // __normal_iterator
  }
  return E->getType()->isAnyPointerType() ? E->getType()->getPointeeType() : QualType();
}

// A FILE of C. What it points to is the library's own.
bool isFile(QualType T) {
  const RecordDecl *R = T.isNull() ? nullptr : T->getAsRecordDecl();
  return R && R->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
         (R->getName() == "_IO_FILE" || R->getName() == "__sFILE");
}

// The same places with unknown offsets.
Value anywhereIn(const Value &V, const std::string &Why) {
  Value R = V.flat();
  R.forgetNumber();
  for (Place &P : R.To) {
    if (P.Memory) {
      P.Offset = Poly::invalid();
      if (P.Why.empty())
        P.Why = Why;
    }
    P.Element |= !P.Memory;
  }
  return R;
}

// The conversions of a format of printf, one for each argument: "*d" of "%*d". Nothing: it is not understood.
std::optional<std::string> conversions(llvm::StringRef Format) {
  std::string Out;
  for (std::size_t At; (At = Format.find('%')) != llvm::StringRef::npos;) {
    Format = Format.drop_front(At + 1);
    for (Format = Format.ltrim("-+ #0'I"); !Format.empty(); Format = Format.drop_front()) {
      const char C = Format.front();
      if (C == '*')
        Out += C;
      else if (!llvm::isDigit(C) && !llvm::StringRef(".hlLqjzt").contains(C))
        break;
    }
    if (Format.consume_front("%") || Format.empty())
      continue;
    if (!llvm::StringRef("diouxXeEfFgGaAcCpsSn").contains(Format.front()))
      return std::nullopt;
    Out += Format.front();
    Format = Format.drop_front();
  }
  return Out;
}

} // namespace

// The lowering of one library call.
class LibraryCall {
public:
  LibraryCall(Lowerer &L, const LibraryFunction &K, const std::string &Name, const Expr &E, std::vector<Value> Args,
              llvm::ArrayRef<const Expr *> Exprs)
      : L(L), K(K), Name(Name), E(E), Loc(E.getExprLoc()), Args(std::move(Args)), Exprs(Exprs) {}

  Value run() {
    const Value Pointees = pointeeValues();
    for (const AccessKind Kind : {AccessKind::Read, AccessKind::Update, AccessKind::Write}) {
      // The callback may read data that are written only later.
      if (Kind == AccessKind::Write && K.Calls >= 0 && std::size_t(K.Calls) < Args.size())
        callBack();
      for (const LibraryEffect &F : K.Effects)
        if (kindOf(F) == Kind)
          for (std::size_t I = F.Argument;
               I < (F.AlsoLaterArguments ? Args.size() : std::min<std::size_t>(F.Argument + 1, Args.size())); ++I)
            apply(F, I, Kind, Pointees);
    }
    if (K.NoReturn)
      L.stop(Loc, true);
    return result();
  }

private:
  bool has(int I) const { return I >= 0 && std::size_t(I) < Args.size(); }

  // The type behind argument I.
  QualType elementOf(std::size_t I) const {
    if (I >= Exprs.size())
      return QualType();
    const Expr *X = Exprs[I];
    return X->isGLValue() && !X->getType()->isArrayType() ? X->getType() : pointeeOf(X);
  }

  // The value of a numeric argument.
  std::optional<Poly> number(int I) const {
    if (!has(I))
      return std::nullopt;
    const Value &V = Args[std::size_t(I)];
    const bool Reference = Exprs[std::size_t(I)]->isGLValue();
    if (!Reference && !K.ByReference)
      return V.Int && V.Int->valid() ? V.Int : std::nullopt;
    const QualType T = elementOf(std::size_t(I));
    if (T.isNull() || !T->isIntegralOrEnumerationType() || V.To.size() != 1 || !V.Unbounded.empty())
      return std::nullopt;
    const Value Stored = L.loadValue(V.To[0], T);
    return Stored.Int && Stored.Int->valid() ? Stored.Int : std::nullopt;
  }
  std::optional<std::int64_t> constant(int I) const {
    if (!has(I))
      return std::nullopt;
    if (const auto *S = dyn_cast<StringLiteral>(Exprs[std::size_t(I)]->IgnoreParenImpCasts()); S && S->getLength() > 0)
      return S->getCodeUnit(0);
    const std::optional<Poly> P = number(I);
    return P ? P->constant() : std::nullopt;
  }
  bool isZero(int I) const {
    if (!has(I) || Exprs[std::size_t(I)]->isValueDependent())
      return false;
    Expr::EvalResult R;
    if (Exprs[std::size_t(I)]->EvaluateAsRValue(R, L.Context)) {
      if (R.Val.isFloat())
        return R.Val.getFloat().isZero();
      if (R.Val.isInt())
        return R.Val.getInt() == 0;
    }
    return false;
  }

  // The moved-from elements change.
  bool movesElements() const {
    if (Name != "std::move" && Name != "std::move_backward" && Name != "std::uninitialized_move")
      return false;
    const QualType T = elementOf(0);
    return T.isNull() || !T.isTriviallyCopyableType(L.Context);
  }

  AccessKind kindOf(const LibraryEffect &F) const {
    if (!F.Written)
      return F.Argument == 0 && movesElements() ? AccessKind::Update : AccessKind::Read;
    return F.Read && !(F.Zero >= 0 && isZero(F.Zero)) ? AccessKind::Update : AccessKind::Write;
  }

  // The values in the memory behind the arguments.
  Value pointeeValues() const {
    Value All;
    for (std::size_t I = 0; I != Args.size(); ++I)
      if (const QualType T = elementOf(I); !T.isNull() && !isFile(T))
        for (const Place &P : anywhereIn(Args[I], "'" + Name + "' hands it on").To)
          if (L.holdsPointers(T) || P.TypePunned)
            All = join(All, anywhereIn(L.loadValue(P, T), "'" + Name + "' moves it"));
    return All;
  }
  // True if argument I may become an element of type Into: a pointer to int is none of an array of pointers to float.
  bool becomes(std::size_t I, QualType Into) const {
    const QualType To = elementOf(I);
    if (!Name.starts_with("std::") || Into.isNull() || To.isNull() || !Into->isPointerType() ||
        Into->isVoidPointerType() || Into->getPointeeType()->isRecordType())
      return true;
    return L.Context.hasSameUnqualifiedType(Into->getPointeeType(), To);
  }
  // All pointers that the call could store into an element of type Into: Pointees, and its arguments.
  Value carried(QualType Into, const Value &Pointees) const {
    Value All = Pointees;
    for (std::size_t I = 0; I != Args.size(); ++I)
      if (becomes(I, Into))
        All = join(All, anywhereIn(Args[I], "'" + Name + "' hands it on"));
    return All;
  }

  // True if printf prints argument I as a number or an address: it follows pointers for texts alone.
  bool printsValue(const LibraryEffect &F, std::size_t I) const {
    if (!F.AlsoLaterArguments || !llvm::StringRef(Name).ends_with("printf") || I <= F.Argument)
      return false;
    const auto *Format = dyn_cast<StringLiteral>(Exprs[F.Argument]->IgnoreParenImpCasts());
    const std::optional<std::string> All =
        Format && Format->getCharByteWidth() == 1 ? conversions(Format->getString()) : std::nullopt;
    const std::size_t At = I - F.Argument - 1;
    return All && At < All->size() && !llvm::StringRef("sSn").contains((*All)[At]);
  }

  void apply(const LibraryEffect &F, std::size_t I, AccessKind Kind, const Value &Pointees) {
    const Value &At = Args[I];
    if ((At.To.empty() && At.Unbounded.empty()) || printsValue(F, I))
      return;
    const bool Maybe = F.Maybe || !F.Known || (F.Zero >= 0 && Kind == AccessKind::Update);
    if (F.AlsoLaterArguments || !extent(F, I, Kind, Maybe)) {
      const QualType Element = elementOf(I);
      L.touchRange(At, QualType(), std::nullopt, Kind, Loc, true, F.Atomic,
                   "how much of it '" + Name + "' touches is not known", false,
                   !F.Known && !Element.isNull() && Element->isAnyCharacterType());
    }
    if (Kind == AccessKind::Read)
      return;
    const QualType T = elementOf(I);
    if (F.Known && isFile(T))
      return;
    const bool Pointers = T.isNull() || L.holdsPointers(T);
    const Value Carried = carried(T, Pointees);
    if (!Pointers && (F.Bytes || T->isCharType())) // Any pointer may be made from it.
      L.escape(pointeeValues(), Loc, "'" + Name + "' copies its bytes");
    for (const Place &P : At.To) {
      if (P.Memory) {
        if (Pointers && !Carried.pointsNowhere() && !T.isNull())
          L.escape(Carried, Loc, "'" + Name + "' puts it into memory");
        continue;
      }
      Place All = P;
      All.Element = true;
      Value Now = L.loadValue(P, T);
      Now = anywhereIn(Now, "'" + Name + "' changes it");
      L.storeObject(All, Pointers ? join(Now, Carried) : Now, false);
    }
  }

  // Emits the access with the effect's extent. False: the extent is unknown.
  bool extent(const LibraryEffect &F, std::size_t I, AccessKind Kind, bool Maybe) {
    if (!F.Known)
      return false;
    QualType T = elementOf(I);
    std::uint64_t Size = T.isNull() || T->isVoidType() ? F.ElementBytes : L.bytesOf(T);
    if (F.Bytes)
      Size = 1;
    if (Size == 0)
      return false;
    const Poly Element = std::int64_t(Size);
    Value At = Args[I];
    const auto Why = [this] { return "an argument of '" + Name + "' is not affine"; };
    if (F.Offset >= 0) {
      const std::optional<Poly> By = number(F.Offset);
      if (!By)
        return false;
      At = L.moved(At, *By * Poly(F.OffsetTimes) * Element, Why);
    }
    if (F.Until >= 0)
      return between(F, I, At, Element, Kind, Maybe);
    if (F.Stride >= 0 || F.Ld >= 0)
      return blas(F, At, Element, Kind, Maybe);
    Poly Count = F.Times;
    for (const int By : F.Factor) {
      if (By < 0)
        continue;
      const std::optional<Poly> N = number(By);
      if (!N)
        return false;
      Count = Count * *N;
    }
    if (F.Bytes && L.mayOverflow(Count))
      return false;
    L.touchRange(At, T, Count * Element, Kind, Loc, Maybe, F.Atomic, "");
    return true;
  }

  bool between(const LibraryEffect &F, std::size_t I, const Value &At, const Poly &Element, AccessKind Kind,
               bool Maybe) {
    const std::size_t Since = F.Since >= 0 ? std::size_t(F.Since) : I;
    if (!has(F.Until) || Since >= Args.size())
      return false;
    const Value &A = Args[Since], &B = Args[std::size_t(F.Until)];
    if (A.To.size() != 1 || B.To.size() != 1 || !A.Unbounded.empty() || !B.Unbounded.empty() || !A.To[0].Memory ||
        !B.To[0].Memory || A.To[0].Id != B.To[0].Id)
      return false;
    Poly Bytes = B.To[0].Offset - A.To[0].Offset;
    if (!Bytes.valid())
      return false;
    const QualType Source = elementOf(Since);
    if (Source.isNull() || L.bytesOf(Source) == 0)
      return false;
    const std::optional<Poly> Count = Bytes.dividedBy(std::int64_t(L.bytesOf(Source)));
    if (!Count)
      return false;
    L.touchRange(At, elementOf(I), *Count * Element, Kind, Loc, Maybe, F.Atomic, "");
    return true;
  }

  // Accesses Outer lines of Inner elements, Ld apart.
  void lines(const Value &At, const Poly &Inner, const Poly &Outer, const Poly &Ld, const Poly &Element,
             AccessKind Kind, bool Maybe) {
    if (Ld == Inner) {
      L.touchRange(At, QualType(), Inner * Outer * Element, Kind, Loc, Maybe, false, "");
      return;
    }
    Node N;
    N.K = Node::Loop;
    N.Loc = Loc;
    N.Counter = L.freshSymbol("k", Symbol::Loop);
    N.Low = Poly(0);
    N.High = Outer;
    N.Children.push_back(L.collect([&] {
      const Value Line =
          L.moved(At, Poly::symbol(N.Counter) * Ld * Element, [] { return "a leading dimension is not affine"; });
      L.touchRange(Line, QualType(), Inner * Element, Kind, Loc, Maybe, false, "");
    }));
    L.emit(std::move(N));
  }

  static bool isTransposition(std::int64_t Trans) { return Trans != 111 && Trans != 'N' && Trans != 'n'; }

  bool blas(const LibraryEffect &F, const Value &At, const Poly &Element, AccessKind Kind, bool Maybe) {
    int Rows = F.Factor[0], Columns = F.Factor[1];
    std::optional<std::int64_t> Trans;
    if (F.Trans >= 0 && !(Trans = constant(F.Trans)))
      return false;
    if (F.Stride >= 0) {
      if (Trans && isTransposition(*Trans))
        Rows = F.Other;
      const std::optional<Poly> N = number(Rows);
      std::optional<Poly> Stride = number(F.Stride);
      if (!N || !Stride)
        return false;
      if (const std::optional<std::int64_t> C = Stride->constant(); C && *C < 0)
        Stride = -*Stride;
      if (!L.surelyNonNegative(*Stride))
        return false;
      if (*Stride == Poly(1))
        L.touchRange(At, QualType(), *N * Element, Kind, Loc, Maybe, false, "");
      else
        lines(At, 1, *N, *Stride, Element, Kind, Maybe);
      return true;
    }
    bool Swapped = Trans && isTransposition(*Trans);
    if (F.Order >= 0) {
      const std::optional<std::int64_t> Order = constant(F.Order);
      if (!Order)
        return false;
      Swapped ^= *Order == 101;
    }
    if (F.Side >= 0) {
      const std::optional<std::int64_t> Side = constant(F.Side);
      if (!Side)
        return false;
      if (*Side == 142 || *Side == 'R' || *Side == 'r')
        Rows = Columns = F.Other;
    }
    if (Swapped)
      std::swap(Rows, Columns);
    const std::optional<Poly> M = number(Rows), N = number(Columns), Ld = number(F.Ld);
    if (!M || !N || !Ld)
      return false;
    lines(At, *M, *N, *Ld, Element, Kind, Maybe);
    return true;
  }

  // The callback is called an unknown number of times, with elements of the passed ranges.
  void callBack() {
    const Expr *X = Exprs[std::size_t(K.Calls)];
    Value Callee = Args[std::size_t(K.Calls)];
    if (X->isGLValue() && X->getType()->isPointerType())
      Callee = L.load(Callee, X->getType(), X);
    std::vector<const FunctionDecl *> Targets;
    const CXXRecordDecl *R = X->getType().getNonReferenceType()->getAsCXXRecordDecl();
    if (Callee.Function && Callee.To.empty() && Callee.Unbounded.empty())
      Targets.push_back(Callee.Function);
    else if (R && R->hasDefinition()) {
      for (const NamedDecl *D : R->lookup(L.Context.DeclarationNames.getCXXOperatorName(OO_Call))) {
        D = D->getUnderlyingDecl(); // A base's, by a using declaration.
        if (const auto *M = dyn_cast<CXXMethodDecl>(D))
          Targets.push_back(M);
        else if (const auto *T = dyn_cast<FunctionTemplateDecl>(D))
          Targets.insert(Targets.end(), T->spec_begin(), T->spec_end());
      }
    }
    Value Elements;
    bool Pointers = false;
    for (const LibraryEffect &F : K.Effects)
      if (F.Handed && F.Argument < Args.size()) {
        const QualType T = elementOf(F.Argument);
        Pointers |= T.isNull() || T->isVoidType() || L.holdsPointers(T);
        const bool One = F.Known && F.Until < 0 && F.Factor[0] < 0 && F.Times == 1;
        Elements = join(Elements, One ? Args[F.Argument]
                                      : anywhereIn(Args[F.Argument], "'" + Name + "' calls a function with it"));
      }
    if (Targets.empty()) {
      L.escape(Elements, Loc, "'" + Name + "' hands it to a function that is not known");
      L.opaqueCall(nullptr, nullptr, "a function that is handed to '" + Name + "'", Callee, {}, {}, &E, Loc);
      return;
    }
    for (unsigned Round = 0; Round != 3; ++Round) {
      const State Before = L.St;
      for (const FunctionDecl *F : Targets)
        L.maybe([&] { invoke(*F, Callee, Elements, Pointers); });
      if (L.St.Objects == Before.Objects)
        break;
    }
  }

  void invoke(const FunctionDecl &F, const Value &Callee, const Value &Elements, bool Pointers) {
    std::vector<Value> Handed;
    std::vector<const Expr *> None;
    for (const ParmVarDecl *P : F.parameters()) {
      const QualType T = P->getType();
      // C's functions get pointers to elements. A pointer in C++ is an element itself.
      const bool ToElement = T->isReferenceType() || (T->isAnyPointerType() && !Name.starts_with("std::"));
      const QualType To = ToElement ? T->getPointeeType() : QualType();
      // An element that is only read has been read already, so a copy suffices.
      const bool Copy = To.isNull() || (To.isConstQualified() && !Pointers);
      if (!Copy) {
        Handed.push_back(Elements);
        continue;
      }
      Value One;
      for (const Place &At : Elements.To)
        One = join(One, anywhereIn(L.loadValue(At, To.isNull() ? T : To), "an element"));
      One.Unbounded = Elements.Unbounded;
      Handed.push_back(To.isNull() ? One : Value::pointer(Place::object(L.newObject(One))));
    }
    Value Self;
    if (isa<CXXMethodDecl>(F)) // A forwarding reference leads to the callable itself.
      Self = Exprs[std::size_t(K.Calls)]->isGLValue() ? Callee : Value::pointer(Place::object(L.newObject(Callee)));
    L.invoke(&F, Self, std::move(Handed), &E, Loc, None);
  }

  Value result() {
    if (K.Allocates) {
      Frame *Outermost = L.Fr;
      while (Outermost->Up)
        Outermost = Outermost->Up;
      auto [It, New] = Outermost->Temporaries.try_emplace(&E, 0);
      if (New)
        It->second = L.NextObject++;
      L.St.Objects.of(It->second);
      L.HeapObjects.insert(It->second);
      Value V = Value::pointer(Place::object(It->second));
      V.To[0].Element = true; // One summary object for all allocations of this place.
      return V;
    }
    if (has(K.Returns)) {
      if (K.ReturnsSame)
        return Args[std::size_t(K.Returns)];
      Value V = anywhereIn(Args[std::size_t(K.Returns)], "'" + Name + "' returns it");
      if (has(K.AlsoReturns))
        V = join(V, anywhereIn(Args[std::size_t(K.AlsoReturns)], "'" + Name + "' returns it"));
      return V;
    }
    if (!E.isGLValue() && !L.holdsPointers(E.getType()))
      return {};
    Value V;
    const auto *C = dyn_cast<CallExpr>(&E);
    if (C && C->getDirectCallee() && C->getDirectCallee()->isTemplateInstantiation())
      for (const Value &A : Args) {
        V = join(V, anywhereIn(A, "'" + Name + "' returns it"));
        V = join(V, anywhereIn(L.contentOf(A), "'" + Name + "' returns it"));
      }
    V.Unbounded = "it is returned by '" + Name + "'";
    return V;
  }

  Lowerer &L;
  const LibraryFunction &K;
  const std::string &Name;
  const Expr &E;
  const SourceLocation Loc;
  const std::vector<Value> Args;
  llvm::ArrayRef<const Expr *> Exprs;
};

std::optional<Value> Lowerer::libraryCall(const CallExpr *E, const FunctionDecl *F, const std::vector<Value> &Args,
                                          llvm::ArrayRef<const Expr *> Exprs) {
  const SourceManager &SM = Context.getSourceManager();
  const FunctionDecl *Def = nullptr;
  const bool Visible = F->hasBody(Def);
  if (Visible && !SM.isInSystemHeader(SM.getExpansionLoc(Def->getLocation())))
    return std::nullopt;
  const std::string Name = tableName(*F);
  const bool OpenCL = Context.getLangOpts().OpenCL;
  if (Name.empty() || Args.size() != Exprs.size() ||
      (!OpenCL && !isUnmistakable(*F, Name) && !SM.isInSystemHeader(SM.getExpansionLoc(F->getLocation()))))
    return std::nullopt;
  const std::size_t Skipped = !Exprs.empty() && isExecutionPolicy(Exprs[0]->getType()) ? 1 : 0;
  const LibraryFunction *Known = findLibraryFunction(Name, OpenCL, unsigned(Args.size() - Skipped));
  if (!Known)
    return std::nullopt;
  const std::vector<Value> Rest(Args.begin() + std::ptrdiff_t(Skipped), Args.end());
  const llvm::ArrayRef<const Expr *> RestExprs = Exprs.drop_front(Skipped);

  if (Name.starts_with("std::"))
    runOwnCode(RestExprs, Rest, E->getExprLoc());
  // Functions that move values, which the effects alone would lose.
  if (Name == "std::swap" && Rest.size() == 2 && !RestExprs[0]->getType()->isArrayType()) {
    const QualType T = RestExprs[0]->getType();
    const Value A = load(Rest[0], T, RestExprs[0]), B = load(Rest[1], T, RestExprs[1]);
    store(Rest[0], T, B, RestExprs[0]);
    store(Rest[1], T, A, RestExprs[1]);
    return Value();
  }
  if (Name == "std::exchange" && Rest.size() == 2) {
    const QualType T = RestExprs[0]->getType();
    const Value Old = load(Rest[0], T, RestExprs[0]), New = load(Rest[1], RestExprs[1]->getType(), RestExprs[1]);
    const bool Number = T->isIntegralOrEnumerationType();
    store(Rest[0], T, Number ? castInteger(New, RestExprs[1]->getType(), T) : New, RestExprs[0]);
    return Old;
  }
  if ((Name == "std::min" || Name == "std::max") && Rest.size() == 2 && E->isGLValue()) {
    const QualType T = E->getType();
    const std::vector<Value> Both = {load(Rest[0], T, RestExprs[0]), load(Rest[1], T, RestExprs[1])};
    Value V = join(Both[0], Both[1]).flat();
    if (T->isIntegralOrEnumerationType())
      V = leastOrGreatest(Both, Name == "std::min", T);
    return Value::pointer(Place::object(newObject(std::move(V))));
  }
  // Simple loops with a callback give better information than the table.
  if (Visible && Skipped == 0 && Known->Calls >= 0 && F->isInStdNamespace() && libraryBody(F->getName()) == true)
    return std::nullopt;
  return LibraryCall(*this, *Known, Name, *E, Rest, RestExprs).run();
}

} // namespace hsched::cc
