// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/CacheGroups.h"

#include "base/Env.h"
#include "icd/Device.h"

#include <fstream>
#include <set>

namespace hsched::icd {
namespace {

constexpr unsigned MostCaches = 16; // A CPU has at most so many.

std::string lineOf(const std::string &File) {
  std::ifstream In(File);
  std::string Line;
  std::getline(In, Line);
  return Line;
}

// The list of CPUs with which a CPU shares its cache of a level. Empty: there is none.
std::string sharersOf(unsigned Cpu, unsigned Level, const std::string &Prefix) {
  const std::string Caches = Prefix + "/sys/devices/system/cpu/cpu" + std::to_string(Cpu) + "/cache/index";
  for (unsigned I = 0; I != MostCaches; ++I) {
    const std::string Its = Caches + std::to_string(I) + "/";
    if (lineOf(Its + "level") == std::to_string(Level) && lineOf(Its + "type") != "Instruction")
      return lineOf(Its + "shared_cpu_list");
  }
  return {};
}

} // namespace

std::vector<unsigned> cacheGroups(unsigned Level, unsigned Count, const std::string &Prefix) {
  std::vector<unsigned> Groups;
  std::set<std::string> Seen;
  std::string Last;
  for (unsigned Cpu = 0; Cpu != Count; ++Cpu) {
    const std::string Its = sharersOf(Cpu, Level, Prefix);
    if (Its.empty())
      return {};
    if (Its == Last) {
      ++Groups.back();
      continue;
    }
    if (!Seen.insert(Its).second)
      return {};
    Groups.push_back(1);
    Last = Its;
  }
  return Groups.size() < 2 ? std::vector<unsigned>() : Groups;
}

std::vector<CacheDomain> cacheDomains(const Device &D) {
  const bool IsPocl = D.Of->Name.starts_with("Portable Computing Language") &&
                      (D.Name.starts_with("pthread") || D.Name.starts_with("cpu-"));
  if (D.Parent || D.isAuto() || !IsPocl || D.RunsInCaller ||
      !rt::envString("POCL_AFFINITY").value_or("").starts_with('1'))
    return {};
  constexpr std::pair<unsigned, cl_device_affinity_domain> Levels[] = {{4, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE},
                                                                       {3, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE},
                                                                       {2, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE},
                                                                       {1, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE}};
  std::vector<CacheDomain> All;
  for (const auto &[Level, Domain] : Levels)
    if (auto Groups = cacheGroups(Level, D.limits().Units); !Groups.empty())
      All.push_back({Domain, std::move(Groups)});
  return All;
}

} // namespace hsched::icd
