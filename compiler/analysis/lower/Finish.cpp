// The end of lowering: invalid assumptions are reverted, and bytes become elements.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
namespace hsched::cc {

AccessTree Lowerer::finish() {
  demote();
  std::erase_if(Tree.ClauseValues, [&](const auto &Each) { return !isConstant(Each.second); });
  settleOwners();
  clean(Tree.Body);
  joinParts(Tree.Body);
  noteParts();
  std::vector<Poly> Around;
  shareLoops(Tree.Body, Around, /*OfNumbers=*/false);
  wrapRanges(Tree.Body);
  shareLoops(Tree.Body, Around, /*OfNumbers=*/true);
  std::vector<Poly> Known;
  refineBounds(Tree.Body, Known);
  std::vector<Below> Above;
  joinBounds(Tree.Body, Above);
  pruneRoots();
  dropEmpty(Tree.Body);
  return std::move(Tree);
}

// Symbols for values in memory are Values only if that memory is not written. A pointer in memory keeps its target only
// if it is not written.
void Lowerer::demote() {
  std::set<unsigned> MovedCells; // Indirect roots whose pointer may change.
  bool Anything = false;
  // Symbols that a write to each root may change.
  std::vector<std::vector<SymbolId>> SymbolsOf(Tree.Roots.size());
  std::vector<std::vector<unsigned>> PointersIn(Tree.Roots.size());
  for (std::size_t S = 0; S != SymbolTable.size(); ++S)
    if (const int R = SymbolTable[S].RootId; R >= 0 && !Facts[unsigned(R)].Constant)
      SymbolsOf[unsigned(R)].push_back(SymbolId(S));
  for (std::size_t R = 0; R != Tree.Roots.size(); ++R)
    if (Tree.Roots[R].K == Root::Indirect && !Facts[R].Many)
      PointersIn[Tree.Roots[R].Parent].push_back(unsigned(R));
  std::set<std::tuple<unsigned, Poly, Poly, bool>> Seen; // A loop's body writes the same place repeatedly.
  eachLeaf(Tree.Body, [&](Node &L) {
    const Access &A = L.A;
    if (A.K == AccessKind::Read)
      return;
    const Bytes &B = LeafBytes[L.Counter];
    Anything |= Tree.Roots[A.RootId].K == Root::Anything && !B.Count.isZero();
    const auto Hits = [&](const Poly &Offset, const Poly &Size) {
      // Only constant distances prove disjointness; everything else may overlap.
      const std::optional<std::int64_t> From = (Offset - B.Offset).constant(), N = B.Count.constant(),
                                        Mine = Size.constant();
      return !From || !N || !Mine || (*From < *N && *From + *Mine > 0);
    };
    std::vector<SymbolId> &Symbols = SymbolsOf[A.RootId];
    std::vector<unsigned> &Pointers = PointersIn[A.RootId];
    if ((Symbols.empty() && Pointers.empty()) || !Seen.insert({A.RootId, B.Offset, B.Count, B.Header}).second)
      return;
    llvm::erase_if(Symbols, [&](SymbolId S) {
      if (!(SymbolTable[S].OfContainer ? B.Header : Hits(SymbolTable[S].Offset, SymbolTable[S].Bytes)))
        return false;
      Tree.Symbols[S].K = Symbol::Unknown;
      return true;
    });
    llvm::erase_if(Pointers, [&](unsigned R) {
      return (Facts[R].Cell < 0 || Hits(Facts[R].Cell, 8)) && MovedCells.insert(R).second;
    });
  });
  // Unknown memory may alias variables, and memory behind their pointers.
  const auto Others = [&](std::size_t R) {
    return Tree.Roots[R].K == Root::Global && !Facts[R].Constant && !Facts[R].Copied;
  };
  for (std::size_t R = 0; R != Tree.Roots.size() && Anything; ++R) {
    if (Others(R))
      for (std::size_t S = 0; S != SymbolTable.size(); ++S)
        if (SymbolTable[S].RootId == int(R))
          Tree.Symbols[S].K = Symbol::Unknown;
    if (Tree.Roots[R].K == Root::Indirect && Others(Tree.Roots[R].Parent) && !Facts[R].Many)
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
    const bool Along = movesAlong(L.A.RootId, MovedCells);
    if (!All.Distrusted) // Else the reason is known.
      L.A.Why = (Along ? "the storage of '" : "the pointer '") + Tree.Roots[L.A.RootId].Name + "' changes";
    First = First || Along ? First : &L;
  });
  if (First) {
    Out = &Tree.Body;
    St.Dead = false;
    const std::string Why = First->A.Why;
    const SourceLocation Loc = First->Loc;
    WeakStores = false;
    touchAnything(Loc, Why);
  }
}

