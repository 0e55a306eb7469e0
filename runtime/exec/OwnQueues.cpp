// The table of queues, and the queues' owners.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/ThreadState.h"

#include <algorithm>

namespace hsched::rt {

uint64_t OwnQueues::nextSerial() {
  static std::atomic<uint64_t> Last{0};
  return Last.fetch_add(1) + 1;
}

OwnQueue &OwnQueues::take() {
  for (unsigned I = 0; I + 1 < Size; ++I) {
    OwnQueue &L = All[I];
    if (L.Owned.load(std::memory_order_relaxed) || L.Owned.exchange(true))
      continue;
    for (unsigned N = Used.load(); N <= I && !Used.compare_exchange_weak(N, I + 1);) {
    }
    return L;
  }
  return All[Size - 1];
}

bool OwnQueues::grant(OwnQueue &Own, uint64_t Window) {
  uint64_t Now = outstanding(), Given = 0;
  if (Now >= Window)
    return false;
  auto others = [&](auto Visit) {
    for (unsigned I = 0, N = Used.load(); I < N; ++I)
      if (&All[I] != &Own)
        Visit(All[I]);
    if (&shared() != &Own)
      Visit(shared());
  };
  others([&](OwnQueue &L) {
    uint64_t Until = L.Granted.load(std::memory_order_relaxed), Is = L.Submitted.load(std::memory_order_relaxed);
    Given += Until > Is ? Until - Is : 0;
  });
  if (Now + Given >= Window) {
    others([](OwnQueue &L) { L.Granted.store(0, std::memory_order_relaxed); });
    Given = 0;
  }
  // At least this task.
  uint64_t Share = 1 + (Window - Now - Given - 1) / std::max(Used.load(), 1u);
  Own.Granted.store(Own.Submitted.load(std::memory_order_relaxed) + Share, std::memory_order_relaxed);
  return true;
}

namespace {

struct Lease {
  std::shared_ptr<OwnQueues> Table;
  OwnQueue *L = nullptr;
  bool Ended = false;
  void give(ThreadState &Me) {
    if (L && L != &Table->shared()) {
      L->Granted.store(0, std::memory_order_relaxed);
      L->Owned.store(false);
    }
    L = nullptr;
    Table.reset();
    Me.QueuesSerial = 0; // Its cached queue belongs to another thread from here on.
  }
  ~Lease() {
    give(threadState()); // The thread ends.
    Ended = true;
  }
};

Lease &leaseOfThread() {
  static thread_local Lease Own;
  return Own;
}

} // namespace

void giveQueueBack(ThreadState &Me) { leaseOfThread().give(Me); }

OwnQueue &queueOfThread(ThreadState &Me, const std::shared_ptr<OwnQueues> &Table) {
  Lease &Own = leaseOfThread();
  if (Own.Ended) // The thread's own objects are being destroyed.
    return Table->shared();
  if (Own.Table != Table) {
    Own.give(Me);
    Own.L = &Table->take();
    Own.Table = Table;
  }
  return *Own.L;
}

} // namespace hsched::rt
