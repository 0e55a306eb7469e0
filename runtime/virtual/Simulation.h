// The virtual-time driver: runs graph, policy and directory in a discrete-event loop instead of
// threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   Program -> graph -> Policy -> worker: directory -> Fabric -> run -> completion -> graph
//
// It keeps the executor's contract with the policy (sched/Policy.h). Bodies do not run, so no task has children.
// Simultaneous happenings have a fixed order: the same input gives the same output.
#ifndef HSCHED_VIRTUAL_SIMULATION_H
#define HSCHED_VIRTUAL_SIMULATION_H

#include "data/Directory.h"
#include "graph/TaskGraph.h"
#include "perfmodel/Links.h"
#include "sched/Policy.h"
#include "virtual/Fabric.h"
#include "virtual/Program.h"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace hsched::rt::virt {

struct SimulationOptions {
  unsigned Window = 4096; // Limit of outstanding tasks; 0: none.
  unsigned InFlight = 0;  // Limit of tasks on a device; 0: the platform's.
  unsigned Lambda = 3;
  uint64_t Seed = 1;
  bool BringHome = true;     // The program ends when its data are in host memory.
  Observer *Watch = nullptr; // Called as by the executor. Outlives the simulation.
};

struct VersionCount {
  std::string Task, Version;
  uint64_t Runs = 0;
  Duration Ran{0};
};

struct SimulationResult {
  Duration Makespan{0}; // From the first submission.
  uint64_t Tasks = 0;
  uint64_t NumTimelineEvents = 0;
  std::vector<Duration> RunEnds;      // End of each repetition of the program but the last.
  std::vector<Duration> Busy;         // By worker: time in tasks.
  std::vector<VersionCount> Versions; // By type, then by version.
  Traffic Moved;                      // Sum over all devices.
};

// Not thread-safe. For one run.
class Simulation final : public PolicyHost, private GraphListener {
public:
  // All arguments outlive it. Types: those of the program, for Model. Times may contain earlier runs. At most 64
  // workers with their own memory.
  Simulation(const PlatformModel &Model, TaskTypes &Types, Policy &Scheduler, History &Times,
             const SimulationOptions &Options);
  ~Simulation() override;

  // An error names the task that could not run, or says that the policy did not return all tasks.
  status run(Program &P, SimulationResult &Out);

  // PolicyHost.
  const Clock &clock() const override { return Time.clock(); }
  const Platform &platform() const override { return Machine; }
  History &history() override { return Times; }
  unsigned lambda() const override { return Options.Lambda; }
  uint64_t seed() const override { return Options.Seed; }
  Duration transferTime(const Task &T, MemoryNode Node) override;
  Duration handOver(WorkerId W) const override;
  void returnTimes(const Task &T, std::span<Duration::rep> ByNode) override;
  Duration underway(WorkerId W) const override;
  void validBytes(const Access &A, std::span<uint64_t> Bytes) override { Data->validBytes(A, Bytes); }
  void wake(WorkerId W) override;
  bool canAskAgain() const override { return true; }
  void askAgain(WorkerId W, Duration After) override { Time.plan(Time.now() + After, TimelineEvent::AsksAgain, W); }
  bool moreToCome() const override { return Machine.Workers.size() < Model.Workers.size(); }
  size_t mostWorkers() const override { return Model.Workers.size(); }
  bool recordsDecisions() const override { return Explains; }
  void decided(Task &T, const Version &V, WorkerId W, const char *Why, std::span<const Prediction> Among) override;

private:
  // A task between a policy's pop and its end.
  struct Flight final : Waiter {
    void arrived() override { Of->arrived(*this); }
    Simulation *Of = nullptr;
    WorkerId W = 0;
    TaskNode *T = nullptr; // Null: the entry is free.
    const Version *V = nullptr;
    bool FromPolicy = false;
    bool WarmsUp = false; // See WorkerKind::FirstRun.
    Acquisition Acquired;
    EventRef Done; // For a device.
    TimePoint Began;
    SuccessorLink *Seen = nullptr; // For a device: successors from here down the stack have been visited.
  };
  // For a task that is not ready: number of predecessors on one device.
  struct Partly {
    int32_t Here = 0;
    std::vector<EventRef> After;
  };
  // Waits until memory was freed on a device.
  struct RoomWaiter final : Waiter {
    explicit RoomWaiter(Simulation &Of) : Of(Of) {}
    void arrived() override { Of.RoomWasMade = true; }
    Simulation &Of;
  };
  struct Seat {
    std::deque<Flight> Flights;    // As many as it may have; one for a CPU worker.
    std::vector<Flight *> Arrived; // A device's flights whose data have arrived, in order.
    std::deque<Flight *> Starved;  // A device's flights that wait for memory. While there are any, it takes no task.
    Flight *Running = nullptr;
    bool Marked = false; // Its last pop found no task.
    bool Woken = false;  // It is in Simulation::Woken.
    std::deque<std::pair<TaskNode *, const Version *>> Detours;
    std::unordered_map<const TaskNode *, Partly> Behind; // For a device.
    Duration Busy{0};
    TimePoint LastEnd = TimePoint::min(); // End of its last task.
  };

