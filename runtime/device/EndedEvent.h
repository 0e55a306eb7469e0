// The event of something that has ended, without times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DEVICE_ENDEDEVENT_H
#define HSCHED_DEVICE_ENDEDEVENT_H

#include "device/Device.h"

namespace hsched::rt {

class EndedEvent final : public Event {
public:
  explicit EndedEvent(status Outcome = {}) : Outcome(std::move(Outcome)) {}
  bool done() override { return true; }
  status wait() override { return Outcome; }
  status outcome() override { return Outcome; }
  std::optional<Interval> times() override { return std::nullopt; }

  status Outcome; // Constant as soon as other threads have the event.
};

} // namespace hsched::rt
#endif
