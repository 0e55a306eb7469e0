// Transfers that a run could have done without.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TRACE_NEEDLESS_H
#define HSCHED_TRACE_NEEDLESS_H

#include "trace/Record.h"

#include <array>
#include <vector>

namespace hsched::rt::record {

// Why bytes that travelled need not have. In the order of the checks: a byte of a transfer counts once.
enum class Needless : uint8_t {
  Evicted,   // The device had had this copy, and had given it up for other data.
  Again,     // The memory had this copy: it was moved twice.
  AfterWait, // The device had had this copy until a wait gave the data back to the program; no task changed them since.
  Unread,    // No task there read the copy before the data changed, or the run ended.
  HomeUnread // It came home, and no task read it there before a device changed the data. The program may have read it.
};
inline constexpr size_t NumNeedless = 5;
const char *nameOf(Needless Reason);

struct NeedlessMoves {
  bool Known = false; // The record has sections, and they are not too many to be compared.
  struct OfTransfer {
    std::array<uint64_t, NumNeedless> Bytes{}; // By reason.
    uint64_t sum() const {
      uint64_t All = 0;
      for (uint64_t Each : Bytes)
        All += Each;
      return All;
    }
  };
  std::vector<OfTransfer> Transfers; // As Record::Transfers.
};

// Follows each byte's copies through the run: transfers, tasks that read and write, waits, evictions, by their measured
// times. Copies within one device's memory are not looked at.
NeedlessMoves needlessMoves(const Record &R);

} // namespace hsched::rt::record
#endif
