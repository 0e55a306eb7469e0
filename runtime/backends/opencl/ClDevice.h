// One OpenCL device: a context, two queues for transfers, some for kernels, all in order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_CLDEVICE_H
#define HSCHED_BACKENDS_OPENCL_CLDEVICE_H

#include "backends/opencl/Blocks.h"
#include "backends/opencl/BufferParts.h"
#include "backends/opencl/ClHeader.h"
#include "backends/opencl/Errors.h"
#include "backends/opencl/Events.h"
#include "backends/opencl/PinnedRanges.h"
#include "backends/opencl/Programs.h"
#include "backends/opencl/Staging.h"
#include "device/Device.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace hsched::rt::opencl {

struct ClBuffer final : Buffer {
  cl::Buffer Native;
  size_t Size = 0;
  const uint64_t Serial = nextSerial();
  std::shared_ptr<Blocks> From; // Null for host memory used in place.
  BufferParts Parts;            // Destroyed before Native.

  ~ClBuffer() override;
  size_t bytes() const override { return Size; }
  static uint64_t nextSerial(); // A unique number, never 0.
};

struct DeviceSettings {
  unsigned Index = 0;
  int Part = -1;                      // As in DeviceInfo.
  unsigned Parts = 1;                 // Number of parts that share the device's memory.
  unsigned Queues = 0;                // HSCHED_QUEUES; 0: as the device suggests
  int StagingThreads = -1;            // HSCHED_STAGING; -1: as suits the machine, 0: no staging
  PinLazily Pin = PinLazily::Watched; // HSCHED_PIN_MEMORY: whether host memory is pinned at its first transfer
  bool Copy = false;                  // A CPU device is treated as a device with its own memory.
  uint64_t MemoryLimitBytes = 0;      // As in BackendOptions.
  unsigned MemoryLimitPercent = 0;
  std::vector<unsigned> HostCores; // As in DeviceInfo.
  unsigned SharedCores = 0;        // As in DeviceInfo.
  bool TimeTransfers = true;       // As in BackendOptions.
  cl::Context Context;             // Shared context of the device; null: it makes its own.
};

// Makes one context for several devices of one platform.
status makeContext(const std::vector<cl::Device> &Devices, cl::Context &Out);

class ClDevice final : public Device {
public:
  // Opens the device, or returns the reason why it is unusable.
  static status open(const cl::Device &Native, const DeviceSettings &Settings, std::unique_ptr<Device> &Out);
  ~ClDevice() override;

  const DeviceInfo &info() const override { return Info; }
  status allocate(size_t Bytes, BufferRef &Out) override;
  status wrap(void *Ptr, size_t Bytes, BufferRef &Out) override;
  status kernel(const hsched_kernel_desc &Desc, KernelRef &Out) override { return Programs->kernel(Desc, Out); }
  void preload(const hsched_kernel_desc &Desc) override { Programs->preload(Desc); }
  status write(const BufferRef &Dst, size_t DstOffset, const void *Src, size_t Bytes, std::span<const EventRef> Wait,
               EventRef &Done) override;
  status read(const BufferRef &Src, size_t SrcOffset, void *Dst, size_t Bytes, std::span<const EventRef> Wait,
              EventRef &Done) override;
  status writeRows(const BufferRef &Dst, size_t DstOffset, const void *Src, const RowLayout &Rows,
                   std::span<const EventRef> Wait, EventRef &Done) override;
  status readRows(const BufferRef &Src, size_t SrcOffset, void *Dst, const RowLayout &Rows,
                  std::span<const EventRef> Wait, EventRef &Done) override;
  status pin(void *Ptr, size_t Bytes) override;
  void unpin(void *Ptr) override;
  status copy(const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst, size_t DstOffset, size_t Bytes,
              std::span<const EventRef> Wait, EventRef &Done) override;
  bool reaches(const Device &From) const override;
  status copyFrom(const Device &From, const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst, size_t DstOffset,
                  const RowLayout &Rows, std::span<const EventRef> Wait, EventRef &Done) override;
  status launch(const KernelRef &K, const hsched_ndrange &Range, std::span<const BoundArg> Args,
                std::span<const EventRef> Wait, EventRef &Done, CompletionReport When = CompletionReport::Soon,
                unsigned Queue = AnyQueue) override;
  void preferQueue(unsigned Queue, bool Timed = true) override;
  void requestReport(const EventRef &Done) override;
  bool isReported(const Event &Done) const override;
  void setReportBatch(unsigned Launches) override { ReportBatch.store(Launches, std::memory_order_relaxed); }
  bool takesNativeWork() const override { return true; }
  status beginNative(const char *Name, std::span<const EventRef> Wait, std::unique_ptr<NativeWork> &Out,
                     unsigned Queue = AnyQueue) override;
  void flush() override;
  unsigned computeQueues() const override { return static_cast<unsigned>(Compute.size()); }
  unsigned streamOf(const Event &E) const override;

private:
  friend class ClNativeWork;
  ClDevice() = default;

