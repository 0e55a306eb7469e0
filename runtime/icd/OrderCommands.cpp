// Markers, barriers, migration.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"

namespace hsched::icd {
namespace {

void order(cl_command_queue Q, cl_command_type Type, cl_uint N, const cl_event *List, bool IsBarrier, cl_event *Event) {
  Enqueueing E(Q, N, List);
  auto C = E.command(Type);
  C->Fence = true;
  C->WaitsForAll = !N;
  C->IsBarrier = IsBarrier;
  C->Start = nothing;
  E(C, CL_FALSE, Event);
}

cl_int CL_API_CALL markerWithWaitList(cl_command_queue Q, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] { order(Q, CL_COMMAND_MARKER, N, List, false, Event); });
}
cl_int CL_API_CALL barrierWithWaitList(cl_command_queue Q, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] { order(Q, CL_COMMAND_BARRIER, N, List, true, Event); });
}
cl_int CL_API_CALL oldMarker(cl_command_queue Q, cl_event *Event) {
  return guarded([&] {
    (void)need<Queue>(Q, CL_INVALID_COMMAND_QUEUE);
    require(Event, CL_INVALID_VALUE);
    order(Q, CL_COMMAND_MARKER, 0, nullptr, false, Event);
  });
}
cl_int CL_API_CALL oldBarrier(cl_command_queue Q) {
  return guarded([&] { order(Q, CL_COMMAND_BARRIER, 0, nullptr, true, nullptr); });
}
cl_int CL_API_CALL oldWaitForEvents(cl_command_queue Q, cl_uint N, const cl_event *List) {
  return guarded([&] {
    (void)need<Queue>(Q, CL_INVALID_COMMAND_QUEUE);
    require(N && List, CL_INVALID_VALUE);
    for (cl_uint I = 0; I != N; ++I)
      (void)need<Command>(List[I], CL_INVALID_EVENT);
    order(Q, CL_COMMAND_BARRIER, N, List, true, nullptr);
  });
}

cl_int CL_API_CALL migrate(cl_command_queue Q, cl_uint Count, const cl_mem *Objects, cl_mem_migration_flags Flags,
                           cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    require(Count && Objects, CL_INVALID_VALUE);
    require(!(Flags & ~(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)), CL_INVALID_VALUE);
    std::vector<Ref<Memory>> All;
    for (cl_uint I = 0; I != Count; ++I)
      All.emplace_back(&E.memory(Objects[I]));
    auto C = E.command(CL_COMMAND_MIGRATE_MEM_OBJECTS);
    bool ToHost = Flags & CL_MIGRATE_MEM_OBJECT_HOST;
    for (const auto &M : All)
      if (M->isPlain() || !(Flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
        C->Uses.push_back({&M->root(), M->origin(), M->bytes(), true, false, ToHost && !M->isPlain()});
    C->Start = [=](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
      std::vector<cl_mem> Its;
      for (const auto &M : All)
        if (M->isPlain()) // For the others, the copies have been made.
          Its.push_back(M->in(*T.In));
      if (Its.empty())
        return nothing(T, N, Waits, Out);
      return T.cl().clEnqueueMigrateMemObjects(T.Queue, static_cast<cl_uint>(Its.size()), Its.data(), Flags, N, Waits,
                                               Out);
    };
    E(C, CL_FALSE, Event);
  });
}

} // namespace

void addOrderCommands(cl_icd_dispatch &T) {
  T.clEnqueueMarkerWithWaitList = markerWithWaitList;
  T.clEnqueueBarrierWithWaitList = barrierWithWaitList;
  T.clEnqueueMarker = oldMarker;
  T.clEnqueueBarrier = oldBarrier;
  T.clEnqueueWaitForEvents = oldWaitForEvents;
  T.clEnqueueMigrateMemObjects = migrate;
}

} // namespace hsched::icd
