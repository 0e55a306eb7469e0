// The plugin's exports. HSCHED_SIM is the number of simulated devices, none by default; HSCHED_SIM_MEMORY their memory
// in bytes each, HSCHED_QUEUES how many compute queues each has.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/sim/Sim.h"
#include "base/Env.h"
#include "base/Log.h"

using namespace hsched::rt;

extern "C" HSCHED_EXPORT unsigned hsched_backend_version();
extern "C" HSCHED_EXPORT Backend *hsched_backend_create();
// For programs that load the plugin: sim::simRegisterKernel, found with dlsym.
extern "C" HSCHED_EXPORT void hsched_sim_register_kernel(const char *Entry, sim::SimKernel Function);
// sim::simPinnedOn, found with dlsym.
extern "C" HSCHED_EXPORT unsigned hsched_sim_pinned_on(const void *Ptr, size_t Bytes);

unsigned hsched_backend_version() { return BackendInterfaceVersion; }

Backend *hsched_backend_create() {
  suppressSettingWarnings();
  sim::SimOptions Options;
  Options.Devices = static_cast<unsigned>(envUnsigned("HSCHED_SIM", 0, 0, 16));
  Options.MemoryBytes = envUnsigned("HSCHED_SIM_MEMORY", uint64_t(1) << 30, 1, uint64_t(1) << 46);
  for (const auto &[For, N] : envNumbers("HSCHED_QUEUES", 1, 32))
    if (For.empty())
      Options.Queues = N;
  return new sim::SimBackend(std::move(Options));
}

void hsched_sim_register_kernel(const char *Entry, sim::SimKernel Function) {
  sim::simRegisterKernel(Entry, std::move(Function));
}

unsigned hsched_sim_pinned_on(const void *Ptr, size_t Bytes) { return sim::simPinnedOn(Ptr, Bytes); }
