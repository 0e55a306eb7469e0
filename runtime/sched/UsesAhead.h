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
#include <vector>

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

  // The share of the bytes that T reads which outstanding tasks write, T too: the host gets them back some day.
  double writtenShare(const Task &T) const;
  // T is planned for device W, so its data will be in the memory of W; NoWorker: for a core. Throws std::bad_alloc
  // without effect.
  void planned(const Task &T, WorkerId W);
  // The device that has most of what T updates, as far as planned() told. NoWorker: none.
  WorkerId holderOf(const Task &T) const;
  // Bytes of the sections in W's memory that outstanding tasks use, as far as planned() told.
  std::size_t bytesAt(WorkerId W) const;
  // Bytes of the sections that outstanding tasks use: on the host, and on all devices.
  struct Where {
    std::size_t OnHost = 0, OnDevices = 0;
  };
  Where bytes() const;

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

  struct Use {
    uint32_t Number = 0, Writers = 0;
    WorkerId At = NoWorker; // A device.
  };
  // The mean over the bytes that T reads; 1 if it reads nothing.
  template <class Fn> double meanOfRead(const Task &T, Fn Of) const;
  void moves(const Section &S, Use &Of, WorkerId To);

  mutable std::mutex Lock; // Guards the fields below.
  std::unordered_map<Section, Use, Hash> Uses;
  std::vector<std::size_t> Bytes; // By worker; see bytesAt.
  std::size_t All = 0;            // Bytes of all sections.
};

} // namespace hsched::rt
#endif
