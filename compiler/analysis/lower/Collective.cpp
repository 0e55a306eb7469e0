// Collective loops of a kernel: for (i = get_global_id(0); i < n; i += get_global_size(0)), and
// the loops for group numbers and for local ids. Each of their iterations belongs to some
// work-item.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Such a loop becomes Parallel over the whole range: other work-items run the rest at an unknown time. So the memory
// that it writes must not be accessed elsewhere in the kernel, and no work-item may leave it early.
#include "analysis/lower/Lowerer.h"

namespace hsched::cc {

namespace {

// Calls Do with each polynomial of N itself until Do returns true. Returns true in that case.
bool anyPolyOf(const Node &N, const std::function<bool(const Poly &)> &Do) {
  for (const std::optional<Poly> *P : {&N.Low, &N.High, &N.A.Low, &N.A.Byte})
    if (*P && Do(**P))
      return true;
  return Do(N.A.Count) || Do(N.A.Bytes) || std::any_of(N.When.begin(), N.When.end(), Do);
}

bool anyNode(const Node &N, const std::function<bool(const Node &)> &Is) {
  return Is(N) || std::any_of(N.Children.begin(), N.Children.end(), [&](const Node &C) { return anyNode(C, Is); });
}

// Of: symbols.
bool mentionsAny(const Poly &P, const std::vector<Poly> &Of) {
  return std::any_of(Of.begin(), Of.end(), [&](const Poly &S) { return P.mentions(*S.symbols().begin()); });
}

unsigned leavesOf(const Node &N, unsigned Root) {
  unsigned Count = N.K == Node::Leaf && N.A.RootId == Root;
  for (const Node &C : N.Children)
    Count += leavesOf(C, Root);
  return Count;
}

bool writesTo(const Node &N, unsigned Root) {
  return anyNode(
      N, [Root](const Node &X) { return X.K == Node::Leaf && X.A.RootId == Root && X.A.K != AccessKind::Read; });
}

} // namespace

// Calls Do with the first number of each way to share a range in steps of Step, and with a work-item's own numbers.
void Lowerer::waysToShare(const Poly &Step,
                          llvm::function_ref<void(const Poly &, const std::vector<Poly> &)> Do) const {
  for (unsigned D = 0; D != GlobalIds.size(); ++D) {
    const Poly &G = GlobalIds[D], &W = GroupIds[D], &L = LocalIds[D];
    if (Step == GlobalSizes[D] || Step == NumGroups[D] * LocalSizes[D]) // The same number, because groups are complete.
      Do(G, {G, W, L});
    if (Step == LocalSizes[D]) // Each group by itself.
      Do(G - W * LocalSizes[D], {G, L});
    if (Step == NumGroups[D]) // Each place in a group by itself.
      Do(W, {G, W});
  }
}

static bool mentionsIds(const Poly &P, const std::vector<Poly> &G, const std::vector<Poly> &W,
                        const std::vector<Poly> &L) {
  return mentionsAny(P, G) || mentionsAny(P, W) || mentionsAny(P, L);
}

// Records a loop from Low by Step if the work-items share a range in which each begins at its own id.
void Lowerer::noteShared(SymbolId Counter, const Poly &Low, const Poly &Step) {
  waysToShare(Step, [&](const Poly &First, const std::vector<Poly> &Own) {
    if (const Poly From = Low - First; From.valid() && !mentionsIds(From, GlobalIds, GroupIds, LocalIds))
      SharedLoops[Counter] = {From, Own};
  });
}

// The id that a work-item begins at below Entry + id, in a shared loop that counts down by Step; 0: it is none.
Poly Lowerer::firstShared(const Poly &Entry, const Poly &Step) const {
  Poly Found = 0;
  waysToShare(Step, [&](const Poly &First, const std::vector<Poly> &) {
    if (const Poly Top = Entry + First; Top.valid() && !mentionsIds(Top, GlobalIds, GroupIds, LocalIds))
      Found = First;
  });
  return Found;
}

// True if some work-items may end in N while others continue. All: work-items reach N together.
bool Lowerer::endsForSome(const Node &N, bool All) const {
  if (N.K == Node::If)
    All &= N.Exact && std::none_of(N.When.begin(), N.When.end(), [&](const Poly &P) {
             return mentionsAny(P, GlobalIds) || mentionsAny(P, GroupIds) || mentionsAny(P, LocalIds);
           });
  if (N.K == Node::Loop)
    All &= N.Parallel;
  return (N.K == Node::Stop && !All) ||
         std::any_of(N.Children.begin(), N.Children.end(), [&](const Node &C) { return endsForSome(C, All); });
}

// True if N, a loop shared by work-items, writes the same whichever work-item runs an iteration, and contains all
// accesses to what it writes. Own: numbers that identify a work-item's part. Repeated: N is in another loop, in which
// one work-item may be ahead of others.
bool Lowerer::isShared(const Node &N, const std::vector<Poly> &Own, bool Repeated) const {
  const auto MentionsOwn = [&](const Poly &P) { return mentionsAny(P, Own); };
  // What is never written may be read anywhere.
  const auto IsInput = [&](const Node &X) {
    return X.K == Node::Leaf && X.A.K == AccessKind::Read && AnythingRoot < 0 && !writesTo(Tree.Body, X.A.RootId);
  };
  if (anyNode(N.Children[0], [&](const Node &X) { return !IsInput(X) && anyPolyOf(X, MentionsOwn); }) ||
      (N.High && MentionsOwn(*N.High)) || anyNode(N, [](const Node &X) { return X.K == Node::Stop; }) ||
      endsForSome(Tree.Body, true))
    return false;
  const auto Elsewhere = [&](unsigned Root) { return leavesOf(N, Root) != leavesOf(Tree.Body, Root); };
  return !(AnythingRoot >= 0 && Elsewhere(unsigned(AnythingRoot))) && !anyNode(N, [&](const Node &X) {
    return X.K == Node::Leaf &&
           (X.A.K != AccessKind::Read ? Elsewhere(X.A.RootId) : Repeated && writesTo(N, X.A.RootId));
  });
}

// Around: enclosing conditions of N, and bounds of loops. Repeated: a loop around N is no loop over work-items.
// OfNumbers: loops made by wrapRanges(); otherwise those of noteShared().
void Lowerer::shareLoops(Node &N, std::vector<Poly> &Around, bool OfNumbers, bool Repeated) {
  const std::size_t Outer = Around.size();
  Around.insert(Around.end(), N.When.begin(), N.When.end());
  if (N.K == Node::Loop && !N.Parallel && !shareLoop(N, Around, OfNumbers, Repeated)) {
    Repeated = true;
    for (const std::optional<Poly> *P : {&N.Low, &N.High})
      if (*P)
        Around.push_back(**P);
  }
  for (Node &C : N.Children)
    shareLoops(C, Around, OfNumbers, Repeated);
  Around.resize(Outer);
}

// Makes N a loop over work-items if it is shared by them.
bool Lowerer::shareLoop(Node &N, const std::vector<Poly> &Around, bool OfNumbers, bool Repeated) {
  // The only child of the body is executed in some iterations, unknown which.
  Node *Some = &N;
  while ((Some == &N || Some->K == Node::Seq) && Some->Children.size() == 1)
    Some = &Some->Children[0];
  if (Some->K != Node::If || Some->Exact || !Some->When.empty() || Some->Children.size() != 1)
    return false;
  std::vector<Poly> Own;
  const auto Shared = SharedLoops.find(N.Counter);
  if (!OfNumbers && Shared != SharedLoops.end())
    Own = Shared->second.Own;
  // Group number and local id are independent; the global id follows from them.
  for (unsigned D = 0; D != GlobalIds.size() && OfNumbers; ++D)
    if (GroupIds[D].mentions(N.Counter) || LocalIds[D].mentions(N.Counter))
      Own = {GlobalIds[D]};
  if (Own.empty() || !N.Low || !N.High || !isShared(N, Own, Repeated) ||
      std::any_of(Around.begin(), Around.end(), [&](const Poly &P) { return mentionsAny(P, Own); }))
    return false;
  if (!OfNumbers)
    N.Low = Shared->second.From;
  N.Parallel = true;
  N.Breaks = false;
  Node Whole = std::move(Some->Children[0]);
  *Some = std::move(Whole);
  return true;
}

} // namespace hsched::cc
