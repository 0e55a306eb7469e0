// Conversion of a device's profile times to the host's clock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device counts nanoseconds from its own origin. Each operation bounds the offset to the host's clock: it began after
// the host enqueued it and ended before the host saw its end. A first estimate comes from tiny transfers, whose bounds
// are about 10 us apart. Later, an operation that contradicts the estimate moves it to the nearer bound, so the clocks
// may drift. No timer call of the driver is needed: not every driver has one, and it may use another clock than
// profiles.
#ifndef HSCHED_BACKENDS_OPENCL_DEVICECLOCK_H
#define HSCHED_BACKENDS_OPENCL_DEVICECLOCK_H

#include "base/Clock.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace hsched::rt::opencl {

// Any thread.
class DeviceClock {
public:
  // Adds an operation that ran [Begin, End] on the device's clock, and the host times around it. Called for a few
  // operations before the first onHost().
  void calibrate(uint64_t Begin, uint64_t End, TimePoint Enqueued, TimePoint Seen);

  // Converts [Begin, End] to host time, within [Enqueued, Seen].
  Interval onHost(uint64_t Begin, uint64_t End, TimePoint Enqueued, TimePoint Seen);

  // The estimated device time at At. 0: unknown.
  uint64_t onDevice(TimePoint At);

  // The latest end of a kernel before End, on the device's clock, among the last converted ones. 0: none. Kernels of
  // several queues are not always converted in the order of their ends. Some end at the same time.
  uint64_t lastEndBefore(uint64_t End) const {
    uint64_t Last = 0;
    for (const std::atomic<uint64_t> &Each : Ends)
      if (const uint64_t Its = Each.load(std::memory_order_relaxed); Its < End && Its > Last)
        Last = Its;
    return Last;
  }
  void ended(uint64_t End) {
    Ends[NumEnds.fetch_add(1, std::memory_order_relaxed) % Ends.size()].store(End, std::memory_order_relaxed);
  }

  // I, moved so that it begins at Earliest or later. Its length stays, because it is a measurement.
  static Interval notBefore(const Interval &I, TimePoint Earliest) {
    return I.Begin >= Earliest ? I : Interval{Earliest, Earliest + I.length()};
  }

private:
  std::array<std::atomic<uint64_t>, 32> Ends{};
  std::atomic<uint64_t> NumEnds{0};
  std::mutex Lock;
  bool Calibrated = false;
  int64_t Low = 0, High = 0; // Bounds of host minus device from calibration, in ns.
  int64_t Difference = 0;    // Host minus device, in ns.
};

} // namespace hsched::rt::opencl
#endif
