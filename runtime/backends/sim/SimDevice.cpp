// The simulated device and its backend object.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/sim/SimEngine.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace hsched::rt::sim {

namespace {

// Blocks live on the host's heap at their exact size, so that AddressSanitizer sees a kernel that leaves its block.
// They begin on a boundary of 128 bytes, as on real devices.
inline constexpr std::align_val_t BlockAlignment{128};

class SimBuffer final : public Buffer {
public:
  SimBuffer(std::shared_ptr<Engine> Eng, size_t Bytes)
      : Eng(std::move(Eng)), NumBytes(Bytes), Block(static_cast<std::byte *>(::operator new(Bytes, BlockAlignment))) {
    std::memset(Block, 0xa5, Bytes); // Tests must not succeed by chance on zeros.
  }
  ~SimBuffer() override {
    Eng->called("free");
    ::operator delete(Block, BlockAlignment);
    Eng->give(NumBytes);
  }
  size_t bytes() const override { return NumBytes; }
  std::byte *data() const { return Block; }
  const std::shared_ptr<Engine> Eng;

private:
  size_t NumBytes;
  std::byte *const Block;
};

class KernelOfSim final : public Kernel {
public:
  KernelOfSim(std::string Entry, SimKernel Function) : Entry(std::move(Entry)), Function(std::move(Function)) {}
  const std::string Entry;
  const SimKernel Function;
};

// Copies of a launch's arguments, kept until it runs.
struct OwnedArg {
  BoundArg Bound;
  std::vector<std::byte> Bytes;
};

// Range.global with sizes rounded up to the local ones.
hsched_ndrange rounded(hsched_ndrange Range) {
  for (unsigned D = 0; D < Range.dims && Range.local[0]; ++D)
    if (size_t Local = Range.local[D])
      Range.global[D] = (Range.global[D] + Local - 1) / Local * Local;
  return Range;
}

// Overwrites half of a transfer with garbage.
void garble(std::byte *To, const RowLayout &Rows, size_t Stride) {
  for (size_t R = 0; R < (Rows.Rows + 1) / 2; ++R)
    std::memset(To + R * Stride, 0x5a, Rows.Rows == 1 ? (Rows.Bytes + 1) / 2 : Rows.Bytes);
}

Duration transferCost(const SimCosts &Costs, double NsPerByte, size_t Bytes) {
  return Costs.PerOperation + Duration(static_cast<Duration::rep>(NsPerByte * static_cast<double>(Bytes) + 0.5));
}

// The block of Mem. Null, with Why set, if it is not this device's or the range exceeds it.
std::byte *place(const Engine *Eng, const BufferRef &Mem, size_t Offset, size_t Bytes, status &Why) {
  auto *Buffer = dynamic_cast<SimBuffer *>(Mem.get());
  if (!Buffer || Buffer->Eng.get() != Eng) {
    Why = status::error(errc::invalid_argument, "sim: a buffer of another device");
    return nullptr;
  }
  if (Bytes == 0 || Offset > Buffer->bytes() || Bytes > Buffer->bytes() - Offset) {
    Why = status::error(errc::invalid_argument, "sim: bytes " + std::to_string(Offset) + " to " +
                                                    std::to_string(Offset + Bytes) + " of a buffer of " +
                                                    std::to_string(Buffer->bytes()));
    return nullptr;
  }
  return Buffer->data() + Offset;
}

} // namespace

SimDevice::SimDevice(unsigned Index, const SimOptions &Options)
    : Costs(Options.Costs), ReportsLate(Options.ReportsLate), Builds(Options.Builds),
      Eng(std::make_shared<Engine>(Options)) {
  Info.Name = "Simulated device";
  Info.Vendor = "hsched";
  Info.Platform = "hsched simulation";
  Info.Driver = "1";
  Info.Backend = "sim";
  Info.Index = Index;
  Info.Kind = DeviceKind::OpenCL;
  Info.Type = DeviceType::Gpu;
  Info.MemoryBytes = Options.MemoryBytes;
  Info.MaxAllocationBytes = Options.MaxAllocationBytes ? Options.MaxAllocationBytes : Options.MemoryBytes;
  Info.ComputeUnits = 1;
  for (const SimFault &Fault : Options.Faults)
    Eng->inject(Fault);
  Eng->start();
}

SimDevice::~SimDevice() {
  Eng->stop();
  unpinAll();
}

