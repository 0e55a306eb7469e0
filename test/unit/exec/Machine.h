// An executor with everything around it, for tests: CPU workers, perhaps simulated devices, any policy.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_EXEC_MACHINE_H
#define HSCHED_TEST_UNIT_EXEC_MACHINE_H

#include "backends/sim/Sim.h"
#include "base/Env.h"
#include "base/Log.h"
#include "device/SubmittingDevice.h"
#include "exec/Executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hsched::rt::test {

inline void addVersion(TaskType &Type, const hsched_version_desc &V) {
  unsigned N = Type.NumVersions;
  Type.Versions[N].Desc = &V;
  Type.Versions[N].Index = N;
  Type.NumVersions = N + 1;
}

// A type whose tasks run a function given at submission.
class FunctionType {
public:
  struct Args {
    std::function<void()> Body;
  };

  explicit FunctionType(const char *Name = "function") {
    Desc.struct_bytes = sizeof(Desc);
    Desc.name = Desc.linker_name = Name;
    Desc.file = "test.cpp";
    Desc.args_bytes = sizeof(Args);
    Desc.args_align = alignof(Args);
    Desc.destroy = [](void *A) { static_cast<Args *>(A)->~Args(); };
    Type.Desc = &Desc;
    Cpu.struct_bytes = sizeof(Cpu);
    Cpu.linker_name = Cpu.name = Name;
    Cpu.device = HSCHED_DEVICE_CPU;
    Cpu.run = [](void *A) { static_cast<Args *>(A)->Body(); };
    add(Cpu);
  }
  void add(const hsched_version_desc &V) { addVersion(Type, V); }

  hsched_task_desc Desc{};
  hsched_version_desc Cpu{};
  TaskType Type;
};

// What the registry does for types that are registered.
inline void settleOnly(TaskType &Type) {
  const Version *Only = nullptr;
  unsigned Found = 0;
  for (const Version &V : std::span(Type.Versions.data(), Type.numVersions()))
    if (V.Desc->device == HSCHED_DEVICE_CPU && ++Found == 1 && V.Desc->run)
      Only = &V;
  Type.OnlyOnCpu = Type.Quick = Found == 1 ? Only : nullptr;
}

inline Access on(unsigned Mode, const void *Base, size_t Bytes, unsigned Param = HSCHED_NO_PARAM) {
  return {Base, Bytes, 1, 0, Mode, Param};
}
template <class T> Access in(const T &Object) { return on(HSCHED_IN, &Object, sizeof(T)); }
template <class T> Access out(T &Object) { return on(HSCHED_OUT, &Object, sizeof(T)); }
template <class T> Access inout(T &Object) { return on(HSCHED_INOUT, &Object, sizeof(T)); }

// Collects the log while it lives.
class Captured {
public:
  Captured() {
    setLogSink([this](LogLevel Level, std::string_view Text) { Lines.emplace_back(Level, Text); });
  }
  ~Captured() { setLogSink({}); }
  size_t count(LogLevel Level, const std::string &Part = "") const {
    return static_cast<size_t>(std::ranges::count_if(
        Lines, [&](const auto &L) { return L.first == Level && L.second.find(Part) != std::string::npos; }));
  }

private:
  std::vector<std::pair<LogLevel, std::string>> Lines; // Under the log's lock; read when the machine is quiet.
};

struct MachineOptions {
  unsigned Cpus = 2;
  std::string Policy = "eager";
  ExecutorOptions Exec;
  unsigned Devices = 0;
  unsigned Later = 0; // Devices that admit() brings.
  sim::SimOptions Sim;
  Observer *Watch = nullptr;
  History::Before Known; // Times of earlier runs.
};

// Starts at once; shuts down at its end.
class Machine {
public:
  explicit Machine(MachineOptions O = {}) : Sim(O.Sim), Times(O.Known) {
    Workers.Workers.reserve(O.Cpus + O.Devices + O.Later);
    O.Exec.ArrivingDevices = O.Later;
    if (O.Later && !O.Exec.RequestDevices)
      O.Exec.RequestDevices = [](bool) {};
    for (unsigned I = 0; I < O.Cpus; ++I) {
      Worker W;
      W.Id = I;
      W.Name = "CPU " + std::to_string(I);
      Workers.Workers.push_back(std::move(W));
    }
    std::vector<NodeInfo> Nodes{{nullptr, 0}};
    for (unsigned I = 0; I < O.Devices; ++I) {
      add(std::make_unique<sim::SimDevice>(I, O.Sim));
      Workers.Workers.push_back(workerOf(*Devices.back(), O.Cpus + I, Nodes, HostNode));
    }
    Data = std::make_unique<Directory>(Nodes, Time, O.Watch);
    Scheduler = makePolicy(O.Policy);
    Exec = std::make_unique<Executor>(Workers, *Scheduler, *Data, Times, Time, O.Watch, O.Exec);
    Exec->start();
  }
  ~Machine() { stop(); }
  void stop() {
    if (Exec)
      Exec->shutdown(threadState());
    Exec.reset();
  }

