// Policy "heft": XKaapi's Heterogeneous Earliest-Finish-Time with transfers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: Lima et al., algorithm 4 and equation 1. The tasks that one completion made ready are sorted by decreasing
// speed-up of a device over a core. Each goes to the worker with the earliest finish: earlier tasks, transfers and
// run, in sequence. Predicted transfer times are multiplied by the number of accelerators, which share the bus. There
// is no stealing. The paper measures times before the run; here versions without times are tried first
// (EarliestFinish.h).
#include "sched/ListPolicy.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <vector>

namespace hsched::rt {
namespace {

class Heft final : public ListPolicy {
public:
  Heft() : ListPolicy(StealScope::MainOnly) {}
  unsigned hooks() const override { return HookActivated; }

  void start(PolicyHost &H) override {
    ListPolicy::start(H);
    Released.resize(numWorkers());
    for (const Worker &W : H.platform().Workers)
      Accelerators += W.Node != HostNode;
  }

  void pushActivated(Task &T, WorkerId From) override {
    if (From >= numWorkers())
      return push(T, From);
    Sorted New{&T, speedUp(T)};
    std::lock_guard Guard(Released[From].Lock);
    Released[From].Tasks.push_back(New);
  }

  void activated(WorkerId From) override {
    if (From >= numWorkers())
      return;
    // An added task may run, and release more, before the next one is added.
    std::vector<Sorted> Tasks;
    {
      std::lock_guard Guard(Released[From].Lock);
      Tasks.swap(Released[From].Tasks);
    }
    std::ranges::stable_sort(Tasks, std::greater<>(), &Sorted::SpeedUp);
    for (const Sorted &S : Tasks)
      addRetrying(*S.T, From, true);
  }

private:
  struct Sorted {
    Task *T;
    double SpeedUp;
  };
  // Tasks released on one worker. A thread that has lent its seat may still complete a task as that worker; its
  // released tasks then go together with another completion's.
  struct alignas(64) Batch {
    std::mutex Lock;
    std::vector<Sorted> Tasks; // Guarded by Lock.
  };

  // Speed-up of the fastest device version over the fastest core version. If one of them is missing, the other kind
  // counts as infinitely faster.
  double speedUp(const Task &T) const {
    double Core = std::numeric_limits<double>::infinity(), Device = Core;
    uint64_t Cores = 0, Devices = 0; // Bits of kinds of workers already visited.
    for (const Worker &W : Host->platform().Workers) {
      uint64_t &Seen = W.Kind == DeviceKind::Cpu ? Cores : Devices;
      if (Seen >> W.Model & 1)
        continue;
      Seen |= uint64_t(1) << W.Model;
      for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I) {
        if (!Platform::suits(W, T.Type->Versions[I]))
          continue;
        const RunStats Known = Host->history().lookup(*T.Type, T.sizeClass(), I, W.Model);
        double &Of = W.Kind == DeviceKind::Cpu ? Core : Device;
        if (Known.Runs)
          Of = std::min(Of, std::max(Known.MeanNs, 1.0));
      }
    }
    if (std::isinf(Core) && std::isinf(Device))
      return 1;
    return Core / Device;
  }

  Choice choose(Task &T, WorkerId, bool) override {
    return earliest(Earliest, T, [this](const Prediction &P) {
      return P.Wait + P.Transfer * std::max<Duration::rep>(1, Accelerators) + P.Run;
    });
  }

  EarliestFinish Earliest;
  Duration::rep Accelerators = 0;
  std::deque<Batch> Released; // By worker.
};

HSCHED_POLICY(Heft, "heft", "earliest finish with transfers, in order of the devices' speed-up (XKaapi)");

} // namespace
} // namespace hsched::rt
