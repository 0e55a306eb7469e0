// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/DeviceClock.h"

#include <algorithm>

namespace hsched::rt::opencl {

static int64_t ticks(TimePoint T) { return T.time_since_epoch().count(); }

void DeviceClock::calibrate(uint64_t Begin, uint64_t End, TimePoint Enqueued, TimePoint Seen) {
  std::lock_guard Guard(Lock);
  int64_t L = ticks(Enqueued) - static_cast<int64_t>(Begin), H = ticks(Seen) - static_cast<int64_t>(End);
  if (Calibrated) {
    L = std::max(L, Low);
    H = std::min(H, High);
  }
  if (L > H) // The clocks disagree about a duration: the estimate stays.
    return;
  Calibrated = true;
  Low = L;
  High = H;
  Difference = L + (H - L) / 2;
}

Interval DeviceClock::onHost(uint64_t Begin, uint64_t End, TimePoint Enqueued, TimePoint Seen) {
  int64_t B = static_cast<int64_t>(Begin), E = static_cast<int64_t>(End);
  int64_t L = ticks(Enqueued) - B, H = ticks(Seen) - E;
  std::lock_guard Guard(Lock);
  if (!Calibrated) {
    Calibrated = true;
    Difference = H;
  }
  if (L <= H)
    Difference = std::clamp(Difference, L, H);
  // If the device's clock counts longer than the host's, the end is kept, and the duration.
  else
    Difference = H;
  return {TimePoint(Duration(B + Difference)), TimePoint(Duration(E + Difference))};
}

uint64_t DeviceClock::onDevice(TimePoint At) {
  std::lock_guard Guard(Lock);
  const int64_t Time = ticks(At) - Difference;
  return Calibrated && Time > 0 ? static_cast<uint64_t>(Time) : 0;
}

} // namespace hsched::rt::opencl
