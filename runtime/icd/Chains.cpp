// Chains of commands: parts of a scheduled queue that may run on different devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Costs.h"
#include "icd/Mapper.h"
#include "icd/Scheduler.h"

#include <CL/cl_hsched.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace hsched::icd {
namespace {

// A queue spreads if all work then ends earlier by this share: chains that meet again need the host.
constexpr double LeastGain = 0.1;
// More chains are mapped in groups of neighbours: the mapper's time grows with their cube.
constexpr size_t MostChains = 64;

} // namespace

std::vector<size_t> chainsOf(const std::vector<Link> &Commands) {
  const size_t N = Commands.size();
  std::vector<size_t> To(N, 0);
  // Fences may stand at the beginning and at the end.
  size_t First = 0, Last = N;
  auto MayStandOutside = [&](const Link &L) { return L.Fence && !L.Computes; };
  while (First != N && MayStandOutside(Commands[First]))
    ++First;
  while (Last != First && MayStandOutside(Commands[Last - 1]))
    --Last;
  for (size_t I = First; I != Last; ++I)
    if (Commands[I].Fence)
      return To;

  // Sets of connected commands, each with its lowest member as its root.
  std::vector<size_t> Root(N);
  std::iota(Root.begin(), Root.end(), size_t(0));
  auto Find = [&](size_t I) {
    while (Root[I] != I)
      I = Root[I] = Root[Root[I]];
    return I;
  };
  std::vector<bool> Source(N, false), Taken(N, false); // Transfers that follow no kernel; with a follower.
  for (size_t I = First; I != Last; ++I) {
    Source[I] = !Commands[I].Computes;
    for (size_t B : Commands[I].Before)
      if (B >= First)
        Source[I] = Source[I] && Source[B];
    for (size_t B : Commands[I].Before) {
      if (B < First || (Source[B] && Taken[B] && !Source[I]))
        continue;
      Taken[B] = true;
      size_t A = Find(B), C = Find(I);
      Root[std::max(A, C)] = std::min(A, C);
    }
  }
  std::map<size_t, size_t> Numbers;
  for (size_t I = First; I != Last; ++I)
    To[I] = Numbers.try_emplace(Find(I), Numbers.size()).first->second;
  return To;
}

std::vector<std::vector<Ref<Command>>> Scheduler::chains(const std::vector<Ref<Command>> &Commands) {
  std::map<const Command *, size_t> Numbers;
  std::vector<Link> Links;
  for (const auto &C : Commands) {
    Link L{{}, !C->Kernel.empty(), C->Fence || C->IsBarrier || C->WaitsForAll};
    for (const auto &B : Graph::get().inputs(C))
      if (auto I = Numbers.find(B.get()); I != Numbers.end())
        L.Before.push_back(I->second);
    Numbers.emplace(C.get(), Links.size());
    Links.push_back(std::move(L));
  }
  std::vector<std::vector<Ref<Command>>> All;
  auto Its = chainsOf(Links);
  if (const size_t Last = *std::max_element(Its.begin(), Its.end()); Last >= MostChains)
    for (size_t &I : Its)
      I = I * MostChains / (Last + 1);
  for (size_t I = 0; I != Its.size(); ++I) {
    if (All.size() <= Its[I])
      All.resize(Its[I] + 1);
    All[Its[I]].push_back(Commands[I]);
  }
  return All;
}

bool Scheduler::maySpread(const Context &In, const Item &Its, const std::vector<Device *> &On) {
  if (In.Scheduler == CL_CONTEXT_SCHEDULER_ROUND_ROBIN_HSCHED || On.size() < 2)
    return false;
  for (Device *D : On) {
    unsigned Unknown = 0;
    double Extra = 0;
    if (costOf(*Its.Of, Its.Commands, *D, Unknown) != Never && Unknown && mayMeasure(Its.Commands, *D, On, Extra))
      return false;
  }
  return true;
}

double Scheduler::lastEnd(const std::vector<Choice> &Its, const std::vector<Device *> &On) {
  std::vector<double> Busy;
  for (Device *D : On)
    Busy.push_back(Load[D]);
  double Last = 0;
  for (const Choice &C : Its)
    Last = std::max(Last, Busy[C.Device] += C.Seconds);
  return Last;
}

std::vector<Scheduler::Choice> Scheduler::spread(Context &In, std::vector<Item> &Items, std::vector<Choice> Whole,
                                                 const std::vector<Device *> &On) {
  std::vector<Item> Parts;
  for (const Item &I : Items)
    if (maySpread(In, I, On))
      for (auto &C : chains(I.Commands))
        Parts.push_back({I.Of, std::move(C)});
    else
      Parts.push_back(I);
  if (Parts.size() == Items.size())
    return Whole;
  auto Its = choose(In, Parts, On);
  if (!(lastEnd(Its, On) < (1 - LeastGain) * lastEnd(Whole, On)))
    return Whole;
  Items = std::move(Parts);
  return Its;
}

} // namespace hsched::icd
