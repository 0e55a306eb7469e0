// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/StartCost.h"

#include "base/DiskCache.h"

#include <cstdio>
#include <limits.h>
#include <unistd.h>

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
  unsigned Discrete = 0;
  constexpr long long Most = 3600ll * 1000 * 1000 * 1000; // Larger values are implausible.
  if (Text && std::sscanf(Text->c_str(), "%lld %lld %u", &Open, &Build, &Discrete) == 3 && Open >= 0 && Build >= 0 &&
      Open < Most && Build < Most && Discrete < 4096)
    Known = {Duration(Open), Duration(Build), Discrete};
  return Known;
}

void StartCost::store(const std::string &Selection) const {
  if (const DiskCache Disk = disk(); Disk.on())
    Disk.store(keyOf(Selection),
               std::to_string(Open.count()) + " " + std::to_string(Build.count()) + " " + std::to_string(Discrete));
}

} // namespace hsched::rt