  status describe(const DeviceSettings &Settings);
  status makeQueues(const DeviceSettings &Settings);
  void makeStaging(const DeviceSettings &Settings);
  status makeStream(unsigned Number, std::shared_ptr<Stream> &Out, bool Profiles = true);
  // Calibrates the clock and tests whether kernels can work on host memory in place.
  bool mayShareHostMemory() const;
  status probe(bool &InPlace);

  std::atomic<unsigned> ReportBatch{16};
  // On a native queue without profiling an event costs less, and other queues and the host's reads wait for the ends
  // that it reports.
  static constexpr unsigned UntimedReportBatch = 8;
  // The number of late launches that one event reports. With Target's Lock held.
  unsigned reportBatch(const Stream &Target, CompletionReport When) const {
    const unsigned Most = ReportBatch.load(std::memory_order_relaxed);
    return When == CompletionReport::Late && Target.MayBeUntimed && !Target.isTimed()
               ? std::min(Most, UntimedReportBatch)
               : Most;
  }
  // Calls Enqueue(wait list, event out) -> cl_int with Target locked and wraps the event. The event is null if the end
  // may be reported late and fewer than reportBatch() commands are unreported. Failure and What describe an error, now
  // or later.
  template <typename Fn>
  status enqueue(const std::shared_ptr<Stream> &Target, std::span<const EventRef> Wait, errc Failure, CommandName What,
                 OwnedRefs &&Owned, EventRef &Done, Fn &&Enqueue, CompletionReport When = CompletionReport::Soon);
  status rowChecks(const char *What, const BufferRef &B, size_t Offset, const RowLayout &Rows) const;
  status transferChecks(const char *What, const BufferRef &B, size_t Offset, size_t Bytes) const;
  // True if a transfer on S of unpinned memory goes through ring R, which is made at first use. With S
  // locked.
  struct Ring {
    std::unique_ptr<Staging> Blocks; // Null: not made yet.
    bool Refused = false;            // It could not be made and is not retried.
  };
  bool takesRing(const Stream &S, Ring &R, const WaitList &W, size_t Bytes) const;
  const std::shared_ptr<Stream> &chooseCompute(std::span<const EventRef> Wait,
                                               CompletionReport When = CompletionReport::Soon);
  status checkQueue(unsigned Queue) const; // Checks that Queue is AnyQueue or exists.

  status checkRange(const ClKernel &K, const hsched_ndrange &Range, std::span<const BoundArg> Args) const;
  status setArgs(ClKernel &K, std::span<const BoundArg> Args, OwnedRefs &Owned);
  status setBuffer(ClKernel &K, unsigned Index, const BoundArg &Arg, OwnedRefs &Owned);
  // clSetKernelArg, unless the kernel already has that argument.
  cl_int setArg(ClKernel &K, unsigned Index, size_t Bytes, const void *Value, uint64_t Serial = 0);

