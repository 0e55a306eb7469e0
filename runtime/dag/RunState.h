// State of a run: memory, task types, ended kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_RUNSTATE_H
#define HSCHED_DAG_RUNSTATE_H

#include "dag/Run.h"

#include <hsched/engine.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace hsched::dag {

// A launch with addresses in place of names. The launches of a graph are contiguous, so a run reads memory in order;
// the graph itself is about ten times as large.
struct PackedLaunch {
  struct Arg {
    unsigned Kind; // HSCHED_ARG_...
    size_t Bytes;
    const void *At; // A value's bytes, or a buffer's address.
  };
  hsched_ndrange Range{};
  uint32_t Kernel = 0;
  unsigned Part = 0, NumArgs = 0, NumAccesses = 0;
  const Arg *Args = nullptr;
  const hsched_access *Accesses = nullptr;
  hsched_task_type *Type = nullptr;
  hsched_submit_options Hints{};
  bool Plain = false; // No component, no explicit predecessors, any device.
};

struct LaunchArgs { // Packed arguments of a task.
  const PackedLaunch *What;
};

// Measured times of kernels on devices, in this process. Kernels with the same function and range share an entry.
struct KernelTimes {
  struct Mean {
    double Seconds = 0;
    unsigned Runs = 0;
  };
  std::map<std::pair<uint32_t, unsigned>, Mean> Of; // By kind and device.

  // The first time may include the kernel's build, so the second one replaces it.
  void note(uint32_t Kind, unsigned Device, double Seconds) {
    Mean &M = Of[{Kind, Device}];
    if (++M.Runs <= 2)
      M.Seconds = Seconds;
    else
      M.Seconds += (Seconds - M.Seconds) / (M.Runs - 1);
  }
  const Mean *find(uint32_t Kind, unsigned Device) const {
    auto At = Of.find({Kind, Device});
    return At == Of.end() ? nullptr : &At->second;
  }
};

// State for one graph. Not thread-safe, unless stated otherwise.
class RunState {
public:
  RunState(const Graph &G, const RunOptions &Options);
  ~RunState();
  RunState(const RunState &) = delete;
  RunState &operator=(const RunState &) = delete;

  // Initialises data and discards devices' copies.
  void begin();
  // Waits for all tasks and runs tasks meanwhile. Keeps a failure for finish().
  void wait();
  // Brings results home and throws the failure.
  void finish();

  // Options of one task.
  struct TaskOptions {
    std::vector<unsigned> Workers; // Empty: any.
    std::optional<unsigned> Queue; // Queue of the only worker in Workers.
    hsched_component *Together = nullptr;
    std::vector<hsched::task> After;
    std::function<void(hsched::outcome)> OnEnd; // Called when it has ended, on any thread.
    bool NeedsReference = false;                // The caller needs a reference to the task.

    bool plain() const { return Workers.empty() && !Together && After.empty() && !OnEnd && !NeedsReference; }
  };
  // Submits a kernel's part. Any thread.
  hsched::task submit(uint32_t Kernel, size_t Part, const TaskOptions &How) {
    return submit(packed(Kernel, Part), How);
  }
  hsched::task submit(const PackedLaunch &L, const TaskOptions &How);
  // The same for a plain launch, without a completion callback.
  void submitPlain(const PackedLaunch &L);
  // In a topological order.
  const std::vector<PackedLaunch> &launches() const { return Packed; }
  // Workers that are devices, by number.
  const std::vector<unsigned> &devices() const { return Devices; }
  const std::string &nameOf(unsigned Worker) const { return Workers[Worker].name; }
  // RunOptions::Beside of that device; 0: none.
  unsigned besideOn(unsigned Worker) const;
  // Devices that a part may use, by its file and the map.
  const std::vector<unsigned> &allowed(uint32_t Kernel, size_t Part) const;
  // Records where it ran.
  void placed(uint32_t Kernel, unsigned Worker);

  const Graph &G;
  const RunOptions &Options;
  hsched::engine &Engine;
  RunReport Report;
  unsigned Number = 0; // Number of this run.
  std::atomic<size_t> Ended{0};
  KernelTimes Times;

  std::byte *memory(uint32_t Datum) const { return Memory[Datum]; }

private:
  void findDevices();
  void makeTypes();
  void packLaunches();
  hsched_task_type *typeOf(const Kernel &K) const;
  const PackedLaunch &packed(uint32_t Kernel, size_t Part) const { return Packed[FirstPacked[Kernel] + Part]; }
  void noteFailure(uint32_t Kernel);
  std::vector<unsigned> matching(const std::string &Device) const;
  Place deviceAt(const Kernel &K) const;

  std::vector<hsched::worker> Workers;
  std::vector<unsigned> Devices;
  std::map<std::string, std::vector<unsigned>> ByDevice; // By the word in the file.
  std::byte *Arena = nullptr;
  size_t ArenaBytes = 0;
  std::vector<std::byte *> Memory;
  std::string Why; // Message of a wait that threw.
  struct Type;
  std::vector<Type *> Types; // By program.
  std::vector<PackedLaunch> Packed;
  std::vector<size_t> FirstPacked; // By kernel.
  std::vector<PackedLaunch::Arg> PackedArgs;
  std::vector<hsched_access> PackedAccesses, Home; // Home: the results.
  std::vector<unsigned char> PackedValues;
  std::string Labels;
  std::mutex Lock;        // Guards the fields below.
  uint32_t Failed = None; // The first failed kernel in order.
  std::vector<std::string> Placed;
};

// The ways to run the graph once, between begin() and finish().
void submitAll(RunState &S);
void dispatch(RunState &S);

} // namespace hsched::dag
#endif
