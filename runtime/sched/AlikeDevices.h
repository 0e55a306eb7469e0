// Which of several alike devices is slower than the others: hotter, or shared with another program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_ALIKEDEVICES_H
#define HSCHED_SCHED_ALIKEDEVICES_H

#include "base/Ids.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>

namespace hsched::rt {

// Alike devices share what is known of execution times. Here is by what factor each of them differs from it, in its
// last runs. Times in nanoseconds. Any thread.
class AlikeDevices {
public:
  using Ns = int64_t;

  // Before anything else.
  void start(size_t MostWorkers) { Factors.resize(MostWorkers); }
  // A run on W took so long, where Expected was known of its kind.
  void ran(WorkerId W, Ns Took, Ns Expected) {
    if (Expected <= 0)
      return;
    const double Is = std::clamp(static_cast<double>(Took) / static_cast<double>(Expected), 1 / Most, Most);
    const double Was = Factors[W].By.load(std::memory_order_relaxed);
    Factors[W].By.store(Was + (Is - Was) / 16, std::memory_order_relaxed);
  }
  // How long a run on W will take. What differs by less than a fifth does not count.
  Ns expected(WorkerId W, Ns OfItsKind) const {
    const double By = Factors[W].By.load(std::memory_order_relaxed);
    return By < Noise && By > 1 / Noise ? OfItsKind : static_cast<Ns>(By * static_cast<double>(OfItsKind));
  }

private:
  static constexpr double Most = 4; // Of one run: it may have been disturbed.
  static constexpr double Noise = 1.2;
  struct alignas(64) Factor {
    std::atomic<double> By{1};
  };
  std::deque<Factor> Factors; // By worker.
};

} // namespace hsched::rt
#endif
