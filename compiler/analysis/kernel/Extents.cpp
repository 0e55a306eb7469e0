// Proved roles and extents of a kernel's buffers, for a launch with as many work-items as the kernel's guards
// admit.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   AccessTree --guards--> GlobalSize --put in for get_global_size--> AccessTree --Effects--> answers
#include "analysis/kernel/Extents.h"
#include "analysis/kernel/Split.h"

#include "analysis/regions/Effects.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace hsched::cc {
namespace {

using Guards = std::vector<Poly>; // Each >= 0.

// The symbol that stands for get_global_size(Dim), if the tree has it.
std::optional<SymbolId> globalSize(const AccessTree &Tree, unsigned Dim) {
  return Tree.find(AccessPath{nullptr, "get_global_size(" + std::to_string(Dim) + ")"});
}

// Finds the upper bounds of a work-item's index at all memory accesses.
class GuardFinder {
public:
  explicit GuardFinder(const AccessTree &Tree) : Tree(Tree) {}

  // The bounds E of Counter < E that hold at every access; E is uniform for all work-items.
  std::vector<Poly> boundsOf(SymbolId Of) {
    Counter = Of;
    Common.reset();
    walk(Tree.Body, {});
    return Common.value_or(std::vector<Poly>());
  }

private:
  // Guards that hold behind the node. Nothing: unreachable.
  std::optional<Guards> walk(const Node &N, Guards G) {
    switch (N.K) {
    case Node::Seq:
      for (const Node &Child : N.Children) {
        std::optional<Guards> After = walk(Child, std::move(G));
        if (!After)
          return std::nullopt;
        G = std::move(*After);
      }
      return G;
    case Node::Loop:
      for (const Node &Child : N.Children)
        walk(Child, G);
      return G;
    case Node::If:
      return branch(N, G);
    case Node::Leaf:
      note(G);
      return G;
    case Node::Stop:
      break;
    }
    return std::nullopt;
  }

  std::optional<Guards> branch(const Node &N, const Guards &G) {
    Guards Then = G, Else = G;
    std::copy_if(N.When.begin(), N.When.end(), std::back_inserter(Then),
                 [&](const Poly &P) { return P.mentions(Counter); });
    if (N.Exact && N.When.size() == 1 && N.When[0].mentions(Counter))
      Else.push_back(-N.When[0] - 1);
    std::optional<Guards> AfterThen = N.Children.empty() ? Then : walk(N.Children[0], Then);
    std::optional<Guards> AfterElse = N.Children.size() < 2 ? Else : walk(N.Children[1], Else);
    if (AfterThen && AfterElse)
      return G;
    return AfterThen ? AfterThen : AfterElse;
  }

  void note(const Guards &G) {
    if (Common && Common->empty())
      return;
    std::vector<Poly> Here;
    for (const Poly &P : G)
      if (std::optional<Poly> Bound = boundIn(P))
        Here.push_back(*Bound);
    if (Common)
      std::erase_if(*Common, [&](const Poly &P) { return std::find(Here.begin(), Here.end(), P) == Here.end(); });
    else
      Common = Here;
  }

  // The E for which P >= 0 means Counter < E.
  std::optional<Poly> boundIn(const Poly &P) const {
    const Poly Bound = P + Poly::symbol(Counter) + 1;
    if (!P.mentions(Counter) || !Bound.valid() || Bound.mentions(Counter))
      return std::nullopt;
    for (SymbolId S : Bound.symbols())
      if (Tree.Symbols[S].K != Symbol::Value)
        return std::nullopt;
    return Bound;
  }