status SimDevice::allocate(size_t Bytes, BufferRef &Out) {
  Eng->called("allocate");
  if (auto Fault = Eng->fails(SimOp::Allocate, "allocation", errc::out_of_memory); !Fault.Why.ok())
    return Fault.Why;
  if (Bytes == 0 || Bytes > Info.MaxAllocationBytes || !Eng->take(Bytes, Info.MemoryBytes))
    return status::error(errc::out_of_memory, "sim: no room for " + std::to_string(Bytes) + " bytes");
  Out = std::make_shared<SimBuffer>(Eng, Bytes);
  return {};
}

status SimDevice::wrap(void *, size_t, BufferRef &) {
  return status::error(errc::unsupported, "sim: the device has memory of its own");
}

status SimDevice::kernel(const hsched_kernel_desc &Desc, KernelRef &Out) {
  if (Builds)
    Builds();
  if (auto Fault = Eng->fails(SimOp::Build, "build", errc::build_failed); !Fault.Why.ok())
    return Fault.Why;
  SimKernel Function = findKernel(Desc.entry);
  if (!Function)
    return status::error(errc::build_failed, std::string("sim: no kernel is registered as ") + Desc.entry);
  Out = std::make_shared<KernelOfSim>(Desc.entry, std::move(Function));
  return {};
}

status SimDevice::write(const BufferRef &Dst, size_t DstOffset, const void *Src, size_t Bytes,
                        std::span<const EventRef> Wait, EventRef &Done) {
  return writeRows(Dst, DstOffset, Src, {1, Bytes, 0, 0}, Wait, Done);
}

status SimDevice::writeRows(const BufferRef &Dst, size_t DstOffset, const void *Src, const RowLayout &Rows,
                            std::span<const EventRef> Wait, EventRef &Done) {
  Eng->called("write");
  status Why;
  std::byte *To = place(Eng.get(), Dst, DstOffset, Rows.deviceBytes(), Why);
  if (To)
    Why = Eng->fails(SimOp::Write, "write", errc::transfer_failed, true).Why;
  if (!Why.ok())
    return Why;
  auto Run = [this, E = Eng.get(), Dst, To, Src, Rows]() -> status {
    countPinned(Src, Rows);
    if (auto Fault = E->fails(SimOp::Write, "write", errc::transfer_failed, false); !Fault.Why.ok()) {
      if (Fault.Late)
        garble(To, Rows, Rows.DeviceStride);
      return Fault.Why;
    }
    for (size_t R = 0; R < Rows.Rows; ++R)
      std::memcpy(To + R * Rows.DeviceStride, static_cast<const std::byte *>(Src) + R * Rows.HostStride, Rows.Bytes);
    return {};
  };
  return Eng->enqueue(Lane::HostToDevice, Run, Wait, transferCost(Costs, Costs.UploadNsPerByte, Rows.Rows * Rows.Bytes),
                      Done);
}

status SimDevice::read(const BufferRef &Src, size_t SrcOffset, void *Dst, size_t Bytes, std::span<const EventRef> Wait,
                       EventRef &Done) {
  return readRows(Src, SrcOffset, Dst, {1, Bytes, 0, 0}, Wait, Done);
}

status SimDevice::readRows(const BufferRef &Src, size_t SrcOffset, void *Dst, const RowLayout &Rows,
                           std::span<const EventRef> Wait, EventRef &Done) {
  Eng->called("read");
  status Why;
  const std::byte *From = place(Eng.get(), Src, SrcOffset, Rows.deviceBytes(), Why);
  if (From)
    Why = Eng->fails(SimOp::Read, "read", errc::transfer_failed, true).Why;
  if (!Why.ok())
    return Why;
  auto Run = [this, E = Eng.get(), Src, From, Dst, Rows]() -> status {
    countPinned(Dst, Rows);
    if (auto Fault = E->fails(SimOp::Read, "read", errc::transfer_failed, false); !Fault.Why.ok()) {
      if (Fault.Late)
        garble(static_cast<std::byte *>(Dst), Rows, Rows.HostStride);
      return Fault.Why;
    }
    for (size_t R = 0; R < Rows.Rows; ++R)
      std::memcpy(static_cast<std::byte *>(Dst) + R * Rows.HostStride, From + R * Rows.DeviceStride, Rows.Bytes);
    return {};
  };
  return Eng->enqueue(Lane::DeviceToHost, Run, Wait,
                      transferCost(Costs, Costs.DownloadNsPerByte, Rows.Rows * Rows.Bytes), Done);
}

