// Kinds of workers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/Platform.h"

#include <algorithm>

namespace hsched::rt {

ModelId Platform::modelOf(const std::string &Identity) {
  if (Models.empty())
    Models.emplace_back("CPU"); // CpuModel.
  const auto It = std::ranges::find(Models, Identity);
  if (It == Models.end() && Models.size() == AnyDevice)
    return AnyDevice - 1;
  const auto Index = static_cast<ModelId>(It - Models.begin());
  if (It == Models.end())
    Models.push_back(Identity);
  return Index;
}

} // namespace hsched::rt
