// The interface between the runtime and a backend: devices, buffers, kernels, asynchronous operations and their events.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads. Every function names its callers. "Manager" is the one thread that drives a device (exec/ owns it). "Any"
// means concurrently from any thread; the backend locks. Backends call back only into the log, so no call happens with
// a lock that a callback could need.
//
// Errors. Functions that can fail return a status and do not change their out-parameters on failure. A backend
// never throws, exits or prints. If a predecessor of an operation fails, the operation's event fails: with
// cancelled if it was not begun, with transfer_failed if it ran. A device that returned device_lost gets no more
// work: see lose().
#ifndef HSCHED_DEVICE_DEVICE_H
#define HSCHED_DEVICE_DEVICE_H

#include "base/Clock.h"
#include "base/Log.h"
#include <hsched/abi.h>
#include <hsched/status.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hsched::rt {

enum class DeviceKind : uint8_t { Cpu = HSCHED_DEVICE_CPU, OpenCL = HSCHED_DEVICE_OPENCL, Cuda = HSCHED_DEVICE_CUDA };
enum class DeviceType : uint8_t {
  Any = HSCHED_TYPE_ANY,
  Cpu = HSCHED_TYPE_CPU,
  Gpu = HSCHED_TYPE_GPU,
  Accelerator = HSCHED_TYPE_ACCELERATOR
};

// As in HSCHED_OPENCL and hsched-info's JSON.
inline const char *deviceTypeName(DeviceType Type) {
  switch (Type) {
  case DeviceType::Cpu:
    return "cpu";
  case DeviceType::Gpu:
    return "gpu";
  case DeviceType::Accelerator:
    return "accelerator";
  case DeviceType::Any:
    break;
  }
  return "other";
}

struct DeviceInfo {
  std::string Name, Vendor, Platform, Driver; // As the device's own interface reports them.
  std::string Backend;                        // "opencl", "sim".
  unsigned Index = 0; // Position in the backend's enumeration: what HSCHED_OPENCL=<index> selects.
  int Part = -1;      // Number of the part if the device was split; else -1.
  DeviceKind Kind = DeviceKind::OpenCL;
  DeviceType Type = DeviceType::Any;
  uint64_t MemoryBytes = 0;
  uint64_t MaxAllocationBytes = 0;
  bool SharesHostMemory = false; // Works on host addresses in place: nothing is copied.
  unsigned ComputeUnits = 0;
  std::string TransferSettings;    // User settings that change the times of transfers.
  std::vector<unsigned> HostCores; // Cores that the device computes on (hwloc OS indices): no CPU worker may use them.
  unsigned SharedCores = 0;        // Number of cores that it shares with CPU workers.

  // "2", or "2.0" for a part.
  std::string number() const { return std::to_string(Index) + (Part < 0 ? "" : "." + std::to_string(Part)); }
  // "NVIDIA H200 #2".
  std::string title() const { return Name + " #" + number(); }
  // Equal for devices on which a kernel takes the same time.
  std::string model() const {
    return Backend + ": " + Name + ", driver " + Driver + ", " + std::to_string(ComputeUnits) + " units";
  }
};

// Completion of an asynchronous operation. Reference-counted by shared_ptr; all functions: any thread.
class Event {
public:
  virtual ~Event() = default;
  // True if the operation has ended or failed. Never blocks.
  virtual bool done() = 0;
  // Blocks until it has ended; returns its outcome.
  virtual status wait() = 0;
  // Its outcome; valid once done().
  virtual status outcome() = 0;
  // When it ran, in host time, from the device's profile. Null without profiling. Valid once
  // done().
  virtual std::optional<Interval> times() = 0;
};
using EventRef = std::shared_ptr<Event>;

// A block of device memory. Freed by its destructor, which may run on any thread while operations on it are in
// flight: the backend defers the release until they end.
class Buffer {
public:
  virtual ~Buffer() = default;
  virtual size_t bytes() const = 0;
};
using BufferRef = std::shared_ptr<Buffer>;

// A built kernel of one device. Manager thread.
class Kernel {
public:
  virtual ~Kernel() = default;
};
using KernelRef = std::shared_ptr<Kernel>;

// A kernel argument whose addresses have been translated.
struct BoundArg {
  enum class Kind : uint8_t { Value, Buffer, Local } K = Kind::Value;
  const void *Value = nullptr; // For Value.
  size_t Bytes = 0;            // For Value and Local: size. For Buffer: bytes used from Offset on; 0: unknown.
  BufferRef Mem;               // For Buffer.
  uint64_t Offset = 0;         // For Buffer: byte offset that the kernel adds to the buffer's address; wraps around.
};

// Rows of Bytes bytes each, their beginnings HostStride bytes apart on the host and DeviceStride in the buffer.
struct RowLayout {
  size_t Rows = 0, Bytes = 0, HostStride = 0, DeviceStride = 0;
  size_t deviceBytes() const { return (Rows - 1) * DeviceStride + Bytes; } // From the first byte to the last.
};