status SimDevice::copy(const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst, size_t DstOffset, size_t Bytes,
                       std::span<const EventRef> Wait, EventRef &Done) {
  Eng->called("copy");
  status Why;
  const std::byte *From = place(Eng.get(), Src, SrcOffset, Bytes, Why);
  std::byte *To = From ? place(Eng.get(), Dst, DstOffset, Bytes, Why) : nullptr;
  if (To)
    Why = Eng->fails(SimOp::Copy, "copy", errc::transfer_failed, true).Why;
  if (!Why.ok())
    return Why;
  auto Run = [E = Eng.get(), Src, Dst, From, To, Bytes]() -> status {
    if (auto Fault = E->fails(SimOp::Copy, "copy", errc::transfer_failed, false); !Fault.Why.ok()) {
      if (Fault.Late)
        garble(To, {1, Bytes, 0, 0}, 0);
      return Fault.Why;
    }
    std::memmove(To, From, Bytes);
    return {};
  };
  return Eng->enqueue(Lane::Compute, Run, Wait, transferCost(Costs, Costs.CopyNsPerByte, Bytes), Done);
}

bool SimDevice::reaches(const Device &From) const {
  auto *Other = dynamic_cast<const SimDevice *>(&From);
  return Other && Other->Eng->In == Eng->In;
}

status SimDevice::copyFrom(const Device &Other, const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst,
                           size_t DstOffset, const RowLayout &Rows, std::span<const EventRef> Wait, EventRef &Done) {
  Eng->called("copyFrom");
  if (!reaches(Other))
    return status::error(errc::invalid_argument, "sim: a device of another context");
  status Why;
  size_t Spans = (Rows.Rows - 1) * Rows.HostStride + Rows.Bytes;
  const std::byte *From = place(static_cast<const SimDevice &>(Other).Eng.get(), Src, SrcOffset, Spans, Why);
  std::byte *To = From ? place(Eng.get(), Dst, DstOffset, Rows.deviceBytes(), Why) : nullptr;
  if (To)
    Why = Eng->fails(SimOp::Copy, "copy", errc::transfer_failed, true).Why;
  if (!Why.ok())
    return Why;
  auto Run = [E = Eng.get(), Src, Dst, From, To, Rows]() -> status {
    if (auto Fault = E->fails(SimOp::Copy, "copy", errc::transfer_failed, false); !Fault.Why.ok()) {
      if (Fault.Late)
        garble(To, Rows, Rows.DeviceStride);
      return Fault.Why;
    }
    for (size_t R = 0; R < Rows.Rows; ++R)
      std::memcpy(To + R * Rows.DeviceStride, From + R * Rows.HostStride, Rows.Bytes);
    return {};
  };
  bool Within = &Other == this; // As copy() does.
  return Eng->enqueue(Within ? Lane::Compute : Lane::HostToDevice, Run, Wait,
                      transferCost(Costs, Within ? Costs.CopyNsPerByte : Costs.PeerNsPerByte, Rows.Rows * Rows.Bytes),
                      Done);
}

