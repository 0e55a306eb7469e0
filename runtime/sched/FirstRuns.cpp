// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/FirstRuns.h"

#include <algorithm>

namespace hsched::rt {

// By the slowdown of other tasks, and at least the time to read the data.
FirstRuns::Ns FirstRuns::assumedOnCore(const AdaptiveGroup &G, Ns OnDevice) const {
  const double Of = SlowerBy[CpuModel].load(std::memory_order_relaxed);
  const Ns Slower = static_cast<Ns>((Of > 0 ? Of : UnknownCore) * static_cast<double>(OnDevice));
  return costOf(G.Size) ? Slower : std::max(Slower, static_cast<Ns>(G.Size / UsualBytesPerNs));
}

void FirstRuns::changed(AdaptiveGroup &G, ClassMask Cores) {
  const auto Suits = [&](const VersionTimes::PerVersion &V) { return (V.Suited & Cores) != 0; };
  G.Fastest.OnlyDevices.store(std::ranges::none_of(G.Versions, Suits), std::memory_order_relaxed);
  Ns Least = 0, OnCore = 0;
  bool OnDevice = false;
  auto each = [&](auto Visit) {
    for (unsigned V = 0; V < G.NumVersions; ++V)
      for (size_t M = 0; M < G.Versions[V].Times.size(); ++M)
        if (const VersionTimes::Known &K = G.Versions[V].Times[M]; K.Runs)
          Visit(M, K.Mean);
  };
  each([&](size_t Model, Ns Mean) {
    if (Model == CpuModel && (OnCore == 0 || Mean < OnCore))
      OnCore = std::max<Ns>(Mean, 1);
    if (Least == 0 || Mean < Least) {
      Least = std::max<Ns>(Mean, 1);
      OnDevice = Model != CpuModel;
    }
  });
  G.Fastest.Nanoseconds.store(Least, std::memory_order_relaxed);
  G.Fastest.OnDevice.store(OnDevice, std::memory_order_relaxed);
  G.Fastest.OnCore.store(OnCore, std::memory_order_relaxed);
  G.Fastest.Assumed.store(OnDevice && OnCore == 0 ? assumedOnCore(G, Least) : 0, std::memory_order_relaxed);
  if (Least == 0 || G.Pairs < 2)
    return;
  each([&](size_t Model, Ns Mean) {
    const double Is = static_cast<double>(Mean) / static_cast<double>(Least);
    const double Was = SlowerBy[Model].load(std::memory_order_relaxed);
    SlowerBy[Model].store(Was > 0 ? Was + (Is - Was) / 8 : Is, std::memory_order_relaxed);
  });
}

void FirstRuns::begins(AdaptiveGroup &G, const TaskType &Type, SizeClass Size, unsigned V, ModelId Model) {
  G.setTried(V, Model, true);
  std::lock_guard Guard(Lock);
  if (Running.size() == MostRunning) // Then there are more of about one size.
    return;
  Running.push_back({&Type, Size, V, Model});
  NumRunning.store(Running.size(), std::memory_order_relaxed);
}

bool FirstRuns::ends(AdaptiveGroup &G, const TaskType &Type, SizeClass Size, unsigned V, ModelId Model) {
  if (!G.isTried(V, Model))
    return false;
  G.setTried(V, Model, false);
  std::lock_guard Guard(Lock);
  std::erase_if(Running,
                [&](const Run &R) { return R.Type == &Type && R.Size == Size && R.V == V && R.Model == Model; });
  NumRunning.store(Running.size(), std::memory_order_relaxed);
  return true;
}

bool FirstRuns::runsNear(const Task &T, unsigned V, ModelId Model) {
  if (!NumRunning.load(std::memory_order_relaxed))
    return false;
  std::lock_guard Guard(Lock);
  return std::ranges::any_of(Running, [&](const Run &R) {
    return R.Type == T.Type && R.V == V && R.Model == Model && areNear(R.Size, T.sizeClass());
  });
}

unsigned FirstRuns::unitsOf(const Task &T, const Version &V, unsigned Units) {
  const hsched_kernel_desc *Kernel = V.Desc->kernel;
  if (!Kernel || !Kernel->fill || !T.Args)
    return Units;
  hsched_ndrange Range{};
  std::vector<hsched_kernel_arg> Arguments(std::max(Kernel->n_args, 1u));
  Kernel->fill(T.Args, &Range, Arguments.data());
  uint64_t Groups = 1;
  for (unsigned I = 0; I < std::min(Range.dims, 3u); ++I) {
    const uint64_t Each = Range.local[0] ? std::max<size_t>(Range.local[I], 1) : 1;
    Groups *= (Range.global[I] + Each - 1) / Each;
  }
  if (!Range.local[0])
    Groups = (Groups + UsualGroup - 1) / UsualGroup;
  return static_cast<unsigned>(std::clamp<uint64_t>(Groups, 1, Units));
}

const Candidate *FirstRuns::find(AdaptiveGroup &G, const Task &T, const WorkerList &Workers,
                                 const std::vector<Candidate> &All, Ns Shortest, Ns Now) {
  if (G.Pairs < 2)
    return nullptr;
  Ns KnownEnd = Candidate::Never;
  for (const Candidate &C : All)
    if (C.Known)
      KnownEnd = std::min(KnownEnd, C.End);
  auto knownOf = [&](const Candidate &C) -> const VersionTimes::Known & {
    return G.Versions[C.V].on(Workers[C.W].Model);
  };
  double CoreSlower = UnknownCore;
  const bool ByUnits =
      SlowerBy[CpuModel].load(std::memory_order_relaxed) == 0 && Guesses.load(std::memory_order_relaxed) < MostGuesses;
  int64_t Waiting = 0;
  bool OnlyCores = true, MayBuild = false;
  for (const Candidate &C : All)
    if (const Worker &W = Workers[C.W]; W.Kind != DeviceKind::Cpu) {
      if (W.Dev && ByUnits)
        CoreSlower =
            std::max(CoreSlower, UnknownPerUnit * unitsOf(T, T.Type->Versions[C.V], W.Dev->info().ComputeUnits));
      Waiting = std::max(Waiting, C.Tasks);
      OnlyCores = false;
      MayBuild |= C.Body || W.SharedCores;
    }
  const bool KeptForDevice =
      ByUnits && Shortest == Candidate::Never && !OnlyCores && !MayBuild && static_cast<double>(Waiting) < CoreSlower;
  if (KeptForDevice)
    Guesses.fetch_add(1, std::memory_order_relaxed);
  const Candidate *Old = nullptr, *New = nullptr;
  for (size_t I = All.size(); I > 0; --I) { // Devices first.
    const Candidate &C = All[I - 1];
    const Worker &W = Workers[C.W];
    if (C.W == 0 && All.size() > G.NumVersions)
      continue;
    if (!C.Known && W.Kind == DeviceKind::Cpu && KeptForDevice)
      continue;
    if (!C.Known) {
      const double Of = SlowerBy[W.Model].load(std::memory_order_relaxed);
      const double Slower = std::max(1.0, Of > 0 || W.Kind != DeviceKind::Cpu ? Of : CoreSlower);
      const Ns Work = W.Kind == DeviceKind::Cpu && ByUnits ? std::max<Ns>(Shortest - Launch, Shortest / 16) : Shortest;
      const Ns Streams = W.Kind == DeviceKind::Cpu ? static_cast<Ns>(T.DataBytes / CoreBytesPerNs) : 0;
      const Ns Guess =
          Shortest == Candidate::Never ? 0 : std::max(static_cast<Ns>(Slower * static_cast<double>(Work)), Streams);
      if (!G.isTried(C.V, W.Model) && !runsNear(T, C.V, W.Model) && (!New || C.Begin < New->Begin) &&
          (C.Begin + Guess <= KnownEnd || (C.Idle && Guess <= (Now - Begun) / TryShare)))
        New = &C;
    } else if (const VersionTimes::Known &K = knownOf(C); C.Idle && (!Old || K.Chosen < knownOf(*Old).Chosen)) {
      const bool Doubtful = W.Kind != DeviceKind::Cpu && K.Runs < Lambda;
      const Ns Price = (K.Least + C.Travel) * std::max(1u, W.SharedCores);
      if ((K.Chosen + ChoicesBetween <= G.Choices &&
           Price <= (Now - LastCheck.load(std::memory_order_relaxed)) / CheckShare) ||
          (Doubtful && K.Chosen + ChoicesInDoubt <= G.Choices && Price <= (Now - Begun) / DoubtShare))
        Old = &C;
    }
  }
  if (!New && Old) {
    LastCheck.store(Now, std::memory_order_relaxed);
    G.Versions[Old->V].Times[Workers[Old->W].Model].Chosen = G.Choices;
  }
  return New ? New : Old;
}

} // namespace hsched::rt
