// The executor with workers of its own, and simulated devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../unit/exec/Machine.h"
#include "Run.h"

#include <atomic>

using namespace hsched::rt;

namespace hsched::oracle {
namespace {

struct Type : TaskType {
  explicit Type(oracle::Versions Kind) {
    const TaskDescription &D = describe(Kind);
    Desc = &D.Task;
    Id = static_cast<uint32_t>(Kind);
    for (const hsched_version_desc *V : D.All) {
      unsigned N = NumVersions;
      Versions[N].Desc = V;
      Versions[N].Index = N;
      NumVersions = N + 1;
    }
    test::settleOnly(*this);
  }
};

TaskType &typeOf(Versions Kind) {
  static Type Types[] = {Type(Versions::Cpu), Type(Versions::TwoCpu), Type(Versions::CpuAndDevice),
                         Type(Versions::Device)};
  return Types[static_cast<int>(Kind)];
}

// With an observer, even one that does nothing, the engine reports every task.
struct Bystander : Observer {};

class MachinePort final : public Port {
public:
  explicit MachinePort(const Setup &S) : M(options(S)) {
    sim::simRegisterKernel("oracle_kernel", [](const hsched_ndrange &, std::span<const sim::SimArg> Given) {
      Word *At[TaskSpec::MostSections] = {};
      for (size_t I = 0; I + 1 < Given.size(); ++I)
        At[I] = Given[1 + I].pointer<Word>();
      runKernel(Given[0].value<void *>(), At);
      return status();
    });
  }

  // As the ABI does it: without a node if that is possible. The engine decides by the known execution time of the
  // task's type, which changes every 16 tasks.
  hsched_task *begin(Versions Kind, unsigned N, hsched_access *&Accesses, void *&Args) override {
    static constexpr uint32_t Nanoseconds[] = {0, 10, 200, 200, 200, 1900, 200, 50000};
    TaskType &Type = typeOf(Kind);
    uint32_t Count = Begun.fetch_add(1, std::memory_order_relaxed);
    Type.Nanoseconds.store(Nanoseconds[Count / 16 * 2654435761u >> 29], std::memory_order_relaxed);
    Type.Unbundled.store(false, std::memory_order_relaxed);
    if (hsched_task *Quick = M.Exec->beginQuick(threadState(), Type, N, Accesses, Args))
      return Quick;
    TaskNode &T = M.Exec->begin(threadState(), Type, N);
    Accesses = T.AccessList;
    Args = T.Args;
    return &T;
  }
  void submit(hsched_task *Task, const hsched_submit_options &How) override {
    if (isQuick(Task))
      M.Exec->submitQuick(threadState(), Task, How);
    else
      M.Exec->submit(threadState(), static_cast<TaskNode &>(*Task), How);
  }
  void taskwait(bool Flush) override { M.Exec->taskwait(threadState(), Flush); }
  void taskwaitOn(std::span<const hsched_access> Sections, bool Flush) override {
    M.Exec->taskwaitOn(threadState(), Sections, Flush);
  }
  bool inFinal() override { return Executor::inFinal(threadState()); }
  void submit(Versions Kind, hsched_submission &What, hsched_ref **Ref) override {
    What.type = &typeOf(Kind);
    TaskNode *Named = nullptr;
    M.Exec->submit(threadState(), What, &Named);
    *Ref = reinterpret_cast<hsched_ref *>(Named);
  }
  void release(hsched_ref *Ref) override { Executor::releaseNamed(threadState(), *reinterpret_cast<TaskNode *>(Ref)); }
  std::function<void()> detach() override {
    TaskNode &T = M.Exec->detach(threadState());
    return [this, &T] { M.Exec->endDetached(threadState(), T, nullptr); };
  }
  int worker() override {
    const Seat *S = threadState().S;
    return S ? static_cast<int>(S->W->Id) : -1;
  }

private:
  test::MachineOptions options(const Setup &S) {
    test::MachineOptions O;
    O.Cpus = S.Workers;
    O.Policy = S.Policy;
    O.Exec.Window = S.Window;
    O.Devices = S.Devices;
    O.Sim.MemoryBytes = 16 << 20;
    O.Watch = S.Watched ? &Bystanding : nullptr;
    return O;
  }
  Bystander Bystanding;
  std::atomic<uint32_t> Begun{0};
  test::Machine M;
};

} // namespace

const bool OwnMachines = true;

std::unique_ptr<Port> makeMachine(const Setup &S) {
  setLogSink([](LogLevel, std::string_view) {}); // No log of failures that no wait throws.
  return std::make_unique<MachinePort>(S);
}

} // namespace hsched::oracle
