// Simulations for tests: a platform in JSON, a program, what happened.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_SIMULATED_H
#define HSCHED_TEST_SIMULATED_H

#include "trace/Observer.h"
#include "virtual/Simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace hsched::rt::virt::test {

using namespace std::chrono_literals;

inline PlatformModel platform(const std::string &Json) {
  PlatformModel P;
  status Read = parsePlatform(Json, "test.json", P);
  EXPECT_TRUE(Read.ok()) << Read.message();
  return P;
}

// Tasks from a list.
class Listed final : public Program {
public:
  Listed(std::vector<std::string> Types, std::vector<TaskSpec> Tasks)
      : Types(std::move(Types)), Tasks(std::move(Tasks)) {}
  const std::vector<std::string> &types() const override { return Types; }
  bool next(TaskSpec &Out) override { return At < Tasks.size() && (Out = Tasks[At++], true); }

  const std::vector<std::string> Types;
  const std::vector<TaskSpec> Tasks;

private:
  size_t At = 0;
};

// Everything, by task.
struct Recorder final : Observer {
  struct Run {
    TimePoint Begin, End;
    uint32_t Worker = NoWorker;
    std::string Version;
    unsigned Times = 0;
  };
  void submitted(const SubmitRecord &R) override {
    Outstanding += 1;
    MostOutstanding = std::max(MostOutstanding, Outstanding);
    note("submitted", R.Id, R.At, 0);
  }
  void ran(const RunRecord &R) override {
    Run &Each = Runs[R.Id];
    Each = {R.Ran.Begin, R.Ran.End, R.Worker, R.Version, Each.Times + 1};
    Outstanding -= 1;
    note("ran", R.Id, R.Ran.Begin, R.Worker);
  }
  void transferred(const TransferRecord &R) override {
    note("moved", R.For, R.Ran.Begin, R.Worker);
    note(std::to_string(R.Bytes), R.For, R.Ran.End, static_cast<unsigned>(R.Kind));
  }
  void note(const std::string &What, uint64_t Id, TimePoint At, uint64_t Worker) {
    All += What + " " + std::to_string(Id) + " " + std::to_string(At.time_since_epoch().count()) + " " +
           std::to_string(Worker) + "\n";
  }

  std::map<TaskId, Run> Runs;
  std::string All;
  int64_t Outstanding = 0, MostOutstanding = 0;
};

struct Observed {
  status Ended;
  SimulationResult Result;
  Recorder Seen;
};

inline void simulate(const PlatformModel &P, Program &Tasks, Policy &Scheduler, Observed &Out,
                     SimulationOptions Options = {}, History *Times = nullptr) {
  History Own;
  TaskTypes Types(P, Tasks.types());
  Options.Watch = &Out.Seen;
  Simulation S(P, Types, Scheduler, Times ? *Times : Own, Options);
  Out.Ended = S.run(Tasks, Out.Result);
}

inline void simulate(const PlatformModel &P, Program &Tasks, const std::string &Policy, Observed &Out,
                     const SimulationOptions &Options = {}) {
  auto Scheduler = makePolicy(Policy);
  ASSERT_NE(Scheduler, nullptr) << Policy;
  simulate(P, Tasks, *Scheduler, Out, Options);
}

inline TaskSpec task(unsigned Type, double Work) {
  TaskSpec T;
  T.Type = Type;
  T.Work = Work;
  return T;
}

inline std::vector<std::string> policyNames() {
  std::vector<std::string> Names;
  for (const PolicyEntry &E : policies())
    Names.push_back(E.Name);
  return Names;
}

inline std::string testName(std::string Name) {
  std::ranges::replace(Name, '-', '_');
  return Name;
}

} // namespace hsched::rt::virt::test
#endif
