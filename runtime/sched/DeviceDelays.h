// What tasks on a device take beyond their runs: to be launched one after another, and to be seen to end.
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

// By what was observed lately, in nanoseconds. A device's tasks begin and end on one thread; any thread reads.
class DeviceDelays {
public:
  using Ns = int64_t;

  void start(size_t MostWorkers) { Each = std::deque<Delay>(MostWorkers); }

  // W has a task in hand, and nothing else if Alone. Travels: until its data are there, as predicted.
  void begins(WorkerId W, bool Alone, Ns Travels, Ns Now) {
    Delay &D = Each[W];
    D.Alone = Alone ? Now + Travels : 0;
  }
  // One that ran for so long has ended. More: W has others in hand; Quiet: none of these waits for data.
  void ended(WorkerId W, Ns Ran, bool More, bool Quiet, Ns Now) {
    Delay &D = Each[W];
    if (D.Last && Quiet)
      move(D.Between, std::clamp<Ns>(Now - D.Last - Ran, -Ran, Most), 1.0 / 16);
    if (D.Alone && Quiet && !More)
      move(D.Until, std::clamp<Ns>(Now - D.Alone - Ran, 0, Most), 1.0 / 8);
    D.Last = More && Quiet ? Now : 0;
    D.Alone = 0;
  }

  // What each task of a list takes more than it runs.
  Ns between(WorkerId W) const { return read(Each[W].Between); }
  // From when a task's data are there until it is known that it has ended, less its run and what is between tasks.
  Ns latency(WorkerId W) const { return std::max<Ns>(0, read(Each[W].Until) - between(W)); }

private:
  static constexpr Ns Most = 1'000'000; // Of one: it may have been disturbed.
  struct alignas(64) Delay {
    std::atomic<double> Between{0}, Until{0};
    Ns Last = 0;  // When one ended and others were in hand; 0: none were.
    Ns Alone = 0; // When the data of the only one in hand were there; 0: there are others.
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
