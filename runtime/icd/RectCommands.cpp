// Commands on rectangles in buffers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"

#include <algorithm>
#include <array>

namespace hsched::icd {
namespace {

// Throw CL_INVALID_VALUE if the result does not fit.
size_t product(size_t A, size_t B) {
  size_t R;
  require(!__builtin_mul_overflow(A, B, &R), CL_INVALID_VALUE);
  return R;
}
size_t sum(size_t A, size_t B) {
  size_t R;
  require(!__builtin_add_overflow(A, B, &R), CL_INVALID_VALUE);
  return R;
}

// A box in linear memory.
struct Box {
  std::array<size_t, 3> Origin, Extent;
  size_t Row, Slice, First, Span; // Span: bytes from the first one to the last one.

  Box(const size_t *From, const size_t *Size, size_t RowPitch, size_t SlicePitch) {
    require(From && Size && Size[0] && Size[1] && Size[2], CL_INVALID_VALUE);
    for (unsigned I = 0; I != 3; ++I) {
      Origin[I] = From[I];
      Extent[I] = Size[I];
    }
    require(!RowPitch || RowPitch >= Extent[0], CL_INVALID_VALUE);
    Row = RowPitch ? RowPitch : Extent[0];
    const size_t Least = product(Extent[1], Row);
    require(!SlicePitch || (SlicePitch >= Least && SlicePitch % Row == 0), CL_INVALID_VALUE);
    Slice = SlicePitch ? SlicePitch : Least;
    First = sum(sum(product(Origin[2], Slice), product(Origin[1], Row)), Origin[0]);
    Span = sum(sum(product(Extent[2] - 1, Slice), product(Extent[1] - 1, Row)), Extent[0]);
    (void)sum(First, Span);
  }
  size_t first() const { return First; }
  size_t span() const { return Span; }
  bool isDense() const { return span() == Extent[0] * Extent[1] * Extent[2]; }
  void inside(const Memory &M) const {
    require(first() <= M.bytes() && span() <= M.bytes() - first(), CL_INVALID_VALUE);
  }
};

// Two boxes of one extent and of equal pitches that begin at the bytes A and B.
bool overlap(size_t A, size_t B, const Box &Of) {
  if (A + Of.Span <= B || B + Of.Span <= A)
    return false;
  // Intervals that repeat with a period: one may lie in the gaps of the other.
  auto Apart = [&](size_t Length, size_t Period) {
    const size_t Low = std::min(A % Period, B % Period), High = std::max(A % Period, B % Period);
    return Low + Length <= High && High + Length <= Low + Period;
  };
  return !Apart(Of.Extent[0], Of.Row) && !Apart((Of.Extent[1] - 1) * Of.Row + Of.Extent[0], Of.Slice);
}

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
    const bool SamePitches = In.Row == Out.Row && In.Slice == Out.Slice;
    require(A.get() != B.get() || SamePitches, CL_INVALID_VALUE);
    require(&A->root() != &B->root() || !SamePitches ||
                !overlap(A->origin() + In.first(), B->origin() + Out.first(), In),
            CL_MEM_COPY_OVERLAP);
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