// When the end of a launch is reported. An event can cost more than its command.
enum class CompletionReport : uint8_t {
  Soon,    // done() is true as soon as it has ended, and times() has its times.
  Untimed, // done() is as for Soon; times() may be null.
  Late,    // Possibly reported with a later command of its stream, or after requestReport(); times() may be null.
  Tiny     // As Late. Launches shorter than their overhead share one stream: concurrency gains nothing, and one event
           // then reports several.
};

inline constexpr bool isLate(CompletionReport R) { return R == CompletionReport::Late || R == CompletionReport::Tiny; }

// Device::streamOf of a command that the driver does not have yet.
inline constexpr unsigned NotSubmitted = ~0u;

// The backend chooses a compute queue.
inline constexpr unsigned AnyQueue = ~0u;

// Which of a device's in-order streams an operation goes to.
enum class Lane : uint8_t { HostToDevice, DeviceToHost, Compute };

// A section of a device's compute queue that user code fills through the device's own interface. Manager thread; no
// other command enters that queue meanwhile. end() is called exactly once, also after errors.
class NativeWork {
public:
  virtual ~NativeWork() = default;
  // Native handles; for OpenCL a cl_context, a cl_device_id, a cl_command_queue. Valid until end().
  virtual void *context() const = 0;
  virtual void *device() const = 0;
  virtual void *queue() const = 0;
  // Mem's native handle, a cl_mem. Mem is kept until the work has ended.
  virtual void *memory(const BufferRef &Mem) = 0;
  // Completion includes Handle, a cl_event, which is retained.
  virtual status await(void *Handle) = 0;
  // Done completes with everything enqueued, and has the failure that the device's interface reports. On failure of
  // this call the queue is empty: it has waited.
  virtual status end(EventRef &Done) = 0;
};

class Device {
public:
  virtual ~Device() = default;

  // Any. Constant after construction.
  virtual const DeviceInfo &info() const = 0;

  // Any. Device memory of Bytes > 0 bytes, at a multiple of 128; out_of_memory if there is none left. Use wrap()
  // instead if the device shares host memory.
  virtual status allocate(size_t Bytes, BufferRef &Out) = 0;

  // Any. Only where SharesHostMemory: makes host memory [Ptr, Ptr+Bytes) usable by kernels in place.
  virtual status wrap(void *Ptr, size_t Bytes, BufferRef &Out) = 0;

  // Any. Builds Desc's program for this device (once for a source and options; later calls are lookups) and creates its
  // entry. build_failed carries the build log.
  virtual status kernel(const hsched_kernel_desc &Desc, KernelRef &Out) = 0;

  // Any. Builds Desc's program if that is quick, because it is kept on disk. Errors are reported by kernel().
  virtual void preload(const hsched_kernel_desc & /*Desc*/) {}

  // Any. Asynchronous copies; ordered after Wait (events of this device's backend, null entries ignored). Host memory
  // must stay valid until Done is done. Offsets and sizes in bytes.
  virtual status write(const BufferRef &Dst, size_t DstOffset, const void *Src, size_t Bytes,
                       std::span<const EventRef> Wait, EventRef &Done) = 0;
  virtual status read(const BufferRef &Src, size_t SrcOffset, void *Dst, size_t Bytes, std::span<const EventRef> Wait,
                      EventRef &Done) = 0;
  // The same for two or more rows at once; strides are no smaller than a row.
  virtual status writeRows(const BufferRef &Dst, size_t DstOffset, const void *Src, const RowLayout &Rows,
                           std::span<const EventRef> Wait, EventRef &Done) = 0;
  virtual status readRows(const BufferRef &Src, size_t SrcOffset, void *Dst, const RowLayout &Rows,
                          std::span<const EventRef> Wait, EventRef &Done) = 0;
  // Any. Pins host memory [Ptr, Ptr + Bytes), whole pages, until unpin(Ptr): transfers may access it directly. If that
  // fails, it is transferred like any other memory.
  virtual status pin(void *Ptr, size_t Bytes) = 0;
  virtual void unpin(void *Ptr) = 0;
  // Copies between two buffers of this device.
  virtual status copy(const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst, size_t DstOffset, size_t Bytes,
                      std::span<const EventRef> Wait, EventRef &Done) = 0;
  // Any. True if copyFrom reads the other device's memory directly. The relation is symmetric, and operations of each
  // may wait for events of the other.
  virtual bool reaches(const Device &) const { return false; }
  // As copy, with Src a buffer of From, which this device reaches(). This device does the copy. HostStride is the
  // distance of rows in Src, DeviceStride in Dst; both are ignored for a single row.
  virtual status copyFrom(const Device &, const BufferRef & /*Src*/, size_t /*SrcOffset*/, const BufferRef & /*Dst*/,
                          size_t /*DstOffset*/, const RowLayout &, std::span<const EventRef> /*Wait*/, EventRef &) {
    return status::error(errc::unsupported, "memory of another device cannot be reached");
  }

