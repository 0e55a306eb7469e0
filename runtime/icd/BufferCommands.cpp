// Commands on buffers: read, write, copy, fill.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"

namespace hsched::icd {
namespace {

void inRange(const Memory &M, size_t First, size_t Bytes) {
  require(First <= M.bytes() && Bytes <= M.bytes() - First, CL_INVALID_VALUE);
}

// A transfer without bytes.
void transferNothing(const Enqueueing &E, cl_command_type Type, cl_bool Blocking, cl_event *Event) {
  auto C = E.command(Type);
  C->Start = nothing;
  E(C, Blocking, Event);
}

cl_int CL_API_CALL readBuffer(cl_command_queue Q, cl_mem From, cl_bool Blocking, size_t First, size_t Bytes, void *To,
                              cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    Ref<Memory> M = &E.buffer(From);
    require(To, CL_INVALID_VALUE);
    inRange(*M, First, Bytes);
    require(M->canRead(), CL_INVALID_OPERATION);
    if (!Bytes)
      return transferNothing(E, CL_COMMAND_READ_BUFFER, Blocking, Event);
    Touch Uses;
    Uses.uses(*M, First, Bytes, true, false);
    Uses.usesHost(To, Bytes, true);
    E(CL_COMMAND_READ_BUFFER, std::move(Uses), Blocking, Event,
      [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
        return T.cl().clEnqueueReadBuffer(T.Queue, M->in(*T.In), Out ? CL_FALSE : Blocking, First, Bytes, To, N, Waits,
                                          Out);
      });
  });
}

cl_int CL_API_CALL writeBuffer(cl_command_queue Q, cl_mem Into, cl_bool Blocking, size_t First, size_t Bytes,
                               const void *From, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    Ref<Memory> M = &E.buffer(Into);
    require(From, CL_INVALID_VALUE);
    inRange(*M, First, Bytes);
    require(M->canWrite(), CL_INVALID_OPERATION);
    if (!Bytes)
      return transferNothing(E, CL_COMMAND_WRITE_BUFFER, Blocking, Event);
    Touch Uses;
    Uses.uses(*M, First, Bytes, false, true);
    Uses.usesHost(From, Bytes, false);
    E(CL_COMMAND_WRITE_BUFFER, std::move(Uses), Blocking, Event,
      [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
        return T.cl().clEnqueueWriteBuffer(T.Queue, M->in(*T.In), Out ? CL_FALSE : Blocking, First, Bytes, From, N,
                                           Waits, Out);
      });
  });
}

cl_int CL_API_CALL copyBuffer(cl_command_queue Q, cl_mem From, cl_mem Into, size_t FromFirst, size_t IntoFirst,
                              size_t Bytes, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    Ref<Memory> A = &E.buffer(From), B = &E.buffer(Into);
    require(Bytes, CL_INVALID_VALUE);
    inRange(*A, FromFirst, Bytes);
    inRange(*B, IntoFirst, Bytes);
    size_t First = A->origin() + FromFirst, Second = B->origin() + IntoFirst;
    require(&A->root() != &B->root() || First + Bytes <= Second || Second + Bytes <= First, CL_MEM_COPY_OVERLAP);
    Touch Uses;
    Uses.uses(*A, FromFirst, Bytes, true, false);
    Uses.uses(*B, IntoFirst, Bytes, false, true);
    E(CL_COMMAND_COPY_BUFFER, std::move(Uses), CL_FALSE, Event,
      [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
        return T.cl().clEnqueueCopyBuffer(T.Queue, A->in(*T.In), B->in(*T.In), FromFirst, IntoFirst, Bytes, N, Waits,
                                          Out);
      });
  });
}

cl_int CL_API_CALL fillBuffer(cl_command_queue Q, cl_mem Into, const void *Pattern, size_t PatternBytes, size_t First,
                              size_t Bytes, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    Ref<Memory> M = &E.buffer(Into);
    bool Power = PatternBytes && PatternBytes <= 128 && !(PatternBytes & (PatternBytes - 1));
    require(Pattern && Power && First % PatternBytes == 0 && Bytes % PatternBytes == 0, CL_INVALID_VALUE);
    inRange(*M, First, Bytes);
    auto C = E.command(CL_COMMAND_FILL_BUFFER);
    C->uses(*M, First, Bytes, false, true);
    const auto *Begin = static_cast<const std::byte *>(Pattern);
    C->Start = [=, Copy = std::vector<std::byte>(Begin, Begin + PatternBytes)](const Target &T, cl_uint N,
                                                                               const cl_event *Waits, cl_event *Out) {
      if (!Bytes) // No bytes: it only takes its place in the order.
        return T.cl().clEnqueueMarkerWithWaitList(T.Queue, N, Waits, Out);
      return T.cl().clEnqueueFillBuffer(T.Queue, M->in(*T.In), Copy.data(), PatternBytes, First, Bytes, N, Waits, Out);
    };
    E(C, CL_FALSE, Event);
  });
}

} // namespace

void addBufferCommands(cl_icd_dispatch &T) {
  T.clEnqueueReadBuffer = readBuffer;
  T.clEnqueueWriteBuffer = writeBuffer;
  T.clEnqueueCopyBuffer = copyBuffer;
  T.clEnqueueFillBuffer = fillBuffer;
}

} // namespace hsched::icd
