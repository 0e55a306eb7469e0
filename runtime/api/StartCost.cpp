// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/StartCost.h"

#include "base/DiskCache.h"
#include "perfmodel/History.h"

#include <algorithm>
#include <cstdio>
#include <limits.h>
#include <span>
#include <unistd.h>
#include <vector>

namespace hsched::rt {

static DiskCache disk() { return DiskCache::ofUser("start", 1 << 20); }

static std::string keyOf(const std::string &Selection) {
  char Self[PATH_MAX];
  const ssize_t Length = readlink("/proc/self/exe", Self, sizeof Self);
  return cacheKey({"start 1", std::string_view(Self, Length > 0 ? static_cast<size_t>(Length) : 0), Selection});
}

StartCost StartCost::load(const std::string &Selection) {
  StartCost Known;
  const DiskCache Disk = disk();
  const std::optional<std::string> Text = Disk.on() ? Disk.load(keyOf(Selection)) : std::nullopt;
  long long Open = 0, Build = 0;
  unsigned Discrete = 0, Used = 0, Paid = 0, Steady = 0;
  constexpr long long Most = 3600ll * 1000 * 1000 * 1000; // Larger values are implausible.
  // Earlier versions wrote only the first three.
  if (Text &&
      std::sscanf(Text->c_str(), "%lld %lld %u %u %u %u", &Open, &Build, &Discrete, &Used, &Paid, &Steady) >= 3 &&
      Open >= 0 && Build >= 0 && Open < Most && Build < Most && Discrete < 4096)
    Known = {Duration(Open), Duration(Build), Discrete, Used == 1, Paid == 1, Steady == 1};
  return Known;
}

void StartCost::store(const std::string &Selection) const {
  if (const DiskCache Disk = disk(); Disk.on())
    Disk.store(keyOf(Selection), std::to_string(Open.count()) + " " + std::to_string(Build.count()) + " " +
                                     std::to_string(Discrete) + (Used ? " 1" : " 0") + (Paid ? " 1" : " 0") +
                                     (Steady ? " 1" : " 0"));
}

void StartCost::judge(const History &Times, unsigned Cpus) {
  Used = Paid = false;
  Cpus = std::max(Cpus, 1u);
  double SavedNs = 0;
  const std::vector<HistoryRow> Rows = Times.rows();
  for (auto Begin = Rows.begin(); Begin != Rows.end();) { // Rows of one task and size follow each other.
    const auto End = std::find_if(Begin, Rows.end(),
                                  [&](const HistoryRow &R) { return R.Type != Begin->Type || R.Size != Begin->Size; });
    double CpuNs = 0; // The shortest time of a version on a core; 0: unknown.
    for (const HistoryRow &R : std::span(Begin, End))
      if (R.Model == CpuModel && R.Stats.Runs)
        CpuNs = CpuNs > 0 ? std::min(CpuNs, R.Stats.medianNs()) : R.Stats.medianNs();
    for (const HistoryRow &R : std::span(Begin, End))
      if (const uint64_t Runs = R.Stats.Runs - R.Stats.Stored; R.Model != CpuModel && Runs) {
        Used = true;
        Paid |= CpuNs <= 0; // The cores left these tasks to the devices, or had to.
        SavedNs += static_cast<double>(Runs) * (CpuNs / Cpus - R.Stats.medianNs());
      }
    Begin = End;
  }
  Paid |= Used && SavedNs * Cpus >= static_cast<double>(Open.count()); // One core opens devices.
}

} // namespace hsched::rt
