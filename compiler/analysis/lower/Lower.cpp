// Entry points of lowering: parameters become roots and symbols.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lower.h"

#include "analysis/lower/Lowerer.h"

#include "clang/Lex/Lexer.h"

using namespace clang;

namespace hsched::cc {

namespace {
constexpr unsigned MaxDepth = 700; // Limit of nesting, including callees, because the stack is limited.
} // namespace

Lowerer::Lowerer(ASTContext &Context, Shared &All, Naming *Names, const Lowering::ClauseValues &Clauses)
    : Context(Context), All(All), Names(Names), Clauses(Clauses) {}

bool Lowerer::spend(std::size_t Steps) {
  Budget += unsigned(Steps);
  All.Steps += Steps;
  if (Budget > Lowering::MostSteps || Depth > MaxDepth || Tree.Roots.size() > 4000)
    Exhausted = true;
  return !Exhausted;
}

State Lowerer::joined(const State &A, const State &B, bool Widen) {
  spend(1 + (A.Objects.size() + B.Objects.size()) / 128);
  return join(A, B, Widen);
}

std::string Lowerer::text(const Expr *E) const {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  PrintingPolicy Policy = Context.getPrintingPolicy();
  Policy.TerseOutput = true;
  if (isa<RecoveryExpr>(E)) // It has no spelling of its own.
    OS << Lexer::getSourceText(CharSourceRange::getTokenRange(E->getSourceRange()), Context.getSourceManager(),
                               Context.getLangOpts());
  else
    E->printPretty(OS, nullptr, Policy);
  for (char &C : Text)
    if (C == '\n')
      C = ' ';
  if (Text.size() > 60)
    Text = Text.substr(0, 57) + "...";
  return Text;
}

// --- Parameters ------------------------------------------------------------------------------------------------------

// A parameter's value at the call: pointers lead to roots, integers are symbols. Also for its members, and for a base
// of class Whole.
Value Lowerer::parameterValue(QualType T, const Named &As, const ParmVarDecl &P, unsigned Index, unsigned Level,
                              const RecordDecl *Whole) {
  const std::string &Name = As.Text;
  if (const AtomicType *A = T->getAs<AtomicType>())
    T = A->getValueType();
  Root R;
  RootFacts F;
  R.Index = Index;
  R.K = Root::Param;
  R.Name = Name;
  R.Loc = P.getLocation();
  R.Decl = &P;
  F.Base = As;
  if (T->isReferenceType()) {
    const QualType To = T->getPointeeType();
    if (To->isFunctionType())
      return Value::unbounded("'" + Name + "' is called");
    R.Object = true;
    return Value::pointer(objectRoot(std::move(R), std::move(F), To));
  }
  if (T->isFunctionPointerType())
    return Value::unbounded("'" + Name + "' is a function pointer");
  if (T->isAnyPointerType()) {
    const QualType To = T->getPointeeType();
    if (To.getAddressSpace() == LangAS::opencl_local || To.getAddressSpace() == LangAS::opencl_private) {
      Place P = Place::object(newObject());
      P.Element = true;
      return Value::pointer(P);
    }
    if (To.getAddressSpace() == LangAS::opencl_constant)
      R.PointeeConst = true;
    describe(R, F, To);
    if (const ArrayType *A = Context.getAsArrayType(To); A && To.isConstQualified())
      R.PointeeConst = true;
    return Value::pointer(Place::root(addRoot(std::move(R), std::move(F))));
  }
  if (T->isMemberPointerType())
    return Value::unbounded("a pointer to member");
  if (T->isIntegralOrEnumerationType())
    return Name.empty() ? Value() : Value::integer(symbolOf(As, T));
  if (T->isImageType() || T->isPipeType()) {
    R.Element = T.getUnqualifiedType().getAsString(Context.getPrintingPolicy());
    R.Object = true;
    return Value::pointer(Place::root(addRoot(std::move(R), std::move(F))));
  }
  if (Value V; standardParameter(T, R, F, V))
    return V;
  const RecordDecl *D = T->getAsRecordDecl();
  D = D ? D->getDefinition() : nullptr;
  if (!D || D->isInvalidDecl() || D->isDependentType())
    return holdsPointers(T) ? Value::unbounded("'" + Name + "' is not understood") : Value();
  Value V;
  const auto *Class = dyn_cast<CXXRecordDecl>(D);
  if (D->isUnion() || Level > 3 || (Class && !repeatedBases(*Class).empty())) {
    if (holdsPointers(T)) {
      R.Name += "...";
      F.Many = true;
      V = Value::pointer(Place::root(addRoot(std::move(R), std::move(F))));
    }
    return V;
  }
  if (Class)
    for (const CXXBaseSpecifier &B : Class->bases())
      for (Field &Sub : parameterValue(B.getType(), As, P, Index, Level + 1, Whole ? Whole : D).Fields)
        V.set(Sub.Key, std::move(Sub.What));
  for (const FieldDecl *M : D->fields()) {
    Named Inner;
    if (!Name.empty() && M->getIdentifier())
      Inner = {As.Path.member(M->getCanonicalDecl()), Name + "." + memberText(Whole ? Whole : D, *M, true)};
    if (Context.getAsArrayType(M->getType())) {
      if (!holdsPointers(M->getType()))
        continue;
      Root Each = R;
      RootFacts EachFacts;
      Each.Name = Inner.Text + "[...]";
      EachFacts.Many = true;
      const QualType E = elementType(M->getType());
      if (E->isAnyPointerType())
        describe(Each, EachFacts, E->getPointeeType());
      V.set(M->getCanonicalDecl(), Value::pointer(Place::root(addRoot(Each, EachFacts))));
      continue;
    }
    if (M->getType()->isReferenceType() || holdsPointers(M->getType()) || M->getType()->isIntegralOrEnumerationType() ||
        M->getType()->isRecordType())
      V.set(M->getCanonicalDecl(), parameterValue(M->getType(), Inner, P, Index, Level + 1));
  }
  return V;
}

// A root for an object of type T that a name alone denotes.
Place Lowerer::objectRoot(Root R, RootFacts F, QualType T) {
  if (std::optional<Place> P = standardObject(R, F, T))
    return *P;
  describe(R, F, T);
  if (T.isConstQualified() || T.getAddressSpace() == LangAS::opencl_constant)
    R.PointeeConst = true;
  if (const ArrayType *A = Context.getAsArrayType(T); A && R.ElementBytes)
    R.PerOuter = unsigned(bytesOf(A->getElementType()) / R.ElementBytes);
  const std::uint64_t Whole = bytesOf(T);
  if (Whole && R.ElementBytes)
    R.Count = std::int64_t(Whole / R.ElementBytes);
  return Place::root(addRoot(std::move(R), std::move(F)));
}

void Lowerer::bindParameter(const ParmVarDecl &P, unsigned Index) {
  std::string Name = P.getNameAsString();
  if (Index >= Pack.First && Index != Pack.Named)
    Name = "?" + (Name.empty() ? "_" : Name);
  const bool OfHost = Geometry && Index < Geometry->Arguments.size() && !Geometry->Arguments[Index].empty();
  if (OfHost) {
    Name = Geometry->Arguments[Index];
    if (P.getType()->isIntegralOrEnumerationType() && !P.getType()->isBooleanType()) {
      Fr->Objects[&P] = newObject(Value::integer(parseExpression(Name)));
      return;
    }
  }
  if (!Name.empty())
    Taken.try_emplace(Name, &P);
  Value V = parameterValue(P.getType(), {OfHost ? AccessPath{nullptr, Name} : pathOf(P), Name}, P, Index, 0);
  if (P.getType()->isIntegerType() && V.Int && !V.Int->symbols().empty())
    OfParameters[Index] = *V.Int->symbols().begin();
  Fr->Objects[&P] = newObject(std::move(V));
}

Value Lowerer::global(const VarDecl *V, SourceLocation) {
  V = V->getCanonicalDecl();
  if (auto It = Globals.find(V); It != Globals.end())
    return Value::pointer(It->second);
  Root R;
  RootFacts F;
  R.K = Root::Global;
  F.Base = named(*V);
  R.Name = F.Base.Text;
  R.Decl = V;
  R.Loc = V->getLocation();
  R.Object = true;
  R.OfFunction = V->isStaticLocal();
  R.PerThread = V->getTLSKind() != VarDecl::TLS_None;
  F.Variable = V;
  QualType T = V->getType();
  F.Constant = T.isConstQualified() && !T->isReferenceType();
  F.Copied = Copied.count(V);
  if (T->isReferenceType()) { // The reference itself never changes.
    F.Constant = true;
    R.PointeeConst = true;
    F.Type = T;
    F.Bytes = bytesOf(T);
    R.ElementBytes = unsigned(F.Bytes);
    R.Count = 1;
    const Place P = Place::root(addRoot(std::move(R), std::move(F)));
    Globals[V] = P;
    return Value::pointer(P);
  }
  const Place P = objectRoot(std::move(R), std::move(F), T);
  Globals[V] = P;
  return Value::pointer(P);
}

// --- Entry points ----------------------------------------------------------------------------------------------------

static constexpr const char *OnlyForHost = "a part of the file is understood by the host compiler alone";

AccessTree Lowerer::function(const FunctionDecl &F, Lowering::Elements Of) {
  Pack = Of;
  const FunctionDecl *Def = nullptr;
  Node Body;
  Out = &Body;
  Frame Top;
  Fr = &Top;
  const bool Visible = F.hasBody(Def) && Def && !Def->isDependentContext() && !Def->isInvalidDecl();
  const FunctionDecl &D = Visible ? *Def : F;
  Top.F = &D;
  for (const ParmVarDecl *P : D.parameters()) // They hide members.
    if (P->getIdentifier())
      Taken.try_emplace(P->getNameAsString(), P);
  if (const auto *M = dyn_cast<CXXMethodDecl>(&D); M && M->isInstance()) {
    objectOfCall(*M->getParent(), M->isConst(), D.getLocation());
    if (M->getParent()->isLambda())
      M->getParent()->getCaptureFields(Top.Captures, Top.CapturedThis);
  }
  for (unsigned I = 0; I != D.getNumParams(); ++I)
    bindParameter(*D.getParamDecl(I), I);
  if (!Visible) {
    const std::string Name = "'" + D.getNameAsString() + "'";
    judgePrototype(D, Name + ", whose body is not visible");
    Tree.Body = std::move(Body);
    return finish();
  }
  answer();
  runBody(D);
  if (Incomplete || Exhausted || All.Distrusted) {
    Body.Children.clear();
    St.Dead = false;
    Exhausted = false;
    Budget = 0;
    judgePrototype(D, All.Distrusted ? OnlyForHost
                      : Incomplete   ? "a part of it is not understood"
                                     : "'" + D.getNameAsString() + "' is too large to be looked into");
  }
  Tree.Body = std::move(Body);
  return finish();
}

void Lowerer::runBody(const FunctionDecl &D) {
  const std::size_t Mine = Cleanups.size();
  if (const auto *C = dyn_cast<CXXConstructorDecl>(&D)) {
    runInitializers(*C, Fr->This);
    if (!Targets.empty() && Targets.back()->K == JumpTarget::Return)
      Targets.back()->Cleanups = Cleanups.size(); // Only an exception destroys the members.
  }
  const Stmt *Body = D.getBody();
  if (hasLabels(Body))
    anyOrder(Body);
  else
    compound({Body});
  Cleanups.resize(std::min(Mine, Cleanups.size()));
}

// True if S may change the variable: it mentions the variable other than to read it.
static bool mayChange(const Stmt *S, const ValueDecl *V) {
  if (!S)
    return false;
  const Stmt *Read = nullptr;
  // A reference to what is const reads it too, as an argument of std::min.
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(S);
      Cast && (Cast->getCastKind() == CK_LValueToRValue ||
               (Cast->getCastKind() == CK_NoOp && Cast->isLValue() && Cast->getType().isConstQualified())))
    Read = Cast->getSubExpr()->IgnoreParens();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Read ? Read : S); Ref && Ref->getDecl() == V)
    return !Read;
  return llvm::any_of(S->children(), [&](const Stmt *Child) { return mayChange(Child, V); });
}

