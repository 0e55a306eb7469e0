// The thread that opens devices, and its criterion.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Opener.h"

#include "base/Log.h"
#include "base/Signals.h"

#include <algorithm>

#include <pthread.h>

namespace hsched::rt {

using namespace std::chrono_literals;

Opener::Opener(std::function<bool()> Worth, std::function<void()> Open, std::function<void()> Over)
    : Worth(std::move(Worth)), Open(std::move(Open)), Over(std::move(Over)) {
  try {
    SignalsBlocked Blocked;
    Thread = std::thread([this] {
      (void)pthread_setname_np(pthread_self(), "hsched opener");
      run();
    });
  } catch (...) { // std::system_error or std::bad_alloc.
    Wanted = true;
    run();
  }
}

void Opener::run() {
  const TimePoint Begin = SteadyClock().now();
  std::unique_lock Guard(Lock);
  while (!Wanted && !Stopped) {
    Guard.unlock();
    const bool Now = Worth();
    Guard.lock();
    if (Wanted || Stopped)
      break;
    Wanted = Now;
    if (!Wanted)
      Changed.wait_for(Guard, std::clamp<Duration>((SteadyClock().now() - Begin) / 8, 1ms, 1s));
  }
  if (Opening) // By settle.
    return;
  Opening = true;
  const bool Opens = Wanted;
  Guard.unlock();
  try {
    if (Opens)
      Open();
  } catch (const std::bad_alloc &) {
    log(LogLevel::Warning, "devices are left out: the host has no memory left");
  }
  Over();
  Guard.lock();
  IsOver = true;
  Changed.notify_all();
}

void Opener::requestDevices(bool Wait) {
  std::unique_lock Guard(Lock);
  if (!Stopped)
    Wanted = true;
  Changed.notify_all();
  if (Wait)
    Changed.wait(Guard, [this] { return IsOver; });
}

void Opener::stop() {
  {
    std::lock_guard Guard(Lock);
    Stopped = true;
    Changed.notify_all();
  }
  std::lock_guard Guard(Joining);
  if (Thread.joinable())
    Thread.join();
}

void Opener::settle(bool Needed) {
  std::unique_lock Guard(Lock);
  (Needed ? Wanted : Stopped) = true;
  if (!Wanted && !Opening) { // The thread only judges or sleeps: the end does not wait until it wakes.
    Opening = true;
    Guard.unlock();
    Over();
    Guard.lock();
    IsOver = true;
    Changed.notify_all();
    return;
  }
  Changed.notify_all();
  Changed.wait(Guard, [this] { return IsOver; });
}

// Devices that would save a smaller share of the time are not opened: times are not known so well.
static constexpr double LeastSaved = 0.1;

bool worthOpening(const StartFacts &F) {
  const uint64_t AtOnce = std::clamp<uint64_t>(F.Outstanding, 1, F.Cpus);
  const Duration Mean = std::max(F.Runs ? F.Capable / static_cast<int64_t>(F.Runs) : Duration(0), F.Running);
  const Duration Past = std::min(F.Lasted, F.Capable + F.Running);
  const auto Left = Duration(static_cast<int64_t>(static_cast<double>(Mean.count()) *
                                                  static_cast<double>(F.Outstanding) / static_cast<double>(AtOnce)));
  if (F.Known > Duration(0) && 2 * F.Known >= F.Capable) {
    // Speed of a device, in CPU workers. A device that takes their cores takes all.
    const double Speed = static_cast<double>(F.Known.count()) /
                         static_cast<double>(std::max<int64_t>(F.OnDevice.count(), 1)),
                 Cpus = F.Cpus, Saved = F.Shares ? 1 - Cpus / std::max(Speed, Cpus) : Speed / (Cpus + Speed);
    if (Saved < LeastSaved)
      return false;
    if (static_cast<double>(Left.count()) * Saved >= static_cast<double>(F.Cost.count()))
      return true;
  }
  const bool SavesTooLittle = F.Known > Duration(0) && 2 * F.Known >= F.Capable;
  // Ten times the core's share if the end is far enough away, otherwise ten times the whole cost.
  if (!SavesTooLittle && Left >= F.Cost && Past + Left >= 10 * F.Cost / F.Cpus)
    return true;
  return Past >= 11 * F.Cost;
}

} // namespace hsched::rt