status SimDevice::launch(const KernelRef &K, const hsched_ndrange &Given, std::span<const BoundArg> Args,
                         std::span<const EventRef> Wait, EventRef &Done, CompletionReport When, unsigned Queue) {
  auto OwnKernel = std::dynamic_pointer_cast<KernelOfSim>(K);
  if (!OwnKernel)
    return status::error(errc::invalid_argument, "sim: a kernel of another device");
  if (Queue != AnyQueue && Queue >= computeQueues())
    return status::error(errc::invalid_argument, "sim: there is no queue " + std::to_string(Queue));
  if (auto Fault = Eng->fails(SimOp::Launch, "launch", errc::launch_failed, true); !Fault.Why.ok())
    return Fault.Why;
  LateReports.fetch_add(isLate(When));
  UntimedLaunches.fetch_add(When == CompletionReport::Untimed);
  hsched_ndrange Range = rounded(Given);
  std::vector<OwnedArg> Owned;
  for (const BoundArg &A : Args) {
    OwnedArg O{A, {}};
    if (A.K == BoundArg::Kind::Value)
      O.Bytes.assign(static_cast<const std::byte *>(A.Value), static_cast<const std::byte *>(A.Value) + A.Bytes);
    else if (status Why; A.K == BoundArg::Kind::Buffer && A.Mem && !place(Eng.get(), A.Mem, 0, 1, Why))
      return Why;
    Owned.push_back(std::move(O));
  }
  Duration Cost = Costs.PerOperation;
  if (Costs.Kernel) {
    Cost += Costs.Kernel(OwnKernel->Entry, Range);
  } else {
    size_t Items = 1;
    for (unsigned D = 0; D < Range.dims; ++D)
      Items *= Range.global[D];
    Cost += Duration(Items);
  }
  auto Run = [E = Eng.get(), OwnKernel, Range, Owned = std::move(Owned)]() mutable -> status {
    auto Fault = E->fails(SimOp::Launch, "kernel", errc::launch_failed, false);
    if (!Fault.Why.ok() && !Fault.Late)
      return Fault.Why;
    std::vector<SimArg> Passed;
    for (OwnedArg &O : Owned) {
      SimArg A{O.Bound.K, nullptr, nullptr, O.Bound.Bytes};
      if (O.Bound.K == BoundArg::Kind::Buffer && !O.Bound.Mem) {
        A.Bytes = 0; // A null pointer.
      } else if (O.Bound.K == BoundArg::Kind::Buffer) {
        auto &Mem = static_cast<SimBuffer &>(*O.Bound.Mem);
        A.Block = Mem.data();
        A.Bytes = Mem.bytes();
        // The offset wraps: integers, because the sum may lie outside the block.
        A.Pointer = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(Mem.data()) + O.Bound.Offset);
      } else {
        O.Bytes.resize(O.Bound.Bytes);
        A.Pointer = O.Bytes.data();
      }
      Passed.push_back(A);
    }
    status Ran = OwnKernel->Function(Range, Passed);
    return Fault.Why.ok() ? Ran : Fault.Why;
  };
  EventRef Launched;
  status Result = Eng->enqueue(Lane::Compute, std::move(Run), Wait, Cost, Launched, Queue);
  if (Result.ok() && ReportsLate && isLate(When))
    static_cast<SimEvent &>(*Launched).Unreported = true;
  Done = std::move(Launched);
  return Result;
}

void SimDevice::requestReport(const EventRef &Done) {
  if (auto *OwnEvent = dynamic_cast<SimEvent *>(Done.get()))
    OwnEvent->Unreported = false;
}

bool SimDevice::isReported(const Event &Done) const {
  auto *OwnEvent = dynamic_cast<const SimEvent *>(&Done);
  return !OwnEvent || !OwnEvent->Unreported;
}

unsigned SimDevice::computeQueues() const { return Eng->computeQueues(); }

unsigned SimDevice::streamOf(const Event &E) const {
  auto *OwnEvent = dynamic_cast<const SimEvent *>(&E);
  return OwnEvent && OwnEvent->On > FirstCompute ? OwnEvent->On - FirstCompute : 0;
}

bool SimDevice::step(Lane L, unsigned Queue) {
  return (L == Lane::Compute || Queue == 0) && Eng->step(sim::streamOf(L, Queue));
}

void SimDevice::stepAll() {
  bool Any = true;
  while (Any) {
    Any = false;
    for (unsigned N = 0; N < FirstCompute + computeQueues(); ++N)
      while (Eng->step(N))
        Any = true;
  }
}

void SimDevice::flush() {
  Eng->called("flush");
  Flushes.fetch_add(1);
  Eng->flushed();
}

size_t SimDevice::unflushed() const { return Eng->unflushed(); }
size_t SimDevice::pending() const { return Eng->pending(); }
uint64_t SimDevice::bytesInUse() const { return Eng->bytesInUse(); }
void SimDevice::inject(const SimFault &Fault) { Eng->inject(Fault); }
unsigned SimDevice::numFaults() const { return Eng->numFaults(); }

status SimBackend::enumerate(const BackendOptions &Backend, std::vector<std::unique_ptr<Device>> &Out) {
  SimOptions Each = Options;
  if (!Each.In && !Each.Apart)
    Each.In = makeContext();
  if (Backend.MemoryLimitPercent)
    Each.MemoryBytes = std::max<uint64_t>(1, Each.MemoryBytes / 100 * Backend.MemoryLimitPercent);
  if (Backend.MemoryLimitBytes)
    Each.MemoryBytes = std::min(Each.MemoryBytes, Backend.MemoryLimitBytes);
  for (unsigned I = 0; I < Each.Devices; ++I)
    Out.push_back(std::make_unique<SimDevice>(I, Each));
  return {};
}

} // namespace hsched::rt::sim