// True if the root, behind a changed pointer, still has the same owner. This is storage that was moved, or taken over
// from another owner, which was then written as well.
bool Lowerer::movesAlong(unsigned Id, const std::set<unsigned> &Moved) const {
  for (; Tree.Roots[Id].K == Root::Indirect && Moved.count(Id); Id = Tree.Roots[Id].Parent)
    if (!Tree.Roots[Id].Owned)
      return false;
  return true;
}

// Determines each owner's place in its parent, after all symbols are final.
void Lowerer::settleOwners() {
  for (std::size_t I = 0; I != Tree.Roots.size(); ++I) {
    Root &R = Tree.Roots[I];
    const std::optional<Poly> &At = Facts[I].Owner;
    if (!R.Owned || !At || !At->valid() || Facts[R.Parent].Many ||
        !llvm::all_of(At->symbols(), [&](SymbolId S) { return Tree.Symbols[S].K == Symbol::Value; }))
      continue;
    Access A;
    A.RootId = R.Parent;
    toElements(Facts[R.Parent], *At, 1, A);
    R.Owner = A.Low;
  }
}

// Successive writes of all members of an element become one write of the element, at the place of the last one.
void Lowerer::joinParts(Node &N) {
  for (Node &C : N.Children)
    joinParts(C);
  if (N.K != Node::Seq)
    return;
  std::map<std::pair<unsigned, Poly>, std::vector<std::pair<std::int64_t, std::int64_t>>> Parts; // Bytes of elements.
  for (Node &C : N.Children) {
    if (C.K != Node::Leaf || C.A.K != AccessKind::Write || !C.A.Partial || C.A.Maybe || !C.A.Low ||
        C.A.Count.constant() != 1)
      continue;
    const std::int64_t Size = std::int64_t(Facts[C.A.RootId].Bytes);
    const Bytes &B = LeafBytes[C.Counter];
    const std::optional<std::int64_t> From = (B.Offset - *C.A.Low * Poly(Size)).constant(), Long = B.Count.constant();
    if (!From || !Long || *From < 0 || *From + *Long > Size || *Long == Size) // The last: components of a vector.
      continue;
    auto &Covered = Parts[{C.A.RootId, *C.A.Low}];
    Covered.push_back({*From, *From + *Long});
    std::sort(Covered.begin(), Covered.end());
    std::int64_t End = 0;
    for (const auto &[Begin, Stop] : Covered)
      if (Begin <= End)
        End = std::max(End, Stop);
    C.A.Partial = End < Size;
  }
}

// True if a word in Name denotes padding: _pad0, tailPadding, reserved.
static bool isPadding(llvm::StringRef Name) {
  while (!Name.empty()) {
    const llvm::StringRef Capitals = Name.take_while(llvm::isUpper);
    llvm::StringRef Word = Capitals;
    if (Capitals.size() < 2)
      Word = Name.take_front(Capitals.size() + Name.drop_front(Capitals.size()).take_while(llvm::isLower).size());
    if (llvm::is_contained({"pad", "padding", "unused", "reserved", "dummy"}, Word.lower()))
      return true;
    Name = Name.drop_front(std::max<std::size_t>(Word.size(), 1));
  }
  return false;
}

