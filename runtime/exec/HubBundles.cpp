// Open bundles, and the poller, which avoids wake-ups for one short task followed by a wait.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waking a worker takes ten times as long as a short task, and the submitting thread usually reaches its wait
// before the worker runs. But it may also go on for long, or wait for the task by other means. So after several
// successive waits for one bundle that no other worker took, one idle worker becomes the poller. It polls every
// Round for tasks that no thread runs. Meanwhile no worker is woken for a bundle that has just been opened, or that
// a wait closes.
//
// No task is lost: a thread that has queued a task reads Poller afterwards, and a poller that leaves searches for tasks
// afterwards. One of the two sees the other; see test/model/sentry.pml.
#include "exec/Hub.h"

#include <algorithm>

namespace hsched::rt {
namespace {

// Time that a worker searches for other work before it takes an open bundle: about the time to fill one.
constexpr Duration Patience = std::chrono::microseconds(4);

constexpr uint32_t EnoughWaits = 3;
constexpr Duration Round = std::chrono::milliseconds(1);
constexpr unsigned QuietRounds = 8; // After which it leaves.
// About the time from a submission to its wait.
constexpr unsigned PausesBetweenChecks = 128;

} // namespace

void Hub::waitsForOne(bool Alone) {
  if (!Alone) {
    if (LoneWaits.load(std::memory_order_relaxed))
      LoneWaits.store(0, std::memory_order_relaxed);
    return;
  }
  const uint32_t Before = LoneWaits.load(std::memory_order_relaxed);
  if (Before < EnoughWaits)
    LoneWaits.store(Before + 1, std::memory_order_relaxed);
  else if (!PollerWanted.load(std::memory_order_relaxed))
    PollerWanted.store(true, std::memory_order_relaxed);
}

// True if there is work now and there was a moment ago. A task that its submitter is about to take does not count.
bool Hub::hasUnclaimedWork() const {
  auto open = [this] {
    std::array<uint64_t, 16> Now{};
    for (unsigned Part = 0, N = std::min<unsigned>(Roots.parts(), Now.size()); Part < N; ++Part)
      Now[Part] = Roots.openBundle(Part);
    return Now;
  };
  if (!anyWork())
    return false;
  const auto Before = open();
  for (unsigned I = 0; I < PausesBetweenChecks; ++I)
    Parker::pause();
  const auto After = open();
  for (size_t I = 0; I < Before.size(); ++I)
    if (Before[I] && Before[I] == After[I])
      return true;
  return Spilled.any() || Homed.any() || InPolicy.load() > 0 ||
         std::ranges::any_of(Table.used(), [](const OwnQueue &L) { return L.Ready.size() != 0; });
}

bool Hub::pollWhileIdle(WorkerId W, Parker &P, const std::atomic<bool> &Stopping) {
  if (!PollerWanted.load(std::memory_order_relaxed) || W == 0 || Poller.exchange(true))
    return false;
  for (unsigned Quiet = 0; Quiet < QuietRounds;) {
    WakeUpSkipped.store(false, std::memory_order_relaxed);
    if (P.park(Round) || Stopping.load() || hasUnclaimedWork())
      break;
    Quiet = WakeUpSkipped.load(std::memory_order_relaxed) ? 0 : Quiet + 1;
    if (Quiet == QuietRounds) {
      PollerWanted.store(false, std::memory_order_relaxed);
      LoneWaits.store(0, std::memory_order_relaxed);
    }
  }
  Poller.store(false); // The caller searches once more.
  return true;
}

// Takes an open bundle that may run. It may grow for a moment, unless AtOnce.
TaskNode *Hub::takeOpenBundle(Seat &S, bool AtOnce) {
  for (unsigned Part = 0, N = Roots.parts(); Part < N; ++Part) {
    uint64_t Open = Roots.openBundle(Part);
    if (Open == 0)
      continue;
    if (!AtOnce) { // For the first one that is open.
      TimePoint Now = Time.now();
      if (std::exchange(S.LastBundle, Open) != Open)
        S.BundleSince = Now;
      if (Now - S.BundleSince < Patience)
        return nullptr;
      S.BundleSince = TimePoint::max(); // Only once: other threads run its predecessors, and will search afterwards.
    }
    if (TaskNode *T = Roots.takeBundle(Part))
      return T;
    if (!AtOnce)
      return nullptr;
  }
  return nullptr;
}

// For a thread that goes on with other work: its last completion may have made an open bundle ready, and no thread was
// woken.
void Hub::offerOpenBundle(ThreadState &Me) {
  if (!QueueIdle.any(words()) || Searchers.load() != 0)
    return;
  for (unsigned Part = 0, N = Roots.parts(); Part < N; ++Part)
    if (TaskNode *T = Roots.takeBundle(Part))
      enqueueBundle(Me, *T);
}

// For a thread that runs the next task it finds.
void Hub::passOnBundles(ThreadState &Me) {
  TaskNode *First = nullptr;
  bool Alone = Paths.Bundles && ownQueue(Me).Ready.size() == 0 && !seemsHomed(Me); // Tasks of the own queue run first.
  for (unsigned Part = 0, N = Roots.parts(); Part < N; ++Part)
    if (TaskNode *T = Roots.closeBundle(Part)) {
      if (First) {
        Alone = false;
        enqueueBundle(Me, *First);
      }
      First = T;
    }
  if (First)
    enqueueBundle(Me, *First, Alone);
  if (Paths.Bundles)
    waitsForOne(Alone && First);
}

} // namespace hsched::rt
