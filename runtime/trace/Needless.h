// Needless transfers of a recorded run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TRACE_NEEDLESS_H
#define HSCHED_TRACE_NEEDLESS_H

#include "trace/Record.h"

#include <array>
#include <vector>

namespace hsched::rt::record {

// Reasons for needless bytes, in the order of the checks: a byte of a transfer counts once.
enum class Needless : uint8_t {
  Evicted,   // The device had this copy before and evicted it for other data.
  Again,     // The memory already had this copy: it was transferred twice.
  AfterWait, // The device had this copy until a wait returned the data to the program; no task changed them since.
  Unread,    // No task there read the copy before the data changed, or the run ended.
  HomeUnread // It was written back, and no task read it there before a device changed the data. The program may have
             // read it.
};
inline constexpr size_t NumNeedless = 5;
const char *nameOf(Needless Reason);

struct NeedlessMoves {
  bool Known = false; // The record has sections, few enough to compare.
  struct OfTransfer {
    std::array<uint64_t, NumNeedless> Bytes{}; // By reason.
    uint64_t sum() const {
      uint64_t All = 0;
      for (uint64_t Each : Bytes)
        All += Each;
      return All;
    }
  };
  std::vector<OfTransfer> Transfers; // By index in Record::Transfers.
};

// Follows each byte's copies through the run: transfers, reads and writes of tasks, waits and evictions, by measured
// times. Ignores copies within one device's memory.
NeedlessMoves needlessMoves(const Record &R);

} // namespace hsched::rt::record
#endif
