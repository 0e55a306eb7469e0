// The interface between the runtime and a backend: devices, buffers, kernels, asynchronous operations and their events.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads. Every function says who may call it. "Manager" is the one thread that drives a device (exec/ owns it);
// "any" means concurrently from any thread, the backend locks. No function is called with a lock of the runtime's held
// that a backend's own callback could need: backends call back into nothing but the log.
//
// Errors. Functions that can fail return a status and leave their out-parameters alone on failure. A backend never
// throws, exits or prints.
#ifndef HSCHED_DEVICE_DEVICE_H
#define HSCHED_DEVICE_DEVICE_H

#include "base/Clock.h"
#include <hsched/abi.h>
#include <hsched/status.h>

#include <cstddef>
#include <cstdint>
#include <memory>
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

struct DeviceInfo {
  std::string Name, Vendor, Platform, Driver; // as the device's own interface reports them
  std::string Backend;                        // "opencl", "sim"
  unsigned Index = 0; // position in the backend's enumeration: what HSCHED_OPENCL=<index> selects
  DeviceKind Kind = DeviceKind::OpenCL;
  DeviceType Type = DeviceType::Any;
  uint64_t MemoryBytes = 0;
  uint64_t MaxAllocationBytes = 0;
  bool SharesHostMemory = false; // works on host addresses in place: nothing is copied
  unsigned ComputeUnits = 0;
  std::vector<unsigned> HostCores; // cores that the device computes on (hwloc OS indices): no CPU worker may use them
};

// Completion of an asynchronous operation. Reference-counted by shared_ptr; all functions: any thread.
class Event {
public:
  virtual ~Event() = default;
  // Whether the operation has ended, well or badly. Never blocks.
  virtual bool done() = 0;
  // Blocks until it has ended; returns its outcome.
  virtual status wait() = 0;
  // Its outcome; meaningful once done().
  virtual status outcome() = 0;
  // When it ran on the device, on the host's time line, from the device's own profile; null where the device keeps
  // none. Meaningful once done().
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
  const void *Value = nullptr; // Value
  size_t Bytes = 0;            // Value, Local
  BufferRef Mem;               // Buffer
  uint64_t Offset = 0;         // Buffer: what the kernel adds to the buffer's address; wraps
};

// Which of a device's in-order streams an operation goes to.
enum class Lane : uint8_t { HostToDevice, DeviceToHost, Compute };

class Device {
public:
  virtual ~Device() = default;

  // Any. Constant after construction.
  virtual const DeviceInfo &info() const = 0;

  // Any. Device memory of Bytes > 0 bytes, at a multiple of 128; out_of_memory when there is none left. Where the
  // device shares host memory use wrap() instead.
  virtual status allocate(size_t Bytes, BufferRef &Out) = 0;

  // Any. Only where SharesHostMemory: makes host memory [Ptr, Ptr+Bytes) usable by kernels in place.
  virtual status wrap(void *Ptr, size_t Bytes, BufferRef &Out) = 0;

  // Any. Builds Desc's program for this device (once a source and options: later calls are look-ups) and creates its
  // entry. build_failed carries the build log.
  virtual status kernel(const hsched_kernel_desc &Desc, KernelRef &Out) = 0;

  // Any. Asynchronous copies; ordered after Wait (events of this device's backend, null entries ignored). Host memory
  // must stay valid until Done is done. Offsets and sizes in bytes.
  virtual status write(const BufferRef &Dst, size_t DstOffset, const void *Src, size_t Bytes,
                       std::span<const EventRef> Wait, EventRef &Done) = 0;
  virtual status read(const BufferRef &Src, size_t SrcOffset, void *Dst, size_t Bytes, std::span<const EventRef> Wait,
                      EventRef &Done) = 0;
  // Both buffers are this device's.
  virtual status copy(const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst, size_t DstOffset, size_t Bytes,
                      std::span<const EventRef> Wait, EventRef &Done) = 0;

  // Any (the backend serialises argument setting per kernel). Rounds Range.global up to Range.local where that is
  // given.
  virtual status launch(const KernelRef &K, const hsched_ndrange &Range, std::span<const BoundArg> Args,
                        std::span<const EventRef> Wait, EventRef &Done) = 0;

  // Any. Hands everything enqueued so far to the device, without waiting.
  virtual void flush() = 0;

  // Any. How many commands may usefully be in flight at once on the compute lane.
  virtual unsigned computeQueues() const = 0;

  // Any. The row a lane's or compute queue's operations are shown on in a trace: "GPU0 H2D", "GPU0 queue 3"...
  // Queue numbers a finished operation's stream; 0 where the backend has one.
  virtual unsigned streamOf(const Event &E) const = 0;
};

// What a backend is told when it is asked for its devices.
struct BackendOptions {
  std::string Selection;           // HSCHED_OPENCL's value: "", "0", "all", "gpu", "cpu" or an index list "0,2"
  std::vector<unsigned> HostCores; // all cores this process may use, OS indices, in hwloc's logical order
  unsigned CpuWorkersWanted = 0;   // HSCHED_NCPU, 0 when unset: a CPU device leaves that many cores alone
  uint64_t MemoryLimitBytes = 0;   // HSCHED_DEVICE_MEMORY, 0: what the device has
  unsigned MemoryLimitPercent = 0; // the same as a share of the device's memory, 0: unset
};

// A plugin's entry object. One thread at a time.
class Backend {
public:
  virtual ~Backend() = default;
  virtual const char *name() const = 0;
  // Finds devices. No device at all is not an error: Out is empty. A selection that names what is not there is
  // invalid_argument with a message that lists what is.
  virtual status enumerate(const BackendOptions &Options, std::vector<std::unique_ptr<Device>> &Out) = 0;
};

// Bumped whenever anything above changes incompatibly; a plugin of another number is not loaded.
inline constexpr unsigned BackendInterfaceVersion = 1;

} // namespace hsched::rt

// Every plugin exports
//   extern "C" HSCHED_EXPORT unsigned hsched_backend_version();              // returns BackendInterfaceVersion
//   extern "C" HSCHED_EXPORT hsched::rt::Backend *hsched_backend_create();   // null on failure; owned by the caller

#endif
