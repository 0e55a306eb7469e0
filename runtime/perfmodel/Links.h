// The cost of transfers: bandwidth and latency of each device's links and between devices, measured once and kept on
// disk.
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
  double LatencyNs = 0; // Latency of an empty transfer, from its request to the knowledge of its end.
  double NsPerByte = 0;

  // Time of so many transfers in sequence.
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

// The assumed cost between two devices that has not been measured: download from the first, then upload to the other.
LinkCost throughHost(const LinkTimes &From, const LinkTimes &To);

// The assumed cost of a link that has not been measured.
inline constexpr LinkTimes UnmeasuredLinks = {{10e3, 0.1}, {10e3, 0.1}, {10e3, 0.01}};

// The measurement of one direction of one link: it names the next size to transfer and takes the measured time.
//
// Sizes grow until a transfer takes 0.5 ms. Then the shortest of several transfers of that size, and of
// 64 bytes, counts, because other users of the link only lengthen transfers. Bandwidth: difference of
// bytes over difference of device times. Latency: host time of the small transfer minus the time of its
// bytes.
class LinkProbe {
public:
  struct Measured {
    Duration Seen; // Host time, by a thread that waited.
    Duration Took; // Device time, or Seen if the device keeps no times.
  };

  // MostBytes: limit of one transfer.
  explicit LinkProbe(size_t MostBytes) : MostBytes(MostBytes) {}
  // True if there is too little memory for a measurement.
  bool lacksMemory() const;
  bool over() const { return Now == Phase::Over; }
  size_t next() const; // Call unless it is over.
  void took(const Measured &M);
  LinkCost result() const; // Call once it is over.

private:
  enum class Phase : uint8_t { Small, Grow, Large, Over };
  bool grow(); // Moves to more bytes if the present size tells little and more is allowed.

  const size_t MostBytes;
  Phase Now = Phase::Small;
  unsigned Round = 0;
  size_t Bytes = 0;
  Measured Small{}, Large{};
};

// Measures a device's links in steps of one transfer, so a device in use is delayed by one transfer at
// most. All steps together move about 150 MiB at most. One thread: the device's manager if there is
// one.
class LinkCalibration {
public:
  // Dev and Time outlive it.
  LinkCalibration(Device &Dev, const Clock &Time);

  // Does one transfer, waits for it, and frees its device memory. False: nothing is left to
  // do.
  bool step();
  // Null if the device refused a transfer or lacks memory. Call after step() returned false.
  const std::optional<LinkTimes> &result() const { return Result; }

private:
  std::optional<LinkProbe::Measured> transfer(size_t Bytes);
  bool giveUp();

  Device &Dev;
  const Clock &Time;
  std::vector<unsigned char> Host;
  unsigned Direction = 0;         // 0: to the device, 1: to the host, 2: within.
  std::optional<LinkProbe> Probe; // Null: the measurement is over.
  LinkTimes Found;
  std::optional<LinkTimes> Result;
};

// All steps at once.
std::optional<LinkTimes> measureLinks(Device &Dev, const Clock &Time);

// Starts a copy between buffers of two devices, by the route that tasks' data take. Done: its end and, if known, its
// times.
using CopyBetween = std::function<status(Device &From, const BufferRef &Src, Device &To, const BufferRef &Dst,
                                         size_t Bytes, EventRef &Done)>;

// Measures the route between two devices with memory of their own, as LinkCalibration does. It moves about 40 MiB at
// most. One thread.
class PairCalibration {
public:
  // From, To and Time outlive it.
  PairCalibration(Device &From, Device &To, const Clock &Time, CopyBetween Copy);
  // As LinkCalibration::step.
  bool step();
  const std::optional<LinkCost> &result() const { return Result; }

  Device &From, &To;

private:
  const Clock &Time;
  const CopyBetween Copy;
  std::optional<LinkProbe> Probe; // Null: the measurement is over.
  std::optional<LinkCost> Result;
};

// All steps at once.
std::optional<LinkCost> measurePair(Device &From, Device &To, const Clock &Time, const CopyBetween &Copy);

// Measured links on disk, keyed by device, driver, machine and settings. Any thread, any number of
// processes.
class LinkStore {
public:
  // Machine: identifies the machine's hardware, see machineDescription().
  LinkStore(DiskCache Disk, std::string Machine) : Disk(std::move(Disk)), Machine(std::move(Machine)) {}
  static LinkStore ofUser(std::string Machine) { return {DiskCache::ofUser("links", 1 << 20), std::move(Machine)}; }

  bool on() const { return Disk.on(); }
  // Null if there is no entry, or an implausible one.
  std::optional<LinkTimes> load(const DeviceInfo &Info) const;
  void store(const DeviceInfo &Info, const LinkTimes &Times) const;
  std::string pathOf(const DeviceInfo &Info) const { return Disk.pathOf(keyOf(Info)); }
  // The same from one device to another. The opposite direction is another entry.
  std::optional<LinkCost> load(const Device &From, const Device &To) const;
  void store(const Device &From, const Device &To, const LinkCost &Cost) const;

private:
  std::string keyOf(const DeviceInfo &Info) const;
  std::string keyOf(const Device &From, const Device &To) const;

  DiskCache Disk;
  std::string Machine;
};

// The known links by worker. Readers take no lock.
class Links {
public:
  explicit Links(size_t Workers) : Current(Workers), Ways(Workers) {}
  // Any thread.
  void set(WorkerId W, const LinkTimes &Times);
  // Null before a measurement, and for workers without links.
  const LinkTimes *of(WorkerId W) const {
    return W < Current.size() ? Current[W].load(std::memory_order_acquire) : nullptr;
  }
  // From one worker's memory to another's. Any thread.
  void setBetween(WorkerId From, WorkerId To, const LinkCost &Cost);
  // The measured cost. Otherwise the sum of both links' costs.
  LinkCost between(WorkerId From, WorkerId To) const;

private:
  using WaysTo = std::vector<std::pair<WorkerId, LinkCost>>; // By source.
  std::vector<std::atomic<const LinkTimes *>> Current;
  std::vector<std::atomic<const WaysTo *>> Ways; // By target; null: none has been measured.
  std::mutex Lock;                               // Guards the fields below: readers may hold old ones.
  std::vector<std::unique_ptr<const LinkTimes>> All;
  std::vector<std::unique_ptr<const WaysTo>> AllLists;
};

} // namespace hsched::rt
#endif
