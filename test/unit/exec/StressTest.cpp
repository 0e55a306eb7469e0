// Random programs on CPU workers and simulated devices together, against the serial program. They have tasks on
// overlapping pieces of one vector, children, waits, host writes between them, and too little device memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints its seed; HSCHED_TEST_SEED repeats a run.
#include "Machine.h"
#include "base/Env.h"

#include <random>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct StepArgs {
  long *X; // The vector's first element, not the piece's: kernels get a pointer before their buffer.
  size_t Begin, N;
  const long *From; // A piece that is read.
  size_t FromN;
  long Plus;
};

// X[i] = 3 X[i] + Plus + sum of From: no two steps commute.
void step(long *Piece, size_t N, const long *From, size_t FromN, long Plus) {
  auto Sum = static_cast<unsigned long>(Plus);
  for (size_t I = 0; I < FromN; ++I)
    Sum += static_cast<unsigned long>(From[I]);
  for (size_t I = 0; I < N; ++I)
    Piece[I] = static_cast<long>(3 * static_cast<unsigned long>(Piece[I]) + Sum);
}

class StepType {
public:
  explicit StepType(bool Cpu, bool Device) {
    Desc.name = Desc.linker_name = "step";
    Desc.args_bytes = sizeof(StepArgs);
    Desc.args_align = alignof(StepArgs);
    Type.Desc = &Desc;
    OnCpu.linker_name = OnCpu.name = "step";
    OnCpu.run = [](void *P) {
      auto &A = *static_cast<StepArgs *>(P);
      step(A.X + A.Begin, A.N, A.From, A.FromN, A.Plus);
    };
    Kernel.name = Kernel.entry = "step_sim";
    Kernel.n_args = 6;
    Kernel.flags = HSCHED_KERNEL_OFFSETS;
    Kernel.fill = [](const void *P, hsched_ndrange *Range, hsched_kernel_arg *Out) {
      auto &A = *static_cast<const StepArgs *>(P);
      Range->dims = 1;
      Range->global[0] = 1;
      Out[0] = {HSCHED_ARG_BUFFER, 0, 0, nullptr, A.X, {}};
      Out[1] = {HSCHED_ARG_VALUE, 1, sizeof(A.Begin), &A.Begin, nullptr, {}};
      Out[2] = {HSCHED_ARG_VALUE, 2, sizeof(A.N), &A.N, nullptr, {}};
      Out[3] = {HSCHED_ARG_BUFFER, 3, 0, nullptr, A.From, {}};
      Out[4] = {HSCHED_ARG_VALUE, 4, sizeof(A.FromN), &A.FromN, nullptr, {}};
      Out[5] = {HSCHED_ARG_VALUE, 5, sizeof(A.Plus), &A.Plus, nullptr, {}};
    };
    sim::simRegisterKernel("step_sim", [](const hsched_ndrange &, std::span<const sim::SimArg> Args) {
      auto At = reinterpret_cast<uintptr_t>(Args[0].Pointer) + Args[1].value<size_t>() * sizeof(long);
      size_t FromN = Args[4].value<size_t>();
      step(reinterpret_cast<long *>(At), Args[2].value<size_t>(), Args[3].pointer<long>(), FromN,
           Args[5].value<long>());
      return hsched::status();
    });
    OnDevice.linker_name = OnDevice.name = "step_cl";
    OnDevice.device = HSCHED_DEVICE_OPENCL;
    OnDevice.kernel = &Kernel;
    for (auto *V : {Cpu ? &OnCpu : nullptr, Device ? &OnDevice : nullptr})
      if (V)
        addVersion(Type, *V);
  }

  hsched_task_desc Desc{};
  hsched_version_desc OnCpu{}, OnDevice{};
  hsched_kernel_desc Kernel{};
  TaskType Type;
};

constexpr size_t Elements = 200;

struct Stress : testing::TestWithParam<std::tuple<unsigned, const char *, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(All, Stress,
                         testing::Combine(testing::Values(1u, 3u),
                                          testing::Values("eager", "versioning", "dmdas", "heft", "prio", "ws"),
                                          testing::Values(1u, 2u)),
                         [](const auto &Info) {
                           return std::string(std::get<1>(Info.param)) + std::to_string(std::get<0>(Info.param)) +
                                  "devices" + std::to_string(std::get<2>(Info.param));
                         });

