// The cores that this process may compute on, and pinning threads to them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DEVICE_TOPOLOGY_H
#define HSCHED_DEVICE_TOPOLOGY_H

#include <hsched/status.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hsched::rt {

struct Topology {
  // OS indices of the hardware threads that the process's affinity mask and cgroup allow. One of each physical core
  // first, then the cores' other hardware threads, each group in hwloc's logical order. Never empty.
  std::vector<unsigned> Cores;
  // Number of leading Cores that are first hardware threads of their physical cores.
  unsigned PhysicalCores = 0;
  // CPU quota of the cgroup in CPUs, rounded up; 0: no limit. More threads than this delay each other.
  unsigned Quota = 0;
  // Number of hardware threads that the cgroup allows, whatever the calling thread is bound to.
  unsigned AllowedByGroup = 0;

  // Distance of two Cores (OS indices): 0 for the same one; it grows the fewer caches, dies, packages, NUMA nodes they
  // share. Between NUMA nodes that share nothing it follows the firmware's latencies, if given. Unknown distances are
  // equal and large. Only the order of the numbers has meaning.
  uint32_t distance(unsigned A, unsigned B) const;
  // By core, as in Cores: the objects that contain it, from the machine down to itself; and its NUMA node's index in
  // Latencies. Empty if the machine could not be read.
  std::vector<std::vector<uint64_t>> Parts;
  std::vector<unsigned> NumaNode;
  std::vector<std::vector<uint32_t>> Latencies; // Between NUMA nodes; empty: unknown.
};

// Any thread. Reads the calling thread's affinity mask: call it before threads are pinned. If an OpenMP
// runtime has bound that thread (OMP_PROC_BIND and the like), the mask
// describes one thread of many. Cores is what the cgroup allows. Never fails: if the machine cannot be read, each CPU
// of the mask is one core.
Topology discoverTopology();
// The same without distances, in 1/10 of the time, because hwloc's plugins load drivers. Cores are ordered by OS
// index.
Topology discoverCores();
// True if Core is the first hardware thread in a thread_siblings_list such as "0,4" or "0-1", and for an empty or
// malformed text.
bool isFirstSibling(unsigned Core, std::string_view Siblings);
// The cores of a machine that Synthetic describes in hwloc's syntax ("pack:2 l3:2 core:4 pu:1"); null:
// this machine. Allowed: ascending OS indices; empty: all. Without a quota. Cores is empty if hwloc
// fails.
Topology readTopology(const std::vector<unsigned> &Allowed, const char *Synthetic = nullptr);

// The quota in the text of a cgroup v2 cpu.max file, as in Topology::Quota; 0 for "max" and for malformed
// text.
unsigned parseCpuMax(std::string_view Text);

// The smallest quota of this process's control group and those around it, of either version; 0: none. Prefix: root of
// the files, for tests.
unsigned cgroupQuota(const std::string &Prefix = "");

// Any thread. Binds the calling thread to one hardware thread, OS index. Threads made by it inherit the binding.
status pinCurrentThread(unsigned Core);
// The same for a set of hardware threads, at least one.
status bindCurrentThread(const std::vector<unsigned> &Cores);

// The CPU affinity of a thread, to restore it later.
class Affinity {
public:
  Affinity();
  ~Affinity();
  Affinity(Affinity &&) noexcept;
  Affinity &operator=(Affinity &&) noexcept;

  // The calling thread's. If it cannot be read: empty, and restoring it has no effect.
  static Affinity ofCurrentThread();
  // The same of a thread of this process, by kernel thread id.
  static Affinity ofThread(int Thread);
  // What the cgroup allows to threads of the process. Binds the calling thread to that temporarily.
  static Affinity ofProcess();
  // Applies it to the calling thread.
  status restore() const;
  // Applies it to another thread of this process, by kernel thread id. A thread that has ended is no error.
  status applyTo(int Thread) const;
  // Applies it to those of Threads that have the affinity From. A thread that was bound elsewhere meanwhile stays
  // there.
  void applyTo(const std::vector<int> &Threads, const Affinity &From) const;
  // OS indices, ascending.
  std::vector<unsigned> cores() const;

private:
  struct Mask;
  std::unique_ptr<Mask> M;
};

// Binds the calling thread to Cores for the guard's lifetime; threads made meanwhile inherit that. No effect if Cores
// is empty or the binding is refused.
class AffinityGuard {
public:
  explicit AffinityGuard(const std::vector<unsigned> &Cores);
  ~AffinityGuard();
  AffinityGuard(const AffinityGuard &) = delete;
  AffinityGuard &operator=(const AffinityGuard &) = delete;
  // True if the binding is in force.
  bool active() const { return Active; }
  const Affinity &before() const { return Saved; }

private:
  Affinity Saved;
  bool Active = false;
};

// Number of threads of this process that can run at a time, by the calling thread's affinity and the cgroup's quota; at
// least 1. Any thread.
unsigned usableCpus();

// Kernel thread ids of this process's threads, ascending; empty if they cannot be read.
std::vector<int> currentThreads();

} // namespace hsched::rt
#endif
