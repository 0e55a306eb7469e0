// A small program on devices, one of which fails at its Nth operation, for every N. The results are right, or the wait
// throws and names the missing data. Never anything else.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"

#include <hsched/hsched.h>

#include <array>
#include <ostream>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;
using sim::SimFault;
using sim::SimOp;

namespace {

// Y = K * y + x, or where Set y = K * x: two vectors, so that data of several tasks come together.
struct MixArgs {
  const unsigned long *X;
  unsigned long *Y;
  size_t N;
  unsigned long K;
  bool Set;
  void run() const { mix(X, Y, N, K, Set); }
  static void mix(const unsigned long *X, unsigned long *Y, size_t N, unsigned long K, bool Set) {
    for (size_t I = 0; I < N; ++I)
      Y[I] = Set ? K * X[I] : K * Y[I] + X[I];
  }
};

class MixType {
public:
  explicit MixType(AddType::Where Versions) {
    Desc.name = Desc.linker_name = "mix";
    Desc.file = "test.cpp";
    Desc.args_bytes = sizeof(MixArgs);
    Desc.args_align = alignof(MixArgs);
    Type.Desc = &Desc;
    OnCpu.linker_name = OnCpu.name = "mix";
    OnCpu.device = HSCHED_DEVICE_CPU;
    OnCpu.run = [](void *P) { static_cast<MixArgs *>(P)->run(); };
    Kernel.name = Kernel.entry = "mix_sim";
    Kernel.n_args = 5;
    Kernel.flags = HSCHED_KERNEL_OFFSETS;
    Kernel.fill = [](const void *P, hsched_ndrange *Range, hsched_kernel_arg *Out) {
      auto &A = *static_cast<const MixArgs *>(P);
      Range->dims = 1;
      Range->global[0] = A.N;
      Out[0] = {HSCHED_ARG_BUFFER, 0, 0, nullptr, A.X, {}};
      Out[1] = {HSCHED_ARG_BUFFER, 1, 0, nullptr, A.Y, {}};
      Out[2] = {HSCHED_ARG_VALUE, 2, sizeof(A.N), &A.N, nullptr, {}};
      Out[3] = {HSCHED_ARG_VALUE, 3, sizeof(A.K), &A.K, nullptr, {}};
      Out[4] = {HSCHED_ARG_VALUE, 4, sizeof(A.Set), &A.Set, nullptr, {}};
    };
    sim::simRegisterKernel("mix_sim", [](const hsched_ndrange &, std::span<const sim::SimArg> A) {
      MixArgs::mix(A[0].pointer<unsigned long>(), A[1].pointer<unsigned long>(), A[2].value<size_t>(),
                   A[3].value<unsigned long>(), A[4].value<bool>());
      return hsched::status();
    });
    OnDevice.linker_name = OnDevice.name = "mix_cl";
    OnDevice.device = HSCHED_DEVICE_OPENCL;
    OnDevice.kernel = &Kernel;
    for (auto *V : {Versions & AddType::Cpu ? &OnCpu : nullptr, Versions & AddType::Device ? &OnDevice : nullptr})
      if (V)
        addVersion(Type, *V);
  }

  hsched_task_desc Desc{};
  hsched_version_desc OnCpu{}, OnDevice{};
  hsched_kernel_desc Kernel{};
  TaskType Type;
};

// Four vectors side by side, and what happens to them, once as tasks and once in order.
struct Program {
  static constexpr size_t Rows = 4, N = 16;
  using Data = std::array<std::array<unsigned long, N>, Rows>;
  alignas(128) Data X, Want;

  Program() { reset(); }
  void reset() {
    for (size_t R = 0; R < Rows; ++R)
      for (size_t I = 0; I < N; ++I)
        X[R][I] = Want[R][I] = 10 * R + I + 1;
  }

  template <class Mix> static void first(Data &D, Mix M) {
    for (size_t R = 0; R < Rows; ++R)
      M(D[(R + 1) % Rows].data(), D[R].data(), N, 3 + R, false);
    M(D[3].data(), D[0].data(), N, 7, true);
    M(D[0].data(), D[1].data(), N, 2, false);
    M(D[1].data(), D[2].data() + N / 2, N / 2, 5, false); // A part of it.
  }
  template <class Mix> static void second(Data &D, Mix M) {
    M(D[0].data(), D[2].data(), 2 * N, 3, false); // Until now, they used blocks of their own.
    M(D[3].data(), D[1].data(), N, 2, false);
    M(D[2].data(), D[0].data(), N, 1, true);
  }

  // The only CPU worker is the thread that waits: before that, devices may take what they can. How much they take is
  // of no importance.
  static void letDevices(Machine &M) {
    for (unsigned Quiet = 0; Quiet < 20; ++Quiet) {
      std::this_thread::yield();
      for (unsigned D = 0; D < M.Devices.size(); ++D)
        if (M.device(D).pending())
          Quiet = 0;
    }
  }

