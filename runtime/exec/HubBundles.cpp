// Open bundles: which worker takes one; and one short task with a wait for it, for which nobody is woken.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To wake a worker takes ten times as long as a short task, and the thread that submitted it comes to its wait sooner
// than that worker. But whether it will come to a wait nobody can know: it may go on for long, or wait for the task by
// its own means. So once several waits in a row were for one bundle that no other worker took, one worker without work
// does not sleep for ever: it looks every Round whether something is left alone, for as long as somebody counts on it.
// Meanwhile nobody is woken for a bundle that has just been opened, or that a wait closes.
//
// No task is forgotten: whoever has queued something looks for the sentry afterwards, and a sentry that leaves looks
// for work afterwards. One of the two sees the other; see test/model/sentry.pml.
#include "exec/Hub.h"

#include <algorithm>

namespace hsched::rt {
namespace {

// How long a worker looks for other work before it takes an open bundle: as long as it takes to fill one.
constexpr Duration Patience = std::chrono::microseconds(4);

constexpr uint32_t EnoughWaits = 3;
constexpr Duration Round = std::chrono::milliseconds(1);
constexpr unsigned QuietRounds = 8; // after which it leaves
// As long as a thread needs from a submission to its wait.
constexpr unsigned PausesBetweenLooks = 128;

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
  else if (!SentryWanted.load(std::memory_order_relaxed))
    SentryWanted.store(true, std::memory_order_relaxed);
}

// Whether there is work, and was a moment ago: what is about to be taken by who queued it does not count.
bool Hub::isLeftAlone() const {
  auto open = [this] {
    std::array<uint64_t, 16> Now{};
    for (unsigned Part = 0, N = std::min<unsigned>(Roots.parts(), Now.size()); Part < N; ++Part)
      Now[Part] = Roots.openBundle(Part);
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
         std::ranges::any_of(Table.used(), [](const OwnQueue &L) { return L.Ready.size() != 0; });
}

bool Hub::keepWatch(WorkerId W, Parker &P, const std::atomic<bool> &Stopping) {
  if (!SentryWanted.load(std::memory_order_relaxed) || W == 0 || Sentry.exchange(true))
    return false;
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
  Sentry.store(false); // the caller looks for work once more
  return true;
}

// An open bundle that may run. It is left to grow for a moment, unless AtOnce.
TaskNode *Hub::takeOpenBundle(Seat &S, bool AtOnce) {
  for (unsigned Part = 0, N = Roots.parts(); Part < N; ++Part) {
    uint64_t Open = Roots.openBundle(Part);
    if (Open == 0)
      continue;
    if (!AtOnce) { // for the first one that is open
      TimePoint Now = Time.now();
      if (std::exchange(S.SeenBundle, Open) != Open)
        S.BundleSince = Now;
      if (Now - S.BundleSince < Patience)
        return nullptr;
      S.BundleSince = TimePoint::max(); // once: what it waits for is run by others, who will look
    }
    if (TaskNode *T = Roots.takeBundle(Part))
      return T;
    if (!AtOnce)
      return nullptr;
  }
  return nullptr;
}

// By who goes on with other work: what it completed last may have made an open bundle ready, and nobody was told.
void Hub::offerOpenBundle() {
  if (!QueueIdle.any(words()) || Searchers.load() != 0)
    return;
  for (unsigned Part = 0, N = Roots.parts(); Part < N; ++Part)
    if (TaskNode *T = Roots.takeBundle(Part))
      enqueueBundle(*T);
}

// By a thread that runs what it finds next.
void Hub::passOnBundles() {
  TaskNode *First = nullptr;
  bool Alone = Ways.Bundles && ownQueue().Ready.size() == 0;
  for (unsigned Part = 0, N = Roots.parts(); Part < N; ++Part)
    if (TaskNode *T = Roots.closeBundle(Part)) {
      if (First) {
        Alone = false;
        enqueueBundle(*First);
      }
      First = T;
    }
  if (First)
    enqueueBundle(*First, Alone);
  if (Ways.Bundles)
    waitsForOne(Alone && First);
}

} // namespace hsched::rt
