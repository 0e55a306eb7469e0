// Commands that map and unmap memory objects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The call returns the pointer, whenever the command runs. For a plain object it is the vendor's if the command was
// already passed to the vendor. Otherwise it points into the object's host memory, to which the command copies. For an
// object that is a datum it points to its home.
#include "icd/Api.h"

#include <algorithm>
#include <array>

namespace hsched::icd {
namespace {

constexpr cl_map_flags Writing = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

// The first thread decides which side makes the mapping.
struct Choice {
  enum : int { Open, Vendor, VendorDone, Platform };
  std::atomic<int> By{Open};
  void *At = nullptr;
  size_t Row = 0, Slice = 0;

  bool claim(int For) {
    int Expected = Open;
    return By.compare_exchange_strong(Expected, For, std::memory_order_acq_rel);
  }
  void done() {
    By.store(VendorDone, std::memory_order_release);
    By.notify_all();
  }
  // Called by the enqueueing thread: true if the mapping is the vendor's, and then made.
  bool isVendors() {
    if (claim(Platform))
      return false;
    int Now;
    while ((Now = By.load(std::memory_order_acquire)) == Vendor)
      By.wait(Now, std::memory_order_acquire);
    return Now == VendorDone;
  }
};

void checkMap(const Memory &M, cl_map_flags Flags) {
  require(!(Flags & ~MapFlags), CL_INVALID_VALUE);
  require(!(Flags & CL_MAP_WRITE_INVALIDATE_REGION && Flags & (CL_MAP_READ | CL_MAP_WRITE)), CL_INVALID_VALUE);
  require(!(Flags & CL_MAP_READ) || M.canRead(), CL_INVALID_OPERATION);
  require(!(Flags & Writing) || M.canWrite(), CL_INVALID_OPERATION);
}

void *CL_API_CALL mapBuffer(cl_command_queue Q, cl_mem Of, cl_bool Blocking, cl_map_flags Flags, size_t First,
                            size_t Bytes, cl_uint N, const cl_event *List, cl_event *Event, cl_int *Error) {
  return guardedMake<void *>(Error, [&]() -> void * {
    Enqueueing E(Q, N, List);
    Ref<Memory> M = &E.buffer(Of);
    require(Bytes && First <= M->bytes() && Bytes <= M->bytes() - First, CL_INVALID_VALUE);
    checkMap(*M, Flags);
    std::byte *Host = nullptr;
    auto HostAt = [=] { return M->root().hostBytes() + M->origin() + First; };
    auto C = E.command(CL_COMMAND_MAP_BUFFER);
    C->Fence = true;
    bool Brings = !(Flags & CL_MAP_WRITE_INVALIDATE_REGION);
    Memory::Mapping Its{nullptr, Flags, false, {First, 0, 0}, {Bytes, 1, 1}};
    if (!M->isPlain()) {
      Host = HostAt();
      C->Uses.push_back({&M->root(), M->origin() + First, Bytes, Brings, !Brings, true});
      C->Start = nothing;
      E(C, Blocking, Event);
    } else {
      auto By = std::make_shared<Choice>();
      C->uses(*M, First, Bytes, true, false);
      C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
        cl_mem V = M->in(*T.In);
        if (!By->claim(Choice::Vendor))
          return Brings ? T.cl().clEnqueueReadBuffer(T.Queue, V, CL_FALSE, First, Bytes, HostAt(), N, Waits, Out)
                        : nothing(T, N, Waits, Out);
        cl_int Code = CL_SUCCESS;
        By->At = T.cl().clEnqueueMapBuffer(T.Queue, V, CL_FALSE, Flags, First, Bytes, N, Waits, Out, &Code);
        By->done();
        return Code;
      };
      E(C, Blocking, Event);
      Its.Vendors = By->isVendors();
      Host = Its.Vendors ? static_cast<std::byte *>(By->At) : HostAt();
    }
    Its.At = Host;
    M->mapped(Its);
    return Host;
  });
}

void *CL_API_CALL mapImage(cl_command_queue Q, cl_mem Of, cl_bool Blocking, cl_map_flags Flags, const size_t *Origin,
                           const size_t *Region, size_t *Row, size_t *Slice, cl_uint N, const cl_event *List,
                           cl_event *Event, cl_int *Error) {
  return guardedMake<void *>(Error, [&]() -> void * {
    Enqueueing E(Q, N, List);
    Ref<Memory> M = &E.image(Of);
    M->checkRegion(Origin, Region);
    checkMap(*M, Flags);
    bool Layered = M->isLayered();
    require(Row && (Slice || !Layered), CL_INVALID_VALUE);
    std::array<size_t, 3> At{Origin[0], Origin[1], Origin[2]}, Extent{Region[0], Region[1], Region[2]};
    auto HostAt = [=] {
      size_t Rows = M->Type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? M->slicePitch() : M->rowPitch();
      return M->root().hostBytes() + M->origin() + At[0] * M->elementBytes() + At[1] * Rows + At[2] * M->slicePitch();
    };
    auto C = E.command(CL_COMMAND_MAP_IMAGE);
    C->Fence = true;
    Memory::Mapping Its{nullptr, Flags, false, {At[0], At[1], At[2]}, {Extent[0], Extent[1], Extent[2]}};
    size_t RowPitch = M->rowPitch(), SlicePitch = M->slicePitch();
    if (!M->isPlain()) {
      Its.At = HostAt();
      // The whole image: images are transferred whole.
      C->Uses.push_back({&M->root(), M->origin(), M->bytes(), true, false, true});
      C->Start = nothing;
      E(C, Blocking, Event);
    } else {
      auto By = std::make_shared<Choice>();
      C->uses(*M, true, false);
      C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
        cl_mem V = M->in(*T.In);
        if (!By->claim(Choice::Vendor))
          return Flags & CL_MAP_WRITE_INVALIDATE_REGION
                     ? nothing(T, N, Waits, Out)
                     : T.cl().clEnqueueReadImage(T.Queue, V, CL_FALSE, At.data(), Extent.data(), M->rowPitch(),
                                                 Layered ? M->slicePitch() : 0, HostAt(), N, Waits, Out);
        cl_int Code = CL_SUCCESS;
        By->At = T.cl().clEnqueueMapImage(T.Queue, V, CL_FALSE, Flags, At.data(), Extent.data(), &By->Row,
                                          Layered ? &By->Slice : nullptr, N, Waits, Out, &Code);
        By->done();
        return Code;
      };
      E(C, Blocking, Event);
      Its.Vendors = By->isVendors();
      Its.At = Its.Vendors ? By->At : HostAt();
      if (Its.Vendors)
        RowPitch = By->Row, SlicePitch = By->Slice;
    }
    *Row = RowPitch;
    if (Slice)
      *Slice = Layered ? SlicePitch : 0;
    M->mapped(Its);
    return Its.At;
  });
}

