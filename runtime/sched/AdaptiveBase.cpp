// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/AdaptiveBase.h"

#include <mutex>
#include <tuple>
#include <vector>

namespace hsched::rt {

// Limit of the link time of a task that a core takes from a device, as a multiple of the device's time for it.
static constexpr Duration::rep Several = 4;

std::pair<const Version *, AdaptiveBase::Ns> AdaptiveBase::fastestOn(Group &G, const Task &T, const Worker &On) const {
  std::pair<const Version *, Ns> Best(nullptr, Never);
  for (unsigned V = 0; V < G.NumVersions; ++V)
    if (const VersionTimes::Known &K = G.Versions[V].on(On.Model); K.Runs && K.Mean < Best.second &&
                                                                   G.Versions[V].takes(On.Id, *Classes) &&
                                                                   usableOn(On.Id, T.Type->Versions[V], T))
      Best = {&T.Type->Versions[V], K.Mean};
  return Best;
}

bool AdaptiveBase::endsSooner(const Task &T, Ns Now) {
  if (T.Type->numVersions() < 2 || T.Predicted == Duration(0))
    return false;
  std::vector<std::pair<WorkerId, Ns>> Runs;
  {
    Group &G = groupOf(T);
    std::lock_guard Guard(G.Lock);
    refresh(G, T);
    for (WorkerId W = 0; W < Classes->numWorkers(); ++W)
      if (!isCpu(W) && !worker(W).SharedCores)
        if (const Ns Run = fastestOn(G, T, worker(W)).second; Run < T.Predicted.count())
          Runs.emplace_back(W, Run);
  }
  return std::ranges::any_of(Runs, [&](const auto &On) {
    const auto [W, Run] = On;
    const Ns Begin = std::max(Lists.work(W, Now), Lists.transfers(W, Now));
    return Begin + Run < T.Predicted.count() &&
           Begin + Run + Contention * travelTo(T, worker(W).Node) < T.Predicted.count();
  });
}

AdaptiveBase::Pulled AdaptiveBase::consider(const Task &T, WorkerId W, Ns Now) {
  Pulled P;
  P.W = W;
  if (WorkLists::measures(T) && usableOn(T.ChosenWorker, *T.Chosen, T))
    return P;
  P.Travel = travelTo(T, worker(W).Node);
  if (const Worker &Owner = worker(T.ChosenWorker); !isCpu(W) && P.Travel && Owner.Node != HostNode &&
                                                    T.Predicted > Duration(0) &&
                                                    T.Predicted <= Host->handOver(Owner.Id))
    return P; // The owner gains nothing: see VersionTimes::staysOn.
  Group &G = groupOf(T);
  std::lock_guard Guard(G.Lock);
  refresh(G, T);
  std::tie(P.V, P.Run) = fastestOn(G, T, worker(W));
  if (!P.V)
    return P;
  P.End = Lists.backlog(W, Now) + Contention * P.Travel + P.Run;
  Ns Others = Never;
  for (WorkerId Other = 0; Other < Classes->numWorkers(); ++Other) {
    const bool Owner = Other == T.ChosenWorker;
    if (Other == W || (worker(Other).Model == worker(W).Model && !Owner)) // The owner could do the same.
      continue;
    if (const Ns Run = fastestOn(G, T, worker(Other)).second; Run != Never)
      Others = std::min(Others, Lists.backlog(Other, Now) + (Owner ? 0 : Run));
  }
  P.Sooner = P.End <= Others;
  P.Saves = Several * (T.Predicted.count() + (isCpu(T.ChosenWorker) ? 0 : WorkLists::travelOf(T)));
  if (P.Sooner || (isCpu(W) && !isCpu(T.ChosenWorker)))
    P.Worth = static_cast<double>(T.Predicted.count() +
                                  (isCpu(T.ChosenWorker) ? 0 : Contention * WorkLists::travelOf(T)) + 1) /
              static_cast<double>(std::max<Ns>(P.Run + Contention * P.Travel, 1));
  return P;
}

void AdaptiveBase::tell(Task &T, const WorkLists::Plan &P, const char *Why) {
  whileThereIsMemory([&] {
    std::vector<Prediction> Among;
    Host->predict(T, Among);
    Host->decided(T, *P.V, P.W, Why, Among);
  });
}

} // namespace hsched::rt
