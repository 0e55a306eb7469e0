// Stand-ins until the writers of trace/ are all there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/Writers.h"

namespace hsched::rt {
std::unique_ptr<Observer> makeChromeTrace(std::string) { return nullptr; }
std::unique_ptr<Observer> makeGraphWriter(std::string) { return nullptr; }
std::unique_ptr<Observer> makeStatistics(std::function<void(const std::string &)>) { return nullptr; }
} // namespace hsched::rt
