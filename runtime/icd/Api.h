// The API's functions in groups. Each function fills its slots of the dispatch table.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_API_H
#define HSCHED_ICD_API_H

#include "icd/Kernel.h"
#include "icd/Queue.h"

namespace hsched::icd {

void addPlatform(cl_icd_dispatch &T); // Platforms, devices, contexts.
void addQueues(cl_icd_dispatch &T);
void addMemory(cl_icd_dispatch &T); // Memory objects and samplers.
void addPrograms(cl_icd_dispatch &T);
void addKernels(cl_icd_dispatch &T);
void addEvents(cl_icd_dispatch &T);
void addBufferCommands(cl_icd_dispatch &T);
void addRectCommands(cl_icd_dispatch &T);
void addImageCommands(cl_icd_dispatch &T);
void addMapCommands(cl_icd_dispatch &T);
void addKernelCommands(cl_icd_dispatch &T);
void addOrderCommands(cl_icd_dispatch &T); // Markers, barriers, migration.
void addSvm(cl_icd_dispatch &T);
// All others: unsupported functions, which return CL_INVALID_OPERATION.
void addRefusals(cl_icd_dispatch &T);

// A function of this platform by name; null for any other name.
void *functionNamed(const char *Name);

cl_int CL_API_CALL setCommandQueueSchedProperty(cl_command_queue Q, cl_ulong Properties);
cl_int CL_API_CALL setKernelWorkGroupInfo(cl_kernel K, cl_device_id D, cl_uint Dimensions, const size_t *Global,
                                          const size_t *Local);

// The devices of a list. Throws CL_INVALID_VALUE, CL_INVALID_DEVICE.
std::vector<Ref<Device>> deviceList(cl_uint N, const cl_device_id *List);

constexpr cl_map_flags MapFlags = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

// A command that only takes its place in the order. Without unfinished predecessors at this vendor, it has ended.
inline cl_int nothing(const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
  return N ? T.cl().clEnqueueMarkerWithWaitList(T.Queue, N, Waits, Out) : CL_SUCCESS;
}

// Common begin of all clEnqueue... functions.
struct Enqueueing {
  Queue &Q;
  std::vector<Ref<Command>> After;

  Enqueueing(cl_command_queue Into, cl_uint N, const cl_event *Events)
      : Q(need<Queue>(Into, CL_INVALID_COMMAND_QUEUE)), After(waitList(*Q.In, N, Events)) {}
  Memory &memory(cl_mem Handle) const {
    Memory &M = need<Memory>(Handle, CL_INVALID_MEM_OBJECT);
    require(M.In == Q.In, CL_INVALID_CONTEXT);
    return M;
  }
  Memory &buffer(cl_mem Handle) const {
    Memory &M = memory(Handle);
    require(M.isBuffer(), CL_INVALID_MEM_OBJECT);
    if (M.Parent && !M.isPlain() && !Q.On->isAuto()) {
      require(M.origin() % Q.On->limits().Alignment == 0, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    }
    return M;
  }
  Memory &image(cl_mem Handle) const {
    Memory &M = memory(Handle);
    require(M.isImage(), CL_INVALID_MEM_OBJECT);
    return M;
  }
  Ref<Command> command(cl_command_type Type) const { return Ref<Command>(new Command(Q.In, &Q, Type)); }
  // Passes a command to its vendor at once if nothing must refer to it later; otherwise makes a command of the graph.
  template <class F>
  void operator()(cl_command_type Type, Touch &&Uses, cl_bool Blocking, cl_event *Event, F &&Start) const {
    cl_int Error = CL_SUCCESS;
    if (!Event && After.empty() && Q.direct(Uses, Start, Error, Blocking == CL_TRUE))
      return check(Error);
    auto C = command(Type);
    C->FollowsLane = true;
    C->uses(std::move(Uses));
    C->Start = std::forward<F>(Start);
    (*this)(C, Blocking, Event);
  }
  void operator()(const Ref<Command> &C, cl_bool Blocking, cl_event *Event) const {
    Q.enqueue(C, After, Blocking == CL_TRUE, Event);
  }
};

} // namespace hsched::icd
#endif
