// The device manager: which launches are reported when, and which are timed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/DeviceWorker.h"

#include "base/NoMemory.h"

#include <algorithm>

namespace hsched::rt {

// It changes little between launches, so it is cached for some launches.
Duration DeviceWorker::briefTime(const Flight &F) {
  if (E.Watch || !F.K)
    return Duration(0);
  SizeClass Size = F.T->sizeClass();
  if (Brief.V != F.V || Brief.Size != Size || Brief.Uses == 0) {
    RunStats Known;
    whileThereIsMemory([&] { Known = E.Times.lookup(*F.T->Type, Size, F.V->Index, W.Model); });
    auto Mean = Duration(std::max<int64_t>(1, static_cast<int64_t>(Known.MeanNs)));
    if (Known.Runs < TimedBefore || Mean >= ReportLateBelow)
      return Duration(0);
    Brief = {F.V, Size, Mean, BriefUses};
  }
  --Brief.Uses;
  return Brief.Mean;
}

// For short kernels among others: reporting each would take a driver longer than the kernel.
CompletionReport DeviceWorker::completionReport(Flight &F) {
  // With little memory, a kernel behind a transfer is reported as soon as it ends: others wait for its memory.
  if (F.Brief == Duration(0) || (F.Acquired.Moves && Tight))
    return CompletionReport::Soon;
  ++SinceSample;
  Sampling = Sampling && SinceSample <= MostSampled;
  if (Sampling)
    return CompletionReport::Soon;
  F.Mean = F.Brief;
  if (InFlight.empty())
    return CompletionReport::Untimed;
  // A mean may include interrupted runs; Typical does not. A few always run concurrently, because they may differ from
  // earlier ones.
  const bool Tiny = F.Brief < 3 * NotTiny && Typical < NotTiny && InFlight.size() >= ManyInFlight;
  // A kernel behind a transfer often precedes kernels on several queues. They wait for its event. A later event would
  // make them wait for other kernels too.
  if (!Tiny && F.Acquired.Moves && Dev.computeQueues() > 1 && queueOf(*F.T) == AnyQueue)
    return CompletionReport::Untimed;
  return Tiny ? CompletionReport::Tiny : CompletionReport::Late;
}

} // namespace hsched::rt
