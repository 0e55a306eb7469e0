// Programs that are simulated: tasks in order of submission, with made-up addresses for their data.
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
  double Work = 0;   // In the units of the platform's speeds: floating-point operations.
  int32_t Priority = 0;
  std::vector<Access> Accesses; // Addresses mean nothing but which bytes are the same.
  std::vector<TaskId> After;    // Earlier tasks that it comes after, beside what the accesses say; the first one is 1.
  double Cost = NoCost;         // In place of the data's size.
  // Measured times in place of the platform's speeds: of version v on kind k at [v * kinds + k]; null: none. Outlives
  // the simulation.
  const Duration *Times = nullptr;
  // One of them that was measured for this very task; negative: none.
  Duration Own{-1};
  unsigned OwnAt = 0; // Index in Times.
  // Before it is submitted the program waits for all that it has submitted, and brings data home...
  bool AwaitsAll = false, Flushes = false;
  std::vector<TaskId> Awaits; // ...or for these tasks.
  Duration Host{-1};          // What the program does before it; negative: as the platform says.

  void clear() {
    After.clear();
    Awaits.clear();
    Cost = NoCost;
    Times = nullptr;
    Own = Host = Duration(-1);
    AwaitsAll = Flushes = false;
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

// One thread.
class Program {
public:
  virtual ~Program() = default;
  virtual const std::vector<std::string> &types() const = 0;
  // The next task to be submitted, into Out, which is clear; false: there is none. Independent of what ran when.
  virtual bool next(TaskSpec &Out) = 0;
  // Whether the main thread runs tasks only where it waits: at a wait, where the window is full, and at the end. Else
  // it does so between two submissions too.
  virtual bool submitsFirst() const { return false; }
  // Whether any task has After.
  virtual bool namesTasks() const { return false; }
};

// A program by its description: "cholesky:N,TILE", "lu:N,TILE", "jacobi:N,TILE[,STEPS]", "gemm:N,TILE",
// "random:SEED[,TASKS]", "independent:TASKS[,WORK]", or a file's name that ends in .json. N and TILE count elements of
// 8 bytes. On failure the message says what to write.
status makeProgram(const std::string &Text, std::unique_ptr<Program> &Out);
// Of is run so many times; before each but the first the program waits for all tasks and brings data home.
std::unique_ptr<Program> repeated(std::function<std::unique_ptr<Program>()> Make, unsigned Times);
// Tasks from a file of JSON, as docs/simulation.md has it.
status readGraph(const std::string &File, std::unique_ptr<Program> &Out);
// What makeProgram takes, one line each, for a help text.
extern const char *const ProgramHelp;

// The task types of a program on a platform. A type has one version for each device and type of device that can run it,
// named after the first kind of worker that does. Outlives what refers to tasks of it; History too.
class TaskTypes {
public:
  TaskTypes(const PlatformModel &Platform, const std::vector<std::string> &Names);
  // With versions as a program has them; tasks bring their times. Kinds: whether it runs on workers of a kind.
  struct VersionSpec {
    std::string Name;
    bool OnDevice = false;
    std::vector<bool> Kinds;
  };
  struct TypeSpec {
    std::string Name;
    std::vector<VersionSpec> Versions;
  };
  TaskTypes(const PlatformModel &Platform, const std::vector<TypeSpec> &Specs);
  TaskType &operator[](unsigned I) { return Types[I].Type; }
  size_t size() const { return Types.size(); }
  // How fast Worker runs it; null: it cannot.
  const Speed *speed(unsigned Type, WorkerId Worker) const { return Types[Type].Speeds[Worker]; }

  // What a task's packed arguments are.
  struct Args {
    double Work;
    uint32_t Slot; // The simulation's.
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
    std::vector<const Speed *> Speeds; // By worker.
  };
  Entry &add(const std::string &Name);
  static void addVersion(Entry &E, const std::string &Name, unsigned Device, unsigned Type);
  std::deque<Entry> Types;
};

} // namespace hsched::rt::virt
#endif
