// Devices whose vendor refuses commands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Scheduler.h"

#include <algorithm>

namespace hsched::icd {

std::pair<Device *, double> Scheduler::elsewhere(const Command &C, const std::vector<Device *> &Refused) {
  Device *Best = nullptr;
  std::pair<bool, double> Least;
  std::lock_guard Hold(Lock);
  for (Device *D : C.In->vendorDevices()) {
    Load.try_emplace(D); // So that moves() needs no memory.
    if (std::find(Refused.begin(), Refused.end(), D) != Refused.end() || !C.mayRunOn(*D))
      continue;
    // One that is lost may have come back, and one that has refused another launch may accept this one. They are last.
    if (std::pair Its{D->isLost() || C.isRefusedBy(*D), std::max(0.0, expected(C, *D).first)}; !Best || Its < Least) {
      Best = D;
      Least = Its;
    }
  }
  return {Best, Least.second};
}

double Scheduler::moves(Command &C, const Device *From, const Device *To, double Seconds) noexcept {
  std::lock_guard Hold(Lock);
  Load[From] = std::max(0.0, Load[From] - C.Expected);
  Load[To] += Seconds;
  return std::exchange(C.Expected, Seconds);
}

bool Graph::move(const Ref<Command> &C, const Target &Where) {
  std::vector<Ref<Command>> Watch;
  bool Ready;
  {
    std::lock_guard Hold(Lock);
    Watch.reserve(C->Waits.size());
    for (const Command::Wait &W : C->Waits)
      W.On->Next.reserve(W.On->Next.size() + C->Waits.size());
    // Nothing below throws.
    C->Where = Where;
    ++C->Waiting;
    for (Command::Wait &W : std::exchange(C->Waits, {})) { // Another device does not know them.
      if (W.On->Done) {
        if (W.Fails && W.On->Outcome < 0)
          C->Failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        continue;
      }
      W.On->Next.push_back({C, W.Fails});
      ++C->Waiting;
      if (!std::exchange(W.On->Watched, true))
        Watch.push_back(W.On);
    }
    Ready = --C->Waiting == 0;
  }
  for (const auto &W : Watch)
    addWaiter(W);
  return Ready;
}

void Graph::lost(Context &In, const Device &D) {
  (void)guarded([&] { endAll(In, D); }); // Without memory, their ends are noticed later, if the vendor reports them.
}

void Graph::endAll(Context &In, const Device &D) {
  for (const auto &Q : In.queues())
    for (const auto &C : inFlight(*Q)) {
      {
        std::lock_guard Hold(Lock);
        if (!C->HandedOver || C->Done || C->Where.On != &D)
          continue;
      }
      cl_event Event = C->Vendors.load(std::memory_order_acquire);
      cl_int Its = CL_SUBMITTED;
      cl_int QueryError =
          table(Event).clGetEventInfo(Event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(Its), &Its, nullptr);
      ended(C, QueryError != CL_SUCCESS || Its > CL_COMPLETE ? CL_DEVICE_NOT_AVAILABLE : Its, false);
    }
}

} // namespace hsched::icd
