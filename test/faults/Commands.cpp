// The layer's commands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Layer.h"

namespace hsched::test {

namespace {

// A command that is waited for flushes its queue.
void beginNow(cl_command_queue Q, cl_bool Blocking) {
  if (Blocking)
    layer().letGo(Q);
}

// A transfer that has been enqueued with Out as its event. Some drivers return at its end. What it waits for on other
// queues is not flushed for it.
template <class Fn> cl_int transfer(cl_command_queue Q, cl_event *E, Fn Enqueue) {
  if (!layer().blocks())
    return Enqueue(E);
  cl_event Done = nullptr;
  const cl_int Code = Enqueue(&Done);
  if (Code != CL_SUCCESS)
    return Code;
  layer().letGo(Q);
  (void)layer().Next->clWaitForEvents(1, &Done);
  if (E)
    *E = Done;
  else
    layer().Next->clReleaseEvent(Done);
  return CL_SUCCESS;
}

cl_int CL_API_CALL enqueueKernel(cl_command_queue Q, cl_kernel K, cl_uint Dims, const size_t *Offset,
                                 const size_t *Global, const size_t *Local, cl_uint N, const cl_event *W, cl_event *E) {
  auto Whole = [&](cl_event *Out) {
    return layer().Next->clEnqueueNDRangeKernel(Q, K, Dims, Offset, Global, Local, N, W, Out);
  };
  return command("clEnqueueNDRangeKernel", Q, N, W, E, Whole, Whole);
}

cl_int CL_API_CALL enqueueWrite(cl_command_queue Q, cl_mem B, cl_bool Blocking, size_t Offset, size_t Bytes,
                                const void *Host, cl_uint N, const cl_event *W, cl_event *E) {
  auto Part = [&](size_t Count) {
    return [=](cl_event *Out) {
      beginNow(Q, Blocking);
      return layer().Next->clEnqueueWriteBuffer(Q, B, Blocking, Offset, Count, Host, N, W, Out);
    };
  };
  return transfer(Q, E, [&](cl_event *Done) {
    return command("clEnqueueWriteBuffer", Q, N, W, Done, Part(Bytes), Part((Bytes + 1) / 2));
  });
}

cl_int CL_API_CALL enqueueRead(cl_command_queue Q, cl_mem B, cl_bool Blocking, size_t Offset, size_t Bytes, void *Host,
                               cl_uint N, const cl_event *W, cl_event *E) {
  auto Part = [&](size_t Count) {
    return [=](cl_event *Out) {
      beginNow(Q, Blocking);
      return layer().Next->clEnqueueReadBuffer(Q, B, Blocking, Offset, Count, Host, N, W, Out);
    };
  };
  return transfer(Q, E, [&](cl_event *Done) {
    return command("clEnqueueReadBuffer", Q, N, W, Done, Part(Bytes), Part((Bytes + 1) / 2));
  });
}

cl_int CL_API_CALL enqueueCopy(cl_command_queue Q, cl_mem From, cl_mem To, size_t FromOffset, size_t ToOffset,
                               size_t Bytes, cl_uint N, const cl_event *W, cl_event *E) {
  auto Part = [&](size_t Count) {
    return [=](cl_event *Out) {
      return layer().Next->clEnqueueCopyBuffer(Q, From, To, FromOffset, ToOffset, Count, N, W, Out);
    };
  };
  return command("clEnqueueCopyBuffer", Q, N, W, E, Part(Bytes), Part((Bytes + 1) / 2));
}

// Half of a rectangle is the first half of its rows.
struct Half {
  size_t Region[3];
  explicit Half(const size_t *Of) : Region{Of[0], (Of[1] + 1) / 2, Of[2]} {}
};

cl_int CL_API_CALL enqueueWriteRect(cl_command_queue Q, cl_mem B, cl_bool Blocking, const size_t *There,
                                    const size_t *Here, const size_t *Region, size_t BufferRow, size_t BufferSlice,
                                    size_t HostRow, size_t HostSlice, const void *Host, cl_uint N, const cl_event *W,
                                    cl_event *E) {
  auto Part = [&](const size_t *R) {
    return [=](cl_event *Out) {
      beginNow(Q, Blocking);
      return layer().Next->clEnqueueWriteBufferRect(Q, B, Blocking, There, Here, R, BufferRow, BufferSlice, HostRow,
                                                    HostSlice, Host, N, W, Out);
    };
  };
  Half First(Region);
  return transfer(Q, E, [&](cl_event *Done) {
    return command("clEnqueueWriteBufferRect", Q, N, W, Done, Part(Region), Part(First.Region));
  });
}

cl_int CL_API_CALL enqueueReadRect(cl_command_queue Q, cl_mem B, cl_bool Blocking, const size_t *There,
                                   const size_t *Here, const size_t *Region, size_t BufferRow, size_t BufferSlice,
                                   size_t HostRow, size_t HostSlice, void *Host, cl_uint N, const cl_event *W,
                                   cl_event *E) {
  auto Part = [&](const size_t *R) {
    return [=](cl_event *Out) {
      beginNow(Q, Blocking);
      return layer().Next->clEnqueueReadBufferRect(Q, B, Blocking, There, Here, R, BufferRow, BufferSlice, HostRow,
                                                   HostSlice, Host, N, W, Out);
    };
  };
  Half First(Region);
  return transfer(Q, E, [&](cl_event *Done) {
    return command("clEnqueueReadBufferRect", Q, N, W, Done, Part(Region), Part(First.Region));
  });
}

cl_int CL_API_CALL enqueueCopyRect(cl_command_queue Q, cl_mem From, cl_mem To, const size_t *FromOrigin,
                                   const size_t *ToOrigin, const size_t *Region, size_t FromRow, size_t FromSlice,
                                   size_t ToRow, size_t ToSlice, cl_uint N, const cl_event *W, cl_event *E) {
  auto Part = [&](const size_t *R) {
    return [=](cl_event *Out) {
      return layer().Next->clEnqueueCopyBufferRect(Q, From, To, FromOrigin, ToOrigin, R, FromRow, FromSlice, ToRow,
                                                   ToSlice, N, W, Out);
    };
  };
  Half First(Region);
  return command("clEnqueueCopyBufferRect", Q, N, W, E, Part(Region), Part(First.Region));
}

// Half of it is all of it, as of what comes below.
void *CL_API_CALL enqueueMap(cl_command_queue Q, cl_mem B, cl_bool Blocking, cl_map_flags Flags, size_t Offset,
                             size_t Bytes, cl_uint N, const cl_event *W, cl_event *E, cl_int *Code) {
  void *Where = nullptr;
  auto Whole = [&](cl_event *Out) {
    cl_int Mapped = CL_SUCCESS;
    beginNow(Q, Blocking);
    Where = layer().Next->clEnqueueMapBuffer(Q, B, Blocking, Flags, Offset, Bytes, N, W, Out, &Mapped);
    return Mapped;
  };
  cl_int Result = command("clEnqueueMapBuffer", Q, N, W, E, Whole, Whole);
  if (Code)
    *Code = Result;
  return Where;
}

cl_int CL_API_CALL enqueueUnmap(cl_command_queue Q, cl_mem B, void *Where, cl_uint N, const cl_event *W, cl_event *E) {
  auto Whole = [&](cl_event *Out) { return layer().Next->clEnqueueUnmapMemObject(Q, B, Where, N, W, Out); };
  return command("clEnqueueUnmapMemObject", Q, N, W, E, Whole, Whole);
}

cl_int CL_API_CALL enqueueBarrier(cl_command_queue Q, cl_uint N, const cl_event *W, cl_event *E) {
  auto Whole = [&](cl_event *Out) { return layer().Next->clEnqueueBarrierWithWaitList(Q, N, W, Out); };
  return command("clEnqueueBarrierWithWaitList", Q, N, W, E, Whole, Whole);
}

cl_int CL_API_CALL enqueueMarker(cl_command_queue Q, cl_uint N, const cl_event *W, cl_event *E) {
  auto Whole = [&](cl_event *Out) { return layer().Next->clEnqueueMarkerWithWaitList(Q, N, W, Out); };
  return command("clEnqueueMarkerWithWaitList", Q, N, W, E, Whole, Whole);
}

} // namespace

void wrapCommands(cl_icd_dispatch &Own) {
  Own.clEnqueueNDRangeKernel = enqueueKernel;
  Own.clEnqueueWriteBuffer = enqueueWrite;
  Own.clEnqueueReadBuffer = enqueueRead;
  Own.clEnqueueCopyBuffer = enqueueCopy;
  Own.clEnqueueWriteBufferRect = enqueueWriteRect;
  Own.clEnqueueReadBufferRect = enqueueReadRect;
  Own.clEnqueueCopyBufferRect = enqueueCopyRect;
  Own.clEnqueueMapBuffer = enqueueMap;
  Own.clEnqueueUnmapMemObject = enqueueUnmap;
  Own.clEnqueueMarkerWithWaitList = enqueueMarker;
  Own.clEnqueueBarrierWithWaitList = enqueueBarrier;
}

} // namespace hsched::test
