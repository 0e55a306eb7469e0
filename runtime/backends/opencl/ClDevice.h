// One OpenCL device: a context, two queues for transfers, some for kernels, all in order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_CLDEVICE_H
#define HSCHED_BACKENDS_OPENCL_CLDEVICE_H

#include "backends/opencl/ClHeader.h"
#include "backends/opencl/Errors.h"
#include "backends/opencl/Events.h"
#include "backends/opencl/Programs.h"
#include "backends/opencl/Staging.h"
#include "device/Device.h"

#include <atomic>
#include <map>
#include <mutex>

namespace hsched::rt::opencl {

// Bytes handed out of a device's memory; shared with the buffers, which give theirs back. Drivers allocate when memory
// is first used, so that their own refusal would come too late.
struct MemoryAccount {
  std::atomic<uint64_t> Used{0};
  uint64_t Limit = 0;

  bool take(uint64_t Bytes);
  void giveBack(uint64_t Bytes) { Used.fetch_sub(Bytes, std::memory_order_relaxed); }
};

struct ClBuffer final : Buffer {
  cl::Buffer Native;
  size_t Size = 0;
  std::shared_ptr<MemoryAccount> Account; // null for host memory used in place

  ~ClBuffer() override;
  size_t bytes() const override { return Size; }
};

struct DeviceSettings {
  unsigned Index = 0;
  unsigned Queues = 0;           // HSCHED_QUEUES; 0: as the device suggests
  int StagingThreads = -1;       // HSCHED_STAGING; -1: as suits the machine, 0: no staging
  bool Copy = false;             // a CPU device is treated as if it had memory of its own
  uint64_t MemoryLimitBytes = 0; // as in BackendOptions
  unsigned MemoryLimitPercent = 0;
  std::vector<unsigned> HostCores; // for DeviceInfo
};

class ClDevice final : public Device {
public:
  // Makes the device usable, or says why it is not.
  static status open(const cl::Device &Native, const DeviceSettings &Settings, std::unique_ptr<Device> &Out);
  ~ClDevice() override;

  const DeviceInfo &info() const override { return Info; }
  status allocate(size_t Bytes, BufferRef &Out) override;
  status wrap(void *Ptr, size_t Bytes, BufferRef &Out) override;
  status kernel(const hsched_kernel_desc &Desc, KernelRef &Out) override { return Programs->kernel(Desc, Out); }
  status write(const BufferRef &Dst, size_t DstOffset, const void *Src, size_t Bytes, std::span<const EventRef> Wait,
               EventRef &Done) override;
  status read(const BufferRef &Src, size_t SrcOffset, void *Dst, size_t Bytes, std::span<const EventRef> Wait,
              EventRef &Done) override;
  status copy(const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst, size_t DstOffset, size_t Bytes,
              std::span<const EventRef> Wait, EventRef &Done) override;
  status launch(const KernelRef &K, const hsched_ndrange &Range, std::span<const BoundArg> Args,
                std::span<const EventRef> Wait, EventRef &Done) override;
  void flush() override;
  unsigned computeQueues() const override { return static_cast<unsigned>(Compute.size()); }
  unsigned streamOf(const Event &E) const override;

private:
  ClDevice() = default;

  status describe(const DeviceSettings &Settings);
  status makeQueues(const DeviceSettings &Settings);
  void makeStaging(const DeviceSettings &Settings);
  status makeStream(unsigned Number, std::shared_ptr<Stream> &Out);
  // Fills the clock, and finds whether kernels could work on host memory in place.
  status probe(bool &InPlace);

  // Calls Enqueue(wait list, event out) -> cl_int with Target locked, and wraps up the event. Failure and What are for
  // what goes wrong, now or later.
  template <typename Fn>
  status enqueue(const std::shared_ptr<Stream> &Target, std::span<const EventRef> Wait, errc Failure, std::string What,
                 std::vector<std::shared_ptr<void>> Kept, EventRef &Done, Fn &&Enqueue);
  status transferChecks(const char *What, const BufferRef &B, size_t Offset, size_t Bytes) const;
  const std::shared_ptr<Stream> &chooseCompute(std::span<const EventRef> Wait);

  status checkRange(const ClKernel &K, const hsched_ndrange &Range, std::span<const BoundArg> Args) const;
  status setArgs(ClKernel &K, std::span<const BoundArg> Args, std::vector<std::shared_ptr<void>> &Kept);
  status setBuffer(ClKernel &K, unsigned Index, const BoundArg &Arg, std::vector<std::shared_ptr<void>> &Kept);

  cl::Device Native;
  cl::Context Context;
  DeviceInfo Info;
  std::string Title; // "NVIDIA H200 #0", for messages
  std::vector<size_t> MaxItems;
  uint64_t LocalMemoryBytes = 0;
  std::shared_ptr<MemoryAccount> Account;
  std::shared_ptr<DeviceClock> Time;
  std::shared_ptr<Stream> Upload, Download;
  std::unique_ptr<Staging> Stage; // of Upload, whose lock guards it; null: transfers go straight
  std::vector<std::shared_ptr<Stream>> Compute;
  std::atomic<unsigned> NextQueue{0};
  std::unique_ptr<ProgramCache> Programs;

  std::mutex WrapLock;
  std::map<std::pair<uintptr_t, size_t>, BufferRef> Wrapped; // emptied when it grows large
};

template <typename Fn>
status ClDevice::enqueue(const std::shared_ptr<Stream> &Target, std::span<const EventRef> Wait, errc Failure,
                         std::string What, std::vector<std::shared_ptr<void>> Kept, EventRef &Done, Fn &&Enqueue) {
  WaitList Before;
  if (status S = makeWaitList(Wait, *Target, Before); !S.ok())
    return S;
  cl_event Raw = nullptr;
  std::lock_guard Guard(Target->Lock);
  TimePoint At = SteadyClock().now();
  if (cl_int Code = Enqueue(Before, &Raw); Code != CL_SUCCESS)
    return clError(Failure, Code, What + " on " + Title);
  uint64_t Number = Target->Enqueued.load(std::memory_order_relaxed) + 1;
  Target->Outstanding.fetch_add(1, std::memory_order_relaxed);
  Target->Enqueued.store(Number, std::memory_order_release);
  Done = std::make_shared<ClEvent>(Target, Number, cl::Event(Raw), Failure, At, std::move(What), std::move(Kept));
  return {};
}

} // namespace hsched::rt::opencl
#endif