// The bytes of a T at From that hold numbers and pointers, without padding. False: unknown.
bool Lowerer::membersIn(QualType T, std::int64_t From, ByteRanges &Found, unsigned Level) const {
  T = T.getCanonicalType();
  if (const auto *A = Context.getAsConstantArrayType(T); A && A->getElementType()->isRecordType()) {
    const std::int64_t Size = std::int64_t(bytesOf(A->getElementType()));
    const std::uint64_t N = A->getSize().getZExtValue();
    if (N > 64)
      return false;
    for (std::uint64_t I = 0; I != N; ++I)
      if (!membersIn(A->getElementType(), From + std::int64_t(I) * Size, Found, Level + 1))
        return false;
    return true;
  }
  if (const auto *V = T->getAs<VectorType>()) {
    Found.push_back({From, From + std::int64_t(V->getNumElements() * bytesOf(V->getElementType()))});
    return true;
  }
  if (!T->isRecordType()) {
    const std::int64_t Size = std::int64_t(bytesOf(T));
    Found.push_back({From, From + Size});
    return Size != 0;
  }
  const RecordDecl *D = T->getAsRecordDecl()->getDefinition();
  if (!D || D->isInvalidDecl() || D->isDependentType() || Level > 6)
    return false;
  if (isStandard(D) && !(libraryClass(D->getName()) & ClassPlain))
    return false;
  if (D->isUnion()) // The active member is unknown.
    return true;
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(D);
  if (const auto *C = dyn_cast<CXXRecordDecl>(D)) {
    if (C->getNumVBases() != 0)
      return false;
    for (const CXXBaseSpecifier &B : C->bases())
      if (const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl(); Base && !Base->isEmpty())
        if (!membersIn(B.getType(), From + Layout.getBaseClassOffset(Base).getQuantity(), Found, Level + 1))
          return false;
  }
  return llvm::all_of(D->fields(), [&](const FieldDecl *F) {
    return isPadding(F->getName()) || F->isBitField() ||
           (F->getType()->isRecordType() && F->getType()->getAsCXXRecordDecl() &&
            F->getType()->getAsCXXRecordDecl()->isEmpty()) ||
           membersIn(F->getType(), From + std::int64_t(Layout.getFieldOffset(F->getFieldIndex()) / 8), Found,
                     Level + 1);
  });
}

// Finds roots whose elements no write covers completely.
void Lowerer::noteParts() {
  struct Parts {
    ByteRanges Written;
    bool Known = true;
  };
  std::map<unsigned, Parts> All;
  eachLeaf(Tree.Body, [&](Node &L) {
    if (L.A.K == AccessKind::Read)
      return;
    Parts &P = All[L.A.RootId];
    if (!L.A.Low || !L.A.Partial || L.A.Count.constant() != 1) {
      P.Known = false;
      return;
    }
    const Bytes &B = LeafBytes[L.Counter];
    const std::optional<std::int64_t> Long = B.Count.constant();
    const std::int64_t Size = std::int64_t(Facts[L.A.RootId].Bytes);
    const std::optional<std::int64_t> From = (B.Offset - *L.A.Low * Poly(Size)).constant();
    P.Known &= From && Long && *From >= 0 && *From + *Long <= Size;
    if (P.Known)
      P.Written.push_back({*From, *From + *Long});
  });
  for (auto &[Id, P] : All) {
    ByteRanges Members;
    if (!P.Known || Facts[Id].Type.isNull() || Facts[Id].Bytes > 4096 || !membersIn(Facts[Id].Type, 0, Members))
      continue;
    std::vector<bool> Written(Facts[Id].Bytes);
    for (const auto &[From, To] : P.Written)
      std::fill(Written.begin() + From, Written.begin() + To, true);
    Tree.Roots[Id].PartlyUnwritten = llvm::any_of(Members, [&](const auto &M) {
      return M.second <= std::int64_t(Written.size()) &&
             std::find(Written.begin() + M.first, Written.begin() + M.second, false) != Written.begin() + M.second;
    });
  }
}

