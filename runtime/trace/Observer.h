// The observer interface, for trace writers, statistics and the task-graph writer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All callbacks: any thread, concurrently, without a lock of the runtime. They must not call into the runtime. Strings
// in records live as long as the program, unless stated otherwise.
#ifndef HSCHED_TRACE_OBSERVER_H
#define HSCHED_TRACE_OBSERVER_H

#include "base/Clock.h"
#include "base/Ids.h"
#include "base/SizeClass.h"
#include <hsched/abi.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hsched::rt {

enum class RowKind : uint8_t { CpuWorker, DeviceCompute, DeviceUpload, DeviceDownload };

struct RowRecord {
  RowId Id;
  RowKind Kind;
  uint32_t Worker;        // The worker the row belongs to.
  std::string Name;       // "CPU 0 (core 2)", "NVIDIA H200 #0 queue 1", ...
  std::string Model = {}; // Equal for workers of one kind: "cpu", or a device's name with its driver and size.
  const char *Type = "cpu";
  uint32_t Memory = 0; // The worker's memory node; 0: host memory.
};

// Measured links between host memory and a device's memory.
struct LinkRecord {
  struct Way {
    double LatencyNs = 0, BytesPerSecond = 0;
  };
  uint32_t Worker;
  Way ToDevice, ToHost;
};

struct SubmitRecord {
  TaskId Id;
  TaskId Parent;
  const char *Task;   // Name of the task.
  const char *Label;  // Valid during the call.
  uint64_t DataBytes; // Data-set size in bytes: each section counted once.
  TimePoint At;
  double Cost = NoCost;                         // In the program's own unit.
  const char *Modes = "";                       // Modes of its accesses: "in, reduction". Valid during the call.
  std::span<const hsched_access> Sections = {}; // Valid during the call.
  int32_t Priority = 0;
};

// A wait of the program for tasks has ended.
struct WaitRecord {
  TaskId Within; // The task whose body waited; 0: outside any task.
  Interval Waited;
  bool Flush;                                   // Data were brought home.
  std::span<const hsched_access> Sections = {}; // Sections whose last writers were awaited. Empty: all tasks.
};

enum class Outcome : uint8_t { Done, Failed, Cancelled };

struct RunRecord {
  TaskId Id;
  const char *Task;
  const char *Version; // Null when cancelled.
  const char *Label;   // Valid during the call.
  RowId Row;
  uint32_t Worker;
  uint64_t DataBytes;
  Interval Ran; // Device time for device versions.
  Outcome How;
  double Cost = NoCost;
};

// DeviceToDevice: from another device's memory; WithinDevice: from one block of its memory to another.
enum class TransferKind : uint8_t { HostToDevice, DeviceToHost, DeviceToDevice, WithinDevice };
inline constexpr unsigned NumTransferKinds = 4;

struct TransferRecord {
  TransferKind Kind;
  RowId Row;
  uint32_t Worker; // The device's; for DeviceToDevice the destination's.
  TaskId For;      // The task that needed it; 0: a wait or a write-back.
  uint64_t Bytes;
  Interval Ran;
  const char *Task = nullptr; // Name of For's type, or null.
  uint32_t From = NoWorker;   // For DeviceToDevice: the source's worker.
  // The transferred data in host addresses: the first byte, and rows of Bytes / Rows bytes.
  uintptr_t Begin = 0;
  uint64_t Rows = 1, Stride = 0;
};

// A block of a device's memory was evicted with its data: other data needed the memory, or it overlapped a block of
// another shape.
struct EvictionRecord {
  uint32_t Worker; // The device's worker.
  TimePoint At;
  // As in TransferRecord. A block with spare memory may cover more than tasks have named.
  uintptr_t Begin;
  uint64_t Bytes, Rows, Stride;
};

// An input section was (Hit) or was not completely valid on the task's device. Device workers only.
struct LookupRecord {
  uint32_t Worker;
  bool Hit;
  uint64_t Bytes; // Bytes of the section.
  TaskId For;
  const char *Task; // The name of its type; may be null.
  TimePoint At;
};

// A candidate (worker, version) pair with its prediction.
struct CandidateRecord {
  uint32_t Worker;
  const char *Version;
  Duration Run;      // The version's mean on this kind of worker for this size class; 0: unknown.
  uint64_t Runs;     // Number of runs behind the mean.
  Duration Transfer; // Time to transfer data that are not in the worker's memory.
  Duration Wait;     // Time until the worker has done its earlier tasks.
};

// A choice for one task. The last one counts: a choice may be repeated at the task's turn.
struct DecisionRecord {
  TaskId Id;
  const char *Task;
  TimePoint At;
  uint32_t Worker;                             // The chosen one.
  const char *Version;                         // The chosen one.
  const char *Why;                             // A clause: "it ends earliest"; see explores().
  std::span<const CandidateRecord> Candidates; // Valid during the call. Empty: no alternatives.
};

// True for exploration: its reasons contain the word "measure".
inline bool explores(std::string_view Why) { return Why.find("measure") != std::string_view::npos; }

// A kernel is launched; arguments have host addresses. Valid during the call, Kernel longer. A task that moves to
// another device is reported again.
struct LaunchRecord {
  TaskId Id;
  const hsched_kernel_desc *Kernel; // Lives as long as the program.
  const hsched_ndrange *Range;
  std::span<const hsched_kernel_arg> Args;
  std::span<const hsched_access> Sections;
  // By argument: what it is, if it is neither a value nor a buffer nor local memory; else null. Empty: all are.
  std::span<const char *const> Others = {};
};

// Runs that were not timed, by version and size.
struct CountRecord {
  const char *Task;
  const char *Version;
  uint32_t Worker;
  uint64_t DataBytes;
  double Cost;
  uint64_t Runs;
};

class Observer {
public:
  virtual ~Observer() = default;
  virtual void rowAdded(const RowRecord &) {}
  virtual void submitted(const SubmitRecord &) {}
  // To depends on From. Called once a pair, before To can start.
  virtual void dependence(TaskId /*From*/, TaskId /*To*/) {}
  // Called before the task runs, if wantsDecisions().
  virtual void decided(const DecisionRecord &) {}
  virtual bool wantsDecisions() const { return false; }
  // Called before the kernel runs, if wantsLaunches().
  virtual void launching(const LaunchRecord &) {}
  virtual bool wantsLaunches() const { return false; }
  // True: every task is reported as it happens, by submitted, dependence and ran. If no observer returns true, tasks
  // below about 20 us may be sampled by ran, and the others counted, by the end.
  virtual bool wantsEachTask() const { return true; }
  // The same, but tasks on fast paths may be reported at the end, or once while tasks run. Calls: by submitted,
  // dependence (possibly after To starts) and ran.
  virtual bool wantsLog() const { return false; }
  virtual void counted(const CountRecord &) {}
  virtual void ran(const RunRecord &) {}
  virtual void transferred(const TransferRecord &) {}
  virtual void evicted(const EvictionRecord &) {}
  virtual void cacheLookup(const LookupRecord &) {}
  virtual void waited(const WaitRecord &) {}
  // Called before finished().
  virtual void linkMeasured(const LinkRecord &) {}
  // The runtime ends: all tasks are complete. Writers write their files here.
  virtual void finished() {}
};

} // namespace hsched::rt
#endif
