// A simulated accelerator with memory of its own. It has plain host blocks, kernels that are C++ functions, an in-order
// queue for each direction of transfers, one or more for kernels. For tests of code above the device interface, and for
// virtual time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_SIM_SIM_H
#define HSCHED_BACKENDS_SIM_SIM_H

#include "base/ManualClock.h"
#include "device/Device.h"

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hsched::rt::sim {

// An argument of a simulated kernel.
struct SimArg {
  BoundArg::Kind K = BoundArg::Kind::Value;
  void *Pointer = nullptr; // Buffer: first byte of the block plus the offset; Value: its copy; Local: scratch memory.
  std::byte *Block = nullptr; // Buffer: the block itself, for bounds checks.
  size_t Bytes = 0;           // Size of the block, the value or the local memory.

  template <typename T> T value() const { return *static_cast<const T *>(Pointer); }
  template <typename T> T *pointer() const { return static_cast<T *>(Pointer); }
};

// Runs on a queue's thread, or on the thread that steps or waits. An error fails the kernel's event.
using SimKernel = std::function<status(const hsched_ndrange &Range, std::span<const SimArg> Args)>;

// Any thread. Device::kernel finds Function by hsched_kernel_desc::entry; a later registration replaces an earlier one.
void simRegisterKernel(const std::string &Entry, SimKernel Function);

// Any thread. Number of devices on which [Ptr, Ptr + Bytes) is pinned.
unsigned simPinnedOn(const void *Ptr, size_t Bytes);

enum class SimMode : uint8_t {
  Threads, // One thread per queue executes operations as soon as possible.
  Manual,  // Operations run only in step() or in a wait, which runs no more than it needs.
  Virtual  // Operations take the time of SimCosts on the ManualClock; a wait advances the clock.
};

enum class SimOp : uint8_t { Allocate, Build, Write, Read, Copy, Launch, Any }; // Any: counts and fails all kinds.

// The Nth (from 1) operation of a kind fails, and with Permanent every later one. Asynchronous ones are accepted and
// fail when they run, unless AtCall. With Late they fail after they ran: a kernel completely, a transfer half way, with
// garbage in the other half. With LosesDevice the device is then lost: everything after it fails with device_lost.
struct SimFault {
  SimOp Op;
  unsigned Nth = 1;
  bool Permanent = false;
  bool AtCall = false;
  bool Late = false;
  bool LosesDevice = false;
};

// What operations take in virtual time: PerOperation + bytes * nanoseconds.
struct SimCosts {
  Duration PerOperation{0};
  double UploadNsPerByte = 1, DownloadNsPerByte = 1, CopyNsPerByte = 0.1, PeerNsPerByte = 0.5;
  std::function<Duration(const std::string &Entry, const hsched_ndrange &Range)> Kernel; // Empty: 1 ns per work-item.
};

// Shared by devices that reach each other's memory.
struct Context;
std::shared_ptr<Context> makeContext();

struct SimOptions {
  unsigned Devices = 1;
  uint64_t MemoryBytes = 1 << 20;
  uint64_t MaxAllocationBytes = 0; // 0: all of the memory.
  unsigned Queues = 1;             // Number of compute queues.
  SimMode Mode = SimMode::Threads;
  std::shared_ptr<ManualClock> Time; // Required for Virtual. Other modes use it for Event::times(); null: steady time.
  SimCosts Costs;
  std::vector<SimFault> Faults; // Faults of each device.
  std::shared_ptr<Context> In;  // Null: the device makes its own; see also Apart.
  bool ReportsLate = false;     // Late and tiny launches are not reported before requestReport().
  bool Profiles = true;         // Event::times() returns times.
  bool Apart = false;           // Devices that are made together do not reach each other's memory.
  std::function<void()> Polled; // Called by each Event::done(), on its thread.
  std::function<void()> Builds; // Called by each build, on its thread, before anything else.
  // Called at the start of each call that may be slow in a driver, on the calling thread, with the function's
  // name. Names: "allocate", "free", "write", "read", "copy", "copyFrom", "flush", and "wait" of an event.
  std::function<void(const char *)> Called;
};

class Engine;

// Any thread, unless said otherwise.
class SimDevice final : public Device {
public:
  SimDevice(unsigned Index, const SimOptions &Options);
  ~SimDevice() override; // Operations still queued are executed first.

  const DeviceInfo &info() const override { return Info; }
  status allocate(size_t Bytes, BufferRef &Out) override;
  status wrap(void *Ptr, size_t Bytes, BufferRef &Out) override;
  status kernel(const hsched_kernel_desc &Desc, KernelRef &Out) override;
  void preload(const hsched_kernel_desc &Desc) override {
    KernelRef Unused;
    (void)kernel(Desc, Unused);
  }
  status write(const BufferRef &Dst, size_t DstOffset, const void *Src, size_t Bytes, std::span<const EventRef> Wait,
               EventRef &Done) override;
  status read(const BufferRef &Src, size_t SrcOffset, void *Dst, size_t Bytes, std::span<const EventRef> Wait,
              EventRef &Done) override;
  status writeRows(const BufferRef &Dst, size_t DstOffset, const void *Src, const RowLayout &Rows,
                   std::span<const EventRef> Wait, EventRef &Done) override;
  status readRows(const BufferRef &Src, size_t SrcOffset, void *Dst, const RowLayout &Rows,
                  std::span<const EventRef> Wait, EventRef &Done) override;
  status pin(void *Ptr, size_t Bytes) override; // Only recorded: all memory is equally fast.
  void unpin(void *Ptr) override;
  status copy(const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst, size_t DstOffset, size_t Bytes,
              std::span<const EventRef> Wait, EventRef &Done) override;
  bool reaches(const Device &From) const override;
  status copyFrom(const Device &From, const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst, size_t DstOffset,
                  const RowLayout &Rows, std::span<const EventRef> Wait, EventRef &Done) override;
  status launch(const KernelRef &K, const hsched_ndrange &Range, std::span<const BoundArg> Args,
                std::span<const EventRef> Wait, EventRef &Done, CompletionReport When = CompletionReport::Soon,
                unsigned Queue = AnyQueue) override;
  void requestReport(const EventRef &Done) override;
  bool isReported(const Event &Done) const override;
  void setReportBatch(unsigned Launches) override { Together = Launches; }
  void flush() override;
  unsigned computeQueues() const override;
  unsigned streamOf(const Event &E) const override;

  // Manual mode. Executes the next operation of one queue of a lane. False if there is none, if its predecessors are
  // unfinished, and in other modes.
  bool step(Lane L, unsigned Queue = 0);
  // Manual mode. Executes everything, queue by queue.
  void stepAll();
  // Number of operations accepted and not executed.
  size_t pending() const;
  // Bytes of memory in use, including blocks held only by operations in flight.
  uint64_t bytesInUse() const;
  // Adds a fault; counting begins now.
  void inject(const SimFault &Fault);
  // Number of operations that failed because of faults.
  unsigned numFaults() const;
  // Number of launches that may be reported late.
  unsigned lateReports() const { return LateReports.load(); }
  // Number of launches that need no times, but are reported at once.
  unsigned untimedLaunches() const { return UntimedLaunches.load(); }
  // Number of launches that are reported together.
  unsigned together() const { return Together.load(); }
  // Number of flushes.
  unsigned flushes() const { return Flushes.load(); }
  // Number of operations since the last flush.
  size_t unflushed() const;
  // True if [Ptr, Ptr + Bytes) lies in one pinned range.
  bool pinned(const void *Ptr, size_t Bytes) const;
  // Bytes of host memory that are pinned.
  uint64_t pinnedBytes() const;
  // Number of writes and reads whose host memory was pinned when they ran.
  unsigned pinnedTransfers() const { return PinnedTransfers.load(); }

private:
  void unpinAll();
  void countPinned(const void *Host, const RowLayout &Rows);

  std::atomic<unsigned> LateReports{0}, UntimedLaunches{0}, Flushes{0}, Together{1}, PinnedTransfers{0};
  DeviceInfo Info;
  const SimCosts Costs;
  const bool ReportsLate;
  const std::function<void()> Builds;
  std::shared_ptr<Engine> Eng;
};

class SimBackend final : public Backend {
public:
  explicit SimBackend(SimOptions Options) : Options(std::move(Options)) {}
  const char *name() const override { return "sim"; }
  status enumerate(const BackendOptions &Backend, std::vector<std::unique_ptr<Device>> &Out) override;

private:
  SimOptions Options;
};

} // namespace hsched::rt::sim
#endif
