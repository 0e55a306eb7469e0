// An operation in the directory's state.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation is recorded before it has been given to its device. Its end becomes known when a thread polls the device
// without the directory's lock. With the lock held, only flags are read.
#ifndef HSCHED_DATA_PROMISE_H
#define HSCHED_DATA_PROMISE_H

#include "device/Device.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace hsched::rt {

// Any thread.
class Promise final : public Event {
public:
  Promise() = default;
  explicit Promise(EventRef Of) : State(Fulfilled), DeviceEvent(std::move(Of)) {} // A device has the event already.

  // One of the two, once, by the thread that executes the command.
  void fulfill(EventRef Of);
  void refuse(status Reason); // It was not begun.
  // Blocks until then: for other threads' calls of drivers, and what those wait for, no longer.
  void await() const { State.wait(Open, std::memory_order_acquire); }
  bool settled() const { return State.load(std::memory_order_acquire) != Open; }
  // The device's event. Null if it was refused, and once its end is known. Call when settled().
  EventRef event() const;

  // True if it is known to have ended, with the outcome. Does not poll the device.
  bool ended() const { return State.load(std::memory_order_acquire) == Ended; }
  const status &how() const { return How; }

  // Poll or wait. Their result is known from then on.
  bool done() override;
  status wait() override;
  status outcome() override { return ended() ? How : status(); }
  std::optional<Interval> times() override;

private:
  enum : uint32_t { Open, Fulfilled, Ended };
  void end(status Outcome);

  std::atomic<uint32_t> State{Open};
  mutable std::mutex Lock; // Guards DeviceEvent, and changes of State.
  EventRef DeviceEvent;
  status How; // Written before State is Ended, never after.
};
using PromiseRef = std::shared_ptr<Promise>;

} // namespace hsched::rt
#endif
