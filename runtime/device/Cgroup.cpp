// Processor time granted by the process's control groups, versions 2 and 1.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/Topology.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace hsched::rt {
namespace {

// A mount point of a hierarchy: Root of it is visible at Point.
struct Mount {
  std::string Root, Point;
};

std::string firstLine(const std::string &Path) {
  std::ifstream File(Path);
  std::string Line;
  std::getline(File, Line);
  return Line;
}

bool hasWord(const std::string &List, std::string_view Word) {
  std::istringstream In(List);
  for (std::string Each; std::getline(In, Each, ',');)
    if (Each == Word)
      return true;
  return false;
}

// The usual mount points of version 2, alone and beside version 1, and of version 1.
constexpr const char *Unified[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
constexpr const char *Legacy[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"};

// A usual mount point where Group is visible at its whole path, so that the mount's root is the hierarchy's. Saves
// reading the table of mounts, which takes as long as the rest of the engine's start.
std::optional<Mount> usualMount(const std::string &Prefix, const std::string &Group, bool Version2) {
  for (const char *Point : Version2 ? Unified : Legacy)
    if (access((Prefix + Point + Group + (Version2 ? "/cgroup.controllers" : "/cpu.cfs_quota_us")).c_str(), F_OK) == 0)
      return Mount{"/", Point};
  return std::nullopt;
}

// "36 35 98:0 /root /point options optional... - type source options"; see proc(5).
std::vector<Mount> findMounts(const std::string &Prefix, bool Version2) {
  std::vector<Mount> Found;
  std::ifstream File(Prefix + "/proc/self/mountinfo");
  for (std::string Line; std::getline(File, Line);) {
    std::istringstream In(Line);
    std::string Skip, Type, Source, Options;
    Mount M;
    In >> Skip >> Skip >> Skip >> M.Root >> M.Point;
    while (In >> Skip && Skip != "-") {
    }
    In >> Type >> Source >> Options;
    if (Version2 ? Type == "cgroup2" : Type == "cgroup" && hasWord(Options, "cpu"))
      Found.push_back(std::move(M));
  }
  if (Found.empty()) // The usual mount point.
    Found.push_back({"/", Version2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu"});
  return Found;
}

unsigned quotaAt(const std::string &Folder, bool Version2) {
  if (Version2)
    return parseCpuMax(firstLine(Folder + "/cpu.max"));
  return parseCpuMax(firstLine(Folder + "/cpu.cfs_quota_us") + " " + firstLine(Folder + "/cpu.cfs_period_us"));
}

// The smallest quota from Group up to the visible root of the hierarchy.
unsigned smallestQuota(const std::string &Prefix, const Mount &M, const std::string &Group, bool Version2) {
  std::string Root = M.Root == "/" ? "" : M.Root, Inside;
  // In a container, the path may be the host's while the container's own group is mounted.
  if (Group.compare(0, Root.size(), Root) == 0 && (Group.size() == Root.size() || Group[Root.size()] == '/'))
    Inside = Group.substr(Root.size());
  unsigned Smallest = 0;
  for (;;) {
    if (unsigned Quota = quotaAt(Prefix + M.Point + Inside, Version2))
      Smallest = Smallest ? std::min(Smallest, Quota) : Quota;
    size_t Last = Inside.rfind('/');
    if (Last == std::string::npos)
      return Smallest;
    Inside.erase(Last);
  }
}

} // namespace

unsigned parseCpuMax(std::string_view Text) {
  std::istringstream In{std::string(Text)};
  std::string Granted;
  uint64_t Quota = 0, Period = 100000; // The kernel's default period, in microseconds.
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

unsigned cgroupQuota(const std::string &Prefix) {
  unsigned Smallest = 0;
  bool Known = false; // A hierarchy of version 1 has the controller, so that of version 2 does not have it.
  std::ifstream Own(Prefix + "/proc/self/cgroup");
  for (std::string Line; std::getline(Own, Line);) { // Format: number:controllers:path.
    size_t First = Line.find(':'), Second = Line.find(':', First + 1);
    if (First == std::string::npos || Second == std::string::npos)
      continue;
    std::string Controllers = Line.substr(First + 1, Second - First - 1), Group = Line.substr(Second + 1);
    bool Version2 = Controllers.empty();
    if (Version2 ? Known : !hasWord(Controllers, "cpu"))
      continue;
    if (Group == "/")
      Group.clear();
    Known = Known || !Version2;
    const std::optional<Mount> Usual = usualMount(Prefix, Group, Version2);
    for (const Mount &M : Usual ? std::vector{*Usual} : findMounts(Prefix, Version2))
      if (unsigned Quota = smallestQuota(Prefix, M, Group, Version2))
        Smallest = Smallest ? std::min(Smallest, Quota) : Quota;
  }
  return Smallest;
}

} // namespace hsched::rt
