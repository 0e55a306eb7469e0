// Which copies of which bytes are valid: an interval map over host addresses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not thread-safe: the directory's lock protects it.
#ifndef HSCHED_DATA_FRAGMENTMAP_H
#define HSCHED_DATA_FRAGMENTMAP_H

#include "base/Ids.h"
#include "device/Device.h"

#include <cstdint>
#include <map>
#include <vector>

namespace hsched::rt {

inline constexpr unsigned MaxNodes = 64;
inline constexpr MemoryNode ForeignNode = ~0u; // an event that no node's device may be made to wait for

constexpr uint64_t nodeBit(MemoryNode N) { return uint64_t(1) << N; }

// An operation, and the node whose device it was given to: only that device may have it on a wait list.
struct Use {
  EventRef Ev;
  MemoryNode By = ForeignNode;
  bool operator==(const Use &) const = default;
};

// The operations that touch one node's copy of a fragment and may still be under way. They stay when the copy ceases to
// be valid: what overwrites it has to come after them all the same.
struct Copy {
  Use Written;           // the latest that writes it
  std::vector<Use> Read; // those that read it since
  bool operator==(const Copy &) const = default;
};

// State of the bytes [its key in the map, End).
struct Fragment {
  uintptr_t End = 0;
  uint64_t Valid = nodeBit(HostNode); // never 0; a valid copy is complete once its Written is done
  uint32_t DeviceReaders = 0;         // tasks that hold it on a device, to read
  uint32_t Writers = 0;               // tasks that hold it anywhere, to write
  uint32_t Unpublished = 0;           // of these, those whose launch the directory does not know of yet
  std::vector<Copy> Copies;           // one a node

  bool validOn(MemoryNode N) const { return Valid & nodeBit(N); }
  // Forgets operations that are done; the target of a failed one is not valid any more. Where nothing is left, what
  // host memory holds is taken.
  void settle();
  // Valid on the host alone, and nobody uses it: needs no entry.
  bool isDefault() const;
  bool sameState(const Fragment &O) const;
};

class FragmentMap {
public:
  explicit FragmentMap(unsigned NumNodes) : NumNodes(NumNodes) {}

  // Calls F(Begin, Fragment &) for each fragment of [Lo, Hi) in order of address; bytes that have no entry get one.
  // F must not change the map.
  template <typename Function> void visit(uintptr_t Lo, uintptr_t Hi, Function F) {
    if (Fragment *Whole = exact(Lo, Hi)) // sections that recur are fragments of their own
      return F(Lo, *Whole);
    fill(Lo, Hi);
    each(Lo, Hi, F);
  }
  // The same for existing entries only.
  template <typename Function> void visitKnown(uintptr_t Lo, uintptr_t Hi, Function F) {
    if (Lo >= Hi)
      return;
    if (Fragment *Whole = exact(Lo, Hi))
      return F(Lo, *Whole);
    split(Lo);
    split(Hi);
    each(Lo, Hi, F);
  }
  // Settles the fragments of [Lo, Hi) and drops those in their default state; now and then joins equal neighbours
  // everywhere, so that the map stays as small as the number of different states asks.
  void tidy(uintptr_t Lo, uintptr_t Hi);
  void compact();
  size_t size() const { return Fragments.size(); }

private:
  template <typename Function> void each(uintptr_t Lo, uintptr_t Hi, Function F) {
    for (auto It = Fragments.lower_bound(Lo); It != Fragments.end() && It->first < Hi; ++It)
      F(It->first, It->second);
  }
  Fragment *exact(uintptr_t Lo, uintptr_t Hi) {
    auto It = Fragments.find(Lo);
    return It != Fragments.end() && It->second.End == Hi ? &It->second : nullptr;
  }
  void split(uintptr_t At);
  void fill(uintptr_t Lo, uintptr_t Hi);

  static constexpr size_t FirstCompaction = 1024;
  unsigned NumNodes;
  size_t CompactAt = FirstCompaction;
  std::map<uintptr_t, Fragment> Fragments;
};

} // namespace hsched::rt
#endif
