// A clock for tests and for virtual time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_MANUALCLOCK_H
#define HSCHED_BASE_MANUALCLOCK_H

#include "base/Clock.h"

#include <atomic>

namespace hsched::rt {

// Advances only on request. One thread advances it; any may read.
class ManualClock final : public Clock {
public:
  TimePoint now() const override { return TimePoint(Duration(SinceEpochNs.load(std::memory_order_acquire))); }

  void advance(Duration By) { SinceEpochNs.fetch_add(By.count(), std::memory_order_acq_rel); }
  // Time never runs backwards: an earlier point is ignored.
  void advanceTo(TimePoint To) {
    if (To > now())
      SinceEpochNs.store(To.time_since_epoch().count(), std::memory_order_release);
  }

private:
  std::atomic<Duration::rep> SinceEpochNs{0};
};

} // namespace hsched::rt
#endif