  cl::Device Native;
  cl::Context Context;
  DeviceInfo Info;
  std::string Title; // "NVIDIA H200 #0", for messages.
  std::vector<size_t> MaxItems;
  uint64_t LocalMemoryBytes = 0;
  std::shared_ptr<Blocks> Memory;
  std::shared_ptr<DeviceClock> Time;
  std::shared_ptr<Stream> Upload, Download;
  // The same for short transfers whose times are not needed, on queues without profiling; null: there are none. On
  // NVIDIA's driver an event of a profiling queue costs 9 us, of another queue 3.
  std::shared_ptr<Stream> QuickUpload, QuickDownload;
  // preferQueue. Transfers of other threads are not meant.
  struct Preference {
    const ClDevice *Of = nullptr;
    unsigned Queue = AnyQueue;
  };
  static thread_local Preference Preferred;
  // A longer transfer takes more time than its event, and its time matters for what waits for it.
  static constexpr size_t QuickBytes = 512 << 10;
  // In a longer write from memory that is not pinned, NVIDIA's driver may wait for the queue's earlier commands. These
  // may wait for commands of other queues, so all are flushed before. With S's Lock held.
  static constexpr size_t CopiedAtOnce = 64 << 10;
  static void flushIfBlocking(Stream &S, const std::vector<PinRef> &Pins, const void *Memory, size_t Bytes);
  // The queue of a transfer: Plain or Quick. Pinned: its host memory is.
  const std::shared_ptr<Stream> &chooseTransfer(const std::shared_ptr<Stream> &Plain,
                                                const std::shared_ptr<Stream> &Quick, size_t Bytes, bool Pinned) const;
  unsigned StagingThreads = 0; // 0: transfers do not use a ring.
  Ring Leaving, Landing;       // Rings of Upload and Download, guarded by their locks.
  std::unique_ptr<PinnedRanges> Pins;
  std::vector<std::shared_ptr<Stream>> Compute;
  std::atomic<unsigned> NextQueue{0};
  std::atomic<unsigned> TinyQueue{0}, TinyLeft{0}; // Queue of tiny launches, and how many more it takes.
  std::unique_ptr<ProgramCache> Programs;

  std::mutex WrapLock;
  struct HashRange {
    size_t operator()(const std::pair<uintptr_t, size_t> &R) const {
      return (R.first ^ R.second << 40) * 0x9e3779b97f4a7c15u >> 16;
    }
  };
  static constexpr size_t MostWrapped = 32768; // Limit of cached entries: a driver keeps some hundred bytes for each.
  std::unordered_map<std::pair<uintptr_t, size_t>, BufferRef, HashRange> Wrapped; // Cleared when it is full.
};

template <typename Fn>
status ClDevice::enqueue(const std::shared_ptr<Stream> &Target, std::span<const EventRef> Wait, errc Failure,
                         CommandName What, OwnedRefs &&Owned, EventRef &Done, Fn &&Enqueue, CompletionReport When) {
  WaitList Before;
  if (status S = makeWaitList(Wait, *Target, Before, What.isKernel()); !S.ok())
    return S;
  cl_event Raw = nullptr;
  std::lock_guard Guard(Target->Lock);
  bool IsReported = !isLate(When) || Target->Unreported + 1 >= reportBatch(*Target, When);
  TimePoint At = IsReported ? SteadyClock().now() : TimePoint();
  if (cl_int Code = Enqueue(Before, IsReported ? &Raw : nullptr); Code != CL_SUCCESS)
    return clError(Failure, Code, What.text() + " on " + Title);
  uint64_t Number = Target->Enqueued.load(std::memory_order_relaxed) + 1;
  Target->Outstanding.fetch_add(1, std::memory_order_relaxed);
  Target->Enqueued.store(Number, std::memory_order_release);
  Target->LastWork.store(Number, std::memory_order_release);
  if (Before.size())
    Target->LastToWait.store(Number, std::memory_order_release);
  std::shared_ptr<ClEvent> Made;
  if (IsReported) {
    cl::Event E(Raw);
    Target->close(Number, E);
    Made = makeEvent(Target, Number, std::move(E), Failure, Target->isTimed() ? At : TimePoint(), std::move(What),
                     std::move(Owned), std::move(Before.Unsettled));
  } else {
    if (!Target->Open)
      Target->Open = std::make_shared<Mark>();
    ++Target->Unreported;
    Made = makeEvent(Target, Number, Target->Open, Failure, std::move(What), std::move(Owned),
                     std::move(Before.Unsettled));
  }
  Done = std::move(Made);
  return {};
}

} // namespace hsched::rt::opencl
#endif
