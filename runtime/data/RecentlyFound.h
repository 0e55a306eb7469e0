// What a map by host address found lately, by address.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections recur: an ordered map of ten thousand entries takes a dozen steps from one cache line to another to find
// each again, this takes one. Not thread-safe.
#ifndef HSCHED_DATA_RECENTLYFOUND_H
#define HSCHED_DATA_RECENTLYFOUND_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hsched::rt {

// T: what lies at an address, and stays where it is in memory until drop(). Of three that share two slots the latest
// two are known.
template <class T> class RecentlyFound {
public:
  T *find(uintptr_t At) const {
    if (Slots.empty())
      return nullptr;
    const Slot *Pair = pairOf(At);
    return Pair[0].At == At ? Pair[0].It : Pair[1].At == At ? Pair[1].It : nullptr;
  }
  // It is not there yet. Of: how many there are to be found.
  void put(uintptr_t At, T &It, size_t Of) {
    if (Slots.size() < Most && Slots.size() < 2 * Of) {
      Slots.assign(std::bit_ceil(std::clamp(2 * Of, Fewest, Most)), {});
      Shift = 64 - std::countr_zero(Slots.size() / 2);
    }
    Slot *Pair = pairOf(At);
    Pair[Pair[0].It ? 1 : 0] = {At, &It};
  }
  void drop(uintptr_t At) {
    if (Slots.empty())
      return;
    Slot *Pair = pairOf(At);
    for (Slot *S : {Pair, Pair + 1})
      if (S->At == At)
        *S = {};
  }

private:
  struct Slot {
    uintptr_t At = 0;
    T *It = nullptr;
  };
  // Two products by odd constants, and the upper bits of either: addresses at equal distances spread as any others.
  const Slot *pairOf(uintptr_t At) const {
    uint64_t Mixed = uint64_t(At) * 0x9E3779B97F4A7C15u;
    Mixed = (Mixed ^ Mixed >> 32) * 0xD6E8FEB86659FD93u;
    return &Slots[2 * (Mixed >> Shift)];
  }
  Slot *pairOf(uintptr_t At) { return const_cast<Slot *>(std::as_const(*this).pairOf(At)); }

  static constexpr size_t Fewest = 64, Most = 65536;
  std::vector<Slot> Slots;
  int Shift = 0;
};

} // namespace hsched::rt
#endif
