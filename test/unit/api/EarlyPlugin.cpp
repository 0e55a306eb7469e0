// A plug-in in place of the OpenCL one: a simulated device, which is opened when the program says so.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EarlyGate.h"
#include "backends/sim/Sim.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <string_view>
#include <thread>
#include <unistd.h>

using namespace hsched;
using namespace hsched::rt;

namespace {

test::EarlyGate *gate() { return static_cast<test::EarlyGate *>(dlsym(RTLD_DEFAULT, "early_gate")); }

struct GatedBackend final : Backend {
  const char *name() const override { return "opencl"; }

  status enumerate(const BackendOptions &Options, std::vector<std::unique_ptr<Device>> &Out) override {
    test::EarlyGate *Gate = gate();
    if (!Gate || Options.Selection == "none")
      return {};
    ++Gate->Enumerated;
    char Name[32] = "";
    (void)pthread_getname_np(pthread_self(), Name, sizeof(Name));
    Gate->Early += std::string_view(Name) == "hsched early";
    Gate->Thread = gettid();
    cpu_set_t Cores;
    CPU_ZERO(&Cores);
    (void)sched_getaffinity(0, sizeof(Cores), &Cores);
    Gate->Cores = CPU_COUNT(&Cores);
    sigset_t Signals;
    (void)pthread_sigmask(SIG_BLOCK, nullptr, &Signals);
    Gate->Blocked = sigismember(&Signals, SIGTERM) == 1;
    Gate->Working = true;
    if (std::getenv("TEST_DRIVER_SETS"))
      setenv("DRIVER", "1", 1);
    std::atexit([] { // As drivers do when they are loaded.
      std::printf("driver %s\n", gate()->Working ? "at work" : "at rest");
      std::fflush(stdout);
    });
    Gate->Entered = true;
    Gate->Entered.notify_all();
    if (std::getenv("TEST_GATE"))
      Gate->Open.wait(false);
    for (int I = 0; I < 20; ++I) // Long enough for an end that does not wait.
      std::this_thread::yield();
    Gate->Working = false;
    sim::SimOptions Sim;
    Sim.Devices = 1;
    ++Gate->Live;
    // The device owns this function, so its end is the device's.
    Sim.Builds = [Owned = std::shared_ptr<void>(Gate, [Gate](void *) { --Gate->Live; }), Gate] { ++Gate->Built; };
    Out.push_back(std::make_unique<sim::SimDevice>(0, Sim));
    return {};
  }
};

} // namespace

extern "C" HSCHED_EXPORT unsigned hsched_backend_version() { return BackendInterfaceVersion; }
extern "C" HSCHED_EXPORT Backend *hsched_backend_create() {
  sim::simRegisterKernel("increment", [](const hsched_ndrange &R, std::span<const sim::SimArg> A) -> status {
    for (size_t I = 0; I < R.global[0]; ++I)
      ++A[0].pointer<unsigned char>()[I];
    return {};
  });
  return new GatedBackend;
}
