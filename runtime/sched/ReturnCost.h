// The cost that a task on a device causes on cores, which fetch its data afterwards.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_RETURNCOST_H
#define HSCHED_SCHED_RETURNCOST_H

#include <atomic>
#include <cstdint>

namespace hsched::rt {

// From recent observations, in nanoseconds. Any thread; a value read during concurrent updates is an estimate.
class ReturnCost {
public:
  using Ns = int64_t;

  // Records a task given to a core, which first fetches data for time Fetches, or to a device.
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
  // Cost of one task on a device.
  Ns each() const { return static_cast<Ns>(Each.load(std::memory_order_relaxed)); }

private:
  std::atomic<Ns> Fetched{0};
  std::atomic<double> Each{0};
};

} // namespace hsched::rt
#endif
