// An operation as the directory's books have it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation is in the books before it has been given to its device, and its end is known to them when somebody has
// asked the device without the directory's lock: with it held, only flags are looked at.
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
  explicit Promise(EventRef Of) : State(Kept), Given(std::move(Of)) {} // Which has been given to its device.

  // Once one of the two, by whoever carries it out.
  void keep(EventRef Of);
  void refuse(status Reason); // It was not begun.
  // Blocks until then. No more than other threads' calls of drivers is waited for, and what those come after.
  void await() const { State.wait(Open, std::memory_order_acquire); }
  bool settled() const { return State.load(std::memory_order_acquire) != Open; }
  // The device's event; null where it was refused, and once its end is known. settled().
  EventRef given() const;

  // Asks no device. Whether it is known that it has ended; then, how.
  bool ended() const { return State.load(std::memory_order_acquire) == Ended; }
  const status &how() const { return How; }

  // What they are told is known from then on.
  bool done() override;
  status wait() override;
  status outcome() override { return ended() ? How : status(); }
  std::optional<Interval> times() override;

private:
  enum : uint32_t { Open, Kept, Ended };
  void end(status Outcome);

  std::atomic<uint32_t> State{Open};
  mutable std::mutex Lock; // Given, and changes of State.
  EventRef Given;
  status How; // Written before State is Ended, not afterwards.
};
using PromiseRef = std::shared_ptr<Promise>;

} // namespace hsched::rt
#endif
