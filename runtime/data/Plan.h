// Plans: what the directory has decided and not yet executed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions are made with the directory's lock held. They change its state at once and produce commands. The deciding
// thread executes the commands after it has released the lock. Until then, the state holds a promise in place of the
// command's event.
//
// A command depends only on commands planned before it, and each thread executes its plans in order. So the first
// planned of all pending commands can always be executed: there is no deadlock.
#ifndef HSCHED_DATA_PLAN_H
#define HSCHED_DATA_PLAN_H

#include "data/FragmentMap.h"
#include "data/Replicas.h"
#include "trace/Observer.h"

#include <vector>

namespace hsched::rt {

struct Command {
  enum class Kind : uint8_t { Upload, Download, Within, Across, Relayed };
  // A predecessor. IsSource: the command reads what the predecessor writes, so it fails if the predecessor fails.
  struct After {
    Use U;
    bool IsSource;
  };
  Kind What;
  MemoryNode On;                // The node whose device executes it.
  MemoryNode From = HostNode;   // For Across and Relayed: the node whose memory it reads.
  void *Host = nullptr;         // For Upload and Download.
  BufferRef Src = {}, Dst = {}; // Buffers on devices.
  size_t SrcOffset = 0, DstOffset = 0;
  RowLayout Rows = {}; // With the host's stride, or the source's, and the destination's.
  std::vector<After> Predecessors = {};
  PromiseRef Done = {};
  TransferRecord Record = {};

  size_t bytes() const { return Rows.Rows * Rows.Bytes; }
};

// Executed once, by the thread that takes it.
struct Plan {
  std::vector<Command> Commands;
  std::vector<ReplicaRef> Freed; // Freed before any command.

  Plan() = default;
  Plan(Plan &&) = default;
  Plan &operator=(Plan &&) = default;
  ~Plan() {
    if (!Commands.empty())
      refuse();
  }
  bool empty() const { return Commands.empty() && Freed.empty(); }

private:
  void refuse(); // Refuses the commands that have not been executed.
};

} // namespace hsched::rt
#endif
