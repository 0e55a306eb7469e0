// Policy "darts": loads the datum that enables the most tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: Gonthier, Marchal, Thibault, "Memory-Aware Scheduling of Tasks Sharing Data on Multiple GPUs with Dynamic
// Runtime Systems", IPDPS 2022: data-aware reactive task scheduling. Ready tasks wait in one pool. An idle device
// searches the datum that enables the most of them, given the data in its memory, and plans these tasks for itself. If
// no single datum enables a task, it takes the task that lacks the fewest bytes. The paper has GPUs only, one priority
// and its own eviction rule. Here the directory evicts, and only the first tasks by priority are inspected. A core
// takes tasks that only cores can run, and tasks that it ends before the devices would begin them.
#include "base/NoMemory.h"
#include "sched/Policy.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

namespace hsched::rt {
namespace {

class Darts final : public Policy {
public:
  void start(PolicyHost &H) override {
    Host = &H;
    Plans.resize(workers().size());
    Idle.resize(workers().size());
    for (const Worker &W : workers()) {
      Nodes = std::max<size_t>(Nodes, W.Node + size_t(1));
      Devices += W.Kind != DeviceKind::Cpu;
    }
  }

  void push(Task &T, WorkerId) override {
    std::lock_guard Guard(Lock);
    Pool.emplace(std::pair(-int64_t(T.Priority), Next++), &T);
    wakeFor(T);
  }

  bool pop(WorkerId W, Assignment &Out) override {
    for (;;) {
      std::vector<Waiting> Candidates;
      Candidates.reserve(MostExamined); // What has left the pool must find a place.
      {
        std::lock_guard Guard(Lock);
        if (Task *T = fromPlan(W)) {
          if (hand(*T, W, Out))
            return true;
          continue;
        }
        isCpu(W) ? forCpu(W, Candidates) : forDevice(W, Candidates);
        if (Candidates.empty()) {
          if (Task *T = fromOthersPlan(W)) {
            if (hand(*T, W, Out))
              return true;
            continue;
          }
          Idle[W] = 1;
          return false;
        }
      }
      Selection Chosen;
      try {
        Chosen = select(W, Candidates);
      } catch (const std::bad_alloc &) { // Without a comparison.
        Chosen.set(0);
      }
      std::lock_guard Guard(Lock);
      for (size_t I = 0; I < Candidates.size(); ++I)
        try {
          if (Chosen[I])
            Plans[W].push_back(Candidates[I].mapped());
          else
            Pool.insert(std::move(Candidates[I]));
        } catch (const std::bad_alloc &) { // It is planned later.
          Pool.insert(std::move(Candidates[I]));
        }
      wakeIdle(); // Some workers may have searched meanwhile.
    }
  }

  bool popMatching(WorkerId W, const std::function<bool(const Task &)> &Wanted, Assignment &Out) override {
    std::lock_guard Guard(Lock);
    for (auto At = Pool.begin(); At != Pool.end(); ++At)
      if (Task *T = At->second; versionOn(*T, W) && Wanted(*T)) {
        Pool.erase(At);
        return hand(*T, W, Out);
      }
    for (std::deque<Task *> &Plan : Plans)
      for (auto At = Plan.begin(); At != Plan.end(); ++At)
        if (Task *T = *At; versionOn(*T, W) && Wanted(*T)) {
          Plan.erase(At);
          return hand(*T, W, Out);
        }
    return false;
  }

  void busy(WorkerId W) override {
    std::lock_guard Guard(Lock);
    if (std::exchange(Idle[W], 0) == 0) // It was woken.
      wakeIdle();
  }

  void completed(const Task &T, const Version &, WorkerId W, Duration) override {
    Host->loads()[W].end(T.Predicted.count(), now());
  }

private:
  static constexpr size_t MostExamined = 128;
  using Key = std::pair<int64_t, uint64_t>; // Priority, highest first; then order of arrival.
  using TaskPool = std::map<Key, Task *>;
  using Waiting = TaskPool::node_type; // Returns to the pool without allocation.
  using Selection = std::bitset<MostExamined>;

