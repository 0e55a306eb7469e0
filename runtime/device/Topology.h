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
  // OS indices of the hardware threads that the process's affinity mask and cgroup allow: one of each physical core
  // first, then the cores' other hardware threads, each group in hwloc's logical order. Never empty.
  std::vector<unsigned> Cores;
  // How many of Cores come before the first second hardware thread of a core.
  unsigned PhysicalCores = 0;
  // CPUs' worth of time that the cgroup grants, rounded up; 0: no limit. More threads than this wait for one another.
  unsigned Quota = 0;
  // How many hardware threads the control group allows, however few of them the calling thread is bound to.
  unsigned AllowedByGroup = 0;

  // How far apart two of Cores are, OS indices: 0 for the same one, then the more the fewer caches, dies, packages,
  // NUMA nodes they share; between NUMA nodes that share nothing by the firmware's latencies, where it gives any. All
  // that is not known is alike, and far. Numbers say nothing but which is greater.
  uint32_t distance(unsigned A, unsigned B) const;
  // By core, as in Cores: what it is part of, from the whole machine down to itself; its NUMA node's number among
  // those in Latencies. Empty where the machine could not be read.
  std::vector<std::vector<uint64_t>> Parts;
  std::vector<unsigned> NumaNode;
  std::vector<std::vector<uint32_t>> Latencies; // Between NUMA nodes; empty: not known.
};

// Any thread. Reads the calling thread's affinity mask: call it before threads are pinned. Where an OpenMP runtime has
// bound that thread (OMP_PROC_BIND and the like), the mask says where one thread of many is to be: then Cores is what
// the control group allows. Never fails: where the machine cannot be read, one core is reported for each CPU of the
// mask.
Topology discoverTopology();
// The same without distances, in a tenth of the time: hwloc loads plug-ins, which load drivers. Cores are in the order
// of their OS indices.
Topology discoverCores();
// Whether Core is the first of the hardware threads that "0,4" or "0-1" lists, a core's thread_siblings_list; true
// where the text says nothing.
bool isFirstSibling(unsigned Core, std::string_view Siblings);
// The cores of a machine that Synthetic describes in hwloc's way ("pack:2 l3:2 core:4 pu:1"), as far as Allowed, OS
// indices in ascending order, has them; empty: all. Null: this machine's. Without a quota. Cores is empty where hwloc
// fails.
Topology readTopology(const std::vector<unsigned> &Allowed, const char *Synthetic = nullptr);

// The quota that the text of a cgroup v2 cpu.max file grants, as in Topology::Quota; 0 for "max" and for malformed
// text.
unsigned parseCpuMax(std::string_view Text);

// The smallest quota of this process's control group and those around it, of either version; 0: none. What is read lies
// under Prefix, for tests.
unsigned cgroupQuota(const std::string &Prefix = "");

// Any thread. Binds the calling thread to one hardware thread, OS index. Threads made by it inherit the binding.
status pinCurrentThread(unsigned Core);
// The same for a set of hardware threads, at least one.
status bindCurrentThread(const std::vector<unsigned> &Cores);

// The CPUs a thread may run on, to be put back later.
class Affinity {
public:
  Affinity();
  ~Affinity();
  Affinity(Affinity &&) noexcept;
  Affinity &operator=(Affinity &&) noexcept;

  // The calling thread's; empty (restoring it does nothing) where it cannot be read.
  static Affinity ofCurrentThread();
  // What the control group allows to any thread of the process. Binds the calling thread to that for a moment.
  static Affinity ofProcess();
  // Applies it to the calling thread.
  status restore() const;
  // Applies it to another thread of this process, by kernel thread number. A thread that is gone is no error.
  status applyTo(int Thread) const;
  // OS indices, ascending.
  std::vector<unsigned> cores() const;

private:
  struct Mask;
  std::unique_ptr<Mask> M;
};

// Binds the calling thread to Cores for the guard's life; what threads it makes meanwhile inherit that. Does nothing
// where Cores is empty or the binding is refused.
class AffinityGuard {
public:
  explicit AffinityGuard(const std::vector<unsigned> &Cores);
  ~AffinityGuard();
  AffinityGuard(const AffinityGuard &) = delete;
  AffinityGuard &operator=(const AffinityGuard &) = delete;
  // Whether the binding is in force.
  bool active() const { return Active; }
  const Affinity &before() const { return Saved; }

private:
  Affinity Saved;
  bool Active = false;
};

// How many threads of this process can run at a time, as far as the calling thread's affinity and the cgroup's quota
// say; at least 1. Any thread.
unsigned usableCpus();

// Kernel thread numbers of this process's threads, ascending; empty where they cannot be read.
std::vector<int> currentThreads();

} // namespace hsched::rt
#endif
