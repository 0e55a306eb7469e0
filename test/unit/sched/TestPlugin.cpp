// Policies as plug-ins, good and bad: what FLAW says is wrong with this one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsched/policy.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

enum { None, OtherMajor, NewerMinor, NoPop, NullEntry, RefusesToStart, ThrowsInPush, ThrowsInPop, WrongWorker, Twice };

namespace {

struct Lifo {
  const hsched_policy_host *H;
  std::mutex Lock;
  std::vector<hsched_task *> Ready; // Guarded by Lock.
  unsigned Pops = 0;                // Guarded by Lock.
  hsched_task *Last = nullptr;      // Guarded by Lock.

  // The version that ends first there; one more than there are: none.
  uint32_t versionFor(const hsched_task *T, uint32_t Worker) const {
    hsched_candidate Of[64];
    uint32_t N = std::min(H->predict(H->self, T, Of, 64), 64u), Best = H->versions(T);
    double End = 0;
    for (uint32_t I = 0; I < N; ++I)
      if (Of[I].worker == Worker && (Best == H->versions(T) || Of[I].end < End)) {
        Best = Of[I].version;
        End = Of[I].end;
      }
    return Best;
  }
};

Lifo &of(void *Self) { return *static_cast<Lifo *>(Self); }

void *start(const hsched_policy_host *H) {
  if (FLAW == RefusesToStart || H->interface / 1000 != HSCHED_POLICY_MAJOR)
    return nullptr;
  return new Lifo{H, {}, {}, 0, nullptr};
}
void stop(void *Self) { delete &of(Self); }

void push(void *Self, hsched_task *T, uint32_t, int) {
  Lifo &P = of(Self);
  if (FLAW == ThrowsInPush && P.H->id(T) % 3 == 0)
    throw std::runtime_error("no room");
  P.H->set_data(T, T);
  P.H->queued(P.H->self, T, 0, 0.001);
  {
    std::lock_guard Guard(P.Lock);
    P.Ready.push_back(T);
  }
  for (uint32_t W = 0, N = P.H->workers(P.H->self); W < N; ++W)
    P.H->wake(P.H->self, W);
}

int pop(void *Self, uint32_t W, hsched_task **T, uint32_t *V) {
  Lifo &P = of(Self);
  std::lock_guard Guard(P.Lock);
  if (FLAW == ThrowsInPop && ++P.Pops % 2 == 0)
    throw 42;
  if (FLAW == Twice && P.Last && ++P.Pops % 2 == 0) {
    *T = P.Last;
    return 1;
  }
  for (auto It = P.Ready.rbegin(); It != P.Ready.rend(); ++It) {
    uint32_t Found = FLAW == WrongWorker ? 0 : P.versionFor(*It, W);
    if (Found == P.H->versions(*It) || P.H->data(*It) != *It)
      continue;
    *T = P.Last = *It;
    *V = Found;
    P.H->because(P.H->self, *It, Found, W, "it was the newest");
    P.Ready.erase(std::next(It).base());
    return 1;
  }
  return 0;
}

} // namespace

extern "C" const hsched_policy *hsched_policy_entry(void) {
  static const hsched_policy P = [] {
    hsched_policy Made{};
    Made.struct_bytes = sizeof(Made);
    Made.interface = FLAW == OtherMajor   ? HSCHED_POLICY_INTERFACE + 1000
                     : FLAW == NewerMinor ? HSCHED_POLICY_INTERFACE + 1
                                          : HSCHED_POLICY_INTERFACE;
    Made.name = "test";
    Made.start = start;
    Made.stop = stop;
    Made.push = push;
    Made.pop = FLAW == NoPop ? nullptr : pop;
    return Made;
  }();
  return FLAW == NullEntry ? nullptr : &P;
}
