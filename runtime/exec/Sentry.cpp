// Avoids wake-ups for one short task followed by a wait.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waking a worker takes ten times as long as a short task, and the submitting thread usually reaches its wait
// before the worker runs. But it may also go on for long, or wait for the task by other means. So after several
// successive waits for one bundle that no other worker took, one idle worker becomes the sentry: it polls every
// Round for tasks that no thread runs. Meanwhile no worker is woken for a bundle that has just been opened, or that
// a wait closes.
//
// No task is lost: a thread that has queued a task reads Sentry afterwards, and a sentry that leaves searches for tasks
// afterwards. One of the two sees the other; see test/model/sentry.pml.
#include "exec/Executor.h"

#include <algorithm>

namespace hsched::rt {
namespace {

constexpr uint32_t EnoughWaits = 3;
constexpr Duration Round = std::chrono::milliseconds(1);
constexpr unsigned QuietRounds = 8; // Rounds without work after which it leaves.
// About the time from a submission to its wait.
constexpr unsigned PausesBetweenLooks = 128;

} // namespace

void Executor::waitsForOne(bool Alone) {
  if (!Alone) {
    if (LoneWaits.load(std::memory_order_relaxed))
      LoneWaits.store(0, std::memory_order_relaxed);
    return;
  }
  const uint32_t Before = LoneWaits.load(std::memory_order_relaxed);
  if (Before < EnoughWaits)
    LoneWaits.store(Before + 1, std::memory_order_relaxed);
  else if (!SentryWanted.load(std::memory_order_relaxed))
    SentryWanted.store(true, std::memory_order_relaxed);
}

// True if there is work now and there was a moment ago. A task that its submitter is about to take does not count.
bool Executor::isLeftAlone() {
  auto open = [this] {
    std::array<uint64_t, 16> Now{};
    for (unsigned Part = 0, N = std::min<unsigned>(RootDomain.parts(), Now.size()); Part < N; ++Part)
      Now[Part] = RootDomain.openBundle(Part);
    return Now;
  };
  if (!anyWork())
    return false;
  const auto Before = open();
  for (unsigned I = 0; I < PausesBetweenLooks; ++I)
    Parker::pause();
  const auto After = open();
  for (size_t I = 0; I < Before.size(); ++I)
    if (Before[I] && Before[I] == After[I])
      return true;
  return Spilled.any() || InPolicy.load() > 0 ||
         std::ranges::any_of(Table->used(), [](const OwnQueue &L) { return L.Ready.size() != 0; });
}

void Executor::rest(Seat &S) {
  Parker &P = ownParker();
  if (joinLoops(S))
    return;
  if (!SentryWanted.load(std::memory_order_relaxed) || S.W->Id == 0 || Sentry.exchange(true)) {
    P.park();
    (void)joinLoops(S);
    return;
  }
  for (unsigned Quiet = 0; Quiet < QuietRounds;) {
    Unwoken.store(false, std::memory_order_relaxed);
    if (P.park(Round) || Stopping.load() || isLeftAlone())
      break;
    Quiet = Unwoken.load(std::memory_order_relaxed) ? 0 : Quiet + 1;
    if (Quiet == QuietRounds) {
      SentryWanted.store(false, std::memory_order_relaxed);
      LoneWaits.store(0, std::memory_order_relaxed);
    }
  }
  Sentry.store(false); // The caller searches once more.
}

} // namespace hsched::rt
