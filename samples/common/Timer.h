// The time of a sample's work, for samples/compare.py: one line on standard error.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_COMMON_TIMER_H
#define HSCHED_SAMPLES_COMMON_TIMER_H

#include <chrono>
#include <cstdio>

namespace samples {

class Timer {
public:
  // Prints the time since it was made: "time: 12.345 ms".
  void stop() const {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start_;
    std::fprintf(stderr, "time: %.3f ms\n", took.count());
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace samples
#endif
