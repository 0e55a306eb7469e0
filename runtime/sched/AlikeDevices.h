// Speed differences between devices of one kind: a device may be hotter, or shared with another program.
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

// Devices of one kind share execution times. This holds the factor by which each device's last runs differ from them.
// Times in nanoseconds. Any thread.
class AlikeDevices {
public:
  using Ns = int64_t;

  // Call before any other function.
  void start(size_t MostWorkers) { Factors.resize(MostWorkers); }
  // Records a run on W, and the expected time of W's kind.
  void ran(WorkerId W, Ns Took, Ns Expected) {
    if (Expected <= 0)
      return;
    const double Is = std::clamp(static_cast<double>(Took) / static_cast<double>(Expected), 1 / Most, Most);
    const double Was = Factors[W].By.load(std::memory_order_relaxed);
    Factors[W].By.store(Was + (Is - Was) / 16, std::memory_order_relaxed);
  }
  // Expected time on W. Differences below a fifth are ignored.
  Ns expected(WorkerId W, Ns OfItsKind) const {
    const double By = Factors[W].By.load(std::memory_order_relaxed);
    return By < Noise && By > 1 / Noise ? OfItsKind : static_cast<Ns>(By * static_cast<double>(OfItsKind));
  }

private:
  static constexpr double Most = 4; // Limit of one run's factor: it may have been disturbed.
  static constexpr double Noise = 1.2;
  struct alignas(64) Factor {
    std::atomic<double> By{1};
  };
  std::deque<Factor> Factors; // By worker.
};

} // namespace hsched::rt
#endif