  // What the wait throws passes through.
  void run(Machine &M, MixType &Type) {
    auto Submit = [&](const unsigned long *From, unsigned long *To, size_t Count, unsigned long K, bool Set) {
      M.submitTo(Type.Type,
                 {on(HSCHED_IN, From, Count * sizeof(long), 0),
                  on(Set ? HSCHED_OUT : HSCHED_INOUT, To, Count * sizeof(long), 1)},
                 MixArgs{From, To, Count, K, Set});
    };
    first(Want, MixArgs::mix);
    second(Want, MixArgs::mix);
    first(X, Submit);
    letDevices(M);
    M.Exec->taskwait(threadState(), false);
    second(X, Submit);
    letDevices(M);
    M.wait();
  }
};

struct Kind {
  const char *Name;
  SimFault Fault;   // Nth is to be filled in.
  bool MustSucceed; // No copy is ever lost by it.
};
std::ostream &operator<<(std::ostream &Out, const Kind &K) { return Out << K.Name; }

struct Setup {
  const char *Name;
  unsigned Devices;
  AddType::Where Versions;
  uint64_t MemoryBytes;
  const char *Policy;
};
std::ostream &operator<<(std::ostream &Out, const Setup &S) { return Out << S.Name; }

struct Loss : testing::TestWithParam<std::tuple<Kind, Setup>> {};
INSTANTIATE_TEST_SUITE_P(
    Everywhere, Loss,
    testing::Combine(testing::Values(Kind{"GoneAtACall", {SimOp::Any, 1, false, true, false, true}, false},
                                     Kind{"GoneInAnOperation", {SimOp::Any, 1, false, false, false, true}, false},
                                     Kind{"GoneAfterAnOperation", {SimOp::Any, 1, false, false, true, true}, false},
                                     Kind{"RefusedOnce", {SimOp::Any, 1, false, true}, false},
                                     Kind{"FailedOnce", {SimOp::Any, 1, false, false}, false},
                                     Kind{"FailedOnceHalfWay", {SimOp::Any, 1, false, false, true}, false},
                                     Kind{"FailsFromThenOn", {SimOp::Any, 1, true, false, true}, false},
                                     Kind{"OneAllocation", {SimOp::Allocate, 1, false, true}, true},
                                     Kind{"OneUpload", {SimOp::Write, 1, false, false, true}, true},
                                     Kind{"OneDownload", {SimOp::Read, 1, false, false, true}, true},
                                     Kind{"OneLaunchRefused", {SimOp::Launch, 1, false, true}, true}),
                     testing::Values(Setup{"OneDevice", 1, AddType::Both, 1 << 20, "eager"},
                                     Setup{"OneDeviceVersioning", 1, AddType::Both, 1 << 20, "versioning"},
                                     Setup{"OneSmallDevice", 1, AddType::Both, 640, "eager"},
                                     Setup{"TwoDevices", 2, AddType::Device, 1 << 20, "eager"},
                                     Setup{"TwoSmallDevices", 2, AddType::Device, 640, "versioning"})),
    [](const auto &Info) { return std::string(std::get<0>(Info.param).Name) + std::get<1>(Info.param).Name; });

TEST_P(Loss, EveryOperation) {
  const auto &[K, S] = GetParam();
  unsigned Seen = 0, Thrown = 0, Quiet = 0;
  unsigned Idle = 0;
  for (unsigned Nth = 1; Quiet < 4 && Nth < 200;) {
    SCOPED_TRACE("operation " + std::to_string(Nth));
    Captured Log;
    MachineOptions O;
    O.Cpus = 1;
    O.Devices = S.Devices;
    O.Policy = S.Policy;
    O.Sim.MemoryBytes = S.MemoryBytes;
    MixType Mix(S.Versions);
    Program P;
    Machine M(O);
    SimFault F = K.Fault;
    F.Nth = Nth;
    M.device(0).inject(F);

    bool Threw = false;
    try {
      P.run(M, Mix);
    } catch (const hsched::task_error &E) {
      Threw = true;
      EXPECT_FALSE(E.task().empty());
      EXPECT_TRUE(E.device() == "Sim 0" || E.device() == "Sim 1") << E.what();
      EXPECT_FALSE(E.cause().empty());
      EXPECT_FALSE(K.MustSucceed) << E.what();
    }
    if (!Threw) {
      EXPECT_EQ(P.X, P.Want);
    }
    while (M.device(0).pending()) // What was under way still fails.
      std::this_thread::yield();
    unsigned Before = M.device(0).numFaults();
    Seen += Before != 0;
    Thrown += Threw;
    EXPECT_TRUE(!Threw || Before) << "thrown for nothing";
    // The wait without a flush says nothing of data that are not at home. This one does; then all has been said.
    try {
      M.wait();
    } catch (const hsched::task_error &E) {
      EXPECT_TRUE(Threw) << E.what();
    }
    M.wait();

    // The program begins again, and the rest of the machine does it.
    bool Gone = M.Devices[0]->lost();
    EXPECT_EQ(Gone, K.Fault.LosesDevice && Before);
    if (Gone || !K.Fault.Permanent) {
      P.reset();
      try {
        P.run(M, Mix);
        EXPECT_EQ(P.X, P.Want);
      } catch (const hsched::task_error &E) {
        // Only what is to happen once and did not happen in the first round.
        EXPECT_FALSE(Before) << E.what();
      }
    }
    if (Gone && Before) {
      EXPECT_EQ(M.device(0).numFaults(), Before) << "it was given something";
    }
    M.stop();
    EXPECT_EQ(Log.count(LogLevel::Warning, "is lost, and gets no more tasks"), M.Devices[0]->lost() ? 1u : 0u);
    for (unsigned D = 0; D < S.Devices; ++D)
      EXPECT_EQ(M.device(D).bytesInUse(), 0u);
    if (HasFailure())
      break;
    // On a busy machine the CPU may have done everything before the device's thread woke up: then the first one again.
    if (Seen == 0 && ++Idle < 100)
      continue;
    Quiet = Before ? 0 : Quiet + 1;
    ++Nth;
  }
  EXPECT_GT(Seen, 0u);
  RecordProperty("faults", static_cast<int>(Seen));
  RecordProperty("thrown", static_cast<int>(Thrown));
  std::printf("%u faults, %u thrown\n", Seen, Thrown);
}

} // namespace
