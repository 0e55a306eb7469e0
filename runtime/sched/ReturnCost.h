// What a task that runs on a device costs cores afterwards, which have to fetch its data from there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_RETURNCOST_H
#define HSCHED_SCHED_RETURNCOST_H

#include <atomic>
#include <cstdint>

namespace hsched::rt {

// By what was observed lately, in nanoseconds. Any thread; what one thread reads while others count is an estimate.
class ReturnCost {
public:
  using Ns = int64_t;

  // A task has been given to a core, which is to fetch data for so long first, or to a device.
  void planned(bool OnCore, Ns Fetches) {
    if (OnCore) {
      if (Fetches > 0)
        Fetched.fetch_add(Fetches, std::memory_order_relaxed);
      return;
    }
    const auto Is = static_cast<double>(Fetched.exchange(0, std::memory_order_relaxed));
    const double Was = Each.load(std::memory_order_relaxed);
    Each.store(Was + (Is - Was) / 32, std::memory_order_relaxed);
  }
  // For one task on a device.
  Ns each() const { return static_cast<Ns>(Each.load(std::memory_order_relaxed)); }

private:
  std::atomic<Ns> Fetched{0};
  std::atomic<double> Each{0};
};

} // namespace hsched::rt
#endif
