// Splitting a kernel's buffers with its range.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/KernelSplit.h"

namespace hsched::cc {
namespace {

Node *loopOf(Node &N, SymbolId Counter) {
  if (N.K == Node::Loop && N.Parallel && N.Counter == Counter)
    return &N;
  for (Node &Child : N.Children)
    if (Node *Found = loopOf(Child, Counter))
      return Found;
  return nullptr;
}

} // namespace

KernelSplit::KernelSplit(const AccessTree &Tree, SymbolId Counter) : One(Tree) {
  Node *const Loop = loopOf(One.Body, Counter);
  if (!Loop || !Loop->High || Loop->Step != 1 || (Loop->Low && !Loop->Low->isZero()))
    return;
  Size = *Loop->High;
  Index = static_cast<SymbolId>(One.Symbols.size());
  Symbol S;
  S.K = Symbol::Value;
  S.Spelling = "item";
  One.Symbols.push_back(S);
  const Poly At = Poly::symbol(Index);
  Loop->Low = At;
  Loop->High = At + 1;
  One.Facts.push_back(At);
  One.Facts.push_back(*Size - 1 - At);
  Found.emplace(One);
}

bool KernelSplit::splits(unsigned Root, const Poly &Elements) const {
  if (!Found)
    return false;
  const std::optional<Poly> Share = Elements.dividedBy(*Size);
  if (!Share || !Share->valid())
    return false;
  return Found->inside(Root, {*Share * Poly::symbol(Index), {{*Share, 1, true}}}) == Answer::Yes;
}

} // namespace hsched::cc
