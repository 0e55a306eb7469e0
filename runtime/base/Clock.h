// Clocks. Policies, models and the executor take a Clock, so the same code runs in virtual
// time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_CLOCK_H
#define HSCHED_BASE_CLOCK_H

#include <chrono>

namespace hsched::rt {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;

// Thread-safe.
class Clock {
public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
};

// std::chrono::steady_clock.
class SteadyClock final : public Clock {
public:
  TimePoint now() const override { return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now()); }
};

// Advances only on request. One thread advances it; any may read.
class ManualClock; // base/ManualClock.h

struct Interval {
  TimePoint Begin, End;
  Duration length() const { return End - Begin; }
};

} // namespace hsched::rt
#endif
