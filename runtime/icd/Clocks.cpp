// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Clocks.h"

#include "icd/Command.h"

#include <algorithm>
#include <limits>

namespace hsched::icd {

Clocks &Clocks::get() {
  static Clocks &Only = *new Clocks;
  return Only;
}

void Clocks::compare(const Device *D, const Part &Of) {
  {
    std::lock_guard Hold(Lock);
    if (Known.count(D))
      return;
  }
  cl_int Error = CL_SUCCESS;
  const auto InTurn = D->inTurn();
  const cl_command_queue Queue = Of.cl().clCreateCommandQueue(Of.Id, D->Id, CL_QUEUE_PROFILING_ENABLE, &Error);
  if (!Queue)
    return; // The program's queues are refused, too.
  // A marker ends before its end is noticed; of several, the one with the least delay is the best estimate.
  cl_long Best = std::numeric_limits<cl_long>::max();
  cl_ulong First = 0, Last = 0;
  unsigned Ends = 0;
  for (unsigned Try = 0; Try != 4; ++Try) {
    cl_event E = nullptr;
    if (table(Queue).clEnqueueMarkerWithWaitList(Queue, 0, nullptr, &E) != CL_SUCCESS)
      break;
    cl_ulong End = 0;
    if (table(E).clWaitForEvents(1, &E) == CL_SUCCESS &&
        table(E).clGetEventProfilingInfo(E, CL_PROFILING_COMMAND_END, sizeof(End), &End, nullptr) == CL_SUCCESS) {
      Best = std::min(Best, static_cast<cl_long>(hostTime() - End));
      First = Ends++ ? First : End;
      Last = End;
    }
    table(E).clReleaseEvent(E);
  }
  table(Queue).clReleaseCommandQueue(Queue);
  std::lock_guard Hold(Lock);
  Known.emplace(D, Calibration{Ends ? Best : 0, Ends < 2 || Last > First});
}

cl_ulong Clocks::toHost(const Device *D, cl_ulong Time) {
  std::lock_guard Hold(Lock);
  auto I = Known.find(D);
  return Time + static_cast<cl_ulong>(I == Known.end() ? 0 : I->second.Offset);
}

bool Clocks::works(const Device *D) {
  std::lock_guard Hold(Lock);
  auto I = Known.find(D);
  return I == Known.end() || I->second.Works;
}

} // namespace hsched::icd
