// What it takes to move data: bandwidth and latency of each device's links, and between devices, measured once and kept
// on disk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source of the model, t = bytes / B + L a link and direction: Lima et al., "Design and analysis of scheduling
// strategies for multi-CPU and multi-GPU architectures" (XKaapi).
#ifndef HSCHED_PERFMODEL_LINKS_H
#define HSCHED_PERFMODEL_LINKS_H

#include "base/Clock.h"
#include "base/DiskCache.h"
#include "base/Ids.h"
#include "device/Device.h"

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hsched::rt {

// One direction of one link.
struct LinkCost {
  double LatencyNs = 0; // Of a transfer of no bytes, from asking for it to knowing that it is over.
  double NsPerByte = 0;

  // Of so many transfers, one after another.
  Duration time(uint64_t Bytes, uint64_t Transfers = 1) const {
    return Duration(static_cast<Duration::rep>(LatencyNs * static_cast<double>(Transfers) +
                                               NsPerByte * static_cast<double>(Bytes) + 0.5));
  }
  double bytesPerSecond() const { return NsPerByte > 0 ? 1e9 / NsPerByte : 0; }
};

// A device's links, between ordinary host memory and its own, and inside its own.
struct LinkTimes {
  LinkCost ToDevice, ToHost, Within;
};

// What is taken for a way between two devices that has not been measured: down from the first, then up to the other.
LinkCost throughHost(const LinkTimes &From, const LinkTimes &To);

// What is taken for a link that has not been measured.
inline constexpr LinkTimes UnmeasuredLinks = {{10e3, 0.1}, {10e3, 0.1}, {10e3, 0.01}};

// One direction of one link, being measured: says what is to be moved next, and is told what that took.
//
// Sizes grow until a transfer takes half a millisecond; of several transfers of that size, and of 64 bytes, the
// shortest counts: what else uses the link at the time only makes transfers longer. Bandwidth is the difference in the
// device's own times by the difference in bytes; latency is what a thread sees that waits for the small one, less its
// bytes.
class LinkProbe {
public:
  struct Measured {
    Duration Seen; // By a thread that waited.
    Duration Took; // On the device, or Seen where it keeps no times.
  };

  // MostBytes: of one transfer.
  explicit LinkProbe(size_t MostBytes) : MostBytes(MostBytes) {}
  // Too little memory to tell anything.
  bool hopeless() const;
  bool over() const { return Now == Phase::Over; }
  size_t next() const; // Unless it is over.
  void took(const Measured &M);
  LinkCost result() const; // Once it is over.

private:
  enum class Phase : uint8_t { Small, Grow, Large, Over };
  bool grow(); // To more bytes, where these tell little and more are allowed.

  const size_t MostBytes;
  Phase Now = Phase::Small;
  unsigned Round = 0;
  size_t Bytes = 0;
  Measured Small{}, Large{};
};

// Measures a device's links in small steps, one transfer each, so that a device in use is kept from its work for no
// longer than that takes. All steps together move at most some 150 MiB. One thread; the device's manager where there is
// one.
class LinkCalibration {
public:
  // Dev and Time outlive it.
  LinkCalibration(Device &Dev, const Clock &Time);

  // Does one transfer, waits for it, and gives back the device's memory that it took. False when nothing is left to
  // do.
  bool step();
  // Null where the device refused a transfer or has no memory to spare. After step() was false.
  const std::optional<LinkTimes> &result() const { return Result; }

private:
  std::optional<LinkProbe::Measured> transfer(size_t Bytes);
  bool giveUp();

  Device &Dev;
  const Clock &Time;
  std::vector<unsigned char> Host;
  unsigned Direction = 0;         // 0: to the device, 1: to the host, 2: within.
  std::optional<LinkProbe> Probe; // Null: it is over.
  LinkTimes Found;
  std::optional<LinkTimes> Result;
};

// All steps at once.
std::optional<LinkTimes> measureLinks(Device &Dev, const Clock &Time);

// Starts a copy from a buffer of one device to one of another, the way that data go when tasks run. Done: that it has
// ended, and, where that is known, when it ran.
using CopyBetween = std::function<status(Device &From, const BufferRef &Src, Device &To, const BufferRef &Dst,
                                         size_t Bytes, EventRef &Done)>;

// Measures what it takes from one device with memory of its own to another, like LinkCalibration; some 40 MiB go that
// way at most. One thread.
class PairCalibration {
public:
  // From, To and Time outlive it.
  PairCalibration(Device &From, Device &To, const Clock &Time, CopyBetween Copy);
  // As LinkCalibration's.
  bool step();
  const std::optional<LinkCost> &result() const { return Result; }

  Device &From, &To;

private:
  const Clock &Time;
  const CopyBetween Copy;
  std::optional<LinkProbe> Probe; // Null: it is over.
  std::optional<LinkCost> Result;
};

// All steps at once.
std::optional<LinkCost> measurePair(Device &From, Device &To, const Clock &Time, const CopyBetween &Copy);

// What has been measured, on disk: by device, driver, machine, and the settings that it was measured under. Any thread,
// any number of processes.
class LinkStore {
public:
  // Machine: whatever tells this machine's build from another's, see machineDescription().
  LinkStore(DiskCache Disk, std::string Machine) : Disk(std::move(Disk)), Machine(std::move(Machine)) {}
  static LinkStore ofUser(std::string Machine) { return {DiskCache::ofUser("links", 1 << 20), std::move(Machine)}; }

  bool on() const { return Disk.on(); }
  // Null where nothing is known, or what is there makes no sense.
  std::optional<LinkTimes> load(const DeviceInfo &Info) const;
  void store(const DeviceInfo &Info, const LinkTimes &Times) const;
  std::string pathOf(const DeviceInfo &Info) const { return Disk.pathOf(keyOf(Info)); }
  // The same from one device to another: that one's to From's way back is another entry.
  std::optional<LinkCost> load(const Device &From, const Device &To) const;
  void store(const Device &From, const Device &To, const LinkCost &Cost) const;

private:
  std::string keyOf(const DeviceInfo &Info) const;
  std::string keyOf(const Device &From, const Device &To) const;

  DiskCache Disk;
  std::string Machine;
};

// What is known at present, by worker. Readers take no lock.
class Links {
public:
  explicit Links(size_t Workers) : Current(Workers), Ways(Workers) {}
  // Any thread.
  void set(WorkerId W, const LinkTimes &Times);
  // Null while nothing has been measured, and for workers without links.
  const LinkTimes *of(WorkerId W) const {
    return W < Current.size() ? Current[W].load(std::memory_order_acquire) : nullptr;
  }
  // From one worker's memory to another's. Any thread.
  void setBetween(WorkerId From, WorkerId To, const LinkCost &Cost);
  // As measured, else the sum of both links, as far as these have been.
  LinkCost between(WorkerId From, WorkerId To) const;

private:
  using WaysTo = std::vector<std::pair<WorkerId, LinkCost>>; // By where they come from.
  std::vector<std::atomic<const LinkTimes *>> Current;
  std::vector<std::atomic<const WaysTo *>> Ways; // By where they lead to; null: none has been measured.
  std::mutex Lock;                               // Of what follows: readers may hold old ones.
  std::vector<std::unique_ptr<const LinkTimes>> All;
  std::vector<std::unique_ptr<const WaysTo>> AllWays;
};

} // namespace hsched::rt
#endif
