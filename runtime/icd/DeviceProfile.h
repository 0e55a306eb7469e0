// Measured speeds of a device, for the static mode: computing, its memory, and transfers to and from the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device is measured once on a machine. The result is kept on disk, by the device's name, driver and size. An entry
// that is damaged or of another driver counts as absent.
#ifndef HSCHED_ICD_DEVICEPROFILE_H
#define HSCHED_ICD_DEVICEPROFILE_H

#include "base/DiskCache.h"
#include "icd/Device.h"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hsched::icd {

struct DeviceProfile {
  // Sizes between those that were measured are interpolated by a line.
  struct Link {
    double Start = 0; // Seconds of the shortest transfer.
    double BytesASecond = 0;
    double seconds(double Bytes) const { return Bytes > 0 ? Start + Bytes / BytesASecond : 0; }
  };
  double Operations = 0;  // Single-precision operations a second of the whole device.
  double MemoryBytes = 0; // Bytes a second that kernels read and write in its memory.
  Link FromHost, ToHost;

  bool isValid() const;
  std::string text() const;
  // Nothing if the text is not a valid profile.
  static std::optional<DeviceProfile> read(const std::string &Text);
};

// What a kernel does, as far as it is known without running it.
struct Work {
  double Items = 0;
  double Read = 0, Written = 0; // Bytes of memory objects.
};

// The resource that bounds a queue, as the program says.
enum class Bound { Unknown, Compute, Memory, Transfers };
// Sched: properties of a scheduled queue.
Bound boundOf(cl_ulong Sched);

// Estimated seconds. Share: how much of the device a kernel with so few items uses, at most 1.
double secondsOf(const Work &W, Bound By, const DeviceProfile &On, double Share);

// True if every device has a profile. Otherwise all are judged by their properties.
bool areProfiled(const std::vector<Device *> &On);

// Runs the benchmarks on an idle device: some 0.1 s. Nothing if the vendor refuses. Waits for the device, so it must
// not run on a vendor's thread, or with a lock held.
std::optional<DeviceProfile> measureDevice(const Device &D);

// The profiles of this process.
class DeviceProfiles {
public:
  using Measure = std::function<std::optional<DeviceProfile>()>;
  explicit DeviceProfiles(rt::DiskCache Cache) : Cache(std::move(Cache)) {}
  static DeviceProfiles &get();

  // Any thread. From memory, from disk, or measured. Processes that need the same profile at once wait for the first.
  // Null: it cannot be measured. Valid as long as the process. Sets D.Profile.
  const DeviceProfile *of(const Device &D);
  // True if later processes read what is measured.
  bool areKept() const { return Cache.on(); }
  // The same without measuring. Null: it is not known.
  const DeviceProfile *known(const Device &D);
  const DeviceProfile *of(const std::string &Key, const Measure &Do);

private:
  const rt::DiskCache Cache;
  std::mutex Measuring; // Devices share the host, so one is measured at a time. Taken before Lock.
  std::mutex Lock;
  std::map<std::string, std::optional<DeviceProfile>> All; // By key. Empty: it cannot be measured.
  std::set<std::string> Absent;                            // Keys that known() did not find on disk.
};

} // namespace hsched::icd
#endif
