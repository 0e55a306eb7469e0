// Shared virtual memory: the vendor's, in contexts of one vendor. Several vendors share none.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"

#include <algorithm>

namespace hsched::icd {
namespace {

void *CL_API_CALL svmAlloc(cl_context C, cl_svm_mem_flags Flags, size_t Bytes, cl_uint Align) {
  return guardedMake<void *>(nullptr, [&]() -> void * {
    Context &In = need<Context>(C, CL_INVALID_CONTEXT);
    require(In.isSingle() && In.first().Of->has(200) && In.first().cl().clSVMAlloc, CL_INVALID_OPERATION);
    void *At = In.first().cl().clSVMAlloc(In.first().Id, Flags, Bytes, Align);
    if (At && In.data())
      In.addSvm(At, Bytes);
    return At;
  });
}

void CL_API_CALL svmFree(cl_context C, void *At) {
  (void)guarded([&] {
    Context &In = need<Context>(C, CL_INVALID_CONTEXT);
    require(In.isSingle() && In.first().Of->has(200) && In.first().cl().clSVMFree, CL_INVALID_OPERATION);
    In.removeSvm(At);
    In.first().cl().clSVMFree(In.first().Id, At);
  });
}

// Makes a command on memory whose other users are unknown: it is ordered in its queue.
Ref<Command> command(const Enqueueing &E, cl_command_type Type) {
  require(E.Q.In->isSingle() && E.Q.In->first().Of->has(200), CL_INVALID_OPERATION);
  auto C = E.command(Type);
  C->Fence = true;
  return C;
}

using FreeCallback = void(CL_CALLBACK *)(cl_command_queue, cl_uint, void *[], void *);
struct Freeing {
  FreeCallback Notified;
  Ref<Queue> Of;
  void *UserData;
};
// The vendor passes its own queue; the program expects the platform's.
void CL_CALLBACK freeThroughProgram(cl_command_queue, cl_uint N, void *Pointers[], void *Data) {
  std::unique_ptr<Freeing> F(static_cast<Freeing *>(Data));
  F->Notified(F->Of->handle<cl_command_queue>(), N, Pointers, F->UserData);
}

cl_int CL_API_CALL enqueueSvmFree(cl_command_queue Q, cl_uint Count, void *Pointers[], FreeCallback Notified,
                                  void *UserData, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    require(!Count == !Pointers, CL_INVALID_VALUE);
    auto C = command(E, CL_COMMAND_SVM_FREE);
    Ref<Queue> Own = &E.Q;
    for (cl_uint I = 0; I != Count && !Notified; ++I)
      E.Q.In->removeSvm(Pointers[I]);
    C->Start = [=, All = std::vector<void *>(Pointers, Pointers + Count)](const Target &T, cl_uint N,
                                                                          const cl_event *Waits, cl_event *Out) {
      auto Copy = All;
      auto F = Notified ? std::make_unique<Freeing>(Freeing{Notified, Own, UserData}) : nullptr;
      cl_int Error = T.cl().clEnqueueSVMFree(T.Queue, Count, Copy.data(), F ? freeThroughProgram : nullptr, F.get(), N,
                                             Waits, Out);
      if (Error == CL_SUCCESS)
        (void)F.release();
      return Error;
    };
    E(C, CL_FALSE, Event);
  });
}

cl_int CL_API_CALL enqueueSvmMemcpy(cl_command_queue Q, cl_bool Blocking, void *To, const void *From, size_t Bytes,
                                    cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    require(To && From, CL_INVALID_VALUE);
    const auto First = reinterpret_cast<uintptr_t>(To), Second = reinterpret_cast<uintptr_t>(From);
    require(Bytes <= std::max(First, Second) - std::min(First, Second), CL_MEM_COPY_OVERLAP);
    auto C = command(E, CL_COMMAND_SVM_MEMCPY);
    C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
      return T.cl().clEnqueueSVMMemcpy(T.Queue, CL_FALSE, To, From, Bytes, N, Waits, Out);
    };
    E(C, Blocking, Event);
  });
}

cl_int CL_API_CALL enqueueSvmMemFill(cl_command_queue Q, void *To, const void *Pattern, size_t PatternBytes,
                                     size_t Bytes, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    const bool Power = PatternBytes && PatternBytes <= 128 && !(PatternBytes & (PatternBytes - 1));
    require(To && Pattern && Power && Bytes % PatternBytes == 0 && reinterpret_cast<uintptr_t>(To) % PatternBytes == 0,
            CL_INVALID_VALUE);
    auto C = command(E, CL_COMMAND_SVM_MEMFILL);
    const auto *Begin = static_cast<const std::byte *>(Pattern);
    C->Start = [=, Copy = std::vector<std::byte>(Begin, Begin + PatternBytes)](const Target &T, cl_uint N,
                                                                               const cl_event *Waits, cl_event *Out) {
      return T.cl().clEnqueueSVMMemFill(T.Queue, To, Copy.data(), PatternBytes, Bytes, N, Waits, Out);
    };
    E(C, CL_FALSE, Event);
  });
}

cl_int CL_API_CALL enqueueSvmMap(cl_command_queue Q, cl_bool Blocking, cl_map_flags Flags, void *At, size_t Bytes,
                                 cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    require(At && Bytes && !(Flags & ~MapFlags), CL_INVALID_VALUE);
    auto C = command(E, CL_COMMAND_SVM_MAP);
    C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
      return T.cl().clEnqueueSVMMap(T.Queue, CL_FALSE, Flags, At, Bytes, N, Waits, Out);
    };
    E(C, Blocking, Event);
  });
}

cl_int CL_API_CALL enqueueSvmUnmap(cl_command_queue Q, void *At, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    require(At, CL_INVALID_VALUE);
    auto C = command(E, CL_COMMAND_SVM_UNMAP);
    C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
      return T.cl().clEnqueueSVMUnmap(T.Queue, At, N, Waits, Out);
    };
    E(C, CL_FALSE, Event);
  });
}

cl_int CL_API_CALL enqueueSvmMigrate(cl_command_queue Q, cl_uint Count, const void **Pointers, const size_t *Sizes,
                                     cl_mem_migration_flags Flags, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    require(Count && Pointers, CL_INVALID_VALUE);
    auto C = command(E, CL_COMMAND_SVM_MIGRATE_MEM);
    C->Start = [=, All = std::vector<const void *>(Pointers, Pointers + Count),
                Bytes = Sizes ? std::vector<size_t>(Sizes, Sizes + Count) : std::vector<size_t>{}](
                   const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
      if (!T.In->Of->has(210) || !T.cl().clEnqueueSVMMigrateMem)
        return T.cl().clEnqueueMarkerWithWaitList(T.Queue, N, Waits, Out); // Only a hint.
      auto Copy = All;
      return T.cl().clEnqueueSVMMigrateMem(T.Queue, Count, Copy.data(), Bytes.empty() ? nullptr : Bytes.data(), Flags,
                                           N, Waits, Out);
    };
    E(C, CL_FALSE, Event);
  });
}

} // namespace

void addSvm(cl_icd_dispatch &T) {
  T.clSVMAlloc = svmAlloc;
  T.clSVMFree = svmFree;
  T.clEnqueueSVMFree = enqueueSvmFree;
  T.clEnqueueSVMMemcpy = enqueueSvmMemcpy;
  T.clEnqueueSVMMemFill = enqueueSvmMemFill;
  T.clEnqueueSVMMap = enqueueSvmMap;
  T.clEnqueueSVMUnmap = enqueueSvmUnmap;
  T.clEnqueueSVMMigrateMem = enqueueSvmMigrate;
}

} // namespace hsched::icd
