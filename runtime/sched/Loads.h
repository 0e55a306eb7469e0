// Estimated remaining work of each worker, as counted by policies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_LOADS_H
#define HSCHED_SCHED_LOADS_H

#include "base/Ids.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>

namespace hsched::rt {

// Load of one worker. Times in nanoseconds. Any thread; a value read during concurrent updates is an estimate.
class alignas(64) Load {
public:
  using Ns = int64_t;

  // Adds, and removes, a waiting task with its estimated time.
  void queue(Ns Estimate) {
    QueuedNs.fetch_add(Estimate, std::memory_order_relaxed);
    Queued.fetch_add(1);
  }
  void unqueue(Ns Estimate) {
    Queued.fetch_sub(1);
    QueuedNs.fetch_sub(Estimate, std::memory_order_relaxed);
  }
  // The worker begins, and ends, one of these. Now: by the host's clock.
  void begin(Ns Estimate, Ns Now) {
    RunningNs.fetch_add(Estimate, std::memory_order_relaxed);
    if (Running.fetch_add(1, std::memory_order_relaxed) == 0)
      Since.store(Now, std::memory_order_relaxed);
  }
  void end(Ns Estimate, Ns Now) {
    RunningNs.fetch_sub(Estimate, std::memory_order_relaxed);
    Running.fetch_sub(1, std::memory_order_relaxed);
    Since.store(Now, std::memory_order_relaxed);
  }

  // Number of waiting tasks. Sequentially consistent, as in queue and unqueue: see IdleWorkers.
  int64_t queued() const { return Queued.load(); }
  int64_t inHand() const { return Running.load(std::memory_order_relaxed); }
  // Number of waiting and running tasks.
  int64_t tasks() const { return Queued.load(std::memory_order_relaxed) + Running.load(std::memory_order_relaxed); }
  Ns queuedNs() const { return QueuedNs.load(std::memory_order_relaxed); }
  // Remaining time of its running tasks at Now. A worker runs them one after another, so at most the estimate of one
  // has passed.
  Ns remaining(Ns Now) const {
    Ns Sum = RunningNs.load(std::memory_order_relaxed);
    if (Sum <= 0)
      return 0;
    Ns One = Sum / std::max<int64_t>(Running.load(std::memory_order_relaxed), 1);
    return Sum - std::clamp<Ns>(Now - Since.load(std::memory_order_relaxed), 0, One);
  }

private:
  std::atomic<Ns> QueuedNs{0};
  std::atomic<int64_t> Queued{0};
  std::atomic<Ns> RunningNs{0};
  std::atomic<int64_t> Running{0};
  std::atomic<Ns> Since{0}; // Approximate begin of the oldest running task.
};

// By worker.
class Loads {
public:
  void resize(size_t Workers) { Each.resize(Workers); }
  size_t size() const { return Each.size(); }
  Load &operator[](WorkerId W) { return Each[W]; }
  const Load &operator[](WorkerId W) const { return Each[W]; }

private:
  std::deque<Load> Each;
};

} // namespace hsched::rt
#endif
