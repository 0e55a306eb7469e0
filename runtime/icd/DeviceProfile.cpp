// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/DeviceProfile.h"

#include "base/FileLock.h"

#include <CL/cl_hsched.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace hsched::icd {
namespace {

constexpr uint64_t MostCacheBytes = 1 << 20;
// What a work-item computes in a kernel of which nothing is known: this many operations.
constexpr double ItemOperations = 64;

std::string keyOf(const Device &D) {
  const Device::Limits &Its = D.limits();
  return rt::cacheKey({"device 2", D.Key, std::to_string(Its.Units), std::to_string(Its.MHz)});
}

} // namespace

bool DeviceProfile::isValid() const {
  auto IsRate = [](double X) { return std::isfinite(X) && X > 0; };
  auto IsStart = [](double X) { return std::isfinite(X) && X >= 0; };
  return IsRate(Operations) && IsRate(MemoryBytes) && IsRate(FromHost.BytesASecond) && IsRate(ToHost.BytesASecond) &&
         IsStart(FromHost.Start) && IsStart(ToHost.Start);
}

std::string DeviceProfile::text() const {
  std::ostringstream Out;
  Out.precision(17);
  Out << Operations << ' ' << MemoryBytes << ' ' << FromHost.Start << ' ' << FromHost.BytesASecond << ' '
      << ToHost.Start << ' ' << ToHost.BytesASecond << '\n';
  return Out.str();
}

std::optional<DeviceProfile> DeviceProfile::read(const std::string &Text) {
  DeviceProfile P;
  std::istringstream In(Text);
  std::string Rest;
  if (!(In >> P.Operations >> P.MemoryBytes >> P.FromHost.Start >> P.FromHost.BytesASecond >> P.ToHost.Start >>
        P.ToHost.BytesASecond) ||
      In >> Rest || !P.isValid())
    return std::nullopt;
  return P;
}

Bound boundOf(cl_ulong Sched) {
  return Sched & CL_QUEUE_SCHED_IO_BOUND_HSCHED        ? Bound::Transfers
         : Sched & CL_QUEUE_SCHED_MEMORY_BOUND_HSCHED  ? Bound::Memory
         : Sched & CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED ? Bound::Compute
                                                       : Bound::Unknown;
}

bool areProfiled(const std::vector<Device *> &On) {
  return std::all_of(On.begin(), On.end(), [](const Device *D) { return D->Profile.load() != nullptr; });
}

double secondsOf(const Work &W, Bound By, const DeviceProfile &On, double Share) {
  const double Compute = W.Items * ItemOperations / (On.Operations * Share);
  const double Memory = (W.Read + W.Written) / On.MemoryBytes;
  switch (By) {
  case Bound::Compute:
    return Compute;
  case Bound::Memory:
    return Memory > 0 ? Memory : Compute;
  case Bound::Transfers: // Its data come from the host, and go back.
    return On.FromHost.seconds(W.Read) + On.ToHost.seconds(W.Written) + std::max(Compute, Memory);
  case Bound::Unknown:
    break;
  }
  return std::max(Compute, Memory);
}

DeviceProfiles &DeviceProfiles::get() {
  static DeviceProfiles &Only = *new DeviceProfiles(rt::DiskCache::ofUser("opencl-devices", MostCacheBytes));
  return Only;
}

const DeviceProfile *DeviceProfiles::of(const Device &D) {
  if (const DeviceProfile *Its = D.Profile.load(std::memory_order_acquire))
    return Its;
  const DeviceProfile *Its = of(keyOf(D), [&] { return measureDevice(D); });
  D.Profile.store(Its, std::memory_order_release);
  return Its;
}

const DeviceProfile *DeviceProfiles::known(const Device &D) {
  if (const DeviceProfile *Its = D.Profile.load(std::memory_order_acquire))
    return Its;
  const std::string Key = keyOf(D);
  std::lock_guard Hold(Lock);
  auto I = All.find(Key);
  if (I == All.end() && Absent.insert(Key).second) { // Once in a process.
    const auto Text = Cache.load(Key);
    if (auto Its = Text ? DeviceProfile::read(*Text) : std::nullopt)
      I = All.emplace(Key, std::move(Its)).first;
  }
  const DeviceProfile *Its = I != All.end() && I->second ? &*I->second : nullptr;
  D.Profile.store(Its, std::memory_order_release);
  return Its;
}

const DeviceProfile *DeviceProfiles::of(const std::string &Key, const Measure &Do) {
  auto Find = [&]() -> std::optional<const DeviceProfile *> {
    std::lock_guard Hold(Lock);
    if (auto I = All.find(Key); I != All.end())
      return I->second ? &*I->second : nullptr;
    return std::nullopt;
  };
  if (auto Its = Find())
    return *Its;
  std::lock_guard Once(Measuring);
  if (auto Its = Find())
    return *Its;
  auto Load = [&]() -> std::optional<DeviceProfile> {
    auto Text = Cache.load(Key);
    return Text ? DeviceProfile::read(*Text) : std::nullopt;
  };
  std::optional<DeviceProfile> Its = Load();
  if (!Its) {
    const rt::FileLock Hold(Cache.openFolder()); // One process at a time measures.
    Its = Load();                                // Another process may have measured it meanwhile.
    if (!Its) {
      Its = Do();
      if (Its && !Its->isValid())
        Its.reset();
      if (Its)
        Cache.store(Key, Its->text());
    }
  }
  std::lock_guard Hold(Lock);
  const auto &Place = All.emplace(Key, std::move(Its)).first->second; // known() may have read it, and it is in use.
  return Place ? &*Place : nullptr;
}

} // namespace hsched::icd
