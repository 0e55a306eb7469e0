// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Waiters.h"

#include <algorithm>
#include <new>

namespace hsched::rt {

void Waiters::wakeAll() {
  std::lock_guard Guard(Lock);
  for (auto [P, At] : All)
    P->unpark();
}

void Waiters::settle() {
  WakeAt.store(All.empty() ? -1 : std::ranges::max_element(All, {}, [](auto &W) { return W.second; })->second);
  Count.store(static_cast<uint32_t>(All.size()));
}

void Waiters::sleep(Parker &P, const std::function<bool()> &Done, int64_t At, Duration AtMost) {
  try {
    std::lock_guard Guard(Lock);
    All.emplace_back(&P, At);
    settle();
  } catch (const std::bad_alloc &) {
    P.park(std::min<Duration>(AtMost, std::chrono::milliseconds(1)));
    return;
  }
  if (!Done())
    P.park(AtMost);
  std::lock_guard Guard(Lock);
  All.erase(std::ranges::find(All, &P, [](auto &W) { return W.first; }));
  settle();
}

} // namespace hsched::rt
