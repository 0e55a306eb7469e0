// A device's profile times on the host's time line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device counts nanoseconds from a point of its own. Each operation bounds the difference to the host's clock: it
// cannot have begun before the host enqueued it nor ended after the host saw its end. A first estimate comes from tiny
// transfers, whose bounds are some ten microseconds apart; later, every operation that contradicts the estimate moves
// it to the nearer bound, so that clocks may drift apart for ever. No device's own timer call is needed (not every
// driver has one, and it need not tell the profile's time).
#ifndef HSCHED_BACKENDS_OPENCL_DEVICECLOCK_H
#define HSCHED_BACKENDS_OPENCL_DEVICECLOCK_H

#include "base/Clock.h"

#include <atomic>
#include <cstdint>
#include <mutex>

namespace hsched::rt::opencl {

// Any thread.
class DeviceClock {
public:
  // An operation that ran [Begin, End] by the device's clock between the host's two looks at its own; called for a
  // few of them before the first onHost().
  void calibrate(uint64_t Begin, uint64_t End, TimePoint Enqueued, TimePoint Seen);

  // When [Begin, End] was on the host's time line, within [Enqueued, Seen].
  Interval onHost(uint64_t Begin, uint64_t End, TimePoint Enqueued, TimePoint Seen);

  // The device's time at At, by what is known; 0: nothing is.
  uint64_t onDevice(TimePoint At);

  // The latest end of a kernel that was asked for, by the device's clock; 0: none.
  uint64_t latestEnd() const { return Latest.load(std::memory_order_relaxed); }
  void ended(uint64_t End) {
    uint64_t Old = Latest.load(std::memory_order_relaxed);
    while (Old < End && !Latest.compare_exchange_weak(Old, End, std::memory_order_relaxed))
      ;
  }

private:
  std::atomic<uint64_t> Latest{0};
  std::mutex Lock;
  bool Known = false;
  int64_t Low = 0, High = 0; // Bounds of host minus device, ns, from calibration.
  int64_t Difference = 0;    // Host minus device, ns.
};

} // namespace hsched::rt::opencl
#endif
