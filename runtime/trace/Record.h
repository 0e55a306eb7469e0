// A recorded run: workers, tasks, choices and transfers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   Observer -> Recorder -> Record -> writeRecord -> a file of JSON -> readRecord -> Record -> assess, replay, report
//
// HSCHED_EXPLAIN and HSCHED_RECORD write such files; docs/explain.md describes them. Times are in nanoseconds since the
// run began.
#ifndef HSCHED_TRACE_RECORD_H
#define HSCHED_TRACE_RECORD_H

#include "base/SizeClass.h"
#include <hsched/status.h>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace hsched::rt::record {

using Ns = int64_t;

struct Link {
  double LatencyNs = 0, BytesPerSecond = 0;
};

struct Worker {
  uint32_t Id = 0;
  std::string Name;       // "CPU 0", "NVIDIA H200 #0".
  std::string Type;       // "cpu", "gpu", "accelerator".
  std::string Model;      // Equal for workers of one kind.
  bool HasMemory = false; // It has its own memory.
  std::optional<Link> ToDevice, ToHost;
  bool isDevice() const { return Model != "cpu"; }
};

struct Candidate {
  uint32_t Worker = 0; // Index in Record::Workers.
  std::string Version;
  Ns Run = 0; // Predicted if Runs > 0.
  uint64_t Runs = 0;
  Ns Transfer = 0, Wait = 0;
};

struct Choice {
  Ns At = 0;
  uint32_t Worker = 0;
  std::string Version, Why;
  // One candidate for each kind of worker, with the earliest predicted end, and always the chosen pair.
  std::vector<Candidate> Candidates;
};

// A part of a datum in Record::Data.
struct Section {
  uint32_t Datum = 0;
  std::string Mode; // Mode of an access: "in", "out", "inout", "concurrent", "commutative", "reduction".
  uint64_t From = 0, Bytes = 0, Rows = 1, Stride = 0;
};

// A kernel's source as it was built.
struct Kernel {
  std::string Name, File, Options, Source;
};

struct Argument {
  enum Kind : uint8_t { Value, Buffer, Local, Other };
  Kind K = Value;
  std::string What;                      // For Other: "an image", "a sampler", "a pipe".
  std::vector<unsigned char> ValueBytes; // For Value: its bytes.
  uint64_t Bytes = 0;                    // For Local.
  bool Known = false;                    // For Buffer and Other: it points into a datum, at offset From.
  uint32_t Datum = 0;
  uint64_t From = 0;
};

struct Launch {
  uint32_t Kernel = 0;                         // Index in Record::Kernels.
  std::vector<uint64_t> Global, Local, Offset; // Offset: empty if it is 0.
  std::vector<Argument> Args;                  // By parameter of the kernel.
};

enum class TaskOutcome : uint8_t { Done, Failed, Cancelled, Unknown };

struct Task {
  uint64_t Id = 0, Parent = 0; // 0: none.
  std::string Type, Label;
  uint64_t Bytes = 0;
  double Cost = NoCost;
  int32_t Priority = 0;
  Ns Submitted = 0;
  std::vector<uint64_t> After; // Ids of predecessors.
  std::vector<Section> Sections;
  std::vector<Choice> Choices; // The last one counts.
  uint32_t Worker = 0;
  std::string Version; // Empty: the task did not run.
  Ns Begin = 0, End = 0;
  TaskOutcome How = TaskOutcome::Unknown;
  std::optional<Launch> Launched; // For a task that ran as a kernel; whole records only.
  SizeClass size() const { return sizeClassOf(Bytes, Cost); }
};

struct Transfer {
  std::string Kind; // "to device", "to host", "between devices", "within device".
  uint32_t Worker = 0;
  uint64_t For = 0; // The task; 0: none.
  uint64_t Bytes = 0;
  Ns Begin = 0, End = 0;
  std::vector<Section> Moved = {}; // Transferred data, without modes; whole records only.
};

// A block of a device's memory was evicted: other data needed the memory, or it overlapped a block of another
// shape.
struct Eviction {
  uint32_t Worker = 0;
  Ns At = 0;
  uint64_t Bytes = 0;                // Size of the block.
  std::vector<Section> Dropped = {}; // The data in it, without modes; whole records only.
};

struct Wait {
  uint64_t Within = 0; // The task that waited; 0: outside any.
  uint64_t Behind = 0; // Id of the last task submitted before.
  Ns Begin = 0, End = 0;
  bool Flush = false;
  std::vector<Section> Sections; // Sections whose last writers were awaited. Empty: all tasks.
};

struct Record {
  std::string Policy;          // Empty: unknown.
  std::vector<Worker> Workers; // By id.
  std::vector<uint64_t> Data;  // Bytes of each datum; whole records only.
  std::vector<Kernel> Kernels;
  std::string Contents;    // Folder with files N.raw: datum N before its first task. Empty: none.
  std::vector<Task> Tasks; // Ordered by id.
  std::vector<Transfer> Transfers;
  std::vector<Eviction> Evictions; // Ordered by time.
  std::vector<Wait> Waits;
  bool Whole = false; // With data and sections.

  const Task *find(uint64_t Id) const; // Null: none.
};

// Writes one task per line. False: Out failed.
bool writeRecord(std::ostream &Out, const Record &R);
// Reads a file. An error message is one line: file, field and reason.
status readRecord(const std::string &File, Record &Out);
// The same from Text; Name stands for the file in messages.
status parseRecord(const std::string &Text, const std::string &Name, Record &Out);

} // namespace hsched::rt::record
#endif
