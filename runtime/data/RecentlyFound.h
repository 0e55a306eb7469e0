// A cache of a map's recent lookups by host address.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections recur. An ordered map of ten thousand entries touches a dozen cache lines in a lookup, this cache touches
// one. Not thread-safe.
#ifndef HSCHED_DATA_RECENTLYFOUND_H
#define HSCHED_DATA_RECENTLYFOUND_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hsched::rt {

// T: the entry at an address; it keeps its memory address until drop(). Two-way associative: the latest two of a set
// are known.
template <class T> class RecentlyFound {
public:
  T *find(uintptr_t At) const {
    if (Slots.empty())
      return nullptr;
    const Slot *Pair = pairOf(At);
    return Pair[0].At == At ? Pair[0].It : Pair[1].At == At ? Pair[1].It : nullptr;
  }
  // Adds an entry that is not in the cache. Of: size of the map.
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
  // Multiplicative hashing by two odd constants, using the upper bits: equidistant addresses spread evenly.
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