  // Any (the backend serialises argument setting per kernel). Rounds Range.global up to Range.local if that
  // is given. Queue: below computeQueues(), or AnyQueue: the backend chooses. Launches on one queue run in
  // order.
  virtual status launch(const KernelRef &K, const hsched_ndrange &Range, std::span<const BoundArg> Args,
                        std::span<const EventRef> Wait, EventRef &Done, CompletionReport When = CompletionReport::Soon,
                        unsigned Queue = AnyQueue) = 0;

  // Manager. Its next short writes may go to that queue, ahead of a launch there. AnyQueue: the backend chooses. Timed:
  // the times of that launch will be needed.
  virtual void preferQueue(unsigned /*Queue*/, bool /*Timed*/ = true) {}

  // Any. From now on, Done, of a launch of this device, is reported as soon as possible. wait() does not need this
  // call.
  virtual void requestReport(const EventRef & /*Done*/) {}
  // Any. True if Done is already reported as soon as possible.
  virtual bool isReported(const Event & /*Done*/) const { return true; }
  // Manager. Sets the number of late launches on one stream that one event reports; at least 1.
  virtual void setReportBatch(unsigned /*Launches*/) {}

  // Any. True if beginNative is supported.
  virtual bool takesNativeWork() const { return false; }
  // Manager. Commands enqueued through Out run after Wait. Name is for messages. Queue: as of launch.
  virtual status beginNative(const char *Name, std::span<const EventRef> Wait, std::unique_ptr<NativeWork> &Out,
                             unsigned Queue = AnyQueue) {
    (void)Name, (void)Wait, (void)Out, (void)Queue;
    return status::error(errc::unsupported, "a device that takes no work but kernels");
  }

  // Any. True if a thread of the device may hand commands to the driver. If the driver refuses a launch or transfer
  // there, its event fails.
  virtual bool submitsApart() const { return false; }
  // Any. True if commands wait for that thread.
  virtual bool hasBacklog() const { return false; }
  // Any. True if Done has failed because the driver refused its command, which has not begun.
  virtual bool refused(const Event & /*Done*/) const { return false; }

  // Any. Submits everything enqueued so far to the device, without waiting.
  virtual void flush() = 0;

  // Any. Number of compute queues: commands that can usefully be in flight at once.
  virtual unsigned computeQueues() const = 0;

  // Any. The row a lane's or compute queue's operations are shown on in a trace: "GPU0 H2D", "GPU0 queue 3"... Returns
  // the number of a finished operation's stream; 0 if the backend has only one.
  virtual unsigned streamOf(const Event &E) const = 0;

  // Any. Records that the device is lost, with the first cause: it gets no more work, and data valid only there are
  // lost. The first call is logged.
  void lose(const status &Why) {
    {
      std::lock_guard Guard(LossLock);
      if (!Loss.ok())
        return;
      Loss = Why;
    }
    Lost.store(true, std::memory_order_release);
    log(LogLevel::Warning, "device '%s' is lost, and gets no more tasks: %s", title().c_str(), Why.message().c_str());
  }
  bool lost() const { return Lost.load(std::memory_order_acquire); }
  status whyLost() const {
    std::lock_guard Guard(LossLock);
    return Loss;
  }
  // "NVIDIA H200 #0", for messages.
  std::string title() const { return info().title(); }

private:
  std::atomic<bool> Lost{false};
  mutable std::mutex LossLock;
  status Loss; // Guarded by LossLock.
};

// Options for the enumeration of a backend's devices.
struct BackendOptions {
  std::string Selection;            // HSCHED_OPENCL's value
  std::vector<unsigned> HostCores;  // All cores this process may use, OS indices, in hwloc's logical order.
  unsigned RequestedCpuWorkers = 0; // HSCHED_NCPU, 0 when unset: a CPU device leaves that many cores alone
  bool ShareCores = false;          // A CPU device computes on all cores, shared with the CPU workers.
  uint64_t MemoryLimitBytes = 0;    // HSCHED_DEVICE_MEMORY, 0: what the device has
  unsigned MemoryLimitPercent = 0;  // The same as a percentage of the device's memory; 0: unset.
  bool TimeTransfers = true;        // False: the times() of short transfers may be null, which can make them cheaper.
  bool operator==(const BackendOptions &) const = default;
};

// A plugin's entry object. Not thread-safe.
class Backend {
public:
  virtual ~Backend() = default;
  virtual const char *name() const = 0;
  // Finds devices. No device at all is not an error: Out is empty. A selection of unknown devices is invalid_argument;
  // the message lists the devices.
  virtual status enumerate(const BackendOptions &Options, std::vector<std::unique_ptr<Device>> &Out) = 0;
};

// Raised with every incompatible change above. A plugin with another number is not loaded.
inline constexpr unsigned BackendInterfaceVersion = 10;

} // namespace hsched::rt

// Every plugin exports
//   extern "C" HSCHED_EXPORT unsigned hsched_backend_version();              // returns BackendInterfaceVersion
//   extern "C" HSCHED_EXPORT hsched::rt::Backend *hsched_backend_create();   // null on failure; owned by the caller

#endif
