// Cores through hwloc, affinity through system calls (a thread's mask is saved and restored exactly).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/Topology.h"
#include "base/Env.h"
#include "device/Hwloc.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <dirent.h>
#include <fstream>
#include <sched.h>
#include <thread>

namespace hsched::rt {

// Masks are sized for machines with more CPUs than a cpu_set_t holds.
struct Affinity::Mask {
  static constexpr unsigned Cpus = 8192;
  static constexpr size_t Bytes = Cpus / 8;
  alignas(cpu_set_t) unsigned char Bits[Bytes] = {};

  cpu_set_t *set() { return reinterpret_cast<cpu_set_t *>(Bits); }
  const cpu_set_t *set() const { return reinterpret_cast<const cpu_set_t *>(Bits); }
};

Affinity::Affinity() = default;
Affinity::~Affinity() = default;
Affinity::Affinity(Affinity &&) noexcept = default;
Affinity &Affinity::operator=(Affinity &&) noexcept = default;

Affinity Affinity::ofThread(int Thread) {
  Affinity A;
  auto M = std::make_unique<Mask>();
  if (sched_getaffinity(Thread, Mask::Bytes, M->set()) == 0)
    A.M = std::move(M);
  return A;
}

Affinity Affinity::ofCurrentThread() { return ofThread(0); }

Affinity Affinity::ofProcess() {
  Affinity Before = ofCurrentThread();
  Mask All;
  std::memset(All.Bits, 0xff, sizeof(All.Bits));
  if (!Before.M || sched_setaffinity(0, Mask::Bytes, All.set()) != 0)
    return Before;
  Affinity A = ofCurrentThread();
  (void)Before.restore();
  return A;
}

status Affinity::applyTo(int Thread) const {
  if (!M || sched_setaffinity(Thread, Mask::Bytes, M->set()) == 0 || errno == ESRCH)
    return {};
  return status::error(errc::unsupported, std::string("a thread's affinity cannot be set: ") + std::strerror(errno),
                       errno);
}

void Affinity::applyTo(const std::vector<int> &Threads, const Affinity &From) const {
  for (int Thread : Threads)
    if (const Affinity Now = ofThread(Thread);
        Now.M && From.M && std::memcmp(Now.M->Bits, From.M->Bits, sizeof(Now.M->Bits)) == 0)
      (void)applyTo(Thread);
}

status Affinity::restore() const { return applyTo(0); }

std::vector<unsigned> Affinity::cores() const {
  std::vector<unsigned> Cores;
  for (unsigned I = 0; M && I < Mask::Cpus; ++I)
    if (CPU_ISSET_S(I, Mask::Bytes, M->set()))
      Cores.push_back(I);
  return Cores;
}

status bindCurrentThread(const std::vector<unsigned> &Cores) {
  if (Cores.empty())
    return status::error(errc::invalid_argument, "a thread cannot be bound to no core at all");
  cpu_set_t *Set = CPU_ALLOC(8192);
  if (!Set)
    return status::error(errc::out_of_memory, "no memory for a set of cores");
  size_t Bytes = CPU_ALLOC_SIZE(8192);
  CPU_ZERO_S(Bytes, Set);
  for (unsigned Core : Cores)
    CPU_SET_S(Core, Bytes, Set);
  int Failed = sched_setaffinity(0, Bytes, Set) == 0 ? 0 : errno;
  CPU_FREE(Set);
  if (!Failed)
    return {};
  return status::error(errc::unsupported,
                       "a thread cannot be bound to core " + std::to_string(Cores.front()) +
                           (Cores.size() > 1 ? " and others: " : ": ") + std::strerror(Failed),
                       Failed);
}

status pinCurrentThread(unsigned Core) { return bindCurrentThread({Core}); }

AffinityGuard::AffinityGuard(const std::vector<unsigned> &Cores) : Saved(Affinity::ofCurrentThread()) {
  // Without a saved mask it could not be restored.
  Active = !Cores.empty() && !Saved.cores().empty() && bindCurrentThread(Cores).ok();
}

AffinityGuard::~AffinityGuard() {
  if (Active)
    (void)Saved.restore();
}

std::vector<int> currentThreads() {
  std::vector<int> Threads;
  DIR *Tasks = opendir("/proc/self/task");
  if (!Tasks)
    return Threads;
  while (dirent *Entry = readdir(Tasks)) {
    int Id = 0;
    const char *End = Entry->d_name + std::strlen(Entry->d_name);
    auto [Rest, Bad] = std::from_chars(Entry->d_name, End, Id);
    if (Bad == std::errc() && Rest == End)
      Threads.push_back(Id);
  }
  closedir(Tasks);
  std::sort(Threads.begin(), Threads.end());
  return Threads;
}

namespace {

// Reads the firmware's latencies between NUMA nodes, and the node of each core of T.
void readLatencies(const Hwloc &H, hwloc_topology_t Machine, Topology &T) {
  unsigned Found = 1;
  hwloc_distances_s *Table = nullptr;
  if (H.Distances(Machine, HWLOC_OBJ_NUMANODE, &Found, &Table,
                  HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      Found == 0)
    return;
  unsigned Nodes = Table->nbobjs;
  T.Latencies.assign(Nodes, std::vector<uint32_t>(Nodes));
  for (unsigned From = 0; From < Nodes; ++From)
    for (unsigned To = 0; To < Nodes; ++To)
      T.Latencies[From][To] = static_cast<uint32_t>(std::min<uint64_t>(Table->values[From * Nodes + To], 0xffff));
  for (unsigned Core : T.Cores) {
    unsigned At = 0;
    while (At < Nodes && !H.IsSet(Table->objs[At]->cpuset, Core))
      ++At;
    T.NumaNode.push_back(At); // Nodes: no node.
  }
  H.Release(Machine, Table);
}

hwloc_obj_t coreOf(hwloc_obj_t Unit) {
  while (Unit && Unit->type != HWLOC_OBJ_CORE)
    Unit = Unit->parent;
  return Unit;
}

} // namespace

Topology readTopology(const std::vector<unsigned> &Allowed, const char *Synthetic) {
  const Hwloc *H = Hwloc::find();
  Topology T;
  hwloc_topology_t Machine;
  if (!H || H->Init(&Machine) != 0)
    return T;
  if ((!Synthetic || H->SetSynthetic(Machine, Synthetic) == 0) && H->Load(Machine) == 0) {
    std::vector<hwloc_obj_t> First, Others;
    hwloc_obj_t LastCore = nullptr;
    for (unsigned I = 0; hwloc_obj_t Unit = H->object(Machine, HWLOC_OBJ_PU, I); ++I) {
      if (!Allowed.empty() && !std::binary_search(Allowed.begin(), Allowed.end(), Unit->os_index))
        continue;
      hwloc_obj_t Core = coreOf(Unit);
      (Core && Core == LastCore ? Others : First).push_back(Unit);
      LastCore = Core;
    }
    T.PhysicalCores = static_cast<unsigned>(First.size());
    First.insert(First.end(), Others.begin(), Others.end());
    for (hwloc_obj_t Unit : First) {
      T.Cores.push_back(Unit->os_index);
      std::vector<uint64_t> Above;
      for (hwloc_obj_t Part = Unit; Part; Part = Part->parent)
        Above.push_back(Part->gp_index);
      std::reverse(Above.begin(), Above.end());
      T.Parts.push_back(std::move(Above));
    }
    readLatencies(*H, Machine, T);
  }
  H->Destroy(Machine);
  return T;
}

uint32_t Topology::distance(unsigned A, unsigned B) const {
  if (A == B)
    return 0;
  auto at = [this](unsigned Core) {
    return static_cast<size_t>(std::find(Cores.begin(), Cores.end(), Core) - Cores.begin());
  };
  size_t I = at(A), J = at(B);
  if (I >= Parts.size() || J >= Parts.size())
    return UINT32_MAX;
  const std::vector<uint64_t> &Of = Parts[I], &Other = Parts[J];
  auto Shared = static_cast<size_t>(std::mismatch(Of.begin(), Of.end(), Other.begin(), Other.end()).first - Of.begin());
  auto Levels = static_cast<uint32_t>(std::max(Of.size(), Other.size()) - Shared);
  uint32_t Latency = 0;
  if (I < NumaNode.size() && J < NumaNode.size() && NumaNode[I] < Latencies.size() && NumaNode[J] < Latencies.size())
    Latency = Latencies[NumaNode[I]][NumaNode[J]];
  return (Levels << 16) + Latency;
}

unsigned usableCpus() {
  auto Cores = static_cast<unsigned>(Affinity::ofCurrentThread().cores().size());
  unsigned Quota = cgroupQuota();
  return std::max(1u, Quota ? std::min(Cores, Quota) : Cores);
}

// True if a linked OpenMP runtime binds its threads, including the initial one at program start.
static bool openMPBinds() {
  if (std::string Bind = envString("OMP_PROC_BIND").value_or(""); !Bind.empty())
    return Bind != "false" && Bind != "FALSE";
  return envString("OMP_PLACES") || envString("GOMP_CPU_AFFINITY") || envString("KMP_AFFINITY");
}

bool isFirstSibling(unsigned Core, std::string_view Siblings) {
  unsigned First = 0;
  const auto [Rest, Bad] = std::from_chars(Siblings.data(), Siblings.data() + Siblings.size(), First);
  return Bad != std::errc() || First == Core;
}

static Topology readSiblings(const std::vector<unsigned> &Allowed) {
  Topology T;
  // Instead of a file for each core.
  if (std::ifstream File("/sys/devices/system/cpu/smt/active"); File.get() == '0') {
    T.Cores = Allowed;
    T.PhysicalCores = static_cast<unsigned>(Allowed.size());
    return T;
  }
  std::vector<unsigned> Others;
  for (unsigned Core : Allowed) {
    std::ifstream File("/sys/devices/system/cpu/cpu" + std::to_string(Core) + "/topology/thread_siblings_list");
    std::string Siblings;
    std::getline(File, Siblings);
    unsigned First = 0;
    (void)std::from_chars(Siblings.data(), Siblings.data() + Siblings.size(), First);
    // The first one may be disallowed.
    const bool Alone = !std::binary_search(Allowed.begin(), Allowed.end(), First);
    (Alone || isFirstSibling(Core, Siblings) ? T.Cores : Others).push_back(Core);
  }
  T.PhysicalCores = static_cast<unsigned>(T.Cores.size());
  T.Cores.insert(T.Cores.end(), Others.begin(), Others.end());
  return T;
}

static Topology discover(Topology (*Read)(const std::vector<unsigned> &)) {
  std::vector<unsigned> Allowed = Affinity::ofCurrentThread().cores();
  std::vector<unsigned> Group = Affinity::ofProcess().cores();
  if (openMPBinds())
    Allowed = Group;
  Topology T = Read(Allowed);
  if (T.Cores.empty()) {
    T.Cores = Allowed;
    if (T.Cores.empty())
      for (unsigned I = 0; I < std::max(1u, std::thread::hardware_concurrency()); ++I)
        T.Cores.push_back(I);
    T.PhysicalCores = static_cast<unsigned>(T.Cores.size());
  }
  T.Quota = cgroupQuota();
  T.AllowedByGroup = static_cast<unsigned>(Group.size());
  return T;
}

Topology discoverTopology() {
  return discover([](const std::vector<unsigned> &Allowed) { return readTopology(Allowed); });
}

Topology discoverCores() { return discover(readSiblings); }

} // namespace hsched::rt
