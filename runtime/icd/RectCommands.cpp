// Commands on rectangles in buffers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"

#include <array>

namespace hsched::icd {
namespace {

// A box in linear memory.
struct Box {
  std::array<size_t, 3> Origin, Extent;
  size_t Row, Slice;

  Box(const size_t *From, const size_t *Size, size_t RowPitch, size_t SlicePitch) {
    require(From && Size && Size[0] && Size[1] && Size[2], CL_INVALID_VALUE);
    for (unsigned I = 0; I != 3; ++I) {
      Origin[I] = From[I];
      Extent[I] = Size[I];
    }
    require(!RowPitch || RowPitch >= Extent[0], CL_INVALID_VALUE);
    Row = RowPitch ? RowPitch : Extent[0];
    require(!SlicePitch || (SlicePitch >= Extent[1] * Row && SlicePitch % Row == 0), CL_INVALID_VALUE);
    Slice = SlicePitch ? SlicePitch : Extent[1] * Row;
  }
  size_t first() const { return Origin[2] * Slice + Origin[1] * Row + Origin[0]; }
  // From the first byte to the last one.
  size_t span() const { return (Extent[2] - 1) * Slice + (Extent[1] - 1) * Row + Extent[0]; }
  bool isDense() const { return span() == Extent[0] * Extent[1] * Extent[2]; }
  void inside(const Memory &M) const {
    require(first() <= M.bytes() && span() <= M.bytes() - first(), CL_INVALID_VALUE);
  }
};

cl_int CL_API_CALL readBufferRect(cl_command_queue Q, cl_mem From, cl_bool Blocking, const size_t *BufferOrigin,
                                  const size_t *HostOrigin, const size_t *Region, size_t BufferRow, size_t BufferSlice,
                                  size_t HostRow, size_t HostSlice, void *To, cl_uint N, const cl_event *List,
                                  cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    Ref<Memory> M = &E.buffer(From);
    require(To, CL_INVALID_VALUE);
    Box In(BufferOrigin, Region, BufferRow, BufferSlice), Out(HostOrigin, Region, HostRow, HostSlice);
    In.inside(*M);
    require(M->canRead(), CL_INVALID_OPERATION);
    auto C = E.command(CL_COMMAND_READ_BUFFER_RECT);
    C->uses(*M, In.first(), In.span(), true, false);
    C->usesHost(static_cast<std::byte *>(To) + Out.first(), Out.span(), true);
    C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Done) {
      return T.cl().clEnqueueReadBufferRect(T.Queue, M->in(*T.In), CL_FALSE, In.Origin.data(), Out.Origin.data(),
                                            In.Extent.data(), In.Row, In.Slice, Out.Row, Out.Slice, To, N, Waits, Done);
    };
    E(C, Blocking, Event);
  });
}

cl_int CL_API_CALL writeBufferRect(cl_command_queue Q, cl_mem Into, cl_bool Blocking, const size_t *BufferOrigin,
                                   const size_t *HostOrigin, const size_t *Region, size_t BufferRow, size_t BufferSlice,
                                   size_t HostRow, size_t HostSlice, const void *From, cl_uint N, const cl_event *List,
                                   cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    Ref<Memory> M = &E.buffer(Into);
    require(From, CL_INVALID_VALUE);
    Box Out(BufferOrigin, Region, BufferRow, BufferSlice), In(HostOrigin, Region, HostRow, HostSlice);
    Out.inside(*M);
    require(M->canWrite(), CL_INVALID_OPERATION);
    auto C = E.command(CL_COMMAND_WRITE_BUFFER_RECT);
    C->uses(*M, Out.first(), Out.span(), !Out.isDense(), true); // Bytes between rows are kept.
    C->usesHost(static_cast<const std::byte *>(From) + In.first(), In.span(), false);
    C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Done) {
      return T.cl().clEnqueueWriteBufferRect(T.Queue, M->in(*T.In), CL_FALSE, Out.Origin.data(), In.Origin.data(),
                                             Out.Extent.data(), Out.Row, Out.Slice, In.Row, In.Slice, From, N, Waits,
                                             Done);
    };
    E(C, Blocking, Event);
  });
}

cl_int CL_API_CALL copyBufferRect(cl_command_queue Q, cl_mem From, cl_mem Into, const size_t *FromOrigin,
                                  const size_t *IntoOrigin, const size_t *Region, size_t FromRow, size_t FromSlice,
                                  size_t IntoRow, size_t IntoSlice, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    Ref<Memory> A = &E.buffer(From), B = &E.buffer(Into);
    Box In(FromOrigin, Region, FromRow, FromSlice), Out(IntoOrigin, Region, IntoRow, IntoSlice);
    In.inside(*A);
    Out.inside(*B);
    auto C = E.command(CL_COMMAND_COPY_BUFFER_RECT);
    C->uses(*A, In.first(), In.span(), true, false);
    C->uses(*B, Out.first(), Out.span(), !Out.isDense() || &A->root() == &B->root(), true);
    C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Done) {
      return T.cl().clEnqueueCopyBufferRect(T.Queue, A->in(*T.In), B->in(*T.In), In.Origin.data(), Out.Origin.data(),
                                            In.Extent.data(), In.Row, In.Slice, Out.Row, Out.Slice, N, Waits, Done);
    };
    E(C, CL_FALSE, Event);
  });
}

} // namespace

void addRectCommands(cl_icd_dispatch &T) {
  T.clEnqueueReadBufferRect = readBufferRect;
  T.clEnqueueWriteBufferRect = writeBufferRect;
  T.clEnqueueCopyBufferRect = copyBufferRect;
}

} // namespace hsched::icd
