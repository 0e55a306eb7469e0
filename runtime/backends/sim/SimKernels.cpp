// Kernels of the simulated device, by entry name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/sim/SimEngine.h"

#include <map>
#include <mutex>

namespace hsched::rt::sim {

namespace {
struct Registry {
  std::mutex M;
  std::map<std::string, SimKernel> Kernels;
};
} // namespace

// Never destroyed: programs may register in static constructors and run kernels until they exit.
static Registry &registry() {
  static Registry &R = *new Registry;
  return R;
}

void simRegisterKernel(const std::string &Entry, SimKernel Function) {
  std::lock_guard Lock(registry().M);
  registry().Kernels[Entry] = std::move(Function);
}

SimKernel findKernel(const std::string &Entry) {
  std::lock_guard Lock(registry().M);
  auto Found = registry().Kernels.find(Entry);
  return Found == registry().Kernels.end() ? SimKernel() : Found->second;
}

} // namespace hsched::rt::sim
