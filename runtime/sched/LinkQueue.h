// How long the transfers will take that have been given to one worker's links, by what was predicted of them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_LINKQUEUE_H
#define HSCHED_SCHED_LINKQUEUE_H

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace hsched::rt {

// Times in nanoseconds. Any thread; what one thread reads while others count is an estimate.
class alignas(64) LinkQueue {
public:
  using Ns = int64_t;

  // A task whose data are predicted to travel for so long waits for the worker, and does so no more.
  void queue(Ns Travel) { Queued.fetch_add(Travel, std::memory_order_relaxed); }
  void unqueue(Ns Travel) { Queued.fetch_sub(Travel, std::memory_order_relaxed); }
  // The worker has a task in hand, whose data travel from Now on, after those that do already.
  void begin(Ns Travel, Ns Now) {
    Ns Was = Until.load(std::memory_order_relaxed);
    while (Travel > 0 && !Until.compare_exchange_weak(Was, std::max(Was, Now) + Travel, std::memory_order_relaxed))
      ;
  }
  // The same for one that was queued: then it turns out how much of what was predicted is left. Data that several
  // tasks read travel for the first of them alone.
  void begin(Ns Predicted, Ns Left, Ns Now) {
    const double Was = Share.load(std::memory_order_relaxed);
    const double Is = std::min(1.0, static_cast<double>(Left) / static_cast<double>(std::max<Ns>(Predicted, 1)));
    Share.store(Was + (Is - Was) / 8, std::memory_order_relaxed);
    begin(Left, Now);
  }
  // Until all of that has travelled, seen from Now.
  Ns remaining(Ns Now) const {
    return std::max<Ns>(0, Until.load(std::memory_order_relaxed) - Now) +
           static_cast<Ns>(Share.load(std::memory_order_relaxed) *
                           static_cast<double>(std::max<Ns>(0, Queued.load(std::memory_order_relaxed))));
  }

private:
  std::atomic<Ns> Queued{0}; // Of tasks that wait.
  std::atomic<Ns> Until{0};  // When the transfers of those in hand have ended.
  std::atomic<double> Share{1};
};

} // namespace hsched::rt
#endif
