// Predicted remaining time of the transfers on one worker's links.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_LINKQUEUE_H
#define HSCHED_SCHED_LINKQUEUE_H

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace hsched::rt {

// Times in nanoseconds. Any thread; a value read during concurrent updates is an estimate.
class alignas(64) LinkQueue {
public:
  using Ns = int64_t;

  // Adds, and removes, a task that waits for the worker, with the predicted time of its transfers.
  void queue(Ns Travel) { Queued.fetch_add(Travel, std::memory_order_relaxed); }
  void unqueue(Ns Travel) { Queued.fetch_sub(Travel, std::memory_order_relaxed); }
  // The worker has begun a task: its transfers start at Now, behind those in progress.
  void begin(Ns Travel, Ns Now) {
    Ns Was = Until.load(std::memory_order_relaxed);
    while (Travel > 0 && !Until.compare_exchange_weak(Was, std::max(Was, Now) + Travel, std::memory_order_relaxed))
      ;
  }
  // The same for a queued task, with the time that is left of the prediction. Data that several tasks read are
  // transferred only for the first.
  void begin(Ns Predicted, Ns Left, Ns Now) {
    const double Was = Share.load(std::memory_order_relaxed);
    const double Is = std::min(1.0, static_cast<double>(Left) / static_cast<double>(std::max<Ns>(Predicted, 1)));
    Share.store(Was + (Is - Was) / 8, std::memory_order_relaxed);
    begin(Left, Now);
  }
  // Time from Now until all of these transfers have ended.
  Ns remaining(Ns Now) const {
    return std::max<Ns>(0, Until.load(std::memory_order_relaxed) - Now) +
           static_cast<Ns>(Share.load(std::memory_order_relaxed) *
                           static_cast<double>(std::max<Ns>(0, Queued.load(std::memory_order_relaxed))));
  }

private:
  std::atomic<Ns> Queued{0}; // Sum over waiting tasks.
  std::atomic<Ns> Until{0};  // End of the transfers of begun tasks.
  std::atomic<double> Share{1};
};

} // namespace hsched::rt
#endif
