// Memory layout of log entries. Part of TaskLog.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   LogEntry, then by kind   Task: LogTask, LogRun if HasRun, sections, the cost, the label
//                            Run: LogRun
//                            Dependence: the number of the task before; Wait: that of the first task after
#ifndef HSCHED_EXEC_TASKLOGENTRY_H
#define HSCHED_EXEC_TASKLOGENTRY_H

#include "exec/TaskLog.h"

#include <type_traits>

namespace hsched::rt {

struct TaskLog::Chunk {
  std::atomic<Chunk *> Next{nullptr};
  std::atomic<size_t> Used{0}; // Bytes behind this with complete entries.

  char *begin() { return reinterpret_cast<char *>(this + 1); }
};

struct LogEntry {
  enum class Kind : uint8_t { Task, Run, Dependence, Wait };
  enum : uint8_t { HasRun = 1, FullSections = 2, HasCost = 4, HasLabel = 8 };
  uint32_t Bytes; // Size with the data behind it.
  Kind What;
  uint8_t Flags;
  Outcome How;
  uint32_t NumSections;
  WorkerId Worker;
  TaskId Id; // For a wait: the parent's.
};

struct LogTask {
  TaskId Parent;
  const char *Task;
  TaskLog::Stamp At;
};

struct LogRun {
  const char *Version;
  TaskLog::Stamp Begin, End;
};

static_assert(sizeof(LogEntry) % 8 == 0 && std::is_trivially_copyable_v<LogEntry>);

} // namespace hsched::rt
#endif