  const WorkerList &workers() const { return Host->platform().Workers; }
  bool isCpu(WorkerId W) const { return workers()[W].Kind == DeviceKind::Cpu; }
  int64_t now() const { return Host->clock().now().time_since_epoch().count(); }
  RunStats known(const Task &T, const Version &V, WorkerId W) const {
    return Host->history().lookup(*T.Type, T.sizeClass(), V.Index, workers()[W].Model);
  }

  // The fastest measured version, else the first usable one; null: none.
  const Version *versionOn(const Task &T, WorkerId W) const {
    const Version *Best = nullptr;
    double BestNs = 0;
    for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I) {
      const Version &V = T.Type->Versions[I];
      if (!Platform::usable(workers()[W], V, T))
        continue;
      const RunStats Is = known(T, V, W);
      if (!Best || (Is.Runs && (BestNs == 0 || Is.MeanNs < BestNs))) {
        Best = &V;
        BestNs = Is.Runs ? Is.MeanNs : 0;
      }
    }
    return Best;
  }
  // Tasks without any usable version are returned too, see Policy::pop.
  bool mayTake(const Task &T, WorkerId W) const {
    return versionOn(T, W) || std::ranges::none_of(workers(), [&](const Worker &On) { return versionOn(T, On.Id); });
  }

  // --- what W chooses among. Lock is held; what is found has left the pool

  void forDevice(WorkerId W, std::vector<Waiting> &Found) {
    for (auto At = Pool.begin(); At != Pool.end() && Found.size() < MostExamined;) {
      const auto Is = At++;
      if (mayTake(*Is->second, W))
        Found.push_back(Pool.extract(Is));
    }
  }
  void forCpu(WorkerId W, std::vector<Waiting> &Found) {
    size_t Examined = 0;
    for (auto At = Pool.begin(); At != Pool.end() && Examined < MostExamined; ++At) {
      if (!mayTake(*At->second, W))
        continue;
      ++Examined;
      if (!pays(*At->second, W))
        continue;
      Found.push_back(Pool.extract(At));
      return;
    }
  }

  // True if a core should run T: no device can, or the core ends it before the devices would begin it.
  bool pays(const Task &T, WorkerId W) {
    const Version *Device = nullptr;
    WorkerId On = NoWorker;
    for (const Worker &Other : workers())
      if (Other.Kind != DeviceKind::Cpu && (Device = versionOn(T, Other.Id))) {
        On = Other.Id;
        break;
      }
    const Version *Own = versionOn(T, W);
    if (!Device || !Own)
      return true;
    const RunStats There = known(T, *Device, On), Here = known(T, *Own, W);
    if (!There.Runs)
      return false;
    if (!Here.Runs) // One measurement suffices.
      return Tried.emplace(T.Type, T.sizeClass()).second;
    size_t Ahead = Pool.size();
    for (const std::deque<Task *> &Plan : Plans)
      Ahead += Plan.size();
    return Here.MeanNs < There.MeanNs * static_cast<double>(Ahead) / Devices;
  }

  // Selects the tasks that W plans for itself: at least one. No lock is held.
  Selection select(WorkerId W, const std::vector<Waiting> &Among) {
    Selection Chosen;
    const MemoryNode Node = workers()[W].Node;
    if (Node == HostNode || Among.size() == 1) {
      Chosen[0] = true;
      return Chosen;
    }
    using Datum = std::tuple<const void *, size_t, size_t, size_t>;
    std::map<Datum, std::vector<size_t>> Enabled; // Tasks that lack only this datum.
    size_t Least = 0;
    uint64_t LeastBytes = UINT64_MAX;
    bool Any = false;
    std::vector<uint64_t> Valid(Nodes);
    for (size_t I = 0; I < Among.size(); ++I) {
      std::set<Datum> Lacks;
      uint64_t Bytes = 0;
      for (const Access &A : Among[I].mapped()->accesses()) {
        if (!reads(A) || A.bytes == 0)
          continue;
        Host->validBytes(A, Valid);
        if (const uint64_t All = uint64_t(A.bytes) * A.rows;
            Valid[Node] < All && Lacks.emplace(A.base, A.bytes, A.rows, A.rows > 1 ? A.stride : 0).second)
          Bytes += All - Valid[Node];
      }
      if (Lacks.empty())
        Any = Chosen[I] = true;
      else if (Lacks.size() == 1)
        Enabled[*Lacks.begin()].push_back(I);
      if (Bytes < LeastBytes) {
        LeastBytes = Bytes;
        Least = I;
      }
    }
    if (Any) // They need no transfer.
      return Chosen;
    const std::vector<size_t> *Most = nullptr;
    for (const auto &[Which, Tasks] : Enabled) // Ties: the datum of the first task.
      if (!Most || Tasks.size() > Most->size() || (Tasks.size() == Most->size() && Tasks[0] < (*Most)[0]))
        Most = &Tasks;
    for (size_t I : Most ? *Most : std::vector<size_t>{Least})
      Chosen[I] = true;
    return Chosen;
  }

