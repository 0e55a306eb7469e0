// A run under way: memory, types of tasks, who has ended.
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
#include <vector>

namespace hsched::dag {

// A launch with addresses in place of names. Those of a graph lie one behind the other, so that a run reads memory in
// order: the graph itself has some ten times as many bytes.
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
  bool Plain = false; // No component, no predecessors but by data, any device.
};

struct LaunchArgs { // A task's.
  const PackedLaunch *What;
};

// How long kernels took on devices, in this process. Kernels of one function and range are one.
struct KernelTimes {
  struct Mean {
    double Seconds = 0;
    unsigned Runs = 0;
  };
  std::map<std::pair<uint32_t, unsigned>, Mean> Of; // By kind and device.

  // The first one may have the build of the kernel in it, so it counts only until there is another one.
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

// Of one graph. Its functions are called by one thread, unless said otherwise.
class RunState {
public:
  RunState(const Graph &G, const RunOptions &Options);
  ~RunState();
  RunState(const RunState &) = delete;
  RunState &operator=(const RunState &) = delete;

  // What data begin as; forgets what devices have of them.
  void begin();
  // Waits for all tasks, works meanwhile, and keeps what failed for finish().
  void wait();
  // Brings results home and throws what failed.
  void finish();

  // What is asked of one task besides its work.
  struct Wishes {
    std::vector<unsigned> Workers; // Empty: any.
    hsched_component *Together = nullptr;
    std::vector<hsched::task> After;
    std::function<void(hsched::outcome)> Told; // When it has ended, on any thread.
    bool Referred = false;                     // The task is wanted.

    bool plain() const { return Workers.empty() && !Together && After.empty() && !Told && !Referred; }
  };
  // Submits a kernel's part. Any thread.
  hsched::task submit(uint32_t Kernel, size_t Part, const Wishes &How) { return submit(packed(Kernel, Part), How); }
  hsched::task submit(const PackedLaunch &L, const Wishes &How);
  // The same of one that is plain: nobody is told of its end.
  void submitPlain(const PackedLaunch &L);
  // In an order that the edges allow.
  const std::vector<PackedLaunch> &launches() const { return Packed; }
  // Workers that are devices for kernels, by number.
  const std::vector<unsigned> &devices() const { return Devices; }
  const std::string &nameOf(unsigned Worker) const { return Workers[Worker].name; }
  // Those that a part may run on, by its file and the map.
  const std::vector<unsigned> &allowed(uint32_t Kernel, size_t Part) const;
  // Where it went.
  void placed(uint32_t Kernel, unsigned Worker);

  const Graph &G;
  const RunOptions &Options;
  hsched::engine &Engine;
  RunReport Report;
  unsigned Number = 0; // Of this run.
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
  std::map<std::string, std::vector<unsigned>> ByDevice; // As a file says it.
  std::byte *Arena = nullptr;
  size_t ArenaBytes = 0;
  std::vector<std::byte *> Memory;
  std::string Why; // A wait threw.
  struct Type;
  std::vector<Type *> Types; // By program.
  std::vector<PackedLaunch> Packed;
  std::vector<size_t> FirstPacked; // By kernel.
  std::vector<PackedLaunch::Arg> PackedArgs;
  std::vector<hsched_access> PackedAccesses, Home; // Home: results.
  std::vector<unsigned char> PackedValues;
  std::string Labels;
  std::mutex Lock;        // Guards what follows.
  uint32_t Failed = None; // The first in order.
  std::vector<std::string> Placed;
};

// Ways to run it once, between begin() and finish().
void submitAll(RunState &S);
void dispatch(RunState &S);

} // namespace hsched::dag
#endif
