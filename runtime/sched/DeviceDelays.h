// Overheads of tasks on a device: between consecutive tasks, and until their ends are noticed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_DEVICEDELAYS_H
#define HSCHED_SCHED_DEVICEDELAYS_H

#include "base/Ids.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>

namespace hsched::rt {

// Recent measurements in nanoseconds. A device's tasks begin and end on one thread; any thread reads.
class DeviceDelays {
public:
  using Ns = int64_t;

  void start(size_t MostWorkers) { Each = std::deque<Delay>(MostWorkers); }

  // W has begun a task; Alone: its only one. Travels: predicted time until its data are there.
  void begins(WorkerId W, bool Alone, Ns Travels, Ns Now) {
    Delay &D = Each[W];
    D.Alone = Alone ? Now + Travels : 0;
  }
  // A task that ran for Ran has ended. More: W has begun others; Quiet: none of these waits for data.
  void ended(WorkerId W, Ns Ran, bool More, bool Quiet, Ns Now) {
    Delay &D = Each[W];
    if (D.Last && Quiet)
      move(D.Between, std::clamp<Ns>(Now - D.Last - Ran, -Ran, Most), 1.0 / 16);
    if (D.Alone && Quiet && !More)
      move(D.Until, std::clamp<Ns>(Now - D.Alone - Ran, 0, Most), 1.0 / 8);
    D.Last = More && Quiet ? Now : 0;
    D.Alone = 0;
  }

  // The additional time of each task in a sequence.
  Ns between(WorkerId W) const { return read(Each[W].Between); }
  // Time from the arrival of a task's data until its end is noticed, without its run and the overhead between tasks.
  Ns latency(WorkerId W) const { return std::max<Ns>(0, read(Each[W].Until) - between(W)); }

private:
  static constexpr Ns Most = 1'000'000; // Limit for one measurement: it may have been disturbed.
  struct alignas(64) Delay {
    std::atomic<double> Between{0}, Until{0};
    Ns Last = 0;  // End of the last task while others had begun; 0: none.
    Ns Alone = 0; // Arrival of the data of the only task; 0: there are others.
  };
  static void move(std::atomic<double> &Of, Ns Is, double Share) {
    const double Was = Of.load(std::memory_order_relaxed);
    Of.store(Was + (static_cast<double>(Is) - Was) * Share, std::memory_order_relaxed);
  }
  static Ns read(const std::atomic<double> &Of) {
    return std::max<Ns>(0, static_cast<Ns>(Of.load(std::memory_order_relaxed)));
  }

  std::deque<Delay> Each; // By worker.
};

} // namespace hsched::rt
#endif
