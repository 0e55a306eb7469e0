// The runtime on simulated devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_API_SIMULATED_H
#define HSCHED_TEST_UNIT_API_SIMULATED_H

#include "Incrementer.h"
#include "backends/sim/Sim.h"

#include <cstdlib>
#include <dlfcn.h>
#include <span>

namespace hsched::test {

// Starts the runtime, on as many as HSCHED_SIM says, and gives these the incrementers' kernel. False when there are
// none.
inline bool startOnSimulatedDevices() {
  setenv("HSCHED_OPENCL", "0", 1);
  setenv("HSCHED_PLUGIN_PATH", TEST_PLUGINS, 1);
  int Dummy = 0;
  submit({section(HSCHED_INOUT, Dummy)}, [] {}); // Loads the plugin.
  hsched_taskwait(0);
  void *Plugin = dlopen(TEST_PLUGIN, RTLD_NOW | RTLD_NOLOAD);
  using Register = void (*)(const char *, rt::sim::SimKernel);
  auto Add = Plugin ? reinterpret_cast<Register>(dlsym(Plugin, "hsched_sim_register_kernel")) : nullptr;
  if (!Add)
    return false;
  Add("increment", [](const hsched_ndrange &R, std::span<const rt::sim::SimArg> A) -> status {
    for (size_t I = 0; I < R.global[0]; ++I)
      ++A[0].pointer<unsigned char>()[I];
    return {};
  });
  return true;
}

} // namespace hsched::test

#endif