// The one element of E bytes that contains all these bytes for all values of counters and other bounded numbers.
// Example: l[i].f[k], where k is less than there are elements in f.
std::optional<Poly> Lowerer::elementAround(std::int64_t E, const Poly &Offset, const Poly &Size) const {
  Poly Whole;
  std::int64_t Least = 0, Most = 0; // Range of the offset inside the element.
  for (const auto &[Monomial, C] : Offset.terms()) {
    if (C % E == 0) {
      Whole = Whole + *Poly::term(Monomial, C).dividedBy(E);
      continue;
    }
    if (Monomial.size() > 1 || C > E || C < -E)
      return std::nullopt;
    if (Monomial.empty()) {
      Least += C;
      Most += C;
      continue;
    }
    const SymbolFacts &F = SymbolTable[Monomial.front()];
    const std::optional<std::int64_t> From = F.Low.constant(), To = F.High.constant();
    if ((!F.Ranged && Tree.Symbols[Monomial.front()].K != Symbol::Loop) || !From || !To || *From >= *To || *From < -E ||
        *To > E)
      return std::nullopt;
    Least += C > 0 ? C * *From : C * (*To - 1);
    Most += C > 0 ? C * (*To - 1) : C * *From;
  }
  const std::int64_t Down = Least >= 0 ? Least / E : -((-Least + E - 1) / E);
  const std::optional<std::int64_t> N = Size.constant();
  if (!N || *N < 0 || *N > E || Most - Down * E + *N > E)
    return std::nullopt;
  return Whole + Poly(Down);
}

// From bytes to elements.
void Lowerer::toElements(const RootFacts &F, const Poly &Offset, const Poly &Size, Access &A) const {
  const std::int64_t E = std::int64_t(F.Bytes);
  std::int64_t Rest = 0;
  if (auto It = Offset.terms().find({}); It != Offset.terms().end())
    Rest = ((It->second % E) + E) % E;
  const std::optional<Poly> Low = (Offset - Poly(Rest)).dividedBy(E);
  const Root &R = Tree.Roots[A.RootId];
  // There is no other element, so it is somewhere in the only one.
  if (!Low && R.Object && R.Count && *R.Count == Poly(1)) {
    A.Low = 0;
    A.Count = 1;
    A.Partial = true;
    return;
  }
  if (!Low) {
    if (const std::optional<Poly> One = elementAround(E, Offset, Size)) {
      A.Low = *One;
      A.Count = 1;
      A.Partial = true;
      return;
    }
    A.Why = "the bytes accessed are not whole elements";
    return;
  }
  if (const std::optional<std::int64_t> N = Size.constant(); N && *N >= 0 && *N < (std::int64_t(1) << 60)) {
    A.Low = *Low;
    A.Count = (Rest + *N + E - 1) / E;
    A.Partial = A.Partial || Rest != 0 || *N % E != 0;
    return;
  }
  const std::optional<Poly> Count = Rest == 0 ? Size.dividedBy(E) : std::nullopt;
  if (!Count) {
    A.Why = "the bytes accessed are not whole elements";
    return;
  }
  A.Low = *Low;
  A.Count = *Count;
}

// The reason why a loop's bound is unknown.
std::string Lowerer::unknownLimit(SymbolId S, SourceLocation &At) const {
  const Expr *Limit = SymbolTable[S].Limit;
  if (const Stmt *Loop = SymbolTable[S].Endless; Loop && !Limit) {
    At = Loop->getBeginLoc();
    return "it is not known where the loop ends that changes '" + Tree.Symbols[S].Spelling + "'";
  }
  if (!Limit)
    return "";
  At = Limit->getBeginLoc();
  return "the loop's bound '" + text(Limit) + "' is not a sum or product of numbers that are known before the call";
}

