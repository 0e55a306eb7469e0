// What the directory has decided and is yet to do.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions are made with the directory's lock held: they change the books at once, and leave commands. Whoever made
// them carries them out when the lock is free. Until then the books have a promise in place of a command's event.
//
// A command comes after such as were planned before it, and each thread carries out its plans in order. So of all
// commands that have not been given to a device, the first one that was planned can be: nobody waits in a circle.
#ifndef HSCHED_DATA_PLAN_H
#define HSCHED_DATA_PLAN_H

#include "data/FragmentMap.h"
#include "data/Replicas.h"
#include "trace/Observer.h"

#include <vector>

namespace hsched::rt {

struct Command {
  enum class Kind : uint8_t { Upload, Download, Within, Across, Relayed };
  // What it comes after. IsSource: it reads what that writes, so a failure of it is the command's.
  struct After {
    Use U;
    bool IsSource;
  };
  Kind What;
  MemoryNode On;                // Whose device carries it out.
  MemoryNode From = HostNode;   // Across, Relayed: whose memory it reads.
  void *Host = nullptr;         // Upload, Download.
  BufferRef Src = {}, Dst = {}; // Of devices.
  size_t SrcOffset = 0, DstOffset = 0;
  RowLayout Rows = {}; // With the host's stride, or the source's, and the destination's.
  std::vector<After> Comes = {};
  PromiseRef Done = {};
  TransferRecord Record = {};

  size_t bytes() const { return Rows.Rows * Rows.Bytes; }
};

// Carried out once, by the thread that takes it.
struct Plan {
  std::vector<Command> Commands;
  std::vector<ReplicaRef> Gone; // To be freed before anything else is done.

  Plan() = default;
  Plan(Plan &&) = default;
  Plan &operator=(Plan &&) = default;
  ~Plan() {
    if (!Commands.empty())
      refuse();
  }
  bool empty() const { return Commands.empty() && Gone.empty(); }

private:
  void refuse(); // What has not been carried out.
};

} // namespace hsched::rt
#endif
