// Looking up what versions take.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/VersionGroup.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace hsched::rt {

namespace {

constexpr double MostError = 1.3; // of a prediction from other sizes: see SizeFit::Guess::Factor

// In place of the runs that are missing. A single run may be off by any factor: it counts halfway, as the geometric
// mean with what is predicted.
void predictFromSizes(const VersionSources &From, VersionGroup::Known &Known, const SizeFit::Guess &Guess) {
  const double Ns = Known.Runs == 0   ? Guess.Ns
                    : Known.Runs == 1 ? std::sqrt(Guess.Ns * static_cast<double>(Known.Mean))
                                      : static_cast<double>(Known.Mean);
  Known.Mean = Known.Least = static_cast<VersionGroup::Ns>(Ns + 0.5);
  Known.Runs = std::max<uint64_t>(Known.Runs, From.Host->lambda());
}

} // namespace

void VersionGroup::refresh(const VersionSources &From, const TaskType &Type, SizeClass Size) {
  for (unsigned N = Type.numVersions(); NumVersions < N; ++NumVersions) {
    PerVersion &New = Versions.emplace_back();
    New.Suited = From.Classes->suited(Type.Versions[NumVersions]);
    New.Of.resize(From.NumModels);
    uint64_t Kinds = 0;
    for (const Worker &W : From.Host->platform().Workers)
      if (uint64_t Bit = uint64_t(1) << W.Model; !(Kinds & Bit) && New.Suited >> From.Classes->classOf(W.Id) & 1) {
        Kinds |= Bit;
        ++Pairs;
      }
    measure(From, Type, Size, NumVersions);
  }
}

void VersionGroup::measure(const VersionSources &From, const TaskType &Type, SizeClass Size, unsigned V) {
  History &Times = From.Host->history();
  const uint64_t Now = Times.changes();
  if (std::exchange(Versions[V].AsOf, Now) == Now)
    return;
  const bool Robust = From.How == Estimates::Robust;
  for (size_t I = 0; I < From.NumModels; ++I) {
    const auto Model = static_cast<WorkerModel>(I);
    const RunStats Stats = Times.lookup(Type, Size, V, Model);
    Known &K = Versions[V].Of[Model];
    K.Runs = Stats.Runs;
    K.Mean = static_cast<Ns>((Robust ? Stats.medianNs() : Stats.MeanNs) + 0.5);
    K.Least = Stats.Runs ? std::min(K.Mean, static_cast<Ns>(Stats.recent().back())) : 0;
    if (Robust && Stats.Runs < From.Host->lambda())
      if (const std::optional<SizeFit::Guess> Guess = Times.predict(Type, Size, V, Model);
          Guess && Guess->Factor <= MostError)
        predictFromSizes(From, K, *Guess);
  }
}

VersionGroup::Ns VersionGroup::estimate(unsigned V, WorkerModel Model) const {
  if (const Known &Own = Versions[V].Of[Model]; Own.Runs)
    return Own.Mean;
  Ns Slowest = 0;
  for (const PerVersion &Other : Versions)
    for (const Known &On : Other.Of)
      Slowest = std::max(Slowest, On.Mean);
  return Slowest;
}

} // namespace hsched::rt
