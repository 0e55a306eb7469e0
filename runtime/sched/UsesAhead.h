// How many tasks that have been submitted use the same sections as a task: policy adaptive.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_USESAHEAD_H
#define HSCHED_SCHED_USESAHEAD_H

#include "graph/Task.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace hsched::rt {

// Any thread. Bounded by the accesses of outstanding tasks.
class UsesAhead {
public:
  // Throws std::bad_alloc; some accesses are counted then.
  void submitted(const Task &T);
  void ended(const Task &T);
  // The share of a transfer of T's data that T's use of them pays, if each outstanding task that uses them pays as
  // much: 1 divided by their number, the mean over the bytes that T reads. 1 if T is the only one.
  double share(const Task &T) const;

private:
  // Sections are the same if they begin at the same address and have as many bytes.
  struct Section {
    const void *Base;
    std::size_t Bytes;
    bool operator==(const Section &) const = default;
  };
  struct Hash {
    std::size_t operator()(const Section &S) const;
  };
  static Section sectionOf(const hsched_access &A) { return {A.base, A.bytes * A.rows}; }

  mutable std::mutex Lock; // Guards Uses.
  std::unordered_map<Section, uint32_t, Hash> Uses;
};

} // namespace hsched::rt
#endif