class RandomProgram {
public:
  RandomProgram(uint64_t Seed, MachineOptions O) : Random(Seed), M(std::move(O)), X(Elements), Y(Elements) {}

  void run() {
    for (int I = 0; I < 400; ++I)
      oneAction(true);
    M.wait();
    ASSERT_EQ(X, Y);
  }

private:
  size_t below(size_t N) { return std::uniform_int_distribution<size_t>(0, N - 1)(Random); }

  void oneAction(bool Outside) {
    switch (below(24)) {
    case 0:
      M.wait();
      ASSERT_EQ(X, Y);
      for (size_t I = below(Elements); I < Elements; ++I)
        X[I] = Y[I] = Y[I] / 2;
      return;
    case 1: {
      size_t Begin = below(Elements), N = 1 + below(Elements - Begin);
      Access Named[] = {on(HSCHED_IN, &X[Begin], N * sizeof(long))};
      M.Exec->taskwaitOn(Named, true);
      for (size_t I = Begin; I < Begin + N; ++I) {
        ASSERT_EQ(X[I], Y[I]);
        X[I] = Y[I] = Y[I] + 1;
      }
      return;
    }
    case 2:
      M.Exec->taskwait(false);
      return;
    case 3:
      if (Outside)
        parent();
      return;
    default:
      submitStep();
    }
  }

  // A task that holds everything and whose children share it out. The serial program runs along inside.
  void parent() {
    bool Waits = below(2);
    // What Y will be is needed outside at once, so the children's steps are made here.
    std::vector<std::pair<StepType *, StepArgs>> Steps;
    for (size_t N = below(6); N > 0; --N)
      Steps.push_back(makeStep());
    M.submit({on(HSCHED_INOUT, X.data(), Elements * sizeof(long))}, [this, Steps, Waits] {
      for (const auto &[Type, Args] : Steps)
        submit(*Type, Args);
      if (Waits)
        M.wait();
    });
  }

  std::pair<StepType *, StepArgs> makeStep() {
    StepArgs A{};
    A.X = X.data();
    A.Begin = below(Elements);
    A.N = 1 + below(std::min<size_t>(Elements - A.Begin, 60));
    A.Plus = static_cast<long>(below(100));
    size_t Begin = below(Elements);
    A.FromN = 1 + below(std::min<size_t>(Elements - Begin, 60)); // May overlap what is updated.
    A.From = &X[Begin];
    step(&Y[A.Begin], A.N, &Y[Begin], A.FromN, A.Plus);
    return {&Types[below(3)], A};
  }

  void submit(StepType &Type, const StepArgs &A) {
    M.submitTo(
        Type.Type,
        {on(HSCHED_INOUT, A.X + A.Begin, A.N * sizeof(long), 0), on(HSCHED_IN, A.From, A.FromN * sizeof(long), 3)}, A);
  }
  void submitStep() {
    auto [Type, Args] = makeStep();
    submit(*Type, Args);
  }

  std::mt19937_64 Random;
  StepType Types[3] = {StepType(true, false), StepType(false, true), StepType(true, true)};
  Machine M;
  std::vector<long> X, Y; // Y: the serial program's.
};

TEST_P(Stress, TheResultIsTheSerialPrograms) {
  uint64_t Seed = envUnsigned("HSCHED_TEST_SEED", std::random_device()(), 0, UINT64_MAX);
  for (int Round = 0; Round < 10 && !HasFatalFailure(); ++Round, ++Seed) {
    std::printf("HSCHED_TEST_SEED=%llu\n", static_cast<unsigned long long>(Seed));
    MachineOptions O;
    O.Cpus = std::get<0>(GetParam());
    O.Policy = std::get<1>(GetParam());
    O.Devices = std::get<2>(GetParam());
    O.Exec.Window = Round % 2 ? 4 : 4096;
    if (Round % 2) // Devices reach each other.
      O.Sim.In = sim::makeContext();
    O.Sim.Queues = 1 + static_cast<unsigned>(Round) % 3;
    O.Sim.MemoryBytes = Round % 3 == 2 ? 3 * Elements * sizeof(long) : 1 << 20;
    RandomProgram(Seed, O).run();
  }
}

} // namespace
