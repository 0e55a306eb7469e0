// Commands on images.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"

#include <algorithm>
#include <array>

namespace hsched::icd {
namespace {

using Triple = std::array<size_t, 3>;

Triple triple(const size_t *P) {
  require(P, CL_INVALID_VALUE);
  return {P[0], P[1], P[2]};
}

// Bytes on the host from the first to the last of a region.
size_t hostSpan(const Memory &M, const Triple &Extent, size_t Row, size_t Slice) {
  size_t R = Row ? Row : Extent[0] * M.elementBytes(), S = Slice ? Slice : R * Extent[1];
  if (M.Type == CL_MEM_OBJECT_IMAGE1D_ARRAY) // Its rows count as slices.
    return (Extent[1] - 1) * (Slice ? Slice : R) + Extent[0] * M.elementBytes();
  return (Extent[2] - 1) * S + (Extent[1] - 1) * R + Extent[0] * M.elementBytes();
}

// The distances between rows and slices on the host. 0: the least ones.
void checkPitches(const Memory &M, const Triple &Extent, size_t Row, size_t Slice) {
  const size_t Least = Extent[0] * M.elementBytes();
  require(!Row || Row >= Least, CL_INVALID_VALUE);
  const size_t Rows = M.Type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : Extent[1];
  require(!Slice || !M.isLayered() || Slice / Rows >= std::max(Row, Least), CL_INVALID_VALUE);
}

// Images are transferred as a whole, so a partial write needs the rest.
void usesImage(Command &C, Memory &M, bool Writes, const Triple &Extent) {
  size_t Whole[3];
  M.region(Whole);
  C.uses(M, !Writes || !std::equal(Whole, Whole + 3, Extent.begin()), Writes);
}

// Copies between an image and the program's memory. Writes Host only if Reads.
void transfer(cl_command_queue Q, cl_mem Handle, bool Reads, cl_bool Blocking, const size_t *Origin,
              const size_t *Region, size_t Row, size_t Slice, void *Host, cl_uint N, const cl_event *List,
              cl_event *Event) {
  Enqueueing E(Q, N, List);
  Ref<Memory> M = &E.image(Handle);
  require(Host, CL_INVALID_VALUE);
  M->checkRegion(Origin, Region);
  require(Reads ? M->canRead() : M->canWrite(), CL_INVALID_OPERATION);
  Triple At = triple(Origin), Extent = triple(Region);
  checkPitches(*M, Extent, Row, Slice);
  auto C = E.command(Reads ? CL_COMMAND_READ_IMAGE : CL_COMMAND_WRITE_IMAGE);
  usesImage(*C, *M, !Reads, Extent);
  C->usesHost(Host, hostSpan(*M, Extent, Row, Slice), Reads);
  C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
    cl_mem Its = M->in(*T.In);
    return Reads ? T.cl().clEnqueueReadImage(T.Queue, Its, CL_FALSE, At.data(), Extent.data(), Row, Slice, Host, N,
                                             Waits, Out)
                 : T.cl().clEnqueueWriteImage(T.Queue, Its, CL_FALSE, At.data(), Extent.data(), Row, Slice, Host, N,
                                              Waits, Out);
  };
  E(C, Blocking, Event);
}

cl_int CL_API_CALL readImage(cl_command_queue Q, cl_mem From, cl_bool Blocking, const size_t *Origin,
                             const size_t *Region, size_t Row, size_t Slice, void *To, cl_uint N, const cl_event *List,
                             cl_event *Event) {
  return guarded([&] { transfer(Q, From, true, Blocking, Origin, Region, Row, Slice, To, N, List, Event); });
}

cl_int CL_API_CALL writeImage(cl_command_queue Q, cl_mem Into, cl_bool Blocking, const size_t *Origin,
                              const size_t *Region, size_t Row, size_t Slice, const void *From, cl_uint N,
                              const cl_event *List, cl_event *Event) {
  return guarded([&] {
    transfer(Q, Into, false, Blocking, Origin, Region, Row, Slice, const_cast<void *>(From), N, List, Event);
  });
}

cl_int CL_API_CALL copyImage(cl_command_queue Q, cl_mem From, cl_mem Into, const size_t *FromOrigin,
                             const size_t *IntoOrigin, const size_t *Region, cl_uint N, const cl_event *List,
                             cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    Ref<Memory> A = &E.image(From), B = &E.image(Into);
    require(A->Format.image_channel_order == B->Format.image_channel_order &&
                A->Format.image_channel_data_type == B->Format.image_channel_data_type,
            CL_IMAGE_FORMAT_MISMATCH);
    A->checkRegion(FromOrigin, Region);
    B->checkRegion(IntoOrigin, Region);
    Triple In = triple(FromOrigin), Out = triple(IntoOrigin), Extent = triple(Region);
    bool Overlaps = A.get() == B.get();
    for (unsigned I = 0; I != 3; ++I)
      Overlaps = Overlaps && In[I] < Out[I] + Extent[I] && Out[I] < In[I] + Extent[I];
    require(!Overlaps, CL_MEM_COPY_OVERLAP);
    auto C = E.command(CL_COMMAND_COPY_IMAGE);
    usesImage(*C, *A, false, Extent);
    usesImage(*C, *B, true, Extent);
    C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Done) {
      return T.cl().clEnqueueCopyImage(T.Queue, A->in(*T.In), B->in(*T.In), In.data(), Out.data(), Extent.data(), N,
                                       Waits, Done);
    };
    E(C, CL_FALSE, Event);
  });
}