// Copies of numbers and pointers are objects of the statement, initialised from the variables.
void Lowerer::bindCopies(const Stmt &S, Lowering::Copies C) {
  Copied.insert(C.Of.begin(), C.Of.end());
  for (const ValueDecl *V : C.Of) {
    const QualType T = V->getType();
    if (isa<BindingDecl>(V)) { // Only the name of the object behind a binding is known.
      const bool Number = T->isIntegralOrEnumerationType() && !(C.EachIteration && mayChange(&S, V));
      if (Number)
        Fr->Objects[V] = newObject(Value::integer(symbolOf(named(*V), T)));
      continue;
    }
    if (!T->isScalarType() || T.isVolatileQualified() || T->isMemberPointerType())
      continue;
    Value Begin = loadValue(global(cast<VarDecl>(V), V->getLocation()).To[0], T);
    if (C.EachIteration && mayChange(&S, V)) {
      if (Begin.Int) {
        Begin.Int = Poly::symbol(freshSymbol(V->getNameAsString()));
        Tree.Symbols.back().NonNegative = T->isUnsignedIntegerOrEnumerationType();
      }
      if (T->isAnyPointerType())
        Begin.Unbounded = "'" + V->getNameAsString() + "' changes from one iteration to the next";
      for (Place &P : Begin.To) {
        P.Offset = Poly::invalid();
        P.Why = Begin.Unbounded;
      }
    }
    Fr->Objects[V] = newObject(std::move(Begin));
  }
}

