// Where lowering begins and ends: parameters become roots and symbols; the tree is cleaned of what did not hold.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lower.h"

#include "analysis/lower/Lowerer.h"

using namespace clang;

namespace hsched::cc {

namespace {
constexpr unsigned MaxSteps = 400000; // expressions and statements of one tree, those of inlined callees included
constexpr unsigned MaxDepth = 700;    // of nesting, callees included: the stack has an end
} // namespace

Lowerer::Lowerer(ASTContext &Context, Shared &All) : Context(Context), All(All) {}

bool Lowerer::spend() {
  if (++Budget > MaxSteps || Depth > MaxDepth || Tree.Roots.size() > 4000)
    Exhausted = true;
  return !Exhausted;
}

std::string Lowerer::text(const Expr *E) const {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  PrintingPolicy Policy = Context.getPrintingPolicy();
  Policy.TerseOutput = true;
  E->printPretty(OS, nullptr, Policy);
  for (char &C : Text)
    if (C == '\n')
      C = ' ';
  if (Text.size() > 60)
    Text = Text.substr(0, 57) + "...";
  return Text;
}

// --- Parameters ------------------------------------------------------------------------------------------------------

// A parameter's value at the time of the call: pointers lead to roots, integers are symbols.
Value Lowerer::parameterValue(QualType T, const std::string &Name, unsigned Index, SourceLocation Loc, unsigned Level) {
  Root R;
  RootFacts F;
  R.Index = Index;
  R.K = Root::Param;
  R.Name = Name;
  R.Loc = Loc;
  F.Base = Name;
  if (T->isReferenceType()) {
    const QualType To = T->getPointeeType();
    if (To->isFunctionType())
      return Value::wild("'" + Name + "' is called");
    R.Object = true;
    return Value::pointer(objectRoot(std::move(R), std::move(F), To));
  }
  if (T->isFunctionPointerType())
    return Value::wild("'" + Name + "' is a function pointer");
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
  if (T->isBooleanType() || T->isMemberPointerType())
    return T->isMemberPointerType() ? Value::wild("a pointer to member") : Value();
  if (T->isIntegralOrEnumerationType())
    return Name.empty() ? Value() : Value::integer(symbolOf(Name, T->isUnsignedIntegerOrEnumerationType()));
  if (T->isImageType() || T->isPipeType()) {
    describe(R, F, QualType());
    R.Element = T.getUnqualifiedType().getAsString(Context.getPrintingPolicy());
    R.Object = true;
    return Value::pointer(Place::root(addRoot(std::move(R), std::move(F)), 0, true));
  }
  if (Value V; standardParameter(T, R, F, V))
    return V;
  const RecordDecl *D = T->getAsRecordDecl();
  D = D ? D->getDefinition() : nullptr;
  if (!D || D->isInvalidDecl() || D->isDependentType())
    return holdsPointers(T) ? Value::wild("'" + Name + "' is not understood") : Value();
  Value V;
  if (D->isUnion() || Level > 3) {
    if (holdsPointers(T)) {
      R.Name += "...";
      F.Many = true;
      V = Value::pointer(Place::root(addRoot(std::move(R), std::move(F))));
    }
    return V;
  }
  if (const auto *C = dyn_cast<CXXRecordDecl>(D))
    for (const CXXBaseSpecifier &B : C->bases())
      for (Field &Sub : parameterValue(B.getType(), Name, Index, Loc, Level + 1).Fields)
        V.set(Sub.Key, std::move(Sub.What));
  for (const FieldDecl *M : D->fields()) {
    const std::string Inner = Name.empty() || !M->getIdentifier() ? "" : Name + "." + M->getNameAsString();
    if (Context.getAsArrayType(M->getType())) {
      if (!holdsPointers(M->getType()))
        continue;
      Root Each = R;
      RootFacts EachFacts;
      Each.Name = Inner + "[...]";
      EachFacts.Many = true;
      const QualType E = elementType(M->getType());
      if (E->isAnyPointerType())
        describe(Each, EachFacts, E->getPointeeType());
      V.set(M->getCanonicalDecl(), Value::pointer(Place::root(addRoot(Each, EachFacts))));
      continue;
    }
    if (M->getType()->isReferenceType() || holdsPointers(M->getType()) || M->getType()->isIntegralOrEnumerationType() ||
        M->getType()->isRecordType())
      V.set(M->getCanonicalDecl(), parameterValue(M->getType(), Inner, Index, Loc, Level + 1));
  }
  return V;
}

// A root for an object of type T that a name alone denotes.
Place Lowerer::objectRoot(Root R, RootFacts F, QualType T) {
  if (std::optional<Place> P = standardObject(R, F, T))
    return *P;
  describe(R, F, T);
  if (T.isConstQualified())
    R.PointeeConst = true;
  const std::uint64_t Whole = bytesOf(T);
  if (Whole && R.ElementBytes)
    R.Count = std::int64_t(Whole / R.ElementBytes);
  return Place::root(addRoot(std::move(R), std::move(F)));
}

void Lowerer::bindParameter(const ParmVarDecl &P, unsigned Index) {
  std::string Name = P.getNameAsString();
  if (Geometry && Index < Geometry->Arguments.size() && !Geometry->Arguments[Index].empty()) {
    Name = Geometry->Arguments[Index];
    if (P.getType()->isIntegralOrEnumerationType() && !P.getType()->isBooleanType()) {
      Fr->Objects[&P] = newObject(Value::integer(parseExpression(Name)));
      return;
    }
  }
  Fr->Objects[&P] = newObject(parameterValue(P.getType(), Name, Index, P.getLocation(), 0));
}

Value Lowerer::global(const VarDecl *V, SourceLocation) {
  V = V->getCanonicalDecl();
  if (auto It = Globals.find(V); It != Globals.end())
    return Value::pointer(It->second);
  Root R;
  RootFacts F;
  R.K = Root::Global;
  R.Name = F.Base = V->isLocalVarDeclOrParm() ? V->getNameAsString() : V->getQualifiedNameAsString();
  R.Loc = V->getLocation();
  R.Object = true;
  F.Variable = V;
  QualType T = V->getType();
  F.Constant = T.isConstQualified() && !T->isReferenceType();
  if (T->isReferenceType()) { // the reference itself, which never changes
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

AccessTree Lowerer::function(const FunctionDecl &F) {
  const FunctionDecl *Def = nullptr;
  Node Body;
  Out = &Body;
  Frame Top;
  Fr = &Top;
  const bool Visible = F.hasBody(Def) && Def && !Def->isDependentContext() && !Def->isInvalidDecl();
  const FunctionDecl &D = Visible ? *Def : F;
  Top.F = &D;
  if (const auto *M = dyn_cast<CXXMethodDecl>(&D); M && M->isInstance()) {
    Root R;
    RootFacts Facts;
    R.K = Root::This;
    R.Name = "*this";
    Facts.Base = "(*this)";
    R.Loc = D.getLocation();
    R.Object = true;
    R.PointeeConst = M->isConst();
    R.Count = 1;
    if (!M->getParent()->isDependentType())
      describe(R, Facts, Context.getRecordType(M->getParent()));
    Top.This = Value::pointer(Place::root(addRoot(std::move(R), std::move(Facts))));
    if (M->getParent()->isLambda())
      M->getParent()->getCaptureFields(Top.Captures, Top.CapturedThis);
  }
  for (unsigned I = 0; I != D.getNumParams(); ++I)
    bindParameter(*D.getParamDecl(I), I);
  if (!Visible) {
    judgePrototype(D, "the body of '" + D.getNameAsString() + "' is not visible");
    Tree.Body = std::move(Body);
    return finish();
  }
  runBody(D);
  if (Incomplete || Exhausted) {
    Body.Children.clear();
    St.Dead = false;
    Exhausted = false;
    Budget = 0;
    judgePrototype(D, Incomplete ? "a part of '" + D.getNameAsString() + "' is not understood"
                                 : "'" + D.getNameAsString() + "' is too large to be looked into");
  }
  Tree.Body = std::move(Body);
  return finish();
}

void Lowerer::runBody(const FunctionDecl &D) {
  if (const auto *C = dyn_cast<CXXConstructorDecl>(&D))
    runInitializers(*C, Fr->This);
  const Stmt *Body = D.getBody();
  if (hasLabels(Body))
    anyOrder(Body);
  else
    compound({Body});
}

// Only what the prototype says: memory behind a pointer to const is read, other memory is anything.
void Lowerer::judgePrototype(const FunctionDecl &F, const std::string &Why) {
  Tree.Complete = false;
  const unsigned N = unsigned(Tree.Roots.size());
  for (unsigned I = 0; I != N; ++I)
    if (Tree.Roots[I].K != Root::Anything && Tree.Roots[I].K != Root::Indirect)
      escapeRoot(I, F.getLocation(), Why, false);
  touchAnything(F.getLocation(), Why);
}

AccessTree Lowerer::statement(const Stmt &S) {
  Node Body;
  Out = &Body;
  Frame Top;
  Fr = &Top;
  EscapeReturned = false;
  if (hasLabels(&S))
    anyOrder(&S);
  else
    compound({&S});
  if (Incomplete || Exhausted) {
    St.Dead = false;
    const std::string Why = "a part of the statement is not understood";
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

// --- The end ---------------------------------------------------------------------------------------------------------

AccessTree Lowerer::finish() {
  demote();
  clean(Tree.Body);
  wrapRanges(Tree.Body);
  pruneRoots();
  dropEmpty(Tree.Body);
  return std::move(Tree);
}

namespace {
void eachLeaf(Node &N, const std::function<void(Node &)> &Do) {
  if (N.K == Node::Leaf)
    Do(N);
  for (Node &C : N.Children)
    eachLeaf(C, Do);
}
} // namespace

// Symbols that stand for what is in memory are values only where nothing is written there; a pointer in memory leads
// where it led at first only where it is not written either.
void Lowerer::demote() {
  std::set<unsigned> MovedCells; // Indirect roots whose pointer may change
  bool Anything = false;
  eachLeaf(Tree.Body, [&](Node &L) {
    const Access &A = L.A;
    if (A.K == AccessKind::Read)
      return;
    Anything |= Tree.Roots[A.RootId].K == Root::Anything;
    const Bytes &B = LeafBytes[L.Counter];
    const auto Hits = [&](const Poly &Offset, const Poly &Size) {
      // Constant distances are told apart; everything else may hit.
      const std::optional<std::int64_t> From = (Offset - B.Offset).constant(), N = B.Count.constant(),
                                        Mine = Size.constant();
      return !From || !N || !Mine || (*From < *N && *From + *Mine > 0);
    };
    for (std::size_t S = 0; S != SymbolTable.size(); ++S)
      if (SymbolTable[S].RootId == int(A.RootId) && !Facts[A.RootId].Constant &&
          (SymbolTable[S].OfContainer ? B.Header : Hits(SymbolTable[S].Offset, SymbolTable[S].Bytes)))
        Tree.Symbols[S].K = Symbol::Unknown;
    for (std::size_t R = 0; R != Tree.Roots.size(); ++R)
      if (Tree.Roots[R].K == Root::Indirect && Tree.Roots[R].Parent == A.RootId && !Facts[R].Many &&
          (Facts[R].Cell < 0 || Hits(Facts[R].Cell, 8)))
        MovedCells.insert(unsigned(R));
  });
  // What nobody knows of may change variables, and what pointers in them lead to.
  for (std::size_t R = 0; R != Tree.Roots.size() && Anything; ++R) {
    if (Tree.Roots[R].K == Root::Global && !Facts[R].Constant)
      for (std::size_t S = 0; S != SymbolTable.size(); ++S)
        if (SymbolTable[S].RootId == int(R))
          Tree.Symbols[S].K = Symbol::Unknown;
    if (Tree.Roots[R].K == Root::Indirect && Tree.Roots[Tree.Roots[R].Parent].K == Root::Global && !Facts[R].Many &&
        !Facts[Tree.Roots[R].Parent].Constant)
      MovedCells.insert(unsigned(R));
  }
  for (bool Again = true; Again;) {
    Again = false;
    for (std::size_t S = 0; S != SymbolTable.size(); ++S)
      if (Tree.Symbols[S].K == Symbol::Value)
        for (SymbolId From : SymbolTable[S].From)
          if (Tree.Symbols[From].K != Symbol::Value) {
            Tree.Symbols[S].K = Symbol::Unknown;
            Again = true;
          }
    for (std::size_t S = 0; S != SymbolTable.size(); ++S)
      if (Tree.Symbols[S].K == Symbol::Value && SymbolTable[S].RootId >= 0 &&
          MovedCells.count(unsigned(SymbolTable[S].RootId))) {
        Tree.Symbols[S].K = Symbol::Unknown;
        Again = true;
      }
    for (std::size_t R = 0; R != Tree.Roots.size(); ++R)
      if (Tree.Roots[R].K == Root::Indirect && MovedCells.count(Tree.Roots[R].Parent) &&
          MovedCells.insert(unsigned(R)).second)
        Again = true;
  }
  if (MovedCells.empty())
    return;
  Node *First = nullptr;
  eachLeaf(Tree.Body, [&](Node &L) {
    if (!MovedCells.count(L.A.RootId))
      return;
    L.A.Maybe = true;
    L.A.Low.reset();
    L.A.Count = 1;
    L.A.Why = "the pointer '" + Tree.Roots[L.A.RootId].Name + "' changes";
    First = First ? First : &L;
  });
  if (First) {
    Out = &Tree.Body;
    St.Dead = false;
    const std::string Why = First->A.Why;
    const SourceLocation Loc = First->Loc;
    Loose = false;
    touchAnything(Loc, Why);
  }
}

// Polynomials in symbols that may be anything say nothing.
void Lowerer::clean(Node &N) {
  const auto Bad = [&](const Poly &P) {
    if (!P.valid())
      return true;
    for (SymbolId S : P.symbols())
      if (Tree.Symbols[S].K == Symbol::Unknown && !SymbolTable[S].Ranged)
        return true;
    return false;
  };
  if (N.K == Node::Leaf && !N.A.Low && N.A.Why.empty()) {
    const Bytes &B = LeafBytes[N.Counter];
    if (Bad(B.Offset) || Bad(B.Count))
      N.A.Low = B.Offset + B.Count;
    else
      toElements(Facts[N.A.RootId], B.Offset, B.Count, N.A);
  }
  if (N.K == Node::Leaf && N.A.Low && (Bad(*N.A.Low) || Bad(N.A.Count))) {
    if (N.A.Why.empty()) {
      std::string Names;
      for (const Poly *P : {&*N.A.Low, &N.A.Count})
        for (SymbolId S : P->symbols())
          if (Tree.Symbols[S].K == Symbol::Unknown && !SymbolTable[S].Ranged && Names.empty())
            Names = Tree.Symbols[S].Spelling;
      N.A.Why = Names.empty() ? "the subscript is not affine" : "'" + Names + "' changes in a way that is not affine";
    }
    N.A.Low.reset();
    N.A.Count = 1;
  }
  if (N.K == Node::Loop && N.Low && N.High && (Bad(*N.Low) || Bad(*N.High))) {
    N.Low.reset();
    N.High.reset();
    N.Breaks = true;
  }
  if (N.K == Node::If) {
    const std::size_t Before = N.When.size();
    N.When.erase(std::remove_if(N.When.begin(), N.When.end(), Bad), N.When.end());
    if (N.When.size() != Before)
      N.Exact = false;
    // What holds always, or never.
    bool Never = false;
    N.When.erase(std::remove_if(N.When.begin(), N.When.end(),
                                [&](const Poly &P) {
                                  const std::optional<std::int64_t> C = P.constant();
                                  Never |= C && *C < 0;
                                  return C && *C >= 0;
                                }),
                 N.When.end());
    if (Never) {
      Node Else;
      if (N.Children.size() > 1)
        Else = std::move(N.Children[1]);
      if (N.Exact || Else.Children.empty()) {
        N = std::move(Else);
      } else {
        N.When.clear();
        N.Exact = false;
        N.Children.clear();
        N.Children.push_back(std::move(Else));
      }
    } else if (N.Exact && N.When.empty()) {
      Node Then = std::move(N.Children[0]);
      N = std::move(Then);
    }
  }
  for (Node &C : N.Children)
    clean(C);
}

// A symbol that is one of a range of numbers: a loop over them around all that mentions it, each perhaps.
void Lowerer::wrapRanges(Node &N) {
  const auto Mentions = [](const Node &At, SymbolId S) {
    const auto Here = [S](const std::optional<Poly> &P) { return P && P->mentions(S); };
    if (Here(At.Low) || Here(At.High) || (At.K == Node::Leaf && (Here(At.A.Low) || At.A.Count.mentions(S))))
      return true;
    return std::any_of(At.When.begin(), At.When.end(), [S](const Poly &P) { return P.mentions(S); });
  };
  std::function<bool(const Node &, SymbolId)> Within = [&](const Node &At, SymbolId S) {
    return Mentions(At, S) ||
           std::any_of(At.Children.begin(), At.Children.end(), [&](const Node &C) { return Within(C, S); });
  };
  std::function<void(Node &, SymbolId)> Wrap = [&](Node &At, SymbolId S) {
    if (At.K == Node::Seq) {
      // From the first child that mentions it to the last.
      std::size_t First = At.Children.size(), Last = 0;
      for (std::size_t I = 0; I != At.Children.size(); ++I)
        if (Within(At.Children[I], S)) {
          First = std::min(First, I);
          Last = I;
        }
      if (First == At.Children.size())
        return;
      if (First == Last && !Mentions(At.Children[First], S)) {
        Wrap(At.Children[First], S);
        return;
      }
      Node Inner, Seq, If, Body, Loop;
      for (std::size_t I = First; I <= Last; ++I)
        Inner.Children.push_back(std::move(At.Children[I]));
      If.K = Node::If;
      If.Children.push_back(std::move(Inner));
      Body.Children.push_back(std::move(If));
      Loop.K = Node::Loop;
      Loop.Counter = S;
      Loop.Low = SymbolTable[S].Low;
      Loop.High = SymbolTable[S].High;
      Loop.Loc = Body.Children[0].Children[0].Children[0].Loc;
      Loop.Children.push_back(std::move(Body));
      Tree.Symbols[S].K = Symbol::Loop;
      At.Children[First] = std::move(Loop);
      At.Children.erase(At.Children.begin() + std::ptrdiff_t(First) + 1,
                        At.Children.begin() + std::ptrdiff_t(Last) + 1);
      return;
    }
    // Both children of an If mention it: they do not both run.
    for (Node &C : At.Children)
      Wrap(C, S);
  };
  // Bounds of later ones may mention earlier ones.
  for (std::size_t S = SymbolTable.size(); S-- != 0;)
    if (SymbolTable[S].Ranged && Within(N, SymbolId(S))) {
      SymbolFacts &F = SymbolTable[S];
      for (Poly *P : {&F.Low, &F.High})
        for (SymbolId In : P->symbols())
          if (Tree.Symbols[In].K == Symbol::Unknown && !SymbolTable[In].Ranged)
            *P = Poly::invalid();
      if (!F.Low.valid() || !F.High.valid()) {
        F.Ranged = false;
        continue;
      }
      Wrap(N, SymbolId(S));
    }
  clean(N);
}

namespace {
bool dropEmptyIn(Node &N) {
  for (Node &C : N.Children)
    dropEmptyIn(C);
  if (N.K == Node::Seq)
    N.Children.erase(std::remove_if(N.Children.begin(), N.Children.end(),
                                    [](const Node &C) {
                                      if (C.K == Node::Leaf || C.K == Node::Stop)
                                        return false;
                                      return std::all_of(C.Children.begin(), C.Children.end(), [](const Node &D) {
                                        return D.Children.empty() && D.K == Node::Seq;
                                      });
                                    }),
                     N.Children.end());
  return N.Children.empty();
}
} // namespace

void Lowerer::dropEmpty(Node &N) { dropEmptyIn(N); }

// Roots that nothing touches, parameters aside.
void Lowerer::pruneRoots() {
  std::vector<bool> Used(Tree.Roots.size());
  for (std::size_t I = 0; I != Tree.Roots.size(); ++I)
    Used[I] = Tree.Roots[I].K == Root::Param || Tree.Roots[I].K == Root::This;
  eachLeaf(Tree.Body, [&](Node &L) { Used[L.A.RootId] = true; });
  for (std::size_t I = Tree.Roots.size(); I-- != 0;) // parents come before children
    if (Used[I] && Tree.Roots[I].K == Root::Indirect)
      Used[Tree.Roots[I].Parent] = true;
  for (const Symbol &S : Tree.Symbols)
    if (S.K == Symbol::Value && S.From >= 0)
      for (unsigned R = unsigned(S.From);; R = Tree.Roots[R].Parent) {
        Used[R] = true;
        if (Tree.Roots[R].K != Root::Indirect)
          break;
      }
  std::vector<unsigned> Now(Tree.Roots.size());
  std::vector<Root> Kept;
  KeptVariables.clear();
  for (std::size_t I = 0; I != Tree.Roots.size(); ++I)
    if (Used[I]) {
      Now[I] = unsigned(Kept.size());
      Kept.push_back(std::move(Tree.Roots[I]));
      KeptVariables.push_back(Facts[I].Variable);
      if (Kept.back().K == Root::Indirect)
        Kept.back().Parent = Now[Kept.back().Parent];
    }
  Tree.Roots = std::move(Kept);
  eachLeaf(Tree.Body, [&](Node &L) {
    L.A.RootId = Now[L.A.RootId];
    L.Counter = 0;
  });
  for (Symbol &S : Tree.Symbols)
    if (S.From >= 0)
      S.From = S.K == Symbol::Value ? int(Now[unsigned(S.From)]) : -1;
}

// --- The interface ---------------------------------------------------------------------------------------------------

struct Lowering::Impl {
  ASTContext &Context;
  Lowerer::Shared All;
};

Lowering::Lowering(ASTContext &Context) : I(new Impl{Context, {}}) {}
Lowering::~Lowering() = default;

AccessTree Lowering::lower(const FunctionDecl &F) { return Lowerer(I->Context, I->All).function(F); }
AccessTree Lowering::lower(const Stmt &S) { return Lowerer(I->Context, I->All).statement(S); }
AccessTree Lowering::lowerKernel(const FunctionDecl &F, const KernelGeometry &G) {
  return Lowerer(I->Context, I->All).kernel(F, G);
}

} // namespace hsched::cc