// Removes polynomials with unknown symbols.
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
    Bytes &B = LeafBytes[N.Counter];
    B.Offset = withLocalIds(B.Offset);
    if (const Root &R = Tree.Roots[N.A.RootId]; isNumber(R) && Bad(B.Offset) && R.Element.substr(1) != "24")
      return void(N = Node()); // No section and no condition depends on it. In a product of mul24() it may cancel out.
    if (Bad(B.Offset) || Bad(B.Count)) {
      N.A.Low = Bad(B.Offset) ? B.Offset : B.Count; // In their sum, what is unknown may cancel out.
    } else {
      if (!N.A.Partial && !B.Header) { // A bit-field shares its bytes with others.
        N.A.Byte = B.Offset;
        N.A.Bytes = B.Count;
      }
      toElements(Facts[N.A.RootId], B.Offset, B.Count, N.A);
    }
  }
  if (N.K == Node::Leaf && N.A.Low && (Bad(*N.A.Low) || Bad(N.A.Count))) {
    if (N.A.Why.empty()) {
      std::string Names;
      for (const Poly *P : {&*N.A.Low, &N.A.Count})
        for (SymbolId S : P->symbols())
          if (Tree.Symbols[S].K == Symbol::Unknown && !SymbolTable[S].Ranged && Names.empty()) {
            Names = Tree.Symbols[S].Spelling;
            N.A.Why = unknownLimit(S, N.A.WhyLoc);
          }
      if (N.A.Why.empty())
        N.A.Why = Names.empty() ? "a subscript is not affine" : "'" + Names + "' changes in a way that is not affine";
    }
    N.A.Low.reset();
    N.A.Count = 1;
  }
  if (N.K == Node::Loop && N.Low && N.High)
    N.Low = withLocalIds(*N.Low), N.High = withLocalIds(*N.High);
  if (N.K == Node::Loop && N.Low && N.High && (Bad(*N.Low) || Bad(*N.High))) {
    if (Symbol &Counter = Tree.Symbols[N.Counter]; Bad(*N.High))
      Counter.Why = unknownLimit(N.Counter, Counter.WhyLoc);
    N.Low.reset();
    N.High.reset();
    N.Breaks = true;
  }
  for (Poly &P : N.When)
    P = withLocalIds(P);
  if (N.K == Node::If && !N.Assumed) {
    const std::size_t Before = N.When.size();
    N.When.erase(std::remove_if(N.When.begin(), N.When.end(), Bad), N.When.end());
    if (N.When.size() != Before)
      N.Exact = false;
    // Conditions that always or never hold.
    bool Never = false;
    llvm::erase_if(N.When, [&](const Poly &P) {
      const std::optional<std::int64_t> C = P.constant();
      Never |= C && *C < 0 && !N.Given;
      return C && (*C >= 0 || N.Given);
    });
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

// Removes roots without accesses, except parameters.
void Lowerer::pruneRoots() {
  std::vector<bool> Used(Tree.Roots.size());
  for (std::size_t I = 0; I != Tree.Roots.size(); ++I)
    Used[I] = Tree.Roots[I].K == Root::Param || Tree.Roots[I].K == Root::This;
  eachLeaf(Tree.Body, [&](Node &L) { Used[L.A.RootId] = true; });
  for (std::size_t I = Tree.Roots.size(); I-- != 0;) // Parents come before children.
    if (Used[I] && Tree.Roots[I].K == Root::Indirect)
      Used[Tree.Roots[I].Parent] = true;
  for (std::size_t S = 0; S != SymbolTable.size(); ++S) // The symbols in a symbol's definition have smaller numbers.
    for (SymbolId Part : SymbolTable[S].From)
      if (Tree.Symbols[S].From < 0)
        Tree.Symbols[S].From = Tree.Symbols[Part].From;
  for (const Symbol &S : Tree.Symbols)
    if (S.K == Symbol::Value && S.From >= 0)
      for (unsigned R = unsigned(S.From);; R = Tree.Roots[R].Parent) {
        Used[R] = true;
        if (Tree.Roots[R].K != Root::Indirect)
          break;
      }
  std::vector<unsigned> Now(Tree.Roots.size());
  std::vector<Root> Kept;
  KeptFacts.clear();
  for (std::size_t I = 0; I != Tree.Roots.size(); ++I)
    if (Used[I]) {
      Now[I] = unsigned(Kept.size());
      Kept.push_back(std::move(Tree.Roots[I]));
      KeptFacts.push_back(Facts[I]);
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

} // namespace hsched::cc
