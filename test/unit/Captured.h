// What is logged, for tests.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_CAPTURED_H
#define HSCHED_TEST_UNIT_CAPTURED_H

#include "base/Log.h"

#include <string>
#include <string_view>
#include <vector>

namespace hsched::rt::test {

// Collects what is logged while it lives.
struct Captured {
  std::vector<std::string> Lines;
  Captured() {
    setLogSink([this](LogLevel, std::string_view Text) { Lines.emplace_back(Text); });
  }
  ~Captured() { setLogSink({}); }
};

} // namespace hsched::rt::test
#endif
