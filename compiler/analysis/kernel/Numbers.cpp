// The conditions under which no integer of a kernel wraps around.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/kernel/Extents.h"
#include "analysis/regions/Effects.h"

#include <algorithm>
#include <set>

namespace hsched::cc {
namespace {

constexpr size_t MostConditions = 64;

// The least and the greatest number of a type, as in Root::Element. Nothing: none that matters.
std::pair<std::optional<int64_t>, std::optional<int64_t>> limitsOf(const std::string &Type) {
  const unsigned Width = unsigned(std::stoul(Type.substr(1)));
  if (Type[0] == 'u')
    return {0, Width < 64 ? std::optional((int64_t(1) << Width) - 1) : std::nullopt};
  if (Width == 64)
    return {};
  return {-(int64_t(1) << (Width - 1)), (int64_t(1) << (Width - 1)) - 1};
}

std::optional<std::vector<std::string>> conditions(AccessTree &Tree) {
  const Effects E(Tree);
  std::set<std::string> All;
  const auto Add = [&](const Poly &P) {
    if (const auto C = P.constant())
      return *C >= 0;
    const bool Surely = P.valid() && std::all_of(P.terms().begin(), P.terms().end(), [&](const auto &Term) {
                          return Term.second > 0 && std::all_of(Term.first.begin(), Term.first.end(), [&](SymbolId S) {
                                   return Tree.Symbols[S].NonNegative;
                                 });
                        });
    if (Surely)
      return true;
    if (P.valid())
      All.insert(Tree.spelling(P));
    return P.valid() && All.size() <= MostConditions;
  };
  for (unsigned Id = 0; Id != Tree.Roots.size(); ++Id) {
    const RootEffect &Found = E.of(Id);
    if (!isNumber(Tree.Roots[Id]) || !Found.Read)
      continue;
    if (!Found.All)
      return std::nullopt;
    for (const Poly &P : Found.Assumed)
      if (!Add(P))
        return std::nullopt;
    // The ends of strides of unknown sign are not known.
    for (const Box::Dim &D : Found.All->Dims)
      if (!Add(D.Stride))
        return std::nullopt;
    const auto [Least, Most] = limitsOf(Tree.Roots[Id].Element);
    if ((Least && !Add(Found.All->Base - Poly(*Least))) || (Most && !Add(Poly(*Most) - Found.All->last())))
      return std::nullopt;
  }
  return std::vector<std::string>(All.begin(), All.end());
}

// Adds accesses that happen only if a number wraps around: roles hold for every launch.
void addUnlikely(const AccessTree &Tree, const Node &N, KernelInfo &Kernel) {
  const Root *R = N.K == Node::Leaf ? &Tree.Roots[N.A.RootId] : nullptr;
  if (R && R->K == Root::Param && R->Index < Kernel.Params.size() && Kernel.Params[R->Index].isBuffer())
    if (KernelParam &P = Kernel.Params[R->Index]; !P.Written) {
      P.Written = N.A.K != AccessKind::Read;
      P.Read = true;
    }
  for (const Node &Child : N.Children)
    addUnlikely(Tree, Child, Kernel);
}

} // namespace

void findNumbers(KernelInfo &Kernel) {
  if (!Kernel.Numbers || !Kernel.Numbers->Complete)
    return;
  addUnlikely(*Kernel.Numbers, Kernel.Numbers->Body, Kernel);
  AccessTree Tree = *Kernel.Numbers;
  Kernel.HoldsWhere = conditions(Tree);
}

} // namespace hsched::cc
