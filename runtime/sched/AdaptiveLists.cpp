// Lists of tasks in policy adaptive: their order, and tasks that an idle worker takes from another's list.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/AdaptiveLists.h"

#include <algorithm>
#include <bit>

namespace hsched::rt {

// Paths that agree in this many bits after their first one count as equal: then the program's priorities decide.
static constexpr int PathBits = 4;
// Number of tasks inspected in another worker's list.
static constexpr size_t MostExamined = 8;

ClassMask AdaptiveLists::ableClasses(const Task &T) const {
  ClassMask Able = 0;
  for (unsigned V = 0, N = T.Type->numVersions(); V < N; ++V) {
    const Version &Of = T.Type->Versions[V];
    if (T.Placed || Classes->disabledSomewhere(Of) || (Classes->suited(Of) & Classes->mixed()))
      return 0;
    Able |= Classes->suited(Of);
  }
  return Able;
}

ReadyList::Key AdaptiveLists::keyOf(const Task &T) {
  uint64_t Path = 0;
  if (NumDevices.load(std::memory_order_relaxed))
    whileThereIsMemory([&] { Path = static_cast<uint64_t>(Ahead.pathFrom(T.Id)); });
  const int Bits = static_cast<int>(std::bit_width(Path)), More = std::max(0, Bits - 1 - PathBits);
  const auto Step = static_cast<ReadyList::Key>((Path >> More) + (static_cast<uint64_t>(More) << PathBits));
  return Step * (ReadyList::Key(1) << 32) + T.Priority;
}

void AdaptiveLists::restoreOrder() {
  const uint64_t Searches = Ahead.looks();
  if (Sorted.exchange(Searches, std::memory_order_relaxed) == Searches)
    return;
  for (WorkerId W = 0; W < Classes->numWorkers(); ++W)
    if (Lists.listOf(W) == W && Lists.any(W))
      sortAnew(W);
}

void AdaptiveLists::sortAnew(WorkerId List) {
  whileThereIsMemory([&] {
    Lists[List].sortAnew([this](const Task &T) { return ableClasses(T); }, [this](const Task &T) { return keyOf(T); });
  });
}

void AdaptiveLists::wakeOneOf(const WorkerBits &Among) {
  if (WorkerId W = Idle.takeOne(Among, Classes->numWords()); W != NoWorker)
    Host->wake(W);
}

bool AdaptiveLists::pull(WorkerId W, Assignment &Out) {
  const Ns Now = now();
  if (worker(W).SharedCores || Now < NextPull[W].At.load(std::memory_order_relaxed))
    return false;
  if (pull(W, Out, Now)) {
    NextPull[W].Between.store(LeastBetween, std::memory_order_relaxed);
    return true;
  }
  const Ns End = now();
  auto &[At, Between] = NextPull[W];
  At.store(End + Between.load(std::memory_order_relaxed) * (End - Now), std::memory_order_relaxed);
  Between.store(std::min(2 * Between.load(std::memory_order_relaxed), MostBetween), std::memory_order_relaxed);
  return false;
}

bool AdaptiveLists::pull(WorkerId W, Assignment &Out, Ns Now) {
  const unsigned Cores = isCpu(W) ? idleCores() : 0;
  const unsigned Devices = NumDevices.load();
  const double Spare = isCpu(W) && Devices ? Certain * static_cast<double>(Ahead.deviceWork()) / Devices : 0;
  const WorkerId N = static_cast<WorkerId>(Classes->numWorkers());
  for (WorkerId I = 1; I <= N; ++I) {
    const WorkerId From = (W + I) % N;
    if (From == Lists.listOf(W) || From != Lists.listOf(From) || worker(From).SharedCores || !Lists.any(From))
      continue;
    if (isCpu(W) != isCpu(From) && Mix.mode() == (isCpu(W) ? Mixing::Mode::Devices : Mixing::Mode::Cores))
      continue;
    const Ns Links = Lists.work(From, Now) - Lists.transfers(From, Now); // The links' free time meanwhile.
    auto pays = [&](const Pulled &P) {
      return P.Sooner ||
             (P.Worth && static_cast<double>(P.End) <= Spare && thereAndBack(P) <= std::min(Links, P.Saves));
    };
    Task *T = Lists[From].takeLast(Classes->classOf(W), MostExamined, [&](const Task &Each) {
      const Pulled P = consider(Each, W, Now);
      return (!isCpu(W) || Cores > Lists.keptCores(P.Run)) && pays(P) ? P.Worth : 0;
    });
    if (!T)
      continue;
    Pulled P;
    bool Takes = false;
    whileThereIsMemory([&] {
      P = consider(*T, W, Now);
      Takes = P.V && pays(P) &&
              (P.Sooner || Ahead.holdUp(T->Id, static_cast<Ns>(static_cast<double>(P.End) / Certain), Devices)) &&
              settleOn(*T, W);
    });
    if (!Takes) { // Returned to its list. Its owner may have searched for it meanwhile.
      QuietUntil.store(Now + P.Run / 16, std::memory_order_relaxed);
      const WorkerId Owner = T->ChosenWorker;
      Lists.putBack(*T, ableClasses(*T), keyOf(*T));
      if (Idle.remove(Owner))
        Host->wake(Owner);
      else if (isCpu(Owner))
        wakeOneOf(Classes->bits(Classes->classOf(Owner)));
      return false;
    }
    Lists.leaves(*T);
    Lists.forget(*T);
    if (Host->recordsDecisions())
      tell(*T, P,
           P.Sooner ? "this worker had nothing to do, and ends it before the other one would come to it"
                    : "this worker had nothing to do, and the devices have enough other work meanwhile");
    Home.planned(isCpu(W), P.Travel);
    if (isCpu(W) && !isCpu(From))
      Lists.alsoTravels(From, thereAndBack(P));
    whileThereIsMemory([&] { Uses.planned(*T, isCpu(W) ? NoWorker : W); });
    Lists.begin(*T, P);
    Ahead.begun(T->Id);
    Out = {T, P.V};
    return true;
  }
  return false;
}

AdaptiveLists::Ns AdaptiveLists::thereAndBack(const Pulled &P) { return 2 * Contention * P.Travel; }

unsigned AdaptiveLists::idleCores() {
  unsigned Cores = 0;
  for (WorkerId Each : Classes->members(Classes->classOf(0)))
    Cores += Lists.isIdle(Each);
  return Cores;
}

} // namespace hsched::rt
