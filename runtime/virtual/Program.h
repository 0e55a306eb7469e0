// Simulated programs: tasks in order of submission, with synthetic addresses for their data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_VIRTUAL_PROGRAM_H
#define HSCHED_VIRTUAL_PROGRAM_H

#include "graph/TaskGraph.h"
#include "sched/Platform.h"
#include "virtual/PlatformModel.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hsched::rt::virt {

struct TaskSpec {
  unsigned Type = 0; // Index in Program::types.
  double Work = 0;   // In the unit of the platform's speeds: floating-point operations.
  int32_t Priority = 0;
  std::vector<Access> Accesses; // Addresses serve only as identities of bytes.
  std::vector<TaskId> After;    // Explicit predecessors, besides those of the accesses. Tasks count from 1.
  double Cost = NoCost;         // Replaces the data's size.
  // Measured times that replace the platform's speeds: version v on kind k at [v * kinds + k]. Null: none. Outlives the
  // simulation.
  const Duration *Times = nullptr;
  // The time measured for this task itself; negative: none.
  Duration Own{-1};
  unsigned OwnAt = 0; // Index in Times.
  // Before its submission the program waits for all its tasks, and brings data home...
  bool AwaitsAll = false, Flushes = false;
  bool BeginsRun = false;     // The first task of a repetition. AwaitsAll is true then.
  std::vector<TaskId> Awaits; // ...or for these tasks.
  Duration Host{-1};          // Time of the program before its submission. Negative: the platform's Submission.

  void clear() {
    After.clear();
    Awaits.clear();
    Cost = NoCost;
    Times = nullptr;
    Own = Host = Duration(-1);
    AwaitsAll = Flushes = BeginsRun = false;
    Work = 0;
    Priority = 0;
    Accesses.clear();
  }
  // Rows of Bytes bytes, or a range.
  void access(uintptr_t Base, size_t Bytes, unsigned Mode, size_t Rows = 1, size_t Stride = 0) {
    Accesses.push_back(
        {reinterpret_cast<const void *>(Base), Bytes, Rows, Stride, Mode, static_cast<unsigned>(Accesses.size())});
  }
};

// Not thread-safe.
class Program {
public:
  virtual ~Program() = default;
  virtual const std::vector<std::string> &types() const = 0;
  // Writes the next task to Out, which is cleared. False: no more tasks. Independent of the schedule.
  virtual bool next(TaskSpec &Out) = 0;
  // True: the main thread runs tasks only in waits, with a full window, and at the end. False: also between
  // submissions.
  virtual bool submitsFirst() const { return false; }
  // True if a task has explicit predecessors.
  virtual bool namesTasks() const { return false; }
  // True: while the program waits, the last task that writes some data sends them home when it ends. The executor does
  // so.
  virtual bool sendsHome() const { return false; }
};

// Makes a program from its description: `cholesky:N,TILE`, `lu:N,TILE`, `jacobi:N,TILE[,STEPS]`, `gemm:N,TILE`,
// `random:SEED[,TASKS]`, `independent:TASKS[,WORK]`, or a file's name that ends in .json. N and TILE count elements of
// 8 bytes. An error message gives the syntax.
status makeProgram(const std::string &Text, std::unique_ptr<Program> &Out);
// Runs Of repeatedly. Before each run but the first, the program waits for all tasks and brings data home.
std::unique_ptr<Program> repeated(std::function<std::unique_ptr<Program>()> Make, unsigned Times);
// Reads tasks from a JSON file; docs/simulation.md has the format.
status readGraph(const std::string &File, std::unique_ptr<Program> &Out);
// What makeProgram takes, one line each, for a help text.
extern const char *const ProgramHelp;

// The task types of a program on a platform. A type has one version for each device and type of device that can run it,
// named after the first kind of worker that does. Outlives all tasks of its types, and the History.
class TaskTypes {
public:
  TaskTypes(const PlatformModel &Platform, const std::vector<std::string> &Names);
  // Task types with a program's own versions; tasks carry their times. Kinds: whether it runs on each kind of worker.
  struct VersionSpec {
    std::string Name;
    bool OnDevice = false;
    std::vector<bool> Kinds;
    std::vector<Duration> FirstRun = {}; // By kind: what its first run takes more, whatever the size. Empty: nothing.
  };
  struct TypeSpec {
    std::string Name;
    std::vector<VersionSpec> Versions;
  };
  TaskTypes(const PlatformModel &Platform, const std::vector<TypeSpec> &Specs);
  TaskType &operator[](unsigned I) { return Types[I].Type; }
  size_t size() const { return Types.size(); }
  // Speed of Worker for it; null: it cannot run it.
  const Speed *speed(unsigned Type, WorkerId Worker) const { return Types[Type].Speeds[Worker]; }

  Duration firstRun(unsigned Type, unsigned Version, unsigned Kind) const {
    const auto &Of = Types[Type].FirstRuns;
    return Version < Of.size() && Kind < Of[Version].size() ? Of[Version][Kind] : Duration(0);
  }

  // The packed arguments of a task.
  struct Args {
    double Work;
    uint32_t Slot; // Used by the simulation.
    uint32_t OwnAt;
    const Duration *Times; // See TaskSpec.
    Duration Own;
  };

private:
  struct Entry {
    TaskType Type;
    hsched_task_desc Desc{};
    std::string Name;
    std::deque<hsched_version_desc> Versions;
    std::deque<std::string> VersionNames;
    std::vector<const Speed *> Speeds;            // By worker.
    std::vector<std::vector<Duration>> FirstRuns; // By version and kind.
  };
  Entry &add(const std::string &Name);
  static void addVersion(Entry &E, const std::string &Name, unsigned Device, unsigned Type);
  std::deque<Entry> Types;
};

} // namespace hsched::rt::virt
#endif
