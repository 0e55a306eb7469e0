// What happens in the runtime, told to whoever listens: trace writers, statistics, the task-graph writer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All callbacks: any thread, concurrently; no lock of the runtime's is held; they must not call back into the runtime.
// Strings in records live as long as the program, unless said otherwise.
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
  std::string Model = {}; // Alike workers have the same: "cpu", or a device's name with its driver and its size.
  const char *Type = "cpu";
  uint32_t Memory = 0; // The worker's memory node; 0: host memory.
};

// The links between host memory and the memory of a device, as far as they were measured.
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
  uint64_t DataBytes; // data-set size: each section counted once.
  TimePoint At;
  double Cost = NoCost;                         // In the program's own unit.
  const char *Modes = "";                       // Of its accesses: "in, reduction"; valid during the call.
  std::span<const hsched_access> Sections = {}; // Valid during the call.
  int32_t Priority = 0;
};

// A wait of the program's for tasks has ended.
struct WaitRecord {
  TaskId Within; // The task whose body waited; 0: outside any task.
  Interval Waited;
  bool Flush;                                   // Data were brought home.
  std::span<const hsched_access> Sections = {}; // Those whose last writers were waited for; empty: all tasks.
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
  uint32_t Worker; // Of the device; of the destination for DeviceToDevice.
  TaskId For;      // The task that needed it; 0: a wait, or write-back.
  uint64_t Bytes;
  Interval Ran;
  const char *Task = nullptr; // The name of For's type; null where there is none.
  uint32_t From = NoWorker;   // DeviceToDevice: the worker of the device that the data came from.
};

// A task's section that is read was (Hit) or was not wholly valid where the task was to run. Device workers only.
struct LookupRecord {
  uint32_t Worker;
  bool Hit;
  uint64_t Bytes; // Of the section.
  TaskId For;
  const char *Task; // The name of its type; may be null.
  TimePoint At;
};

// A (worker, version) pair that a task could run as, and what was predicted of it.
struct CandidateRecord {
  uint32_t Worker;
  const char *Version;
  Duration Run;      // The version's mean on a worker of this kind, for tasks of this size; 0 where nothing is known.
  uint64_t Runs;     // That the mean is of.
  Duration Transfer; // Of what is not in the worker's memory.
  Duration Wait;     // Until the worker has done what it was given before.
};

// A choice for one task. Of several for one task, the last one counts: a choice may be made anew when its turn comes.
struct DecisionRecord {
  TaskId Id;
  const char *Task;
  TimePoint At;
  uint32_t Worker;                             // Chosen.
  const char *Version;                         // Chosen.
  const char *Why;                             // A clause: "it ends earliest"; see explores().
  std::span<const CandidateRecord> Candidates; // Valid during the call; empty: there was no choice.
};

// Whether a choice was made in order to learn: such a reason has the word "measure" in it.
inline bool explores(std::string_view Why) { return Why.find("measure") != std::string_view::npos; }

// A kernel is given to a device, with arguments as the host sees them. Valid during the call, Kernel longer. A task
// that is sent on to another device is told of again.
struct LaunchRecord {
  TaskId Id;
  const hsched_kernel_desc *Kernel; // Lives as long as the program.
  const hsched_ndrange *Range;
  std::span<const hsched_kernel_arg> Args;
  std::span<const hsched_access> Sections;
};

// Runs that were not timed, of a version with tasks of one size.
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
  // To may not start before From is complete. Told once a pair, before To can start.
  virtual void dependence(TaskId /*From*/, TaskId /*To*/) {}
  // Before the task runs. Only where wantsDecisions.
  virtual void decided(const DecisionRecord &) {}
  virtual bool wantsDecisions() const { return false; }
  // Before the kernel runs. Only where wantsLaunches.
  virtual void launching(const LaunchRecord &) {}
  virtual bool wantsLaunches() const { return false; }
  // Of each task as it happens, if one observer wants that: submitted, dependence, ran. Else tasks that run for less
  // than some 20 us may be told of only now and then, by ran, and the others of them are counted: by the end.
  virtual bool wantsEachTask() const { return true; }
  // The same, but it may be told of tasks that took a short way when all is over, or once while tasks run: by
  // submitted, dependence, which need not come before To starts, and ran.
  virtual bool wantsLog() const { return false; }
  virtual void counted(const CountRecord &) {}
  virtual void ran(const RunRecord &) {}
  virtual void transferred(const TransferRecord &) {}
  virtual void cacheLookup(const LookupRecord &) {}
  virtual void waited(const WaitRecord &) {}
  // Before finished().
  virtual void linkKnown(const LinkRecord &) {}
  // The runtime ends: all tasks are complete. Writers write their file here.
  virtual void finished() {}
};

} // namespace hsched::rt
#endif
