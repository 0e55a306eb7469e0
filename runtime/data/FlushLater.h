// Lets a device's manager flush the transfers of several tasks together.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DATA_FLUSHLATER_H
#define HSCHED_DATA_FLUSHLATER_H

#include "base/Ids.h"

#include <utility>

namespace hsched::rt {

// While it lives, the directory does not flush transfers that this thread starts on Node, unless it blocks. The caller
// flushes.
class FlushLater {
public:
  explicit FlushLater(MemoryNode Node) : Before(std::exchange(Here, Node)) {}
  ~FlushLater() { Here = Before; }
  FlushLater(const FlushLater &) = delete;
  FlushLater &operator=(const FlushLater &) = delete;
  static bool covers(MemoryNode Node) { return Node == Here; }

private:
  static inline thread_local MemoryNode Here = HostNode; // The host has nothing to flush.
  const MemoryNode Before;
};

} // namespace hsched::rt
#endif