// Evaluates the expressions in clauses, without accesses of the body.
void Lowerer::answer() {
  for (const auto &[Text, E] : Clauses) {
    const State Before = St;
    const std::set<unsigned> Known = Escaped;
    std::vector<bool> SizeQueried;
    for (const Root &R : Tree.Roots)
      SizeQueried.push_back(R.SizeQueried);
    Value V;
    collect([&, E = E] { V = rvalue(E); });
    St = Before;
    Escaped = Known;
    for (std::size_t I = 0; I != Tree.Roots.size(); ++I)
      Tree.Roots[I].SizeQueried = I < SizeQueried.size() && SizeQueried[I];
    if (V.Int && isConstant(*V.Int))
      Tree.ClauseValues.emplace(Text, *V.Int);
  }
}

AccessTree Lowerer::statement(const Stmt &S, Lowering::Copies C) {
  Frame Top;
  Fr = &Top;
  bindCopies(S, C);
  EscapeReturned = C.HandsOut;
  return top(S);
}

AccessTree Lowerer::top(const Stmt &S) {
  Node Body;
  Out = &Body;
  answer();
  if (hasLabels(&S))
    anyOrder(&S);
  else
    compound({&S});
  if (Incomplete || Exhausted || All.Distrusted) {
    St.Dead = false;
    const std::string Why = All.Distrusted ? OnlyForHost : "a part of it is not understood";
    Exhausted = false;
    Budget = 0;
    Body.Children.clear();
    for (unsigned I = 0, N = unsigned(Tree.Roots.size()); I != N; ++I)
      if (Tree.Roots[I].K != Root::Anything)
        escapeRoot(I, S.getBeginLoc(), Why, false);
    touchAnything(S.getBeginLoc(), Why);
    Tree.Complete = false;
  }
  Tree.Body = std::move(Body);
  return finish();
}