  const AccessTree &Tree;
  SymbolId Counter = 0;
  std::optional<std::vector<Poly>> Common; // Common bounds of all accesses so far.
};

// The counter of the loop over the work-items of a dimension, which ends at Size.
std::optional<SymbolId> counterOf(const Node &N, SymbolId Size) {
  if (N.K == Node::Loop && N.Parallel && N.High && *N.High == Poly::symbol(Size))
    return N.Counter;
  for (const Node &Child : N.Children)
    if (std::optional<SymbolId> Found = counterOf(Child, Size))
      return Found;
  return std::nullopt;
}

void substitute(Node &N, SymbolId S, const Poly &By) {
  auto in = [&](std::optional<Poly> &P) {
    if (P)
      P = P->substituted(S, By);
  };
  in(N.Low), in(N.High), in(N.A.Low), in(N.A.Byte);
  N.A.Count = N.A.Count.substituted(S, By);
  N.A.Bytes = N.A.Bytes.substituted(S, By);
  for (Poly &P : N.When)
    P = P.substituted(S, By);
  for (Node &Child : N.Children)
    substitute(Child, S, By);
}

bool mentions(const Node &N, SymbolId S) {
  const auto In = [S](const Poly &P) { return P.mentions(S); };
  // The loop over the work-items ends at it.
  const bool Around = N.K == Node::Loop && N.Parallel && N.High && *N.High == Poly::symbol(S);
  return (N.Low && In(*N.Low)) || (N.High && !Around && In(*N.High)) || std::any_of(N.When.begin(), N.When.end(), In) ||
         std::any_of(N.Differ.begin(), N.Differ.end(), In) || (N.A.Low && In(*N.A.Low)) || In(N.A.Count) ||
         (N.A.Byte && In(*N.A.Byte)) || In(N.A.Bytes) ||
         std::any_of(N.Children.begin(), N.Children.end(), [&](const Node &C) { return mentions(C, S); });
}

// True if something besides the loop over the work-items depends on the size. Texts of symbols name it, too.
bool dependsOn(const AccessTree &Tree, SymbolId Size) {
  const std::string &Name = Tree.Symbols[Size].Spelling;
  for (SymbolId S = 0; S != Tree.Symbols.size(); ++S)
    if (S != Size && Tree.Symbols[S].Spelling.find(Name) != std::string::npos)
      return true;
  return mentions(Tree.Body, Size) ||
         std::any_of(Tree.Facts.begin(), Tree.Facts.end(), [&](const Poly &P) { return P.mentions(Size); });
}

void take(AccessTree &Tree, KernelInfo &Kernel, unsigned Dim, SymbolId Size, const Poly &Bound) {
  Kernel.GlobalSize[Dim] = Tree.spelling(Bound);
  substitute(Tree.Body, Size, Bound);
  for (Poly &Fact : Tree.Facts)
    Fact = Fact.substituted(Size, Bound);
}

// Adds facts: a launch has at least one work-item, and so one group. It has no more groups than work-items. A group has
// no more work-items than the launch.
void learnLaunched(AccessTree &Tree) {
  const auto Number = [&](const std::string &Name, const char *Of) {
    const std::optional<SymbolId> S = Tree.find(AccessPath{nullptr, Name + Of});
    return S ? std::optional(Poly::symbol(*S)) : std::nullopt;
  };
  for (const char *Dim : {"(0)", "(1)", "(2)"}) {
    const std::optional<Poly> All = Number("get_global_size", Dim);
    for (const char *Name : {"get_global_size", "get_local_size", "get_num_groups"})
      if (const std::optional<Poly> Part = Number(Name, Dim)) {
        Tree.Facts.push_back(*Part - 1);
        if (All && *Part != *All)
          Tree.Facts.push_back(*All - *Part);
      }
  }
}

void narrow(AccessTree &Tree, KernelInfo &Kernel) {
  for (unsigned Dim = 0; Dim != std::max(1u, Kernel.WorkDim); ++Dim) {
    const std::optional<SymbolId> Size = globalSize(Tree, Dim);
    // A kernel that queries no dimension does the same in each work-item: one is intended.
    if (Kernel.WorkDim == 0 && Size) {
      take(Tree, Kernel, Dim, *Size, 1);
      continue;
    }
    const std::optional<SymbolId> Counter = Size ? counterOf(Tree.Body, *Size) : std::nullopt;
    if (!Counter)
      continue;
    for (const Poly &Bound : GuardFinder(Tree).boundsOf(*Counter)) {
      if (Bound.mentions(*Size))
        continue;
      Kernel.MayBeLarger &= !dependsOn(Tree, *Size);
      take(Tree, Kernel, Dim, *Size, Bound);
      break;
    }
  }
}

// For Box::Dim::Factored: launches with two negative sizes are ignored.
constexpr bool Launched = true;

// P as Quotient * By + Rest; where all are numbers the rest is less than By.
std::pair<Poly, Poly> split(const Poly &P, const Poly &By) {
  Poly Quotient, Rest;
  for (const auto &[Monomial, C] : P.terms()) {
    const Poly Term = Poly::term(Monomial, C);
    if (const std::optional<Poly> Q = Term.dividedBy(By))
      Quotient = Quotient + *Q;
    else
      Rest = Rest + Term;
  }
  if (const auto Number = Rest.constant(), Row = By.constant(); Number && Row && *Row > 0) {
    const std::int64_t Whole = *Number / *Row - (*Number % *Row < 0 ? 1 : 0);
    Quotient = Quotient + Whole;
    Rest = Rest - Poly(Whole) * By;
  }
  return {Quotient, Rest};
}

// The same elements with strides that are not negative if sizes are not. Nothing: some stride's sign is unknown.
// A stride may have a constant of the other sign, as n - 1 has. That it is not negative is added to Assumed.
std::optional<Box> upwards(Box B, std::vector<Poly> &Assumed) {
  for (Box::Dim &D : B.Dims) {
    bool Up = false, Down = false;
    std::int64_t Constant = 0;
    for (const auto &[Monomial, C] : D.Stride.terms())
      if (Monomial.empty() && !D.Stride.constant())
        Constant = C;
      else
        (C > 0 ? Up : Down) = true;
    if (Up && Down)
      return std::nullopt;
    if (Down) {
      B.Base = B.Base + (D.Count - 1) * D.Stride;
      D.Stride = -D.Stride;
      Constant = -Constant;
    }
    if (Constant < 0 && std::find(Assumed.begin(), Assumed.end(), D.Stride) == Assumed.end())
      Assumed.push_back(D.Stride);
  }
  return B.Base.valid() ? std::optional(std::move(B)) : std::nullopt;
}

struct Section {
  Box What;         // The elements that Text names: those of a box, and possibly others between them.
  std::string Text; // Empty: no text is possible.
};

Section sectionOf(const AccessTree &Tree, const Box &B, const std::string &Name) {
  auto text = [&](const Poly &P) { return Tree.spelling(P); };
  if (B.Dims.empty())
    return {B, B.Base.isZero() ? "*" + Name : Name + "[" + text(B.Base) + ":1]"};
  // A base in a matrix with a sum as row length cannot be decomposed.
  if (const Poly &Row = B.Dims[0].Stride; B.Dims.size() == 2 && B.Dims[1].Stride == Poly(1) && Row.valid() &&
                                          B.Base.valid() && (B.Base.isZero() || Row.terms().size() == 1)) {
    const auto [Y, X] = split(B.Base, Row);
    const Poly Rows = Y + B.Dims[0].Count;
    if (Rows.valid() && X.valid())
      return {B, "([" + text(Rows) + "][" + text(Row) + "]" + Name + ")[" + text(Y) + ":" + text(B.Dims[0].Count) +
                     "][" + text(X) + ":" + text(B.Dims[1].Count) + "]"};
  }
  const Poly Length = B.last() + 1 - B.Base;
  if (!Length.valid())
    return {B, {}};
  return {{B.Base, {{Length, 1, Launched}}},
          B.Base.isZero() ? "[" + text(Length) + "]" + Name : Name + "[" + text(B.Base) + ":" + text(Length) + "]"};
}

// True if unknown memory is accessed: then a buffer may have unseen accesses.
bool touchesAnything(const AccessTree &Tree, const Effects &E) {
  for (unsigned Id = 0; Id != Tree.Roots.size(); ++Id)
    if (Tree.Roots[Id].K == Root::Anything && (E.of(Id).Read || E.of(Id).Written))
      return true;
  return false;
}

unsigned lineOf(const KernelInfo &Kernel, clang::SourceLocation At) {
  const auto Place = Kernel.Places.find(At.getRawEncoding());
  return Place == Kernel.Places.end() ? 0 : Place->second.Line;
}

void conclude(const AccessTree &Tree, const Effects &E, unsigned Id, const KernelInfo &Kernel, KernelParam &P,
              const std::optional<KernelSplit> &Split) {
  const RootEffect &Found = E.of(Id);
  const bool Opaque = touchesAnything(Tree, E);
  P.Read = Found.Read || (Opaque && P.Read);
  P.Written = Found.Written || (Opaque && P.Written);
  if (!P.Read && !P.Written)
    return;
  if (!Found.All) {
    P.Why = Found.Why; // Empty: no access was seen.
    P.WhyLine = lineOf(Kernel, Found.WhyLoc);
    return;
  }
  std::vector<Poly> Assumed = Found.Assumed;
  const std::optional<Box> All = upwards(*Found.All, Assumed);
  if (!All) {
    P.Why = "which of the ends of what is touched comes first is not known";
    P.WhyLine = lineOf(Kernel, Found.Written ? Found.FirstWrite : Found.FirstRead);
    return;
  }
  const Section Touched = sectionOf(Tree, *All, P.Name);
  P.Section = Touched.Text;
  for (const Poly &A : Assumed)
    P.OnlyWhere.push_back(Tree.spelling(A));
  // For the section in the text, which may be larger than the box.
  P.Overwritten = Found.Written && !Opaque && !P.Section.empty() && E.overwrites(Id, Touched.What) == Answer::Yes;
  const Poly Reach = All->last() + 1;
  if (!Reach.valid())
    return;
  P.Elements = Tree.spelling(Reach);
  P.Splits = Split && Split->splits(Id, Reach);
  P.OverwrittenWhole = P.Overwritten && E.overwrites(Id, {0, {{Reach, 1, Launched}}}) == Answer::Yes;
}

void concludeAll(AccessTree &Tree, KernelInfo &Kernel) {
  const std::optional<SymbolId> Range = globalSize(Tree, 0);
  const std::optional<SymbolId> Item = Range ? counterOf(Tree.Body, *Range) : std::nullopt;
  narrow(Tree, Kernel);
  learnLaunched(Tree);
  const Effects E(Tree);
  std::optional<KernelSplit> Split;
  if (Item)
    Split.emplace(Tree, *Item);
  std::vector<bool> Seen(Kernel.Params.size());
  for (unsigned Id = 0; Id != Tree.Roots.size(); ++Id) {
    const Root &R = Tree.Roots[Id];
    if (R.K != Root::Param || R.Index >= Kernel.Params.size() || !Kernel.Params[R.Index].isBuffer())
      continue;
    conclude(Tree, E, Id, Kernel, Kernel.Params[R.Index], Split);
    Seen[R.Index] = true;
  }
  const bool Opaque = touchesAnything(Tree, E);
  for (std::size_t I = 0; I != Kernel.Params.size(); ++I)
    if (!Seen[I] && !Opaque && Kernel.Params[I].isBuffer())
      Kernel.Params[I].Read = Kernel.Params[I].Written = false;
}

// Sets the reason why accesses to a parameter, or to unknown memory, are unknown, if an access has one.
void explain(const AccessTree &Tree, const Node &N, unsigned Param, const KernelInfo &Kernel, KernelParam &P) {
  if (N.K == Node::Leaf && P.Why.empty() && !N.A.Why.empty()) {
    const Root &R = Tree.Roots[N.A.RootId];
    if (R.K == Root::Anything || (R.K == Root::Param && R.Index == Param)) {
      P.Why = (R.K == Root::Anything ? "memory is touched that may be anyone's: " : "") + N.A.Why;
      P.WhyLine = lineOf(Kernel, N.A.WhyLoc.isValid() ? N.A.WhyLoc : N.A.Loc);
    }
  }
  for (const Node &Child : N.Children)
    explain(Tree, Child, Param, Kernel, P);
}

} // namespace

void findExtents(KernelInfo &Kernel) {
  if (!Kernel.Tree)
    return;
  AccessTree Tree = *Kernel.Tree;
  if (Tree.Complete)
    concludeAll(Tree, Kernel);
  for (unsigned I = 0; I != Kernel.Params.size(); ++I)
    if (KernelParam &P = Kernel.Params[I]; P.isBuffer() && (P.Read || P.Written) && P.Section.empty()) {
      explain(Tree, Tree.Body, I, Kernel, P);
      if (P.Why.empty())
        P.Why = "its bounds are no sums and products";
    }
}

} // namespace hsched::cc
