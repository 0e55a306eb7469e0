// The driver that runs tasks in virtual time: the graph, a policy and the directory as threads use them, without
// threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   Program -> graph -> Policy -> worker: directory -> Fabric -> run -> completion -> graph
//
// It keeps the executor's contract with the policy (sched/Policy.h). Bodies do not run, so no task has children. What
// happens at one time happens in a fixed order: the same input gives the same output.
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
  unsigned Window = 4096; // Outstanding tasks at most; 0: any number.
  unsigned InFlight = 0;  // Tasks that a device has at once; 0: as the platform says.
  unsigned Lambda = 3;
  uint64_t Seed = 1;
  bool BringHome = true;     // The program ends when its data are in host memory.
  Observer *Watch = nullptr; // Told as by the executor; outlives the simulation.
};

struct VersionCount {
  std::string Task, Version;
  uint64_t Runs = 0;
  Duration Ran{0};
};

struct SimulationResult {
  Duration Makespan{0}; // From the first submission on.
  uint64_t Tasks = 0;
  uint64_t Happenings = 0;
  std::vector<Duration> Waits;        // When each wait of the program for all of its tasks was over.
  std::vector<Duration> Busy;         // By worker: running tasks.
  std::vector<VersionCount> Versions; // In order of types, then of versions.
  Traffic Moved;                      // Of all devices.
};

// One thread. For one run.
class Simulation final : public PolicyHost, private GraphListener {
public:
  // All outlive it. Types: of the program that will run, for Model. Times may know of earlier runs. At most 64 workers
  // with memory of their own.
  Simulation(const PlatformModel &Model, TaskTypes &Types, Policy &Scheduler, History &Times,
             const SimulationOptions &Options);
  ~Simulation() override;

  // A failure says which task could not run, or that the policy left tasks behind.
  status run(Program &P, SimulationResult &Out);

  // PolicyHost.
  const Clock &clock() const override { return Time.clock(); }
  const Platform &platform() const override { return Machine; }
  History &history() override { return Times; }
  unsigned lambda() const override { return Options.Lambda; }
  uint64_t seed() const override { return Options.Seed; }
  Duration transferTime(const Task &T, MemoryNode Node) override;
  void validBytes(const Access &A, std::span<uint64_t> Bytes) override { Data->validBytes(A, Bytes); }
  void wake(WorkerId W) override;
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
    TaskNode *T = nullptr; // Null: the flight is free.
    const Version *V = nullptr;
    bool FromPolicy = false;
    bool WarmsUp = false; // See WorkerKind::FirstRun.
    Acquisition Held;
    EventRef Done; // A device's.
    TimePoint Began;
    SuccessorLink *Seen = nullptr; // A device's: successors from here down the stack have been looked at.
  };
  // Of a task that is not ready: its predecessors that are on one device.
  struct Partly {
    int32_t Here = 0;
    std::vector<EventRef> After;
  };
  // Room has been made on a device.
  struct RoomWaiter final : Waiter {
    explicit RoomWaiter(Simulation &Of) : Of(Of) {}
    void arrived() override { Of.RoomWasMade = true; }
    Simulation &Of;
  };
  struct Seat {
    std::deque<Flight> Flights;    // As many as it may have; one of a CPU worker.
    std::vector<Flight *> Arrived; // A device's whose data are there, in order of arrival.
    std::deque<Flight *> Starved;  // A device's that wait for memory: while there are any, it takes nothing.
    Flight *Running = nullptr;
    bool Marked = false; // Its last pop came back empty.
    bool Woken = false;  // Stands in Simulation::Woken.
    std::deque<std::pair<TaskNode *, const Version *>> Detours;
    std::unordered_map<const TaskNode *, Partly> Behind; // A device's.
    Duration Busy{0};
  };

  // GraphListener.
  void dependence(TaskId From, TaskId To) override;
  TaskId combination(const TaskNode &) override { return NextTask++; }
  bool wantsComplete() const override { return Options.Watch != nullptr; }

  void announceRows();
  rt::Worker workerOf(WorkerId W);
  void opened(); // Devices that are open by now.
  bool step();   // False: nothing will happen any more.
  void settle(); // Everybody who was woken looks for work.
  void submitMore();
  bool awaited();
  bool mainWorks() const;
  void wakeMain();
  void submit(const TaskSpec &Spec);
  Duration timeOf(const Flight &F) const;
  bool mayDispatch(TaskNode &T); // False: it is dispatched when its turn comes.
  void dispatch(TaskNode &T, WorkerId From, bool Activated);
  void look(WorkerId W);
  bool take(WorkerId W, Flight &F);
  bool stealFor(WorkerId W, Assignment &Out);
  void notIdle(WorkerId W);
  Flight *freeFlight(WorkerId W);
  void takeEarly(WorkerId W);
  bool lookBehind(Flight &F);
  bool consider(TaskNode &To, const Flight &F, int32_t Pending);
  bool acceptEarly(TaskNode &To, WorkerId W, std::span<const EventRef> After);
  void forget(const Flight &F, const EventRef &Done);
  // After: what has to end before F runs, beside what its data need.
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
  unsigned NotOpen = 0;              // Devices.
  bool Begun = false;
  std::vector<TaskNode *> Held;                                      // Ready; what can run them is still to come.
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
  bool Submitted = false;       // All of the program.
  bool Submitting = false;      // The main thread is at it.
  bool Ending = false;          // Nothing is run any more.
  std::vector<TaskNode *> Live; // Submitted and not complete, by slot; null: the slot is free.
  std::vector<uint32_t> FreeSlots;
  std::unordered_map<TaskId, TaskNode *> Unfinished; // Where the program names tasks.
  TaskId NextTask = 1;
  uint64_t Outstanding = 0, Completed = 0, Happened = 0;
  std::vector<Duration> Waits;
  std::vector<std::vector<VersionCount>> Counts; // By type and version.
  status Failure;
};

} // namespace hsched::rt::virt
#endif