  // One more device is there. By one thread.
  void admit() { admit(std::make_unique<sim::SimDevice>(static_cast<unsigned>(Devices.size()), Sim)); }
  void admit(std::unique_ptr<Device> D) {
    std::vector<NodeInfo> Nodes;
    add(std::move(D));
    std::vector<Worker> New{
        workerOf(*Devices.back(), static_cast<WorkerId>(Workers.Workers.size()), Nodes, HostNode + 1)};
    Data->addNodes(Nodes);
    Exec->arrivingDevices().admit(threadState(), Workers, std::move(New));
  }

  // A task of the type that this machine has at hand.
  void submit(std::vector<Access> Accesses, std::function<void()> Body, const char *Label = nullptr) {
    submitTo(Functions.Type, std::move(Accesses), FunctionType::Args{std::move(Body)}, Label);
  }
  template <class A> void submitTo(TaskType &Type, std::vector<Access> Accesses, A Args, const char *Label = nullptr) {
    hsched_submit_options How{};
    How.label = Label;
    submitTo(Type, Accesses, std::move(Args), How);
  }
  // As the ABI does: in a quicker way where that is possible.
  template <class A>
  void submitTo(TaskType &Type, const std::vector<Access> &Accesses, A &&Args, const hsched_submit_options &How) {
    auto N = static_cast<unsigned>(Accesses.size());
    settleOnly(Type);
    if (Nanoseconds)
      Type.Nanoseconds.store(*Nanoseconds);
    Access *List;
    void *Memory;
    hsched_task *T = Exec->beginNested(threadState(), Type, N, List, Memory);
    if (T || (T = Exec->beginQuick(threadState(), Type, N, List, Memory))) {
      using Packed = std::remove_cvref_t<A>;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(Memory) % alignof(Packed), 0u);
      new (Memory) Packed(std::forward<A>(Args));
      std::ranges::copy(Accesses, List);
      bool Plain = !How.label && !How.flags && !How.priority && !How.n_reductions;
      if (CallFrame *Around = Plain ? Executor::enclosingCall(threadState(), T) : nullptr)
        Exec->submitNested(threadState(), T, *Around);
      else
        Exec->submitQuick(threadState(), T, How);
      return;
    }
    TaskNode &Node = Exec->begin(threadState(), Type, N);
    new (Node.Args) std::remove_cvref_t<A>(std::forward<A>(Args));
    std::ranges::copy(Accesses, Node.AccessList);
    Exec->submit(threadState(), Node, How);
  }
  void wait() { Exec->taskwait(threadState(), true); }
  sim::SimDevice &device(unsigned I) { return static_cast<sim::SimDevice &>(*Bare[I]); }

  // With HSCHED_TEST_SUBMIT_THREAD=1 commands are handed over by a thread of the device.
  void add(std::unique_ptr<Device> D) {
    Bare.push_back(D.get());
    if (envFlag("HSCHED_TEST_SUBMIT_THREAD", false))
      D = std::make_unique<SubmittingDevice>(std::move(D));
    Devices.push_back(std::move(D));
  }

  static Worker workerOf(Device &D, WorkerId Id, std::vector<NodeInfo> &Nodes, MemoryNode First) {
    Worker W;
    W.Id = Id;
    W.Name = "Sim " + std::to_string(D.info().Index);
    W.Kind = D.info().Kind;
    W.Type = D.info().Type;
    W.Dev = &D;
    W.Node = static_cast<MemoryNode>(First + Nodes.size());
    Nodes.push_back({&D, W.Id});
    return W;
  }

  const sim::SimOptions Sim;
  // The execution time of a task that the engine takes as known at the next submission; none: the measured time.
  std::optional<uint32_t> Nanoseconds;
  SteadyClock Time;
  FunctionType Functions;
  History Times;
  Platform Workers;
  std::vector<std::unique_ptr<Device>> Devices;
  std::vector<Device *> Bare; // The same without decorators.
  std::unique_ptr<Directory> Data;
  std::unique_ptr<Policy> Scheduler;
  std::unique_ptr<Executor> Exec;
};

} // namespace hsched::rt::test
#endif