  // GraphListener.
  void dependence(TaskId From, TaskId To) override;
  TaskId combination(const TaskNode &) override { return NextTask++; }
  bool wantsComplete() const override { return Options.Watch != nullptr; }

  void announceRows();
  rt::Worker workerOf(WorkerId W);
  void opened(); // Adds devices that are open by now.
  bool step();   // False: no happening is left.
  void settle(); // Every woken worker searches for tasks.
  void submitMore();
  bool awaited();
  bool mainWorks() const;
  void sendHome();
  void wakeMain();
  void submit(const TaskSpec &Spec);
  Duration timeOf(const Flight &F) const;
  bool mayDispatch(TaskNode &T); // False: it is dispatched later, at its turn.
  void dispatch(TaskNode &T, WorkerId From, bool Activated);
  void look(WorkerId W);
  bool take(WorkerId W, Flight &F);
  bool stealFor(WorkerId W, Assignment &Out);
  void notIdle(WorkerId W);
  Flight *freeFlight(WorkerId W);
  void takeEarly(WorkerId W);
  bool scanSuccessors(Flight &F);
  bool consider(TaskNode &To, const Flight &F, int32_t Pending);
  bool acceptEarly(TaskNode &To, WorkerId W, std::span<const EventRef> After);
  void forget(const Flight &F, const EventRef &Done);
  // After: events that must end before F runs, besides those of its data.
  void acquire(Flight &F, std::span<const EventRef> After = {});
  void arrived(Flight &F);
  void startNext(WorkerId W);
  void ended(WorkerId W);
  void completed(TaskNode &T, WorkerId From);
  void refuse(Flight &F, const status &Cause);
  void retryStarved();
  void detour(TaskNode &T, const status &Cause);
  void giveBack(Flight &F);
  bool isDevice(WorkerId W) const { return Model.Kinds[Model.Workers[W].Kind].MemoryBytes != 0; }
  static TaskTypes::Args &argsOf(const Task &T) { return *static_cast<TaskTypes::Args *>(T.Args); }
  bool windowIsFull() const { return Options.Window && Outstanding >= Options.Window; }
  void collect(SimulationResult &Out);

  const PlatformModel &Model;
  TaskTypes &Types;
  Policy &Scheduler;
  History &Times;
  const SimulationOptions Options;
  const unsigned Hooks;
  bool Explains = false;

  Timeline Time;
  Fabric Net;
  std::deque<VirtualDevice> Devices;
  Platform Machine;
  std::vector<WorkerId> NodeWorkers; // By memory node; NoWorker for the host.
  unsigned NotOpen = 0;              // Number of devices not open yet.
  bool Begun = false;
  std::vector<TaskNode *> Deferred;                                  // Ready tasks for which no worker is open yet.
  std::set<std::tuple<const Version *, uint64_t, ModelId>> WarmedUp; // By size.
  Links Measured;
  std::unique_ptr<Directory> Data;
  DependenceDomain Domain;
  TaskNode *Root;

  std::deque<Seat> Seats; // By worker.
  std::deque<WorkerId> Woken;
  unsigned NumStarved = 0;
  bool RoomWasMade = false;
  std::vector<std::unique_ptr<RoomWaiter>> RoomWaiters;
  Program *Running = nullptr;
  TaskSpec Spec; // What is submitted next, if HasNext.
  bool HasNext = false;
  bool Submitted = false;       // The program has submitted all tasks.
  bool SendsHome = false;       // The last writers of this wait are marked.
  bool Submitting = false;      // The main thread is submitting.
  bool Ending = false;          // No more tasks run.
  std::vector<TaskNode *> Live; // Submitted and not complete, by slot; null: the slot is free.
  std::vector<uint32_t> FreeSlots;
  std::unordered_map<TaskId, TaskNode *> Unfinished; // If the program names tasks.
  TaskId NextTask = 1;
  uint64_t Outstanding = 0, Completed = 0, Happened = 0;
  std::vector<Duration> RunEnds;
  std::vector<std::vector<VersionCount>> Counts; // By type and version.
  status Failure;
};

} // namespace hsched::rt::virt
#endif
