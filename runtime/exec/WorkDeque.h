// A work-stealing deque: the owner pushes and pops at one end, thieves steal at the other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: Chase and Lev, "Dynamic circular work-stealing deque" (SPAA 2005). The memory order follows Le, Pop, Cohen
// and Zappa Nardelli, "Correct and efficient work-stealing for weak memory models" (PPoPP 2013). Their fences are
// sequentially consistent operations here, because ThreadSanitizer does not know fences.
#ifndef HSCHED_EXEC_WORKDEQUE_H
#define HSCHED_EXEC_WORKDEQUE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace hsched::rt {

template <class T> class WorkDeque {
public:
  // Allocates memory at the first push: most queues are never used.
  explicit WorkDeque(size_t Capacity = 256) : First(Capacity) {}
  WorkDeque(const WorkDeque &) = delete;
  WorkDeque &operator=(const WorkDeque &) = delete;

  // By the owner. The item is visible to thieves, and ordered before the owner's next loads. Throws std::bad_alloc
  // without effect.
  void push(T *Item) {
    int64_t B = Bottom.load(std::memory_order_relaxed);
    Ring *R = Current.load(std::memory_order_relaxed);
    if (B - LastTop >= R->Capacity) {
      LastTop = Top.load(std::memory_order_acquire);
      if (B - LastTop >= R->Capacity)
        R = grow(R->Capacity == 0 ? First : static_cast<size_t>(R->Capacity) * 2, LastTop, B);
    }
    R->at(B).store(Item, std::memory_order_relaxed);
    Bottom.store(B + 1, std::memory_order_seq_cst);
  }

  // By the owner: the item pushed last, or null.
  T *pop() {
    int64_t B = Bottom.load(std::memory_order_relaxed) - 1;
    if (Top.load(std::memory_order_relaxed) > B)
      return nullptr;
    Ring *R = Current.load(std::memory_order_relaxed);
    Bottom.store(B, std::memory_order_seq_cst);
    int64_t At = Top.load(std::memory_order_seq_cst);
    if (At > B) {
      Bottom.store(B + 1, std::memory_order_relaxed);
      return nullptr;
    }
    T *Item = R->at(B).load(std::memory_order_relaxed);
    if (At == B) { // The last item: a thief may win.
      if (!Top.compare_exchange_strong(At, At + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
        Item = nullptr;
      Bottom.store(B + 1, std::memory_order_relaxed);
    }
    return Item;
  }

  // Any thread: the item pushed first, or null; null also if another thief won.
  T *steal() {
    int64_t At = Top.load(std::memory_order_seq_cst);
    if (At >= Bottom.load(std::memory_order_seq_cst))
      return nullptr;
    T *Item = Current.load(std::memory_order_acquire)->at(At).load(std::memory_order_relaxed);
    if (!Top.compare_exchange_strong(At, At + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
      return nullptr;
    return Item;
  }

  // Any thread: approximate number of items.
  int64_t size() const {
    int64_t N = Bottom.load(std::memory_order_seq_cst) - Top.load(std::memory_order_seq_cst);
    return N < 0 ? 0 : N;
  }

private:
  struct Ring {
    constexpr Ring() : Capacity(0) {}
    explicit Ring(size_t N) : Capacity(static_cast<int64_t>(N)), Items(std::make_unique<std::atomic<T *>[]>(N)) {}
    std::atomic<T *> &at(int64_t I) { return Items[static_cast<size_t>(I & (Capacity - 1))]; }
    const int64_t Capacity; // A power of two; 0 for None.
    const std::unique_ptr<std::atomic<T *>[]> Items;
  };

  Ring *grow(size_t Capacity, int64_t From, int64_t To) {
    auto Fresh = std::make_unique<Ring>(Capacity);
    Ring *Old = Current.load(std::memory_order_relaxed), *New = Fresh.get();
    for (int64_t I = From; I < To; ++I)
      New->at(I).store(Old->at(I).load(std::memory_order_relaxed), std::memory_order_relaxed);
    Rings.push_back(std::move(Fresh)); // Thieves may still read the old ones.
    Current.store(New, std::memory_order_release);
    return New;
  }

  static inline constinit Ring None; // The ring of a deque without memory: it has no items.

  alignas(64) std::atomic<int64_t> Top{0};
  alignas(64) std::atomic<int64_t> Bottom{0};
  std::atomic<Ring *> Current{&None};
  int64_t LastTop = 0;                      // The owner's: an earlier value of Top.
  std::vector<std::unique_ptr<Ring>> Rings; // The owner's.
  const size_t First;                       // Capacity of the first ring.
};

} // namespace hsched::rt
#endif
