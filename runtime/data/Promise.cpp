// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/Promise.h"

#include <utility>

namespace hsched::rt {

void Promise::fulfill(EventRef Of) {
  {
    std::lock_guard Guard(Lock);
    DeviceEvent = std::move(Of);
    State.store(Fulfilled, std::memory_order_release);
  }
  State.notify_all();
}

void Promise::refuse(status Reason) { end(std::move(Reason)); }

void Promise::end(status Outcome) {
  EventRef Last; // Destroyed without the lock.
  {
    std::lock_guard Guard(Lock);
    if (State.load(std::memory_order_relaxed) == Ended)
      return;
    Last = std::move(DeviceEvent);
    How = std::move(Outcome);
    State.store(Ended, std::memory_order_release);
  }
  State.notify_all();
}

EventRef Promise::event() const {
  std::lock_guard Guard(Lock);
  return DeviceEvent;
}

bool Promise::done() {
  if (ended())
    return true;
  const EventRef Of = settled() ? event() : nullptr;
  if (Of && Of->done())
    end(Of->outcome());
  return ended();
}

status Promise::wait() {
  await();
  if (const EventRef Of = event())
    end(Of->wait());
  return How;
}

std::optional<Interval> Promise::times() {
  const EventRef Of = event();
  return Of ? Of->times() : std::nullopt;
}

} // namespace hsched::rt
