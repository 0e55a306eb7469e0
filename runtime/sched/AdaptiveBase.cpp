// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/AdaptiveBase.h"

#include <cmath>
#include <mutex>
#include <tuple>
#include <vector>

namespace hsched::rt {

// Limit of the link time of a task that a core takes from a device, as a multiple of the device's time for it.
static constexpr Duration::rep Several = 4;
// When many blocks of data should move to devices at one time: see queueShare.
// The critical path takes at least this many times as long on cores as all work takes on the devices.
static constexpr double Stalls = 3;
// At most so many tasks for each core are ready at one time, on average. More keep cores busy while blocks move one by
// one.
static constexpr double MostEach = 2;
// Waves that mostAway() looks at.
static constexpr double MostWaves = 64;
// So many outstanding tasks use the data.
static constexpr double LeastUses = 6;

std::pair<const Version *, AdaptiveBase::Ns> AdaptiveBase::fastestOn(Group &G, const Task &T, const Worker &On) const {
  std::pair<const Version *, Ns> Best(nullptr, Never);
  for (unsigned V = 0; V < G.NumVersions; ++V)
    if (const VersionTimes::Known &K = G.Versions[V].on(On.Model); K.Runs && K.Mean < Best.second &&
                                                                   G.Versions[V].takes(On.Id, *Classes) &&
                                                                   usableOn(On.Id, T.Type->Versions[V], T))
      Best = {&T.Type->Versions[V], K.Mean};
  return Best;
}

double AdaptiveBase::queueShare(const Group &G, const Task &T) {
  const auto Core = static_cast<double>(G.Fastest.OnCore.load(std::memory_order_relaxed));
  const auto Device = static_cast<double>(G.Fastest.Nanoseconds.load(std::memory_order_relaxed));
  const unsigned Devices = NumDevices.load(std::memory_order_relaxed);
  if (Core <= Device || Device <= 0 || !Devices || !G.Fastest.OnDevice.load(std::memory_order_relaxed))
    return 1;
  double Share = 1;
  whileThereIsMemory([&] {
    const double Part = Uses.share(T);
    if (Part * LeastUses > 1)
      return;
    const auto Path = static_cast<double>(Ahead.pathFrom(T.Id)), Work = static_cast<double>(Ahead.deviceWork());
    const auto Cores = static_cast<double>(Classes->members(Classes->classOf(0)).size());
    if (Path * Core / Device >= Stalls * Work / Devices && Work <= MostEach * Cores * Path)
      Share = Part;
  });
  return Share;
}

AdaptiveBase::Ns AdaptiveBase::homeAndBack(const Task &T, const Ways *Of, WorkerId Only) {
  std::vector<Ns> Asked(Of ? 0 : NumNodes.load());
  if (!Of)
    Host->returnTimes(T, Asked);
  const std::vector<Ns> &Back = Of ? Of->Back : Asked;
  const double Both = 1 + Uses.writtenShare(T);
  Ns Least = Never;
  for (WorkerId W = 0; W < Classes->numWorkers(); ++W)
    if (const MemoryNode Node = worker(W).Node; Only == NoWorker ? !isCpu(W) : W == Only) {
      const Ns There = Of ? Of->There[Node] : travelTo(T, Node);
      Least = std::min(Least, static_cast<Ns>(Both * static_cast<double>(There)) + Back[Node]);
    }
  return Least;
}

double AdaptiveBase::blocksOnDevices(const Task &T) const {
  double Bytes = 0, Own = 0;
  for (WorkerId W = 0; W < Classes->numWorkers(); ++W)
    if (!isCpu(W))
      Bytes += static_cast<double>(Uses.bytesAt(W));
  for (const hsched_access &A : T.accesses())
    Own += static_cast<double>(A.bytes * A.rows);
  return Own > 0 ? std::round(Bytes / Own) : 0;
}

double AdaptiveBase::mostAway(const Waves &Of, const Ways &Ways, double Moves) const {
  auto There = static_cast<double>(Never);
  for (WorkerId W = 0; W < Classes->numWorkers(); ++W)
    if (!isCpu(W))
      There = std::min(There, std::max(1.0, static_cast<double>(Ways.There[worker(W).Node])));
  const double Home = std::max(0.0, Moves - There);
  const double Left = std::min(std::ceil(Of.Path / Of.OnCore), MostWaves);
  auto Least = static_cast<double>(Never);
  double Best = Side::Unlimited;
  for (double Each = 0; (Each - 1) * Of.Cores < Of.Blocks; ++Each) { // Blocks that stay on a core.
    const double Away = std::max(0.0, Of.Blocks - Each * Of.Cores);
    double Takes = 0;
    for (double Wave = 0; Wave < Left && Takes < Least; ++Wave) {
      const double Moved = std::min(Away, std::floor(Takes / There));
      Takes += std::max(std::ceil((Of.Blocks - Moved) / Of.Cores) * Of.OnCore, Moved * Of.OnDevice);
    }
    // Half of the way home overlaps the last waves.
    if (Takes += Away * Home / 2; Takes < Least) {
      Least = Takes;
      Best = Each == 0 ? Side::Unlimited : std::ceil(Away);
    }
  }
  return Best;
}

AdaptiveBase::Side AdaptiveBase::sideOf(const Group &G, const Task &T, const Ways *Of, WorkerId Only) {
  using Mode = Mixing::Mode;
  const Ns Known = G.Fastest.OnCore.load(std::memory_order_relaxed);
  const Ns Core = Known ? Known : G.Fastest.Assumed.load(std::memory_order_relaxed);
  const Ns Device = G.Fastest.Nanoseconds.load(std::memory_order_relaxed);
  const unsigned Devices = NumDevices.load(std::memory_order_relaxed);
  if (!Core || !Devices || SharesCores.load() || !G.Fastest.OnDevice.load(std::memory_order_relaxed))
    return {};
  Side Found;
  whileThereIsMemory([&] {
    const GraphAhead::OnCores Graph = Ahead.onCores(T.Id);
    if (!Graph.InWaves || Graph.Path <= Core)
      return;
    const double Blocks = Graph.Width;
    const auto Path = static_cast<double>(Graph.Path), Moves = static_cast<double>(homeAndBack(T, Of, Only));
    const double Runs = Path / static_cast<double>(Core) * static_cast<double>(Device);
    // The time of so many blocks on devices, of which some are there.
    const auto onDevices = [&](double Number, double There) {
      return std::ceil(std::max(0.0, Number - There) / Devices) * Moves + std::ceil(Number / Devices) * Runs;
    };
    const double All = onDevices(Blocks, 0);
    const auto Cores = static_cast<double>(Classes->members(Classes->classOf(0)).size());
    auto Mixed = static_cast<double>(Never);
    for (double Each = 1; (Each - 1) * Cores < Blocks; ++Each) // Blocks of a core.
      Mixed = std::min(Mixed, std::max(Each * Path, onDevices(Blocks - Each * Cores, 0)));
    if (All <= Mixed) {
      Found = {Mode::Devices, std::max(1.0, std::round(Blocks / Devices))};
    } else if (Known && Blocks <= Cores) {
      const double There = std::min(Blocks, blocksOnDevices(T));
      if (Path + std::ceil(There / Devices) * Moves <= onDevices(Blocks, There))
        Found = {Mode::Cores, 0};
    } else if (Known && Of && Devices == 1) {
      Found.Most = mostAway({Blocks, Cores, static_cast<double>(Core), static_cast<double>(Device), Path}, *Of, Moves);
    }
  });
  return Found;
}

bool AdaptiveBase::endsSooner(const Task &T, Ns Now) {
  if (T.Type->numVersions() < 2 || T.Predicted == Duration(0))
    return false;
  std::vector<std::pair<WorkerId, Ns>> Runs;
  {
    Group &G = groupOf(T);
    std::lock_guard Guard(G.Lock);
    refresh(G, T);
    if (sideOf(G, T).Mode == Mixing::Mode::Cores)
      return false;
    for (WorkerId W = 0; W < Classes->numWorkers(); ++W)
      if (!isCpu(W) && !worker(W).SharedCores)
        if (const Ns Run = fastestOn(G, T, worker(W)).second; Run < T.Predicted.count())
          Runs.emplace_back(W, Run);
  }
  return std::ranges::any_of(Runs, [&](const auto &On) {
    const auto [W, Run] = On;
    const Ns Begin = Lists.backlog(W, Now);
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
  if (isCpu(W) != isCpu(T.ChosenWorker) && sideOf(G, T, nullptr, isCpu(W) ? T.ChosenWorker : W).Mode ==
                                               (isCpu(W) ? Mixing::Mode::Devices : Mixing::Mode::Cores))
    return P;
  std::tie(P.V, P.Run) = fastestOn(G, T, worker(W));
  if (!P.V)
    return P;
  P.End = Lists.backlog(W, Now) + Contention * P.Travel + P.Run;
  const double Share = isCpu(T.ChosenWorker) ? 1 : queueShare(G, T);
  Ns Others = Never;
  for (WorkerId Other = 0; Other < Classes->numWorkers(); ++Other) {
    const bool Owner = Other == T.ChosenWorker;
    if (Other == W || (worker(Other).Model == worker(W).Model && !Owner)) // The owner could do the same.
      continue;
    if (const Ns Run = fastestOn(G, T, worker(Other)).second; Run != Never)
      Others = std::min(Others, Owner ? Lists.backlog(Other, Now, Share) : Lists.backlog(Other, Now) + Run);
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
