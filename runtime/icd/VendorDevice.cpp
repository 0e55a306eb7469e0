// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/VendorDevice.h"

#include "icd/Command.h"

#include <algorithm>

namespace hsched::icd {
namespace {

rt::TimePoint now() { return rt::TimePoint(rt::Duration(static_cast<int64_t>(hostTime()))); }

status failed(cl_int Error) {
  bool Memory =
      Error == CL_MEM_OBJECT_ALLOCATION_FAILURE || Error == CL_OUT_OF_RESOURCES || Error == CL_OUT_OF_HOST_MEMORY;
  return status::error(Memory ? errc::out_of_memory : errc::transfer_failed, "OpenCL error " + std::to_string(Error),
                       Error);
}

// Commands on one in-order vendor queue: they have ended when the last one has ended.
class Copied final : public rt::Event {
public:
  explicit Copied(std::vector<cl_event> Of) : Of(std::move(Of)), Begin(now()) {
    if (this->Of.empty())
      end({});
  }
  ~Copied() override {
    for (cl_event E : Of)
      table(E).clReleaseEvent(E);
  }
  cl_event last() const { return Of.empty() ? nullptr : Of.back(); }
  bool done() override {
    if (Over.load(std::memory_order_acquire))
      return true;
    cl_int Its = CL_SUBMITTED;
    cl_int QueryError =
        table(last()).clGetEventInfo(last(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(Its), &Its, nullptr);
    if (QueryError == CL_SUCCESS && Its > CL_COMPLETE)
      return false;
    end(how(QueryError));
    return true;
  }
  status wait() override {
    if (!Over.load(std::memory_order_acquire))
      end(how(table(last()).clWaitForEvents(static_cast<cl_uint>(Of.size()), Of.data())));
    return outcome();
  }
  status outcome() override {
    std::lock_guard Hold(Lock);
    return How;
  }
  std::optional<rt::Interval> times() override {
    std::lock_guard Hold(Lock);
    return rt::Interval{Begin, End};
  }

private:
  status how(cl_int Otherwise) const {
    for (cl_event E : Of) {
      cl_int Its = CL_COMPLETE;
      (void)table(E).clGetEventInfo(E, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(Its), &Its, nullptr);
      if (Its < 0)
        return failed(Its);
    }
    return Otherwise < 0 ? failed(Otherwise) : status();
  }
  void end(status Outcome) {
    std::lock_guard Hold(Lock);
    if (Over.load(std::memory_order_relaxed))
      return;
    How = std::move(Outcome);
    End = now();
    Over.store(true, std::memory_order_release);
  }

  const std::vector<cl_event> Of;
  const rt::TimePoint Begin;
  std::atomic<bool> Over{false};
  std::mutex Lock; // Guards the fields below.
  status How;
  rt::TimePoint End;
};

// Copies of a lazy vendor, which have ended before they are reported.
class CopiedAlready final : public rt::Event {
public:
  explicit CopiedAlready(rt::TimePoint Begin) : Ran{Begin, now()} {}
  bool done() override { return true; }
  status wait() override { return {}; }
  status outcome() override { return {}; }
  std::optional<rt::Interval> times() override { return Ran; }

private:
  const rt::Interval Ran;
};

} // namespace

cl_event commandOf(const rt::EventRef &Copy) {
  const auto *Its = dynamic_cast<const Copied *>(Copy.get());
  return Its ? Its->last() : nullptr;
}

cl_int codeOf(const status &S) {
  if (S.ok())
    return CL_SUCCESS;
  if (S.native_code() < 0)
    return S.native_code();
  return S.code() == errc::out_of_memory ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_RESOURCES;
}

void Views::remove(uint64_t Serial) {
  std::lock_guard Hold(Lock);
  std::erase_if(All, [&](const auto &V) {
    if (V.first == Serial)
      table(V.second).clReleaseMemObject(V.second);
    return V.first == Serial;
  });
}

void Views::clear() {
  std::lock_guard Hold(Lock);
  for (auto V = All.rbegin(); V != All.rend(); ++V)
    table(V->second).clReleaseMemObject(V->second);
  All.clear();
}

static uint64_t nextBlock() {
  static std::atomic<uint64_t> Next{1};
  return Next.fetch_add(1, std::memory_order_relaxed);
}

VendorBuffer::VendorBuffer(const Memory &Of, cl_mem Made)
    : Of(Of), Made(Made), Serial(nextBlock()), Parts(std::make_shared<Views>()) {}

VendorBuffer::~VendorBuffer() {
  Parts->clear();
  table(Made).clReleaseMemObject(Made);
}

size_t VendorBuffer::bytes() const { return Of.bytes(); }

VendorDevice::VendorDevice(Part &P, uint64_t Limit) : P(P) {
  Info.Name = P.Devices.front()->Name;
  Info.Backend = "opencl";
  Info.Index = P.Number;
  Info.MemoryBytes = UINT64_MAX;
  for (icd::Device *D : P.Devices) {
    Info.MemoryBytes = std::min<uint64_t>(Info.MemoryBytes, D->number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE));
    Info.MaxAllocationBytes =
        std::max<uint64_t>(Info.MaxAllocationBytes, D->number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  }
  if (Limit)
    Info.MemoryBytes = std::min(Info.MemoryBytes, Limit);
}

VendorDevice::~VendorDevice() {
  for (cl_command_queue Q : Queues)
    if (Q)
      table(Q).clReleaseCommandQueue(Q);
}

cl_command_queue VendorDevice::queue(Way W) {
  std::lock_guard Hold(Lock);
  if (!Queues[W]) {
    cl_int Error = CL_SUCCESS;
    Queues[W] = P.cl().clCreateCommandQueue(P.Id, P.Devices.front()->Id, 0, &Error);
    check(Queues[W] ? CL_SUCCESS : Error < 0 ? Error : CL_OUT_OF_RESOURCES);
  }
  return Queues[W];
}

void VendorDevice::prepare() {
  for (const Way W : {Up, Down})
    (void)guarded([&] { (void)queue(W); }); // If it fails, the first copy reports that.
}

void VendorDevice::flush() {
  std::lock_guard Hold(Lock);
  for (cl_command_queue Q : Queues)
    if (Q && !P.Of->Lazy)
      (void)table(Q).clFlush(Q);
}

void VendorDevice::finish() {
  cl_command_queue All[2];
  {
    std::lock_guard Hold(Lock);
    std::copy(Queues, Queues + 2, All);
  }
  for (cl_command_queue Q : All)
    if (Q)
      (void)table(Q).clFinish(Q);
}

std::vector<ImageBox> boxesOf(const ImageLayout &L, size_t Offset, size_t Bytes) {
  std::vector<ImageBox> All;
  const size_t Width = L.Extent[0] * L.Element, Row = L.Pitch[0], Slice = L.Pitch[1];
  for (size_t At = 0; At < Bytes;) {
    const size_t Z = (Offset + At) / Slice, InSlice = (Offset + At) % Slice, Y = InSlice / Row, X = InSlice % Row;
    const size_t Left = Bytes - At;
    if (Z >= L.Extent[2])
      break;
    if (Y >= L.Extent[1]) { // Past the last row of a slice.
      At += Slice - InSlice;
    } else if (X || Left < Row) { // A partial row.
      const size_t End = std::min(Width, X + Left);
      if (X < End)
        All.push_back({{X / L.Element, Y, Z}, {(End - X) / L.Element, 1, 1}, At});
      At += std::min(Row - X, Left);
    } else if (Y || Left < Slice) { // Whole rows.
      const size_t Rows = std::min(L.Extent[1] - Y, Left / Row);
      All.push_back({{0, Y, Z}, {L.Extent[0], Rows, 1}, At});
      At += Rows * Row;
    } else { // Whole slices.
      const size_t Slices = std::min(L.Extent[2] - Z, Left / Slice);
      All.push_back({{0, 0, Z}, {L.Extent[0], L.Extent[1], Slices}, At});
      At += Slices * Slice;
    }
  }
  return All;
}

status VendorDevice::copyRows(Way W, const rt::Buffer &Block, size_t Offset, void *Host, const rt::RowLayout &Rows,
                              std::span<const rt::EventRef> Wait, rt::EventRef &Done) {
  const auto &B = static_cast<const VendorBuffer &>(Block);
  auto *Bytes = B.Of.onHost(static_cast<std::byte *>(Host));
  const rt::TimePoint Begin = now();
  const bool Lazy = P.Of->Lazy;
  std::vector<cl_event> After, Made;
  for (const rt::EventRef &E : Wait)
    if (auto *Its = dynamic_cast<Copied *>(E.get())) {
      if (Its->done() && !Its->outcome().ok())
        return Its->outcome();
      if (Its->last())
        After.push_back(Its->last());
    } else if (E) {
      if (status Outcome = E->wait(); !Outcome.ok())
        return Outcome;
    }
  cl_int Error = CL_SUCCESS;
  const auto InTurn = P.Devices.front()->inTurn();
  try {
    const cl_command_queue Q = queue(W);
    const cl_icd_dispatch &Cl = table(Q);
    const cl_bool Blocks = Lazy ? CL_TRUE : CL_FALSE;
    auto enqueue = [&](auto Enqueue) {
      cl_event Out = nullptr;
      if (Error == CL_SUCCESS)
        Error =
            Enqueue(static_cast<cl_uint>(After.size()), After.empty() ? nullptr : After.data(), Lazy ? nullptr : &Out);
      if (Out)
        Made.push_back(Out);
    };
    for (size_t Row = 0; B.Of.isImage() && Row != Rows.Rows; ++Row)
      for (const ImageBox &X : boxesOf(B.Of.layout(), Offset + Row * Rows.DeviceStride, Rows.Bytes)) {
        const size_t RowPitch = B.Of.rowPitch(), SlicePitch = B.Of.isLayered() ? B.Of.slicePitch() : 0;
        std::byte *At = Bytes + Row * Rows.HostStride + X.At;
        enqueue([&](cl_uint N, const cl_event *List, cl_event *Out) {
          return W == Up ? Cl.clEnqueueWriteImage(Q, B.Made, Blocks, X.Origin, X.Extent, RowPitch, SlicePitch, At, N,
                                                  List, Out)
                         : Cl.clEnqueueReadImage(Q, B.Made, Blocks, X.Origin, X.Extent, RowPitch, SlicePitch, At, N,
                                                 List, Out);
        });
      }
    if (!B.Of.isImage() && Rows.Rows == 1)
      enqueue([&](cl_uint N, const cl_event *List, cl_event *Out) {
        return W == Up ? Cl.clEnqueueWriteBuffer(Q, B.Made, Blocks, Offset, Rows.Bytes, Bytes, N, List, Out)
                       : Cl.clEnqueueReadBuffer(Q, B.Made, Blocks, Offset, Rows.Bytes, Bytes, N, List, Out);
      });
    else if (!B.Of.isImage())
      enqueue([&](cl_uint N, const cl_event *List, cl_event *Out) {
        const size_t At[3] = {Offset, 0, 0}, Zero[3] = {}, Region[3] = {Rows.Bytes, Rows.Rows, 1};
        return W == Up ? Cl.clEnqueueWriteBufferRect(Q, B.Made, Blocks, At, Zero, Region, Rows.DeviceStride, 0,
                                                     Rows.HostStride, 0, Bytes, N, List, Out)
                       : Cl.clEnqueueReadBufferRect(Q, B.Made, Blocks, At, Zero, Region, Rows.DeviceStride, 0,
                                                    Rows.HostStride, 0, Bytes, N, List, Out);
      });
  } catch (const Failure &F) {
    Error = F.Code;
  }
  if (Error < 0) {
    for (cl_event E : Made) {
      (void)table(E).clWaitForEvents(1, &E);
      table(E).clReleaseEvent(E);
    }
    return failed(Error);
  }
  if (Lazy)
    Done = std::make_shared<CopiedAlready>(Begin);
  else
    Done = std::make_shared<Copied>(std::move(Made));
  return {};
}

status VendorDevice::write(const rt::BufferRef &Dst, size_t DstOffset, const void *Src, size_t Bytes,
                           std::span<const rt::EventRef> Wait, rt::EventRef &Done) {
  return copyRows(Up, *Dst, DstOffset, const_cast<void *>(Src), {1, Bytes, Bytes, Bytes}, Wait, Done);
}
status VendorDevice::read(const rt::BufferRef &Src, size_t SrcOffset, void *Dst, size_t Bytes,
                          std::span<const rt::EventRef> Wait, rt::EventRef &Done) {
  return copyRows(Down, *Src, SrcOffset, Dst, {1, Bytes, Bytes, Bytes}, Wait, Done);
}
status VendorDevice::writeRows(const rt::BufferRef &Dst, size_t DstOffset, const void *Src, const rt::RowLayout &Rows,
                               std::span<const rt::EventRef> Wait, rt::EventRef &Done) {
  return copyRows(Up, *Dst, DstOffset, const_cast<void *>(Src), Rows, Wait, Done);
}
status VendorDevice::readRows(const rt::BufferRef &Src, size_t SrcOffset, void *Dst, const rt::RowLayout &Rows,
                              std::span<const rt::EventRef> Wait, rt::EventRef &Done) {
  return copyRows(Down, *Src, SrcOffset, Dst, Rows, Wait, Done);
}

} // namespace hsched::icd