cl_int CL_API_CALL unmap(cl_command_queue Q, cl_mem Of, void *At, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    Ref<Memory> M = &E.memory(Of);
    Memory::Mapping Its = M->unmapped(At);
    auto C = E.command(CL_COMMAND_UNMAP_MEM_OBJECT);
    C->Fence = true;
    bool Writes = (Its.Flags & Writing) != 0;
    size_t Whole[3] = {M->bytes(), 1, 1};
    if (M->isImage())
      M->region(Whole);
    if (Its.Vendors) {
      C->uses(*M, true, Writes);
      C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
        return T.cl().clEnqueueUnmapMemObject(T.Queue, M->in(*T.In), At, N, Waits, Out);
      };
    } else if (!Writes) {
      C->Start = nothing;
    } else if (!M->isPlain() && (M->isBuffer() || std::equal(Whole, Whole + 3, Its.Extent))) {
      // The host's copy is valid.
      size_t First = M->isBuffer() ? Its.Origin[0] : 0, Bytes = M->isBuffer() ? Its.Extent[0] : M->bytes();
      C->Uses.push_back({&M->root(), M->origin() + First, Bytes, false, true, true});
      if (M->root().usesHostPointer())
        C->usesHost(At, Bytes, true);
      C->Start = nothing;
    } else if (M->isBuffer()) {
      C->uses(*M, Its.Origin[0], Its.Extent[0], false, true);
      C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
        return T.cl().clEnqueueWriteBuffer(T.Queue, M->in(*T.In), CL_FALSE, Its.Origin[0], Its.Extent[0], At, N, Waits,
                                           Out);
      };
    } else {
      C->uses(*M, !std::equal(Whole, Whole + 3, Its.Extent), true);
      C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
        return T.cl().clEnqueueWriteImage(T.Queue, M->in(*T.In), CL_FALSE, Its.Origin, Its.Extent, M->rowPitch(),
                                          M->isLayered() ? M->slicePitch() : 0, At, N, Waits, Out);
      };
    }
    E(C, CL_FALSE, Event);
  });
}

} // namespace

void addMapCommands(cl_icd_dispatch &T) {
  T.clEnqueueMapBuffer = mapBuffer;
  T.clEnqueueMapImage = mapImage;
  T.clEnqueueUnmapMemObject = unmap;
}

} // namespace hsched::icd