cl_int CL_API_CALL copyImageToBuffer(cl_command_queue Q, cl_mem From, cl_mem Into, const size_t *Origin,
                                     const size_t *Region, size_t First, cl_uint N, const cl_event *List,
                                     cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    Ref<Memory> A = &E.image(From), B = &E.buffer(Into);
    A->checkRegion(Origin, Region);
    Triple At = triple(Origin), Extent = triple(Region);
    size_t Bytes = Extent[0] * Extent[1] * Extent[2] * A->elementBytes();
    require(First <= B->bytes() && Bytes <= B->bytes() - First, CL_INVALID_VALUE);
    auto C = E.command(CL_COMMAND_COPY_IMAGE_TO_BUFFER);
    usesImage(*C, *A, false, Extent);
    C->uses(*B, First, Bytes, false, true);
    C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
      return T.cl().clEnqueueCopyImageToBuffer(T.Queue, A->in(*T.In), B->in(*T.In), At.data(), Extent.data(), First, N,
                                               Waits, Out);
    };
    E(C, CL_FALSE, Event);
  });
}

cl_int CL_API_CALL copyBufferToImage(cl_command_queue Q, cl_mem From, cl_mem Into, size_t First, const size_t *Origin,
                                     const size_t *Region, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    Ref<Memory> A = &E.buffer(From), B = &E.image(Into);
    B->checkRegion(Origin, Region);
    Triple At = triple(Origin), Extent = triple(Region);
    size_t Bytes = Extent[0] * Extent[1] * Extent[2] * B->elementBytes();
    require(First <= A->bytes() && Bytes <= A->bytes() - First, CL_INVALID_VALUE);
    auto C = E.command(CL_COMMAND_COPY_BUFFER_TO_IMAGE);
    C->uses(*A, First, Bytes, true, false);
    usesImage(*C, *B, true, Extent);
    C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
      return T.cl().clEnqueueCopyBufferToImage(T.Queue, A->in(*T.In), B->in(*T.In), First, At.data(), Extent.data(), N,
                                               Waits, Out);
    };
    E(C, CL_FALSE, Event);
  });
}

cl_int CL_API_CALL fillImage(cl_command_queue Q, cl_mem Into, const void *Color, const size_t *Origin,
                             const size_t *Region, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    Ref<Memory> M = &E.image(Into);
    require(Color, CL_INVALID_VALUE);
    M->checkRegion(Origin, Region);
    Triple At = triple(Origin), Extent = triple(Region);
    std::array<std::byte, 16> Copy{}; // Four components of 4 bytes; a depth image has one.
    std::memcpy(Copy.data(), Color, M->Format.image_channel_order == CL_DEPTH ? 4 : 16);
    auto C = E.command(CL_COMMAND_FILL_IMAGE);
    usesImage(*C, *M, true, Extent);
    C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
      return T.cl().clEnqueueFillImage(T.Queue, M->in(*T.In), Copy.data(), At.data(), Extent.data(), N, Waits, Out);
    };
    E(C, CL_FALSE, Event);
  });
}

} // namespace

void addImageCommands(cl_icd_dispatch &T) {
  T.clEnqueueReadImage = readImage;
  T.clEnqueueWriteImage = writeImage;
  T.clEnqueueCopyImage = copyImage;
  T.clEnqueueCopyImageToBuffer = copyImageToBuffer;
  T.clEnqueueCopyBufferToImage = copyBufferToImage;
  T.clEnqueueFillImage = fillImage;
}

} // namespace hsched::icd