// The body with a symbol for the variable, bounded by start and condition.
AccessTree Lowerer::iteration(const ForStmt &S, Lowering::Copies C) {
  Frame Top;
  Fr = &Top;
  const VarDecl *Variable = nullptr;
  const Expr *Start = nullptr;
  if (const auto *D = dyn_cast_or_null<DeclStmt>(S.getInit()); D && D->isSingleDecl()) {
    Variable = dyn_cast<VarDecl>(D->getSingleDecl());
    Start = Variable ? Variable->getInit() : nullptr;
  } else if (const auto *Assign = dyn_cast_or_null<BinaryOperator>(S.getInit()); Assign && Assign->isAssignmentOp()) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(Assign->getLHS()->IgnoreParens()))
      Variable = dyn_cast<VarDecl>(Ref->getDecl());
    Start = Assign->getRHS();
  }
  std::vector<Poly> Known;
  const bool Counts = Variable && Start && S.getCond() && Variable->getType()->isIntegerType();
  const Poly I =
      Counts ? symbolOf(pathOf(*Variable), nameOf(*Variable), Variable->getType()->isUnsignedIntegerType()) : Poly();
  bindCopies(S, C);
  if (Counts) {
    const SymbolId Id = *I.symbols().begin();
    collect([&] { // Everything evaluated at the tasks' submission.
      const Value First = rvalue(Start);
      Fr->Objects[Variable] = newObject(Value::integer(I));
      Condition C = condition(S.getCond());
      if (const auto *Step = dyn_cast_or_null<UnaryOperator>(S.getInc()); Step && C.Differs.size() == 1)
        if (const auto Parts = C.Differs[0].linearIn(Id); Parts && !Parts->first.isZero()) {
          const bool Upright = (Parts->first == Poly(1)) == Step->isDecrementOp();
          C.Holds.push_back((Upright ? C.Differs[0] : -C.Differs[0]) - 1);
        }
      SymbolTable[Id].MayBeNegative = true;
      for (const Poly &P : C.Holds) {
        Known.push_back(P);
        // It goes in that direction from the start.
        const auto Parts = First.Int && P.valid() ? P.linearIn(Id) : std::nullopt;
        if (const auto Slope = Parts ? Parts->first.constant() : std::nullopt; Slope && *Slope != 0) {
          Known.push_back(*Slope < 0 ? I - *First.Int : *First.Int - I);
          Tree.Symbols[Id].NonNegative |= surelyNonNegative(*Slope < 0 ? *First.Int : I - P);
        }
      }
    });
  }
  JumpTarget Continue(JumpTarget::Continue);
  Targets.push_back(&Continue);
  llvm::copy_if(Known, std::back_inserter(Here), [](const Poly &P) { return P.valid(); });
  AccessTree Done = top(*S.getBody());
  for (const Poly &P : Known)
    if (P.valid() && std::ranges::all_of(P.symbols(), [&](SymbolId S) { return Done.Symbols[S].K == Symbol::Value; }))
      Done.Facts.push_back(P);
  return Done;
}

