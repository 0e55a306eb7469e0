// Cores through hwloc, affinity through the kernel's own calls (a thread's mask is read and put back exactly).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/Topology.h"

#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <dirent.h>
#include <fstream>
#include <sched.h>
#include <sstream>
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

Affinity Affinity::ofCurrentThread() {
  Affinity A;
  auto M = std::make_unique<Mask>();
  if (sched_getaffinity(0, Mask::Bytes, M->set()) == 0)
    A.M = std::move(M);
  return A;
}

status Affinity::applyTo(int Thread) const {
  if (!M || sched_setaffinity(Thread, Mask::Bytes, M->set()) == 0 || errno == ESRCH)
    return {};
  return status::error(errc::unsupported, std::string("a thread's affinity cannot be set: ") + std::strerror(errno),
                       errno);
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
  // Without a saved mask there would be nothing to go back to.
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

unsigned parseCpuMax(std::string_view Text) {
  std::istringstream In{std::string(Text)};
  std::string Granted;
  uint64_t Quota = 0, Period = 100000; // the kernel's default period, in microseconds
  In >> Granted;
  auto [Rest, Bad] = std::from_chars(Granted.data(), Granted.data() + Granted.size(), Quota);
  if (Bad != std::errc() || Rest != Granted.data() + Granted.size() || Quota == 0)
    return 0;
  if (uint64_t Given; In >> Given)
    Period = Given;
  if (Period == 0)
    return 0;
  uint64_t Cpus = Quota / Period + (Quota % Period != 0);
  return static_cast<unsigned>(std::min<uint64_t>(Cpus, UINT32_MAX));
}

// The smallest quota on the way from this process's cgroup up to the root of the hierarchy.
static unsigned cgroupQuota() {
  std::ifstream Own("/proc/self/cgroup");
  std::string Line, Path;
  while (std::getline(Own, Line))
    if (Line.rfind("0::", 0) == 0)
      Path = Line.substr(3);
  if (Path.empty())
    return 0;
  unsigned Smallest = 0;
  for (;;) {
    std::ifstream File("/sys/fs/cgroup" + Path + "/cpu.max");
    std::string Text;
    if (std::getline(File, Text))
      if (unsigned Quota = parseCpuMax(Text); Quota && (!Smallest || Quota < Smallest))
        Smallest = Quota;
    if (Path.empty())
      return Smallest;
    Path.erase(Path.find_last_of('/') == std::string::npos ? 0 : Path.find_last_of('/'));
  }
}

// Physical cores first. Empty where hwloc fails.
static std::vector<unsigned> hwlocOrder(const std::vector<unsigned> &Allowed, unsigned &Physical) {
  std::vector<unsigned> First, Others;
  hwloc_topology_t Machine;
  if (hwloc_topology_init(&Machine) != 0)
    return {};
  auto IsAllowed = [&](unsigned Cpu) {
    return Allowed.empty() || std::binary_search(Allowed.begin(), Allowed.end(), Cpu);
  };
  if (hwloc_topology_load(Machine) == 0) {
    hwloc_obj_t LastCore = nullptr;
    for (hwloc_obj_t Unit = nullptr; (Unit = hwloc_get_next_obj_by_type(Machine, HWLOC_OBJ_PU, Unit));) {
      if (!IsAllowed(Unit->os_index))
        continue;
      hwloc_obj_t Core = hwloc_get_ancestor_obj_by_type(Machine, HWLOC_OBJ_CORE, Unit);
      (Core && Core == LastCore ? Others : First).push_back(Unit->os_index);
      LastCore = Core;
    }
  }
  hwloc_topology_destroy(Machine);
  Physical = static_cast<unsigned>(First.size());
  First.insert(First.end(), Others.begin(), Others.end());
  return First;
}

Topology discoverTopology() {
  Topology T;
  std::vector<unsigned> Allowed = Affinity::ofCurrentThread().cores();
  T.Cores = hwlocOrder(Allowed, T.PhysicalCores);
  if (T.Cores.empty()) {
    T.Cores = Allowed;
    if (T.Cores.empty())
      for (unsigned I = 0; I < std::max(1u, std::thread::hardware_concurrency()); ++I)
        T.Cores.push_back(I);
    T.PhysicalCores = static_cast<unsigned>(T.Cores.size());
  }
  T.Quota = cgroupQuota();
  return T;
}

} // namespace hsched::rt