  // --- handing out. Lock is held

  Task *fromPlan(WorkerId W) {
    if (Plans[W].empty())
      return nullptr;
    Task *T = Plans[W].front();
    Plans[W].pop_front();
    return T;
  }
  // Takes the last task of the longest plan if there is nothing else, to balance the end of the run.
  Task *fromOthersPlan(WorkerId W) {
    std::deque<Task *> *Longest = nullptr;
    for (std::deque<Task *> &Plan : Plans)
      if (!Plan.empty() && (!Longest || Plan.size() > Longest->size()) && versionOn(*Plan.back(), W) &&
          (!isCpu(W) || pays(*Plan.back(), W)))
        Longest = &Plan;
    if (!Longest)
      return nullptr;
    Task *T = Longest->back();
    Longest->pop_back();
    return T;
  }

  // False: T must wait for another worker.
  bool hand(Task &T, WorkerId W, Assignment &Out) {
    const Version *V = versionOn(T, W);
    if (V ? !settleOn(T, W) : !mayTake(T, W)) {
      retryUntilAllocated([&] { Pool.emplace(std::pair(-int64_t(T.Priority), Next++), &T); });
      wakeFor(T);
      return false;
    }
    T.Chosen = V ? V : &T.Type->Versions[0];
    T.ChosenWorker = W;
    T.Predicted = Duration(static_cast<Duration::rep>(V ? known(T, *V, W).MeanNs : 0));
    Host->loads()[W].begin(T.Predicted.count(), now());
    Out = {&T, T.Chosen};
    return true;
  }

  // Wakes one idle device and one idle core that may run T.
  void wakeFor(const Task &T) {
    bool Core = false, Device = false;
    for (const Worker &W : workers())
      if (bool &Woken = isCpu(W.Id) ? Core : Device; !Woken && Idle[W.Id] && mayTake(T, W.Id)) {
        Woken = true;
        Idle[W.Id] = 0;
        Host->wake(W.Id);
      }
  }
  // Wakes every idle worker for which a task waits.
  void wakeIdle() {
    for (const Worker &W : workers())
      if (Idle[W.Id] && (std::ranges::any_of(Pool, [&](const auto &E) { return mayTake(*E.second, W.Id); }) ||
                         std::ranges::any_of(Plans, [](const auto &Plan) { return Plan.size() > 1; }))) {
        Idle[W.Id] = 0;
        Host->wake(W.Id);
      }
  }

  PolicyHost *Host = nullptr;
  size_t Nodes = 1;
  unsigned Devices = 0;
  std::mutex Lock; // Guards the fields below.
  TaskPool Pool;
  std::vector<std::deque<Task *>> Plans; // By worker.
  std::vector<char> Idle;                // By worker: its pop found no task, and it has not been woken since.
  std::set<std::pair<const TaskType *, uint64_t>> Tried; // By cores, by size.
  uint64_t Next = 0;
};

HSCHED_POLICY(Darts, "darts", "the datum that enables most tasks is brought next (StarPU's DARTS)");

} // namespace
} // namespace hsched::rt