// --- The interface ---------------------------------------------------------------------------------------------------

struct Lowering::Impl {
  ASTContext &Context;
  Lowerer::Shared All;
};

Lowering::Lowering(ASTContext &Context) : I(new Impl{Context, {}}) {}
Lowering::~Lowering() = default;

void Lowering::concludeWith(Conclusions Of) { I->All.Of = std::move(Of); }

void Lowering::distrust() { I->All.Distrusted = true; }

std::size_t Lowering::steps() const { return I->All.Steps; }

AccessTree Lowering::lower(const FunctionDecl &F, Elements Of, Naming *Names, const ClauseValues &Clauses) {
  return Lowerer(I->Context, I->All, Names, Clauses).function(F, Of);
}
AccessTree Lowering::lowerIteration(const ForStmt &S, Naming *Names, Copies C, const ClauseValues &Clauses) {
  return Lowerer(I->Context, I->All, Names, Clauses).iteration(S, C);
}
AccessTree Lowering::lower(const Stmt &S, Naming *Names, Copies C, const ClauseValues &Clauses) {
  return Lowerer(I->Context, I->All, Names, Clauses).statement(S, C);
}
AccessTree Lowering::lowerKernel(const FunctionDecl &F, const KernelGeometry &G) {
  return Lowerer(I->Context, I->All).kernel(F, G);
}

} // namespace hsched::cc
